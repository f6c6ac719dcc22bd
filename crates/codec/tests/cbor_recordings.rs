//! CBOR held to what a real kube-apiserver sent, and to what it said to what it was sent.

mod recordings;

use codec::cbor::{self, Document};
use codec::json;
use json_tree::Value;
use recordings::{Step, report, steps};
use schema::{Node, Types, decode};

/// Returns the server's message about a body, as far as it concerns CBOR: an error if the body is refused.
fn said(step: &Step) -> Result<Option<String>, String> {
    let body = step.sent.as_deref().unwrap_or_default();
    let unrecognized = |error: cbor::Error| {
        format!(
            "the object provided is unrecognized (must be of type {}): unable to determine group/version/kind: {error} (",
            step.kind
        )
    };
    let document = Document::parse(body).map_err(unrecognized)?;
    let handled = |error: String| {
        format!("{} in version \"v1\" cannot be handled as a {}: {error}", step.kind, step.kind)
    };
    let Some(ty) = step.ty else {
        return match document.untyped() {
            Ok(_) => Ok(None),
            Err(error) => {
                document.type_meta().map_err(unrecognized)?;
                Err(handled(error.to_string()))
            }
        };
    };
    document.type_meta().map_err(unrecognized)?;
    let typed = document.typed(Types::builtin(), ty).map_err(|error| handled(error.to_string()))?;
    decode(Types::builtin(), ty, &typed.node).map_err(|error| handled(error.to_string()))?;
    match typed.unknown {
        Some(error) if step.path.contains("fieldValidation=Strict") => {
            Err(handled(format!("strict decoding error: {error}")))
        }
        unknown => Ok(unknown.map(|error| error.to_string())),
    }
}

#[test]
fn takes_and_refuses_as_kube_apiserver_does() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for step in steps().iter().filter(|step| step.sent_type == "application/cbor" && step.sent.is_some()) {
        let message = step.answer["message"].as_str().unwrap_or_default();
        // What comes after decoding is not what this is about.
        if step.method == "PATCH"
            || step.method == "DELETE"
            || ["no kind ", "unknown conversion", "is missing in", "does not match the expected"]
                .iter()
                .any(|other| message.contains(other))
        {
            continue;
        }
        checked += 1;
        let got = said(step);
        let agrees = match &got {
            Err(error) => step.status == 400 && message.starts_with(error.as_str()),
            Ok(unknown) => {
                let warning =
                    step.warnings.first().and_then(|it| it.strip_prefix("299 - \"")?.strip_suffix('"'));
                step.status != 400 && (unknown.as_deref() == warning)
            }
        };
        if !agrees {
            failures.push(format!(
                "{}: {got:?}\n    expected {} {message} {:?}",
                step.name, step.status, step.warnings
            ));
        }
    }
    report(&failures, checked, 40);
}

/// Maps begin anywhere, so what is written again is the same bytes in another order.
#[test]
fn writes_what_kube_apiserver_wrote() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for step in steps().iter().filter(|step| step.answer_type == "application/cbor") {
        let Some(raw) = &step.raw else { continue };
        // What is not UTF-8 comes back from kube-apiserver as it was; a value does not keep it.
        if raw.windows(2).any(|two| two == b"\xff\xfe") {
            continue;
        }
        checked += 1;
        let mut written = Vec::new();
        let document = Document::parse(raw).expect("sent by kube-apiserver");
        let (_, kind) = document.type_meta().expect("sent by kube-apiserver");
        let same = |node: &Node<'_>| json::to_value(node).expect("sent by kube-apiserver");
        match step.ty.filter(|_| kind == step.kind) {
            Some(ty) => {
                let typed = document.typed(Types::builtin(), ty).expect("sent by kube-apiserver");
                assert_eq!(typed.unknown, None, "{}", step.name);
                cbor::write_typed(Types::builtin(), ty, &same(&typed.node), &mut written);
                let again = Document::parse(&written).expect("written").typed(Types::builtin(), ty);
                assert_eq!(again.map(|it| same(&it.node)), Ok(same(&typed.node)), "{}", step.name);
            }
            None => {
                let node = document.untyped().expect("sent by kube-apiserver");
                cbor::write_self_described(&same(&node), &mut written);
                assert_eq!(cbor::parse(&written).map(|it| same(&it)), Ok(same(&node)), "{}", step.name);
            }
        }
        if sorted(&written) != sorted(raw) {
            failures.push(format!("{}: {} bytes, expected {}", step.name, written.len(), raw.len()));
        }
    }
    report(&failures, checked, 10);
}

fn sorted(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.sort_unstable();
    bytes
}

/// An object that was recorded in CBOR and in JSON is the same.
#[test]
fn means_what_json_means() {
    let steps = steps();
    let mut checked = 0;
    for step in steps.iter().filter(|step| step.answer_type == "application/cbor" && step.status == 200) {
        let Value::Object(_) = &step.answer["<cbor>"] else { continue };
        let Some(raw) = &step.raw else { continue };
        let node = cbor::parse(raw).expect("sent by kube-apiserver");
        let value = json::to_value(&node).expect("sent by kube-apiserver");
        assert_eq!(keys(&value), keys(&step.answer["<cbor>"]), "{}", step.name);
        checked += 1;
    }
    report(&[], checked, 5);
}

/// The paths of everything in a value, whatever it is there.
fn keys(value: &Value) -> Vec<String> {
    let mut all = match value {
        // How the recording marks bytes.
        Value::Object(entries) if entries.contains_key("<bytes>") => Vec::new(),
        Value::Object(entries) => entries
            .iter()
            .flat_map(|(key, value)| keys(value).into_iter().map(move |path| format!(".{key}{path}")))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(index, value)| keys(value).into_iter().map(move |path| format!("[{index}]{path}")))
            .collect(),
        _ => Vec::new(),
    };
    all.push(String::new());
    all.sort();
    all
}
