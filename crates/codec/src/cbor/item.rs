//! Bytes to data items: what is well-formed, and what of that is refused whatever it should mean.

use std::borrow::Cow;

use super::Error;

/// How many arrays, maps and tags may stand inside one another.
pub const MAX_NESTING: usize = 64;
/// How many elements an array may have.
pub const MAX_ITEMS: usize = 1024;
/// How many entries a map may have.
pub const MAX_PAIRS: usize = 1024;

/// The tag of a document that says of itself that it is CBOR.
pub(super) const SELF_DESCRIBED_TAG: u64 = 55799;

/// A data item.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item<'a> {
    Positive(u64),
    /// `-1 - n`
    Negative(u64),
    Bytes(Cow<'a, [u8]>),
    /// `None` if it is not UTF-8.
    Text(Option<Cow<'a, str>>),
    Array(Vec<Self>),
    Map(Vec<(Self, Self)>),
    Tag(u64, Box<Self>),
    Simple(u8),
    Float(f64),
}

pub(super) const FALSE: u8 = 20;
pub(super) const TRUE: u8 = 21;
pub(super) const NULL: u8 = 22;
const UNDEFINED: u8 = 23;

impl Item<'_> {
    /// Returns the name of this kind of items in error messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Positive(_) => KINDS[0],
            Self::Negative(_) => KINDS[1],
            Self::Bytes(_) => KINDS[2],
            Self::Text(_) => KINDS[3],
            Self::Array(_) => KINDS[4],
            Self::Map(_) => KINDS[5],
            Self::Tag(..) => KINDS[6],
            Self::Simple(_) | Self::Float(_) => KINDS[7],
        }
    }

    /// Returns whether the item sets a pointer that it is decoded into to `nil`.
    pub(super) fn is_nil(&self) -> bool {
        matches!(self, Self::Simple(NULL | UNDEFINED))
    }

    /// The item inside the tags that say nothing but that this is CBOR.
    ///
    /// # Errors
    /// One of the tags around it cannot be around what it is.
    pub(super) fn content(&self) -> Result<&Self, Error> {
        let mut item = self;
        while let Self::Tag(SELF_DESCRIBED_TAG, inner) = item {
            item = inner;
        }
        let mut tagged = item;
        while let Self::Tag(tag, inner) = tagged {
            let expected = match (tag, &**inner) {
                (0, Self::Text(_)) | (1, Self::Positive(_) | Self::Negative(_) | Self::Float(_)) => None,
                (0, _) => Some("text string"),
                (1, _) => Some("integer or floating-point number"),
                _ => None,
            };
            if let Some(expected) = expected {
                let kind = inner.kind();
                return Err(Error::text(format!(
                    "cbor: tag number {tag} must be followed by {expected}, got {kind}"
                )));
            }
            tagged = inner;
        }
        Ok(item)
    }
}

pub(super) const KINDS: [&str; 8] = [
    "positive integer",
    "negative integer",
    "byte string",
    "UTF-8 text string",
    "array",
    "map",
    "tag",
    "primitives",
];
pub(super) const BYTES: u8 = 2;
pub(super) const TEXT: u8 = 3;
pub(super) const ARRAY: u8 = 4;
pub(super) const MAP: u8 = 5;
pub(super) const TAG: u8 = 6;
pub(super) const PRIMITIVES: u8 = 7;

/// The additional information of a length that is not known beforehand.
pub(super) const INDEFINITE: u8 = 31;
pub(super) const BREAK: u8 = 0xff;

