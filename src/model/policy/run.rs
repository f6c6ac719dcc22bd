//! Trying a policy: what is sent to which cluster that is thrown away.

use std::rc::Rc;

use apimachinery::target;
use bytes::Bytes;
use json_tree::Value;
use protocol::trace::Considered;

use crate::cluster::answer::NEWEST;
use crate::cluster::embedded::Embedded;
use crate::cluster::place::Place;
use crate::cluster::status::{self, Status};
use crate::cluster::{Request, Which};
use crate::model::change::trial::Trial;
use crate::model::policy::outcome::Outcome;
use crate::model::policy::scratch::{Scratch, binding, name_of, named, path_of};
use crate::model::policy::{Kind, NO_PARAMS, STORED, WRITTEN, example};

/// The policy and the request to try.
#[derive(Default)]
pub(crate) struct Plan {
    /// The request that writes the policy.
    pub(crate) policy: Request,
    /// The request that it is tried against; `None`: one that the policy is for.
    pub(crate) request: Option<Request>,
    /// The revision of the cluster that it was sent to; `None`: the cluster as it is.
    pub(crate) at: Option<u64>,
    /// The namespace of a request that the policy is for, if it is about something in a namespace.
    pub(crate) namespace: String,
    /// In whose name such a request is sent.
    pub(crate) identity: Vec<(String, String)>,
    /// Which bindings; empty if nobody has chosen.
    pub(crate) bound: String,
    /// The binding that was written by hand.
    pub(crate) binding: String,
    /// The name of the parameters; empty if nobody has chosen.
    pub(crate) params: String,
}

/// Tries a policy in forks of the cluster, which hears nothing of it. `head` is the cluster's newest revision.
pub(crate) async fn run(cluster: &Rc<Embedded>, head: u64, plan: &Plan) -> Outcome {
    let mut outcome = Outcome::default();
    // How far it comes says the outcome itself.
    let _ = fill(&mut outcome, cluster, head, plan).await;
    outcome
}

async fn fill(outcome: &mut Outcome, cluster: &Rc<Embedded>, head: u64, plan: &Plan) -> Option<()> {
    let path = target::split(&plan.policy.target).0;
    let place = Place::of(&path)?;
    let kind = Kind::of(&plan.policy.method, &path)?;
    outcome.kind = kind;
    let now = Scratch::of(cluster, head).await?;
    outcome.policy = trial(&now, &plan.policy, Value::Null).await.0;
    if outcome.policy.failure.is_some() {
        return None;
    }
    let policy = outcome.policy.after.clone();
    let name = name_of(&policy);
    outcome.example = example::request(&now, &policy, &plan.namespace).await;
    let bindings = Place { resource: kind.bindings(), ..place }.collection();
    let bound = stored(&now, &bindings, &name).await;
    outcome.stored = !bound.is_empty();
    let params = find_params(&now, &policy, plan, outcome).await;
    outcome.bindings = match plan.bound.as_str() {
        WRITTEN => match read(cluster, &plan.binding, &name).await {
            Ok(binding) => vec![binding],
            Err(why) => {
                outcome.unbound = Some(Status::plain(0, why));
                return None;
            }
        },
        STORED => bound,
        "" if outcome.stored => bound,
        _ => vec![binding(kind, &name, &outcome.chosen)],
    };
    let request = plan.request.clone().or_else(|| {
        let mut example = outcome.example.clone()?;
        example.headers.extend(plan.identity.iter().cloned());
        Some(example)
    });
    let request = request?;
    drop(now);
    outcome.at = plan.at.unwrap_or(head);
    let base = match Scratch::of(cluster, outcome.at).await {
        Some(base) => base,
        None => {
            // What was forgotten meanwhile cannot be gone back to.
            outcome.at = head;
            Scratch::of(cluster, NEWEST).await?
        }
    };
    for one in stored(&base, &bindings, &name).await {
        base.delete(&[&bindings, "/", &name_of(&one)].concat()).await;
    }
    base.delete(&place.object(&name)).await;
    // Before the policy, which may have something to say of them.
    if let Some((path, collection, object)) = params
        && base.get(&path).await.is_none()
    {
        base.install(&collection, object).await;
    }
    outcome.without = trial(&base.fork().await?, &request, Value::Null).await.0;
    base.install(&place.collection(), policy).await;
    for one in &outcome.bindings {
        let refused = status::failure(&base.install(&bindings, one.clone()).await.body);
        outcome.unbound = outcome.unbound.take().or(refused);
    }
    let with = base.fork().await?;
    drop(base);
    let before = outcome.without.after.clone();
    (outcome.with, outcome.considered) = trial(&with, &request, before).await;
    same_version(&mut outcome.with);
    outcome.considered.retain(|one| one.policy == name && one.mutates == (kind == Kind::Mutating));
    outcome.request = Some(request);
    Some(())
}

