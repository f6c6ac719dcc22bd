//! The places of an object that a client can make larger: its lists, maps and texts.

use std::collections::HashSet;

use json_tree::{Map, Value, json};
use schema::{FieldType, Resource, TypeId, Types};

/// How deep places are looked for.
const DEEPEST: usize = 12;

/// A place in objects of a kind.
#[derive(Clone)]
pub(crate) struct Place {
    /// The fields that lead there.
    pub(crate) path: Vec<String>,
    /// The type of the field.
    pub(crate) ty: FieldType,
    /// By which fields the items of a list are told apart.
    pub(crate) keys: Vec<String>,
}

/// The content that a place is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filling {
    /// Items that differ.
    Different,
    /// Items that are the same.
    Same,
    /// Items that differ, but not in what tells them apart.
    Alike,
}

/// The places of a kind. One type in another is looked into once among all kinds, for it is treated alike everywhere; but
/// those of the kind's own structs are its own.
pub(crate) fn places(resource: &Resource, seen: &mut HashSet<(TypeId, usize)>) -> Vec<Place> {
    let mut found = Vec::new();
    if let Some(ty) = resource.ty() {
        walk(ty, &mut Vec::new(), seen, &mut found);
    }
    found
}

fn walk(ty: TypeId, path: &mut Vec<String>, seen: &mut HashSet<(TypeId, usize)>, found: &mut Vec<Place>) {
    if path.len() > DEEPEST {
        return;
    }
    for (index, field) in Types::builtin().get(ty).fields.iter().enumerate() {
        if !seen.insert((ty, index)) {
            continue;
        }
        path.push(field.name.clone());
        let mut inner = &field.ty;
        if is_large(inner) {
            let keys = match &field.list {
                Some(schema::ListType::Map(keys)) => keys.clone(),
                _ => field.patch_merge_key.iter().cloned().collect(),
            };
            found.push(Place { path: path.clone(), ty: inner.clone(), keys });
        }
        let depth = path.len();
        loop {
            match inner {
                FieldType::List(item) => {
                    path.push("0".to_owned());
                    inner = item;
                }
                FieldType::Map(value) => {
                    path.push("k".to_owned());
                    inner = value;
                }
                FieldType::Struct(inner) => break walk(*inner, path, seen, found),
                _ => break,
            }
        }
        path.truncate(depth - 1);
    }
}

fn is_large(ty: &FieldType) -> bool {
    use FieldType as T;
    matches!(
        ty,
        T::String
            | T::Bytes
            | T::Quantity
            | T::Strings
            | T::List(_)
            | T::Map(_)
            | T::Any
            | T::FieldsV1
            | T::SchemaOrStrings(_)
            | T::Time
            | T::Duration
            | T::IntOrString
    )
}

/// The least object of a kind: what it requires.
pub(crate) fn least(resource: &Resource) -> Value {
    let mut object =
        json!({"apiVersion": resource.api_version(), "kind": resource.kind, "metadata": {"name": "x"}});
    if let Some(ty) = resource.ty() {
        fill(&mut object, ty, 0);
    }
    object
}

fn fill(object: &mut Value, ty: TypeId, index: usize) {
    let Value::Object(map) = object else { return };
    for field in &Types::builtin().get(ty).fields {
        if field.required
            && field.name != "metadata"
            && field.name != "status"
            && !map.contains_key(&field.name)
        {
            map.insert(field.name.clone(), some(&field.ty, &field.name, index));
        }
    }
}

