//! The types that a schema declares, with what it tells of sizes.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules>
//! for which schema has which type. Who has a schema makes one of these of it, once, and gives it a name by
//! [`Declared::named`].

use std::sync::Arc;

use super::Type;

use crate::names::{RESERVED, escape};

/// The largest request, in bytes: without a limit in its schema nothing can be larger.
const REQUEST: u64 = 3 * 1024 * 1024;
/// The longest duration or time in JSON, with its quotation marks.
const LONGEST_TIME: u64 = 32;
/// A date in JSON, with its quotation marks.
const DATE: u64 = 12;

/// The declaration of a value, as a schema has it.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The shape of the value.
    pub shape: Shape,
    /// The type that expressions see.
    pub kind: Type,
    /// True if the value may be `null`.
    pub nullable: bool,
    /// The most items, entries, characters or bytes. 0 for what has none.
    pub max_elements: u64,
    /// The fewest bytes of it in JSON.
    pub min_size: u64,
}

/// The shape of a declared value.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Whatever the JSON is: what no schema describes.
    Any,
    /// An integer or a string: `x-kubernetes-int-or-string`.
    IntOrString,
    /// A boolean.
    Bool,
    /// An integer.
    Int,
    /// A number.
    Double,
    /// A string.
    String,
    /// A string of the format `byte`.
    Bytes,
    /// A string of the format `duration`.
    Duration,
    /// A string of the format `date`.
    Date,
    /// A string of the format `date-time`.
    DateTime,
    /// A list of items.
    List(Arc<Declared>, ListKind),
    /// An object with `additionalProperties`.
    Map(Arc<Declared>),
    /// An object with `properties`.
    Object(Arc<Object>),
}

/// The value of `x-kubernetes-list-type`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// A list like any other.
    Atomic,
    /// Every item once, in no order.
    Set,
    /// Items with these keys once each, in no order.
    Map(Vec<String>),
}

/// An object whose fields are declared.
#[derive(Debug, Default)]
pub struct Object {
    /// The name of the object in error texts. Objects with the same name are of the same type.
    pub name: String,
    /// The fields of the object, sorted by their names.
    pub(crate) fields: Vec<Field>,
    /// True if the object may have any other field, of which nothing is known.
    pub(crate) open: bool,
}

/// A field of an object.
#[derive(Clone, Debug)]
pub struct Field {
    /// The identifier in expressions.
    pub name: String,
    /// The key in JSON.
    pub key: String,
    /// The declaration of the field's value.
    pub declared: Declared,
}

impl Object {
    /// The field that expressions call `name`. A word that the language keeps for itself may stand as it is after a dot.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let named = |name: &str| {
            let index = self.fields.binary_search_by(|field| field.name.as_str().cmp(name)).ok()?;
            self.fields.get(index)
        };
        match named(name) {
            None if RESERVED.contains(&name) => named(&["__", name, "__"].concat()),
            found => found,
        }
    }

    /// The field under `key` in JSON.
    pub(crate) fn field_of_key(&self, key: &str) -> Option<&Field> {
        match self.field(key) {
            Some(field) if field.key == key => Some(field),
            _ => self.fields.iter().find(|field| field.key == key),
        }
    }
}

impl Declared {
    fn new(shape: Shape, kind: Type, max_elements: u64, min_size: u64) -> Self {
        Self { shape, kind, nullable: false, max_elements, min_size }
    }

    /// Anything at all.
    pub fn any() -> Self {
        Self { nullable: true, ..Self::new(Shape::Any, Type::Dyn, REQUEST - 2, 1) }
    }

    /// An integer or a string.
    pub fn int_or_string() -> Self {
        Self::new(Shape::IntOrString, Type::Dyn, REQUEST - 2, 1)
    }

    /// A boolean.
    pub fn bool() -> Self {
        Self::new(Shape::Bool, Type::Bool, 0, 4)
    }

    /// An integer.
    pub fn int() -> Self {
        Self::new(Shape::Int, Type::Int, 0, 1)
    }

    /// A number.
    pub fn double() -> Self {
        Self::new(Shape::Double, Type::Double, 0, 1)
    }