/// Sends a request to a cluster, and returns the response and what policies make of it.
async fn trial(scratch: &Scratch, request: &Request, before: Value) -> (Trial, Vec<Considered>) {
    let answer = scratch.send(request).await;
    let told = (answer.code, answer.headers, &answer.body[..]);
    let trial = Trial::new((Which::ThisTab, request.clone()), before, told);
    (trial, answer.considered)
}

/// Two clusters have not written as much: that is no change.
fn same_version(trial: &mut Trial) {
    let known = trial.before.pointer("/metadata/resourceVersion").cloned();
    if let (Some(known), Some(version)) = (known, trial.after.pointer_mut("/metadata/resourceVersion")) {
        *version = known;
    }
}

/// The bindings of a policy that are stored.
async fn stored(scratch: &Scratch, bindings: &str, policy: &str) -> Vec<Value> {
    let mut all = scratch.list(bindings).await;
    all.retain(|binding| binding["spec"]["policyName"] == policy);
    all
}

/// The binding of a policy that was written: all of it, or its `spec`.
async fn read(cluster: &Embedded, text: &str, policy: &str) -> Result<Value, String> {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(_) => {
            let json = cluster.to_json("application/yaml", Bytes::from(text.to_owned())).await?;
            serde_json::from_slice(&json).map_err(|error| error.to_string())?
        }
    };
    let mut binding = if value.get("spec").is_some() { value } else { named(value) };
    if let Some(spec) = binding.get_mut("spec").and_then(Value::as_object_mut) {
        // One of another policy says nothing of this one.
        spec.insert("policyName".to_owned(), policy.into());
    }
    Ok(binding)
}

/// Finds out which objects could be the parameters, and gives the chosen one with its path and that of its collection.
async fn find_params(
    now: &Scratch,
    policy: &Value,
    plan: &Plan,
    outcome: &mut Outcome,
) -> Option<(String, String, Value)> {
    let of = &policy["spec"]["paramKind"];
    if of.is_null() {
        return None;
    }
    let kinds = now.kinds().await;
    let mut kinds = kinds.iter();
    let kind = kinds.find(|kind| of["kind"] == kind.kind.as_str() && of["apiVersion"] == kind.api_version());
    let all = match kind {
        Some(kind) => now.list(&kind.path("")).await,
        None => Vec::new(),
    };
    let names: Vec<String> = all.iter().map(name_of).collect();
    outcome.chosen = match &plan.params {
        // What was chosen for another policy may be of another kind.
        name if name == NO_PARAMS => String::new(),
        name if names.contains(name) => name.clone(),
        _ => names.first().cloned().unwrap_or_default(),
    };
    let object = all.into_iter().find(|object| name_of(object) == outcome.chosen);
    outcome.params = Some(names);
    let (path, collection) = path_of(&kind?.path(""), &outcome.chosen)?;
    Some((path, collection, object?))
}

#[cfg(test)]
mod tests;
