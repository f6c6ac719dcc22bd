//! The fields of a kind, level by level: of a built-in one by the tables of types, of a custom one by the schema of its
//! definition.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema>

use std::sync::Arc;

use json_tree::{Map, Value};
use schema::{FieldType, Type, TypeId, Types};

use crate::model::request::schema::{META, Shape, Spot, facts, help_name, value_names};
use crate::ui::messages::explore as words;

/// The description of a value.
#[derive(Clone, Debug)]
pub(crate) enum Look {
    /// An object of a built-in type.
    Type(TypeId),
    /// The value of a field of a built-in type.
    Of(&'static FieldType),
    /// A value that a schema describes.
    Schema(Arc<Value>),
    /// A whole object, of whose own fields a schema tells.
    Object(Arc<Value>),
}

/// A field.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// The type of the field, in a word.
    pub(crate) ty: String,
    /// The other facts to know, in a few words each.
    pub(crate) facts: Vec<String>,
    pub(crate) about: About,
    pub(crate) required: bool,
    /// The description of its value.
    pub(crate) look: Look,
}

/// The documentation of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum About {
    #[default]
    Nothing,
    Said(String),
    /// To be looked up: the type, the field, and the names that its values go by.
    Help(String, String, Vec<String>),
}

/// The fields of a value, or of what is in its lists and maps.
pub(crate) fn fields(look: &Look) -> Vec<Field> {
    let types = Types::builtin();
    match look {
        Look::Type(id) => of_type(types.get(*id)),
        Look::Of(FieldType::List(inner) | FieldType::Map(inner)) => fields(&Look::Of(inner)),
        Look::Of(ty) => Shape::Of(ty).of_type().map(|id| of_type(types.get(id))).unwrap_or_default(),
        Look::Schema(schema) => {
            let schema = inner(schema);
            let own = properties(schema).iter().map(|(name, of)| of_schema(schema, name, of)).collect();
            if is_object(schema) { with_meta(own) } else { own }
        }
        Look::Object(schema) => {
            with_meta(properties(schema).iter().map(|(name, of)| of_schema(schema, name, of)).collect())
        }
    }
}

/// Reports whether a value has any fields.
pub(crate) fn has_fields(look: &Look) -> bool {
    match look {
        Look::Type(_) | Look::Object(_) => true,
        Look::Of(FieldType::List(inner) | FieldType::Map(inner)) => has_fields(&Look::Of(inner)),
        Look::Of(ty) => Shape::Of(ty).of_type().is_some(),
        Look::Schema(schema) => {
            let schema = inner(schema);
            is_object(schema) || !properties(schema).is_empty()
        }
    }
}

/// The type of the objects of a built-in resource.
pub(crate) fn of_built_in(resource: &schema::Resource) -> Option<Look> {
    resource.ty().map(Look::Type)
}

fn of_type(owner: &'static Type) -> Vec<Field> {
    let types = Types::builtin();
    let meta = META.iter().filter(|_| owner.type_meta).map(|name| Field {
        name: (*name).to_owned(),
        ty: "string".to_owned(),
        facts: Vec::new(),
        about: About::Help(help_name(owner), (*name).to_owned(), Vec::new()),
        required: false,
        look: Look::Of(&FieldType::String),
    });
    let own = owner.fields.iter().map(|field| {
        let spot =
            Spot { shape: Shape::Of(&field.ty), field: Some(field), owner: Some(owner), inside: false };
        Field {
            name: field.name.clone(),
            ty: field.go_type(types),
            facts: facts(field),
            about: About::Help(help_name(owner), field.name.clone(), value_names(&spot)),
            required: field.required,
            look: Look::Of(&field.ty),
        }
    });
    meta.chain(own).collect()
}

