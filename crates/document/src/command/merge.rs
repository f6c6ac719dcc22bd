//! Three-way merges, by which `kubectl apply` finds what to patch: what was applied last, what is applied now, and what is there.
//!
//! <https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/#how-apply-calculates-differences-and-merges-changes>

use json_tree::{Map, Value};
use schema::{Field, FieldType, TypeId, Types};

use crate::kinds::Kind;

/// Returns the type of a built-in kind.
pub(super) fn type_of(kind: &Kind) -> Option<TypeId> {
    let is = |known: &&std::sync::Arc<schema::Resource>| {
        (&known.group, &known.version, &known.name) == (&kind.group, &kind.version, &kind.resource)
    };
    schema::resources().iter().find(is).filter(|_| !kind.is_custom)?.ty()
}

/// Returns the merge patch that makes `modified` of `current`, and removes what only `original` has.
pub(super) fn plain(original: &Value, modified: &Value, current: &Value) -> Value {
    let nothing = Map::new();
    let map = |value: &Value| value.as_object().unwrap_or(&nothing).clone();
    let mut patch = added(&map(current), &map(modified));
    merge(&mut patch, removed(&map(original), &map(modified)));
    Value::Object(patch)
}

/// Returns what `to` has and `from` has not, or has otherwise.
fn added(from: &Map<String, Value>, to: &Map<String, Value>) -> Map<String, Value> {
    let mut patch = Map::new();
    for (key, value) in to {
        match (from.get(key), value) {
            (Some(old), value) if old == value => {}
            (Some(Value::Object(old)), Value::Object(new)) => {
                let inner = added(old, new);
                if !inner.is_empty() {
                    patch.insert(key.clone(), Value::Object(inner));
                }
            }
            (_, Value::Null) => {}
            _ => drop(patch.insert(key.clone(), value.clone())),
        }
    }
    patch
}

/// Returns `null` for what `from` has and `to` has not.
fn removed(from: &Map<String, Value>, to: &Map<String, Value>) -> Map<String, Value> {
    let mut patch = Map::new();
    for (key, value) in from {
        match (value, to.get(key)) {
            (_, None | Some(Value::Null)) => drop(patch.insert(key.clone(), Value::Null)),
            (Value::Object(old), Some(Value::Object(new))) => {
                let inner = removed(old, new);
                if !inner.is_empty() {
                    patch.insert(key.clone(), Value::Object(inner));
                }
            }
            _ => {}
        }
    }
    patch
}

fn merge(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(into)), Value::Object(from)) => merge(into, from),
            (_, value) => drop(into.insert(key, value)),
        }
    }
}

/// Returns the strategic merge patch that makes `modified` of `current`, and removes what only `original` has.
pub(super) fn strategic(ty: TypeId, original: &Value, modified: &Value, current: &Value) -> Value {
    let nothing = Map::new();
    let map = |value: &Value| value.as_object().unwrap_or(&nothing).clone();
    let schema = Some(ty);
    let (original, modified, current) = (map(original), map(modified), map(current));
    let mut patch = Diff { adds: true, removes: false }.maps(&current, &modified, schema);
    let deletions = Diff { adds: false, removes: true }.maps(&original, &modified, schema);
    join(&mut patch, deletions, schema);
    Value::Object(patch)
}

/// The part of a difference that is taken.
#[derive(Clone, Copy)]
struct Diff {
    adds: bool,
    removes: bool,
}

fn field(ty: Option<TypeId>, name: &str) -> Option<&'static Field> {
    Types::builtin().get(ty?).field(name)
}

fn struct_of(ty: &FieldType) -> Option<TypeId> {
    match ty {
        FieldType::Struct(id) => Some(*id),
        _ => None,
    }
}

/// Returns the type of the items of a list.
fn item_of(field: &Field) -> Option<TypeId> {
    match &field.ty {
        FieldType::List(item) => struct_of(item),
        _ => None,
    }
}

fn key_of<'v>(item: &'v Value, key: &str) -> Option<&'v Value> {
    item.as_object()?.get(key)
}

