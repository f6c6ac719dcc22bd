//! LimitRanges: what containers of a namespace get if they do not say, and what is too little or too much.
//!
//! <https://kubernetes.io/docs/concepts/policy/limit-range/>

use std::cmp::Ordering;
use std::collections::HashSet;

use apimachinery::amounts::{Amounts, amounts};
use apimachinery::pod;
use json_tree::{Map, Value};

use super::Request;
use apimachinery::object::{self, METADATA_ORDER, Object, metadata_mut, metadata_text, set_in_order};
use apimachinery::status::Status;
use apimachinery::typed_object::{TypedObject, extend_sorted, insert_sorted};
use golang::strconv::format_fixed;
use schema::quantity::Quantity;

/// The annotation that tells what was filled in.
const ANNOTATION: &str = "kubernetes.io/limit-ranger";

/// The limits of the namespace that the object is in, range by range.
fn ranges(request: &Request<'_>, object: &Object) -> Vec<Vec<Value>> {
    let prefix = format!("/registry/limitranges/{}/", metadata_text(object, "namespace"));
    let mut ranges = Vec::new();
    request.objects.each(&prefix, &mut |range| {
        ranges.extend(object::at_pointer(&range.tree(), "/spec/limits").and_then(Value::as_array).cloned());
    });
    ranges
}

/// Gives the containers of a new pod the defaults of the namespace.
pub(super) fn fill(request: &Request<'_>, pod: &mut Object) -> Result<(), Box<Status>> {
    if request.old.is_some() {
        return Ok(());
    }
    for limits in ranges(request, pod) {
        let of = |field: &str| {
            let mut defaults = Map::new();
            for limit in limits.iter().filter(|limit| limit["type"] == "Container") {
                defaults.extend(limit[field].as_object().cloned().unwrap_or_default());
            }
            defaults
        };
        let defaults = [("requests", of("defaultRequest")), ("limits", of("default"))];
        let mut notes = Vec::new();
        if let Some(mut pod) = TypedObject::builtin("k8s.io/api/core/v1", "Pod", pod)
            && let Some(mut spec) = pod.ensure("spec")
        {
            for (list, word) in [("containers", "container"), ("initContainers", "init container")] {
                spec.for_each(list, |container| notes.extend(fill_container(container, &defaults, word)));
            }
        }
        if !notes.is_empty() {
            annotate(pod, &format!("LimitRanger plugin set: {}", notes.join("; ")));
        }
    }
    Ok(())
}

fn fill_container(
    container: &mut TypedObject<'_>,
    defaults: &[(&str, Map<String, Value>); 2],
    word: &str,
) -> Vec<String> {
    let name = container.text("name").to_owned();
    let Some(mut resources) = container.ensure("resources") else { return Vec::new() };
    let mut notes = Vec::new();
    for (kind, defaults) in defaults {
        let mut own = resources.map(kind).cloned().unwrap_or_default();
        let mut added: Vec<&str> = Vec::new();
        for (resource, _) in defaults.iter().filter(|(resource, _)| !own.contains_key(*resource)) {
            added.push(resource);
        }
        extend_sorted(
            &mut own,
            added.iter().map(|resource| ((*resource).to_owned(), defaults[*resource].clone())),
        );
        if !added.is_empty() {
            schema::sort_by(&mut added, Ord::cmp);
            notes.push(format!("{} {} for {word} {name}", added.join(", "), kind.trim_end_matches('s')));
            resources.set(kind, own);
        }
    }
    notes
}

fn annotate(pod: &mut Object, note: &str) {
    let metadata = metadata_mut(pod);
    let mut annotations = match metadata.get("annotations") {
        Some(Value::Object(annotations)) => annotations.clone(),
        _ => Map::new(),
    };
    insert_sorted(&mut annotations, ANNOTATION, note.into());
    set_in_order(metadata, "annotations", annotations.into(), METADATA_ORDER);
}

/// Reports whether the object is being deleted, so that its size is not checked.
fn goes(request: &Request<'_>, object: &Object) -> bool {
    request.old.is_some() && !metadata_text(object, "deletionTimestamp").is_empty()
}

