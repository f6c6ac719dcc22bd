//! The bytes of an answer as rows, and what each of them is.

pub(crate) mod view;

pub(crate) use protocol::document::Range;

/// How many bytes a row has at most.
pub(crate) const WIDTH: usize = 8;

/// A range with nothing inside is shown up to here, in rows, where nothing is known of it.
const UNKNOWN: usize = 512;

/// A row of bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// The first byte.
    pub(crate) start: usize,
    /// The ranges of which it shows bytes, and up to which byte.
    pub(crate) pieces: Vec<(usize, usize)>,
    /// The field that begins with this row, or the range that it shows if it is of none; none where it goes on.
    pub(crate) of: Option<usize>,
}

/// Bytes, explained.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Explained {
    pub(crate) bytes: Vec<u8>,
    /// Each with those that are in it behind it.
    pub(crate) ranges: Vec<Range>,
    pub(crate) rows: Vec<Row>,
}

impl Explained {
    /// Bytes, and what is said of them.
    pub(crate) fn new(bytes: &[u8], ranges: Vec<Range>) -> Self {
        Self::of(bytes, ranges)
    }

    /// Bytes that nothing is said of but which they are.
    pub(crate) fn plain(bytes: &[u8]) -> Self {
        let shown = &bytes[..bytes.len().min(UNKNOWN * WIDTH)];
        let range = |(row, chunk): (usize, &[u8])| Range {
            start: row * WIDTH,
            end: row * WIDTH + chunk.len(),
            depth: 0,
            kind: String::new(),
            path: String::new(),
            what: ["byte ", &(row * WIDTH).to_string(), ": ", &ascii(chunk)].concat(),
            label: String::new(),
        };
        Self::of(bytes, shown.chunks(WIDTH).enumerate().map(range).collect())
    }

    fn of(bytes: &[u8], ranges: Vec<Range>) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        // The fields that are open, and whether the innermost has no row yet.
        let mut open: Vec<usize> = Vec::new();
        let mut begins = true;
        let mut depth = 0;
        for (at, range) in ranges.iter().enumerate() {
            open.retain(|field| ranges[*field].depth < range.depth);
            if range.kind == FIELD {
                open.push(at);
                begins = true;
                continue;
            }
            begins |= range.depth != depth || matches!(range.kind.as_str(), "broken" | "rest" | "frame" | "");
            depth = range.depth;
            let most = range.start + UNKNOWN * WIDTH;
            let end = if range.kind == "rest" { range.end.min(most) } else { range.end };
            let mut from = range.start.min(bytes.len());
            let end = end.min(bytes.len());
            while from < end {
                let room = match rows.last() {
                    Some(row) if !begins => WIDTH - from.saturating_sub(row.start).min(WIDTH),
                    _ => 0,
                };
                if room == 0 {
                    let own =
                        open.last().copied().filter(|_| !LONE.contains(&range.kind.as_str())).unwrap_or(at);
                    rows.push(Row { start: from, pieces: Vec::new(), of: begins.then_some(own) });
                    begins = false;
                    continue;
                }
                let to = end.min(from + room);
                if let Some(row) = rows.last_mut() {
                    row.pieces.push((at, to));
                }
                from = to;
            }
            begins |= range.kind == "magic";
        }
        Self { bytes: bytes.to_vec(), ranges, rows }
    }

    /// The bytes of a row.
    pub(crate) fn of_row(&self, row: &Row) -> &[u8] {
        let end = row.pieces.last().map_or(row.start, |(_, end)| *end);
        self.bytes.get(row.start..end).unwrap_or_default()
    }

    /// The row that a range begins in.
    pub(crate) fn row(&self, range: usize) -> usize {
        let start = self.ranges.get(range).map_or(0, |range| range.start);
        self.rows.partition_point(|row| row.start <= start).saturating_sub(1)
    }

    /// The range around a range.
    pub(crate) fn parent(&self, range: usize) -> Option<usize> {
        let depth = self.ranges.get(range)?.depth;
        (0..range).rev().find(|at| self.ranges[*at].depth < depth)
    }

    /// The first range inside a range.
    pub(crate) fn child(&self, range: usize) -> Option<usize> {
        let next = self.ranges.get(range + 1)?;
        (next.depth > self.ranges[range].depth).then_some(range + 1)
    }

    /// The range behind a range: what is inside it is not.
    pub(crate) fn next(&self, range: usize) -> Option<usize> {
        let depth = self.ranges.get(range)?.depth;
        (range + 1..self.ranges.len()).find(|at| self.ranges[*at].depth <= depth)
    }

    /// The range before a range that is inside the same, or else the one around it.
    pub(crate) fn previous(&self, range: usize) -> Option<usize> {
        let depth = self.ranges.get(range)?.depth;
        (0..range).rev().find(|at| self.ranges[*at].depth <= depth)
    }

    /// The range that is all of what a JSON pointer leads to, or else the nearest around that.
    pub(crate) fn find(&self, path: &str) -> Option<usize> {
        let mut path = path;
        loop {
            let found = self.ranges.iter().position(|range| range.kind == FIELD && range.path == path);
            if found.is_some() || path.is_empty() {
                return found;
            }
            path = path.rfind('/').map_or("", |cut| &path[..cut]);
        }
    }
}

