//! The properties of a type that Server-Side Apply needs to know.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy>

use json_tree::Value;
use schema::{Empty, Field, FieldType, ListType, Type, TypeId, Types};
use structural::{AdditionalProperties, MapType, Structural};

static STRING: FieldType = FieldType::String;

/// The type of a value, by where it is said.
#[derive(Clone, Copy, Debug)]
pub enum Shape<'a> {
    /// The type of a whole object.
    Object(TypeId),
    /// The value of a field.
    Field(&'a Field),
    /// An item of a list, or a value of a map.
    Type(&'a FieldType),
    /// A custom resource, or what its schema says of a part of one.
    Custom(Custom<'a>),
    /// Any value, of which maps are owned key by key.
    Deduced,
    /// Any value, which is owned as one.
    Atomic,
}

/// A part of a custom resource's schema.
#[derive(Clone, Copy, Debug)]
pub struct Custom<'a> {
    schema: &'a Structural,
    /// True if the part, or one around it, accepts unknown fields.
    preserves: bool,
    /// True if the part is an object with a kind, an API version and metadata.
    resource: bool,
}

impl<'a> Custom<'a> {
    fn part(self, schema: &'a Structural) -> Shape<'a> {
        let preserves = self.preserves || schema.preserve_unknown_fields;
        Shape::Custom(Custom { schema, preserves, resource: schema.embedded_resource })
    }
}

/// The possible kinds of a type's values. There is only one, except where the schema leaves it open.
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
    /// The shape of the items.
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
    /// The named fields, if it is a struct.
    ty: Option<&'a Type>,
    /// The named fields, if it is a part of a custom resource.
    custom: Option<Custom<'a>>,
    /// The type of its metadata, if it has metadata whatever its schema says.
    metadata: Option<TypeId>,
    /// The shape of its values, if it is a map.
    element: Option<Shape<'a>>,
    /// True if the map is owned as one value.
    pub atomic: bool,
}

impl<'a> Shape<'a> {
    /// The custom resource of a schema.
    pub fn custom(schema: &'a Structural) -> Self {
        Self::Custom(Custom { schema, preserves: schema.preserve_unknown_fields, resource: true })
    }

    /// An object that has nothing yet.
    pub fn empty(self, types: &Types) -> Value {
        match self {
            Self::Object(id) => schema::zero(types, id),
            _ => Value::Object(json_tree::Map::new()),
        }
    }

    /// Returns the possible kinds of a value of this shape.
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
            Self::Custom(custom) => of_custom(types, custom),
            Self::Deduced => deduced(),
            Self::Atomic => any(),
        }
    }
}

impl Atom<'_> {
    /// Returns whether the value can only be a list or a map that is owned as one value.
    pub fn is_whole(&self) -> bool {
        match (&self.scalar, &self.list, &self.map) {
            (None, Some(list), None) => list.relation == Relation::Atomic,
            (None, None, Some(map)) => map.atomic,
            _ => false,
        }
    }
}

fn of_custom<'a>(types: &'a Types, custom: Custom<'a>) -> Atom<'a> {
    let schema = custom.schema;
    let scalar = match schema.ty {
        Some(structural::Type::Object) => {
            return Atom { map: Some(custom_map(types, custom)), ..Atom::default() };
        }
        Some(structural::Type::Array) => {
            return Atom { list: Some(custom_list(custom)), ..Atom::default() };
        }
        Some(structural::Type::Integer | structural::Type::Number) => Scalar::Numeric,
        Some(structural::Type::Boolean) => Scalar::Boolean,
        // Texts of a format may be written in several ways.
        Some(structural::Type::String) if ["", "byte"].contains(&schema.format.as_str()) => Scalar::String,
        Some(structural::Type::String) => Scalar::Untyped,
        None => {
            return Atom {
                scalar: Some(Scalar::Untyped),
                list: Some(custom_list(custom)),
                map: Some(custom_map(types, custom)),
            };
        }
    };
    Atom { scalar: Some(scalar), ..Atom::default() }
}

