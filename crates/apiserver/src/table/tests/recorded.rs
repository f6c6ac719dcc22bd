//! Tables against the recorded ones: the same objects were recorded as JSON.

use kinds::conversion;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use json_tree::{Map, Value, json};
use schema::Types;

use crate::partial::MetaVersion;
use crate::resource::Resource;
use crate::table::{IncludeObject, Options, of_list, of_object};
use apimachinery::time;

/// Stands for every time that was not the same in two recordings.
const CREATED: &str = "2026-11-20T12:00:00Z";

/// How old things are in the recordings.
const AGE: Duration = Duration::from_secs(3);

fn options(path: &str, version: MetaVersion, no_headers: bool) -> Options {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let include = query.split('&').find_map(|pair| pair.strip_prefix("includeObject=")).unwrap_or_default();
    Options {
        version,
        include_object: IncludeObject::parse(include).expect("a recorded table"),
        no_headers,
        now: time::parse(CREATED).expect("a time") + AGE,
    }
}

/// Returns the recordings that have a table, with one time for all that vary.
fn scenarios() -> Vec<(PathBuf, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/recordings");
    let mut files = Vec::new();
    for area in ["media", "watch", "rv", "delete"] {
        let entries = std::fs::read_dir(root.join(area)).expect("recordings");
        files.extend(entries.map(|entry| entry.expect("a recording").path()));
    }
    files.sort();
    let read =
        |path: &PathBuf| std::fs::read_to_string(path).expect("a recording").replace("<time>", CREATED);
    let parse = |text: &str| serde_json::from_str(text).expect("JSON");
    files
        .iter()
        .map(|path| (path.clone(), read(path)))
        .filter(|(_, text)| text.contains("Table"))
        .map(|(path, text)| (path, parse(&text)))
        .collect()
}

/// The target of a path: a resource, whether a name follows, and whether `scale` follows that.
struct Target {
    resource: Arc<Resource>,
    name: bool,
    scale: bool,
}

fn target(path: &str) -> Option<Target> {
    let path = path.split('?').next()?;
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let (group, version, rest) = match parts.as_slice() {
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        _ => return None,
    };
    let rest = match rest {
        ["namespaces", _, rest @ ..] if !rest.is_empty() => rest,
        rest => rest,
    };
    let resource = crate::resource::built_in().iter().find(|resource| {
        resource.group == group
            && resource.version == version
            && Some(&resource.name.as_str()) == rest.first()
    })?;
    let name = rest.len() > 1;
    if rest.len() > 2 && rest[2] != "scale" && rest[2] != "status" {
        return None;
    }
    Some(Target { resource: Arc::clone(resource), name, scale: rest.get(2) == Some(&"scale") })
}

/// The objects of a scenario in their storage versions, as they were last seen: by resource and name.
#[derive(Default)]
struct Objects(BTreeMap<(String, String), Map<String, Value>>);

impl Objects {
    fn see(&mut self, target: &Target, body: &Value) {
        let resource = &target.resource;
        if target.scale {
            return;
        }
        let kind = body["kind"].as_str().unwrap_or_default();
        if kind == resource.list_kind {
            body["items"].as_array().into_iter().flatten().for_each(|item| self.keep(resource, item));
        } else if kind == resource.kind {
            self.keep(resource, body);
        }
    }

    fn keep(&mut self, resource: &Resource, object: &Value) {
        let (Some(mut object), Some(name)) =
            (object.as_object().cloned(), object["metadata"]["name"].as_str())
        else {
            return;
        };
        object.shift_remove("kind");
        object.shift_remove("apiVersion");
        conversion::to_storage(resource, &mut object);
        self.0.insert((resource.storage.resource.clone(), name.to_owned()), object);
    }

    fn get(&self, resource: &Resource, name: &str) -> Option<Map<String, Value>> {
        self.0.get(&(resource.storage.resource.clone(), name.to_owned())).cloned()
    }
}

/// Recordings have no times in answers. Those that the client sent are known all the same.
fn times_as_sent(answer: &mut Value, sent: &Value) {
    match (answer, sent) {
        (Value::Object(answer), Value::Object(sent)) => {
            answer
                .iter_mut()
                .for_each(|(key, value)| times_as_sent(value, &sent.get(key).cloned().unwrap_or_default()));
        }
        (Value::Array(answer), Value::Array(sent)) => {
            answer.iter_mut().zip(sent).for_each(|(answer, sent)| times_as_sent(answer, sent));
        }
        (answer, sent) if answer == CREATED && sent.is_string() => *answer = sent.clone(),
        _ => {}
    }
}

/// Compares what a recording has: some of it may have been left out there.
#[track_caller]
fn check(at: &str, expected: &Value, actual: &Value) {
    for key in ["kind", "apiVersion", "columnDefinitions"] {
        let mut actual = actual[key].clone();
        if let Some(expected) = expected.get(key) {
            leave_out(&mut actual, expected);
            assert_eq!(actual.to_string(), expected.to_string(), "{at}: {key}");
        }
    }
    let keys =
        |value: &Value| value["metadata"].as_object().map(|map| map.keys().cloned().collect::<Vec<_>>());
    assert_eq!(keys(actual), keys(expected), "{at}: metadata");
    let Some(expected_rows) = expected.get("rows") else { return };
    let (Some(expected_rows), Some(rows)) = (expected_rows.as_array(), actual["rows"].as_array()) else {
        assert_eq!(&actual["rows"], expected_rows, "{at}");
        return;
    };
    assert_eq!(rows.len(), expected_rows.len(), "{at}: rows");
    for (row, expected) in rows.iter().zip(expected_rows) {
        for key in ["cells", "conditions", "object"] {
            if key == "conditions" || expected.get(key).is_some() {
                let mut actual = row.get(key).cloned();
                if let (Some(actual), Some(expected)) = (&mut actual, expected.get(key)) {
                    leave_out(actual, expected);
                }
                assert_eq!(
                    actual.map(|it| it.to_string()),
                    expected.get(key).map(Value::to_string),
                    "{at}: {key}"
                );
            }
        }
    }
}

