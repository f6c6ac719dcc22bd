//! The events of a watch, out of the bytes of its stream:
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes>.

use json_tree::{Value, json};

use crate::decode::{self, Error};

/// The bytes of a watch that have come in and are not a whole event yet.
pub(crate) struct Frames {
    framing: Framing,
    rest: Vec<u8>,
}

enum Framing {
    Lines,
    Sequence,
    LengthPrefixed,
}

impl Frames {
    pub(crate) fn new(content_type: &str) -> Self {
        let framing = match decode::media_type(content_type) {
            "application/vnd.kubernetes.protobuf" => Framing::LengthPrefixed,
            "application/cbor-seq" => Framing::Sequence,
            _ => Framing::Lines,
        };
        Self { framing, rest: Vec::new() }
    }

    /// The events that `chunk` completes.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Result<Vec<Value>, String> {
        self.rest.extend_from_slice(chunk);
        let mut events = Vec::new();
        let mut used = 0;
        loop {
            match self.next(&self.rest[used..]) {
                Ok((event, length)) => {
                    used += length;
                    events.extend(event);
                }
                Err(Error::Incomplete) => break,
                Err(error) => return Err(error.to_string()),
            }
        }
        self.rest.drain(..used);
        Ok(events)
    }

    /// The first event of `bytes`, and how many bytes it takes. An empty line is no event.
    fn next(&self, bytes: &[u8]) -> Result<(Option<Value>, usize), Error> {
        match self.framing {
            Framing::Lines => {
                let end = bytes.iter().position(|byte| *byte == b'\n').ok_or(Error::Incomplete)?;
                let line = &bytes[..end];
                Ok(((!line.trim_ascii().is_empty()).then(|| decode::json_or_text(line)), end + 1))
            }
            Framing::Sequence => {
                let (value, length) = decode::cbor_item(bytes)?;
                Ok((Some(json!({"<cbor>": value})), length))
            }
            Framing::LengthPrefixed => {
                let (prefix, rest) = bytes.split_first_chunk().ok_or(Error::Incomplete)?;
                let length = u32::from_be_bytes(*prefix) as usize;
                let frame = rest.get(..length).ok_or(Error::Incomplete)?;
                Ok((Some(event(frame).map_err(|error| Error::Malformed(error.to_string()))?), 4 + length))
            }
        }
    }
}

/// A `WatchEvent` message: its type, and the envelope within its `RawExtension`.
fn event(frame: &[u8]) -> Result<Value, Error> {
    let missing = |what: &str| Error::Malformed(format!("Protobuf: a watch event without {what}"));
    let event = decode::last_fields(frame)?;
    let kind = std::str::from_utf8(event.get(&1).copied().unwrap_or_default())
        .map_err(|error| Error::Malformed(error.to_string()))?;
    let extension = decode::last_fields(event.get(&2).ok_or_else(|| missing("an object"))?)?;
    let raw = extension.get(&1).ok_or_else(|| missing("its bytes"))?;
    Ok(json!({"type": kind, "object": decode::envelope(raw)?}))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the chunks, the events are the same.
    #[track_caller]
    fn check(content_type: &str, bytes: &[u8], want: &[Value]) {
        for size in [1, 2, 3, 7, bytes.len()] {
            let mut frames = Frames::new(content_type);
            let got: Vec<Value> =
                bytes.chunks(size).flat_map(|chunk| frames.push(chunk).expect("well-formed")).collect();
            assert_eq!(got, want, "in chunks of {size}");
        }
    }

    #[test]
    fn events_of_every_media_type() {
        check(
            "application/json",
            b"{\"type\":\"ADDED\"}\n\n{\"type\":\"DELETED\"}\nno json\n{\"unfin",
            &[json!({"type": "ADDED"}), json!({"type": "DELETED"}), json!({"<text>": "no json"})],
        );
        check(
            "application/cbor-seq",
            b"\xa1\x44type\x45ADDED\x82\x01",
            &[json!({"<cbor>": {"type": "ADDED"}})],
        );
        let envelope = json!({"<protobuf>": {
            "apiVersion": "v1", "kind": "Pod", "contentEncoding": "", "contentType": "", "fields": [],
        }});
        check(
            "application/vnd.kubernetes.protobuf;stream=watch",
            b"\0\0\0\x1a\x0a\x05ADDED\x12\x11\x0a\x0fk8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\0\0\0\x05\x0a",
            &[json!({"type": "ADDED", "object": envelope})],
        );
    }

    #[test]
    fn a_frame_that_is_no_message() {
        let mut frames = Frames::new("application/vnd.kubernetes.protobuf");
        assert_eq!(
            frames.push(b"\0\0\0\x02\x0a\x00"),
            Err("Protobuf: a watch event without an object".to_owned())
        );
    }
}
