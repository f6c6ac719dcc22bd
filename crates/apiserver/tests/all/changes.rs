//! Properties that hold for any changes by any managers, through the server, for several kinds and for custom
//! resources of any schema.
//!
//! `KUBEGLASS_CASES` says how many random cases each test tries, if not some tens.

mod generate;
mod kinds;
mod owned;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{Cluster, read};
use generate::{schemas, values};
use http::Request;
use json_tree::{Map, Value, json};
use kinds::Kind;
use owned::{Entry, Field, Path, fields_of, has, look, owners};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// How somebody writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Apply,
    Force,
    Put,
    Merge,
    Json,
}

/// A write: who, how, and what.
#[derive(Clone, Debug)]
struct Step {
    manager: &'static str,
    how: How,
    content: Value,
}

fn config(default: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::with_cases(crate::common::cases(default))
    }
}

/// A number that no other case of this process has.
fn next_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Some writes to an object, of which the first makes it.
fn steps(schema: &Value) -> BoxedStrategy<Vec<Step>> {
    let how = prop_oneof![
        4 => Just(How::Apply),
        2 => Just(How::Force),
        1 => Just(How::Put),
        1 => Just(How::Merge),
        1 => Just(How::Json),
    ];
    let first = values(schema, true).prop_map(|content| Step { manager: "first", how: How::Put, content });
    let (whole, part) = (values(schema, true), values(schema, false));
    let step = (select(vec!["a", "b", "c"]), how).prop_flat_map(move |(manager, how)| {
        let content = if how == How::Put || how == How::Json { whole.clone() } else { part.clone() };
        content.prop_map(move |content| Step { manager, how, content })
    });
    (first, vec(step, 1..6)).prop_map(|(first, steps)| [vec![first], steps].concat()).boxed()
}

/// The JSON Patch that leads from one object to another.
fn steps_between(from: &Value, to: &Value) -> Value {
    let [from, to] = [from, to].map(|value| serde_json::to_value(value).expect("JSON"));
    json_tree::to_value(json_patch::diff(&from, &to)).expect("JSON")
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

/// An object with other content: the parts that its schema names are replaced.
fn with_content(schema: &Value, object: &Value, content: &Value) -> Value {
    let mut new = object.clone();
    let replace = |new: &mut Value, schema: &Value, content: &Value| {
        for name in schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name) {
            let Some(new) = new.as_object_mut() else { return };
            match content.get(name) {
                _ if name == "metadata" => {}
                Some(value) => {
                    new.insert(name.clone(), value.clone());
                }
                None => {
                    new.shift_remove(name);
                }
            }
        }
    };
    replace(&mut new, schema, content);
    replace(&mut new["metadata"], &schema["properties"]["metadata"], &content["metadata"]);
    new
}

/// An object of a kind in a cluster.
struct Subject<'a> {
    cluster: &'a Cluster,
    kind: &'a Kind,
    name: String,
}

