//! Properties of any patch.

use codec::json;
use json_tree::{Map, Value, json};
use patch::{json_patch::Patch, merge, strategic};
use proptest::collection::vec;
use proptest::prelude::*;
use schema::Types;

fn key() -> impl Strategy<Value = String> {
    proptest::sample::select(vec!["a", "b", "c", "a/b", "~", "0", "", "é"]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::from),
        (-3..3_i64).prop_map(Value::from),
        proptest::sample::select(vec!["", "x", "<y>"]).prop_map(Value::from),
    ]
}

/// A value without `null`, which a merge patch cannot set.
fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key(), inner), 0..4).prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    vec((key(), value()), 0..5).prop_map(|entries| Value::Object(entries.into_iter().collect()))
}

/// A value in which some members are `null`; lists have none, for there the RFC and Go differ.
fn merge_patch() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![2 => scalar(), 1 => Just(Value::Null), 1 => vec(scalar(), 0..3).prop_map(Value::from)];
    let inner = leaf.prop_recursive(4, 24, 4, |inner| {
        vec((key(), inner), 0..4).prop_map(|entries| Value::Object(entries.into_iter().collect()))
    });
    vec((key(), inner), 0..5).prop_map(|entries| Value::Object(entries.into_iter().collect()))
}

fn pointer() -> impl Strategy<Value = String> {
    let step = proptest::sample::select(vec!["a", "b", "c", "a~1b", "~0", "0", "1", "-", ""]);
    // The whole document is nothing that kube-apiserver's library adds, moves or copies.
    vec(step, 1..4).prop_map(|steps| steps.into_iter().map(|step| format!("/{step}")).collect())
}

fn operation() -> impl Strategy<Value = Value> {
    let word = proptest::sample::select(vec!["add", "remove", "replace", "move", "copy", "test"]);
    (word, pointer(), pointer(), value()).prop_map(|(op, path, from, value)| match op {
        "remove" => json!({ "op": op, "path": path }),
        "move" | "copy" => json!({ "op": op, "path": path, "from": from }),
        _ => json!({ "op": op, "path": path, "value": value }),
    })
}

