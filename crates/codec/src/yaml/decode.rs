//! A graph of nodes to the JSON that it means.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};

use golang::{base64, strconv::quote};
use json_tree::sort_by;
use schema::Node;

use super::compose::{Graph, Kind};
use super::resolve::{Resolved, resolve};
use super::{Error, MAX_DEPTH, TOO_DEEP, number};

/// A key that a map had already: a strict reader refuses it, others take the later value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The line of the value, counted from one.
    pub line: usize,
    /// The key as Go's `%#v` shows it: text in quotes, numbers and booleans bare.
    pub key: String,
}

impl Display for Duplicate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: key {} already set in map", self.line, self.key)
    }
}

/// How many bytes aliases may add to a document: this many, and [`TIMES`] as many as it has.
const ALWAYS: usize = 4 * 1024 * 1024;
const TIMES: usize = 8;
/// The size of a node besides its text, in bytes.
const NODE: usize = size_of::<Node<'_>>();

/// Decodes a document of so many bytes. Returns its JSON, and the keys that stood in it twice.
pub(super) fn decode(graph: &Graph, length: usize) -> Result<(Node<'static>, Vec<Duplicate>), Error> {
    if graph.nodes.is_empty() {
        return Ok((Node::Null, Vec::new()));
    }
    // The document itself counts.
    let mut decoder = Decoder {
        graph,
        duplicates: Vec::new(),
        entries: 0,
        refused: None,
        followed: Vec::new(),
        seen: 1,
        by_alias: 0,
        room: ALWAYS + TIMES * length,
    };
    let node = decoder.node(0, 0)?;
    match decoder.refused {
        Some(error) => Err(error),
        None => {
            sort_by(&mut decoder.duplicates, |a, b| a.0.cmp(&b.0));
            Ok((node, decoder.duplicates.into_iter().map(|(_, duplicate)| duplicate).collect()))
        }
    }
}

/// A key as go-yaml has it, before JSON makes a string of it.
#[derive(Clone, Debug, PartialEq)]
enum Key {
    Text(String),
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
}

impl Eq for Key {}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |key: &Self| match key {
            Self::Text(_) => 0,
            Self::Null => 1,
            Self::Bool(_) => 2,
            Self::Int(_) => 3,
            Self::Uint(_) => 4,
            Self::Float(_) => 5,
        };
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::Uint(a), Self::Uint(b)) => a.cmp(b),
            (Self::Float(a), Self::Float(b)) => a.total_cmp(b),
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A key and its value, in the order in which they were found.
struct Entry {
    key: Key,
    node: Node<'static>,
    /// Of all entries, how many were found before.
    number: usize,
    /// The line that the value begins on.
    line: usize,
}

struct Decoder<'a> {
    graph: &'a Graph,
    /// With the numbers of their entries.
    duplicates: Vec<(usize, Duplicate)>,
    /// How many entries were found.
    entries: usize,
    /// The first thing that JSON cannot express.
    refused: Option<Error>,
    /// The aliases that are being followed.
    followed: Vec<usize>,
    /// How many nodes have been decoded, and how many of those by way of an alias.
    seen: usize,
    by_alias: usize,
    /// How many bytes may still come by way of an alias.
    room: usize,
}

