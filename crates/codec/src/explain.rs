//! Explanation of the bytes of a document in words: a list of ranges, each followed by those inside of it.
//!
//! [`crate::protobuf::explain()`] and [`crate::cbor::explain()`] make such lists. What is malformed is explained up to where
//! it breaks.

use std::fmt::Display;

/// More ranges than this are not made: whoever reads them has enough.
pub const MOST: usize = 40_000;

/// A longer text is cut where a sentence shows it, in characters.
const SHOWN: usize = 60;

/// The role of a range among those around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The prefix by which a document can be recognized.
    Magic,
    /// The bytes that tell where an event of a watch ends.
    Frame,
    /// A field, an entry of a map or an item of a list, with all that is in it.
    Field,
    /// The bytes that say which field follows, or what kind of value.
    Tag,
    /// How long a value is.
    Length,
    /// The key of a map's entry.
    Key,
    /// A text or bytes.
    Text,
    /// A number, or one of a few words.
    Number,
    /// The bytes that cannot be read, from where the document breaks.
    Broken,
    /// The bytes that were not looked at.
    Rest,
}

impl Kind {
    /// In one word, for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Magic => "magic",
            Self::Frame => "frame",
            Self::Field => "field",
            Self::Tag => "tag",
            Self::Length => "length",
            Self::Key => "key",
            Self::Text => "text",
            Self::Number => "number",
            Self::Broken => "broken",
            Self::Rest => "rest",
        }
    }
}

/// Some bytes, and what they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first byte.
    pub start: usize,
    /// One behind the last.
    pub end: usize,
    /// How many ranges are around it.
    pub depth: usize,
    /// The role of the range among those around it.
    pub kind: Kind,
    /// The description of the range, in a sentence.
    pub what: String,
    /// A field's name, and its value if it is one; empty for what is no field.
    pub label: String,
    /// Which value of the document as JSON it belongs to: a JSON pointer, empty for the whole.
    /// See <https://www.rfc-editor.org/rfc/rfc6901>.
    pub path: String,
}

/// The reason why no more is explained has been noted.
#[derive(Debug)]
pub(crate) struct Stop;

/// The ranges that have been found.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    all: Vec<Range>,
}

impl Ranges {
    /// Notes a range, whose words may be added to later.
    ///
    /// # Errors
    /// There are enough of them.
    pub(crate) fn push(
        &mut self,
        (start, end): (usize, usize),
        depth: usize,
        kind: Kind,
        what: String,
        path: &str,
    ) -> Result<usize, Stop> {
        if self.all.len() >= MOST {
            return Err(Stop);
        }
        self.all.push(Range { start, end, depth, kind, what, label: String::new(), path: path.to_owned() });
        Ok(self.all.len() - 1)
    }

    /// Notes that what is there cannot be read, and stops.
    pub(crate) fn broken(
        &mut self,
        bytes: (usize, usize),
        depth: usize,
        why: &str,
        path: &str,
    ) -> Result<(), Stop> {
        if bytes.0 < bytes.1 {
            self.push(bytes, depth, Kind::Broken, ["broken from here on: ", why].concat(), path)?;
        } else if let Some(last) = self.all.last_mut() {
            // Nothing is left to put it at.
            last.what.push_str(", and then the bytes are broken: ");
            last.what.push_str(why);
        }
        Err(Stop)
    }

    /// Adds to what is said of a range.
    pub(crate) fn add(&mut self, range: usize, words: &str) {
        if let Some(range) = self.all.get_mut(range) {
            range.what.push_str(words);
        }
    }

    /// Sets the name of a field.
    pub(crate) fn label(&mut self, range: usize, name: &str) {
        if let Some(range) = self.all.get_mut(range) {
            range.label = name.to_owned();
        }
    }

    /// Says which value a field has.
    pub(crate) fn value(&mut self, range: usize, value: &str) {
        if let Some(range) = self.all.get_mut(range) {
            for words in [&mut range.what, &mut range.label] {
                words.push_str(": ");
                words.push_str(value);
            }
        }
    }

    /// Sets which value a range belongs to, once that is known.
    pub(crate) fn place(&mut self, range: usize, path: &str) {
        if let Some(range) = self.all.get_mut(range) {
            range.path = path.to_owned();
        }
    }

