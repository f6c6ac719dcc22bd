//! Reading `table.txt`, the committed form of the types.
//!
//! One line for each package, type and field, in this form:
//!
//! ```text
//! # a comment
//! @core k8s.io/api/core/v1
//! PersistentVolumeClaim kind
//!  metadata 1 meta.ObjectMeta keep
//!  spec 2 PersistentVolumeClaimSpec keep
//! Volume
//!  name 1 string req keep
//!  + 2 VolumeSource
//! ```
//!
//! A package has a short name, by which other packages mention its types. A field has a JSON name, a
//! Protobuf number, a type (`[]` before it makes a list, `{}` a map) and marks; `+` embeds a struct. A
//! type may be marked `kind` (it has `apiVersion` and `kind`) and `atomic`.

use std::collections::HashMap;
use std::fmt;

use super::{Embedded, Empty, Field, FieldType, ListType, PatchStrategy, Type, TypeId, Types};

/// A line of the table that is not in its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    /// The line, counted from 1.
    pub line: usize,
    /// The error in it.
    pub message: String,
}

impl fmt::Display for TableError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for TableError {}

/// The types that the text of a table lists.
///
/// # Errors
/// The first line that is not in the table's form, or that mentions a type that is not there.
pub fn parse(text: &str) -> Result<Types, TableError> {
    let drafts = drafts(text)?;
    let mut ids = HashMap::with_capacity(drafts.len());
    for (index, draft) in drafts.iter().enumerate() {
        ids.insert((draft.alias, draft.name), TypeId(index as u16));
    }
    let mut flat: Vec<Option<Type>> = vec![None; drafts.len()];
    for index in 0..drafts.len() {
        flatten(index, &drafts, &ids, &mut flat, 0)?;
    }
    Ok(Types::new(flat.into_iter().flatten().collect()))
}

/// A type as its lines stand in the table.
struct Draft<'a> {
    line: usize,
    alias: &'a str,
    package: &'a str,
    name: &'a str,
    type_meta: bool,
    atomic: bool,
    fields: Vec<(usize, &'a str)>,
}

fn drafts(text: &str) -> Result<Vec<Draft<'_>>, TableError> {
    let mut drafts: Vec<Draft<'_>> = Vec::new();
    let (mut alias, mut package) = ("", "");
    for (number, line) in (1..).zip(text.lines()) {
        let fail = |message: &str| Err(TableError { line: number, message: message.to_owned() });
        if line.is_empty() || line.starts_with('#') {
        } else if let Some(rest) = line.strip_prefix('@') {
            let Some((short, path)) = rest.split_once(' ') else {
                return fail("a package has a short name and a path");
            };
            (alias, package) = (short, path);
        } else if let Some(field) = line.strip_prefix(' ') {
            let Some(draft) = drafts.last_mut() else { return fail("a field stands before any type") };
            draft.fields.push((number, field));
        } else {
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default();
            let mut draft = Draft {
                line: number,
                alias,
                package,
                name,
                type_meta: false,
                atomic: false,
                fields: Vec::new(),
            };
            for word in words {
                match word {
                    "kind" => draft.type_meta = true,
                    "atomic" => draft.atomic = true,
                    _ => return fail("a type is marked kind or atomic"),
                }
            }
            drafts.push(draft);
        }
    }
    Ok(drafts)
}

/// A struct embeds another that may embed a third, and so on; in Go's types no more than two.
const MAX_EMBEDDING: usize = 8;