/// Kind and metadata, and then the fields that are an object's own.
fn with_meta(own: Vec<Field>) -> Vec<Field> {
    // As every object has them.
    let found = Types::builtin().find("k8s.io/api/core/v1", "Namespace");
    let mut all = found.map(|ty| fields(&Look::Type(ty))).unwrap_or_default();
    all.truncate(META.len() + 1);
    let new = |field: &Field, all: &[Field]| all.iter().all(|known| known.name != field.name);
    for field in own {
        if new(&field, &all) {
            all.push(field);
        }
    }
    all
}

fn of_schema(owner: &Value, name: &str, schema: &Value) -> Field {
    let required = requires(owner, name);
    let about = schema.get("description").and_then(Value::as_str);
    Field {
        name: name.to_owned(),
        ty: type_of(schema),
        facts: facts_of(schema, required),
        about: about.map_or(About::Nothing, |about| About::Said(about.to_owned())),
        required,
        look: Look::Schema(Arc::new(schema.clone())),
    }
}

/// Reports whether a schema requires this property.
pub(crate) fn requires(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|known| known == name))
}

/// Returns the properties of a schema.
pub(crate) fn properties(schema: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    schema.get("properties").and_then(Value::as_object).unwrap_or(&NONE)
}

/// The schema of what is in lists and maps; of anything else its own.
fn inner(mut schema: &Value) -> &Value {
    while let Some(within) = [schema.get("items"), schema.get("additionalProperties")]
        .into_iter()
        .flatten()
        .find(|within| within.is_object())
    {
        schema = within;
    }
    schema
}

fn is_object(schema: &Value) -> bool {
    schema.get("x-kubernetes-embedded-resource") == Some(&Value::Bool(true))
}

/// Returns the type of a schema's values, in a word.
pub(crate) fn type_of(schema: &Value) -> String {
    let (mut prefix, mut schema) = (String::new(), schema);
    loop {
        let within = |name: &str| schema.get(name).filter(|within| within.is_object());
        match (within("items"), within("additionalProperties")) {
            (Some(items), _) => {
                prefix.push_str("[]");
                schema = items;
            }
            (_, Some(values)) => {
                prefix.push_str("map[string]");
                schema = values;
            }
            _ => break,
        }
    }
    let own = match schema.get("type").and_then(Value::as_str) {
        Some(own) => own,
        None if schema.get("x-kubernetes-int-or-string").is_some() => words::INT_OR_STRING,
        None => words::ANYTHING,
    };
    prefix + own
}

/// Which words of a schema are told, and how each is called.
const FACTS: [(&str, &str); 17] = [
    ("enum", words::ONE_OF),
    ("default", words::DEFAULT),
    ("format", words::FORMAT),
    ("pattern", words::PATTERN),
    ("minimum", words::MINIMUM),
    ("exclusiveMinimum", words::EXCLUSIVE_MINIMUM),
    ("maximum", words::MAXIMUM),
    ("exclusiveMaximum", words::EXCLUSIVE_MAXIMUM),
    ("multipleOf", words::MULTIPLE),
    ("minLength", words::MIN_LENGTH),
    ("maxLength", words::MAX_LENGTH),
    ("minItems", words::MIN_ITEMS),
    ("maxItems", words::MAX_ITEMS),
    ("maxProperties", words::MAX_PROPERTIES),
    ("nullable", words::NULLABLE),
    ("x-kubernetes-list-type", words::LIST),
    ("x-kubernetes-list-map-keys", words::LIST_KEYS),
];

fn facts_of(schema: &Value, required: bool) -> Vec<String> {
    let mut told: Vec<String> = required.then(|| words::REQUIRED.to_owned()).into_iter().collect();
    for (name, word) in FACTS {
        match schema.get(name) {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) if name != "default" => told.push(word.to_owned()),
            Some(value) => told.push([word, " ", &plain(value)].concat()),
        }
    }
    told.extend(rules_of(schema).map(|rule| [words::RULE, " ", rule.0].concat()));
    told
}

