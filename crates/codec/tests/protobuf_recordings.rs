//! Protobuf held to what a real kube-apiserver sent, and to what it said to what it was sent.

mod recordings;

use codec::protobuf::{self, Shape};
use json_tree::Value;
use recordings::{Step, report, steps};
use schema::{Node, Types, resources};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// The message that a kind is, and whether it is a list of them.
fn shape(api_version: &str, kind: &str) -> Option<(Shape, bool)> {
    let types = Types::builtin();
    let object = |kind: &str| {
        let resources = resources().iter();
        let subresources = resources.clone().flat_map(|it| it.subresources.iter());
        resources
            .filter(|it| it.api_version() == api_version && it.kind == kind)
            .find_map(|it| it.ty())
            .or_else(|| {
                let mut subs = subresources.filter(|it| it.kind == kind && it.api_version() == api_version);
                subs.find_map(|it| it.ty())
            })
            .or_else(|| types.find("k8s.io/apimachinery/pkg/apis/meta/v1", kind))
    };
    match kind {
        "PartialObjectMetadata" => Some((Shape::Metadata, false)),
        "PartialObjectMetadataList" => Some((Shape::Metadata, true)),
        _ => match object(kind) {
            Some(ty) => Some((Shape::Object(ty), false)),
            None => Some((Shape::Object(object(kind.strip_suffix("List")?)?), true)),
        },
    }
}

fn again(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let types = Types::builtin();
    let envelope = protobuf::open(bytes).map_err(|error| error.to_string())?;
    let (version, kind) = (&*envelope.api_version, &*envelope.kind);
    let (shape, list) = shape(version, kind).ok_or_else(|| format!("{version} {kind} is not known"))?;
    let mut out = Vec::new();
    if list {
        let (metadata, items) =
            protobuf::decode_list(types, shape, envelope.raw).map_err(|error| error.to_string())?;
        let items: Vec<Node<'_>> = items.iter().map(Node::from).collect();
        protobuf::write_list(types, shape, (version, kind), &(&metadata).into(), &items, &mut out);
    } else {
        let value = protobuf::decode(types, shape, envelope.raw).map_err(|error| error.to_string())?;
        protobuf::write(types, shape, version, kind, &(&value).into(), &mut out);
    }
    Ok(out)
}

/// The responses of a real server, decoded and written again, are the same bytes.
#[test]
fn writes_what_kube_apiserver_wrote() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for step in steps().iter().filter(|step| step.answer_type == PROTOBUF) {
        let Some(raw) = &step.raw else { continue };
        checked += 1;
        let got = again(raw);
        if got.as_ref() != Ok(raw) {
            let got = got.unwrap_or_else(String::into_bytes);
            let same = got.iter().zip(raw).take_while(|(a, b)| a == b).count();
            let part = |bytes: &[u8]| {
                let from = &bytes[same.saturating_sub(60)..];
                from[..from.len().min(100)].escape_ascii().to_string()
            };
            failures.push(format!("{} at {same}: {}\n    expected {}", step.name, part(&got), part(raw)));
        }
    }
    report(&failures, checked, 30);
}

/// Returns the server's error for a body, as far as it concerns Protobuf.
fn said(step: &Step, body: &[u8]) -> Result<(), String> {
    let envelope = protobuf::open(body).map_err(|error| {
        format!("the object provided is unrecognized (must be of type {}): {error} (", step.kind)
    })?;
    // What the envelope does not say is as it should be.
    let api_version = if envelope.api_version.is_empty() { "v1" } else { &*envelope.api_version };
    let kind = if envelope.kind.is_empty() { step.kind.as_str() } else { &*envelope.kind };
    let Some((shape, false)) = shape(api_version, kind) else { return Ok(()) };
    let handled = |error: String| {
        format!("{kind} in version \"{api_version}\" cannot be handled as a {}: {error}", step.kind)
    };
    match protobuf::decode(Types::builtin(), shape, envelope.raw) {
        Ok(_) => Ok(()),
        Err(error) => Err(handled(error.to_string())),
    }
}

#[test]
fn takes_and_refuses_as_kube_apiserver_does() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for step in steps().iter().filter(|step| step.sent_type == PROTOBUF && step.ty.is_some()) {
        let Some(body) = &step.sent else { continue };
        let message = step.answer["message"].as_str().unwrap_or_default();
        // What comes after decoding is not what this is about.
        let other =
            ["no kind ", "unknown conversion", "does not match", "not supported", "must match the request"];
        if other.iter().any(|other| message.contains(other)) || !["POST", "PUT"].contains(&&*step.method) {
            continue;
        }
        checked += 1;
        let got = said(step, body);
        let agrees = match &got {
            Err(error) => step.status == 400 && message.starts_with(error.as_str()),
            Ok(()) => step.status != 400,
        };
        if !agrees {
            failures.push(format!("{}: {got:?}\n    expected {} {message}", step.name, step.status));
        }
    }
    report(&failures, checked, 40);
}

/// The values sent in Protobuf are also in the JSON response.
#[test]
fn means_what_json_means() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for step in steps().iter().filter(|step| step.sent_type == PROTOBUF && step.status == 201) {
        let (Some(body), Some(ty)) = (&step.sent, step.ty) else { continue };
        if step.answer_type != "application/json" {
            continue;
        }
        let envelope = protobuf::open(body).expect("it was taken");
        let sent = protobuf::decode(Types::builtin(), Shape::Object(ty), envelope.raw).expect("it was taken");
        checked += 1;
        for (place, value) in leaves(&sent, String::new()) {
            // Placeholders stand for times.
            let answered = step.answer.pointer(&place);
            if answered != Some(&value) && answered.and_then(Value::as_str) != Some("<time>") {
                failures.push(format!("{}: {place} is {value}, expected {answered:?}", step.name));
            }
        }
    }
    report(&failures, checked, 30);
}

/// Everything in a value that has nothing in it, by its JSON pointer.
fn leaves(value: &Value, place: String) -> Vec<(String, Value)> {
    match value {
        Value::Object(entries) if !entries.is_empty() => entries
            .iter()
            .flat_map(|(key, value)| {
                leaves(value, format!("{place}/{}", key.replace('~', "~0").replace('/', "~1")))
            })
            .collect(),
        Value::Array(items) if !items.is_empty() => items
            .iter()
            .enumerate()
            .flat_map(|(index, value)| leaves(value, format!("{place}/{index}")))
            .collect(),
        _ => vec![(place, value.clone())],
    }
}
