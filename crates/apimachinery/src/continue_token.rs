//! The token by which a list goes on where the page before ended.
//!
//! Opaque to clients, and in kube-apiserver's own format: Base64 (URL alphabet, no padding) of
//! `{"v":"meta.k8s.io/v1","rv":10245,"start":"name\u0000"}`. `start` is the key at which the next page begins,
//! without what all keys of the list begin with.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks>

use golang::base64::{decode_url, encode_url};
use schema::Node;
use schema::decode::kind;

const VERSION: &str = "meta.k8s.io/v1";

/// The content of a continue token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContinueToken {
    /// The version that the list is read at; negative for the present state.
    pub revision: i64,
    /// The key to begin with, less the list's prefix.
    pub start: String,
}

impl ContinueToken {
    /// The token's text.
    pub fn encode(&self) -> String {
        let mut start = Vec::new();
        codec::json::write_string(&self.start, &mut start);
        let start = String::from_utf8_lossy(&start);
        encode_url(format!("{{\"v\":\"{VERSION}\",\"rv\":{},\"start\":{start}}}\n", self.revision))
    }

    /// Reads a token.
    ///
    /// # Errors
    /// The message of the 400 that kube-apiserver answers.
    pub fn decode(text: &str) -> Result<Self, String> {
        read(text).map_err(|why| format!("invalid continue token: continue key is not valid: {why}"))
    }
}

fn read(text: &str) -> Result<ContinueToken, String> {
    let bytes = decode_url(text)
        .ok_or_else(|| format!("illegal base64 data at input byte {}", first_illegal(text)))?;
    let node = codec::json::parse(&bytes).map_err(|error| error.to_string())?;
    let entries = match &node {
        Node::Map(entries) => entries.as_slice(),
        Node::Null => &[],
        other => {
            return Err(format!(
                "json: cannot unmarshal {} into Go value of type storage.continueToken",
                kind(other)
            ));
        }
    };
    let (mut version, mut revision, mut start) = (String::new(), 0, String::new());
    for (key, value) in entries {
        let wrong = |ty: &str| {
            format!(
                "json: cannot unmarshal {} into Go struct field continueToken.{key} of type {ty}",
                kind(value)
            )
        };
        match (key.as_ref(), value) {
            (_, Node::Null) => {}
            ("v", Node::String(text)) => version = text.to_string(),
            ("start", Node::String(text)) => start = text.to_string(),
            ("rv", Node::Number(digits)) => {
                revision = digits.parse().map_err(|_| {
                    format!("json: cannot unmarshal number {digits} into Go struct field continueToken.rv of type int64")
                })?;
            }
            ("v" | "start", _) => return Err(wrong("string")),
            ("rv", _) => return Err(wrong("int64")),
            _ => {}
        }
    }
    if version != VERSION {
        return Err(format!("server does not recognize this encoded version {version}"));
    }
    if revision == 0 {
        return Err(format!("incorrect encoded start resourceVersion (version {VERSION})"));
    }
    if start.is_empty() {
        return Err(format!("encoded start key empty (version {VERSION})"));
    }
    if !is_clean(start.strip_prefix('/').unwrap_or(&start)) {
        return Err(start);
    }
    let start = start.strip_prefix('/').map(str::to_owned).unwrap_or(start);
    Ok(ContinueToken { revision, start })
}

/// Which byte Go finds fault with in a text that is not Base64: the first that is not of the alphabet, or else the one
/// letter that is left over at the end.
fn first_illegal(text: &str) -> usize {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'\r' | b'\n');
    text.bytes().position(|byte| !known(byte)).unwrap_or(text.len().saturating_sub(1))
}

/// Reports whether a path has no segment that would lead elsewhere. An empty one is the list's beginning.
fn is_clean(path: &str) -> bool {
    path.is_empty() || path.split('/').all(|segment| !segment.is_empty() && segment != "." && segment != "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: Result<(i64, &str), &str>) {
        let read = read(&encode_url(json));
        let read = read.as_ref().map(|token| (token.revision, token.start.as_str())).map_err(String::as_str);
        assert_eq!(read, expected, "{json}");
    }

    #[test]
    fn tokens() {
        check(r#"{"v":"meta.k8s.io/v1","rv":5,"start":"a\u0000"}"#, Ok((5, "a\0")));
        check(r#"{"v":"meta.k8s.io/v1","rv":-1,"start":"/a"}"#, Ok((-1, "a")));
        check("[]", Err("json: cannot unmarshal array into Go value of type storage.continueToken"));
        check(r#"{"rv":5,"start":"a"}"#, Err("server does not recognize this encoded version "));
        check(
            r#"{"v":"meta.k8s.io/v1","start":"a"}"#,
            Err("incorrect encoded start resourceVersion (version meta.k8s.io/v1)"),
        );
        check(r#"{"v":"meta.k8s.io/v1","rv":5}"#, Err("encoded start key empty (version meta.k8s.io/v1)"));
        check(r#"{"v":"meta.k8s.io/v1","rv":5,"start":"../a"}"#, Err("../a"));
        check(r#"{"v":"meta.k8s.io/v1","rv":5,"start":"/"}"#, Ok((5, "")));
        check(r#"{"v":"meta.k8s.io/v1","rv":5,"start":"//"}"#, Err("//"));
    }

    #[test]
    fn what_is_not_base64_is_pointed_at() {
        for (text, at) in [("YQ==", 2), ("YQ+", 2), ("a", 0), ("YWJjZ", 4), ("YWJj\nZ", 5), ("é", 0)] {
            assert_eq!(read(text), Err(format!("illegal base64 data at input byte {at}")), "{text}");
        }
        let token = ContinueToken { revision: 5, start: "a\0".to_owned() };
        let (head, tail) = (token.encode(), token.encode().split_off(7));
        assert_eq!(read(&format!("{}\r\n{tail}", &head[..7])), Ok(token));
    }

    #[test]
    fn what_is_written_is_read() {
        let token = ContinueToken { revision: 10245, start: "default/<a>\0".to_owned() };
        assert_eq!(ContinueToken::decode(&token.encode()), Ok(token));
    }
}
