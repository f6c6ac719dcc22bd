//! The envelope of Kubernetes' Protobuf:
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding>.

use std::collections::BTreeMap;

use json_tree::{Value, json};

use super::Error;

/// Returns what the envelope in `bytes` says of its content, and the numbers of the fields that the content has.
///
/// # Errors
/// Bytes that are no Protobuf message, or text that is not UTF-8. Bytes without the magic number say so as a value.
pub fn envelope(bytes: &[u8]) -> Result<Value, Error> {
    let Some(message) = bytes.strip_prefix(b"k8s\0") else {
        return Ok(json!({"<protobuf>": "no k8s\\0 magic"}));
    };
    let unknown = last_fields(message)?;
    let field = |number| unknown.get(&number).copied().unwrap_or_default();
    let type_meta = last_fields(field(1))?;
    let content: Vec<u64> = last_fields(field(2))?.into_keys().collect();
    Ok(json!({"<protobuf>": {
        "apiVersion": text(type_meta.get(&1).copied().unwrap_or_default())?,
        "kind": text(type_meta.get(&2).copied().unwrap_or_default())?,
        "contentEncoding": text(field(3))?,
        "contentType": text(field(4))?,
        "fields": content,
    }}))
}

/// The bytes of the fields of a message by their numbers; of those that occur again, the last. The bytes of a
/// varint are the varint itself.
///
/// # Errors
/// Bytes that end within a field, and wire types that Kubernetes does not write.
pub fn last_fields(bytes: &[u8]) -> Result<BTreeMap<u64, &[u8]>, Error> {
    let mut out = BTreeMap::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (key, after) = varint(rest)?;
        let (skip, length) = match key & 7 {
            0 => (0, after.len() - varint(after)?.1.len()),
            1 => (0, 8),
            5 => (0, 4),
            2 => {
                let (length, content) = varint(after)?;
                let length = usize::try_from(length).map_err(|_| Error::Incomplete)?;
                (after.len() - content.len(), length)
            }
            other => return Err(Error::Malformed(format!("Protobuf: wire type {other}"))),
        };
        let content = after[skip..].get(..length).ok_or(Error::Incomplete)?;
        out.insert(key >> 3, content);
        rest = &after[skip + length..];
    }
    Ok(out)
}

fn text(bytes: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(bytes).map_err(|error| Error::Malformed(format!("Protobuf: {error}")))
}

fn varint(bytes: &[u8]) -> Result<(u64, &[u8]), Error> {
    let mut value = 0;
    for (i, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 127) << (7 * i);
        if byte & 128 == 0 {
            return Ok((value, &bytes[i + 1..]));
        }
    }
    if bytes.len() < 10 {
        Err(Error::Incomplete)
    } else {
        Err(Error::Malformed("Protobuf: varint".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], want: Result<Value, Error>) {
        assert_eq!(envelope(bytes), want);
    }

    #[test]
    fn envelopes() {
        check(
            b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x06\x12\x00\x0a\x00\x18\x01\x1a\x00\x22\x00",
            Ok(json!({"<protobuf>": {
                "apiVersion": "v1", "kind": "Pod", "contentEncoding": "", "contentType": "", "fields": [1, 2, 3],
            }})),
        );
        check(b"{}", Ok(json!({"<protobuf>": "no k8s\\0 magic"})));
        check(b"k8s\0\x0a\x09\x0a", Err(Error::Incomplete));
        check(b"k8s\0\x0b", Err(Error::Malformed("Protobuf: wire type 3".to_owned())));
        check(
            b"k8s\0\x0a\x04\x0a\x02\xff\xff",
            Err(Error::Malformed("Protobuf: invalid utf-8 sequence of 1 bytes from index 0".to_owned())),
        );
    }
}
