//! Objects of the API: what controllers read of them, and how they change them.
//!
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/>.

use std::time::Duration;

use apimachinery::selector::LabelSelector;
use golang::time::{Layout, Time, parse};
use json_tree::{Map, Value, json};

use crate::resource::Resource;

/// An empty value, for what is not there.
static NOTHING: Value = Value::Null;

/// Returns a field of the metadata; `null` if it is not there.
pub(crate) fn meta<'a>(object: &'a Value, field: &str) -> &'a Value {
    object.get("metadata").and_then(|metadata| metadata.get(field)).unwrap_or(&NOTHING)
}

/// Returns the name.
pub(crate) fn name(object: &Value) -> &str {
    meta(object, "name").as_text()
}

/// Returns the namespace; empty for an object that is in none.
pub(crate) fn namespace(object: &Value) -> &str {
    meta(object, "namespace").as_text()
}

/// Returns the uid.
pub(crate) fn uid(object: &Value) -> &str {
    meta(object, "uid").as_text()
}

/// Returns the resource version.
pub(crate) fn version(object: &Value) -> &str {
    meta(object, "resourceVersion").as_text()
}

/// Returns the generation; 0 if there is none.
pub(crate) fn generation(object: &Value) -> i64 {
    meta(object, "generation").as_i64().unwrap_or_default()
}

/// Returns the key by which controllers know an object: `namespace/name`, or the name alone.
pub(crate) fn key(object: &Value) -> String {
    join_key(namespace(object), name(object))
}

/// Returns the key of an object with this namespace and name.
pub(crate) fn join_key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { [namespace, "/", name].concat() }
}

/// Reports whether the deletion of an object has begun.
pub(crate) fn is_being_deleted(object: &Value) -> bool {
    !meta(object, "deletionTimestamp").is_null()
}

/// Returns the owner references.
pub(crate) fn owners(object: &Value) -> &[Value] {
    meta(object, "ownerReferences").as_array().map_or(&[], Vec::as_slice)
}

/// Returns the reference to the owner that manages the object, if there is one.
pub(crate) fn controller_of(object: &Value) -> Option<&Value> {
    owners(object).iter().find(|owner| owner.get("controller") == Some(&Value::Bool(true)))
}

/// Reports whether an object is managed by another one.
pub(crate) fn is_controlled_by(object: &Value, owner: &Value) -> bool {
    controller_of(object).is_some_and(|reference| reference.text("uid") == uid(owner))
}

/// Makes the reference to an owner that manages an object.
pub(crate) fn controller_reference(owner: &Value, api_version: &str, kind: &str) -> Value {
    json!({
        "apiVersion": api_version,
        "kind": kind,
        "name": name(owner),
        "uid": uid(owner),
        "controller": true,
        "blockOwnerDeletion": true
    })
}

/// Makes an object of a template: its labels and annotations beside other metadata, and its specification.
pub(crate) fn of_template(template: &Value, mut metadata: Value) -> Value {
    for field in ["labels", "annotations"] {
        let value = meta(template, field);
        if !value.is_null() {
            set(&mut metadata, field, value.clone());
        }
    }
    json!({"metadata": metadata, "spec": template.get("spec").cloned().unwrap_or_default()})
}

/// Makes the reference to an object as it is now, an `ObjectReference`.
pub(crate) fn reference(resource: &Resource, object: &Value) -> Value {
    json!({
        "kind": &*resource.kind,
        "namespace": namespace(object),
        "name": name(object),
        "uid": uid(object),
        "apiVersion": resource.api_version(),
        "resourceVersion": version(object)
    })
}

/// Returns the finalizers of the metadata.
pub(crate) fn finalizers(object: &Value) -> impl Iterator<Item = &str> {
    meta(object, "finalizers").as_array().into_iter().flatten().map(Value::as_text)
}

/// Returns the integer that a JSON Pointer leads to; 0 if there is none.
pub(crate) fn int(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

/// Returns the items of the list that a JSON Pointer leads to; none if there is none.
pub(crate) fn list<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    object.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the number of pods that an object wants.
pub(crate) fn replicas(object: &Value) -> i64 {
    int(object, "/spec/replicas")
}

/// Returns an annotation, if it is there.
pub(crate) fn annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    meta(object, "annotations").get(key).and_then(Value::as_str)
}

/// Returns the statements of an annotation: those on lines of their own, or separated by semicolons.
pub(crate) fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ';']).map(str::trim).filter(|statement| !statement.is_empty())
}

/// Sets an annotation.
pub(crate) fn set_annotation(object: &mut Value, key: &str, value: &str) {
    let annotations = child(child(object, "metadata"), "annotations");
    set(annotations, key, value.into());
}

/// Returns the object under a key, to be changed; it is made if it is not there, or is none.
pub(crate) fn child<'a>(object: &'a mut Value, key: &str) -> &'a mut Value {
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    match object {
        Value::Object(map) => {
            let child = map.entry(key).or_insert(Value::Null);
            if !child.is_object() {
                *child = Value::Object(Map::new());
            }
            child
        }
        // It has just been made one.
        other => other,
    }
}

/// Sets the value under a key of an object.
pub(crate) fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(map) = object.as_object_mut() {
        map.insert(key.to_owned(), value);
    }
}

/// Reports whether a selector that stands in an object selects these labels. One that makes no sense selects nothing.
pub(crate) fn selects(selector: &LabelSelector, object: &Value) -> bool {
    let labels = meta(object, "labels");
    selector.matches(|key| labels.get(key).and_then(Value::as_str))
}

/// Reports whether an object that nobody manages may be somebody's by a selector. One that selects everything means nothing, and an
/// object without labels is nobody's.
pub(crate) fn may_join(object: &Value, selector: Option<&LabelSelector>) -> bool {
    let has_labels = meta(object, "labels").as_object().is_some_and(|labels| !labels.is_empty());
    has_labels && selector.is_some_and(|selector| !selector.is_empty() && selects(selector, object))
}

/// Returns a time of an object, since the Unix epoch; the epoch for one before it. `None` if it is none: Go's zero is none, either.
pub(crate) fn time(value: &Value) -> Option<Duration> {
    let time = parse(Layout::Rfc3339, value.as_str()?).ok()?;
    (time != Time::ZERO).then(|| time.since_epoch().unwrap_or_default())
}

/// Writes a time as objects have it: with whole seconds.
pub(crate) fn timestamp(now: Duration) -> String {
    Time::unix(i64::try_from(now.as_secs()).unwrap_or(i64::MAX)).rfc3339()
}

/// Returns the time at which an object was made; the epoch if that is not known.
pub(crate) fn creation_time(object: &Value) -> Duration {
    time(meta(object, "creationTimestamp")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_before_1970_is_one() {
        let times = ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:02Z", ""]
            .map(|text| time(&text.into()));
        assert_eq!(times, [None, Some(Duration::ZERO), Some(Duration::from_secs(2)), None]);
    }
}
