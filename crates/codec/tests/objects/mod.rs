//! Objects of the built-in kinds, made up.
#![allow(dead_code, unreachable_pub)] // Not every test makes all of them.

use codec::json;
use json_tree::{Map, Value, json};
use schema::{Empty, FieldType, TypeId, Types, decode, resources};

/// The source of the random numbers.
pub struct Dice(u64);

impl Dice {
    /// Those that show the same whenever they are thrown in the same order.
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn one_of<T: Clone>(&mut self, sides: &[T]) -> T {
        sides[self.roll(sides.len() as u64) as usize].clone()
    }
}

/// The requirements for a generated object.
#[derive(Clone, Copy)]
pub struct Wish {
    /// All fields, not some.
    pub full: bool,
    /// Only what Protobuf can hold.
    pub protobuf: bool,
    /// But for these fields, each with the type that has it.
    pub without: &'static [(&'static str, &'static str)],
}

impl Wish {
    /// All fields.
    pub const FULL: Self = Self { full: true, protobuf: false, without: &[] };
    /// All fields, with what Protobuf can hold.
    pub const FULL_PROTOBUF: Self = Self { protobuf: true, ..Self::FULL };
    /// Some fields.
    pub const SOME: Self = Self { full: false, ..Self::FULL };
    /// Some fields, with what Protobuf can hold.
    pub const SOME_PROTOBUF: Self = Self { protobuf: true, ..Self::SOME };
}

/// An object of a type as kube-apiserver would keep it.
pub fn object(ty: TypeId, wish: Wish, dice: &mut Dice) -> Value {
    let types = Types::builtin();
    let value = Maker { types, wish, dice, schemas: 0 }.object(ty);
    kept(ty, &value)
}

/// Returns a value as it is after decoding.
#[track_caller]
pub fn kept(ty: TypeId, value: &Value) -> Value {
    let text = json::to_vec(value);
    let node = json::parse(&text).expect("it was written");
    let mut kept = decode(Types::builtin(), ty, &node).expect("made to be of the type").value;
    schema::nil_empty_lists(Types::builtin(), ty, &mut kept);
    kept
}

/// The types of all kinds that have resources.
pub fn types() -> Vec<TypeId> {
    let mut all: Vec<TypeId> = resources().iter().filter_map(|it| it.ty()).collect();
    all.extend(resources().iter().flat_map(|it| it.subresources.iter().filter_map(|sub| sub.ty())));
    all.sort();
    all.dedup();
    all
}

struct Maker<'d> {
    types: &'static Types,
    wish: Wish,
    dice: &'d mut Dice,
    /// In how many schemas we are.
    schemas: usize,
}

impl Maker<'_> {
    fn object(&mut self, id: TypeId) -> Value {
        let ty = self.types.get(id);
        let is_schema = ty.name == "v1.JSONSchemaProps";
        self.schemas += usize::from(is_schema);
        let mut object = Map::new();
        for field in &ty.fields {
            let wanted = field.empty == Empty::Keep || self.wish.full || self.dice.roll(3) == 0;
            let deep = self.schemas > 1 && is_schema && !is_plain(&field.ty);
            let without = self.wish.without.contains(&(&ty.name, &field.name));
            if wanted && !deep && !without {
                let value = self.value(&field.ty);
                // Protobuf cannot tell an empty list from none, where JSON can.
                let lost =
                    self.wish.protobuf && field.empty == Empty::Pointer && value == json_tree::json!([]);
                if !lost {
                    object.insert(field.name.clone(), value);
                }
            }
        }
        self.schemas -= usize::from(is_schema);
        Value::Object(object)
    }

    fn value(&mut self, ty: &FieldType) -> Value {
        let count = if self.wish.full { 2 } else { self.dice.roll(3) };
        match ty {
            FieldType::Bool => Value::from(self.dice.roll(2) == 1),
            FieldType::Int32 => Value::from(self.dice.one_of(&[0, 1, -1, 127, 128, 80, i32::MAX, i32::MIN])),
            FieldType::Int64 => Value::from(self.dice.one_of(&[0, 1, -1, 300, i64::MAX, i64::MIN])),
            FieldType::Float64 => Value::from(self.dice.one_of(&[0.5, -0.25, 1e300, 0.1])),
            FieldType::String => Value::from(self.dice.one_of(&["", "a", "é<&>\n", &"long ".repeat(40)])),
            FieldType::Bytes => Value::from(self.dice.one_of(&["", "AA==", "AP8B", "/+8="])),
            FieldType::Time => {
                Value::from(self.dice.one_of(&["2026-01-01T00:00:00Z", "1969-12-31T23:59:59Z"]))
            }
            FieldType::MicroTime => {
                Value::from(self.dice.one_of(&["2026-01-01T00:00:00.123456Z", "1970-01-01T00:00:00.000000Z"]))
            }
            FieldType::Duration => Value::from("5m0s"),
            FieldType::Quantity => Value::from(self.dice.one_of(&["0", "1", "100m", "1536Mi", "10k"])),
            FieldType::IntOrString => {
                self.dice.one_of(&[json!(0), json!(-1), json!(8080), json!(""), json!("25%")])
            }
            FieldType::Any => {
                self.dice.one_of(&[json!({"b": [1, "<x>", null, 1.5], "a": {}}), json!({"k": -1})])
            }
            FieldType::FieldsV1 => json!({"f:spec": {"f:a": {}, ".": {}}}),
            FieldType::Strings => (0..count).map(|index| Value::from(format!("s{index}"))).collect(),
            FieldType::SchemaOrArray(id) => match self.dice.roll(2) {
                0 => Value::Array(vec![self.object(*id)]),
                _ => self.object(*id),
            },
            FieldType::SchemaOrBool(id) => match self.dice.roll(3) {
                0 => self.object(*id),
                side => Value::from(side == 1),
            },
            FieldType::SchemaOrStrings(id) => match self.dice.roll(2) {
                0 => json!(["a", "b"]),
                _ => self.object(*id),
            },
            FieldType::Struct(id) => self.object(*id),
            FieldType::List(item) => (0..count).map(|_| self.value(item)).collect(),
            FieldType::Map(item) => {
                let keys = ["z", "a.b/c", ""].into_iter().take(count as usize);
                Value::Object(keys.map(|key| (key.to_owned(), self.value(item))).collect())
            }
        }
    }
}

/// Reports whether there is no object in the type.
fn is_plain(ty: &FieldType) -> bool {
    match ty {
        FieldType::Struct(_)
        | FieldType::SchemaOrArray(_)
        | FieldType::SchemaOrBool(_)
        | FieldType::SchemaOrStrings(_) => false,
        FieldType::List(inner) | FieldType::Map(inner) => is_plain(inner),
        _ => true,
    }
}
