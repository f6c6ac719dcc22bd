//! Trying a policy: what is sent to which cluster that is thrown away.

use apiserver::ApiServer;
use json_tree::Value;

use super::outcome::Outcome;
use super::scratch::{Answer, Scratch, binding, name_of, named, path_of};
use super::{Kind, MADE_UP, NO_PARAMS, STORED, WRITTEN, example};
use crate::change::trial::Trial;
use crate::cluster::place::Place;
use crate::cluster::{Request, Which, media};
use crate::request::target;

/// What is to be tried.
#[derive(Default)]
pub(crate) struct Plan {
    /// The request that writes the policy.
    pub(crate) policy: Request,
    /// The request that it is tried against; `None`: one that the policy is for.
    pub(crate) request: Option<Request>,
    /// The revision of the cluster that it was sent to; `None`: the cluster as it is.
    pub(crate) at: Option<u64>,
    /// Where a request is about something in a namespace: which.
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

/// Tries a policy in the cluster of `server`, which hears nothing of it. The module for media types has to be there.
///
/// # Errors
/// What cannot be read of the plan.
pub(crate) fn run(server: &ApiServer, plan: &Plan) -> Result<Outcome, String> {
    let (path, head) = (target::split(&plan.policy.target).0, server.inspect().overview().revision);
    let place = Place::of(&path).unwrap_or_default();
    let kind = Kind::of(&plan.policy.method, &path).unwrap_or_default();
    let mut outcome = Outcome { kind, at: head, ..Outcome::default() };
    let Some(now) = Scratch::of(server, head) else { return Ok(outcome) };
    let answer = now.send(&plan.policy);
    outcome.policy = trial(&plan.policy, &answer, Value::Null);
    if outcome.policy.failure.is_some() {
        return Ok(outcome);
    }
    let policy = answer.json();
    let name = name_of(&policy);
    outcome.example = example::request(&now, &policy, &plan.namespace);
    let bindings = Place { resource: kind.bindings(), ..place }.collection();
    let bound = stored(&now, &bindings, &name);
    outcome.stored = !bound.is_empty();
    let params = find_params(&now, &policy, plan, &mut outcome);
    outcome.bindings = match plan.bound.as_str() {
        WRITTEN => vec![read(&plan.binding, &name)?],
        MADE_UP => vec![binding(kind, &name, &outcome.chosen)],
        STORED => bound,
        _ if outcome.stored => bound,
        _ => vec![binding(kind, &name, &outcome.chosen)],
    };
    let request = plan.request.clone().or_else(|| {
        let mut example = outcome.example.clone()?;
        example.headers.extend(plan.identity.iter().cloned());
        Some(example)
    });
    let Some(request) = request else { return Ok(outcome) };
    drop(now);
    // What was forgotten meanwhile cannot be gone back to.
    outcome.at = plan.at.unwrap_or(head);
    let base = Scratch::of(server, outcome.at).or_else(|| {
        outcome.at = head;
        Scratch::of(server, head)
    });
    let Some(base) = base else { return Ok(outcome) };
    for one in stored(&base, &bindings, &name) {
        base.delete(&[&bindings, "/", &name_of(&one)].concat());
    }
    base.delete(&place.object(&name));
    // Before the policy, which may have something to say of them.
    if let Some((path, collection, object)) = params
        && base.get(&path).is_none()
    {
        base.install(&collection, object);
    }
    let Some(without) = base.fork() else { return Ok(outcome) };
    outcome.without = trial(&request, &without.send(&request), Value::Null);
    drop(without);
    base.install(&place.collection(), policy);
    for one in &outcome.bindings {
        let answer = base.install(&bindings, one.clone());
        outcome.unbound = outcome.unbound.take().or(trial(&request, &answer, Value::Null).failure);
    }
    let Some(with) = base.fork() else { return Ok(outcome) };
    drop(base);
    let answer = with.send(&request);
    outcome.with = trial(&request, &answer, outcome.without.after.clone());
    same_version(&mut outcome.with);
    let mutates = kind == Kind::Mutating;
    outcome.considered = answer.considered;
    outcome.considered.retain(|one| one.policy == name && one.mutates == mutates);
    outcome.others = answer.judgements;
    outcome.others.retain(|one| one.policy != name);
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
fn stored(scratch: &Scratch, bindings: &str, policy: &str) -> Vec<Value> {
    let mut all = scratch.list(bindings);
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
    let mut binding = if value.get("spec").is_some() { value } else { named(value) };
    if let Some(spec) = binding.get_mut("spec").and_then(Value::as_object_mut) {
        // One of another policy says nothing of this one.
        spec.insert("policyName".to_owned(), policy.into());
    }
    Ok(binding)
}

/// Finds out which objects could be the parameters, and gives the chosen one with its path and that of its collection.
fn find_params(
    now: &Scratch,
    policy: &Value,
    plan: &Plan,
    outcome: &mut Outcome,
) -> Option<(String, String, Value)> {
    let of = &policy["spec"]["paramKind"];
    if of.is_null() {
        return None;
    }
    let kinds = now.kinds();
    let mut kinds = kinds.iter();
    let kind = kinds.find(|kind| of["kind"] == kind.kind.as_str() && of["apiVersion"] == kind.api_version());
    let all = match kind {
        Some(kind) => now.list(&kind.path("")),
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