/// Leaves out what the recording leaves out of columns (descriptions) and metadata (resource versions).
fn leave_out(actual: &mut Value, expected: &Value) {
    match (actual, expected) {
        (Value::Array(actual), Value::Array(expected)) => {
            actual.iter_mut().zip(expected).for_each(|(actual, expected)| leave_out(actual, expected));
        }
        (Value::Object(actual), Value::Object(expected)) => {
            actual.retain(|key, _| {
                expected.contains_key(key) || !["description", "resourceVersion"].contains(&key.as_str())
            });
            actual
                .iter_mut()
                .for_each(|(key, value)| leave_out(value, &expected.get(key).cloned().unwrap_or_default()));
        }
        _ => {}
    }
}

fn version(table: &Value) -> MetaVersion {
    let version = table["apiVersion"].as_str().and_then(|text| text.split('/').nth(1));
    version.and_then(MetaVersion::parse).expect("a version of meta.k8s.io")
}

/// The names in the rows of a table that was recorded.
fn names(table: &Value) -> Vec<&str> {
    let columns = table["columnDefinitions"].as_array().expect("columns");
    let index = columns.iter().position(|column| column["format"] == "name").unwrap_or_default();
    let rows = table["rows"].as_array().into_iter().flatten();
    rows.filter_map(|row| row["cells"][index].as_str().or(row["object"]["metadata"]["name"].as_str()))
        .collect()
}

#[test]
fn recorded_answers() {
    let mut compared = 0;
    for (path, scenario) in scenarios() {
        let mut objects = Objects::default();
        for step in scenario["steps"].as_array().expect("steps") {
            let (request, body) = (&step["request"], &step["expect"]["body"]);
            let Some(url) = request["path"].as_str() else { continue };
            let Some(target) = target(url) else { continue };
            let mut seen = body.clone();
            times_as_sent(&mut seen, &request["body"]);
            objects.see(&target, &seen);
            if body["kind"] != "Table" || request["method"] != "GET" {
                continue;
            }
            let at = format!("{} {}", path.display(), step["id"]);
            let options = options(url, version(body), false);
            if target.scale {
                let part = target.resource.subresource("scale").expect("it has a scale");
                let scale = target.resource.of_part(part);
                check(
                    &at,
                    body,
                    &of_object(
                        &scale,
                        Map::from_iter([("metadata".to_owned(), body["metadata"].clone())]),
                        &options,
                    ),
                );
                continue;
            }
            let names = names(body);
            let Some(items) =
                names.iter().map(|name| objects.get(&target.resource, name)).collect::<Option<Vec<_>>>()
            else {
                // Never seen as JSON: only the columns can be compared.
                let mut table = of_list(&target.resource, Vec::new(), body["metadata"].clone(), &options);
                table["rows"] = body["rows"].clone();
                check(&at, body, &table);
                continue;
            };
            compared += items.len();
            let table = match items.as_slice() {
                [item] if target.name => of_object(&target.resource, item.clone(), &options),
                _ => of_list(&target.resource, items, body["metadata"].clone(), &options),
            };
            check(&at, body, &table);
        }
    }
    assert!(compared >= 99, "only {compared} rows were compared");
}

#[test]
fn recorded_bookmarks() {
    let mut compared = 0;
    for (path, scenario) in scenarios() {
        let steps = scenario["steps"].as_array().expect("steps");
        let url = |id: &Value| {
            steps.iter().find(|step| &step["id"] == id).and_then(|step| step["watch"]["path"].as_str())
        };
        for step in steps {
            let Some((url, target)) = url(&step["collect"]).and_then(|url| Some((url, target(url)?))) else {
                continue;
            };
            for event in step["expect"]["events"].as_array().into_iter().flatten() {
                let expected = &event["object"];
                if event["type"] != "BOOKMARK" || expected["kind"] != "Table" {
                    continue;
                }
                let no_headers = expected["columnDefinitions"].is_null();
                let options = options(url, version(expected), no_headers);
                let Some(ty) = target.resource.ty() else { continue };
                let Value::Object(mut zero) = schema::zero(Types::builtin(), ty) else { continue };
                let mut metadata = expected["rows"][0]["object"]["metadata"].clone();
                if metadata.is_null() {
                    metadata = json!({});
                }
                metadata["resourceVersion"] = "1".into();
                zero.insert("metadata".to_owned(), metadata);
                let mut table = of_object(&target.resource, zero, &options);
                for row in table["rows"].as_array_mut().expect("rows") {
                    for cell in row["cells"].as_array_mut().expect("cells") {
                        if cell == "0001-01-01T00:00:00Z" {
                            *cell = CREATED.into();
                        }
                    }
                }
                check(&format!("{} {}", path.display(), step["id"]), expected, &table);
                compared += 1;
            }
        }
    }
    assert!(compared >= 11, "only {compared} bookmarks were compared");
}
