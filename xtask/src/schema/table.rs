//! Joining what the sources say into the text of the table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::facts::Facts;
use super::openapi::{self, Property, Schema, Schemas};
use super::protobuf::{Item, Message, MessageField, Messages};

const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// Types of `meta/v1` that no kind reaches but that the API speaks.
const SPOKEN: [&str; 9] = [
    "Status",
    "DeleteOptions",
    "Preconditions",
    "LabelSelector",
    "ListMeta",
    "WatchEvent",
    "APIGroupList",
    "APIResourceList",
    "APIVersions",
];

/// The document of aggregated discovery, which no kind reaches either.
const AGGREGATED: (&str, &str) = ("k8s.io/api/apidiscovery/v2", "apigroupdiscoverylist");

const HEADER: &str = "\
# The fields of the built-in types of Kubernetes v1.36. Written by `cargo xtask schema`; do not edit.
# What the words mean: src/types/parse.rs.
";

/// Fields that `k8s-pb` has of an earlier version and that v1.36 has no more.
const REMOVED: [(&str, &str); 1] = [("core.PodSpec", "workload_ref")];

/// The Protobuf numbers of fields that are newer than `k8s-pb`: from `generated.proto` and `types.go` of `k8s.io/api` and
/// `k8s.io/apimachinery`, and those of a `NodeAllocatableResourceClaimStatus` from the proposal that brought it.
const NUMBERS: [(&str, &str, u32); 20] = [
    ("core.ImageVolumeStatus", "imageRef", 1),
    ("core.NodeAllocatableResourceClaimStatus", "resourceClaimName", 1),
    ("core.NodeAllocatableResourceClaimStatus", "containers", 2),
    ("core.NodeAllocatableResourceClaimStatus", "resources", 3),
    ("core.PodSchedulingGroup", "podGroupName", 1),
    ("core.PodSpec", "schedulingGroup", 43),
    ("core.PodStatus", "nodeAllocatableResourceClaimStatuses", 21),
    ("core.ResourceHealth", "message", 6),
    ("core.VolumeMountStatus", "volumeStatus", 5),
    ("core.VolumeStatus", "image", 1),
    ("meta.ListMeta", "shardInfo", 5),
    ("meta.ShardInfo", "selector", 1),
    ("resource.Device", "nodeAllocatableResourceMappings", 13),
    ("resource.DeviceAttribute", "ints", 6),
    ("resource.DeviceAttribute", "bools", 7),
    ("resource.DeviceAttribute", "strings", 8),
    ("resource.DeviceAttribute", "versions", 9),
    ("resource.NodeAllocatableResourceMapping", "capacityKey", 1),
    ("resource.NodeAllocatableResourceMapping", "allocationMultiplier", 2),
    ("storage.CSIDriverSpec", "preventPodSchedulingIfMissing", 11),
];

/// The list types of fields that are newer than `k8s-pb`.
const LISTS: [(&str, &str, &str); 6] = [
    ("core.NodeAllocatableResourceClaimStatus", "containers", "set"),
    ("core.PodStatus", "nodeAllocatableResourceClaimStatuses", "atomic"),
    ("resource.DeviceAttribute", "bools", "atomic"),
    ("resource.DeviceAttribute", "ints", "atomic"),
    ("resource.DeviceAttribute", "strings", "atomic"),
    ("resource.DeviceAttribute", "versions", "atomic"),
];

/// The constants that `+default=ref(...)` mentions, as JSON.
const CONSTANTS: [(&str, &str); 2] =
    [("ref(AzureDataDiskCachingReadWrite)", "\"ReadWrite\""), ("ref(AzureSharedBlobDisk)", "\"Shared\"")];

/// A package and a lower-case name.
type Key = (String, String);

/// A type that the table has.
struct Reached {
    message: Message,
    /// The schema with its JSON names: its own one, or, for a struct that is only embedded, one of those it
    /// is embedded in.
    schema: Schema,
    embedded_only: bool,
}

/// The table's text.
pub(super) fn join(messages: &Messages, schemas: &Schemas, facts: &Facts) -> Result<String, String> {
    let reached = reach(messages, schemas, facts)?;
    let mut used = Used::default();
    let mut text = HEADER.to_owned();
    let mut package = "";
    for one in reached.values() {
        if one.message.package != package {
            package = &one.message.package;
            let _ = writeln!(text, "@{} {package}", alias(package));
        }
        write_type(&mut text, one, messages, schemas, facts, &mut used)?;
    }
    used.check(facts)?;
    Ok(text)
}

