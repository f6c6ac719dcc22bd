//! A structural schema as the server works with it.

use json_tree::{Map, Value};

use crate::Pattern;

/// A node of a schema: what it says about one value and, below, about what is in that value.
///
/// The same type stands for the schemas inside `allOf`, `anyOf`, `oneOf` and `not`, which may only validate.
/// See <https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/custom-resource-definition-v1/#JSONSchemaProps>.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structural {
    /// `type`. None is any type.
    pub ty: Option<Type>,
    /// `nullable`: `null` is a value too.
    pub nullable: bool,
    /// `default`. `null` counts as none.
    pub default: Option<Value>,
    /// `properties`, in the order of the alphabet.
    pub properties: Vec<(String, Self)>,
    /// `additionalProperties`.
    pub additional_properties: Option<AdditionalProperties>,
    /// `items`.
    pub items: Option<Box<Self>>,
    /// `required`, in the order of the schema.
    pub required: Vec<String>,
    /// `x-kubernetes-preserve-unknown-fields`.
    pub preserve_unknown_fields: bool,
    /// `x-kubernetes-embedded-resource`.
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`.
    pub int_or_string: bool,
    /// `x-kubernetes-list-type`.
    pub list_type: Option<ListType>,
    /// `x-kubernetes-list-map-keys`.
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-map-type`.
    pub map_type: Option<MapType>,
    /// `format`, as the schema has it; empty if there is none.
    pub format: String,
    /// `enum`. An empty one allows everything.
    pub enumeration: Vec<Value>,
    /// `pattern`; empty if there is none.
    pub pattern: Pattern,
    /// `minimum`.
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`.
    pub exclusive_minimum: bool,
    /// `maximum`.
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`.
    pub exclusive_maximum: bool,
    /// `multipleOf`.
    pub multiple_of: Option<f64>,
    /// `minLength`, in characters.
    pub min_length: Option<i64>,
    /// `maxLength`, in characters.
    pub max_length: Option<i64>,
    /// `minItems`.
    pub min_items: Option<i64>,
    /// `maxItems`.
    pub max_items: Option<i64>,
    /// `uniqueItems`.
    pub unique_items: bool,
    /// `minProperties`.
    pub min_properties: Option<i64>,
    /// `maxProperties`.
    pub max_properties: Option<i64>,
    /// `allOf`.
    pub all_of: Vec<Self>,
    /// `anyOf`.
    pub any_of: Vec<Self>,
    /// `oneOf`.
    pub one_of: Vec<Self>,
    /// `not`.
    pub not: Option<Box<Self>>,
    /// `x-kubernetes-validations`.
    pub rules: Vec<Rule>,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Type {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
}

/// The rule of a map for the fields that are none of its properties: `additionalProperties`.
#[derive(Clone, Debug, PartialEq)]
pub enum AdditionalProperties {
    /// True if there may be any.
    Any(bool),
    /// The schema of their values.
    Schema(Box<Structural>),
}

/// How the items of a list are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListType {
    /// They are not: the list is one value.
    Atomic,
    /// By themselves: none may stand twice.
    Set,
    /// By the values of `x-kubernetes-list-map-keys`.
    Map,
}

/// The granularity of an object: whether its fields are values of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapType {
    /// They are.
    Granular,
    /// The object is one value.
    Atomic,
}

/// A rule of `x-kubernetes-validations`. What is not set is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// `rule`, an expression.
    pub rule: String,
    /// `message`.
    pub message: String,
    /// `messageExpression`.
    pub message_expression: String,
    /// `reason`.
    pub reason: Option<String>,
    /// `fieldPath`.
    pub field_path: String,
    /// `optionalOldSelf`.
    pub optional_old_self: Option<bool>,
}

impl Type {
    /// Every type.
    pub const ALL: [Self; 6] =
        [Self::Object, Self::Array, Self::String, Self::Integer, Self::Number, Self::Boolean];

    /// The type of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// The name in schemas.
    pub fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }
}

impl Structural {
    /// Reads the `openAPIV3Schema` of a definition that has passed validation. What has the wrong type, and what no
    /// field is for, is as if it were not there.
    pub fn parse(schema: &Value) -> Self {
        let mut node = Self::default();
        for (name, value) in schema.as_object().into_iter().flatten() {
            node.set(name, value);
        }
        node
    }

    fn set(&mut self, name: &str, value: &Value) {
        match name {
            "type" => self.ty = value.as_str().and_then(Type::of),
            "nullable" => self.nullable = is_true(value),
            "default" => self.default = (!value.is_null()).then(|| value.clone()),
            "properties" => self.properties = properties(value),
            "additionalProperties" => {
                self.additional_properties = match value {
                    Value::Bool(any) => Some(AdditionalProperties::Any(*any)),
                    Value::Object(_) => Some(AdditionalProperties::Schema(Box::new(Self::parse(value)))),
                    _ => None,
                };
            }
            "items" => self.items = boxed(value),
            "required" => self.required = texts(value),
            "x-kubernetes-preserve-unknown-fields" => self.preserve_unknown_fields = is_true(value),
            "x-kubernetes-embedded-resource" => self.embedded_resource = is_true(value),
            "x-kubernetes-int-or-string" => self.int_or_string = is_true(value),
            "x-kubernetes-list-type" => {
                self.list_type = match value.as_str() {
                    Some("atomic") => Some(ListType::Atomic),
                    Some("set") => Some(ListType::Set),
                    Some("map") => Some(ListType::Map),
                    _ => None,
                };
            }
            "x-kubernetes-list-map-keys" => self.list_map_keys = texts(value),
            "x-kubernetes-map-type" => {
                self.map_type = match value.as_str() {
                    Some("granular") => Some(MapType::Granular),
                    Some("atomic") => Some(MapType::Atomic),
                    _ => None,
                };
            }
            "format" => self.format = value.as_text().to_owned(),
            "enum" => self.enumeration = value.as_array().cloned().unwrap_or_default(),
            "pattern" => self.pattern = Pattern::new(value.as_str().unwrap_or_default()),
            "minimum" => self.minimum = value.as_f64(),
            "exclusiveMinimum" => self.exclusive_minimum = is_true(value),
            "maximum" => self.maximum = value.as_f64(),
            "exclusiveMaximum" => self.exclusive_maximum = is_true(value),
            "multipleOf" => self.multiple_of = value.as_f64(),
            "minLength" => self.min_length = value.as_i64(),
            "maxLength" => self.max_length = value.as_i64(),
            "minItems" => self.min_items = value.as_i64(),
            "maxItems" => self.max_items = value.as_i64(),
            "uniqueItems" => self.unique_items = is_true(value),
            "minProperties" => self.min_properties = value.as_i64(),
            "maxProperties" => self.max_properties = value.as_i64(),
            "allOf" => self.all_of = list(value),
            "anyOf" => self.any_of = list(value),
            "oneOf" => self.one_of = list(value),
            "not" => self.not = boxed(value),
            "x-kubernetes-validations" => {
                self.rules = value.as_array().into_iter().flatten().map(Rule::parse).collect();
            }
            _ => {}
        }
    }

