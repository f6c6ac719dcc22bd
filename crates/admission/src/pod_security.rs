//! Pod security: the labels of a namespace say how safe its pods have to be, and whom to warn.
//!
//! <https://kubernetes.io/docs/concepts/security/pod-security-admission/>

mod audit;
mod standards;
#[cfg(test)]
mod tests;
mod violations;

pub use standards::{Look, Policy, Violation};
pub use violations::violations;

use json_tree::Value;

use super::Request;

use apimachinery::object::{self, Object, at_pointer, metadata_text};
use apimachinery::status::Status;
use field::Path;
use standards::{LEVELS, LISTS};

/// The prefix of the labels.
const PREFIX: &str = "pod-security.kubernetes.io/";

/// The modes that a namespace sets, in the order in which their labels are checked.
const MODES: [&str; 3] = ["enforce", "audit", "warn"];

/// A namespace without labels asks for nothing.
const PRIVILEGED: Policy = Policy { level: 0, minor: None };

/// Refuses a pod that is not safe enough, and warns of one that would not be; looks at new labels of a namespace.
pub(super) fn review(
    request: &Request<'_>,
    object: &Object,
    warnings: &mut Vec<String>,
) -> Result<(), Box<Status>> {
    let resource = (request.resource.storage.group.as_str(), request.resource.storage.resource.as_str());
    let none = Value::Null;
    match resource {
        ("", "namespaces") if request.subresource.is_empty() => namespace(request, object, warnings),
        ("", "pods") if ["", "ephemeralcontainers", "resize"].contains(&request.subresource) => {
            if request.old.is_some_and(|old| !is_significant(object, old)) {
                audit::unchanged(request, object);
                return Ok(());
            }
            let enforced =
                pod(request, object.get("metadata"), object.get("spec").unwrap_or(&none), object, true);
            enforced.map(|would| warnings.extend(would))
        }
        _ if request.subresource.is_empty() => {
            let spec = kinds::facts(resource.0, resource.1).pod_spec;
            let Some(pointer) = spec.and_then(|pointer| pointer.strip_suffix("/spec")) else { return Ok(()) };
            let template = at_pointer(object, pointer).unwrap_or(&none);
            let Some(spec) = template.get("spec") else { return Ok(()) };
            pod(request, template.get("metadata"), spec, object, false).map(|would| warnings.extend(would))
        }
        _ => Ok(()),
    }
}

/// Looks at a pod, or at the template of one, which is never refused; gives a warning.
fn pod(
    request: &Request<'_>,
    metadata: Option<&Value>,
    spec: &Value,
    object: &Object,
    enforced: bool,
) -> Result<Option<String>, Box<Status>> {
    let Some(namespace) = request.find("namespaces", metadata_text(object, "namespace")) else {
        return Ok(None);
    };
    let found = policies(&namespace);
    let metadata = metadata.unwrap_or(&Value::Null);
    audit::note(request, &found, (metadata, spec), enforced);
    let [enforce, _, warn] = found.0;
    let violations = if enforced { look(request, enforce, metadata, spec) } else { Vec::new() };
    if !violations.is_empty() {
        let why = format!("violates PodSecurity {}: {}", field::quote(&enforce.show()), details(&violations));
        return Err(request.forbidden(object, &why));
    }
    let violations = look(request, warn, metadata, spec);
    let text =
        || format!("would violate PodSecurity {}: {}", field::quote(&warn.show()), details(&violations));
    Ok((!violations.is_empty()).then(text))
}

/// Returns a pod's violations of a policy.
fn look(request: &Request<'_>, policy: Policy, metadata: &Value, spec: &Value) -> Vec<Violation> {
    match policy.level {
        0 => Vec::new(),
        _ => (request.pod_security)(policy, metadata, spec),
    }
}

/// Describes the violations of a pod in full.
fn details(violations: &[Violation]) -> String {
    let show = |one: &Violation| match one.detail.as_str() {
        "" => one.reason.clone(),
        detail => format!("{} ({detail})", one.reason),
    };
    violations.iter().map(show).collect::<Vec<_>>().join(", ")
}

