//! Pruning: fields that the schema does not have are dropped.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning>.

use json_tree::Value;

use crate::Structural;

/// Drops the fields of `object` that `schema` does not have, and says their paths, in the order of the alphabet.
///
/// `apiVersion`, `kind` and `metadata` of embedded resources stay, and those of `object` itself if it is the `root` of
/// a resource.
pub fn prune(object: &mut Value, schema: &Structural, root: bool) -> Vec<String> {
    let mut pruner = Pruner::default();
    if schema.preserve_unknown_fields {
        pruner.skip(object, schema, root);
    } else {
        pruner.walk(object, Some(schema), root);
    }
    schema::sort_by(&mut pruner.unknown, Ord::cmp);
    pruner.unknown
}

/// Reports whether the field belongs to every object rather than to its schema.
pub(crate) fn is_meta(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

#[derive(Default)]
struct Pruner {
    path: String,
    unknown: Vec<String>,
}

impl Pruner {
    /// Prunes by a schema, or by none. `resource` says that the object's own metadata stays.
    fn prune(&mut self, value: &mut Value, schema: Option<&Structural>) {
        match schema {
            Some(schema) if schema.preserve_unknown_fields => self.skip(value, schema, false),
            _ => self.walk(value, schema, false),
        }
    }

    fn walk(&mut self, value: &mut Value, schema: Option<&Structural>, root: bool) {
        match value {
            Value::Object(fields) => {
                let resource = root || schema.is_some_and(|schema| schema.embedded_resource);
                fields.retain(|name, value| {
                    if resource && is_meta(name) {
                        return true;
                    }
                    let before = self.enter(name);
                    let known = match schema {
                        None => false,
                        Some(schema) => match schema.property(name) {
                            None if schema.additional_properties.is_none() => false,
                            None => {
                                self.prune(value, schema.additional());
                                true
                            }
                            property => {
                                self.prune(value, property);
                                true
                            }
                        },
                    };
                    if !known {
                        self.unknown.push(self.path.clone());
                    }
                    self.path.truncate(before);
                    known
                });
            }
            Value::Array(items) => {
                let schema = schema.and_then(|schema| schema.items.as_deref());
                self.items(items, |pruner, item| pruner.prune(item, schema));
            }
            _ => {}
        }
    }

    /// Drops nothing here, but what is unknown in the fields that do have a schema.
    fn skip(&mut self, value: &mut Value, schema: &Structural, root: bool) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    if (root || schema.embedded_resource) && is_meta(name) {
                        continue;
                    }
                    let property = schema.property(name);
                    if property.is_some() || schema.additional_properties.is_some() {
                        let before = self.enter(name);
                        self.prune(value, property.or_else(|| schema.additional()));
                        self.path.truncate(before);
                    }
                }
            }
            Value::Array(items) => {
                if let Some(schema) = schema.items.as_deref() {
                    self.items(items, |pruner, item| pruner.skip(item, schema, false));
                }
            }
            _ => {}
        }
    }

    fn items(&mut self, items: &mut [Value], mut each: impl FnMut(&mut Self, &mut Value)) {
        for (index, item) in items.iter_mut().enumerate() {
            let before = self.path.len();
            self.path.push('[');
            self.path.push_str(&index.to_string());
            self.path.push(']');
            each(self, item);
            self.path.truncate(before);
        }
    }

    /// Goes to a field, and says how long the path was before.
    fn enter(&mut self, name: &str) -> usize {
        let before = self.path.len();
        if before > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        before
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "data is written where it is used")]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(schema: Value, mut object: Value, expected: Value, unknown: &[&str]) {
        let paths = prune(&mut object, &Structural::parse(&schema), true);
        assert_eq!(object, expected);
        assert_eq!(paths, unknown);
    }

    #[test]
    fn the_root_keeps_what_every_object_has() {
        check(
            json!({"type": "object"}),
            json!({"apiVersion": "v1", "kind": "A", "metadata": {"x": 1}, "spec": {}, "data": 1}),
            json!({"apiVersion": "v1", "kind": "A", "metadata": {"x": 1}}),
            &["data", "spec"],
        );
    }

    #[test]
    fn unknown_fields_go_wherever_they_are() {
        let schema = json!({"properties": {
            "list": {"items": {"properties": {"a": {}}}},
            "map": {"additionalProperties": {"properties": {"a": {}}}},
            "any": {"additionalProperties": true},
            "lists": {"items": {"items": {}}},
        }});
        check(
            schema,
            json!({
                "list": [{"a": {"x": 1}, "b": 1}, 2], "map": {"k": {"a": 1, "c": 1}},
                "any": {"k": {"x": {"y": 1}}, "n": 1, "l": [{"z": 1}]}, "lists": [[[{"q": 1}]]], "kind": "K",
            }),
            json!({
                "list": [{"a": {}}, 2], "map": {"k": {"a": 1}}, "any": {"k": {}, "n": 1, "l": [{}]},
                "lists": [[[{}]]], "kind": "K",
            }),
            &["any.k.x", "any.l[0].z", "list[0].a.x", "list[0].b", "lists[0][0][0].q", "map.k.c"],
        );
    }

    #[test]
    fn what_is_preserved_is_pruned_again_where_a_schema_says_more() {
        let schema = json!({"properties": {"spec": {
            "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"known": {"properties": {"a": {}}}},
            "items": {"properties": {"b": {"properties": {}}}},
        }}});
        check(
            schema.clone(),
            json!({"spec": {"free": {"x": 1}, "known": {"a": 1, "x": 1}}}),
            json!({"spec": {"free": {"x": 1}, "known": {"a": 1}}}),
            &["spec.known.x"],
        );
        check(
            schema,
            json!({"spec": [{"x": 1, "b": {"c": 1}}]}),
            json!({"spec": [{"x": 1, "b": {}}]}),
            &["spec[0].b.c"],
        );
        check(
            json!({"x-kubernetes-preserve-unknown-fields": true, "properties": {"kind": {"properties": {}}}}),
            json!({"kind": {"a": 1}, "spec": 1}),
            json!({"kind": {"a": 1}, "spec": 1}),
            &[],
        );
    }

    #[test]
    fn embedded_resources_keep_their_metadata() {
        let schema =
            json!({"properties": {"t": {"x-kubernetes-embedded-resource": true, "properties": {"a": {}}}}});
        check(
            schema,
            json!({"t": {"apiVersion": "v1", "kind": "K", "metadata": {}, "a": 1, "b": 1}}),
            json!({"t": {"apiVersion": "v1", "kind": "K", "metadata": {}, "a": 1}}),
            &["t.b"],
        );
    }
}
