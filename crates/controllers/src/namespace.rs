//! The namespace controller: it empties a namespace that is being deleted, and lets it go.
//!
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/> and
//! <https://kubernetes.io/docs/tasks/administer-cluster/namespaces/#deleting-a-namespace>.

mod conditions;
mod content;

use std::time::Duration;

use futures::FutureExt;
use json_tree::Value;

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::object;
use crate::pace::Doubling;
use crate::queue::DELAYS;
use crate::resource::{NAMESPACES, Resource};

/// The time that API servers have to learn of a deletion before its namespace is emptied.
const GRACE: Duration = Duration::from_secs(5);

/// The time that passes before a namespace is looked at again, at least. The real one looks again at once where its pause overflows.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);

/// The finalizer in the spec of namespaces that stands for this controller.
const FINALIZER: &str = "kubernetes";

/// The controller. Its keys are the names of namespaces.
pub(crate) struct Namespaces;

impl Controller for Namespaces {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(NAMESPACES, View::Whole)]
    }

    fn delays(&self) -> Doubling {
        Doubling { longest: Duration::from_secs(60), ..DELAYS }
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if let Some(namespace) = change.new.as_ref().filter(|namespace| object::is_being_deleted(namespace)) {
            let at = context.now().saturating_add(GRACE);
            context.queue.add_at(object::name(namespace), at);
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        async move {
            if context.stores.of(&NAMESPACES).get(key).is_none() {
                return Ok(Outcome::Done);
            }
            match delete(key, context).await {
                Err(error) if error.is_not_found() => Ok(Outcome::Done),
                other => other,
            }
        }
        .boxed()
    }
}

/// Brings the deletion of a namespace as far as it goes now.
async fn delete(name: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
    let namespace = context.client.get(&NAMESPACES, "", name, View::Whole).await?;
    if !object::is_being_deleted(&namespace) {
        return Ok(Outcome::Done);
    }
    let mut namespace = update(namespace, context, mark_terminating).await?;
    if !object::is_being_deleted(&namespace) || finalizers(&namespace).next().is_none() {
        return Ok(Outcome::Done);
    }
    let estimate = content::delete_all(&mut namespace, context).await?;
    if estimate > 0 {
        let pause = content::go_seconds(i64::try_from(estimate / 2 + 1).unwrap_or(i64::MAX));
        return Ok(Outcome::After(pause.max(SHORTEST_PAUSE)));
    }
    update(namespace, context, finalize).await?;
    Ok(Outcome::Done)
}

/// A change of a namespace: the namespace to be written, and the subresource that does it. `None` if there is nothing to change.
type Write = fn(&Value) -> Option<(Value, &'static str)>;

/// Changes a namespace, again and again if somebody else has changed it meanwhile.
async fn update(mut namespace: Value, context: &Context<'_>, change: Write) -> Result<Value, Error> {
    loop {
        let Some((new, subresource)) = change(&namespace) else { return Ok(namespace) };
        match context.client.update(&NAMESPACES, &new, subresource).await {
            Err(error) if error.is_conflict() => {
                let latest =
                    context.client.get(&NAMESPACES, "", object::name(&namespace), View::Whole).await?;
                if object::uid(&latest) != object::uid(&namespace) {
                    return Err(Error::Other("namespace uid has changed across retries".to_owned()));
                }
                namespace = latest;
            }
            written => return written,
        }
    }
}

fn mark_terminating(namespace: &Value) -> Option<(Value, &'static str)> {
    if !object::is_being_deleted(namespace) || namespace.text_at("/status/phase") == "Terminating" {
        return None;
    }
    let mut new = namespace.clone();
    object::set(object::child(&mut new, "status"), "phase", "Terminating".into());
    Some((new, "status"))
}

fn finalize(namespace: &Value) -> Option<(Value, &'static str)> {
    let mut others: Vec<&str> = finalizers(namespace).filter(|finalizer| *finalizer != FINALIZER).collect();
    others.sort_unstable();
    others.dedup();
    let others: Vec<Value> = others.into_iter().map(Value::from).collect();
    let mut new = namespace.clone();
    object::set(object::child(&mut new, "spec"), "finalizers", Value::Array(others));
    Some((new, "finalize"))
}

fn finalizers(namespace: &Value) -> impl Iterator<Item = &str> {
    let finalizers = namespace.pointer("/spec/finalizers").and_then(Value::as_array);
    finalizers.into_iter().flatten().map(Value::as_text)
}