/// The merge patch that makes `to` of `from`.
fn difference(from: &Value, to: &Value) -> Value {
    let (Value::Object(from), Value::Object(to)) = (from, to) else { return to.clone() };
    let gone = from.keys().filter(|key| !to.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let changed = to.iter().filter(|(key, value)| from.get(*key) != Some(value));
    let changed = changed.map(|(key, value)| match from.get(key) {
        Some(old) => (key.clone(), difference(old, value)),
        None => (key.clone(), value.clone()),
    });
    Value::Object(gone.chain(changed).collect::<Map<_, _>>())
}

fn merged(original: &Value, patch: &Value) -> Value {
    let (original, patch) = (json::to_vec(original), json::to_vec(patch));
    let nodes = (json::parse(&original).expect("JSON"), json::parse(&patch).expect("JSON"));
    json::to_value(&merge::apply(nodes.0, nodes.1).expect("an object")).expect("numbers in range")
}

fn patched(original: &Value, patch: &Value) -> Option<Value> {
    let (original, patch) = (json::to_vec(original), json::to_vec(patch));
    let nodes = (json::parse(&original).expect("JSON"), json::parse(&patch).expect("JSON"));
    let node = Patch::new(nodes.1).and_then(|patch| patch.apply(nodes.0)).ok()?;
    Some(json::to_value(&node).expect("numbers in range"))
}

fn containers() -> impl Strategy<Value = Value> {
    let container = (proptest::sample::select(vec!["a", "b", "c", "d"]), "[xy]", vec(1..4_i64, 0..3));
    vec(container, 0..4).prop_map(|containers| {
        let mut seen = std::collections::HashSet::new();
        let containers: Vec<Value> = containers
            .into_iter()
            .filter(|(name, ..)| seen.insert(*name))
            .map(|(name, image, ports)| {
                let ports: std::collections::BTreeSet<i64> = ports.into_iter().collect();
                let ports: Vec<Value> =
                    ports.into_iter().map(|port| json!({ "containerPort": port })).collect();
                json!({ "name": name, "image": image, "ports": ports })
            })
            .collect();
        json!({ "containers": containers })
    })
}

/// Patches with directives, mostly where they mean something.
fn directives() -> impl Strategy<Value = Value> {
    let key = proptest::sample::select(vec![
        "containers",
        "name",
        "image",
        "ports",
        "nodeSelector",
        "tolerations",
        "$patch",
        "$retainKeys",
        "$setElementOrder/containers",
        "$setElementOrder/ports",
        "$setElementOrder/",
        "$deleteFromPrimitiveList",
        "$deleteFromPrimitiveList/containers",
        "containerPort",
        "securityContext",
        "x",
    ])
    .prop_map(str::to_owned);
    let leaf = prop_oneof![
        scalar(),
        Just(Value::Null),
        proptest::sample::select(vec!["replace", "delete", "merge", "a", "b"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key.clone(), inner), 0..4).prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn strategic(original: &Value, patch: &Value) -> Option<Value> {
    let types = Types::builtin();
    let ty = types.find("k8s.io/api/core/v1", "PodSpec").expect("a known type");
    let merged = strategic::apply(types, ty, original.clone(), &mut patch.clone()).ok()?;
    let _ = strategic::convert(types, ty, merged.clone());
    Some(merged)
}

/// The value as the witness has it.
fn theirs(value: &Value) -> serde_json::Value {
    serde_json::to_value(value).expect("JSON")
}

/// Returns the value of the witness as this repository has it.
fn ours(value: serde_json::Value) -> Value {
    json_tree::to_value(value).expect("JSON")
}

proptest! {
    #[test]
    fn a_merge_patch_of_a_difference_reaches_the_target(from in object(), to in object()) {
        prop_assert_eq!(merged(&from, &difference(&from, &to)), to);
    }

    #[test]
    fn a_merge_patch_does_what_the_rfc_says(original in object(), patch in merge_patch()) {
        let mut expected = theirs(&original);
        json_patch::merge(&mut expected, &theirs(&patch));
        prop_assert_eq!(merged(&original, &patch), ours(expected));
    }

    #[test]
    fn a_json_patch_of_a_difference_reaches_the_target(from in object(), to in object()) {
        let difference = json_tree::to_value(json_patch::diff(&theirs(&from), &theirs(&to))).expect("JSON");
        prop_assert_eq!(patched(&from, &difference), Some(to));
    }

    #[test]
    fn a_json_patch_that_the_rfc_allows_does_what_it_says(original in object(), operations in vec(operation(), 0..4)) {
        let patch = Value::from(operations);
        let mut expected = theirs(&original);
        let standard: Option<json_patch::Patch> = json_tree::from_value(patch.clone()).ok();
        // The witness may panic when it takes a failed patch back, which is not wanted here.
        let applied = |standard: json_patch::Patch| json_patch::patch_unsafe(&mut expected, &standard).is_ok();
        if standard.is_some_and(applied) {
            prop_assert_eq!(patched(&original, &patch), Some(ours(expected)));
        }
    }

    #[test]
    fn any_document_as_a_patch_ends(original in object(), patch in value()) {
        patched(&original, &patch);
        patched(&original, &json!([patch]));
        if patch.is_object() {
            merged(&original, &patch);
        }
    }

    #[test]
    fn any_strategic_patch_ends(original in containers(), patch in directives()) {
        strategic(&original, &patch);
        strategic(&original, &json!({ "containers": patch }));
        strategic(&original, &json!({ "$setElementOrder/containers": patch, "containers": [{ "name": "a" }] }));
    }

    #[test]
    fn a_strategic_patch_has_its_say_and_applied_twice_changes_nothing_more(
        original in containers(),
        patch in containers(),
    ) {
        let once = strategic(&original, &patch).expect("no directives");
        prop_assert_eq!(strategic(&once, &patch), Some(once.clone()));
        let find = |of: &Value, name: &Value| {
            let items = of["containers"].as_array().cloned().unwrap_or_default();
            items.into_iter().find(|item| item["name"] == *name)
        };
        for item in patch["containers"].as_array().into_iter().flatten() {
            let found = find(&once, &item["name"]).expect("what the patch names is there");
            prop_assert_eq!(&found["image"], &item["image"]);
        }
        for item in original["containers"].as_array().into_iter().flatten() {
            prop_assert!(find(&once, &item["name"]).is_some());
        }
    }
}
