//! The types of the built-in kinds: their fields as Go's structs have them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use json_tree::sort;

mod parse;

pub use parse::{TableError, parse};

/// The table that the built-in types are read from. Who wants to know whether they have changed may compare it.
pub const TABLE: &str = include_str!("table.txt");

/// The index of a [`Type`] in [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub(crate) u16);

impl TypeId {
    /// The place of the type in [`Types::iter`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// All types that the built-in kinds reach.
#[derive(Debug, Default)]
pub struct Types {
    all: Vec<Type>,
    /// `package.Name` (with the whole package path) to the type.
    by_name: HashMap<String, TypeId>,
    /// For each type the result of [`Types::may_lack_keys`], once somebody has asked.
    pub(crate) keyless: OnceLock<Vec<bool>>,
}

/// One Go struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// The name as Go prints it, with the last part of its package: `v1.PodSpec`.
    pub name: String,
    /// The Go package: `k8s.io/api/core/v1`.
    pub package: String,
    /// True if the struct embeds `TypeMeta`, so that `kind` and `apiVersion` precede the fields below,
    /// which do not list them.
    pub type_meta: bool,
    /// True if the struct is atomic to Server-Side Apply wherever it occurs (`+structType=atomic`).
    pub atomic: bool,
    /// The fields in the order in which Go writes them. Those of embedded structs stand where the struct
    /// is embedded, as JSON has them; [`Field::within`] says where Protobuf has them.
    pub fields: Vec<Field>,
    /// The structs that are embedded, for Protobuf, where they are messages of their own.
    pub embedded: Vec<Embedded>,
    /// From JSON names to places in `fields`.
    by_name: Names,
    /// Indices into `fields`: those that are written even if there is nothing in them.
    always: Vec<u16>,
    /// The Protobuf parts of the struct's own message, and then those of the messages that are embedded in it.
    levels: Vec<Level>,
}

/// A message of a struct: its own, or an embedded one.
#[derive(Clone, Debug, PartialEq)]
struct Level {
    /// The numbers that lead to it.
    path: Vec<u32>,
    /// The parts, in the order of their numbers.
    parts: Vec<(u32, Part)>,
}

/// The part of a message that has a Protobuf number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The field of this index.
    Field(u16),
    /// The embedded struct of this index.
    Embedded(u16),
}

/// A struct without a JSON name of its own inside another (`json:",inline"`).
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// The Protobuf numbers that lead to the message, outermost first.
    pub path: Vec<u32>,
    /// The type of the struct.
    pub ty: TypeId,
    /// Which of the outer [`Type::fields`] are its fields.
    pub fields: Range<usize>,
}

/// One field of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The JSON name.
    pub name: String,
    /// The type of its value.
    pub ty: FieldType,
    /// True if OpenAPI calls the field required.
    pub required: bool,
    /// The behavior of Go's JSON encoder when there is nothing in it.
    pub empty: Empty,
    /// The Protobuf field number; 0 if the type has no Protobuf form.
    pub number: u32,
    /// The Protobuf numbers of the embedded messages that the field is in, outermost first; empty for
    /// nearly all fields.
    pub within: Vec<u32>,
    /// `+listType`, for lists that have one. A list without one is atomic.
    pub list: Option<ListType>,
    /// `+mapType=atomic`: the map is one value to Server-Side Apply.
    pub map_atomic: bool,
    /// True if the struct is one value to Server-Side Apply: `+structType` on this field, or else on its
    /// type.
    pub struct_atomic: bool,
    /// `+patchStrategy`: how Strategic Merge Patch treats the field.
    pub patch_strategy: PatchStrategy,
    /// `+patchMergeKey`: by which field of its items Strategic Merge Patch merges the list.
    pub patch_merge_key: Option<String>,
    /// `+default`, as JSON text: `"TCP"` with its quotation marks, `{}`, `1`.
    pub default: Option<String>,
    /// The Go type, where it has a name that [`FieldType`] does not tell: `v1.RestartPolicy` for a string.
    pub go_type: Option<String>,
}

