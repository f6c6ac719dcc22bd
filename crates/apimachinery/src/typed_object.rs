//! Objects with their types, read and written as Go code reads and writes structs.

use json_tree::{Map, Value};
use schema::{Empty, Field, FieldType, Type, Types};

/// A struct: a JSON object and the type that gives its fields their order.
pub struct TypedObject<'a> {
    types: &'a Types,
    ty: &'a Type,
    map: &'a mut Map<String, Value>,
}

impl<'a> TypedObject<'a> {
    /// A JSON object and its type.
    pub fn new(types: &'a Types, ty: &'a Type, map: &'a mut Map<String, Value>) -> Self {
        Self { types, ty, map }
    }

    /// An object of a built-in kind: `builtin("k8s.io/api/core/v1", "Pod", map)`.
    pub fn builtin(package: &str, name: &str, map: &'a mut Map<String, Value>) -> Option<Self> {
        let types = Types::builtin();
        let ty = types.get(types.find(package, name)?);
        Some(Self { types, ty, map })
    }

    /// The value of a field; `null` counts as none.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// A string field; empty if it is not there.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// An integer field; 0 if it is not there.
    pub fn number(&self, name: &str) -> i64 {
        self.get(name).and_then(Value::as_i64).unwrap_or_default()
    }

    /// A list field; empty if it is not there.
    pub fn list(&self, name: &str) -> &[Value] {
        self.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// A map or struct field.
    pub fn map(&self, name: &str) -> Option<&Map<String, Value>> {
        self.get(name).and_then(Value::as_object)
    }

    /// The names of the fields that are set to anything.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.map.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name.as_str())
    }

    /// Reports whether Go sees a value in the field: for a pointer anything, for the others what is not zero.
    pub fn is_set(&self, name: &str) -> bool {
        match (self.get(name), self.ty.field(name)) {
            (None, _) => false,
            (Some(value), Some(field)) => is_pointer(field) || !is_zero(value),
            (Some(_), None) => true,
        }
    }

    /// Reports whether Go's encoder leaves the field out when nothing is in it.
    pub fn is_left_out(&self, name: &str) -> bool {
        self.ty.field(name).is_some_and(|field| matches!(field.empty, Empty::Omit | Empty::Pointer))
    }

    /// Sets a field, at its place in the order of the struct. A name that the type does not have is
    /// left out.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        if let Some(present) = self.map.get_mut(name) {
            *present = value.into();
        } else if let Some(position) = self.ty.position(name) {
            let at = self.place_of(position);
            self.map.shift_insert(at, name.to_owned(), value.into());
        }
    }

    /// Sets a field that is not set.
    pub fn default(&mut self, name: &str, value: impl Into<Value>) {
        if !self.is_set(name) {
            self.set(name, value);
        }
    }

    /// Removes a field, and returns what was in it.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.map.shift_remove(name)
    }

    /// The struct in a field, a zero one if there is none.
    pub fn ensure(&mut self, name: &str) -> Option<TypedObject<'_>> {
        if self.get(name).is_none()
            && let Some(FieldType::Struct(id)) = self.ty.field(name).map(|field| &field.ty)
        {
            self.set(name, schema::zero(self.types, *id));
        }
        self.child(name)
    }

    /// The struct in a field.
    pub fn child(&mut self, name: &str) -> Option<TypedObject<'_>> {
        let FieldType::Struct(id) = self.ty.field(name)?.ty else {
            return None;
        };
        let map = self.map.get_mut(name)?.as_object_mut()?;
        Some(TypedObject { types: self.types, ty: self.types.get(id), map })
    }

    /// Calls a function with each struct of a list.
    pub fn for_each(&mut self, name: &str, mut visit: impl FnMut(&mut TypedObject<'_>)) {
        let Some(FieldType::List(item)) = self.ty.field(name).map(|field| &field.ty) else {
            return;
        };
        let FieldType::Struct(id) = **item else {
            return;
        };
        let ty = self.types.get(id);
        for item in self.map.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Value::Object(map) = item {
                visit(&mut TypedObject { types: self.types, ty, map });
            }
        }
    }

    /// Puts `kind` and `apiVersion` first, in place of others.
    pub fn set_type_meta(&mut self, kind: &str, api_version: &str) {
        for (at, name, value) in [(0, "kind", kind), (1, "apiVersion", api_version)] {
            self.map.shift_remove(name);
            self.map.shift_insert(at, name.to_owned(), Value::from(value));
        }
    }

    /// How many keys precede a field of this position. The keys are in the order of the fields, so the first that
    /// does, from the last on, tells it.
    fn place_of(&self, position: usize) -> usize {
        let mut place = self.map.len();
        for (at, key) in self.map.keys().enumerate().rev() {
            match self.ty.position(key) {
                Some(other) if other > position => place = at,
                Some(_) => break,
                None => {}
            }
        }
        place
    }
}

/// Makes a struct of a type with what `pairs` (own field, other's field) takes from `other`; the rest is as in an empty
/// one.
pub fn renamed(
    package: &str,
    name: &str,
    other: &Map<String, Value>,
    pairs: impl Iterator<Item = (&'static str, &'static str)>,
) -> Map<String, Value> {
    let types = Types::builtin();
    let zero = types.find(package, name).map(|ty| schema::zero(types, ty));
    let mut object = match zero {
        Some(Value::Object(zero)) => zero,
        _ => Map::new(),
    };
    if let Some(mut fields) = TypedObject::builtin(package, name, &mut object) {
        for (own, others) in pairs {
            if let Some(value) = other.get(others) {
                fields.set(own, value.clone());
                // What one version writes although it is empty, the other may leave out.
                if !fields.is_set(own) && fields.is_left_out(own) {
                    fields.remove(own);
                }
            }
        }
    }
    object
}

/// Inserts many entries into a Go map, which is written in the order of its keys.
pub fn extend_sorted(map: &mut Map<String, Value>, entries: impl IntoIterator<Item = (String, Value)>) {
    map.extend(entries);
    map.sort_keys();
}

/// Inserts into a Go map, which is written in the order of its keys.
pub fn insert_sorted(map: &mut Map<String, Value>, key: &str, value: Value) {
    if let Some(present) = map.get_mut(key) {
        *present = value;
        return;
    }
    let at = map.keys().position(|present| present.as_str() > key).unwrap_or(map.len());
    map.shift_insert(at, key.to_owned(), value);
}

/// Reports whether Go has a pointer in the field, which is nil when it is unset, rather than a value.
pub fn is_pointer(field: &Field) -> bool {
    matches!(field.empty, Empty::Pointer | Empty::Null)
}

/// Reports whether a value is the zero value of its Go type.
pub fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}
