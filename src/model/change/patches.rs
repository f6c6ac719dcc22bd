//! The ways to change an object with a PATCH, and a first body for each.
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-update>.

use json_tree::{Map, Value, json};

use crate::model::change::extract::{configuration, identity};
use crate::model::request::subject::How;
use crate::ui::messages::change as words;

/// A way to patch.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) how: How,
    /// The name that the documentation uses.
    pub(crate) name: &'static str,
    /// The media type of its body.
    pub(crate) media: &'static str,
    /// A description of what it does, in a sentence.
    pub(crate) about: &'static str,
}

/// All of them.
pub(crate) const KINDS: &[Kind] = &[
    Kind {
        how: How::Operations,
        name: "JSON Patch",
        media: "application/json-patch+json",
        about: words::ABOUT_OPERATIONS,
    },
    Kind {
        how: How::Merge,
        name: "Merge Patch",
        media: "application/merge-patch+json",
        about: words::ABOUT_MERGE,
    },
    Kind {
        how: How::Strategic,
        name: "Strategic Merge Patch",
        media: "application/strategic-merge-patch+json",
        about: words::ABOUT_STRATEGIC,
    },
    Kind { how: How::Apply, name: "Apply", media: "application/apply-patch+yaml", about: words::ABOUT_APPLY },
];

/// The way that a body of this media type is patched with.
pub(crate) fn kind(media: &str) -> Option<&'static Kind> {
    let how = How::of(media);
    KINDS.iter().find(|kind| kind.how == how)
}

/// A first body to patch `object` with: a change that is small and does no harm, or for a configuration what `manager`
/// owns already. Without an object it is one that only names it.
pub(crate) fn first(how: How, object: &Value, manager: &str, subresource: &str) -> String {
    let body = match how {
        How::Whole => return String::new(),
        How::Operations => operations(object),
        How::Merge | How::Strategic => merged(object, how),
        How::Apply => configuration(object, manager, subresource).unwrap_or_else(|| wish(object, manager)),
    };
    [&serde_json::to_string_pretty(&body).unwrap_or_default(), "\n"].concat()
}

/// A field that can be changed: the way to it, its value and another one.
struct Example {
    steps: Vec<String>,
    old: Value,
    new: Value,
}

/// Something of `object` that can be changed without harm.
fn example(object: &Value) -> Option<Example> {
    let steps = |path: &[&str]| path.iter().map(|step| (*step).to_owned()).collect::<Vec<_>>();
    // What a Secret has is encoded.
    if let Some(Value::Object(data)) = object.get("data").filter(|_| object["kind"] != "Secret")
        && let Some((key, Value::String(text))) = data.iter().find(|(_, value)| value.is_string())
    {
        let new = if text == words::EXAMPLE { words::EXAMPLE_AGAIN } else { words::EXAMPLE };
        return Some(Example { steps: steps(&["data", key]), old: text.as_str().into(), new: new.into() });
    }
    if let Some(count) = object.pointer("/spec/replicas").and_then(Value::as_u64) {
        let new = count.saturating_add(1).into();
        return Some(Example { steps: steps(&["spec", "replicas"]), old: count.into(), new });
    }
    let (key, Value::String(text)) = object.pointer("/metadata/labels")?.as_object()?.iter().next()? else {
        return None;
    };
    let new = if text == words::EXAMPLE_LABEL { words::EXAMPLE_LABEL_AGAIN } else { words::EXAMPLE_LABEL };
    Some(Example { steps: steps(&["metadata", "labels", key]), old: text.as_str().into(), new: new.into() })
}

fn operations(object: &Value) -> Value {
    let Some(Example { steps, old, new }) = example(object) else {
        return json!([{"op": "add", "path": "/metadata/labels", "value": {words::EXAMPLE_KEY: words::EXAMPLE_LABEL}}]);
    };
    let escaped = steps.iter().map(|step| ["/", &step.replace('~', "~0").replace('/', "~1")].concat());
    let path: String = escaped.collect();
    json!([{"op": "test", "path": path, "value": old}, {"op": "replace", "path": path, "value": new}])
}

fn merged(object: &Value, how: How) -> Value {
    if how == How::Strategic
        && let Some(body) = image(object)
    {
        return body;
    }
    match example(object) {
        Some(Example { steps, new, .. }) => nested(&steps, new),
        None => json!({"metadata": {"labels": {words::EXAMPLE_KEY: words::EXAMPLE_LABEL}}}),
    }
}