impl Decoder<'_> {
    fn node(&mut self, index: usize, depth: usize) -> Result<Node<'static>, Error> {
        self.count()?;
        let graph = self.graph;
        match &graph.nodes[index].kind {
            Kind::Scalar { text, quoted, tag } => {
                self.grow(text)?;
                let value = scalar(text, *quoted, tag.as_deref())?;
                Ok(self.json(value))
            }
            Kind::Alias { target, name } => {
                self.follow(index, name)?;
                let node = self.node(*target, depth)?;
                self.followed.pop();
                Ok(node)
            }
            Kind::List(items) => {
                let depth = descend(depth)?;
                let mut list = Vec::with_capacity(items.len());
                for &item in items {
                    list.push(self.node(item, depth)?);
                }
                Ok(Node::List(list))
            }
            Kind::Map(_) => {
                let mut entries = Vec::new();
                self.entries(index, depth, &mut entries)?;
                Ok(self.map(entries))
            }
        }
    }

    /// Sets the entries of a map in another, which may have some already.
    fn entries(&mut self, index: usize, depth: usize, into: &mut Vec<Entry>) -> Result<(), Error> {
        let graph = self.graph;
        let Kind::Map(children) = &graph.nodes[index].kind else { return Ok(()) };
        let depth = descend(depth)?;
        for pair in children.chunks_exact(2) {
            let (key, value) = (pair[0], pair[1]);
            if self.is_merge(key) {
                self.merge(value, depth, into)?;
                continue;
            }
            let key = self.key(key, depth)?;
            let node = self.node(value, depth)?;
            into.push(Entry { key, node, number: self.entries, line: graph.nodes[value].line });
            self.entries += 1;
        }
        Ok(())
    }

    fn is_merge(&self, key: usize) -> bool {
        match &self.graph.nodes[key].kind {
            Kind::Scalar { text, quoted, tag } if text == "<<" => match tag.as_deref() {
                None => !quoted,
                Some(tag) => matches!(tag, "!" | "tag:yaml.org,2002:merge"),
            },
            _ => false,
        }
    }

    /// Merges one map or a list of them; of a list, the first has the last word.
    fn merge(&mut self, value: usize, depth: usize, into: &mut Vec<Entry>) -> Result<(), Error> {
        match &self.graph.nodes[value].kind {
            Kind::List(maps) => maps.iter().rev().try_for_each(|&map| self.merge_one(map, depth, into)),
            _ => self.merge_one(value, depth, into),
        }
    }

    fn merge_one(&mut self, index: usize, depth: usize, into: &mut Vec<Entry>) -> Result<(), Error> {
        let graph = self.graph;
        match &graph.nodes[index].kind {
            Kind::Map(_) => {
                self.count()?;
                self.entries(index, depth, into)
            }
            Kind::Alias { target, name } if matches!(graph.nodes[*target].kind, Kind::Map(_)) => {
                self.count()?;
                self.follow(index, name)?;
                self.count()?;
                self.entries(*target, depth, into)?;
                self.followed.pop();
                Ok(())
            }
            _ => Err(Error::new("map merge requires map or sequence of maps as the value")),
        }
    }

    fn follow(&mut self, alias: usize, name: &str) -> Result<(), Error> {
        if self.followed.contains(&alias) {
            return Err(Error::new(format!("anchor '{name}' value contains itself")));
        }
        self.followed.push(alias);
        Ok(())
    }

    /// Refuses a document that is small only because of its aliases: of few nodes nearly all, of millions a
    /// tenth may come from them.
    fn count(&mut self) -> Result<(), Error> {
        const FEW: usize = 400_000;
        const MANY: usize = 4_000_000;
        self.seen += 1;
        self.by_alias += usize::from(!self.followed.is_empty());
        let allowed = match self.seen {
            ..=FEW => 0.99,
            MANY.. => 0.10,
            seen => 0.99 - 0.89 * ((seen - FEW) as f64 / (MANY - FEW) as f64),
        };
        if self.by_alias > 100 && self.seen > 1000 && self.by_alias as f64 / self.seen as f64 > allowed {
            return Err(Error::new("document contains excessive aliasing"));
        }
        Ok(())
    }

    /// Refuses a document that is much larger than its text, for what an alias stands for is there as often as the alias is.
    /// Go shares its texts at first, and writes each of them into the JSON that it reads next.
    fn grow(&mut self, text: &str) -> Result<(), Error> {
        if self.followed.is_empty() {
            return Ok(());
        }
        match self.room.checked_sub(NODE + text.len()) {
            Some(room) => self.room = room,
            None => return Err(Error::new("document contains excessive aliasing")),
        }
        Ok(())
    }

    fn key(&mut self, index: usize, depth: usize) -> Result<Key, Error> {
        let graph = self.graph;
        let (text, quoted, tag) = match &graph.nodes[index].kind {
            Kind::Scalar { text, quoted, tag } => {
                self.count()?;
                self.grow(text)?;
                (text, quoted, tag)
            }
            Kind::Alias { target, name } => {
                self.count()?;
                self.follow(index, name)?;
                let key = self.key(*target, depth)?;
                self.followed.pop();
                return Ok(key);
            }
            Kind::List(_) | Kind::Map(_) => {
                let node = self.node(index, depth)?;
                let mut shown = String::new();
                show(&node, &mut shown);
                return Err(Error::new(format!("invalid map key: {shown}")));
            }
        };
        Ok(match scalar(text, *quoted, tag.as_deref())? {
            Scalar::Text(text) => Key::Text(text),
            Scalar::Null => Key::Null,
            Scalar::Bool(bool) => Key::Bool(bool),
            Scalar::Int(integer) => Key::Int(integer),
            Scalar::Uint(integer) => Key::Uint(integer),
            Scalar::Float(float) => Key::Float(float),
        })
    }

    fn json(&mut self, value: Scalar) -> Node<'static> {
        match value {
            Scalar::Null => Node::Null,
            Scalar::Bool(bool) => Node::Bool(bool),
            Scalar::Int(integer) => Node::Number(integer.to_string().into()),
            Scalar::Uint(integer) => Node::Number(integer.to_string().into()),
            Scalar::Text(text) => Node::String(text.into()),
            Scalar::Float(float) => {
                if !float.is_finite() {
                    let name = if float.is_nan() {
                        "NaN"
                    } else if float > 0.0 {
                        "+Inf"
                    } else {
                        "-Inf"
                    };
                    self.refused.get_or_insert_with(|| Error::unsupported_value(name));
                }
                let mut literal = Vec::new();
                crate::json::write_f64(float, &mut literal);
                Node::Number(String::from_utf8_lossy(&literal).into_owned().into())
            }
        }
    }

    /// A map with its keys as JSON has them, in the order in which Go writes them. Of entries with the same key the last
    /// counts.
    fn map(&mut self, mut entries: Vec<Entry>) -> Node<'static> {
        sort_by(&mut entries, |a, b| a.key.cmp(&b.key));
        let mut map: Vec<(Cow<'static, str>, Node<'static>)> = Vec::with_capacity(entries.len());
        let mut entries = entries.into_iter().peekable();
        while let Some(Entry { key, node, .. }) = entries.next() {
            if let Some(later) = entries.peek().filter(|later| later.key.cmp(&key).is_eq()) {
                let duplicate = Duplicate { line: later.line + 1, key: key.to_string() };
                self.duplicates.push((later.number, duplicate));
                continue;
            }
            let text = match key {
                Key::Text(text) => text,
                Key::Bool(bool) => bool.to_string(),
                Key::Int(integer) => integer.to_string(),
                Key::Float(float) => number::format_f32(float),
                Key::Null | Key::Uint(_) => {
                    let problem = unsupported(&key, &node);
                    self.refused.get_or_insert_with(|| Error::unsupported_key(problem));
                    continue;
                }
            };
            // Text comes in order.
            let at = match map.last() {
                Some((last, _)) if last.as_ref() >= text.as_str() => {
                    map.binary_search_by(|(key, _)| key.as_ref().cmp(&text))
                }
                _ => Err(map.len()),
            };
            match at {
                Ok(at) => map[at].1 = node,
                Err(at) => map.insert(at, (text.into(), node)),
            }
        }
        Node::Map(map)
    }
}

