//! Defaults as data: what is sent, what is stored.

use json_tree::{Value, json};
use schema::{TypeId, Types};

use super::apply;

mod kinds;
mod parts;
mod pods;
mod recordings;

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

/// Applies the defaults twice, for the second time must change nothing.
#[track_caller]
fn check(api_version: &str, kind: &str, sent: &str, stored: &str) {
    let (ty, expected) = (type_of(api_version, kind), parse(stored));
    let mut object = parse(sent);
    apply(builtin(), ty, &mut object);
    same(&object, &expected, kind);
    apply(builtin(), ty, &mut object);
    same(&object, &expected, "the second time");
}

/// The same for a part of a kind's spec, all else left out on both sides.
#[track_caller]
fn check_at(api_version: &str, kind: &str, pointer: &str, sent: &str, stored: &str) {
    let mut object = parse(sent);
    for key in pointer.split('/').skip(1).collect::<Vec<_>>().into_iter().rev() {
        object = match key.parse::<usize>() {
            Ok(_) => json!([object]),
            Err(_) => json!({ key: object }),
        };
    }
    apply(builtin(), type_of(api_version, kind), &mut object);
    let part = object.pointer(pointer).unwrap_or_else(|| panic!("nothing at {pointer}"));
    same(part, &parse(stored), pointer);
}