/// Reads the only data item in `bytes`.
pub(super) fn parse(bytes: &[u8]) -> Result<Item<'_>, Error> {
    if bytes.is_empty() {
        return Err(Error::text("EOF"));
    }
    let mut parser = Parser { bytes, at: 0 };
    let item = parser.item(0)?;
    match bytes.len() - parser.at {
        0 => Ok(item),
        rest => {
            Err(Error::text(format!("cbor: {rest} bytes of extraneous data starting at index {}", parser.at)))
        }
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The beginning of a data item.
struct Head {
    major: u8,
    info: u8,
    value: u64,
}

impl<'a> Parser<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let bytes = self.bytes.get(self.at..).and_then(|rest| rest.get(..length)).ok_or_else(Error::end)?;
        self.at += length;
        Ok(bytes)
    }

    fn peek(&self) -> Result<u8, Error> {
        self.bytes.get(self.at).copied().ok_or_else(Error::end)
    }

    /// Returns whether something of indefinite length ends here. If so, its end is skipped.
    fn at_break(&mut self) -> Result<bool, Error> {
        let found = self.peek()? == BREAK;
        self.at += usize::from(found);
        Ok(found)
    }

    fn head(&mut self) -> Result<Head, Error> {
        let first = self.peek()?;
        self.at += 1;
        let (major, info) = (first >> 5, first & 0x1f);
        let kind = KINDS[usize::from(major)];
        let value = match info {
            0..=23 => u64::from(info),
            24..=27 => {
                self.take(1 << (info - 24))?.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
            }
            INDEFINITE if major == PRIMITIVES => return Err(unexpected_break()),
            INDEFINITE if matches!(major, BYTES..=MAP) => 0,
            _ => {
                return Err(Error::text(format!(
                    "cbor: invalid additional information {info} for type {kind}"
                )));
            }
        };
        if major == PRIMITIVES && info == 24 && value < 32 {
            return Err(Error::text(format!("cbor: invalid simple value {value} for type {kind}")));
        }
        Ok(Head { major, info, value })
    }

    fn item(&mut self, depth: usize) -> Result<Item<'a>, Error> {
        let head = self.head()?;
        match head.major {
            0 => Ok(Item::Positive(head.value)),
            1 => Ok(Item::Negative(head.value)),
            BYTES => Ok(Item::Bytes(self.string(&head)?)),
            TEXT => self.text(&head),
            ARRAY => self.array(&head, deeper(depth)?),
            MAP => self.map(&head, deeper(depth)?),
            TAG => self.tag(head.value, depth),
            _ => primitive(&head),
        }
    }

    fn length(head: &Head) -> Result<usize, Error> {
        match i64::try_from(head.value) {
            Ok(_) => Ok(usize::try_from(head.value).unwrap_or(usize::MAX)),
            Err(_) => Err(Error::text(format!(
                "cbor: {} length {} is too large, causing integer overflow",
                KINDS[usize::from(head.major)],
                head.value
            ))),
        }
    }

    fn string(&mut self, head: &Head) -> Result<Cow<'a, [u8]>, Error> {
        if head.info != INDEFINITE {
            return Ok(Cow::Borrowed(self.take(Self::length(head)?)?));
        }
        let mut whole = Vec::new();
        while !self.at_break()? {
            whole.extend_from_slice(self.chunk(head.major)?);
        }
        Ok(Cow::Owned(whole))
    }

    /// The next part of a string of indefinite length.
    fn chunk(&mut self, major: u8) -> Result<&'a [u8], Error> {
        let first = self.peek()?;
        let kind = KINDS[usize::from(major)];
        if first >> 5 != major {
            let element = KINDS[usize::from(first >> 5)];
            return Err(Error::text(format!(
                "cbor: wrong element type {element} for indefinite-length {kind}"
            )));
        }
        if first & 0x1f == INDEFINITE {
            return Err(Error::text(format!("cbor: indefinite-length {kind} chunk is not definite-length")));
        }
        let head = self.head()?;
        self.take(Self::length(&head)?)
    }

    fn text(&mut self, head: &Head) -> Result<Item<'a>, Error> {
        if head.info != INDEFINITE {
            let bytes = self.take(Self::length(head)?)?;
            return Ok(Item::Text(std::str::from_utf8(bytes).ok().map(Cow::Borrowed)));
        }
        let mut whole = Some(String::new());
        while !self.at_break()? {
            // Each part has to be UTF-8 of its own.
            let chunk = std::str::from_utf8(self.chunk(TEXT)?).ok();
            whole = whole.zip(chunk).map(|(whole, chunk)| whole + chunk);
        }
        Ok(Item::Text(whole.map(Cow::Owned)))
    }

    fn array(&mut self, head: &Head, depth: usize) -> Result<Item<'a>, Error> {
        let mut items = Vec::new();
        if head.info == INDEFINITE {
            while !self.at_break()? {
                items.push(self.item(depth)?);
                at_most(items.len(), MAX_ITEMS, ITEMS)?;
            }
        } else {
            let length = Self::length(head)?;
            at_most(length, MAX_ITEMS, ITEMS)?;
            for _ in 0..length {
                items.push(self.item(depth)?);
            }
        }
        Ok(Item::Array(items))
    }

    fn map(&mut self, head: &Head, depth: usize) -> Result<Item<'a>, Error> {
        let mut entries = Vec::new();
        if head.info == INDEFINITE {
            while !self.at_break()? {
                let key = self.item(depth)?;
                if self.at_break()? {
                    return Err(unexpected_break());
                }
                entries.push((key, self.item(depth)?));
                at_most(entries.len(), MAX_PAIRS, PAIRS)?;
            }
        } else {
            let length = Self::length(head)?;
            at_most(length, MAX_PAIRS, PAIRS)?;
            for _ in 0..length {
                entries.push((self.item(depth)?, self.item(depth)?));
            }
        }
        Ok(Item::Map(entries))
    }

    fn tag(&mut self, tag: u64, depth: usize) -> Result<Item<'a>, Error> {
        if matches!(tag, 2 | 3) {
            return Err(Error::unacceptable(KINDS[usize::from(TAG)], "bignum"));
        }
        // The first of several tags is not counted.
        let depth = if self.peek()? >> 5 == TAG { deeper(depth)? } else { depth };
        Ok(Item::Tag(tag, Box::new(self.item(depth)?)))
    }
}

fn unexpected_break() -> Error {
    Error::text("cbor: unexpected \"break\" code")
}

fn deeper(depth: usize) -> Result<usize, Error> {
    if depth < MAX_NESTING {
        Ok(depth + 1)
    } else {
        Err(Error::text(format!("cbor: exceeded max nested level {MAX_NESTING}")))
    }
}

const ITEMS: (&str, &str) = ("elements", "array");
const PAIRS: (&str, &str) = ("key-value pairs", "map");

fn at_most(count: usize, limit: usize, (of, within): (&str, &str)) -> Result<(), Error> {
    if count <= limit {
        Ok(())
    } else {
        Err(Error::text(format!("cbor: exceeded max number of {of} {limit} for CBOR {within}")))
    }
}

fn primitive<'a>(head: &Head) -> Result<Item<'a>, Error> {
    let float = match head.info {
        25 => half(head.value as u16),
        26 => f64::from(f32::from_bits(head.value as u32)),
        27 => f64::from_bits(head.value),
        _ => return Ok(Item::Simple(head.value as u8)),
    };
    let kind = KINDS[usize::from(PRIMITIVES)];
    if float.is_nan() {
        Err(Error::unacceptable(kind, "floating-point NaN"))
    } else if float.is_infinite() {
        Err(Error::unacceptable(kind, "floating-point infinity"))
    } else {
        Ok(Item::Float(float))
    }
}

/// A float of 16 bits.
pub(super) fn half(bits: u16) -> f64 {
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (fraction + 1024.0) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}