/// The image of one container, which only a strategic merge patch can change without the list of all of them.
fn image(object: &Value) -> Option<Value> {
    let way: &[&str] = if object["kind"] == "Pod" {
        &["spec", "containers"]
    } else {
        &["spec", "template", "spec", "containers"]
    };
    let steps: Vec<String> = way.iter().map(|step| (*step).to_owned()).collect();
    let containers = object.pointer(&["/", &way.join("/")].concat())?;
    let container = containers.get(0)?;
    let (name, image) = (container.get("name")?, container.get("image")?.as_str()?);
    let (base, tag) = image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')).unwrap_or((image, ""));
    let new = [base, ":", if tag == "latest" { "stable" } else { "latest" }].concat();
    Some(nested(&steps, json!([{"name": name, "image": new}])))
}

/// Returns what a manager that owns nothing may apply: one field, at the value that it has.
fn wish(object: &Value, manager: &str) -> Value {
    let mut body = identity(object);
    let (steps, value) = match example(object) {
        Some(Example { steps, old, .. }) => (steps, old),
        None => {
            let steps = ["metadata", "labels", words::EXAMPLE_KEY].map(str::to_owned).to_vec();
            (steps, manager.into())
        }
    };
    if let (Some(body), Value::Object(wish)) = (body.as_object_mut(), nested(&steps, value)) {
        for (key, value) in wish {
            match (body.get_mut(&key), value) {
                (Some(Value::Object(metadata)), Value::Object(more)) => metadata.extend(more),
                (_, value) => drop(body.insert(key, value)),
            }
        }
    }
    body
}

fn nested(steps: &[String], value: Value) -> Value {
    steps.iter().rev().fold(value, |inner, step| {
        let mut map = Map::new();
        map.insert(step.clone(), inner);
        Value::Object(map)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "for the sake of json!")]
    fn check(how: How, object: Value, expected: Value) {
        let body: Value = serde_json::from_str(&first(how, &object, "alice", "")).unwrap();
        assert_eq!(body, expected);
    }

    fn config_map() -> Value {
        json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}, "data": {"k/~": "v"}})
    }

    fn deployment() -> Value {
        json!({
            "kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "w", "labels": {"app": "w"}},
            "spec": {"replicas": 1, "template": {"spec": {"containers": [{"name": "c", "image": "r:5/p:3"}]}}},
        })
    }

    #[test]
    fn a_first_body_changes_something_small() {
        check(
            How::Operations,
            config_map(),
            json!([
                {"op": "test", "path": "/data/k~1~0", "value": "v"},
                {"op": "replace", "path": "/data/k~1~0", "value": words::EXAMPLE},
            ]),
        );
        check(How::Merge, config_map(), json!({"data": {"k/~": words::EXAMPLE}}));
        check(How::Merge, deployment(), json!({"spec": {"replicas": 2}}));
        check(
            How::Strategic,
            deployment(),
            json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "r:5/p:latest"}]}}}}),
        );
        let labelled = json!({"metadata": {"labels": {words::EXAMPLE_KEY: words::EXAMPLE_LABEL}}});
        check(How::Strategic, json!({"kind": "Node"}), labelled.clone());
        check(How::Merge, Value::Null, labelled);
        check(
            How::Merge,
            json!({"kind": "Secret", "data": {"a": "eA=="}, "metadata": {"labels": {"x": "y"}}}),
            json!({"metadata": {"labels": {"x": words::EXAMPLE_LABEL}}}),
        );
    }

    #[test]
    fn who_owns_nothing_agrees_with_what_there_is() {
        check(
            How::Apply,
            config_map(),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k/~": "v"}}),
        );
        check(
            How::Apply,
            json!({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}}),
            json!({
                "apiVersion": "v1", "kind": "Node",
                "metadata": {"name": "n", "labels": {words::EXAMPLE_KEY: "alice"}},
            }),
        );
    }

    #[test]
    fn media_types_are_of_kinds() {
        for known in KINDS {
            assert_eq!(kind(known.media).map(|kind| kind.name), Some(known.name));
        }
        assert_eq!(kind("application/apply-patch+cbor").map(|kind| kind.name), Some("Apply"));
        assert!(kind("application/json").is_none());
    }
}