impl Subject<'_> {
    fn send(&self, method: &str, query: &str, media_type: &str, body: &Value) -> (u16, Value) {
        let name = if method == "POST" { String::new() } else { format!("/{}", self.name) };
        let uri = format!("{}{name}?{query}", self.kind.path);
        let request = Request::builder().method(method).uri(uri).header("content-type", media_type);
        read(&self.cluster.send(request.body(body.to_string().into()).expect("a request")))
    }

    fn get(&self) -> Value {
        self.cluster.get(&format!("{}/{}", self.kind.path, self.name)).1
    }

    /// The content as an object that can be sent.
    fn object(&self, content: &Value) -> Value {
        let mut object = content.clone();
        object["apiVersion"] = self.kind.api_version.as_str().into();
        object["kind"] = self.kind.kind.into();
        object["metadata"]["name"] = self.name.as_str().into();
        object
    }

    fn write(&self, step: &Step, live: &Value) -> (u16, Value) {
        let query = format!("fieldManager={}", step.manager);
        let new = || with_content(&self.kind.schema, live, &step.content);
        match step.how {
            How::Apply | How::Force => {
                let query = format!("{query}&force={}", step.how == How::Force);
                self.send("PATCH", &query, "application/apply-patch+yaml", &self.object(&step.content))
            }
            How::Put if live["metadata"]["uid"].is_null() => {
                self.send("POST", &query, "application/json", &self.object(&step.content))
            }
            How::Put => self.send("PUT", &query, "application/json", &new()),
            How::Merge => self.send("PATCH", &query, "application/merge-patch+json", &step.content),
            How::Json => {
                let patch = steps_between(live, &new());
                self.send("PATCH", &query, "application/json-patch+json", &patch)
            }
        }
    }

    /// Writes, and looks whether everybody's fields are as they have to be.
    fn check(&self, step: &Step) -> Result<(), TestCaseError> {
        let before = self.get();
        self.cluster.clock.advance(Duration::from_secs(1));
        let (code, answer) = self.write(step, &before);
        let after = self.get();
        if code >= 300 {
            prop_assert!([409, 422].contains(&code), "{code} {answer}");
            prop_assert_eq!(before, after, "a write that fails changes nothing");
            return Ok(());
        }
        prop_assert_eq!(&answer, &after);
        let applies = matches!(step.how, How::Apply | How::Force);
        let operation = if applies { "Apply" } else { "Update" };
        let writer = |entry: &&Entry| entry.manager == step.manager && entry.operation == operation;
        let schema = &self.kind.schema;
        let (was, is) = (owners(schema, &before), owners(schema, &after));
        // What the writer owned and does not own any more.
        let given_up: Vec<Path> = {
            let paths = |entries: &[Entry]| -> Vec<Path> {
                let own = entries.iter().filter(writer).flat_map(|entry| &entry.fields);
                own.map(|field| field.path.clone()).collect()
            };
            let now = paths(&is);
            paths(&was).into_iter().filter(|path| !now.contains(path)).collect()
        };
        for entry in was.iter().filter(|entry| !writer(entry)) {
            let same = |own: &&Entry| own.manager == entry.manager && own.operation == entry.operation;
            let now: &[Field] = is.iter().find(same).map_or(&[], |entry| &entry.fields);
            for field in &entry.fields {
                let value = look(schema, &after, &field.path);
                let kept = now.iter().any(|own| own.path == field.path);
                let changed = value != field.value;
                let what = format!(
                    "{step:?}: {} of {} was {:?} is {value:?}",
                    field.path.join(" "),
                    entry.manager,
                    field.value
                );
                // What holds others is not there without them, but may be owned.
                let holds = |value: &Option<Value>| value.as_ref().is_none_or(|value| *value == "there");
                let absent = field.value.is_none() && step.how != How::Apply;
                if absent || kept && holds(&field.value) && holds(&value) {
                    continue;
                }
                prop_assert!(kept != changed, "{what}");
                if step.how == How::Apply && changed {
                    // With an item that its applier takes out goes what others wrote inside.
                    let inside = |item: &Path| item.len() < field.path.len() && field.path.starts_with(item);
                    prop_assert!(value.is_none() && given_up.iter().any(inside), "{what}");
                }
            }
            for field in now {
                prop_assert!(entry.fields.iter().any(|own| own.path == field.path), "{field:?}");
            }
        }
        if applies {
            prop_assert!(has(schema, Some(&after), &step.content), "{} of {after}", step.content);
            self.cluster.clock.advance(Duration::from_secs(1));
            let (code, again) = self.write(step, &after);
            prop_assert_eq!((code, again), (200, after), "applied again: {}", step.content);
        }
        Ok(())
    }

    /// Gives up all that a manager has applied.
    fn give_up(&self, manager: &'static str) -> Result<(), TestCaseError> {
        let before = self.get();
        let step = Step { manager, how: How::Force, content: json!({}) };
        let (code, answer) = self.write(&step, &before);
        // What is required cannot be given up.
        if code == 422 {
            prop_assert_eq!(before, self.get());
            return Ok(());
        }
        prop_assert_eq!(code, 200, "{}", answer);
        let mut all = owners(&self.kind.schema, &answer).into_iter();
        prop_assert!(!all.any(|entry| entry.manager == manager && entry.operation == "Apply"), "{answer}");
        Ok(())
    }
}

fn history(cluster: &Cluster, kind: &Kind, steps: &[Step]) -> Result<(), TestCaseError> {
    let subject = Subject { cluster, kind, name: format!("n{}", next_number()) };
    let mut steps = steps.iter();
    if let Some(first) = steps.next() {
        let (code, answer) = subject.write(first, &Value::Null);
        prop_assert_eq!(code, 201, "{}", answer);
        let set = &answer["metadata"]["managedFields"][0]["fieldsV1"];
        for field in fields_of(&kind.schema, &answer, set) {
            prop_assert!(field.value.is_some(), "{field:?}");
        }
    }
    steps.try_for_each(|step| subject.check(step))?;
    ["a", "b", "c"].iter().try_for_each(|manager| subject.give_up(manager))
}

