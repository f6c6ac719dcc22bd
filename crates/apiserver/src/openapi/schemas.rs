//! Schemas of the built-in types, out of the table of types.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#api-terminology>

use descriptions::DescribedField;
use json_tree::{Map, Value, json};
use schema::{Empty, Field, FieldType, ListType, Type, TypeId, Types};

use super::order::in_order;
use super::{Edition, Kind};
use crate::document::META;

const RESOURCE: &str = "k8s.io/apimachinery/pkg/api/resource";
const INTSTR: &str = "k8s.io/apimachinery/pkg/util/intstr";
const RUNTIME: &str = "k8s.io/apimachinery/pkg/runtime";
const EXTENSIONS: &str = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1";

/// Types that have a schema of their own but no fields: package, name, type and format. Both may be empty.
const PLAIN: &[(&str, &str, &str, &str)] = &[
    (META, "Time", "string", "date-time"),
    (META, "MicroTime", "string", "date-time"),
    (META, "Duration", "string", ""),
    (META, "FieldsV1", "object", ""),
    (META, "Patch", "object", ""),
    (RESOURCE, "Quantity", "string", ""),
    (INTSTR, "IntOrString", "string", "int-or-string"),
    (RUNTIME, "RawExtension", "object", ""),
    (EXTENSIONS, "JSON", "", ""),
    (EXTENSIONS, "JSONSchemaPropsOrArray", "", ""),
    (EXTENSIONS, "JSONSchemaPropsOrBool", "", ""),
    (EXTENSIONS, "JSONSchemaPropsOrStringArray", "", ""),
];

/// The descriptions of a list, of its items, and of its metadata.
pub(super) struct ListWords {
    pub(super) about: String,
    pub(super) items: String,
    pub(super) metadata: String,
}

/// The schemas that a document needs: those that it refers to, and those that these refer to.
pub(super) struct Schemas<'a> {
    pub(super) edition: Edition,
    /// True if CBOR is among the media types of objects.
    pub(super) cbor: bool,
    types: &'static Types,
    /// The types that are kinds, with the group and the version of each.
    kinds: &'a [(TypeId, Kind<'a>)],
    /// Every group and version.
    versions: &'a [(&'a str, &'a str)],
    known: Vec<TypeId>,
    next: usize,
    done: Vec<(String, Value)>,
}