    /// Sets where a range ends, once that is known.
    pub(crate) fn end(&mut self, range: usize, end: usize) {
        if let Some(range) = self.all.get_mut(range) {
            range.end = end;
        }
    }

    /// All of them, and what is left of `total` bytes.
    pub(crate) fn finish(mut self, total: usize) -> Vec<Range> {
        // What is around others ends behind them, however it was told to stop.
        let whole = |range: &&Range| range.kind != Kind::Field;
        let end = self.all.iter().filter(whole).map(|range| range.end).max().unwrap_or(0);
        if end < total {
            let what = counted(total - end, "byte", "not looked at");
            self.all.push(Range {
                start: end,
                end: total,
                depth: 0,
                kind: Kind::Rest,
                what,
                label: String::new(),
                path: String::new(),
            });
        }
        self.all
    }
}

/// `1 byte`, `2 bytes`, and what more there is to say about them.
pub(crate) fn counted(count: usize, noun: &str, more: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    let comma = if more.is_empty() { "" } else { ", " };
    [&count.to_string(), " ", noun, plural, comma, more].concat()
}

/// A pointer to what is at `key` in what `path` points to.
pub(crate) fn under(path: &str, key: &str) -> String {
    [path, "/", &key.replace('~', "~0").replace('/', "~1")].concat()
}

/// A pointer to an item of the list that `path` points to.
pub(crate) fn item(path: &str, index: usize) -> String {
    [path, "/", &index.to_string()].concat()
}

/// A text as a sentence shows it.
pub(crate) fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => quoted(text),
        Err(_) => counted(bytes.len(), "byte", "no text"),
    }
}

fn quoted(text: &str) -> String {
    let mut out = "\"".to_owned();
    for (count, letter) in text.chars().enumerate() {
        if count == SHOWN {
            out.push('…');
            break;
        }
        match letter {
            '\n' => out.push_str("\\n"),
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter.is_control() => out.push('·'),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// A name as a sentence shows it.
pub(crate) fn name(name: &str) -> String {
    ["`", name, "`"].concat()
}

/// A number, and what it is.
pub(crate) fn number(what: &str, value: impl Display) -> String {
    [what, " ", &value.to_string()].concat()
}

#[cfg(test)]
pub(crate) use tests::lines;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Ranges as lines.
    pub(crate) fn lines(ranges: &[Range]) -> Vec<String> {
        let show = |range: &Range| {
            let Range { start, end, depth, kind, what, label, path } = range;
            let label = if label.is_empty() { String::new() } else { format!(" | {label}") };
            format!("{}{start}-{end} {} {path} | {what}{label}", "  ".repeat(*depth), kind.name())
        };
        ranges.iter().map(show).collect()
    }

    /// That each of `total` bytes is in one range that has nothing inside, and that these stand in their order inside
    /// those that are around them.
    #[track_caller]
    pub(crate) fn holds(ranges: &[Range], total: usize) {
        let mut at = 0;
        let mut around: Vec<&Range> = Vec::new();
        for range in ranges {
            around.truncate(range.depth);
            assert_eq!(around.len(), range.depth, "{:#?}", lines(ranges));
            for outer in &around {
                assert!(outer.start <= range.start && range.end <= outer.end, "{:#?}", lines(ranges));
            }
            if range.kind == Kind::Field {
                around.push(range);
            } else {
                assert!(range.start == at && range.end > at, "{at}: {:#?}", lines(ranges));
                at = range.end;
            }
        }
        assert_eq!(at, total, "{:#?}", lines(ranges));
    }

    #[track_caller]
    fn check(bytes: &[u8], expected: &str) {
        assert_eq!(text(bytes), expected);
    }

    #[test]
    fn texts_are_short_and_on_one_line() {
        check(b"a\"b\n\t", r#""a\"b\n·""#);
        check(&[b'x'; 61], &format!("\"{}…\"", "x".repeat(60)));
        check(b"\xff", "1 byte, no text");
    }

    #[test]
    fn paths_are_json_pointers() {
        assert_eq!(item(&under("/metadata", "a/b~c"), 3), "/metadata/a~1b~0c/3");
    }
}
