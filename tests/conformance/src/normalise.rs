//! Putting names where values differ from run to run, the same name for the same value within a scenario.

mod text;

use std::collections::HashMap;

use json_tree::{Map, Value};

use crate::scenario::{Scenario, Step};
use text::Texts;

/// The answers of a run of `scenario`, as its recorded answers are: without what a step ignores, events sorted where
/// their order does not matter, and uids, resource versions, times and the like replaced by names. `ns` is the name
/// that was the run's own.
pub fn normalise(ns: &str, scenario: &Scenario, answers: Vec<Value>) -> Vec<Value> {
    let mut normaliser =
        Normaliser { texts: Texts::new(ns, &scenario.generated), resource_versions: HashMap::new() };
    let prepared = scenario.steps.iter().zip(answers).map(|(step, answer)| prepare(step, answer));
    prepared.map(|answer| normaliser.value(&answer, Place::default())).collect()
}

fn prepare(step: &Step, mut answer: Value) -> Value {
    for pointer in &step.ignore {
        let parts: Vec<String> =
            pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
        drop_at(&mut answer, &parts);
    }
    if let Some(Value::Array(events)) = answer.get_mut("events").filter(|_| step.sort_events) {
        events.sort_by_cached_key(|event| {
            let name = event.pointer("/object/metadata/name").map(Value::to_string);
            (event.get("type").map(Value::to_string), name.unwrap_or_default())
        });
    }
    answer
}

/// Removes the key at the end of `path` from whatever the rest of it leads to.
fn drop_at(value: &mut Value, path: &[String]) {
    let Some((part, rest)) = path.split_first() else { return };
    match value {
        Value::Object(map) if rest.is_empty() => {
            map.shift_remove(part);
        }
        Value::Object(map) if part == "*" => map.values_mut().for_each(|value| drop_at(value, rest)),
        Value::Array(items) if part == "*" => items.iter_mut().for_each(|item| drop_at(item, rest)),
        Value::Object(map) => {
            if let Some(value) = map.get_mut(part) {
                drop_at(value, rest);
            }
        }
        Value::Array(items) if !rest.is_empty() => {
            if let Some(item) = part.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                drop_at(item, rest);
            }
        }
        _ => {}
    }
}

/// The position of a value.
#[derive(Clone, Copy, Default)]
struct Place<'a> {
    /// The key that it is the value, or one of the values, of.
    key: &'a str,
    /// True for the object of a bookmark, whose resource version is a collection's.
    bookmark: bool,
}

struct Normaliser {
    texts: Texts,
    resource_versions: HashMap<String, usize>,
}

impl Normaliser {
    fn value(&mut self, value: &Value, place: Place<'_>) -> Value {
        match value {
            Value::Object(map) => Value::Object(self.map(map, place)),
            Value::Array(items) => {
                let place = Place { bookmark: false, ..place };
                Value::Array(items.iter().map(|item| self.value(item, place)).collect())
            }
            Value::String(text) => Value::String(match (place.key, text.as_str()) {
                ("resourceVersion", version) if !matches!(version, "" | "0") => {
                    let next = self.resource_versions.len() + 1;
                    format!("<rv:{}>", self.resource_versions.entry(version.to_owned()).or_insert(next))
                }
                ("continue", token) if !token.is_empty() => "<continue>".to_owned(),
                (_, text) => self.texts.normalise(text),
            }),
            Value::Number(port) if place.key == "nodePort" && port.is_u64() && port.as_u64() != Some(0) => {
                Value::from("<node port>")
            }
            other => other.clone(),
        }
    }

    fn map(&mut self, map: &Map<String, Value>, place: Place<'_>) -> Map<String, Value> {
        let list_kind = map.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"));
        let collection = place.bookmark || list_kind || map.contains_key("items") || map.contains_key("rows");
        let bookmark = map.get("type").is_some_and(|kind| kind == "BOOKMARK");
        let mut out = Map::new();
        for (key, value) in map {
            match value {
                Value::Object(metadata) if key == "metadata" && collection => {
                    out.insert(key.clone(), Value::Object(self.list_metadata(metadata)));
                }
                value => {
                    let inside = (bookmark && key == "object") || (place.bookmark && key == "<cbor>");
                    let value = self.value(value, Place { key, bookmark: inside });
                    out.insert(self.texts.normalise(key), value);
                }
            }
        }
        out
    }