/// Refuses labels of a namespace that mean nothing, unless they are the old ones, and warns of pods that are not as safe
/// as they have to be from now on.
fn namespace(request: &Request<'_>, object: &Object, warnings: &mut Vec<String>) -> Result<(), Box<Status>> {
    let ([policy, ..], errors) = policies(object);
    let old = request.old.map(policies);
    if !errors.is_empty() && old.as_ref().is_none_or(|(_, was)| *was != errors) {
        return Err(Status::invalid("", "Namespace", metadata_text(object, "name"), &errors));
    }
    let Some(([was, ..], _)) = old else { return Ok(()) };
    if policy.level == 0 || policy == was || (policy.minor == was.minor && policy.level <= was.level) {
        return Ok(());
    }
    warnings.extend(existing(request, metadata_text(object, "name"), policy));
    Ok(())
}

/// Warnings on the pods that a namespace has.
fn existing(request: &Request<'_>, namespace: &str, policy: Policy) -> Vec<String> {
    // What is wrong, the first pod with that, and how many there are.
    let mut found: Vec<(String, String, usize)> = Vec::new();
    request.objects.each(&format!("/registry/pods/{namespace}/"), &mut |stored| {
        let pod = stored.tree();
        let (metadata, spec) = (pod.get("metadata"), pod.get("spec"));
        let none = &Value::Null;
        let violations = look(request, policy, metadata.unwrap_or(none), spec.unwrap_or(none));
        if violations.is_empty() {
            return;
        }
        let reasons = violations.iter().map(|one| one.reason.as_str()).collect::<Vec<_>>().join(", ");
        match found.iter_mut().find(|(known, ..)| *known == reasons) {
            Some((_, _, count)) => *count += 1,
            None => found.push((reasons, stored.name().to_owned(), 1)),
        }
    });
    if found.is_empty() {
        return Vec::new();
    }
    schema::sort_by(&mut found, |one, other| one.0.cmp(&other.0));
    let (name, level) = (field::quote(namespace), field::quote(&policy.show()));
    let head = format!("existing pods in namespace {name} violate the new PodSecurity enforce level {level}");
    let rest = found.into_iter().map(|(reasons, pod, count)| match count {
        1 => format!("{pod}: {reasons}"),
        2 => format!("{pod} (and 1 other pod): {reasons}"),
        more => format!("{pod} (and {} other pods): {reasons}", more - 1),
    });
    std::iter::once(head).chain(rest).collect()
}

/// The policies for each of [`MODES`], and the errors in what sets them.
type Policies = ([Policy; 3], Vec<field::Error>);

/// Returns the policy that a namespace sets for each of [`MODES`], and the errors in its labels. An unknown level
/// counts as the strictest where pods are refused, and asks for nothing elsewhere.
fn policies(namespace: &Object) -> Policies {
    let labels = object::metadata(namespace, "labels").unwrap_or(&Value::Null);
    let mut errors = Vec::new();
    let read = |mode: &str, errors: &mut Vec<field::Error>| {
        let path = Path::new("metadata").child("labels");
        let mut policy = PRIVILEGED;
        let key = format!("{PREFIX}{mode}");
        if let Some(text) = labels.get(&key).and_then(Value::as_str) {
            match LEVELS.iter().position(|level| *level == text) {
                Some(level) => policy.level = level,
                None => {
                    policy.level = if mode == "enforce" { LEVELS.len() - 1 } else { 0 };
                    let why = format!("must be one of {}", LEVELS.join(", "));
                    errors.push(field::Error::invalid(path.key(&key), text, why));
                }
            }
        }
        let key = format!("{PREFIX}{mode}-version");
        if let Some(text) = labels.get(&key).and_then(Value::as_str)
            && text != "latest"
        {
            policy.minor = minor(text);
            if policy.minor.is_none() {
                let why = "must be \"latest\" or \"v1.x\"";
                errors.push(field::Error::invalid(path.key(&key), text, why));
            }
        }
        policy
    };
    (MODES.map(|mode| read(mode, &mut errors)), errors)
}

/// The minor version of `v1.30`.
fn minor(version: &str) -> Option<u32> {
    let digits = version.strip_prefix("v1.")?;
    let canonical = digits == "0" || !digits.starts_with('0');
    (canonical && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// Reports whether a change of a pod can change how safe it is: other containers, or other images.
fn is_significant(pod: &Object, old: &Object) -> bool {
    let containers = |pod: &Object, list: &str| {
        let spec = pod.get("spec").unwrap_or(&Value::Null);
        let all = spec.get(list).and_then(Value::as_array).into_iter().flatten();
        all.map(|container| container["image"].clone()).collect::<Vec<_>>()
    };
    LISTS.iter().any(|list| containers(pod, list) != containers(old, list))
}
