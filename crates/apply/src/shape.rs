//! What Server-Side Apply has to know of a type.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy>

use schema::{Empty, Field, FieldType, ListType, Type, TypeId, Types};
use serde_json::Value;

static STRING: FieldType = FieldType::String;

/// The type of a value, by where it is said.
#[derive(Clone, Copy, Debug)]
pub enum Shape<'a> {
    /// The struct that an object as a whole is.
    Object(TypeId),
    /// What a field holds.
    Field(&'a Field),
    /// What a list or a map holds.
    Type(&'a FieldType),
    /// Any value, which is owned as one.
    Atomic,
}

/// What a value of a type can be. Only one of it, but where the schema leaves that open.
#[derive(Clone, Copy, Debug, Default)]
pub struct Atom<'a> {
    /// A scalar.
    pub scalar: Option<Scalar>,
    /// A list.
    pub list: Option<List<'a>>,
    /// A struct or a map.
    pub map: Option<Map<'a>>,
}

/// A kind of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A number, whole or not.
    Numeric,
    /// Text.
    String,
    /// `true` or `false`.
    Boolean,
    /// Any of these.
    Untyped,
}

/// A list.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    /// What its items are.
    pub item: Shape<'a>,
    /// How items are told apart.
    pub relation: Relation<'a>,
}

/// How the items of a list are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation<'a> {
    /// They are not: the list is one value.
    Atomic,
    /// By their values, which are scalars.
    Set,
    /// By these of their fields.
    Map(&'a [String]),
}

/// A struct or a map.
#[derive(Clone, Copy, Debug)]
pub struct Map<'a> {
    /// Its named fields, if it is a struct.
    ty: Option<&'a Type>,
    /// What its values are, if it is a map.
    element: Option<Shape<'a>>,
    /// Whether it is one value.
    pub atomic: bool,
}

impl<'a> Shape<'a> {
    /// What a value of this shape can be.
    pub fn resolve(self, types: &'a Types) -> Atom<'a> {
        match self {
            Self::Object(id) => structure(types, id, false),
            Self::Field(field) => match &field.ty {
                FieldType::List(item) => list(item, field.list.as_ref()),
                FieldType::Map(value) => map(value, field.map_atomic),
                FieldType::Struct(id) => structure(types, *id, field.struct_atomic),
                ty => scalar(ty),
            },
            Self::Type(ty) => match ty {
                FieldType::List(item) => list(item, None),
                FieldType::Map(value) => map(value, false),
                FieldType::Struct(id) => structure(types, *id, types.get(*id).atomic),
                ty => scalar(ty),
            },
            Self::Atomic => any(),
        }
    }
}

fn structure(types: &Types, id: TypeId, atomic: bool) -> Atom<'_> {
    Atom { map: Some(Map { ty: Some(types.get(id)), element: None, atomic }), ..Atom::default() }
}

fn map(value: &FieldType, atomic: bool) -> Atom<'_> {
    Atom { map: Some(Map { ty: None, element: Some(Shape::Type(value)), atomic }), ..Atom::default() }
}

fn list<'a>(item: &'a FieldType, list: Option<&'a ListType>) -> Atom<'a> {
    let relation = match list {
        None | Some(ListType::Atomic) => Relation::Atomic,
        Some(ListType::Set) => Relation::Set,
        Some(ListType::Map(keys)) => Relation::Map(keys),
    };
    Atom { list: Some(List { item: Shape::Type(item), relation }), ..Atom::default() }
}

fn any<'a>() -> Atom<'a> {
    Atom {
        scalar: Some(Scalar::Untyped),
        list: Some(List { item: Shape::Atomic, relation: Relation::Atomic }),
        map: Some(Map { ty: None, element: Some(Shape::Atomic), atomic: true }),
    }
}

fn scalar(ty: &FieldType) -> Atom<'_> {
    let scalar = match ty {
        FieldType::Bool => Scalar::Boolean,
        FieldType::Int32 | FieldType::Int64 | FieldType::Float64 => Scalar::Numeric,
        FieldType::String | FieldType::Bytes | FieldType::Duration => Scalar::String,
        FieldType::Time | FieldType::MicroTime | FieldType::Quantity | FieldType::IntOrString => {
            Scalar::Untyped
        }
        FieldType::Strings => return list(&STRING, None),
        _ => return any(),
    };
    Atom { scalar: Some(scalar), ..Atom::default() }
}

impl<'a> Map<'a> {
    /// The shape of the value of a key. `None` if the struct has no such field.
    pub fn child(&self, key: &str) -> Option<Shape<'a>> {
        match self.ty {
            None => self.element,
            Some(ty) => match ty.field(key) {
                Some(field) => Some(Shape::Field(field)),
                None if is_type_meta(ty, key) => Some(Shape::Type(&STRING)),
                None => None,
            },
        }
    }

    /// Whether its keys are a struct's fields, and not just a map's keys.
    pub fn is_struct(&self) -> bool {
        self.ty.is_some()
    }

    /// What a struct's field has if it is not set: its default, or if it is always written its zero value.
    pub fn default_of(&self, types: &Types, key: &str) -> Option<Value> {
        let field = self.ty.and_then(|ty| ty.field(key))?;
        if let Some(text) = &field.default {
            return serde_json::from_str(text).ok();
        }
        let zero = (field.empty == Empty::Keep).then(|| schema::zero_value(types, &field.ty));
        zero.filter(|zero| zero.is_string() || zero.is_number() || zero.is_boolean())
    }
}

fn is_type_meta(ty: &Type, key: &str) -> bool {
    ty.type_meta && matches!(key, "kind" | "apiVersion")
}