impl<'a> Schemas<'a> {
    pub(super) fn new(
        edition: Edition,
        kinds: &'a [(TypeId, Kind<'a>)],
        versions: &'a [(&'a str, &'a str)],
        cbor: bool,
    ) -> Self {
        let types = Types::builtin();
        Self { edition, cbor, types, kinds, versions, known: Vec::new(), next: 0, done: Vec::new() }
    }

    /// A reference to a type, which the document then has.
    pub(super) fn refer(&mut self, ty: TypeId) -> Value {
        if !self.known.contains(&ty) {
            self.known.push(ty);
        }
        let ty = self.types.get(ty);
        self.to(&full_name(&ty.package, ty.short_name()))
    }

    /// The same for a type of `meta/v1`, by its name.
    pub(super) fn refer_to_meta(&mut self, name: &str) -> Value {
        match self.types.find(META, name) {
            Some(ty) => self.refer(ty),
            None => self.refer_to_plain(META, name),
        }
    }

    /// The same for a list of a type.
    pub(super) fn refer_to_list(&mut self, ty: TypeId, kind: &Kind<'_>) -> Value {
        let item = self.refer(ty);
        let ty = self.types.get(ty);
        let short = [ty.short_name(), "List"].concat();
        let words = descriptions::of(&ty.package, &short);
        let words = ListWords {
            about: words.about(),
            items: words.field("items").about(),
            metadata: words.field("metadata").about(),
        };
        let kind = Kind { name: &[kind.name, "List"].concat(), ..*kind };
        self.list(full_name(&ty.package, &short), (item, Some(json!({}))), &kind, &words, None)
    }

    /// A reference to a list, which the document then has. `item` is the schema of its items, and beside it the default of its metadata;
    /// `more` is an extension.
    pub(super) fn list(
        &mut self,
        name: String,
        (item, default): (Value, Option<Value>),
        kind: &Kind<'_>,
        words: &ListWords,
        more: Option<(&str, Value)>,
    ) -> Value {
        let reference = self.to(&name);
        if self.has(&name) {
            return reference;
        }
        let metadata = self.refer_to_meta("ListMeta");
        let items = json!({ "type": "array", "items": item });
        let mut schema = json!({
            "type": "object",
            "required": ["items"],
            "properties": {
                "apiVersion": (self.type_meta("apiVersion")),
                "items": (self.with_facts(items, &words.items, None)),
                "kind": (self.type_meta("kind")),
                "metadata": (self.with_facts(metadata, &words.metadata, default)),
            },
            KIND: [kind.shown()],
        });
        if let Some((name, value)) = more {
            schema[name] = value;
        }
        let schema = self.with_facts(schema, &words.about, None);
        self.add(name, schema);
        reference
    }

    /// Adds a schema that is made elsewhere.
    pub(super) fn add(&mut self, name: String, schema: Value) {
        if !self.has(&name) {
            self.done.push((name, schema));
        }
    }

    /// A reference to the schema of this name.
    pub(super) fn to(&self, name: &str) -> Value {
        let place = match self.edition {
            Edition::V2 => "#/definitions/",
            Edition::V3 => "#/components/schemas/",
        };
        json!({ "$ref": ([place, name].concat()) })
    }

    /// All of them, in the order of their names.
    pub(super) fn finish(mut self) -> Value {
        while let Some(ty) = self.known.get(self.next).copied() {
            self.next += 1;
            let own = self.types.get(ty);
            let schema = self.of_struct(ty, own);
            self.add(full_name(&own.package, own.short_name()), schema);
        }
        schema::sort_by(&mut self.done, |a, b| a.0.cmp(&b.0));
        Value::Object(self.done.into_iter().collect())
    }

    fn has(&self, name: &str) -> bool {
        self.done.iter().any(|(known, _)| known == name)
    }

    fn of_struct(&mut self, id: TypeId, ty: &Type) -> Value {
        let name = ty.short_name();
        let words = descriptions::of(&ty.package, name);
        let about = words.about();
        let mut fields: Vec<(&str, Value)> = Vec::with_capacity(ty.fields.len() + 2);
        if ty.type_meta {
            fields.extend(["apiVersion", "kind"].map(|name| (name, self.type_meta(name))));
        }
        for field in &ty.fields {
            fields.push((&field.name, self.of_field(field, words.field(&field.name))));
        }
        schema::sort_by(&mut fields, |a, b| a.0.cmp(b.0));
        let mut out = Map::new();
        if !about.is_empty() {
            out.insert("description".to_owned(), about.into());
        }
        out.insert("type".to_owned(), "object".into());
        let is_required = |field: &&Field| field.required || also_required(&ty.package, name, &field.name);
        let required = ty.fields.iter().filter(is_required);
        let required: Vec<Value> = required.map(|field| field.name.as_str().into()).collect();
        if !required.is_empty() {
            out.insert("required".to_owned(), required.into());
        }
        if !fields.is_empty() {
            let fields: Map<String, Value> =
                fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
            out.insert("properties".to_owned(), fields.into());
        }
        let kinds = self.kinds_of(id, ty);
        if !kinds.is_empty() {
            out.insert(KIND.to_owned(), kinds.into());
        }
        if ty.atomic {
            out.insert(MAP_TYPE.to_owned(), "atomic".into());
        }
        if let Some(union) = UNIONS.iter().find(|union| union.package == ty.package && union.name == name) {
            out.insert("x-kubernetes-unions".to_owned(), union.shown());
        }
        out.into()
    }

    /// Returns the schema of `apiVersion` or `kind`.
    pub(super) fn type_meta(&self, name: &str) -> Value {
        // It is the same in every type.
        let about = descriptions::of("k8s.io/api/core/v1", "Pod").field(name).about();
        self.with_facts(json!({ "type": "string" }), &about, None)
    }

    /// Returns the kinds that a type is. A type that is sent to every version is a kind of each.
    fn kinds_of(&self, id: TypeId, ty: &Type) -> Vec<Value> {
        let name = ty.short_name();
        if ty.package != META {
            let own = self.kinds.iter().filter(|(ty, _)| *ty == id);
            return own.map(|(_, kind)| kind.shown()).collect();
        }
        let kind = |(group, version): &(&str, &str)| Kind { group, version, name }.shown();
        match name {
            "DeleteOptions" | "WatchEvent" => self.versions.iter().map(kind).collect(),
            _ if ty.type_meta || name == "APIGroup" => vec![kind(&("", "v1"))],
            _ => Vec::new(),
        }
    }

    fn of_field(&mut self, field: &Field, words: DescribedField) -> Value {
        let pointer = matches!(field.empty, Empty::Pointer | Empty::Null);
        let default = match (&field.default, &field.ty) {
            (Some(text), _) => text.parse().ok(),
            (None, FieldType::Struct(_)) if !pointer => Some(json!({})),
            (None, ty) if field.empty == Empty::Keep => zero(ty),
            _ => None,
        };
        let mut about = words.about();
        let mut schema = self.of(&field.ty, field.go_type.as_deref());
        let values: Vec<descriptions::Value> = words.values().collect();
        if !values.is_empty() {
            let list: Vec<Value> = values.iter().map(|value| value.name.into()).collect();
            match &field.ty {
                FieldType::Strings | FieldType::List(_) => schema["items"]["enum"] = list.into(),
                FieldType::Map(_) => schema["additionalProperties"]["enum"] = list.into(),
                _ => {
                    schema["enum"] = list.into();
                    about += &possible(&values);
                }
            }
        }
        let Value::Object(mut out) = self.with_facts(schema, &about, default) else { return Value::Null };
        let mut set = |name: &str, value: Value| drop(out.insert(name.to_owned(), value));
        if let Some(ListType::Map(keys)) = &field.list {
            set("x-kubernetes-list-map-keys", json!(keys));
        }
        match &field.list {
            Some(ListType::Atomic) => set("x-kubernetes-list-type", "atomic".into()),
            Some(ListType::Set) => set("x-kubernetes-list-type", "set".into()),
            Some(ListType::Map(_)) => set("x-kubernetes-list-type", "map".into()),
            None => {}
        }
        if field.map_atomic {
            set(MAP_TYPE, "atomic".into());
        }
        // The one map that says what all maps are.
        if field.name == "allocatedResourceStatuses" {
            set(MAP_TYPE, "granular".into());
        }
        if let FieldType::Struct(id) = &field.ty
            && self.types.get(*id).atomic != field.struct_atomic
        {
            set(MAP_TYPE, if field.struct_atomic { "atomic" } else { "granular" }.into());
        }
        if let Some(key) = &field.patch_merge_key {
            set("x-kubernetes-patch-merge-key", key.as_str().into());
        }
        let strategy = &field.patch_strategy;
        let words =
            [(strategy.merge, "merge"), (strategy.replace, "replace"), (strategy.retain_keys, "retainKeys")];
        let words: Vec<&str> = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
        if !words.is_empty() {
            set("x-kubernetes-patch-strategy", words.join(",").into());
        }
        in_order(out.into())
    }

    /// Returns the schema of a value of a type. Types do not nest without end: the table writes each of them out.
    fn of(&mut self, ty: &FieldType, go_type: Option<&str>) -> Value {
        let (kind, format) = match ty {
            FieldType::Bool => ("boolean", ""),
            FieldType::Int32 => ("integer", "int32"),
            FieldType::Int64 => ("integer", "int64"),
            FieldType::Float64 => ("number", "double"),
            FieldType::String => ("string", ""),
            FieldType::Bytes => ("string", "byte"),
            FieldType::Time => return self.refer_to_plain(META, "Time"),
            FieldType::MicroTime => return self.refer_to_plain(META, "MicroTime"),
            FieldType::Duration => return self.refer_to_plain(META, "Duration"),
            FieldType::FieldsV1 => return self.refer_to_plain(META, "FieldsV1"),
            FieldType::Quantity => return self.refer_to_plain(RESOURCE, "Quantity"),
            FieldType::IntOrString => return self.refer_to_plain(INTSTR, "IntOrString"),
            FieldType::Any if go_type.is_some_and(|name| name.ends_with("v1.JSON")) => {
                return self.refer_to_plain(EXTENSIONS, "JSON");
            }
            FieldType::Any => return self.refer_to_plain(RUNTIME, "RawExtension"),
            FieldType::SchemaOrArray(_) => return self.refer_to_plain(EXTENSIONS, "JSONSchemaPropsOrArray"),
            FieldType::SchemaOrBool(_) => return self.refer_to_plain(EXTENSIONS, "JSONSchemaPropsOrBool"),
            FieldType::SchemaOrStrings(_) => {
                return self.refer_to_plain(EXTENSIONS, "JSONSchemaPropsOrStringArray");
            }
            FieldType::Struct(ty) => return self.refer(*ty),
            FieldType::Strings => return json!({ "type": "array", "items": { "type": "string" } }),
            FieldType::List(item) => {
                let item = self.of(item, go_type);
                return json!({ "type": "array", "items": item });
            }
            FieldType::Map(value) => {
                let value = self.of(value, go_type);
                return json!({ "type": "object", "additionalProperties": value });
            }
        };
        of_kind(kind, format)
    }

    /// Adds a description and a default to a schema. OpenAPI v2 has no defaults; in v3 nothing may stand beside a reference.
    pub(super) fn with_facts(&self, schema: Value, about: &str, default: Option<Value>) -> Value {
        let default = default.filter(|_| self.edition == Edition::V3);
        let is_bare = about.is_empty() && default.is_none();
        let schema = match self.edition {
            Edition::V3 if !is_bare && schema.get("$ref").is_some() => json!({ "allOf": [schema] }),
            _ => schema,
        };
        let Value::Object(mut out) = schema else { return schema };
        if !about.is_empty() {
            out.insert("description".to_owned(), about.into());
        }
        if let Some(default) = default {
            out.insert("default".to_owned(), default);
        }
        in_order(out.into())
    }

    fn refer_to_plain(&mut self, package: &str, name: &str) -> Value {
        let full = full_name(package, name);
        let row = PLAIN.iter().find(|row| row.0 == package && row.1 == name);
        let (kind, format) = row.map_or(("", ""), |row| (row.2, row.3));
        let either = |first: &str, second: &str| json!([{ "type": first }, { "type": second }]);
        let schema = match (self.edition, name) {
            (Edition::V3, "Quantity") => json!({ "oneOf": (either("string", "number")) }),
            (Edition::V3, "IntOrString") => {
                json!({ "format": format, "oneOf": (either("integer", "string")) })
            }
            _ => of_kind(kind, format),
        };
        let about = descriptions::of(package, name).about();
        let schema = self.with_facts(schema, &about, None);
        self.add(full.clone(), schema);
        self.to(&full)
    }
}