fn flatten<'a>(
    index: usize,
    drafts: &[Draft<'a>],
    ids: &HashMap<(&'a str, &'a str), TypeId>,
    flat: &mut Vec<Option<Type>>,
    depth: usize,
) -> Result<Type, TableError> {
    if let Some(done) = &flat[index] {
        return Ok(done.clone());
    }
    let draft = &drafts[index];
    let mut fields = Vec::with_capacity(draft.fields.len());
    let mut embedded = Vec::new();
    for &(line, text) in &draft.fields {
        let fail = |message: String| TableError { line, message };
        let mut words = text.split(' ');
        let name = words.next().unwrap_or_default();
        let number = words
            .next()
            .and_then(|word| word.parse().ok())
            .ok_or_else(|| fail("a field has a Protobuf number".into()))?;
        let text_type = words.next().ok_or_else(|| fail("a field has a type".into()))?;
        let ty = field_type(text_type, draft.alias, ids)
            .ok_or_else(|| fail(format!("unknown type {text_type}")))?;
        if name == "+" {
            let FieldType::Struct(ty) = ty else { return Err(fail("only a struct can be embedded".into())) };
            if depth == MAX_EMBEDDING {
                return Err(fail("too many structs embedded in each other".into()));
            }
            let inner = flatten(usize::from(ty.0), drafts, ids, flat, depth + 1)?;
            embed(&inner, ty, number, &mut fields, &mut embedded);
        } else {
            let mut field = Field { name: name.to_owned(), number, ..Field::new(ty) };
            if let FieldType::Struct(id) = &field.ty {
                field.struct_atomic = drafts[usize::from(id.0)].atomic;
            }
            marks(&mut field, words).map_err(fail)?;
            fields.push(field);
        }
    }
    let last = draft.package.rsplit('/').next().unwrap_or_default();
    let mut ty = Type::new(format!("{last}.{}", draft.name), draft.package.to_owned(), fields);
    ty.type_meta = draft.type_meta;
    ty.atomic = draft.atomic;
    ty.embedded = embedded;
    if ty.fields.iter().enumerate().any(|(place, field)| ty.position(&field.name) != Some(place)) {
        return Err(TableError { line: draft.line, message: "two fields have the same name".into() });
    }
    flat[index] = Some(ty.clone());
    Ok(ty)
}

fn embed(inner: &Type, ty: TypeId, number: u32, fields: &mut Vec<Field>, embedded: &mut Vec<Embedded>) {
    let start = fields.len();
    let under = |path: &[u32]| std::iter::once(number).chain(path.iter().copied()).collect::<Vec<u32>>();
    embedded.push(Embedded { path: vec![number], ty, fields: start..start + inner.fields.len() });
    embedded.extend(inner.embedded.iter().map(|deeper| Embedded {
        path: under(&deeper.path),
        ty: deeper.ty,
        fields: start + deeper.fields.start..start + deeper.fields.end,
    }));
    fields.extend(inner.fields.iter().map(|field| Field { within: under(&field.within), ..field.clone() }));
}

fn field_type<'a>(
    text: &'a str,
    alias: &'a str,
    ids: &HashMap<(&'a str, &'a str), TypeId>,
) -> Option<FieldType> {
    if let Some(item) = text.strip_prefix("[]") {
        return Some(FieldType::List(Box::new(field_type(item, alias, ids)?)));
    }
    if let Some(value) = text.strip_prefix("{}") {
        return Some(FieldType::Map(Box::new(field_type(value, alias, ids)?)));
    }
    let named = |text: &'a str| ids.get(&text.split_once('.').unwrap_or((alias, text))).copied();
    if let Some((union, schema)) = text.split_once('|') {
        let schema = named(schema)?;
        return match union {
            "array" => Some(FieldType::SchemaOrArray(schema)),
            "bool" => Some(FieldType::SchemaOrBool(schema)),
            "strings" => Some(FieldType::SchemaOrStrings(schema)),
            _ => None,
        };
    }
    Some(match text {
        "bool" => FieldType::Bool,
        "int32" => FieldType::Int32,
        "int64" => FieldType::Int64,
        "float64" => FieldType::Float64,
        "string" => FieldType::String,
        "bytes" => FieldType::Bytes,
        "time" => FieldType::Time,
        "microtime" => FieldType::MicroTime,
        "duration" => FieldType::Duration,
        "quantity" => FieldType::Quantity,
        "intorstring" => FieldType::IntOrString,
        "any" => FieldType::Any,
        "fieldsv1" => FieldType::FieldsV1,
        "strings" => FieldType::Strings,
        _ => FieldType::Struct(named(text)?),
    })
}

fn marks<'a>(field: &mut Field, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let (mark, value) = word.split_once('=').unwrap_or((word, ""));
        match mark {
            "req" => field.required = true,
            "keep" => field.empty = Empty::Keep,
            "ptr" => field.empty = Empty::Pointer,
            "null" => field.empty = Empty::Null,
            "atomic" => field.list = Some(ListType::Atomic),
            "set" => field.list = Some(ListType::Set),
            "map" => field.list = Some(ListType::Map(value.split(',').map(str::to_owned).collect())),
            "mapatomic" => field.map_atomic = true,
            "structatomic" => field.struct_atomic = true,
            "structgranular" => field.struct_atomic = false,
            "patch" => {
                for strategy in value.split(',') {
                    match strategy {
                        "merge" => field.patch_strategy.merge = true,
                        "replace" => field.patch_strategy.replace = true,
                        "retainKeys" => field.patch_strategy.retain_keys = true,
                        _ => return Err(format!("unknown patch strategy {strategy}")),
                    }
                }
            }
            "key" => field.patch_merge_key = Some(value.to_owned()),
            "go" => field.go_type = Some(value.to_owned()),
            "default" => {
                // The last mark: JSON text, in which spaces may stand.
                let mut default = value.to_owned();
                for word in words.by_ref() {
                    default.push(' ');
                    default.push_str(word);
                }
                field.default = Some(default);
            }
            _ => return Err(format!("unknown mark {word}")),
        }
    }
    Ok(())
}