fn descend(depth: usize) -> Result<usize, Error> {
    if depth < MAX_DEPTH { Ok(depth + 1) } else { Err(Error::new(TOO_DEEP)) }
}

/// The JSON value of a scalar.
#[derive(Debug)]
enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Text(String),
}

fn scalar(text: &str, quoted: bool, tag: Option<&str>) -> Result<Scalar, Error> {
    let text_only = || Ok(Scalar::Text(text.to_owned()));
    let wanted = match tag.map(|tag| tag.strip_prefix("tag:yaml.org,2002:")) {
        None if quoted => return text_only(),
        None => return Ok(untagged(text, resolve(text))),
        Some(Some("binary")) => return binary(text),
        Some(Some(wanted @ ("bool" | "int" | "float" | "null" | "timestamp"))) => wanted,
        Some(_) => return text_only(),
    };
    let resolved = resolve(text);
    let found = match resolved {
        Resolved::Null => "null",
        Resolved::Bool(_) => "bool",
        Resolved::Int(_) | Resolved::Uint(_) => "int",
        Resolved::Float(_) => "float",
        Resolved::Timestamp => "timestamp",
        Resolved::Text => "str",
    };
    match resolved {
        Resolved::Int(integer) if wanted == "float" => Ok(Scalar::Float(integer as f64)),
        _ if found == wanted => Ok(untagged(text, resolved)),
        _ => Err(Error::new(format!("cannot decode !!{found} `{text}` as a !!{wanted}"))),
    }
}