/// Refuses a new pod that needs too little or too much.
pub(super) fn check_pod(request: &Request<'_>, pod: &Object) -> Result<(), Box<Status>> {
    if goes(request, pod) {
        return Ok(());
    }
    let spec = pod.get("spec").unwrap_or(&Value::Null);
    for limits in ranges(request, pod) {
        let mut errors = Vec::new();
        for limit in &limits {
            match limit["type"].as_str() {
                Some("Container") => {
                    let list = |field: &str| spec[field].as_array().into_iter().flatten();
                    for container in list("containers").chain(list("initContainers")) {
                        let stated = |kind: &str| amounts(Some(&container["resources"][kind]));
                        errors.extend(check(
                            limit,
                            "Container",
                            &stated("requests"),
                            Some(&stated("limits")),
                        ));
                    }
                }
                Some("Pod") => {
                    let of = |kind: &str| pod::net_resources(spec, kind);
                    let (requests, limits) = (of("requests"), of("limits"));
                    errors.extend(check(limit, "Pod", &requests, Some(&limits)));
                }
                _ => {}
            }
        }
        refuse(request, pod, errors)?;
    }
    Ok(())
}

/// Refuses a claim that asks for too little or too much.
pub(super) fn check_claim(request: &Request<'_>, claim: &Object) -> Result<(), Box<Status>> {
    if goes(request, claim) {
        return Ok(());
    }
    let requests = amounts(claim.get("spec").and_then(|spec| spec.pointer("/resources/requests")));
    for limits in ranges(request, claim) {
        let own = limits.iter().filter(|limit| limit["type"] == "PersistentVolumeClaim");
        let errors = own.flat_map(|limit| check(limit, "PersistentVolumeClaim", &requests, None)).collect();
        refuse(request, claim, errors)?;
    }
    Ok(())
}

fn refuse(request: &Request<'_>, object: &Object, mut errors: Vec<String>) -> Result<(), Box<Status>> {
    let mut seen = HashSet::new();
    errors.retain(|error| seen.insert(error.clone()));
    match errors.as_slice() {
        [] => Ok(()),
        [one] => Err(request.forbidden(object, one)),
        all => Err(request.forbidden(object, &format!("[{}]", all.join(", ")))),
    }
}

/// Returns how requests and limits violate a limit. `None`: there are no limits to look at.
fn check(limit: &Value, what: &str, requests: &Amounts, limits: Option<&Amounts>) -> Vec<String> {
    let mut errors = Vec::new();
    let limit_of = |name: &str| limits.and_then(|limits| limits.get(name));
    for (name, least) in amounts(limit.get("min")).into_entries() {
        let start = format!("minimum {name} usage per {what} is {least}");
        match (requests.get(&name), limit_of(&name)) {
            (None, _) => errors.push(format!("{start}.  No request is specified")),
            (Some(own), _) if least.exceeds(own) => errors.push(format!("{start}, but request is {own}")),
            (_, Some(own)) if least.exceeds(own) => errors.push(format!("{start}, but limit is {own}")),
            _ => {}
        }
    }
    for (name, most) in amounts(limit.get("max")).into_entries() {
        let start = format!("maximum {name} usage per {what} is {most}");
        match (requests.get(&name), limit_of(&name)) {
            (_, None) if limits.is_some() => errors.push(format!("{start}.  No limit is specified")),
            (None, None) => errors.push(format!("{start}.  No request is specified")),
            (_, Some(own)) if own.exceeds(&most) => errors.push(format!("{start}, but limit is {own}")),
            (Some(own), _) if own.exceeds(&most) => errors.push(format!("{start}, but request is {own}")),
            _ => {}
        }
    }
    for (name, most) in amounts(limit.get("maxLimitRequestRatio")).into_entries() {
        let start = format!("{name} max limit to request ratio per {what} is {most}");
        match (
            requests.get(&name).filter(|amount| amount.is_positive()),
            limit_of(&name).filter(|amount| amount.is_positive()),
        ) {
            (None, _) => errors.push(format!("{start}, but no request is specified or request is 0")),
            (_, None) => errors.push(format!("{start}, but no limit is specified or limit is 0")),
            (Some(request), Some(limit)) => {
                let ratio = limit.ratio(request);
                if ratio.partial_cmp(&most.ratio(&Quantity::count(1))) == Some(Ordering::Greater) {
                    errors.push(format!("{start}, but provided ratio is {}", format_fixed(ratio, 6)));
                }
            }
        }
    }
    errors
}

#[cfg(test)]
mod tests;