impl Field {
    /// An optional field of this type, without a name.
    fn new(ty: FieldType) -> Self {
        Self {
            name: String::new(),
            ty,
            required: false,
            empty: Empty::Omit,
            number: 0,
            within: Vec::new(),
            list: None,
            map_atomic: false,
            struct_atomic: false,
            patch_strategy: PatchStrategy::default(),
            patch_merge_key: None,
            default: None,
            go_type: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "\
@meta k8s.io/apimachinery/pkg/apis/meta/v1
ObjectMeta
 name 1 string
@core k8s.io/api/core/v1
Pod kind
 metadata 1 meta.ObjectMeta keep
 port 8 Port
 whole 9 Port structgranular
 ports 2 []Port map=port,protocol patch=merge,retainKeys key=port
Port atomic
 port 3 int32 req keep
 protocol 4 string default=\"T C P\"
 + 5 Source
Source
 + 1 Deep
 path 2 {}string ptr mapatomic go=v1.Paths
Deep
 secret 7 bytes
";

    #[test]
    fn reads_every_mark() {
        let types = parse(SMALL).expect("in the form of the table");
        let pod = types.get(types.find("k8s.io/api/core/v1", "Pod").expect("listed"));
        assert_eq!(pod.name, "v1.Pod");
        assert!(pod.type_meta && !pod.atomic);
        assert_eq!(pod.field("port").map(|field| field.struct_atomic), Some(true));
        assert_eq!(pod.field("whole").map(|field| field.struct_atomic), Some(false));
        let ports = pod.field("ports").expect("a field");
        assert_eq!(ports.list, Some(ListType::Map(vec!["port".into(), "protocol".into()])));
        assert_eq!(ports.patch_strategy, PatchStrategy { merge: true, replace: false, retain_keys: true });
        assert_eq!(ports.patch_merge_key.as_deref(), Some("port"));
        assert_eq!(ports.go_type(&types), "[]v1.Port");
        let FieldType::List(item) = &ports.ty else { panic!("a list") };
        let FieldType::Struct(port) = **item else { panic!("of structs") };
        let port = types.get(port);
        assert!(port.atomic);
        let names: Vec<&str> = port.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["port", "protocol", "secret", "path"]);
        assert_eq!(port.field("protocol").and_then(|field| field.default.as_deref()), Some("\"T C P\""));
        assert_eq!(port.field("path").map(|field| field.go_type(&types)).as_deref(), Some("v1.Paths"));
        assert_eq!(port.field("path").map(|field| (field.number, field.within.clone())), Some((2, vec![5])));
        assert_eq!(port.field("secret").map(|field| field.within.clone()), Some(vec![5, 1]));
        assert_eq!(port.embedded[1].path, [5, 1]);
        assert_eq!(port.embedded[1].fields, 2..3);
        assert_eq!(port.position("none"), None);
    }

    #[track_caller]
    fn check(table: &str, expected: &str) {
        assert_eq!(parse(table).expect_err("not in the form").to_string(), expected);
    }

    #[test]
    fn says_which_line_is_wrong() {
        check(" a 1 string\n", "line 1: a field stands before any type");
        check("@core\n", "line 1: a package has a short name and a path");
        check("@core a/v1\nPod big\n", "line 2: a type is marked kind or atomic");
        check("@core a/v1\nPod\n a one string\n", "line 3: a field has a Protobuf number");
        check("@core a/v1\nPod\n a 1\n", "line 3: a field has a type");
        check("@core a/v1\nPod\n a 1 Spec\n", "line 3: unknown type Spec");
        check("@core a/v1\nPod\n a 1 string huge\n", "line 3: unknown mark huge");
        check("@core a/v1\nPod\n a 1 string patch=glue\n", "line 3: unknown patch strategy glue");
        check("@core a/v1\nPod\n + 1 string\n", "line 3: only a struct can be embedded");
        check("@core a/v1\nPod\n + 1 Pod\n", "line 3: too many structs embedded in each other");
        check("@core a/v1\nPod\n a 1 string\n a 2 string\n", "line 2: two fields have the same name");
    }
}