/// The types that the served kinds and [`SPOKEN`] reach.
fn reach(messages: &Messages, schemas: &Schemas, facts: &Facts) -> Result<BTreeMap<Key, Reached>, String> {
    let mut open: Vec<(Key, Option<Key>)> = Vec::new();
    for (package, kind) in &facts.kinds {
        let key = (package.clone(), kind.to_lowercase());
        if schemas.contains_key(&key) {
            open.push((key, None));
        } else if !kind.ends_with("Options") {
            return Err(format!("k8s-openapi has no {package}.{kind}, which facts/resources.txt names"));
        }
    }
    open.extend(SPOKEN.map(|name| ((META.to_owned(), name.to_lowercase()), None)));
    open.push(((AGGREGATED.0.to_owned(), AGGREGATED.1.to_owned()), None));
    let mut reached: BTreeMap<Key, Reached> = BTreeMap::new();
    while let Some((key, outer)) = open.pop() {
        if reached.contains_key(&key) {
            continue;
        }
        let own = schemas.get(&key);
        let embedded_only = own.is_none() && outer.is_some();
        let outer_schema = || outer.as_ref().and_then(|outer| schemas.get(outer)).cloned();
        let (message, schema) = match (messages.get(&key), own.cloned().or_else(outer_schema)) {
            (Some(message), Some(schema)) => (message.clone(), schema),
            (Some(message), None) => (message.clone(), openapi::from_message(message)),
            (None, Some(schema)) if !embedded_only => (Message::new(&key.0, &schema.name), schema),
            _ => return Err(format!("neither crate has {}.{}", key.0, key.1)),
        };
        if let Some((package, _)) = union(&message) {
            open.push(((package, "jsonschemaprops".to_owned()), None));
            continue;
        }
        let mut one = Reached { message, schema, embedded_only };
        if !embedded_only {
            complete(&mut one, messages)?;
        }
        for field in &one.message.fields {
            if let (Item::Message(package, name), None) = (&field.item, plain(&field.item)) {
                let holder = if embedded_only { outer.clone() } else { Some(key.clone()) };
                open.push(((package.clone(), name.to_lowercase()), holder));
            }
        }
        reached.insert(key, one);
    }
    Ok(reached)
}

/// Takes out what v1.36 has no more, and adds what only `k8s-openapi` has: fields newer than `k8s-pb`.
/// They come last, as new fields do, by their Protobuf numbers. A field whose number nobody knows is an error.
fn complete(one: &mut Reached, messages: &Messages) -> Result<(), String> {
    let full = format!("{}.{}", alias(&one.message.package), one.schema.name);
    one.message.fields.retain(|field| !REMOVED.contains(&(full.as_str(), &field.name)));
    let mut rest: BTreeSet<&str> = one.schema.fields.keys().map(String::as_str).collect();
    for field in &one.message.fields {
        match (rest.iter().find(|json| normal(json) == normal(&field.name)).copied(), &field.item) {
            (Some(json), _) => {
                rest.remove(json);
            }
            (None, Item::Message(package, name))
                if remove_embedded(&mut rest, &(package.clone(), name.to_lowercase()), messages) => {}
            _ => return Err(format!("{full}: k8s-openapi has no field {}", field.name)),
        }
    }
    if rest.contains("apiVersion") && rest.contains("kind") {
        rest.remove("apiVersion");
        rest.remove("kind");
        one.schema.type_meta = true;
    }
    let newer = rest.into_iter().map(|json| {
        let known = NUMBERS.iter().find(|(holder, field, _)| *holder == full && *field == json);
        let (_, _, number) = *known.ok_or_else(|| format!("{full}: the number of {json} is not known"))?;
        let list = LISTS.iter().find(|(holder, field, _)| *holder == full && *field == json);
        let markers = list.map(|(.., list)| format!("listType={list}")).into_iter().collect();
        Ok(MessageField { number, markers, ..MessageField::of_rust(json, &one.schema.fields[json].rust) })
    });
    let mut newer = newer.collect::<Result<Vec<_>, String>>()?;
    newer.sort_by_key(|field| field.number);
    one.message.fields.extend(newer);
    Ok(())
}

/// Which facts were of use: one that is of none is wrong or out of date.
#[derive(Default)]
struct Used {
    empty: BTreeSet<(String, String)>,
    go_names: BTreeSet<(String, String)>,
}

impl Used {
    fn check(&self, facts: &Facts) -> Result<(), String> {
        let files =
            [("empty.txt", &facts.empty, &self.empty), ("go-names.txt", &facts.go_names, &self.go_names)];
        let mut useless = Vec::new();
        for (file, said, used) in files {
            for (ty, fields) in said {
                let idle = fields.keys().filter(|field| !used.contains(&(ty.clone(), (*field).clone())));
                useless.extend(idle.map(|field| format!("{file}: {ty} {field}")));
            }
        }
        if useless.is_empty() {
            return Ok(());
        }
        Err(format!("these facts change nothing, or name what is not there:\n{}", useless.join("\n")))
    }
}

