//! The tables against what a kube-apiserver v1.36 answered.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use json_tree::{Value, json};
use schema::{Empty, Field, FieldType, Resource, TypeId, Types, resources, zero};

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/recordings")
}

fn recording(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All values inside a value, itself included.
fn walk<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a Value)) {
    visit(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
        Value::Object(map) => map.values().for_each(|inner| walk(inner, visit)),
        _ => {}
    }
}

fn of_version(api_version: &str) -> Vec<&'static Resource> {
    resources().iter().map(|one| &**one).filter(|one| one.api_version() == api_version).collect()
}

/// The `APIResourceList` of a group and version, without storage version hashes.
fn resource_list(api_version: &str) -> Value {
    let mut rows = Vec::new();
    for one in of_version(api_version) {
        let mut row = json!({
            "name": one.name, "singularName": one.singular, "namespaced": one.namespaced, "kind": one.kind,
            "verbs": one.verbs,
        });
        for (key, words) in [("shortNames", &one.short_names), ("categories", &one.categories)] {
            if !words.is_empty() {
                row[key] = json!(words);
            }
        }
        rows.push(row);
        for sub in &one.subresources {
            let mut row = json!({
                "name": format!("{}/{}", one.name, sub.name), "singularName": "", "namespaced": one.namespaced,
            });
            if sub.api_version() != api_version {
                row["group"] = json!(sub.group);
                row["version"] = json!(sub.version);
            }
            row["kind"] = json!(sub.kind);
            row["verbs"] = json!(sub.verbs);
            rows.push(row);
        }
    }
    Value::Array(rows)
}

#[test]
fn resource_lists_are_as_recorded() {
    let mut checked = 0;
    for file in ["workload-groups", "extension-groups", "auth-groups"] {
        let recording = recording(&recordings().join(format!("discovery/{file}.json")));
        for step in recording["steps"].as_array().into_iter().flatten() {
            let body = &step["expect"]["body"];
            let api_version = body["groupVersion"].as_str().expect("a resource list");
            let mut expected = body["resources"].clone();
            for row in expected.as_array_mut().into_iter().flatten() {
                row.as_object_mut().expect("a row").shift_remove("storageVersionHash");
            }
            // As text, so that the order of keys counts.
            assert_eq!(resource_list(api_version).to_string(), expected.to_string());
            checked += 1;
        }
    }
    assert_eq!(checked, 16);
}

#[test]
fn core_resources_are_as_recorded() {
    let recording = recording(&recordings().join("discovery/aggregated-core.json"));
    let kind = |kind: &str, api_version: &str| {
        let (group, version) = match api_version {
            "v1" => ("", ""),
            other => other.split_once('/').expect("a group and a version"),
        };
        json!({"group": group, "version": version, "kind": kind})
    };
    let mut rows = Vec::new();
    for one in of_version("v1") {
        let mut row = json!({
            "resource": one.name, "responseKind": kind(&one.kind, "v1"),
            "scope": if one.namespaced { "Namespaced" } else { "Cluster" },
            "singularResource": one.singular, "verbs": one.verbs,
        });
        for (key, words) in [("shortNames", &one.short_names), ("categories", &one.categories)] {
            if !words.is_empty() {
                row[key] = json!(words);
            }
        }
        if !one.subresources.is_empty() {
            let subresources = one.subresources.iter().map(|sub| {
                json!({
                    "subresource": sub.name, "responseKind": kind(&sub.kind, &sub.api_version()),
                    "verbs": sub.verbs,
                })
            });
            row["subresources"] = subresources.collect();
        }
        rows.push(row);
    }
    let expected = &recording["steps"][0]["expect"]["body"]["items"][0]["versions"][0]["resources"];
    assert_eq!(Value::Array(rows).to_string(), expected.to_string());
}