fn untagged(text: &str, resolved: Resolved) -> Scalar {
    match resolved {
        Resolved::Null => Scalar::Null,
        Resolved::Bool(bool) => Scalar::Bool(bool),
        Resolved::Int(integer) => Scalar::Int(integer),
        Resolved::Uint(integer) => Scalar::Uint(integer),
        Resolved::Float(float) => Scalar::Float(float),
        Resolved::Timestamp | Resolved::Text => Scalar::Text(text.to_owned()),
    }
}

/// Base64, over several lines if need be. JSON has no bytes: what is not UTF-8 becomes U+FFFD.
fn binary(text: &str) -> Result<Scalar, Error> {
    match base64::decode(text) {
        Ok(bytes) => Ok(Scalar::Text(String::from_utf8_lossy(&bytes).into_owned())),
        Err(_) => Err(Error::new("!!binary value contains invalid base64 data")),
    }
}

/// The message of sigs.k8s.io/yaml about a key that is no string, integer, float or boolean.
fn unsupported(key: &Key, value: &Node<'_>) -> String {
    let mut shown = String::new();
    match value {
        Node::Null => shown.push_str("<nil>"),
        _ => show(value, &mut shown),
    }
    match key {
        Key::Uint(integer) => {
            format!("unsupported map key of type: uint64, key: {integer:#x}, value: {shown}")
        }
        _ => format!("unsupported map key of type: %!s(<nil>), key: <nil>, value: {shown}"),
    }
}

/// The key as Go's `%#v` shows it.
impl Display for Key {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&quote(text)),
            Self::Null => f.write_str("<nil>"),
            Self::Bool(bool) => write!(f, "{bool}"),
            Self::Int(integer) => write!(f, "{integer}"),
            Self::Uint(integer) => write!(f, "{integer:#x}"),
            Self::Float(float) => f.write_str(&number::format_f64(*float)),
        }
    }
}

/// Appends a value as Go's `%#v` shows it.
fn show(node: &Node<'_>, out: &mut String) {
    match node {
        Node::Null => out.push_str("interface {}(nil)"),
        Node::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
        Node::Number(literal) => out.push_str(literal),
        Node::String(text) => out.push_str(&quote(text)),
        Node::List(items) => {
            out.push_str("[]interface {}{");
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                show(item, out);
            }
            out.push('}');
        }
        Node::Map(entries) => {
            out.push_str("map[interface {}]interface {}{");
            for (index, (key, value)) in entries.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                out.push_str(&quote(key));
                out.push(':');
                show(value, out);
            }
            out.push('}');
        }
    }
}