/// Returns the parts of an object that a client has written, including the server's additions to them.
fn content_of(schema: &Value, object: &Value) -> Value {
    fn drop_allotted(value: &mut Value) {
        if let Value::Object(map) = value {
            for key in ["nodePort", "clusterIP", "clusterIPs"] {
                map.shift_remove(key);
            }
            map.values_mut().for_each(drop_allotted);
        } else if let Value::Array(items) = value {
            items.iter_mut().for_each(drop_allotted);
        }
    }
    let mut content = object.clone();
    drop_allotted(&mut content);
    let metadata = &schema["properties"]["metadata"]["properties"];
    if let Some(own) = content["metadata"].as_object_mut() {
        own.retain(|key, _| metadata.get(key).is_some());
    }
    if let Some(own) = content.as_object_mut() {
        own.shift_remove("status");
    }
    content
}

/// Checks that one object, patched with the difference to another, becomes that other.
fn differences(cluster: &Cluster, kind: &Kind, from: &Value, to: &Value) -> Result<(), TestCaseError> {
    let subject = Subject { cluster, kind, name: format!("n{}", next_number()) };
    let create = |query: &str, content: &Value| {
        subject.send("POST", query, "application/json", &subject.object(content))
    };
    let (code, wanted) = create("dryRun=All", to);
    prop_assert_eq!(code, 201, "{}", wanted);
    let (code, live) = create("", from);
    prop_assert_eq!(code, 201, "{}", live);
    let target = with_content(&kind.schema, &live, to);
    let json = steps_between(&live, &target);
    for (media_type, patch) in
        [("application/json-patch+json", json), ("application/merge-patch+json", difference(&live, &target))]
    {
        let (code, answer) = subject.send("PATCH", "dryRun=All", media_type, &patch);
        prop_assert_eq!(code, 200, "{} {}", patch, answer);
        let content = |object: &Value| content_of(&kind.schema, object);
        prop_assert_eq!(content(&answer), content(&wanted), "{}", patch);
    }
    Ok(())
}

/// A kind of the cluster and what is made of it.
fn of_builtin<S: Strategy + 'static>(make: fn(&Value) -> S) -> impl Strategy<Value = (Kind, S::Value)>
where
    S::Value: Clone,
{
    select(kinds::builtin()).prop_flat_map(move |kind| (Just(kind.clone()), make(&kind.schema)))
}

/// A schema and what is made of objects of it.
fn of_custom<S: Strategy + 'static>(make: fn(&Value) -> S) -> impl Strategy<Value = (Value, S::Value)> {
    schemas().prop_flat_map(move |schema| {
        let kind = kinds::custom(0, &schema);
        (Just(schema), make(&kind.schema))
    })
}

fn two(schema: &Value) -> (BoxedStrategy<Value>, BoxedStrategy<Value>) {
    (values(schema, true), values(schema, true))
}

/// Defines a kind of this schema.
fn define(cluster: &Cluster, schema: &Value) -> Kind {
    let number = next_number();
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let (code, answer) = cluster.json(&format!("POST {path}"), &kinds::definition(number, schema));
    assert_eq!(code, 201, "{answer}");
    kinds::custom(number, schema)
}

#[test]
fn whoever_writes_fields_are_theirs_who_own_them() {
    let cluster = Cluster::new();
    proptest!(config(30), |((kind, steps) in of_builtin(steps))| history(&cluster, &kind, &steps)?);
}

#[test]
fn whoever_writes_fields_of_custom_resources_are_theirs_who_own_them() {
    proptest!(config(20), |((schema, steps) in of_custom(steps))| {
        let cluster = Cluster::new();
        history(&cluster, &define(&cluster, &schema), &steps)?;
    });
}

#[test]
fn a_patch_of_a_difference_reaches_the_target() {
    let cluster = Cluster::new();
    proptest!(config(30), |((kind, (from, to)) in of_builtin(two))| differences(&cluster, &kind, &from, &to)?);
}

#[test]
fn a_patch_of_a_difference_reaches_the_target_of_custom_resources() {
    proptest!(config(20), |((schema, (from, to)) in of_custom(two))| {
        let cluster = Cluster::new();
        differences(&cluster, &define(&cluster, &schema), &from, &to)?;
    });
}
