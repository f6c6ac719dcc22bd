//! Bytes to a [`Node`].

use std::borrow::Cow;

use schema::Node;

use super::{SyntaxError, text};

/// How many lists and maps may stand inside one another.
///
/// Go allows 10000. Here whoever walks a document does so by recursion, drop included, on a stack that has
/// 1 MiB in a browser, of which a level takes up to 4 KiB without optimization. No kind of Kubernetes comes
/// near this depth.
pub const MAX_DEPTH: usize = 128;

/// As many entries most objects have, for which room is made at once.
const USUAL_ENTRIES: usize = 4;

/// Reads a JSON document. Strings without escapes are borrowed from `bytes`.
///
/// As in Go, invalid UTF-8 and lone surrogates in strings become U+FFFD, and whitespace may stand around
/// the document but nothing else.
///
/// # Errors
/// The first place where the bytes stop to be JSON, or [`MAX_DEPTH`] exceeded.
pub fn parse(bytes: &[u8]) -> Result<Node<'_>, SyntaxError> {
    let mut parser = Parser { bytes, text: std::str::from_utf8(bytes).ok(), at: 0, depth: 0 };
    let first = parser.token()?;
    let mut node = Node::Null;
    parser.value(first, &mut node)?;
    match parser.skip_space() {
        Some(_) => Err(parser.unexpected("after top-level value")),
        None => Ok(node),
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    /// The same bytes, if all of them are UTF-8.
    text: Option<&'a str>,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Goes to the next byte that is not whitespace, and returns it.
    fn skip_space(&mut self) -> Option<u8> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                next => return next,
            }
        }
    }

    /// As [`Self::skip_space`], where the document cannot end.
    fn token(&mut self) -> Result<u8, SyntaxError> {
        self.skip_space().ok_or_else(|| SyntaxError::end(self.bytes.len()))
    }

    fn unexpected(&self, context: &'static str) -> SyntaxError {
        SyntaxError::byte(self.bytes, self.at, context)
    }

    /// The value that begins with `first`, the byte at the current position. It is made where it is to be: moving it
    /// there would take longer than making it.
    fn value(&mut self, first: u8, into: &mut Node<'a>) -> Result<(), SyntaxError> {
        match first {
            b'"' => {
                let text = self.string()?;
                *into = Node::String(text);
            }
            b'{' => {
                let entries = self.map()?;
                *into = Node::Map(entries);
            }
            b'[' => {
                let items = self.list()?;
                *into = Node::List(items);
            }
            b'-' | b'0'..=b'9' => {
                let literal = self.number(first)?;
                *into = Node::Number(literal);
            }
            b't' => {
                self.literal(&TRUE)?;
                *into = Node::Bool(true);
            }
            b'f' => {
                self.literal(&FALSE)?;
                *into = Node::Bool(false);
            }
            b'n' => self.literal(&NULL)?,
            _ => return Err(self.unexpected("looking for beginning of value")),
        }
        Ok(())
    }

    fn descend(&mut self) -> Result<(), SyntaxError> {
        if self.depth == MAX_DEPTH {
            return Err(self.unexpected("exceeded max depth"));
        }
        self.at += 1;
        self.depth += 1;
        Ok(())
    }

    fn ascend(&mut self) {
        self.at += 1;
        self.depth -= 1;
    }

    fn map(&mut self) -> Result<Vec<(Cow<'a, str>, Node<'a>)>, SyntaxError> {
        self.descend()?;
        if self.token()? == b'}' {
            self.ascend();
            return Ok(Vec::new());
        }
        let mut entries = Vec::with_capacity(USUAL_ENTRIES);
        loop {
            if self.token()? != b'"' {
                return Err(self.unexpected("looking for beginning of object key string"));
            }
            let key = self.string()?;
            if self.token()? != b':' {
                return Err(self.unexpected("after object key"));
            }
            self.at += 1;
            let first = self.token()?;
            entries.push((key, Node::Null));
            if let Some((_, value)) = entries.last_mut() {
                self.value(first, value)?;
            }
            match self.token()? {
                b',' => self.at += 1,
                b'}' => {
                    self.ascend();
                    return Ok(entries);
                }
                _ => return Err(self.unexpected("after object key:value pair")),
            }
        }
    }

    fn list(&mut self) -> Result<Vec<Node<'a>>, SyntaxError> {
        self.descend()?;
        let mut items = Vec::new();
        if self.token()? == b']' {
            self.ascend();
            return Ok(items);
        }
        loop {
            let first = self.token()?;
            items.push(Node::Null);
            if let Some(item) = items.last_mut() {
                self.value(first, item)?;
            }
            match self.token()? {
                b',' => self.at += 1,
                b']' => {
                    self.ascend();
                    return Ok(items);
                }
                _ => return Err(self.unexpected("after array element")),
            }
        }
    }

    /// The text between the quotes, of which the first is at the current position.
    #[inline(always)]
    fn string(&mut self) -> Result<Cow<'a, str>, SyntaxError> {
        let start = self.at + 1;
        let (end, escaped) = text::scan(self.bytes, start)?;
        self.at = end + 1;
        let raw = &self.bytes[start..end];
        Ok(match self.text.and_then(|text| text.get(start..end)) {
            Some(plain) if !escaped => Cow::Borrowed(plain),
            _ => Cow::Owned(text::unquote(raw)),
        })
    }

    fn number(&mut self, first: u8) -> Result<Cow<'a, str>, SyntaxError> {
        let start = self.at;
        if first == b'-' {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.unexpected("in numeric literal")),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.unexpected("after decimal point in numeric literal"));
            }
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.unexpected("in exponent of numeric literal"));
            }
            self.digits();
        }
        Ok(match self.text.and_then(|text| text.get(start..self.at)) {
            Some(literal) => Cow::Borrowed(literal),
            None => String::from_utf8_lossy(&self.bytes[start..self.at]),
        })
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn literal(&mut self, word: &Literal) -> Result<(), SyntaxError> {
        self.at += 1;
        for (byte, context) in word {
            if self.peek() != Some(*byte) {
                return Err(self.unexpected(context));
            }
            self.at += 1;
        }
        Ok(())
    }
}

/// The bytes of a word after its first, each with what is said if it is not there.
type Literal = [(u8, &'static str)];

const TRUE: [(u8, &str); 3] = [
    (b'r', "in literal true (expecting 'r')"),
    (b'u', "in literal true (expecting 'u')"),
    (b'e', "in literal true (expecting 'e')"),
];
const FALSE: [(u8, &str); 4] = [
    (b'a', "in literal false (expecting 'a')"),
    (b'l', "in literal false (expecting 'l')"),
    (b's', "in literal false (expecting 's')"),
    (b'e', "in literal false (expecting 'e')"),
];
const NULL: [(u8, &str); 3] = [
    (b'u', "in literal null (expecting 'u')"),
    (b'l', "in literal null (expecting 'l')"),
    (b'l', "in literal null (expecting 'l')"),
];