const FIELD: &str = "field";

/// The kinds of ranges that stand for themselves, even inside a field.
const LONE: &[&str] = &["magic", "frame", "broken", "rest"];

/// Bytes as pairs of hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 3);
    for byte in bytes {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    out
}

/// Bytes as text, and dots for what is none.
pub(crate) fn ascii(bytes: &[u8]) -> String {
    let letter = |byte: &u8| if *byte == b' ' || byte.is_ascii_graphic() { char::from(*byte) } else { '·' };
    bytes.iter().map(letter).collect()
}

/// Returns the offset at which a row begins, in hexadecimal digits.
pub(crate) fn offset(at: usize) -> String {
    let bytes = u32::try_from(at).unwrap_or(u32::MAX).to_be_bytes();
    let digits = hex(if at < 1 << 16 { &bytes[2..] } else { &bytes[1..] });
    digits.replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of `a: "v1"`, and of `b` with a number in it.
    const TOLD: [(usize, usize, usize, &str, &str, &str, &str); 12] = [
        (0, 4, 0, "magic", "", "magic", ""),
        (4, 18, 0, "field", "/a", "field a", "a: \"x\""),
        (4, 5, 1, "tag", "/a", "tag", ""),
        (5, 6, 1, "length", "/a", "length", ""),
        (6, 18, 1, "text", "/a", "text", ""),
        (18, 23, 0, "field", "/b", "field b", "b"),
        (18, 19, 1, "tag", "/b", "tag", ""),
        (19, 20, 1, "length", "/b", "length", ""),
        (20, 22, 1, "field", "/b/c", "field c", "c: 1"),
        (20, 21, 2, "tag", "/b/c", "tag", ""),
        (21, 22, 2, "number", "/b/c", "number", ""),
        (22, 23, 1, "broken", "/b", "broken", ""),
    ];

    fn explained() -> Explained {
        let range =
            |(start, end, depth, kind, path, what, label): (usize, usize, usize, &str, &str, &str, &str)| {
                let [kind, path, what, label] = [kind, path, what, label].map(str::to_owned);
                Range { start, end, depth, kind, path, what, label }
            };
        Explained::new(b"k8s\0\x0a\x0cabcdefghijkl\x12\x03\x08\x01\xff", TOLD.map(range).to_vec())
    }

    #[test]
    fn a_field_begins_a_row() {
        let explained = explained();
        let shown: Vec<_> = explained
            .rows
            .iter()
            .map(|row| {
                let of = row.of.map(|of| explained.ranges[of].what.as_str());
                (offset(row.start), hex(explained.of_row(row)), of.unwrap_or_default())
            })
            .collect();
        let row = |offset: &str, hex: &str, of| (offset.to_owned(), hex.to_owned(), of);
        assert_eq!(
            shown,
            [
                row("0000", "6b 38 73 00", "magic"),
                row("0004", "0a 0c 61 62 63 64 65 66", "field a"),
                row("000c", "67 68 69 6a 6b 6c", ""),
                row("0012", "12 03", "field b"),
                row("0014", "08 01", "field c"),
                row("0016", "ff", "broken"),
            ]
        );
        assert_eq!([0, 1, 4, 5, 10, 11].map(|range| explained.row(range)), [0, 1, 1, 3, 4, 5]);
    }

    #[test]
    fn ranges_are_walked() {
        let explained = explained();
        assert_eq!([0, 1, 5, 8].map(|range| explained.next(range)), [Some(1), Some(5), None, Some(11)]);
        assert_eq!(
            [0, 1, 5, 11, 6].map(|range| explained.previous(range)),
            [None, Some(0), Some(1), Some(8), Some(5)]
        );
        assert_eq!([1, 2, 8, 10].map(|range| explained.parent(range)), [None, Some(1), Some(5), Some(8)]);
        assert_eq!([0, 1, 5, 10].map(|range| explained.child(range)), [None, Some(2), Some(6), None]);
    }

    #[test]
    fn finds_what_a_pointer_leads_to() {
        let found = ["/b/c", "/b", "/b/c/d/e", "/x", ""].map(|path| explained().find(path));
        assert_eq!(found, [Some(8), Some(5), Some(8), None, None]);
    }

    #[test]
    fn plain_bytes_are_rows_of_themselves() {
        let plain = Explained::plain(b"{\"kind\":\"Pod\"}\xff");
        let shown: Vec<_> = plain.ranges.iter().map(|range| range.what.as_str()).collect();
        assert_eq!(shown, ["byte 0: {\"kind\":", "byte 8: \"Pod\"}·"]);
        assert_eq!(plain.rows.len(), 2);
        assert_eq!(Explained::plain(b""), Explained::default());
        assert_eq!((offset(0x1_2345), hex(b"")), ("012345".to_owned(), String::new()));
    }
}
