//! The object that Go's encoder makes of a struct, from the fields that there are.

use json_tree::{Map, Value};

use crate::types::{Empty, Field, FieldType, Type, Types};
use crate::zero::{is_zero, zero_value};

/// The fields that embedded `TypeMeta` adds to a struct, in its order.
pub(crate) const TYPE_META: [&str; 2] = ["kind", "apiVersion"];

/// Which field of [`TYPE_META`] this is, if it is one.
pub(crate) fn type_meta(name: &str) -> Option<usize> {
    TYPE_META.iter().position(|field| *field == name)
}

/// The fields of a struct while it is read. [`Fields::finish`] makes the object of them: in the struct's order, without
/// those that are empty and left out, and with those that are always written.
///
/// ```
/// use schema::{Fields, Types};
///
/// let types = Types::builtin();
/// let ty = types.get(types.find("k8s.io/api/core/v1", "ContainerPort").unwrap());
/// let mut fields = Fields::new(ty, &mut None, 2);
/// *fields.value(ty.position("hostPort").unwrap()) = Some(0.into());
/// *fields.value(ty.position("name").unwrap()) = Some("web".into());
/// assert_eq!(fields.finish(types, ty).to_string(), r#"{"name":"web","containerPort":0}"#);
/// ```
pub struct Fields {
    /// In the order of their indices.
    all: Vec<Slot>,
}

/// The place of a field. An empty one is Go's `nil`, or a zero value that nothing has touched.
pub(crate) struct Slot {
    /// First come the fields of [`TYPE_META`], then those of the type.
    index: usize,
    /// True if this object has the field; the value may come from an earlier object.
    pub(crate) seen: bool,
    pub(crate) value: Option<Value>,
}

impl Fields {
    /// The fields as an earlier object left them, which is taken, with room for more.
    pub fn new(ty: &Type, before: &mut Option<Value>, more: usize) -> Self {
        let all = Vec::with_capacity(more.min(ty.fields.len() + TYPE_META.len()));
        let mut fields = Self { all };
        if let Some(Value::Object(before)) = before {
            for (name, value) in std::mem::take(before) {
                let field = || ty.position(&name).map(|index| TYPE_META.len() + index);
                if let Some(index) = type_meta(&name).filter(|_| ty.type_meta).or_else(field) {
                    fields.at(index).value = Some(value);
                }
            }
        }
        fields
    }

    /// Returns the value of the field at this index of [`Type::fields`].
    pub fn value(&mut self, index: usize) -> &mut Option<Value> {
        &mut self.at(TYPE_META.len() + index).value
    }

    /// Reports whether there is a value at this index of [`Type::fields`].
    pub fn has(&self, index: usize) -> bool {
        self.find(TYPE_META.len() + index).is_ok_and(|at| self.all[at].value.is_some())
    }

    /// Puts the maps among the fields into the order of their keys, as Go writes them.
    pub fn sort_maps(&mut self, ty: &Type) {
        for slot in &mut self.all {
            let field = slot.index.checked_sub(TYPE_META.len()).map(|index| &ty.fields[index].ty);
            if let (Some(FieldType::Map(_)), Some(Value::Object(map))) = (field, &mut slot.value) {
                map.sort_keys();
            }
        }
    }

    /// Returns the position of the field of an index, or the position where it would be. Mostly they come in order.
    fn find(&self, index: usize) -> Result<usize, usize> {
        match self.all.last() {
            Some(last) if index <= last.index => self.all.binary_search_by_key(&index, |slot| slot.index),
            _ => Err(self.all.len()),
        }
    }

    pub(crate) fn at(&mut self, index: usize) -> &mut Slot {
        let at = self.find(index).unwrap_or_else(|at| {
            self.all.insert(at, Slot { index, seen: false, value: None });
            at
        });
        &mut self.all[at]
    }

    /// The object.
    pub fn finish(mut self, types: &Types, ty: &Type) -> Value {
        let mut object = Map::with_capacity(self.all.len().max(ty.always().len()));
        let mut slots = self.all.iter_mut().peekable();
        for (index, name) in TYPE_META.into_iter().enumerate() {
            if let Some(Slot { value: Some(value), .. }) = slots.next_if(|slot| slot.index == index)
                && !is_empty(value)
            {
                object.push(name.to_owned(), std::mem::take(value));
            }
        }
        // Of the other fields, those that are always written, and between them those that there are.
        for always in ty.always() {
            let place = TYPE_META.len() + always;
            while let Some(slot) = slots.next_if(|slot| slot.index < place) {
                write(types, &ty.fields[slot.index - TYPE_META.len()], Some(slot), &mut object);
            }
            write(types, &ty.fields[always], slots.next_if(|slot| slot.index == place), &mut object);
        }
        for slot in slots {
            write(types, &ty.fields[slot.index - TYPE_META.len()], Some(slot), &mut object);
        }
        Value::Object(object)
    }
}

/// Writes a field that holds this value as Go's encoder does.
fn write(types: &Types, field: &Field, slot: Option<&mut Slot>, object: &mut Map<String, Value>) {
    let value = match slot.and_then(|slot| slot.value.as_mut()) {
        Some(value) => {
            let left_out = field.empty == Empty::Omit
                && match field.ty {
                    FieldType::Struct(id) => is_zero(types, id, value),
                    _ => is_empty(value),
                };
            if left_out {
                return;
            }
            std::mem::take(value)
        }
        None => match field.empty {
            Empty::Omit | Empty::Pointer => return,
            Empty::Null => Value::Null,
            Empty::Keep => zero_value(types, &field.ty),
        },
    };
    object.push(field.name.as_str().to_owned(), value);
}

/// Reports whether `omitempty` leaves the value out.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(bool) => !bool,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
    }
}