/// A value of a type: the one of this number.
fn some(ty: &FieldType, name: &str, index: usize) -> Value {
    use FieldType as T;
    match ty {
        T::Bool => true.into(),
        T::Int32 | T::Int64 | T::Float64 | T::IntOrString => (index as i64 + 1).into(),
        T::Time => "2030-01-01T00:00:00Z".into(),
        T::MicroTime => "2030-01-01T00:00:00.000000Z".into(),
        T::Duration => "1m0s".into(),
        T::Quantity => "1".into(),
        T::Bytes => "".into(),
        T::String if name == "ip" || name.ends_with("IP") => {
            format!("10.{}.{}.1", index / 250, index % 250).into()
        }
        T::String => format!("x{index}").into(),
        T::Strings => json!([]),
        T::List(inner) => Value::Array(vec![some(inner, name, index)]),
        T::Map(_) | T::Any | T::FieldsV1 => json!({}),
        T::Struct(ty) | T::SchemaOrArray(ty) | T::SchemaOrBool(ty) | T::SchemaOrStrings(ty) => {
            let mut object = json!({});
            fill(&mut object, *ty, index);
            object
        }
    }
}

impl Place {
    /// Returns the fillings that make a difference in this place.
    pub(crate) fn fillings(&self) -> impl Iterator<Item = Filling> + use<> {
        let items = matches!(self.ty, FieldType::List(_) | FieldType::Strings);
        let keyed = items && !self.keys.is_empty();
        [(Filling::Different, true), (Filling::Same, items), (Filling::Alike, keyed)]
            .into_iter()
            .filter_map(|(filling, matters)| matters.then_some(filling))
    }

    pub(crate) fn name(&self) -> String {
        self.path.join(".")
    }

    /// Returns the value of the place with `size` items or characters.
    pub(crate) fn value(&self, size: usize, filling: Filling) -> Value {
        use FieldType as T;
        let different = filling != Filling::Same;
        let number = |index: usize| if different { index } else { 0 };
        match &self.ty {
            T::List(inner) => {
                let key = |index: usize| if filling == Filling::Different { index } else { 0 };
                Value::Array((0..size).map(|index| self.item(inner, number(index), key(index))).collect())
            }
            T::Strings | T::SchemaOrStrings(_) => {
                Value::Array((0..size).map(|index| format!("x{}", number(index)).into()).collect())
            }
            T::Map(inner) => Value::Object(
                (0..size).map(|index| (format!("x{index}"), some(inner, "k", number(index)))).collect(),
            ),
            T::Any if different => Value::Object(
                (0..size).map(|index| (format!("x{index}"), Value::from(index as i64))).collect(),
            ),
            T::FieldsV1 => Value::Object((0..size).map(|index| (format!("f:x{index}"), json!({}))).collect()),
            _ => {
                let part = if different { "a1-./" } else { "1" };
                part.chars().cycle().take(size * 8).collect::<String>().into()
            }
        }
    }

    fn item(&self, ty: &FieldType, index: usize, key_index: usize) -> Value {
        let mut item = some(ty, self.path.last().map_or("", String::as_str), index);
        if let (FieldType::Struct(ty), Value::Object(map)) = (ty, &mut item) {
            for key in &self.keys {
                if let Some(field) = Types::builtin().get(*ty).field(key) {
                    map.insert(key.clone(), some(&field.ty, key, key_index));
                }
            }
        }
        item
    }

    /// The object with this value in the place.
    pub(crate) fn put(&self, mut object: Value, resource: &Resource, value: Value) -> Value {
        let mut at = &mut object;
        let mut ty = resource.ty().map(FieldType::Struct);
        for step in &self.path {
            let inner = match &ty {
                Some(FieldType::Struct(id)) => {
                    Types::builtin().get(*id).field(step).map(|field| field.ty.clone())
                }
                Some(FieldType::List(inner) | FieldType::Map(inner)) => Some((**inner).clone()),
                _ => None,
            };
            let fresh = || inner.as_ref().map_or(Value::Null, |inner| some(inner, step, 0));
            at = match at {
                Value::Array(items) => {
                    if items.is_empty() {
                        items.push(fresh());
                    }
                    &mut items[0]
                }
                other => {
                    if !other.is_object() {
                        *other = Value::Object(Map::new());
                    }
                    let map = other.as_object_mut().expect("it is one");
                    if !map.contains_key(step) {
                        map.insert(step.clone(), fresh());
                    }
                    map.get_mut(step).expect("it is there")
                }
            };
            ty = inner;
        }
        *at = value;
        object
    }
}
