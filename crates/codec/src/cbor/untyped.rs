//! Decoding of a data item whose type is not known.

use std::borrow::Cow;
use std::collections::HashSet;

use golang::strconv::format_float;
use golang::time::{self, Layout, Time};
use json_tree::Value;
use schema::Node;

use super::item::{FALSE, Item, NULL, TRUE};
use super::text::{self, Later};
use super::{Error, key_text};

/// A document that has to be a map, or `null`.
pub(super) fn object<'a>(item: &Item<'a>) -> Result<Node<'a>, Error> {
    let mut content = item.content()?;
    while let Item::Tag(_, inner) = content {
        content = inner.content()?;
    }
    match content {
        Item::Map(_) | Item::Simple(_) => match value(item, None)? {
            Node::Bool(_) => Err(Error::mismatch(content.kind(), GO_MAP, "")),
            node => Ok(node),
        },
        _ => Err(Error::mismatch(content.kind(), GO_MAP, "")),
    }
}

const GO_MAP: &str = "map[string]interface {}";

/// The value of an item, within a tag about the encoding of bytes in it, if any.
pub(super) fn value<'a>(item: &Item<'a>, later: Option<Later>) -> Result<Node<'a>, Error> {
    Ok(match item.content()? {
        Item::Positive(value) => match i64::try_from(*value) {
            Ok(value) => Node::Number(Cow::Owned(value.to_string())),
            Err(_) => return Err(overflow(item.content()?, *value)),
        },
        Item::Negative(value) => match i64::try_from(*value) {
            Ok(value) => Node::Number(Cow::Owned((-1 - value).to_string())),
            Err(_) => return Err(overflow(item.content()?, -1 - i128::from(*value))),
        },
        Item::Bytes(bytes) => Node::String(text::string(bytes, later)),
        Item::Text(text) => Node::String(utf8(text)?),
        Item::Float(number) => float(*number),
        Item::Simple(simple) => primitive(*simple)?,
        Item::Tag(tag @ (0 | 1), inner) => Node::String(Cow::Owned(tagged_time(*tag, inner)?)),
        Item::Tag(tag, inner) => value(inner, Later::of(*tag).or(later))?,
        Item::Array(items) => {
            let mut list = Vec::with_capacity(items.len());
            for item in items {
                list.push(value(item, later)?);
            }
            Node::List(list)
        }
        Item::Map(entries) => map(entries, later, |item| value(item, later))?,
    })
}

fn overflow(item: &Item<'_>, value: impl std::fmt::Display) -> Error {
    Error::mismatch(item.kind(), "int64", format!("{value} overflows Go's int64"))
}

/// A float, which has a point or an exponent.
pub(super) fn float(number: f64) -> Node<'static> {
    Node::Number(Cow::Owned(literal(number)))
}

/// The literal of a float.
pub(super) fn literal(number: f64) -> String {
    if number.is_finite() { Value::from(number).to_string() } else { format_float(number) }
}

/// A map with text as keys, and values as `value` makes them. Of several errors in it the first counts, but for
/// keys that stand twice: there reading ends.
pub(super) fn map<'a, 'i>(
    entries: &'i [(Item<'a>, Item<'a>)],
    later: Option<Later>,
    value: impl Fn(&'i Item<'a>) -> Result<Node<'a>, Error>,
) -> Result<Node<'a>, Error> {
    let mut map = Vec::with_capacity(entries.len());
    let mut seen = HashSet::with_capacity(entries.len());
    let mut failed = None;
    for (index, (key, item)) in entries.iter().enumerate() {
        match key_text(key, later).and_then(|key| Ok((key, value(item)?))) {
            Ok((key, value)) => {
                if !seen.insert(key.clone()) {
                    return Err(Error::duplicate(key, index));
                }
                map.push((key, value));
            }
            Err(error) => {
                failed.get_or_insert(error);
            }
        }
    }
    failed.map_or(Ok(Node::Map(map)), Err)
}

pub(super) fn utf8<'a>(text: &Option<Cow<'a, str>>) -> Result<Cow<'a, str>, Error> {
    text.clone().ok_or_else(|| Error::text("cbor: invalid UTF-8 string"))
}

pub(super) fn primitive<'a>(simple: u8) -> Result<Node<'a>, Error> {
    match simple {
        FALSE => Ok(Node::Bool(false)),
        TRUE => Ok(Node::Bool(true)),
        NULL => Ok(Node::Null),
        _ => Err(Error::unacceptable("primitives", format_args!("simple value {simple} is not recognized"))),
    }
}

/// The text of a time, which the tag says that the item is: text, or seconds since 1970.
fn tagged_time(tag: u64, item: &Item<'_>) -> Result<String, Error> {
    let out_of_range = || {
        Error::text(
            "cbor: decoded time cannot be represented in RFC3339 format with sub-second precision: \
             Time.MarshalText: year outside of range [0,9999]",
        )
    };
    let (seconds, nanos) = match item {
        Item::Text(text) => {
            let text = utf8(text)?;
            let time = time::parse(Layout::Rfc3339, &text)
                .map_err(|why| Error::text(format!("cbor: cannot set {text} for time.Time: {why}")))?;
            // A time that has a zone keeps it.
            if !text.ends_with('Z') {
                return Ok(text.into_owned());
            }
            (time.seconds, time.nanos)
        }
        Item::Positive(seconds) => (i64::try_from(*seconds).map_err(|_| out_of_range())?, 0),
        Item::Negative(seconds) => (-1 - i64::try_from(*seconds).map_err(|_| out_of_range())?, 0),
        Item::Float(float) => {
            let nanos = (float.fract() * 1e9) as i64;
            (
                (float.trunc() as i64).saturating_add(nanos.div_euclid(1_000_000_000)),
                nanos.rem_euclid(1_000_000_000) as u32,
            )
        }
        _ => return Err(Error::mismatch(item.kind(), "time.Time", format!("tag {tag}"))),
    };
    let time = Time { seconds, nanos };
    if time.has_four_digits() { Ok(time.rfc3339_nano()) } else { Err(out_of_range()) }
}