fn write_type(
    text: &mut String,
    one: &Reached,
    messages: &Messages,
    schemas: &Schemas,
    facts: &Facts,
    used: &mut Used,
) -> Result<(), String> {
    let Reached { message, schema, embedded_only } = one;
    let name = if *embedded_only { &message.name } else { &schema.name };
    let full = format!("{}.{name}", alias(&message.package));
    let is_kind = schema.type_meta && !embedded_only;
    text.push_str(name);
    if is_kind {
        text.push_str(" kind");
    }
    if message.markers.iter().any(|marker| marker == "structType=atomic") {
        text.push_str(" atomic");
    }
    text.push('\n');
    for field in &message.fields {
        let found = schema.fields.iter().find(|(json, _)| normal(json) == normal(&field.name));
        let ty = type_text(field, &message.package, messages, schemas);
        let Some((json, property)) = found else {
            let _ = writeln!(text, " + {} {ty}", field.number);
            continue;
        };
        agree(&full, json, &ty, property)?;
        let said = |facts: &BTreeMap<String, BTreeMap<String, String>>| facts.get(&full)?.get(json).cloned();
        let _ = write!(text, " {json} {} {ty}", field.number);
        let fact = said(&facts.empty);
        let by_rule = empty_by_rule(json, &ty, property, is_kind);
        if fact.as_ref().is_some_and(|fact| fact != by_rule) {
            used.empty.insert((full.clone(), json.clone()));
        }
        let mut empty = fact.unwrap_or_else(|| by_rule.to_owned());
        let mut required = property.required && !(is_kind && json == "metadata");
        if empty == "optional" {
            required = false;
            empty = "omit".to_owned();
        }
        if required {
            text.push_str(" req");
        }
        if empty != "omit" {
            let _ = write!(text, " {empty}");
        }
        if let Some(go_name) = said(&facts.go_names).or_else(|| go_name_by_rule(field)) {
            used.go_names.insert((full.clone(), json.clone()));
            let _ = write!(text, " go={go_name}");
        }
        markers(text, field);
        text.push('\n');
    }
    Ok(())
}

/// Returns what Go writes for an empty field, as far as a rule tells: a required field is a value that is
/// always written; an optional struct is a pointer; any other optional value is left out. `facts/empty.txt`
/// has the exceptions.
fn empty_by_rule(json: &str, ty: &str, property: &Property, is_kind: bool) -> &'static str {
    let is_struct = ty.starts_with(|first: char| first.is_ascii_uppercase()) || ty.contains(['.', '|']);
    let is_metadata = matches!(ty, "meta.ObjectMeta" | "meta.ListMeta" | "ObjectMeta" | "ListMeta");
    let is_part_of_kind = is_struct && is_kind && matches!(json, "spec" | "status");
    if property.required || is_metadata || is_part_of_kind {
        "keep"
    } else if ty.starts_with(['[', '{']) {
        "omit"
    } else if is_struct || matches!(ty, "intorstring" | "quantity" | "duration" | "any" | "fieldsv1") {
        "ptr"
    } else if matches!(ty, "time" | "microtime") {
        if json == "lastTransitionTime" { "keep" } else { "ptr" }
    } else {
        "omit"
    }
}

/// Types that JSON has as they are, though Protobuf has a message, and whose Go name differs from the one
/// that goes with their form.
fn go_name_by_rule(field: &MessageField) -> Option<String> {
    let Item::Message(package, name) = &field.item else { return None };
    let list = if field.repeated {
        "[]"
    } else if field.map {
        "map[string]"
    } else {
        ""
    };
    match name.as_str() {
        "Json" => Some(format!("{list}v1.JSON")),
        "ExtraValue" | "Verbs" => {
            let last = package.rsplit('/').next().unwrap_or_default();
            Some(format!("{list}{last}.{name}"))
        }
        _ => None,
    }
}