fn custom_map<'a>(types: &'a Types, custom: Custom<'a>) -> Map<'a> {
    let schema = custom.schema;
    let element = match &schema.additional_properties {
        None if custom.preserves || schema.properties.is_empty() && !custom.resource => Some(Shape::Deduced),
        None | Some(AdditionalProperties::Any(false)) => None,
        Some(AdditionalProperties::Any(true)) => Some(Shape::Deduced),
        Some(AdditionalProperties::Schema(schema)) => Some(custom.part(schema)),
    };
    Map {
        ty: None,
        custom: Some(custom),
        metadata: types
            .find("k8s.io/apimachinery/pkg/apis/meta/v1", "ObjectMeta")
            .filter(|_| custom.resource),
        element,
        atomic: schema.map_type == Some(MapType::Atomic),
    }
}

fn custom_list<'a>(custom: Custom<'a>) -> List<'a> {
    let schema = custom.schema;
    let relation = match schema.list_type {
        Some(structural::ListType::Set) => Relation::Set,
        Some(structural::ListType::Map) => Relation::Map(&schema.list_map_keys),
        None | Some(structural::ListType::Atomic) => Relation::Atomic,
    };
    List { item: schema.items.as_deref().map_or(Shape::Deduced, |items| custom.part(items)), relation }
}

fn deduced<'a>() -> Atom<'a> {
    let map = Map { ty: None, custom: None, metadata: None, element: Some(Shape::Deduced), atomic: false };
    Atom { map: Some(map), ..any() }
}

fn structure(types: &Types, id: TypeId, atomic: bool) -> Atom<'_> {
    Atom {
        map: Some(Map { ty: Some(types.get(id)), custom: None, metadata: None, element: None, atomic }),
        ..Atom::default()
    }
}

fn map(value: &FieldType, atomic: bool) -> Atom<'_> {
    let element = Some(Shape::Type(value));
    Atom { map: Some(Map { ty: None, custom: None, metadata: None, element, atomic }), ..Atom::default() }
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
        map: Some(Map { ty: None, custom: None, metadata: None, element: Some(Shape::Atomic), atomic: true }),
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
        self.field(key).or(self.element)
    }

    /// The shape of a field that the struct names.
    fn field(&self, key: &str) -> Option<Shape<'a>> {
        if let Some(ty) = self.ty {
            return match ty.field(key) {
                Some(field) => Some(Shape::Field(field)),
                None if is_type_meta(ty, key) => Some(Shape::Type(&STRING)),
                None => None,
            };
        }
        let custom = self.custom?;
        match (key, self.metadata) {
            ("kind" | "apiVersion", Some(_)) => Some(Shape::Type(&STRING)),
            ("metadata", Some(metadata)) => Some(Shape::Object(metadata)),
            _ => custom.schema.property(key).map(|property| custom.part(property)),
        }
    }

    /// Returns whether an empty map is kept, as the maps of a custom resource are.
    pub fn stays_empty(&self) -> bool {
        self.custom.is_some() || matches!(self.element, Some(Shape::Deduced))
    }

    /// Returns whether the key is a field of a struct, and not just a key of a map.
    pub fn names(&self, key: &str) -> bool {
        self.field(key).is_some()
    }

    /// Returns the value of a struct's field that is not set: its default or, if the field is always written, its zero
    /// value.
    pub fn default_of(&self, types: &Types, key: &str) -> Option<Value> {
        if let Some(custom) = self.custom {
            return custom.schema.property(key).and_then(|property| property.default.clone());
        }
        let field = self.ty.and_then(|ty| ty.field(key))?;
        if let Some(text) = &field.default {
            return text.parse().ok();
        }
        let zero = (field.empty == Empty::Keep).then(|| schema::zero_value(types, &field.ty));
        zero.filter(|zero| zero.is_string() || zero.is_number() || zero.is_boolean())
    }
}

fn is_type_meta(ty: &Type, key: &str) -> bool {
    ty.type_meta && matches!(key, "kind" | "apiVersion")
}