impl Diff {
    fn maps(
        self,
        from: &Map<String, Value>,
        to: &Map<String, Value>,
        ty: Option<TypeId>,
    ) -> Map<String, Value> {
        let mut patch = Map::new();
        for (key, value) in to {
            let field = field(ty, key);
            match (from.get(key), value) {
                (None | Some(Value::Null), Value::Null) => {}
                (None, value) => {
                    if self.adds {
                        patch.insert(key.clone(), value.clone());
                    }
                }
                (Some(old), value) if old == value => {}
                (Some(Value::Object(old)), Value::Object(new)) => {
                    self.inner(key, old, new, field, &mut patch)
                }
                (Some(Value::Array(old)), Value::Array(new)) => self.lists(key, old, new, field, &mut patch),
                (Some(_), value) => {
                    if self.adds {
                        patch.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        if self.removes {
            for key in from.keys().filter(|key| !to.contains_key(*key)) {
                patch.insert(key.clone(), Value::Null);
            }
        }
        patch
    }

    fn inner(
        self,
        key: &str,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        field: Option<&'static Field>,
        patch: &mut Map<String, Value>,
    ) {
        let strategy = field.map(|field| field.patch_strategy).unwrap_or_default();
        if strategy.replace {
            if self.adds {
                patch.insert(key.to_owned(), Value::Object(new.clone()));
            }
            return;
        }
        let mut inner = self.maps(old, new, field.and_then(|field| struct_of(&field.ty)));
        if strategy.retain_keys && !inner.is_empty() {
            retain(&mut inner, new);
        }
        if !inner.is_empty() {
            patch.insert(key.to_owned(), Value::Object(inner));
        }
    }

    fn lists(
        self,
        key: &str,
        old: &[Value],
        new: &[Value],
        field: Option<&'static Field>,
        patch: &mut Map<String, Value>,
    ) {
        let merges = field.filter(|field| field.patch_strategy.merge);
        let Some(field) = merges else {
            if self.adds {
                patch.insert(key.to_owned(), Value::from(new.to_vec()));
            }
            return;
        };
        let is_objects = old.iter().chain(new).all(Value::is_object);
        let (mut items, mut gone) = (Vec::new(), Vec::new());
        match field.patch_merge_key.as_deref().filter(|_| is_objects) {
            Some(by) => {
                for item in new {
                    let own = key_of(item, by);
                    let before = old.iter().find(|old| own.is_some() && key_of(old, by) == own);
                    let Some(Value::Object(before)) = before else {
                        items.extend(self.adds.then(|| item.clone()));
                        continue;
                    };
                    let Some(map) = item.as_object() else { continue };
                    let mut inner = self.maps(before, map, item_of(field));
                    if !inner.is_empty() {
                        if field.patch_strategy.retain_keys {
                            retain(&mut inner, map);
                        }
                        inner.extend(own.map(|own| (by.to_owned(), own.clone())));
                        items.push(Value::Object(inner));
                    }
                }
                for item in old.iter().filter(|_| self.removes) {
                    let own = key_of(item, by);
                    if let (Some(own), false) = (own, new.iter().any(|new| key_of(new, by) == own)) {
                        let pairs =
                            [("$patch".to_owned(), Value::from("delete")), (by.to_owned(), own.clone())];
                        items.push(Value::Object(pairs.into_iter().collect()));
                    }
                }
                if !items.is_empty() {
                    let order = new.iter().filter_map(|item| {
                        let own = (by.to_owned(), key_of(item, by)?.clone());
                        Some(Value::Object([own].into_iter().collect()))
                    });
                    patch.insert(["$setElementOrder/", key].concat(), order.collect());
                }
            }
            None => {
                items.extend(new.iter().filter(|item| self.adds && !old.contains(item)).cloned());
                gone.extend(old.iter().filter(|item| self.removes && !new.contains(item)).cloned());
                if !items.is_empty() || !gone.is_empty() {
                    patch.insert(["$setElementOrder/", key].concat(), Value::from(new.to_vec()));
                }
            }
        }
        if !items.is_empty() {
            patch.insert(key.to_owned(), Value::from(items));
        }
        if !gone.is_empty() {
            patch.insert(["$deleteFromPrimitiveList/", key].concat(), Value::from(gone));
        }
    }
}

/// Names the keys that stay.
fn retain(patch: &mut Map<String, Value>, now: &Map<String, Value>) {
    let mut keys: Vec<&String> = now.keys().collect();
    keys.sort();
    patch.insert("$retainKeys".to_owned(), keys.into_iter().map(String::as_str).collect());
}

/// Puts one patch into another.
fn join(into: &mut Map<String, Value>, from: Map<String, Value>, ty: Option<TypeId>) {
    for (key, value) in from {
        let field = field(ty, &key);
        match (into.get_mut(&key), value) {
            (Some(Value::Object(into)), Value::Object(from)) => {
                join(into, from, field.and_then(|field| struct_of(&field.ty)));
            }
            (Some(Value::Array(into)), Value::Array(from)) => {
                let by = field.and_then(|field| field.patch_merge_key.as_deref()).unwrap_or_default();
                if key.starts_with('$') {
                    continue;
                }
                for item in from {
                    let own = key_of(&item, by).cloned();
                    let same =
                        into.iter_mut().find(|known| own.is_some() && key_of(known, by) == own.as_ref());
                    match (same, item) {
                        (Some(Value::Object(known)), Value::Object(item)) => {
                            join(known, item, field.and_then(item_of));
                        }
                        (_, item) => into.push(item),
                    }
                }
            }
            // What is set is not removed.
            (Some(_), Value::Null) => {}
            (_, value) => drop(into.insert(key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "for the sake of json!")]
    fn check(original: Value, modified: Value, current: Value, expected: Value) {
        let ty = Types::builtin().find("k8s.io/api/apps/v1", "DeploymentSpec").unwrap();
        let mut patch = strategic(ty, &original, &modified, &current);
        patch.sort_all_objects();
        let mut expected = expected;
        expected.sort_all_objects();
        assert_eq!(patch.to_string(), expected.to_string());
    }

    fn spec(spec: &Value) -> Value {
        json!({"template": {"spec": spec.clone()}})
    }

    #[test]
    fn what_is_not_said_stays_and_what_was_said_goes() {
        check(
            json!({"replicas": 1, "paused": true}),
            json!({"replicas": 2}),
            json!({"replicas": 3, "paused": true, "minReadySeconds": 1}),
            json!({"replicas": 2, "paused": null}),
        );
        check(
            json!({"replicas": 2}),
            json!({"replicas": 2}),
            json!({"replicas": 2, "paused": false}),
            json!({}),
        );
    }

    #[test]
    fn lists_are_merged_by_their_keys() {
        check(
            spec(
                &json!({"containers": [{"name": "a", "image": "x", "ports": [{"containerPort": 80}]}, {"name": "b", "image": "y"}]}),
            ),
            spec(&json!({"containers": [{"name": "a", "image": "z"}]})),
            spec(
                &json!({"containers": [{"name": "a", "image": "x", "ports": [{"containerPort": 80, "protocol": "TCP"}]}, {"name": "b", "image": "y"}, {"name": "c", "image": "w"}]}),
            ),
            spec(&json!({
                "$setElementOrder/containers": [{"name": "a"}],
                "containers": [{"name": "a", "image": "z", "ports": null}, {"name": "b", "$patch": "delete"}],
            })),
        );
    }

    #[test]
    fn sources_of_volumes_are_exclusive() {
        check(
            spec(&json!({"volumes": [{"name": "v", "emptyDir": {}}]})),
            spec(&json!({"volumes": [{"name": "v", "configMap": {"name": "q"}}]})),
            spec(&json!({"volumes": [{"name": "v", "emptyDir": {}}]})),
            spec(&json!({
                "$setElementOrder/volumes": [{"name": "v"}],
                "volumes": [{"$retainKeys": ["configMap", "name"], "name": "v", "configMap": {"name": "q"}, "emptyDir": null}],
            })),
        );
    }

    #[test]
    fn merges_without_a_schema_replace_lists() {
        assert_eq!(
            plain(
                &json!({"a": {"x": 1}, "gone": 1}),
                &json!({"a": {"y": 2}, "l": [1]}),
                &json!({"a": {"x": 1, "z": 3}, "gone": 1, "l": [1, 2]})
            ),
            json!({"a": {"y": 2, "x": null}, "l": [1], "gone": null})
        );
    }
}