/// The type of a field's value.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldType {
    /// `bool`
    Bool,
    /// `int32`
    Int32,
    /// `int64`
    Int64,
    /// `float64`
    Float64,
    /// `string`, or a type of that kind
    String,
    /// `[]byte`: Base64 in JSON
    Bytes,
    /// `metav1.Time`: RFC 3339 with whole seconds
    Time,
    /// `metav1.MicroTime`: RFC 3339 with six digits after the second
    MicroTime,
    /// `metav1.Duration`: text such as `5m0s`
    Duration,
    /// `resource.Quantity`: text, or a number on input
    Quantity,
    /// `intstr.IntOrString`
    IntOrString,
    /// Any JSON value, kept as it is: `runtime.RawExtension`, `apiextensions.JSON`.
    Any,
    /// `metav1.FieldsV1`: a JSON object, kept as it is
    FieldsV1,
    /// `[]string` under a name of its own (`v1.ExtraValue`, `v1.Verbs`): JSON has a list, Protobuf a
    /// message whose field 1 repeats.
    Strings,
    /// `JSONSchemaPropsOrArray`: a schema, or a list of them
    SchemaOrArray(TypeId),
    /// `JSONSchemaPropsOrBool`: a schema, or a boolean
    SchemaOrBool(TypeId),
    /// `JSONSchemaPropsOrStringArray`: a schema, or a list of strings
    SchemaOrStrings(TypeId),
    /// A struct.
    Struct(TypeId),
    /// A list.
    List(Box<Self>),
    /// A map whose keys are text.
    Map(Box<Self>),
}

/// The output of Go's JSON encoder for a field that holds nothing, and with it the values that Go can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Empty {
    /// A value with `omitempty` or `omitzero`: `""`, `0`, `false`, an empty list or map is not written.
    /// So these, sent by a client, disappear.
    #[default]
    Omit,
    /// A pointer with `omitempty`: absent and `null` are not written; all else is, `0` and `{}` too.
    Pointer,
    /// A value that is always written: its zero value if there is none. That is `""`, `0`, `false`,
    /// `null` for a list, a map or a time (but `[]` and `{}` stay as they are when given), and for a
    /// struct its zero object.
    Keep,
    /// A pointer without `omitempty`: `null` is written if there is none.
    Null,
}

/// How Server-Side Apply treats a list.
/// See <https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy>.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListType {
    /// One value.
    Atomic,
    /// Scalars, each once.
    Set,
    /// Objects, told apart by these fields.
    Map(Vec<String>),
}

/// How Strategic Merge Patch treats a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PatchStrategy {
    /// `merge`: lists are merged, by the merge key or as sets.
    pub merge: bool,
    /// `replace`: the value is replaced as a whole.
    pub replace: bool,
    /// `retainKeys`: a patch may list the keys that are to stay.
    pub retain_keys: bool,
}

impl Types {
    /// The types of kube-apiserver v1.36, read from the table once.
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Types> = OnceLock::new();
        BUILTIN.get_or_init(|| parse(TABLE).unwrap_or_default())
    }

    pub(crate) fn new(mut all: Vec<Type>) -> Self {
        let by_name = all
            .iter()
            .enumerate()
            .map(|(index, ty)| (format!("{}.{}", ty.package, ty.short_name()), TypeId(index as u16)))
            .collect();
        for ty in &mut all {
            ty.levels = ty.make_levels();
        }
        Self { all, by_name, keyless: OnceLock::new() }
    }

    /// The type of this id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.all[usize::from(id.0)]
    }

    /// The type of a Go package and name: `find("k8s.io/api/core/v1", "Pod")`.
    pub fn find(&self, package: &str, name: &str) -> Option<TypeId> {
        self.by_name.get(&format!("{package}.{name}")).copied()
    }

    /// All types with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.all.iter().enumerate().map(|(index, ty)| (TypeId(index as u16), ty))
    }
}

impl Type {
    pub(crate) fn new(name: String, package: String, fields: Vec<Field>) -> Self {
        let by_name = Names::of(&fields);
        let always = (0..fields.len() as u16)
            .filter(|index| matches!(fields[usize::from(*index)].empty, Empty::Keep | Empty::Null))
            .collect();
        Self {
            name,
            package,
            type_meta: false,
            atomic: false,
            fields,
            embedded: Vec::new(),
            by_name,
            always,
            levels: Vec::new(),
        }
    }

    /// The name without its package: `PodSpec`.
    pub fn short_name(&self) -> &str {
        self.name.rsplit_once('.').map_or(self.name.as_str(), |(_, short)| short)
    }