/// The key of what a schema is a kind of.
pub(super) const KIND: &str = "x-kubernetes-group-version-kind";
const MAP_TYPE: &str = "x-kubernetes-map-type";

fn of_kind(kind: &str, format: &str) -> Value {
    let mut out = Map::new();
    if !kind.is_empty() {
        out.insert("type".to_owned(), kind.into());
    }
    if !format.is_empty() {
        out.insert("format".to_owned(), format.into());
    }
    out.into()
}

/// Fields that OpenAPI calls required though k8s-openapi does not: package, type and field.
const ALSO_REQUIRED: &[(&str, &str, &str)] = &[
    ("k8s.io/api/core/v1", "Event", "metadata"),
    ("k8s.io/api/core/v1", "ImageVolumeStatus", "imageRef"),
    ("k8s.io/api/events/v1", "Event", "eventTime"),
];

fn also_required(package: &str, name: &str, field: &str) -> bool {
    ALSO_REQUIRED.contains(&(package, name, field))
}

/// A type of whose fields one is set, depending on another one (`+union`).
struct Union {
    package: &'static str,
    name: &'static str,
    /// The field that says which one, if there is one.
    discriminator: &'static str,
    /// Fields, and the value of the discriminator for each.
    fields: &'static [(&'static str, &'static str)],
}