fn markers(text: &mut String, field: &MessageField) {
    let all = |name: &str| {
        let values = field.markers.iter().filter_map(|marker| marker.strip_prefix(name));
        values.map(|value| value.trim().trim_matches('"')).collect::<Vec<_>>()
    };
    let keys = all("listMapKey=");
    match all("listType=").first() {
        Some(&"map") => {
            let _ = write!(text, " map={}", keys.join(","));
        }
        Some(&list) => {
            let _ = write!(text, " {list}");
        }
        None => {}
    }
    if all("mapType=").contains(&"atomic") {
        text.push_str(" mapatomic");
    }
    if let Some(kind) = all("structType=").first() {
        let _ = write!(text, " struct{kind}");
    }
    if let Some(strategy) = all("patchStrategy=").first() {
        let _ = write!(text, " patch={strategy}");
    }
    if let Some(key) = all("patchMergeKey=").first() {
        let _ = write!(text, " key={key}");
    }
    if let Some(default) = field.markers.iter().find_map(|marker| marker.strip_prefix("default=")) {
        let constant = CONSTANTS.iter().find(|(name, _)| *name == default);
        let _ = write!(text, " default={}", constant.map_or(default, |(_, value)| *value));
    }
}

/// The type as the table writes it.
fn type_text(field: &MessageField, from: &str, messages: &Messages, schemas: &Schemas) -> String {
    let item = match (&field.item, plain(&field.item)) {
        (_, Some(word)) => word.to_owned(),
        (Item::Scalar(scalar), None) => scalar.clone(),
        (Item::Message(package, name), None) => {
            let key = (package.clone(), name.to_lowercase());
            match messages.get(&key).and_then(union) {
                Some((_, union)) => format!("{union}|JSONSchemaProps"),
                None => {
                    let name = schemas.get(&key).map_or(name, |schema: &Schema| &schema.name);
                    if package == from { name.clone() } else { format!("{}.{name}", alias(package)) }
                }
            }
        }
    };
    match (field.repeated, field.map) {
        (true, _) => format!("[]{item}"),
        (_, true) => format!("{{}}{item}"),
        _ => item,
    }
}

/// The word for a type that is no struct in the table.
fn plain(item: &Item) -> Option<&'static str> {
    let (package, name) = match item {
        Item::Scalar(scalar) => return (scalar == "double").then_some("float64"),
        Item::Message(package, name) => (package.as_str(), name.as_str()),
    };
    Some(match (package, name) {
        (META, "Time") => "time",
        (META, "MicroTime") => "microtime",
        (META, "Duration") => "duration",
        (META, "FieldsV1") => "fieldsv1",
        ("k8s.io/apimachinery/pkg/api/resource", "Quantity") => "quantity",
        ("k8s.io/apimachinery/pkg/util/intstr", "IntOrString") => "intorstring",
        ("k8s.io/apimachinery/pkg/runtime", "RawExtension") => "any",
        (_, "Json") => "any",
        (_, "ExtraValue" | "Verbs") => "strings",
        _ => return None,
    })
}

/// The package and the word of one of the types that hold a schema or something else.
fn union(message: &Message) -> Option<(String, &'static str)> {
    let word = match message.name.as_str() {
        "JsonSchemaPropsOrArray" => "array",
        "JsonSchemaPropsOrBool" => "bool",
        "JsonSchemaPropsOrStringArray" => "strings",
        _ => return None,
    };
    Some((message.package.clone(), word))
}

/// Fails if the two sources differ on a scalar.
fn agree(full: &str, json: &str, ty: &str, property: &Property) -> Result<(), String> {
    let scalar = match property.rust.as_str() {
        "i32" => "int32",
        "i64" => "int64",
        "f64" => "float64",
        "bool" => "bool",
        "std::string::String" => "string",
        "crate::ByteString" => "bytes",
        _ => return Ok(()),
    };
    if scalar == ty || (scalar == "string" && ty == "duration") {
        Ok(())
    } else {
        Err(format!("{full}.{json}: k8s-openapi has {scalar}, k8s-pb has {ty}"))
    }
}

/// Takes the fields of an embedded message out of those that are looked for; false if none was among them.
fn remove_embedded(rest: &mut BTreeSet<&str>, key: &Key, messages: &Messages) -> bool {
    let Some(message) = messages.get(key) else { return false };
    let mut any = false;
    for field in &message.fields {
        let found = rest.iter().find(|json| normal(json) == normal(&field.name)).copied();
        any |= match (found, &field.item) {
            (Some(json), _) => rest.remove(json),
            (None, Item::Message(package, name)) => {
                remove_embedded(rest, &(package.clone(), name.to_lowercase()), messages)
            }
            (None, Item::Scalar(_)) => false,
        };
    }
    any
}

/// A name without what JSON, Protobuf and Rust write differently.
fn normal(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The short name of a package: `core`, and `autoscalingv2` if the version is not v1.
fn alias(package: &str) -> String {
    let mut parts = package.rsplit('/');
    let version = parts.next().unwrap_or_default();
    let group = parts.next().unwrap_or_default();
    if version == "v1" { group.to_owned() } else { format!("{group}{version}") }
}
