//! Reading `k8s-pb`: fields in Go's order, Protobuf numbers and types, markers in comments.

use std::collections::HashMap;
use std::path::Path;

/// One Protobuf message: a Go struct.
#[derive(Debug, Default, Clone)]
pub(super) struct Message {
    /// The Go package.
    pub(super) package: String,
    /// The name as `prost` has it: `JsonSchemaProps`.
    pub(super) name: String,
    /// The markers of the type, without their `+`.
    pub(super) markers: Vec<String>,
    /// The fields in their order.
    pub(super) fields: Vec<MessageField>,
}

/// One field of a message.
#[derive(Debug, Default, Clone)]
pub(super) struct MessageField {
    /// The name as `prost` has it: `host_ip`.
    pub(super) name: String,
    /// The number.
    pub(super) number: u32,
    /// True if it repeats.
    pub(super) repeated: bool,
    /// True if it is a map from text.
    pub(super) map: bool,
    /// The type of the field, or of its items or values.
    pub(super) item: Item,
    /// The markers of the field, without their `+`.
    pub(super) markers: Vec<String>,
}

/// A Protobuf type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// `string`, `int32`, `int64`, `bool`, `double`, `bytes`
    Scalar(String),
    /// A message: its Go package and its name as `prost` has it.
    Message(String, String),
}

impl Default for Item {
    fn default() -> Self {
        Self::Scalar(String::new())
    }
}

impl Message {
    /// A message without fields.
    pub(super) fn new(package: &str, name: &str) -> Self {
        Self { package: package.to_owned(), name: name.to_owned(), ..Self::default() }
    }
}

impl MessageField {
    /// A field that only `k8s-openapi` has, from its Rust type there: without a number.
    pub(super) fn of_rust(json: &str, rust: &str) -> Self {
        let inside = |ty: &str, outer: &str| Some(ty.strip_prefix(outer)?.strip_suffix('>')?.to_owned());
        let list = inside(rust, "std::vec::Vec<");
        let map = inside(rust, "std::collections::BTreeMap<std::string::String, ");
        let (repeated, is_map) = (list.is_some(), map.is_some());
        let item = list.or(map).unwrap_or_else(|| rust.to_owned());
        let item = match item.as_str() {
            "i32" => Item::Scalar("int32".into()),
            "i64" => Item::Scalar("int64".into()),
            "f64" => Item::Scalar("double".into()),
            "bool" => Item::Scalar("bool".into()),
            "std::string::String" => Item::Scalar("string".into()),
            "crate::ByteString" => Item::Scalar("bytes".into()),
            path => {
                let parts: Vec<&str> = path.trim_start_matches("crate::").split("::").collect();
                let (name, module) =
                    parts.split_last().map_or(("", &parts[..]), |(name, rest)| (*name, rest));
                Item::Message(sources::go_package(&module.join("/")), name.to_owned())
            }
        };
        Self { name: json.to_owned(), repeated, map: is_map, item, ..Self::default() }
    }
}

/// From Go package and lower-case name to message.
pub(super) type Messages = HashMap<(String, String), Message>;

/// Reads all messages.
pub(super) fn read(folder: &Path) -> Result<Messages, String> {
    let mut messages = Messages::new();
    for (module, text) in sources::rust_files(folder)? {
        for message in parse(&module, &text)? {
            messages.insert((message.package.clone(), message.name.to_lowercase()), message);
        }
    }
    if messages.is_empty() {
        return Err(format!("{} has no messages", folder.display()));
    }
    graduate(&mut messages);
    Ok(messages)
}

/// Adds, to every `v1`, the messages that only `v1beta1` has. A kind that Kubernetes has promoted since
/// `k8s-pb` was made keeps its fields and their numbers.
fn graduate(messages: &mut Messages) {
    let beta: Vec<Message> =
        messages.values().filter(|message| message.package.ends_with("/v1beta1")).cloned().collect();
    for mut message in beta {
        let stable = |package: &str| package.strip_suffix("beta1").map(str::to_owned);
        let Some(package) = stable(&message.package) else { continue };
        let key = (package.clone(), message.name.to_lowercase());
        if messages.contains_key(&key) {
            continue;
        }
        for field in &mut message.fields {
            if let Item::Message(inner, _) = &mut field.item
                && *inner == message.package
            {
                *inner = package.clone();
            }
        }
        message.package = package;
        messages.insert(key, message);
    }
}