    /// A string of a format, of at most `max_length` characters, or one of an enumeration, the longest value of
    /// which has `longest_value` bytes. Formats that expressions know nothing of are like none.
    pub fn string(format: &str, max_length: Option<i64>, longest_value: Option<usize>) -> Self {
        let (shape, kind, fixed, min_size) = match format {
            "byte" => (Shape::Bytes, Type::Bytes, None, 2),
            "duration" => (Shape::Duration, Type::Duration, Some(LONGEST_TIME), 3),
            "date" => (Shape::Date, Type::Timestamp, Some(DATE), DATE),
            "date-time" => (Shape::DateTime, Type::Timestamp, Some(LONGEST_TIME), 21),
            _ => (Shape::String, Type::String, None, 2),
        };
        let longest_value =
            longest_value.filter(|_| matches!(shape, Shape::String)).map(|length| length as u64);
        let max_elements =
            fixed.or_else(|| max_length.map(not_negative)).or(longest_value).unwrap_or(REQUEST - 2);
        Self::new(shape, kind, max_elements, min_size)
    }

    /// A list of at most `max_items` items.
    pub fn list(items: Self, kind: ListKind, max_items: Option<i64>) -> Self {
        let most = max_items.map_or_else(|| (REQUEST - 2) / (items.min_size + 1), not_negative);
        let of = Type::list(items.kind.clone());
        Self::new(Shape::List(Arc::new(items), kind), of, most, 2)
    }

    /// An object of at most `max_properties` entries with `values`.
    pub fn map(values: Self, max_properties: Option<i64>) -> Self {
        let most = max_properties.map_or_else(|| (REQUEST - 2) / (values.min_size + 6), not_negative);
        let of = Type::map(Type::String, values.kind.clone());
        Self::new(Shape::Map(Arc::new(values)), of, most, 2)
    }

    /// An object with these properties: their names, what they hold, and whether they are always there and have no
    /// default. What no identifier can stand for is left out.
    pub fn object(properties: Vec<(String, Self, bool)>) -> Self {
        let mut min_size = 2;
        let mut fields = Vec::with_capacity(properties.len());
        for (key, declared, required) in properties {
            if required {
                min_size += key.len() as u64 + declared.min_size + 4;
            }
            if let Some(name) = escape(&key) {
                fields.push(Field { name, key, declared });
            }
        }
        schema::sort_by(&mut fields, |a, b| a.name.cmp(&b.name));
        Self::of_object(Object { name: "object".to_owned(), fields, open: false }, min_size)
    }

    /// An object called `name`, of which no more is declared than these fields.
    pub fn object_called(name: &str, properties: Vec<(String, Self, bool)>) -> Self {
        let declared = Self::object(properties);
        match declared.shape {
            Shape::Object(object) => {
                let fields = object.fields.clone();
                Self::of_object(Object { name: name.to_owned(), fields, open: false }, declared.min_size)
            }
            _ => declared,
        }
    }

    /// Whatever the JSON is, taken for a value of this type.
    pub fn of_type(kind: Type) -> Self {
        Self { kind, ..Self::any() }
    }

    fn of_object(object: Object, min_size: u64) -> Self {
        let object = Arc::new(object);
        Self::new(Shape::Object(object.clone()), Type::Object(object), 0, min_size)
    }

    /// The same, where `null` is a value too.
    #[must_use]
    pub fn or_null(self, nullable: bool) -> Self {
        Self { nullable, ..self }
    }

    /// The same, with the name `name` for an object, and names below it for what is inside.
    #[must_use]
    pub fn named(&self, name: &str) -> Self {
        let renamed = match &self.shape {
            Shape::List(items, kind) => {
                let items = items.named(&[name, ".@idx"].concat());
                let of = Type::list(items.kind.clone());
                Self::new(Shape::List(Arc::new(items), kind.clone()), of, self.max_elements, self.min_size)
            }
            Shape::Map(values) => {
                let values = values.named(&[name, ".@elem"].concat());
                let of = Type::map(Type::String, values.kind.clone());
                Self::new(Shape::Map(Arc::new(values)), of, self.max_elements, self.min_size)
            }
            Shape::Object(object) => {
                let fields = object.fields.iter().map(|field| Field {
                    declared: field.declared.named(&[name, ".", &field.name].concat()),
                    ..field.clone()
                });
                let fields = fields.collect();
                Self::of_object(Object { name: name.to_owned(), fields, open: object.open }, self.min_size)
            }
            _ => self.clone(),
        };
        renamed.or_null(self.nullable)
    }
}

fn not_negative(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