    /// The metadata of a collection: the version of the whole is not numbered.
    fn list_metadata(&mut self, metadata: &Map<String, Value>) -> Map<String, Value> {
        let mut out = Map::new();
        for (key, value) in metadata {
            let name = self.texts.normalise(key);
            let value = match value {
                Value::String(version) if key == "resourceVersion" && !version.is_empty() => {
                    Value::from("<rv>")
                }
                value => self.value(value, Place { key, bookmark: false }),
            };
            out.insert(name, value);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    /// Answers in the order of their steps, before and after.
    #[track_caller]
    fn check(step: Value, answers: &[Value], want: &[Value]) {
        let steps: Vec<Value> = answers.iter().map(|_| step.clone()).collect();
        let scenario = json!({"name": "", "area": "", "about": "", "steps": steps, "generated": ["web-"]});
        let scenario: Scenario = json_tree::from_value(scenario).expect("a scenario");
        let got = normalise("cf-abc", &scenario, answers.to_vec());
        let text = |values: &[Value]| values.iter().map(Value::to_string).collect::<Vec<_>>();
        assert_eq!(text(&got), text(want));
    }

    #[test]
    fn numbers_go_through_the_scenario() {
        let object = |uid: char, version: &str| {
            json!({"metadata": {"uid": "00000000-0000-4000-8000-000000000000".replace('8', &uid.to_string()),
                "resourceVersion": version, "creationTimestamp": "2026-01-02T03:04:05Z", "name": "cf-abc"}})
        };
        let named = |uid: u8, version: u8| {
            json!({"metadata": {"uid": format!("<uid:{uid}>"), "resourceVersion": format!("<rv:{version}>"),
                "creationTimestamp": "<time>", "name": "${ns}"}})
        };
        check(
            json!({}),
            &[object('b', "7"), object('a', "9"), object('b', "9")],
            &[named(1, 1), named(2, 2), named(1, 2)],
        );
    }

    #[test]
    fn collections_have_a_version_without_a_number() {
        check(
            json!({}),
            &[
                json!({"items": [{"metadata": {"resourceVersion": "5"}}],
                    "metadata": {"resourceVersion": "6", "continue": "abc"}}),
                json!({"kind": "PodList", "metadata": {"resourceVersion": "6", "continue": ""}}),
                json!({"rows": [], "metadata": {"resourceVersion": ""}}),
                json!({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "8"}}}),
                json!({"<cbor>": {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "8"}}}}),
                json!({"type": "ADDED", "object": {"metadata": {"resourceVersion": "8"}}}),
                json!({"kind": "Pod", "metadata": {"resourceVersion": "0"}}),
            ],
            &[
                json!({"items": [{"metadata": {"resourceVersion": "<rv:1>"}}],
                    "metadata": {"resourceVersion": "<rv>", "continue": "<continue>"}}),
                json!({"kind": "PodList", "metadata": {"resourceVersion": "<rv>", "continue": ""}}),
                json!({"rows": [], "metadata": {"resourceVersion": ""}}),
                json!({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "<rv>"}}}),
                json!({"<cbor>": {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "<rv>"}}}}),
                json!({"type": "ADDED", "object": {"metadata": {"resourceVersion": "<rv:2>"}}}),
                json!({"kind": "Pod", "metadata": {"resourceVersion": "0"}}),
            ],
        );
    }

    #[test]
    fn a_node_port_that_is_set_is_the_servers_choice() {
        check(
            json!({}),
            &[json!({"ports": [{"nodePort": 30_001, "port": 80}, {"nodePort": 0}]})],
            &[json!({"ports": [{"nodePort": "<node port>", "port": 80}, {"nodePort": 0}]})],
        );
    }

    #[test]
    fn what_is_ignored() {
        let answer =
            json!({"body": {"a": {"x": 1, "b": 2}, "items": [{"n": 1, "m": 2}, {"n": 3}, 4], "c/d": 1}});
        let ignore = |pointer: &str| json!({"ignore": [pointer]});
        let rest = |body: Value| json!({"body": body});
        let check = |pointer, want| check(ignore(pointer), std::slice::from_ref(&answer), &[want]);
        let items = json!([{"n": 1, "m": 2}, {"n": 3}, 4]);
        check("/body", json!({}));
        check("/body/a/x", rest(json!({"a": {"b": 2}, "items": items, "c/d": 1})));
        check("/body/c~1d", rest(json!({"a": {"x": 1, "b": 2}, "items": items})));
        check("/body/items/*/n", rest(json!({"a": {"x": 1, "b": 2}, "items": [{"m": 2}, {}, 4], "c/d": 1})));
        check("/body/items/1/n", rest(json!({"a": {"x": 1, "b": 2}, "items": [items[0], {}, 4], "c/d": 1})));
        check("/body/items/9/n", answer.clone());
        check("/body/a/x/y", answer.clone());
    }

    #[test]
    fn events_in_no_order() {
        let event = |kind: &str, name: &str| json!({"type": kind, "object": {"metadata": {"name": name}}});
        check(
            json!({"sortEvents": true}),
            &[json!({"events": [event("MODIFIED", "a"), event("ADDED", "b"), event("ADDED", "a")]})],
            &[json!({"events": [event("ADDED", "a"), event("ADDED", "b"), event("MODIFIED", "a")]})],
        );
    }
}
