//! The table of the types that a pod template consists of.

use std::collections::HashMap;
use std::sync::OnceLock;

const TABLE: &str = include_str!("types.txt");

/// A field of a struct of Go.
pub(super) struct Field {
    /// The name in Go.
    pub(super) name: &'static str,
    /// The key in JSON; `None` for a struct whose fields stand in its place.
    pub(super) key: Option<&'static str>,
    pub(super) kind: Type,
}

/// A type of Go.
pub(super) enum Type {
    /// A struct of the table, or one of those that are printed in their own way.
    Struct(&'static str),
    /// A text, by the name of its type.
    Text(&'static str),
    /// A boolean.
    Bool,
    /// A number, by the name of its type.
    Number(&'static str),
    Pointer(Box<Self>),
    List(Box<Self>),
    /// A map from texts, by the name of its type.
    Map(&'static str, Box<Self>),
}

impl Type {
    fn parse(text: &'static str) -> Self {
        if let Some(rest) = text.strip_prefix('*') {
            return Self::Pointer(Box::new(Self::parse(rest)));
        }
        if let Some(rest) = text.strip_prefix("[]") {
            return Self::List(Box::new(Self::parse(rest)));
        }
        if let Some((name, rest)) = text.strip_prefix("map=").and_then(|rest| rest.split_once(',')) {
            return Self::Map(name, Box::new(Self::parse(rest)));
        }
        let (base, name) = text.split_once('=').unwrap_or((text, text));
        match base {
            "string" => Self::Text(name),
            "bool" => Self::Bool,
            _ if base.starts_with("int") && !base.contains('.') => Self::Number(name),
            _ => Self::Struct(base),
        }
    }

    /// Returns the name of the type, as Go's reflection tells it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Struct(name) | Self::Text(name) | Self::Number(name) | Self::Map(name, _) => {
                (*name).to_owned()
            }
            Self::Bool => "bool".to_owned(),
            Self::Pointer(inside) => ["*", &inside.name()].concat(),
            Self::List(inside) => ["[]", &inside.name()].concat(),
        }
    }
}

/// Returns the fields of a struct, in order; none of one that is not in the table.
pub(super) fn fields(name: &str) -> &'static [Field] {
    static STRUCTS: OnceLock<HashMap<&'static str, Vec<Field>>> = OnceLock::new();
    let structs = STRUCTS.get_or_init(|| {
        let mut structs: HashMap<&'static str, Vec<Field>> = HashMap::new();
        let mut current = "";
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let Some(line) = line.strip_prefix(' ') else {
                current = line;
                continue;
            };
            let mut words = line.splitn(3, ' ');
            let (Some(name), Some(key), Some(kind)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            let key = Some(key).filter(|key| *key != "-");
            structs.entry(current).or_default().push(Field { name, key, kind: Type::parse(kind) });
        }
        structs
    });
    structs.get(name).map_or(&[], Vec::as_slice)
}
