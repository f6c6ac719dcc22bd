//! Every object that a kube-apiserver v1.36 was recorded to create: decoding and defaulting what was sent
//! must give what it answered.

use std::path::Path;

use json_tree::Value;
use schema::Resource;

use crate::defaults::{apply, prepare_for_create};

use super::{builtin, parse};

/// The fields that something else than defaulting decides: admission, mutating policies, allocation, the identity of the
/// user, what strategies drop, and that a status that is sent with a new object does not count.
const ELSEWHERE: &[(&str, &str)] = &[
    ("Pod", "/spec/tolerations"),
    ("Pod", "/spec/priority"),
    ("Pod", "/spec/preemptionPolicy"),
    ("Pod", "/status"),
    ("ConfigMap", "/data/b"),
    ("ConfigMap", "/data/zz"),
    ("Deployment", "/status"),
    ("Deployment", "/metadata/annotations"),
    ("DaemonSet", "/metadata/annotations"),
    ("Job", "/metadata/labels"),
    ("PersistentVolume", "/status/lastPhaseTransitionTime"),
    ("Service", "/spec/clusterIP"),
    ("Service", "/spec/clusterIPs"),
    ("Service", "/spec/ipFamilies"),
    ("Service", "/spec/ipFamilyPolicy"),
    ("Service", "/spec/ports/*/nodePort"),
    ("Service", "/spec/internalTrafficPolicy"),
    ("EndpointSlice", "/endpoints/*/deprecatedTopology"),
    ("CSIDriver", "/spec/preventPodSchedulingIfMissing"),
    ("Node", "/spec/taints"),
    ("CertificateSigningRequest", "/spec/username"),
    ("CertificateSigningRequest", "/spec/uid"),
    ("CertificateSigningRequest", "/spec/groups"),
    ("CertificateSigningRequest", "/status"),
];

/// Values in the body that the recording takes out of earlier answers.
const REFERENCE: &str = "${";

#[test]
fn created_objects() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/recordings");
    let mut compared = 0;
    let mut differences = Vec::new();
    for area in entries(&folder) {
        for file in entries(&area) {
            let text =
                std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            for step in parse(&text)["steps"].as_array().into_iter().flatten() {
                let Some(resource) = created(step) else { continue };
                compared += 1;
                if let Some(difference) = difference(&resource, step) {
                    differences.push(format!("{} {}: {difference}", file.display(), step["id"]));
                }
            }
        }
    }
    assert!(differences.is_empty(), "{} of {compared}\n{}", differences.len(), differences.join("\n"));
    assert!(compared > 1000, "only {compared} recorded creates");
}

fn entries(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.flatten().map(|entry| entry.path()).collect()
}

/// The resource that a step created an object of, if it did.
fn created(step: &Value) -> Option<Resource> {
    let (request, answer) = (&step["request"], &step["expect"]);
    if request["method"] != "POST" || answer["status"] != 201 || !request["body"].is_object() {
        return None;
    }
    let path = request["path"].as_str()?.split('?').next()?;
    let found = schema::resources().iter().find(|resource| {
        answer["body"]["kind"] == resource.kind.as_str()
            && answer["body"]["apiVersion"] == resource.api_version().as_str()
            && path.rsplit('/').next() == Some(resource.name.as_str())
            && resource.allows("list")
    })?;
    Some(Resource::clone(found))
}

/// Describes the object and the expected one, if they differ in a value or in the order of keys.
fn difference(resource: &Resource, step: &Value) -> Option<String> {
    let answer = &step["expect"]["body"];
    let ty = resource.ty()?;
    let body = step["request"]["body"].to_string();
    let node = codec::json::parse(body.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let mut object = match schema::decode(builtin(), ty, &node) {
        Ok(decoded) => decoded.value,
        Err(error) => return Some(format!("does not decode: {error}")),
    };
    apply(builtin(), ty, &mut object);
    for key in ["uid", "name"] {
        object["metadata"][key] = answer["metadata"][key].clone();
    }
    prepare_for_create(builtin(), ty, &mut object);
    schema::nil_empty_lists(builtin(), ty, &mut object);

    let mut expected = answer.clone();
    for value in [&mut object, &mut expected] {
        reduce(value, resource, step);
    }
    take_over_placeholders(&mut object, &expected);
    let text = |value| String::from_utf8_lossy(&codec::json::to_vec(value)).into_owned();
    let (actual, expected) = (text(&object), text(&expected));
    (actual != expected).then(|| format!("\n  expected {expected}\n  actual   {actual}"))
}

/// Leaves what is compared: not the metadata that each create sets anew, nor what is decided elsewhere, nor
/// what the recording leaves out.
fn reduce(object: &mut Value, resource: &Resource, step: &Value) {
    for key in ["kind", "apiVersion"] {
        remove(object, &[key]);
    }
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.retain(|key, _| matches!(key.as_str(), "labels" | "annotations"));
    }
    let ignored = step["ignore"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let elsewhere = ELSEWHERE.iter().filter(|(kind, _)| *kind == resource.kind).map(|(_, path)| *path);
    for path in elsewhere.chain(ignored.map(|path| path.trim_start_matches("/body"))) {
        remove(object, &path.split('/').skip(1).collect::<Vec<_>>());
    }
}

/// Removes what is at a path, in which `*` is every item of a list.
fn remove(value: &mut Value, path: &[&str]) {
    match (path, value) {
        ([last], Value::Object(map)) => {
            map.shift_remove(*last);
        }
        ([first, rest @ ..], Value::Object(map)) => {
            if let Some(inner) = map.get_mut(*first) {
                remove(inner, rest);
            }
        }
        (["*", rest @ ..], Value::Array(items)) => items.iter_mut().for_each(|item| remove(item, rest)),
        _ => {}
    }
}

/// Copies the expected value to where one side has only a stand-in for a value (`<time>`, a reference to another step).
fn take_over_placeholders(actual: &mut Value, expected: &Value) {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            for (key, value) in actual {
                if let Some(expected) = expected.get(key) {
                    take_over_placeholders(value, expected);
                }
            }
        }
        (Value::Array(actual), Value::Array(expected)) => {
            for (value, expected) in actual.iter_mut().zip(expected) {
                take_over_placeholders(value, expected);
            }
        }
        (Value::String(actual), Value::String(expected))
            if expected == "<time>" || actual.starts_with(REFERENCE) =>
        {
            actual.clone_from(expected);
        }
        _ => {}
    }
}