    /// The field of this JSON name (letter case matters).
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.position(name).map(|index| &self.fields[index])
    }

    /// Returns the index in [`Type::fields`] of the field with this JSON name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.by_name.find(name, &self.fields)
    }

    /// Returns the parts of the embedded message to which `path` leads, in the order of their Protobuf numbers; without
    /// a path those of the message of the struct itself.
    pub fn parts(&self, path: &[u32]) -> &[(u32, Part)] {
        self.levels.iter().find(|level| level.path == path).map_or(&[], |level| &level.parts)
    }

    fn make_levels(&self) -> Vec<Level> {
        let paths = std::iter::once([].as_slice()).chain(self.embedded.iter().map(|one| one.path.as_slice()));
        paths
            .map(|path| {
                let fields = self.fields.iter().enumerate().filter(|(_, field)| field.within == path);
                let fields = fields.map(|(index, field)| (field.number, Part::Field(index as u16)));
                let embedded = self.embedded.iter().enumerate().filter_map(|(index, embedded)| {
                    let (number, outer) = embedded.path.split_last()?;
                    (outer == path).then_some((*number, Part::Embedded(index as u16)))
                });
                let mut parts: Vec<(u32, Part)> = fields.chain(embedded).filter(|part| part.0 != 0).collect();
                sort(&mut parts);
                Level { path: path.to_vec(), parts }
            })
            .collect()
    }

    /// Returns the indices in [`Type::fields`] of the fields that are written even if there is nothing in them.
    pub(crate) fn always(&self) -> impl ExactSizeIterator<Item = usize> {
        self.always.iter().map(|index| usize::from(*index))
    }
}

/// A table from the names of fields to their places, by as much of a name as tells most of them apart.
#[derive(Clone, Debug, PartialEq)]
struct Names {
    /// Places counted from 1, each at the first free slot from that of its name on. At most half are taken.
    slots: Vec<u16>,
}

impl Names {
    fn of(fields: &[Field]) -> Self {
        let mut names = Self { slots: vec![0; ((fields.len() + 1) * 2).next_power_of_two()] };
        for (place, field) in (1..).zip(fields) {
            let mut slot = names.home(&field.name);
            while names.slots[slot] != 0 {
                slot = (slot + 1) & (names.slots.len() - 1);
            }
            names.slots[slot] = place;
        }
        names
    }

    fn home(&self, name: &str) -> usize {
        let bytes = name.as_bytes();
        let byte = |at: usize| bytes.get(at).map_or(0, |byte| usize::from(*byte));
        let last = bytes.len().wrapping_sub(1);
        (bytes.len() * 3 + byte(0) * 7 + byte(last) * 31 + byte(bytes.len() / 2) * 13)
            & (self.slots.len() - 1)
    }

    fn find(&self, name: &str, fields: &[Field]) -> Option<usize> {
        let mut slot = self.home(name);
        loop {
            let place = usize::from(self.slots[slot]).checked_sub(1)?;
            if json_tree::map::same(&fields[place].name, name) {
                return Some(place);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

impl Field {
    /// The Go type as error messages print it: `[]v1.Container`, `map[string]string`, `int32`. A
    /// pointer's star is left out, as `encoding/json` leaves it out.
    pub fn go_type(&self, types: &Types) -> String {
        self.go_type.clone().unwrap_or_else(|| self.ty.go_type(types))
    }
}

impl FieldType {
    /// Returns whether the Go type has a method that reads JSON, at whose error Go's decoder ends.
    pub(crate) fn reads_itself(&self) -> bool {
        matches!(
            self,
            Self::Quantity
                | Self::IntOrString
                | Self::Time
                | Self::MicroTime
                | Self::Duration
                | Self::Any
                | Self::FieldsV1
                | Self::SchemaOrArray(_)
                | Self::SchemaOrBool(_)
                | Self::SchemaOrStrings(_)
        )
    }

    /// The Go type as error messages print it, for a type without a name of its own.
    pub fn go_type(&self, types: &Types) -> String {
        match self {
            Self::Bool => "bool".into(),
            Self::Int32 => "int32".into(),
            Self::Int64 => "int64".into(),
            Self::Float64 => "float64".into(),
            Self::String => "string".into(),
            Self::Bytes => "[]uint8".into(),
            Self::Time => "v1.Time".into(),
            Self::MicroTime => "v1.MicroTime".into(),
            Self::Duration => "v1.Duration".into(),
            Self::Quantity => "resource.Quantity".into(),
            Self::IntOrString => "intstr.IntOrString".into(),
            Self::Any => "runtime.RawExtension".into(),
            Self::FieldsV1 => "v1.FieldsV1".into(),
            Self::Strings => "[]string".into(),
            Self::SchemaOrArray(_) => "v1.JSONSchemaPropsOrArray".into(),
            Self::SchemaOrBool(_) => "v1.JSONSchemaPropsOrBool".into(),
            Self::SchemaOrStrings(_) => "v1.JSONSchemaPropsOrStringArray".into(),
            Self::Struct(id) => types.get(*id).name.clone(),
            Self::List(item) => format!("[]{}", item.go_type(types)),
            Self::Map(value) => format!("map[string]{}", value.go_type(types)),
        }
    }
}
