//! Finding one's way in the types of the built-in kinds: what stands at a path.

use schema::{Field, FieldType, ListType, Type, TypeId, Types};

use crate::ui::messages::editor as words;

/// The schema at a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    /// The shape of the value.
    pub(crate) shape: Shape,
    /// The field that it is the value of, or that it is in as an item or a value of a map.
    pub(crate) field: Option<&'static Field>,
    /// The type that has this field.
    pub(crate) owner: Option<&'static Type>,
    /// True if the value is in the field's list or map, and is not the field's whole value.
    pub(crate) inside: bool,
}

/// The shape of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    /// An object with these fields.
    Struct(TypeId),
    /// `kind` or `apiVersion`, whichever it is, of an object.
    Meta(&'static str),
    /// The type of a field, or of what is in the field.
    Of(&'static FieldType),
}

impl Shape {
    /// The type, if it is an object with fields.
    pub(crate) fn of_type(self) -> Option<TypeId> {
        match self {
            Self::Struct(id) => Some(id),
            Self::Of(
                FieldType::Struct(id)
                | FieldType::SchemaOrArray(id)
                | FieldType::SchemaOrBool(id)
                | FieldType::SchemaOrStrings(id),
            ) => Some(*id),
            _ => None,
        }
    }

    /// Returns what the value's JSON begins with: a brace, a bracket, a quotation mark, or an empty text if that is not
    /// known.
    pub(crate) fn begins(self) -> &'static str {
        let Self::Of(ty) = self else {
            return if matches!(self, Self::Meta(_)) { "\"" } else { "{" };
        };
        match ty {
            FieldType::Bool | FieldType::Int32 | FieldType::Int64 | FieldType::Float64 => "",
            FieldType::IntOrString | FieldType::Any => "",
            FieldType::List(_) | FieldType::Strings => "[",
            FieldType::Struct(_)
            | FieldType::Map(_)
            | FieldType::FieldsV1
            | FieldType::SchemaOrArray(_)
            | FieldType::SchemaOrBool(_)
            | FieldType::SchemaOrStrings(_) => "{",
            _ => "\"",
        }
    }
}

/// The names that every object has before its fields.
pub(crate) const META: [&str; 2] = ["apiVersion", "kind"];

/// Returns the schema at `path` in an object of type `ty`.
pub(crate) fn find<'p>(ty: TypeId, path: impl Iterator<Item = &'p str>) -> Option<Spot> {
    let mut spot = Spot { shape: Shape::Struct(ty), field: None, owner: None, inside: false };
    for step in path {
        spot = below(spot, step)?;
    }
    Some(spot)
}

/// Returns the schema at `step` in `spot`.
fn below(spot: Spot, step: &str) -> Option<Spot> {
    static TEXT: FieldType = FieldType::String;
    let types = Types::builtin();
    let inside = |ty| Some(Spot { shape: Shape::Of(ty), inside: true, ..spot });
    match spot.shape {
        Shape::Of(FieldType::List(item)) => inside(item),
        Shape::Of(FieldType::Map(value)) => inside(value),
        Shape::Of(FieldType::Strings) => inside(&TEXT),
        // A list of what could also be there alone.
        Shape::Of(FieldType::SchemaOrArray(_)) if step.parse::<usize>().is_ok() => {
            Some(Spot { inside: true, ..spot })
        }
        shape => {
            let owner = types.get(shape.of_type()?);
            if let Some(field) = owner.field(step) {
                return Some(Spot {
                    shape: Shape::Of(&field.ty),
                    field: Some(field),
                    owner: Some(owner),
                    inside: false,
                });
            }
            let meta = META.into_iter().find(|name| owner.type_meta && *name == step)?;
            Some(Spot { shape: Shape::Meta(meta), field: None, owner: Some(owner), inside: false })
        }
    }
}

/// By what the descriptions know a type.
pub(crate) fn help_name(ty: &Type) -> String {
    [&ty.package, "#", ty.short_name()].concat()
}

