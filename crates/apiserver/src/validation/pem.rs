//! PEM: blocks of Base64 in an armor that says what they are.
//!
//! <https://www.rfc-editor.org/rfc/rfc7468>

use schema::base64;

/// What a block says that it is, and what it holds.
pub(crate) struct Block {
    pub(crate) kind: String,
    pub(crate) bytes: Vec<u8>,
}

/// The blocks of a text. What is none is skipped.
pub(crate) fn blocks(text: &[u8]) -> Vec<Block> {
    let text = String::from_utf8_lossy(text);
    let mut rest = text.as_ref();
    let mut blocks = Vec::new();
    while let Some((_, after)) = rest.split_once("-----BEGIN ") {
        let Some((kind, body)) = after.split_once("-----") else { break };
        let end = ["-----END ", kind, "-----"].concat();
        let inside = body.split_once(end.as_str());
        rest = match inside.and_then(|(inside, after)| Some((decode(inside)?, after))) {
            Some((bytes, after)) => {
                blocks.push(Block { kind: kind.to_owned(), bytes });
                after
            }
            None => body,
        };
    }
    blocks
}

/// What is between the armor, after the headers, which come before an empty line.
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
    fn blocks_of_a_text() {
        check("", &[]);
        check("-----BEGIN A-----\nYQ==\n", &[]);
        check("-----BEGIN A-----\n?\n-----END A-----\n", &[]);
        check(
            "x\n-----BEGIN A B-----\nYQ\n==\n-----END A B-----\n-----BEGIN C-----\nh: v\n\nYg==\n-----END C-----",
            &[("A B", b"a"), ("C", b"b")],
        );
    }
}