/// The rules that a schema has itself, and what each says of what breaks it.
fn rules_of(schema: &Value) -> impl Iterator<Item = (&str, &str)> {
    let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array);
    rules.into_iter().flatten().filter_map(|rule| {
        let text = rule.get("rule")?.as_str()?;
        Some((text, rule.get("message").and_then(Value::as_str).unwrap_or(text)))
    })
}

/// Returns the message of every rule in a schema, which tells of what breaks the rule.
pub(crate) fn messages(schema: &Value) -> Vec<String> {
    let mut found: Vec<String> = rules_of(schema).map(|(_, message)| message.trim().to_owned()).collect();
    let within = ["items", "additionalProperties"].into_iter().filter_map(|name| schema.get(name));
    for below in properties(schema).values().chain(within) {
        found.extend(messages(below));
    }
    found
}

/// A value in a line: of a list its parts.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn names(look: &Look) -> Vec<String> {
        fields(look).into_iter().map(|field| [field.name, " ".to_owned(), field.ty].concat()).collect()
    }

    fn field(look: &Look, name: &str) -> Field {
        fields(look).into_iter().find(|field| field.name == name).unwrap()
    }

    #[test]
    fn built_in_kinds_level_by_level() {
        let pod = Look::Type(Types::builtin().find("k8s.io/api/core/v1", "Pod").unwrap());
        assert_eq!(names(&pod)[..3], ["apiVersion string", "kind string", "metadata v1.ObjectMeta"]);
        let spec = field(&pod, "spec").look;
        let containers = field(&spec, "containers");
        assert_eq!((containers.ty.as_str(), containers.required), ("[]v1.Container", true));
        let help = About::Help(
            "k8s.io/api/core/v1#PodSpec".to_owned(),
            "containers".to_owned(),
            vec!["v1.PodSpec.containers".to_owned()],
        );
        assert_eq!(containers.about, help);
        assert!(has_fields(&containers.look));
        assert!(names(&containers.look).contains(&"image string".to_owned()));
        let selector = field(&spec, "nodeSelector");
        assert!(!has_fields(&selector.look) && fields(&selector.look).is_empty());
    }

    #[test]
    fn custom_kinds_level_by_level() {
        let schema = json!({"type": "object", "required": ["spec"], "properties": {
            "metadata": {"type": "object"},
            "spec": {"type": "object", "description": "What is wished for.",
                "x-kubernetes-validations": [{"rule": "self.a <= self.b", "message": "too many"}],
                "properties": {
                    "policy": {"type": "string", "enum": ["Allow", "Forbid"], "default": "Allow"},
                    "ports": {"type": "array", "items": {"type": "object", "properties": {"port": {"type": "integer"}}}},
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                    "any": {"x-kubernetes-preserve-unknown-fields": true},
                    "either": {"x-kubernetes-int-or-string": true},
                    "template": {"type": "object", "x-kubernetes-embedded-resource": true},
                }},
        }});
        let look = Look::Object(Arc::new(schema.clone()));
        let spec = field(&look, "spec");
        assert_eq!(
            names(&look),
            ["apiVersion string", "kind string", "metadata v1.ObjectMeta", "spec object"]
        );
        assert_eq!(spec.facts, ["required", "rule self.a <= self.b"]);
        assert_eq!(spec.about, About::Said("What is wished for.".to_owned()));
        assert_eq!(
            names(&spec.look),
            [
                "policy string",
                "ports []object",
                "labels map[string]string",
                "any anything",
                "either integer or string",
                "template object",
            ]
        );
        assert_eq!(field(&spec.look, "policy").facts, ["one of Allow, Forbid", "default Allow"]);
        assert_eq!(names(&field(&spec.look, "ports").look), ["port integer"]);
        assert!(!has_fields(&field(&spec.look, "labels").look));
        assert_eq!(names(&field(&spec.look, "template").look).len(), 3);
        assert_eq!(messages(&schema), ["too many"]);
    }
}
