//! The schema of the members of an object.

use schema::{Empty, Field, FieldType, PatchStrategy, TypeId, Types};

use crate::Error;

/// The type of an object or list item, as far as a merge needs it.
#[derive(Clone, Copy)]
pub(super) struct Schema<'t> {
    types: &'t Types,
    shape: Shape<'t>,
}

#[derive(Clone, Copy)]
enum Shape<'t> {
    /// A struct whose fields the table has.
    Struct(TypeId),
    /// A struct that decodes itself: to a merge it has no fields.
    Opaque(&'t str),
    /// Anything else, by what Go calls its kind.
    Other(&'static str),
}

/// A member that both sides have.
pub(super) struct Member<'t> {
    /// The type of the value, or for a list of its items.
    pub(super) schema: Schema<'t>,
    pub(super) strategy: PatchStrategy,
    /// By which field the items of a list are told apart.
    pub(super) merge_key: Option<&'t str>,
}

impl<'t> Schema<'t> {
    pub(super) fn new(types: &'t Types, ty: TypeId) -> Self {
        Self { types, shape: Shape::Struct(ty) }
    }

    /// Returns Go's name for the kind of the type.
    pub(super) fn kind(self) -> &'static str {
        match self.shape {
            Shape::Struct(_) | Shape::Opaque(_) => "struct",
            Shape::Other(kind) => kind,
        }
    }

    /// The member `name`, whose value is a map.
    pub(super) fn member(self, name: &str) -> Result<Member<'t>, Error> {
        let field = self.field(name)?;
        Ok(self.member_of(field, &field.ty, field.go_type.as_deref()))
    }

    /// The member `name`, whose value is a list.
    pub(super) fn list(self, name: &str) -> Result<Member<'t>, Error> {
        let field = self.field(name)?;
        let item = match &field.ty {
            FieldType::List(item) => item,
            FieldType::Strings => &FieldType::String,
            FieldType::Bytes => &FieldType::Int32,
            other if matches!(field.empty, Empty::Pointer | Empty::Null) => other,
            _ => {
                let kind = self.kind();
                return Err(Error::unclassified(format!("expected slice or array type, but got: {kind}")));
            }
        };
        if matches!(item, FieldType::List(_) | FieldType::Strings | FieldType::Bytes) {
            return Err(Error::unclassified("unexpected slice of slice"));
        }
        Ok(self.member_of(field, item, field.go_type.as_deref().and_then(|name| name.strip_prefix("[]"))))
    }

    fn member_of(self, field: &'t Field, ty: &'t FieldType, go_type: Option<&'t str>) -> Member<'t> {
        Member {
            schema: Self { types: self.types, shape: shape(ty, go_type) },
            strategy: field.patch_strategy,
            merge_key: field.patch_merge_key.as_deref(),
        }
    }

    /// Go takes a field of another letter case if there is none of the very name.
    fn field(self, name: &str) -> Result<&'t Field, Error> {
        let short = match self.shape {
            Shape::Struct(id) => {
                let ty = self.types.get(id);
                let folded = || ty.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name));
                if let Some(field) = ty.field(name).or_else(folded) {
                    return Ok(field);
                }
                ty.short_name()
            }
            Shape::Opaque(go_type) => go_type.rsplit_once('.').map_or(go_type, |(_, short)| short),
            Shape::Other(kind) => {
                return Err(Error::unclassified(format!(
                    "merging an object in json but data type is not struct, instead is: {kind}"
                )));
            }
        };
        Err(Error::unclassified(format!(
            "unable to find api field in struct {short} for the json field {name:?}"
        )))
    }
}

fn shape<'t>(ty: &'t FieldType, go_type: Option<&'t str>) -> Shape<'t> {
    let opaque = |name| Shape::Opaque(go_type.unwrap_or(name));
    match ty {
        FieldType::Struct(id) => Shape::Struct(*id),
        FieldType::Any => opaque("RawExtension"),
        FieldType::FieldsV1 => opaque("FieldsV1"),
        FieldType::Time => opaque("Time"),
        FieldType::MicroTime => opaque("MicroTime"),
        FieldType::Duration => opaque("Duration"),
        FieldType::Quantity => opaque("Quantity"),
        FieldType::IntOrString => opaque("IntOrString"),
        FieldType::SchemaOrArray(_) => opaque("JSONSchemaPropsOrArray"),
        FieldType::SchemaOrBool(_) => opaque("JSONSchemaPropsOrBool"),
        FieldType::SchemaOrStrings(_) => opaque("JSONSchemaPropsOrStringArray"),
        FieldType::Bool => Shape::Other("bool"),
        FieldType::Int32 => Shape::Other("int32"),
        FieldType::Int64 => Shape::Other("int64"),
        FieldType::Float64 => Shape::Other("float64"),
        FieldType::String => Shape::Other("string"),
        FieldType::Map(_) => Shape::Other("map"),
        FieldType::List(_) | FieldType::Strings | FieldType::Bytes => Shape::Other("slice"),
    }
}
