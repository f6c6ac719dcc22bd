//! Defaults as data: what is sent, what is stored.

use schema::{TypeId, Types};
use serde_json::Value;

mod kinds;
mod parts;

/// The type of `apps/v1` `Deployment`, `v1` `Pod` and the like.
#[track_caller]
fn type_of(api_version: &str, kind: &str) -> TypeId {
    let (group, version) = api_version.split_once('/').unwrap_or(("core", api_version));
    let package = match group.split('.').next().unwrap_or_default() {
        "apiextensions" => "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions".to_owned(),
        "apiregistration" => "k8s.io/kube-aggregator/pkg/apis/apiregistration".to_owned(),
        first => format!("k8s.io/api/{first}"),
    };
    builtin()
        .find(&format!("{package}/{version}"), kind)
        .unwrap_or_else(|| panic!("no type of {api_version} {kind}"))
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Both as indented text, so that a failure shows what differs, and the order of keys counts.
#[track_caller]
fn same(actual: &Value, expected: &Value, about: &str) {
    let text = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let (actual, expected) = (text(actual), text(expected));
    assert!(actual == expected, "{about}\n--- expected\n{expected}\n--- actual\n{actual}");
}

fn builtin() -> &'static Types {
    Types::builtin()
}