fn parse(module: &str, text: &str) -> Result<Vec<Message>, String> {
    let mut messages: Vec<Message> = Vec::new();
    let mut markers = Vec::new();
    let mut attribute = String::new();
    let mut inside = false;
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let mut statement = |end: &str| {
            let mut whole = line.to_owned();
            while !whole.ends_with(end) || whole.matches('<').count() != whole.matches('>').count() {
                let Some(next) = lines.next() else { break };
                whole.push_str(next);
            }
            whole
        };
        if let Some(comment) = line.strip_prefix("///") {
            markers.extend(comment.trim().strip_prefix('+').map(str::to_owned));
        } else if line.starts_with("#[prost(") {
            attribute = statement(")]");
        } else if line.starts_with("#[") {
            statement("]");
        } else if let Some(name) = line.strip_prefix("pub struct ") {
            inside = !line.ends_with("{}");
            messages.push(Message {
                package: sources::go_package(module),
                name: name.split([' ', '{']).next().unwrap_or_default().to_owned(),
                markers: std::mem::take(&mut markers),
                fields: Vec::new(),
            });
        } else if inside && line == "}" {
            inside = false;
        } else if inside && line.starts_with("pub ") {
            let declared = statement(",");
            let Some(message) = messages.last_mut() else { continue };
            let field = field(module, &attribute, &declared, std::mem::take(&mut markers));
            message.fields.push(field.ok_or_else(|| {
                format!("k8s-pb: {module}: {}: cannot read `{attribute}` `{declared}`", message.name)
            })?);
        } else {
            markers.clear();
        }
    }
    Ok(messages)
}

/// A field from its attribute (`#[prost(message, optional, tag = "2")]`) and declaration
/// (`pub spec: ::core::option::Option<PodSpec>,`).
fn field(module: &str, attribute: &str, declared: &str, markers: Vec<String>) -> Option<MessageField> {
    let options = attribute.strip_prefix("#[prost(")?.strip_suffix(")]")?;
    let number = options.split_once("tag = \"")?.1.split_once('"')?.0.parse().ok()?;
    let (name, ty) = declared.strip_prefix("pub ")?.strip_suffix(',')?.split_once(':')?;
    let map = options.strip_prefix("btree_map = \"string, ");
    let kind = match map {
        Some(rest) => rest.split_once('"')?.0,
        None => options.split([',', ' ']).next()?,
    };
    let item = match kind {
        "message" => {
            // The innermost type is what stands after the last `<`, `,` or space that a path can follow.
            let inner = ty.trim_end_matches(['>', ',', ' ']);
            let path = inner.rsplit(['<', ',', ' ']).next()?;
            let (package, name) = resolve(module, path);
            Item::Message(package, name)
        }
        scalar => Item::Scalar(scalar.to_owned()),
    };
    Some(MessageField {
        name: name.trim().trim_start_matches("r#").to_owned(),
        number,
        repeated: options.contains("repeated"),
        map: map.is_some(),
        item,
        markers,
    })
}

/// The Go package and name of a path such as `super::super::meta::v1::ObjectMeta`, seen from a module.
fn resolve(module: &str, path: &str) -> (String, String) {
    let mut place: Vec<&str> = module.split('/').collect();
    let mut parts: Vec<&str> = path.split("::").collect();
    let name = parts.pop().unwrap_or_default();
    for part in parts {
        if part == "super" {
            place.pop();
        } else {
            place.push(part);
        }
    }
    (sources::go_package(&place.join("/")), name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_fields_that_span_lines() {
        let text = r#"
/// A volume.
/// +structType=atomic
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Volume {
    /// +optional
    /// +default="x"
    #[prost(btree_map = "string, message", tag = "7")]
    pub r#type:
        ::prost::alloc::collections::BTreeMap<
            ::prost::alloc::string::String,
            super::super::meta::v1::Time,
        >,
    #[prost(int64, repeated, packed = "false", tag = "3")]
    pub ids: ::prost::alloc::vec::Vec<i64>,
}
"#;
        let messages = parse("api/core/v1", text).expect("a message");
        let volume = &messages[0];
        assert_eq!((volume.package.as_str(), volume.name.as_str()), ("k8s.io/api/core/v1", "Volume"));
        assert_eq!(volume.markers, ["structType=atomic"]);
        let [ty, ids] = &volume.fields[..] else { panic!("two fields") };
        assert_eq!((ty.name.as_str(), ty.number, ty.map, ty.repeated), ("type", 7, true, false));
        assert_eq!(ty.item, Item::Message("k8s.io/api/meta/v1".into(), "Time".into()));
        assert_eq!(ty.markers, ["optional", "default=\"x\""]);
        assert_eq!((ids.number, ids.repeated, &ids.item), (3, true, &Item::Scalar("int64".into())));
    }
}
