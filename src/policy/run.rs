//! Trying a policy: what is sent to which cluster that is thrown away.

use apiserver::{ApiServer, ManualClock};
use json_tree::{Value, json};

use super::outcome::Outcome;
use super::scratch::{Answer, MADE_UP, Scratch, binding, name_of, path_of};
use super::{Bound, Kind, example};
use crate::change::trial::Trial;
use crate::cluster::place::Place;
use crate::cluster::{Request, Which, media};
use crate::request::target;

/// What is to be tried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The request that writes the policy.
    pub(crate) policy: Request,
    /// The request that it is tried against, and the revision of the cluster that it was sent to; `None`: one that the
    /// policy is for, and the cluster as it is.
    pub(crate) request: Option<(Request, Option<u64>)>,
    /// Where a request is about something in a namespace: which.
    pub(crate) namespace: String,
    /// In whose name such a request is sent.
    pub(crate) identity: Vec<(String, String)>,
    pub(crate) bound: Bound,
    /// The binding that was written by hand.
    pub(crate) binding: String,
    /// The name of the parameters; `None`: the first that there are.
    pub(crate) params: Option<String>,
}

/// Tries a policy in the cluster of `server`, which hears nothing of it.
///
/// # Errors
/// Why that cannot be done, in words.
pub(crate) async fn run(server: &ApiServer, clock: &ManualClock, plan: &Plan) -> Result<Outcome, String> {
    media::load().await?;
    let path = target::split(&plan.policy.target).0;
    let (Some(place), Some(kind)) = (Place::of(&path), Kind::of(&plan.policy.method, &path)) else {
        return Err(String::new());
    };
    let head = server.inspect().overview().revision;
    let fork = |revision| Scratch::of(server, clock, revision);
    let now = fork(head).ok_or("")?;
    let answer = now.send(&plan.policy).await?;
    let mut outcome =
        Outcome { kind, policy: trial(&plan.policy, &answer, Value::Null), at: head, ..Outcome::default() };
    if outcome.policy.failure.is_some() {
        return Ok(outcome);
    }
    let policy = answer.json();
    let name = name_of(&policy);
    outcome.example = example::request(&now, &policy, &plan.namespace).await;
    let bindings = Place { resource: kind.bindings(), ..place }.collection();
    let bound = stored(&now, &bindings, &name).await;
    outcome.stored = bound.iter().map(name_of).collect();
    let params = find_params(&now, &policy, plan, &mut outcome).await;
    outcome.bindings = match plan.bound {
        Bound::Stored => bound,
        Bound::Either if !bound.is_empty() => bound,
        Bound::Written => vec![read(&plan.binding, &name)?],
        Bound::MadeUp | Bound::Either => vec![binding(kind, &name, &outcome.chosen)],
    };
    let (request, at) = match (&plan.request, &outcome.example) {
        (Some((request, at)), _) => (request.clone(), at.unwrap_or(head)),
        (None, Some(example)) => {
            let mut request = example.clone();
            request.headers.extend(plan.identity.iter().cloned());
            (request, head)
        }
        (None, None) => return Ok(outcome),
    };
    drop(now);
    // What was forgotten meanwhile cannot be gone back to.
    let (base, at) = match fork(at) {
        Some(base) => (base, at),
        None => (fork(head).ok_or("")?, head),
    };
    outcome.at = at;
    for one in stored(&base, &bindings, &name).await {
        base.delete(&[&bindings, "/", &name_of(&one)].concat()).await;
    }
    base.delete(&place.object(&name)).await;
    // Before the policy, which may have something to say of them.
    if let Some((path, collection, object)) = params
        && base.get(&path).await.is_none()
    {
        base.install(&collection, &object).await?;
    }
    let without = base.fork().ok_or("")?;
    outcome.without = trial(&request, &without.send(&request).await?, Value::Null);
    drop(without);
    base.install(&place.collection(), &policy).await?;
    for one in &outcome.bindings {
        let answer = base.install(&bindings, one).await?;
        outcome.unbound = outcome.unbound.or(trial(&request, &answer, Value::Null).failure);
    }
    let with = base.fork().ok_or("")?;
    drop(base);
    let answer = with.send(&request).await?;
    outcome.with = trial(&request, &answer, outcome.without.after.clone());
    same_version(&mut outcome.with);
    let mutates = kind == Kind::Mutating;
    outcome.considered =
        answer.considered.into_iter().filter(|one| one.policy == name && one.mutates == mutates).collect();
    outcome.others = answer.judgements.into_iter().filter(|one| one.policy != name).collect();
    outcome.request = Some(request);
    Ok(outcome)
}

fn trial(request: &Request, answer: &Answer, before: Value) -> Trial {
    let told = (answer.code, answer.headers.clone(), &answer.body[..]);
    Trial::new((Which::ThisTab, request.clone()), before, told)
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
fn read(text: &str, policy: &str) -> Result<Value, String> {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(_) => {
            let json = media::to_json("application/yaml", text.as_bytes())?;
            serde_json::from_slice(&json).map_err(|error| error.to_string())?
        }
    };
    let whole = value.get("spec").is_some();
    let mut binding = if whole { value } else { json!({ "spec": value }) };
    if binding["metadata"]["name"].is_null() {
        binding["metadata"] = json!({ "name": MADE_UP });
    }
    if binding["spec"].is_object() {
        // One of another policy says nothing of this one.
        binding["spec"]["policyName"] = policy.into();
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
    // What was chosen for another policy may be of another kind.
    let chosen = plan.params.clone().filter(|name| name.is_empty() || names.contains(name));
    outcome.chosen = chosen.or_else(|| names.first().cloned()).unwrap_or_default();
    let object = all.into_iter().find(|object| name_of(object) == outcome.chosen);
    outcome.params = Some(names);
    let (path, collection) = path_of(&kind?.path(""), &outcome.chosen)?;
    Some((path, collection, object?))
}

#[cfg(test)]
mod tests;