const UNIONS: &[Union] = &[
    Union {
        package: "k8s.io/api/core/v1",
        name: "AppArmorProfile",
        discriminator: "type",
        fields: &[("localhostProfile", "LocalhostProfile")],
    },
    Union {
        package: "k8s.io/api/core/v1",
        name: "PodSchedulingGroup",
        discriminator: "",
        fields: &[("podGroupName", "PodGroupName")],
    },
    Union {
        package: "k8s.io/api/core/v1",
        name: "SeccompProfile",
        discriminator: "type",
        fields: &[("localhostProfile", "LocalhostProfile")],
    },
    Union {
        package: "k8s.io/api/flowcontrol/v1",
        name: "LimitResponse",
        discriminator: "type",
        fields: &[("queuing", "Queuing")],
    },
    Union {
        package: "k8s.io/api/flowcontrol/v1",
        name: "PriorityLevelConfigurationSpec",
        discriminator: "type",
        fields: &[("exempt", "Exempt"), ("limited", "Limited")],
    },
    Union {
        package: "k8s.io/api/flowcontrol/v1",
        name: "Subject",
        discriminator: "kind",
        fields: &[("group", "Group"), ("serviceAccount", "ServiceAccount"), ("user", "User")],
    },
];

impl Union {
    fn shown(&self) -> Value {
        let mut out = Map::new();
        if !self.discriminator.is_empty() {
            out.insert("discriminator".to_owned(), self.discriminator.into());
        }
        let fields = self.fields.iter().map(|(field, value)| ((*field).to_owned(), Value::from(*value)));
        out.insert("fields-to-discriminateBy".to_owned(), Value::Object(fields.collect()));
        json!([(Value::Object(out))])
    }
}

/// Returns the end of a description that lists values.
fn possible(values: &[descriptions::Value]) -> String {
    let mut out = "\n\nPossible enum values:".to_owned();
    for value in values {
        out += &["\n - `\"", value.name, "\"`"].concat();
        if !value.about.is_empty() {
            out += &[" ", value.about].concat();
        }
    }
    out
}

/// The zero of a scalar that Go's JSON always writes.
fn zero(ty: &FieldType) -> Option<Value> {
    Some(match ty {
        FieldType::Bool => false.into(),
        FieldType::Int32 | FieldType::Int64 | FieldType::Float64 => 0.into(),
        FieldType::String => "".into(),
        _ => return None,
    })
}

/// The name of a type's schema: `io.k8s.api.core.v1.Pod` of the package `k8s.io/api/core/v1`.
pub(super) fn full_name(package: &str, name: &str) -> String {
    let (host, rest) = package.split_once('/').unwrap_or((package, ""));
    let mut parts: Vec<&str> = host.rsplit('.').collect();
    parts.extend(rest.split('/').filter(|part| !part.is_empty()));
    parts.push(name);
    parts.join(".")
}
