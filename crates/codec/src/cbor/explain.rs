//! Explanation of each byte of a document in CBOR.
//! See <https://www.rfc-editor.org/rfc/rfc8949.html>.

use super::item::{
    ARRAY, BREAK, BYTES, INDEFINITE, KINDS, MAP, MAX_NESTING, PRIMITIVES, SELF_DESCRIBED_TAG, TAG, TEXT, half,
};
use crate::explain::{Kind, Range, Ranges, Stop, counted, item, name, number, text, under};

/// Explains a data item, or with `sequence` all that follow one another.
/// See <https://www.rfc-editor.org/rfc/rfc8742.html>.
pub fn explain(bytes: &[u8], sequence: bool) -> Vec<Range> {
    let mut walker = Walker { bytes, at: 0, ranges: Ranges::default() };
    // Where it stops has been noted.
    let _ = walker.all(sequence);
    walker.ranges.finish(bytes.len())
}

struct Walker<'a> {
    bytes: &'a [u8],
    at: usize,
    ranges: Ranges,
}

/// The beginning of a data item.
#[derive(Clone, Copy)]
struct Head {
    start: usize,
    major: u8,
    info: u8,
    value: u64,
}

impl Head {
    fn kind(self) -> &'static str {
        KINDS[usize::from(self.major)]
    }

    /// `major type 2 (byte string), argument 4`
    fn words(self) -> String {
        let argument = match (self.info, self.major) {
            (INDEFINITE, _) => ", of indefinite length".to_owned(),
            (25..=27, PRIMITIVES) => {
                [", a float of ", ["16", "32", "64"][usize::from(self.info - 25)], " bits"].concat()
            }
            _ => number(", argument", self.value),
        };
        [&number("major type", self.major), " (", self.kind(), ")", &argument].concat()
    }

    /// Describes the item that the head begins.
    fn item(self) -> String {
        let count = usize::try_from(self.value).unwrap_or(usize::MAX);
        match self.major {
            _ if self.info == INDEFINITE => [self.kind(), " of indefinite length"].concat(),
            ARRAY => ["array of ", &counted(count, "item", "")].concat(),
            MAP if count == 1 => "map of 1 entry".to_owned(),
            MAP => ["map of ", &count.to_string(), " entries"].concat(),
            BYTES | TEXT => [self.kind(), " of ", &counted(count, "byte", "")].concat(),
            TAG => number("tag", self.value),
            _ => self.number(),
        }
    }

    /// The value of what has all of it in its head.
    fn number(self) -> String {
        let float = |value: f64| {
            json_tree::Number::from_f64(value)
                .map_or_else(|| "a number that is not finite".to_owned(), |value| value.to_string())
        };
        match (self.major, self.info) {
            (0, _) => self.value.to_string(),
            (1, _) => (-1 - i128::from(self.value)).to_string(),
            (_, 25) => float(half(self.value as u16)),
            (_, 26) => float(f64::from(f32::from_bits(self.value as u32))),
            (_, 27) => float(f64::from_bits(self.value)),
            _ => match self.value {
                20 => "false".to_owned(),
                21 => "true".to_owned(),
                22 => "null".to_owned(),
                23 => "undefined".to_owned(),
                other => number("simple value", other),
            },
        }
    }
}