/// The names by which the values of what is there may be known: that of its Go type, and that of the field.
pub(crate) fn value_names(spot: &Spot) -> Vec<String> {
    let (Some(field), Some(owner)) = (spot.field, spot.owner) else { return Vec::new() };
    let go = field.go_type.as_deref().map(|name| name.trim_start_matches("[]").to_owned());
    go.into_iter().chain([[&owner.name, ".", &field.name].concat()]).collect()
}

/// Returns the facts about a field, in a few words each: whether it is required, how its list is merged, its default.
pub(crate) fn facts(field: &Field) -> Vec<String> {
    let mut facts = Vec::new();
    if field.required {
        facts.push(words::REQUIRED.to_owned());
    }
    match &field.list {
        Some(ListType::Map(keys)) => facts.push(words::list_map(&keys.join(", "))),
        Some(ListType::Set) => facts.push(words::LIST_SET.to_owned()),
        Some(ListType::Atomic) => facts.push(words::LIST_ATOMIC.to_owned()),
        None => {}
    }
    if field.map_atomic || field.struct_atomic {
        facts.push(words::ATOMIC.to_owned());
    }
    if field.patch_strategy.merge {
        facts.push(words::patch_merge(field.patch_merge_key.as_deref().unwrap_or_default()));
    }
    if field.patch_strategy.retain_keys {
        facts.push(words::PATCH_RETAIN.to_owned());
    }
    if let Some(default) = field.default.as_deref().filter(|default| *default != "{}") {
        facts.push(words::default(default));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod() -> TypeId {
        Types::builtin().find("k8s.io/api/core/v1", "Pod").unwrap()
    }

    #[track_caller]
    fn check(path: &str, expected: Option<(&str, &str, bool)>) {
        let spot = find(pod(), path.split('/').filter(|step| !step.is_empty()));
        let found = spot.map(|spot| {
            let field = spot.field.map_or("", |field| field.name.as_str());
            (field, spot.shape.begins(), spot.inside)
        });
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn finds_what_stands_at_a_path() {
        check("", Some(("", "{", false)));
        check("kind", Some(("", "\"", false)));
        check("spec", Some(("spec", "{", false)));
        check("spec/containers", Some(("containers", "[", false)));
        check("spec/containers/0", Some(("containers", "{", true)));
        check("spec/containers/0/name", Some(("name", "\"", false)));
        check("spec/containers/0/ports/1/containerPort", Some(("containerPort", "", false)));
        check("metadata/labels", Some(("labels", "{", false)));
        check("metadata/labels/app", Some(("labels", "\"", true)));
        check("spec/hostNetwork", Some(("hostNetwork", "", false)));
        check("spec/volumes/0/configMap/name", Some(("name", "\"", false)));
        check("spec/containers/0/livenessProbe/httpGet/port", Some(("port", "", false)));
        for nothing in
            ["nothing", "spec/nothing", "kind/x", "metadata/labels/app/x", "spec/containers/name/x/y"]
        {
            check(nothing, None);
        }
    }

    #[test]
    fn a_field_is_told_in_a_few_words() {
        let fact = |path: &str| facts(find(pod(), path.split('/')).unwrap().field.unwrap());
        assert_eq!(
            fact("spec/containers"),
            ["required", "list, merged by name", "strategic merge patch: merged by name"]
        );
        assert_eq!(fact("spec/containers/0/ports/0/protocol"), ["default \"TCP\""]);
        assert_eq!(fact("metadata/finalizers"), ["list, a set of values", "strategic merge patch: merged"]);
    }

    #[test]
    fn values_go_by_their_type_or_their_field() {
        let names = |path: &str| value_names(&find(pod(), path.split('/')).unwrap());
        assert_eq!(names("spec/restartPolicy"), ["v1.RestartPolicy", "v1.PodSpec.restartPolicy"]);
        assert_eq!(names("spec/os/name"), ["v1.PodOS.name"]);
        assert_eq!(names("spec"), ["v1.Pod.spec"]);
    }
}
