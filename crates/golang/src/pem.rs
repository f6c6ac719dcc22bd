//! PEM: blocks of Base64 in an armor that says what they are.
//!
//! <https://www.rfc-editor.org/rfc/rfc7468>

use crate::base64;

/// A block: the kind that its armor states, and its content.
pub struct Block {
    /// The type in its first line.
    pub kind: String,
    /// The content.
    pub bytes: Vec<u8>,
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// Returns the blocks of a text. What is none is skipped, and looked at only once, however often a block seems to begin.
pub fn blocks(text: &[u8]) -> Vec<Block> {
    let text = String::from_utf8_lossy(text);
    let mut rest = text.as_ref();
    let mut blocks = Vec::new();
    while let Some((kind, body)) = rest.split_once(BEGIN).and_then(|(_, after)| after.split_once(DASHES)) {
        rest = body;
        // Whatever comes first decides: there are no dashes in Base64.
        let Some((inside, after)) = body.split_once(DASHES) else { break };
        let end = body[inside.len()..].strip_prefix(END).and_then(|after| after.strip_prefix(kind));
        if end.is_some_and(|after| after.starts_with(DASHES))
            && let Some(bytes) = decode(inside)
        {
            blocks.push(Block { kind: kind.to_owned(), bytes });
            rest = after;
        }
    }
    blocks
}

/// Returns the content of the first block of a text, if it is of this kind.
pub fn first(text: &[u8], kind: &str) -> Option<Vec<u8>> {
    blocks(text).into_iter().next().filter(|block| block.kind == kind).map(|block| block.bytes)
}

/// Returns a block, with lines of 64 characters, as Go writes it.
pub fn encode(kind: &str, bytes: &[u8]) -> String {
    let mut text = [BEGIN, kind, DASHES, "\n"].concat();
    let encoded = base64::encode(bytes);
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(64));
        text.extend([line, "\n"]);
        rest = after;
    }
    text.extend([END, kind, DASHES, "\n"]);
    text
}

/// Decodes what is between the lines of the armor, after the headers, which end with an empty line.
fn decode(inside: &str) -> Option<Vec<u8>> {
    let body = inside.split_once("\n\n").map_or(inside, |(_, body)| body);
    base64::decode(body.split_whitespace().collect::<String>()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &[u8])]) {
        let found = blocks(text.as_bytes());
        let found: Vec<(&str, &[u8])> =
            found.iter().map(|block| (block.kind.as_str(), block.bytes.as_slice())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_first_block_is_of_a_kind() {
        let text = [encode("A", b"a"), encode("B", b"b")].concat();
        assert_eq!(first(text.as_bytes(), "A"), Some(b"a".to_vec()));
        assert_eq!(first(text.as_bytes(), "B"), None);
        assert_eq!(first(b"", "A"), None);
    }

    #[test]
    fn blocks_are_written() {
        assert_eq!(encode("A", b"a"), "-----BEGIN A-----\nYQ==\n-----END A-----\n");
        let long = encode("A", &[7; 100]);
        assert_eq!(long.lines().map(str::len).collect::<Vec<_>>(), [17, 64, 64, 8, 15]);
        assert_eq!(blocks(long.as_bytes())[0].bytes, [7; 100]);
    }

    #[test]
    fn blocks_of_a_text() {
        check("", &[]);
        check("-----BEGIN A-----\nYQ==\n", &[]);
        check("-----BEGIN A-----\n?\n-----END A-----\n", &[]);
        check("-----BEGIN A-----\nYQ==\n-----END B-----\n", &[]);
        check("-----BEGIN A-----\n-----BEGIN B-----\nYg==\n-----END B-----\n", &[("B", b"b")]);
        check(&"-----BEGIN A-----\n".repeat(60_000), &[]);
        check(
            "x\n-----BEGIN A B-----\nYQ\n==\n-----END A B-----\n-----BEGIN C-----\nh: v\n\nYg==\n-----END C-----",
            &[("A B", b"a"), ("C", b"b")],
        );
    }
}