impl Walker<'_> {
    fn all(&mut self, sequence: bool) -> Result<(), Stop> {
        loop {
            self.item(None, 0, 0, "")?;
            let left = self.bytes.len() - self.at;
            if left == 0 {
                return Ok(());
            }
            if !sequence {
                let why = [
                    "cbor: ",
                    &left.to_string(),
                    " bytes of extraneous data starting at index ",
                    &self.at.to_string(),
                ];
                return self.broken(0, &why.concat(), "");
            }
        }
    }

    fn broken(&mut self, depth: usize, why: &str, path: &str) -> Result<(), Stop> {
        self.ranges.broken((self.at, self.bytes.len()), depth, why, path)
    }

    /// Returns whether something of indefinite length ends here. If so, its end is skipped.
    fn at_break(&mut self, depth: usize, path: &str) -> Result<bool, Stop> {
        if self.bytes.get(self.at) != Some(&BREAK) {
            return Ok(false);
        }
        let what = "break: the end of what began without a length";
        self.ranges.push((self.at, self.at + 1), depth, Kind::Tag, what.to_owned(), path)?;
        self.at += 1;
        Ok(true)
    }

    /// The head of the next item, if it is whole and means something.
    fn head(&mut self, depth: usize, path: &str) -> Result<Head, Stop> {
        let stop = |walker: &mut Self, why: &str| walker.broken(depth, why, path).and(Err(Stop));
        let start = self.at;
        let Some(first) = self.bytes.get(start).copied() else { return stop(self, "unexpected EOF") };
        let (major, info) = (first >> 5, first & 0x1f);
        let more = match info {
            0..=23 => 0,
            24..=27 => 1_usize << (info - 24),
            INDEFINITE if matches!(major, BYTES..=MAP) => 0,
            INDEFINITE if major == PRIMITIVES => return stop(self, "cbor: unexpected \"break\" code"),
            _ => {
                let kind = KINDS[usize::from(major)];
                let why = ["cbor: invalid additional information ", &info.to_string(), " for type ", kind];
                return stop(self, &why.concat());
            }
        };
        let Some(argument) = self.bytes.get(start + 1..start + 1 + more) else {
            return stop(self, "unexpected EOF");
        };
        let long = argument.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
        let value = match info {
            INDEFINITE => 0,
            0..=23 => u64::from(info),
            _ => long,
        };
        self.at = start + 1 + more;
        Ok(Head { start, major, info, value })
    }

    /// The next item. `field` is the range of the entry or item that it is the value of.
    fn item(&mut self, field: Option<usize>, depth: usize, nested: usize, path: &str) -> Result<(), Stop> {
        let mut head = self.head(depth, path)?;
        let mut tags = 0;
        while head.major == TAG {
            tags += 1;
            if nested + tags > MAX_NESTING {
                self.at = head.start;
                return self.too_deep(depth, path);
            }
            let (kind, what) = match head.value {
                SELF_DESCRIBED_TAG => {
                    (Kind::Magic, "tag 55799: what follows is CBOR (self-described)".to_owned())
                }
                0 => (Kind::Tag, "tag 0: a time as text follows".to_owned()),
                1 => (Kind::Tag, "tag 1: a time as a number of seconds follows".to_owned()),
                21 => (Kind::Tag, "tag 21: bytes follow, in JSON they are Base64 for URLs".to_owned()),
                22 => (Kind::Tag, "tag 22: bytes follow, in JSON they are Base64".to_owned()),
                23 => (Kind::Tag, "tag 23: bytes follow, in JSON they are Base16".to_owned()),
                other => (Kind::Tag, number("tag", other)),
            };
            self.ranges.push((head.start, self.at), depth, kind, what, path)?;
            head = self.head(depth, path)?;
        }
        let said = head.item();
        match (field, head.major) {
            (Some(field), BYTES..=MAP) => self.ranges.add(field, &[", ", &said].concat()),
            (Some(field), _) => self.ranges.value(field, &said),
            (None, _) => {}
        }
        match head.major {
            BYTES | TEXT => {
                let what = ["head: ", &head.words()].concat();
                self.ranges.push((head.start, self.at), depth, Kind::Length, what, path)?;
                if head.info == INDEFINITE {
                    while !self.at_break(depth, path)? {
                        let chunk = self.head(depth, path)?;
                        if chunk.major != head.major || chunk.info == INDEFINITE {
                            self.at = chunk.start;
                            let element = chunk.kind();
                            let why = [
                                "cbor: wrong element type ",
                                element,
                                " for indefinite-length ",
                                head.kind(),
                            ];
                            return self.broken(depth, &why.concat(), path);
                        }
                        let what = ["head of a part: ", &chunk.words()].concat();
                        self.ranges.push((chunk.start, self.at), depth, Kind::Length, what, path)?;
                        self.string(None, chunk, Kind::Text, depth, path)?;
                    }
                    return Ok(());
                }
                self.string(field, head, Kind::Text, depth, path).map(drop)
            }
            ARRAY | MAP => {
                let mut what = ["head: ", &head.words()].concat();
                if head.info != INDEFINITE {
                    what.push_str(": ");
                    what.push_str(&said);
                }
                let range = self.ranges.push((head.start, self.at), depth, Kind::Length, what, path)?;
                if field.is_none() {
                    self.ranges.label(range, &said);
                }
                if nested >= MAX_NESTING {
                    return self.too_deep(depth, path);
                }
                self.inside(head, depth, nested + 1, path)
            }
            _ => {
                let what = [&said, ": ", &head.words()].concat();
                self.ranges.push((head.start, self.at), depth, Kind::Number, what, path).map(drop)
            }
        }
    }

    fn too_deep(&mut self, depth: usize, path: &str) -> Result<(), Stop> {
        let why = number("cbor: exceeded max nested level", MAX_NESTING);
        self.broken(depth, &why, path)
    }

    /// The entries of a map, or the items of an array.
    fn inside(&mut self, head: Head, depth: usize, nested: usize, path: &str) -> Result<(), Stop> {
        let mut index = 0;
        loop {
            let over = match head.info {
                INDEFINITE => self.at_break(depth, path)?,
                _ => index as u64 == head.value,
            };
            if over {
                return Ok(());
            }
            if self.at == self.bytes.len() {
                return self.broken(depth, "unexpected EOF", path);
            }
            let start = self.at;
            let (field, path) = if head.major == ARRAY {
                let path = item(path, index);
                let what = number("item", index);
                let field = self.ranges.push((start, start), depth, Kind::Field, what, &path)?;
                self.ranges.label(field, &["[", &index.to_string(), "]"].concat());
                (field, path)
            } else {
                let field = self.ranges.push((start, start), depth, Kind::Field, "entry".to_owned(), path)?;
                let path = self.key(field, depth + 1, path)?;
                (field, path)
            };
            let found = self.item(Some(field), depth + 1, nested, &path);
            let end = if found.is_ok() { self.at } else { self.bytes.len() };
            self.ranges.end(field, end);
            found?;
            index += 1;
        }
    }

    /// The key of an entry; gives where its value stands.
    fn key(&mut self, field: usize, depth: usize, path: &str) -> Result<String, Stop> {
        self.ranges.end(field, self.bytes.len());
        let head = self.head(depth, path)?;
        if !matches!(head.major, BYTES | TEXT) || head.info == INDEFINITE {
            self.at = head.start;
            return self.broken(depth, "a key that is no string with a length", path).and(Err(Stop));
        }
        let known =
            usize::try_from(head.value).ok().and_then(|length| self.bytes.get(self.at..)?.get(..length));
        let key = String::from_utf8_lossy(known.unwrap_or_default());
        let inner = under(path, &key);
        self.ranges.place(field, &inner);
        self.ranges.add(field, &[" ", &name(&key)].concat());
        self.ranges.label(field, &key);
        let what = ["head of the key: ", &head.words()].concat();
        self.ranges.push((head.start, self.at), depth, Kind::Tag, what, &inner)?;
        self.string(None, head, Kind::Key, depth, &inner)?;
        Ok(inner)
    }

    /// The bytes of a string.
    fn string(
        &mut self,
        field: Option<usize>,
        head: Head,
        kind: Kind,
        depth: usize,
        path: &str,
    ) -> Result<(), Stop> {
        let left = self.bytes.len() - self.at;
        let Some(length) = usize::try_from(head.value).ok().filter(|length| *length <= left) else {
            let what = ["unexpected EOF: ", &head.item(), ", ", &counted(left, "byte", ""), " left"].concat();
            return self.broken(depth, &what, path);
        };
        let (start, end) = (self.at, self.at + length);
        let shown = text(&self.bytes[start..end]);
        self.at = end;
        if let Some(field) = field {
            self.ranges.value(field, &shown);
        }
        if start == end {
            return Ok(());
        }
        let word = if kind == Kind::Key { "key " } else { "text " };
        self.ranges.push((start, end), depth, kind, [word, &shown].concat(), path).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::lines;

    #[track_caller]
    fn check(bytes: &[u8], sequence: bool, expected: &[&str]) {
        let lines = lines(&explain(bytes, sequence));
        assert_eq!(lines, expected, "{lines:#?}");
    }

    /// The last range of what is broken.
    #[track_caller]
    fn check_broken(bytes: &[u8], expected: &str) {
        let lines = lines(&explain(bytes, false));
        assert_eq!(lines.last().map(|line| line.trim_start()), Some(expected), "{lines:#?}");
    }

    #[test]
    fn explains_heads_keys_and_values() {
        check(
            b"\xd9\xd9\xf7\xa2Dkind\x43Pod\x44spec\xa1An\x82\x20\xf9\x3e\x00",
            false,
            &[
                "0-3 magic  | tag 55799: what follows is CBOR (self-described)",
                "3-4 length  | head: major type 5 (map), argument 2: map of 2 entries | map of 2 entries",
                "4-13 field /kind | entry `kind`, byte string of 3 bytes: \"Pod\" | kind: \"Pod\"",
                "  4-5 tag /kind | head of the key: major type 2 (byte string), argument 4",
                "  5-9 key /kind | key \"kind\"",
                "  9-10 length /kind | head: major type 2 (byte string), argument 3",
                "  10-13 text /kind | text \"Pod\"",
                "13-26 field /spec | entry `spec`, map of 1 entry | spec",
                "  13-14 tag /spec | head of the key: major type 2 (byte string), argument 4",
                "  14-18 key /spec | key \"spec\"",
                "  18-19 length /spec | head: major type 5 (map), argument 1: map of 1 entry",
                "  19-26 field /spec/n | entry `n`, array of 2 items | n",
                "    19-20 tag /spec/n | head of the key: major type 2 (byte string), argument 1",
                "    20-21 key /spec/n | key \"n\"",
                "    21-22 length /spec/n | head: major type 4 (array), argument 2: array of 2 items",
                "    22-23 field /spec/n/0 | item 0: -1 | [0]: -1",
                "      22-23 number /spec/n/0 | -1: major type 1 (negative integer), argument 0",
                "    23-26 field /spec/n/1 | item 1: 1.5 | [1]: 1.5",
                "      23-26 number /spec/n/1 | 1.5: major type 7 (primitives), a float of 16 bits",
            ],
        );
    }

    #[test]
    fn explains_what_has_no_length() {
        check(
            b"\xbfAk\x9f\xf5\xff\xff",
            false,
            &[
                "0-1 length  | head: major type 5 (map), of indefinite length | map of indefinite length",
                "1-6 field /k | entry `k`, array of indefinite length | k",
                "  1-2 tag /k | head of the key: major type 2 (byte string), argument 1",
                "  2-3 key /k | key \"k\"",
                "  3-4 length /k | head: major type 4 (array), of indefinite length",
                "  4-5 field /k/0 | item 0: true | [0]: true",
                "    4-5 number /k/0 | true: major type 7 (primitives), argument 21",
                "  5-6 tag /k | break: the end of what began without a length",
                "6-7 tag  | break: the end of what began without a length",
            ],
        );
    }

    #[test]
    fn explains_up_to_where_it_breaks() {
        check_broken(b"\xa1Ak", "2-3 key /k | key \"k\", and then the bytes are broken: unexpected EOF");
        check_broken(
            b"\xa1Ak\x45ab",
            "4-6 broken /k | broken from here on: unexpected EOF: byte string of 5 bytes, 2 bytes left",
        );
        check_broken(
            b"\xa1Ak\x1c",
            "3-4 broken /k | broken from here on: cbor: invalid additional information 28 for type positive integer",
        );
        check_broken(
            b"\xa1\x01\x02",
            "1-3 broken  | broken from here on: a key that is no string with a length",
        );
        check_broken(b"\x81\xff", "1-2 broken /0 | broken from here on: cbor: unexpected \"break\" code");
    }

    #[test]
    fn one_follows_the_other() {
        let ranges = explain(b"\xa1At\x01\xa1At\x02", true);
        let fields: Vec<_> = ranges.iter().filter(|range| range.kind == Kind::Field).collect();
        assert_eq!([&*fields[0].label, &*fields[1].label], ["t: 1", "t: 2"]);
        check_broken(
            b"\x01\x02\x03",
            "1-3 broken  | broken from here on: cbor: 2 bytes of extraneous data starting at index 1",
        );
    }

    #[test]
    fn wrong_bytes_are_explained_too() {
        let whole = b"\xd9\xd9\xf7\xbfDkind\x43Pod\x44spec\xa1An\x82\x20\xf9\x3e\x00\x41d\xd6\x42ab\x41f\x5f\x41a\x41b\xff\xff";
        for at in 0..whole.len() {
            crate::explain::tests::holds(&explain(&whole[..at], false), at);
            for wrong in 0..=255 {
                let mut bytes = whole.to_vec();
                bytes[at] = wrong;
                crate::explain::tests::holds(&explain(&bytes, false), bytes.len());
                crate::explain::tests::holds(&explain(&bytes, true), bytes.len());
            }
        }
        let deep = [[0x81_u8; 100].as_slice(), &[0]].concat();
        crate::explain::tests::holds(&explain(&deep, false), deep.len());
        let tags = [0xc6_u8; 10_000];
        crate::explain::tests::holds(&explain(&tags, false), tags.len());
    }
}