/// The object of a bookmark is the zero object of its kind, with metadata.
#[test]
fn bookmarks_have_zero_objects() {
    let mut kinds = BTreeSet::new();
    for entry in std::fs::read_dir(recordings().join("watch")).expect("recordings of watches") {
        let recording = recording(&entry.expect("an entry").path());
        walk(&recording, &mut |value| {
            let object = &value["object"];
            let named = (object["apiVersion"].as_str(), object["kind"].as_str());
            let (Some("BOOKMARK"), (Some(api_version), Some(kind))) = (value["type"].as_str(), named) else {
                return;
            };
            let Some(row) = of_version(api_version).into_iter().find(|row| row.kind == kind) else { return };
            // What was recorded in YAML, CBOR or Protobuf is told with its keys sorted.
            if object.as_object().is_some_and(|object| object.keys().next().is_some_and(|key| key != "kind"))
            {
                return;
            }
            let mut expected = json!({"kind": kind, "apiVersion": api_version});
            let zero = zero(Types::builtin(), row.ty().expect("a built-in type"));
            for (key, value) in zero.as_object().expect("an object") {
                expected[key] = if key == "metadata" { object[key].clone() } else { value.clone() };
            }
            // A number inside kube-apiserver is there in every version.
            let counts = ["Deployment", "ReplicaSet", "StatefulSet"].contains(&kind);
            if counts
                && let Some(spec) = expected["spec"].as_object_mut()
                && !spec.contains_key("replicas")
            {
                spec.shift_insert(0, "replicas".to_owned(), json!(0));
            }
            assert_eq!(expected.to_string(), object.to_string());
            kinds.insert((api_version.to_owned(), kind.to_owned()));
        });
    }
    assert!(kinds.len() >= 17, "only {kinds:?}");
}

/// In every recorded object the keys stand in the order of the table, the fields are in it, those that are
/// always written are there, and those that disappear when they are empty are not there empty.
#[test]
fn recorded_objects_are_as_the_table_says() {
    let mut complaints = BTreeSet::new();
    let mut objects = 0;
    for area in std::fs::read_dir(recordings()).expect("areas") {
        let area = area.expect("an area").path();
        for entry in area.read_dir().into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let recording = recording(&path);
            // A step that ignores parts has them cut out of its answer.
            let whole = |step: &&Value| step.get("ignore").is_none();
            for step in recording["steps"].as_array().into_iter().flatten().filter(whole) {
                walk(&step["expect"], &mut |value| {
                    let named = (value["apiVersion"].as_str(), value["kind"].as_str());
                    let (Some(api_version), Some(kind)) = named else { return };
                    let Some(object) = value.as_object() else { return };
                    if object.keys().next().is_none_or(|key| key != "kind")
                        || !object.contains_key("metadata")
                    {
                        return;
                    }
                    let row = of_version(api_version).into_iter().find(|row| row.kind == kind);
                    let Some(ty) = row.and_then(|row| row.ty()) else { return };
                    objects += 1;
                    let types = Types::builtin();
                    for complaint in complaints_of(types, ty, value) {
                        let file = path.file_stem().unwrap_or_default().to_string_lossy();
                        complaints.insert(format!("{}: {complaint} ({file})", types.get(ty).name));
                    }
                });
            }
        }
    }
    assert!(objects > 1000, "only {objects} objects");
    let all: Vec<String> = complaints.into_iter().collect();
    assert!(all.is_empty(), "{} complaints:\n{}", all.len(), all.join("\n"));
}

fn complaints_of(types: &Types, id: TypeId, value: &Value) -> Vec<String> {
    let ty = types.get(id);
    let Some(object) = value.as_object() else { return vec![format!("{} is {value}", ty.name)] };
    let mut complaints = Vec::new();
    let mut last = 0;
    for (key, inner) in object {
        let Some(position) = ty.position(key) else {
            if !(ty.type_meta && (key == "kind" || key == "apiVersion")) {
                complaints.push(format!("{} has no {key}", ty.name));
            }
            continue;
        };
        if position < last {
            complaints.push(format!("{}.{key} stands too late in the table", ty.name));
        }
        last = position;
        let field = &ty.fields[position];
        if is_gone_when_empty(field) && is_empty(inner) {
            complaints.push(format!("{}.{key} is there with {inner}", ty.name));
        }
        complaints.extend(complaints_within(types, &field.ty, inner));
    }
    let kept = ty.fields.iter().filter(|field| matches!(field.empty, Empty::Keep | Empty::Null));
    for field in kept.filter(|field| !object.contains_key(&field.name)) {
        complaints.push(format!("{}.{} is not there", ty.name, field.name));
    }
    complaints
}

fn complaints_within(types: &Types, ty: &FieldType, value: &Value) -> Vec<String> {
    match (ty, value) {
        (FieldType::Struct(id), value) if !value.is_null() => complaints_of(types, *id, value),
        (FieldType::List(item), Value::Array(items)) => {
            items.iter().flat_map(|inner| complaints_within(types, item, inner)).collect()
        }
        (FieldType::Map(item), Value::Object(map)) => {
            map.values().flat_map(|inner| complaints_within(types, item, inner)).collect()
        }
        (FieldType::SchemaOrArray(id) | FieldType::SchemaOrBool(id), Value::Object(_)) => {
            complaints_of(types, *id, value)
        }
        _ => Vec::new(),
    }
}

fn is_gone_when_empty(field: &Field) -> bool {
    field.empty == Empty::Omit
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(true) => false,
        Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}
