//! Trees of objects: what all that reads and changes them needs.

use json_tree::{Map, Value, json};
use schema::Node;

/// An object's tree without `kind` and `apiVersion`: these are the resource's.
pub type Object = Map<String, Value>;

/// The keys of `ObjectMeta` in Go's order.
pub const METADATA_ORDER: &[&str] = &[
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

/// The object's metadata, made if it is missing.
pub fn metadata_mut(object: &mut Object) -> &mut Object {
    if !object.get("metadata").is_some_and(Value::is_object) {
        object.shift_insert(0, "metadata".to_owned(), Value::Object(Object::new()));
    }
    match object.get_mut("metadata") {
        Some(Value::Object(metadata)) => metadata,
        _ => unreachable!("metadata was made a map above"),
    }
}

/// Returns the value at a JSON pointer into an object; nothing for the object itself.
pub fn at_pointer<'a>(object: &'a Object, pointer: &str) -> Option<&'a Value> {
    let mut parts = pointer.split('/').skip(1);
    let first = object.get(parts.next()?);
    parts.fold(first, |value, part| value?.get(part))
}

/// Reads objects from a table: one a line, `RESOURCE [NAMESPACE/]NAME`, and the rest of the object in JSON. Gives the resource of each.
pub fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, Object)> {
    table.lines().filter_map(|line| {
        let (plural, rest) = line.split_once(' ')?;
        let (name, rest) = rest.split_once(' ')?;
        let mut object = with_name(name);
        let Ok(Value::Object(rest)) = rest.parse::<Value>() else { return None };
        for (key, value) in rest {
            match value {
                Value::Object(metadata) if key == "metadata" => {
                    metadata.into_iter().for_each(|(key, value)| set_metadata(&mut object, &key, value));
                }
                value => {
                    object.insert(key, value);
                }
            }
        }
        Some((plural, object))
    })
}

/// Removes an annotation, and with the last of them all.
pub fn remove_annotation(metadata: &mut Object, annotation: &str) {
    if let Some(Value::Object(annotations)) = metadata.get_mut("annotations") {
        annotations.shift_remove(annotation);
        if annotations.is_empty() {
            metadata.shift_remove("annotations");
        }
    }
}

/// Returns the name of an object for a refusal: `name`, or its own, which may still have to be generated.
pub fn name_for_refusal<'a>(name: &'a str, object: &'a Object) -> &'a str {
    let names = [name, metadata_text(object, "name"), metadata_text(object, "generateName")];
    names.into_iter().find(|name| !name.is_empty()).unwrap_or("Unknown")
}

/// Takes out of the metadata of an object that a POST creates what only the server sets.
pub fn wipe_system_fields(object: &mut Object) {
    let metadata = metadata_mut(object);
    for key in ["selfLink", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        metadata.shift_remove(key);
    }
}

/// Sets `key` where `order` puts it among the keys that are there.
pub fn set_in_order(object: &mut Object, key: &str, value: Value, order: &[&str]) {
    if let Some(slot) = object.get_mut(key) {
        *slot = value;
        return;
    }
    let place = |name: &str| order.iter().position(|known| *known == name).unwrap_or(order.len());
    let own = place(key);
    let index = object.keys().position(|name| place(name) > own).unwrap_or(object.len());
    object.shift_insert(index, key.to_owned(), value);
}

/// Puts all keys in the order of the alphabet, which is that of maps in Go.
pub fn sort(object: &mut Object) {
    object.values_mut().for_each(Value::sort_all_objects);
    object.sort_keys();
}

/// Runs `work` on the object as a [`Value`].
pub fn as_value<T>(object: &mut Object, work: impl FnOnce(&mut Value) -> T) -> T {
    let mut value = Value::Object(std::mem::take(object));
    let seen = work(&mut value);
    if let Value::Object(map) = value {
        *object = map;
    }
    seen
}

/// Returns a field of an object's metadata.
pub fn metadata<'a>(object: &'a Object, key: &str) -> Option<&'a Value> {
    object.get("metadata").and_then(|metadata| metadata.get(key))
}

/// Returns a text out of an object's metadata; empty if it is not there.
pub fn metadata_text<'a>(object: &'a Object, key: &str) -> &'a str {
    metadata(object, key).and_then(Value::as_str).unwrap_or_default()
}

/// The entries that an object has.
pub fn managed_fields(object: &Object) -> Option<&Value> {
    metadata(object, "managedFields")
}

/// Gives the object these entries in the place of those that it has.
pub fn set_managed_fields(object: &mut Object, entries: Option<Value>) {
    let metadata = metadata_mut(object);
    match entries {
        Some(entries) => set_in_order(metadata, "managedFields", entries, METADATA_ORDER),
        None => {
            metadata.shift_remove("managedFields");
        }
    }
}

/// Notes in the decoded object that the document has an empty list of entries: it is to lose all of them, and empty
/// lists are not kept.
pub fn note_reset(document: &Node<'_>, object: &mut Value) {
    let inside = |node: &Node<'_>, name: &str| -> Option<usize> {
        let Node::Map(entries) = node else { return None };
        entries.iter().rposition(|(key, _)| key == name)
    };
    let child = |node, name| match (node, inside(node, name)) {
        (Node::Map(entries), Some(index)) => entries.get(index).map(|(_, value)| value),
        _ => None,
    };
    let list = child(document, "metadata").and_then(|metadata| child(metadata, "managedFields"));
    if let (Some(Node::List(list)), Value::Object(object)) = (list, object)
        && list.is_empty()
    {
        set_managed_fields(object, Some(json!([{}])));
    }
}

/// Reports whether an object has labels.
pub fn is_labelled(object: &Object) -> bool {
    metadata(object, "labels").and_then(Value::as_object).is_some_and(|labels| !labels.is_empty())
}

/// An object's metadata and no more. The name may have a namespace before it.
pub fn with_name(name: &str) -> Object {
    let mut metadata = Object::new();
    let (namespace, name) = name.split_once('/').unwrap_or(("", name));
    metadata.insert("name".to_owned(), name.into());
    if !namespace.is_empty() {
        metadata.insert("namespace".to_owned(), namespace.into());
    }
    let mut object = Object::new();
    object.insert("metadata".to_owned(), metadata.into());
    object
}

/// Sets something in an object's metadata.
pub fn set_metadata(object: &mut Object, key: &str, value: Value) {
    set_in_order(metadata_mut(object), key, value, METADATA_ORDER);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_in_the_order_of_its_type() {
        let types = schema::Types::builtin();
        let fields =
            types.find("k8s.io/apimachinery/pkg/apis/meta/v1", "ObjectMeta").map(|ty| &types.get(ty).fields);
        let names: Vec<&str> = fields.into_iter().flatten().map(|field| field.name.as_str()).collect();
        assert_eq!(names, METADATA_ORDER);
    }
}