    /// The schema of the property `name`.
    pub fn property(&self, name: &str) -> Option<&Self> {
        let found = self.properties.binary_search_by(|(key, _)| key.as_str().cmp(name)).ok()?;
        Some(&self.properties[found].1)
    }

    /// The schema of the values that are no properties, if they have one.
    pub fn additional(&self) -> Option<&Self> {
        match &self.additional_properties {
            Some(AdditionalProperties::Schema(schema)) => Some(schema),
            _ => None,
        }
    }

    /// The schema of the field `name`, be it a property or not.
    pub fn field(&self, name: &str) -> Option<&Self> {
        self.property(name).or_else(|| self.additional())
    }

    /// Reports whether there is a rule in this schema or anywhere below it.
    pub fn has_rules(&self) -> bool {
        !self.rules.is_empty() || self.children().any(Self::has_rules)
    }

    /// The schemas right below this one: items, properties, the values of maps, and those that only validate.
    pub fn children(&self) -> impl Iterator<Item = &Self> {
        let boxed = [self.items.as_deref(), self.additional(), self.not.as_deref()];
        boxed
            .into_iter()
            .flatten()
            .chain(self.properties.iter().map(|(_, schema)| schema))
            .chain([&self.all_of, &self.any_of, &self.one_of].into_iter().flatten())
    }
}

impl Rule {
    fn parse(rule: &Value) -> Self {
        let word = |name: &str| rule.get(name).map(|value| value.as_text().to_owned()).unwrap_or_default();
        Self {
            rule: word("rule"),
            message: word("message"),
            message_expression: word("messageExpression"),
            reason: rule.get("reason").and_then(Value::as_str).map(str::to_owned),
            field_path: word("fieldPath"),
            optional_old_self: rule.get("optionalOldSelf").and_then(Value::as_bool),
        }
    }
}

fn properties(value: &Value) -> Vec<(String, Structural)> {
    let mut sorted: Vec<(&String, &Value)> = value.as_object().into_iter().flat_map(Map::iter).collect();
    schema::sort_by(&mut sorted, |a, b| a.0.cmp(b.0));
    sorted.into_iter().map(|(name, schema)| (name.clone(), Structural::parse(schema))).collect()
}

fn boxed(value: &Value) -> Option<Box<Structural>> {
    value.is_object().then(|| Box::new(Structural::parse(value)))
}

fn list(value: &Value) -> Vec<Structural> {
    value.as_array().into_iter().flatten().map(Structural::parse).collect()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|value| value.as_text().to_owned()).collect()
}

fn is_true(value: &Value) -> bool {
    *value == Value::Bool(true)
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn a_schema_is_read_whole() {
        let schema = Structural::parse(&json!({
            "type": "object",
            "properties": {
                "b": {"type": "integer", "minimum": 2, "format": "int32", "nullable": true},
                "a": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            },
            "required": ["b"],
            "x-kubernetes-validations": [{"rule": "true", "optionalOldSelf": false}],
        }));
        assert_eq!(schema.ty, Some(Type::Object));
        let names: Vec<&str> = schema.properties.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let number = schema.property("b").cloned().unwrap_or_default();
        assert_eq!((number.minimum, number.format.as_str(), number.nullable), (Some(2.0), "int32", true));
        assert_eq!(schema.property("a").and_then(|list| list.list_type), Some(ListType::Set));
        assert_eq!(schema.property("c"), None);
        assert_eq!(schema.rules[0].optional_old_self, Some(false));
        assert!(schema.has_rules());
    }

    #[test]
    fn what_makes_no_sense_is_left_out() {
        let schema = Structural::parse(&json!({
            "type": ["object"], "properties": [], "items": [{}], "default": null, "maximum": "1", "nope": 1,
        }));
        assert_eq!(schema, Structural::default());
        assert_eq!(Structural::parse(&json!(null)), Structural::default());
    }

    #[test]
    fn fields_without_a_property_have_the_schema_of_the_map() {
        let schema = Structural::parse(&json!({"additionalProperties": {"type": "string"}}));
        assert_eq!(schema.field("x").and_then(|value| value.ty), Some(Type::String));
        let schema = Structural::parse(&json!({"additionalProperties": true}));
        assert_eq!(schema.additional_properties, Some(AdditionalProperties::Any(true)));
        assert_eq!(schema.field("x"), None);
    }
}
