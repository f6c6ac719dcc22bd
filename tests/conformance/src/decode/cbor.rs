//! Concise Binary Object Representation, as far as Kubernetes writes it:
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#cbor-encoding>.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use json_tree::{Map, Number, Value};

use super::{Error, binary};

/// Strings that readers are expected to turn into base64.
const TAG_BASE64: u64 = 22;
/// More levels than this are refused.
const DEPTH: usize = 256;

/// The first item of `bytes`, and how many bytes it takes. Byte strings that are UTF-8 are text, the keys of a map
/// are sorted, tags are left out, and numbers that JSON does not have are text.
///
/// # Errors
/// [`Error::Incomplete`] if the item goes on beyond the end of `bytes`; [`Error::Malformed`] for indefinite lengths,
/// reserved values, and keys that are not text.
pub fn item(bytes: &[u8]) -> Result<(Value, usize), Error> {
    let mut reader = Reader { bytes, at: 0 };
    let value = reader.item(DEPTH)?;
    Ok((value, reader.at))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.at..];
        let count =
            usize::try_from(count).ok().filter(|count| *count <= rest.len()).ok_or(Error::Incomplete)?;
        self.at += count;
        Ok(&rest[..count])
    }

    fn unsigned(&mut self, width: u64) -> Result<u64, Error> {
        Ok(self.take(width)?.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    fn argument(&mut self, info: u8) -> Result<u64, Error> {
        match info {
            0..24 => Ok(u64::from(info)),
            24..28 => self.unsigned(1 << (info - 24)),
            _ => Err(Error::Malformed(format!("CBOR: additional information {info}"))),
        }
    }

    fn item(&mut self, depth: usize) -> Result<Value, Error> {
        let depth = depth.checked_sub(1).ok_or_else(|| Error::Malformed("CBOR: too deep".to_owned()))?;
        let first = self.unsigned(1)? as u8;
        let (major, info) = (first >> 5, first & 31);
        if major == 7 {
            return self.simple(info);
        }
        let argument = self.argument(info)?;
        Ok(match major {
            0 => Value::from(argument),
            1 => match i64::try_from(argument) {
                Ok(number) => Value::from(-1 - number),
                Err(_) => float(-1.0 - argument as f64),
            },
            2 | 3 => text(self.take(argument)?),
            4 => {
                let mut items = Vec::new();
                for _ in 0..argument {
                    items.push(self.item(depth)?);
                }
                Value::Array(items)
            }
            5 => {
                let mut entries = Vec::new();
                for _ in 0..argument {
                    let Value::String(key) = self.item(depth)? else {
                        return Err(Error::Malformed("CBOR: a key that is not text".to_owned()));
                    };
                    entries.push((key, self.item(depth)?));
                }
                entries.sort_by(|a, b| a.0.cmp(&b.0));
                Value::Object(entries.into_iter().collect::<Map<_, _>>())
            }
            _ => match self.item(depth)? {
                Value::String(text) if argument == TAG_BASE64 => Value::String(BASE64_STANDARD.encode(text)),
                value => value,
            },
        })
    }

    fn simple(&mut self, info: u8) -> Result<Value, Error> {
        Ok(match info {
            20 => Value::Bool(false),
            21 => Value::Bool(true),
            22 | 23 => Value::Null,
            25 => float(half(self.unsigned(2)? as u16)),
            26 => float(f64::from(f32::from_bits(self.unsigned(4)? as u32))),
            27 => float(f64::from_bits(self.unsigned(8)?)),
            _ => return Err(Error::Malformed(format!("CBOR: simple value {info}"))),
        })
    }
}

fn text(bytes: &[u8]) -> Value {
    std::str::from_utf8(bytes).map_or_else(|_| binary(bytes), Value::from)
}

fn float(number: f64) -> Value {
    Number::from_f64(number).map_or_else(|| Value::String(number.to_string()), Value::Number)
}

/// IEEE 754 binary16.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match (bits >> 10) & 31 {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], want: Result<Value, Error>) {
        assert_eq!(item(bytes), want.map(|value| (value, bytes.len())), "{bytes:x?}");
    }

    #[test]
    fn items() {
        check(b"\x17", Ok(json!(23)));
        check(b"\x18\xff", Ok(json!(255)));
        check(b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff", Ok(json!(u64::MAX)));
        check(b"\x20", Ok(json!(-1)));
        check(b"\x3b\x7f\xff\xff\xff\xff\xff\xff\xff", Ok(json!(i64::MIN)));
        check(b"\x43abc", Ok(json!("abc")));
        check(b"\x41\xff", Ok(json!({"<bytes>": "/w=="})));
        check(b"\xd6\x43abc", Ok(json!("YWJj")));
        check(b"\x82\x01\xf6", Ok(json!([1, null])));
        check(b"\xa2\x41b\xf5\x61a\xf4", Ok(json!({"a": false, "b": true})));
        check(b"\xf9\x3e\x00", Ok(json!(1.5)));
        check(b"\xfa\x3f\xc0\x00\x00", Ok(json!(1.5)));
        check(b"\xfb\x3f\xf8\x00\x00\x00\x00\x00\x00", Ok(json!(1.5)));
        check(b"\xf9\x7c\x00", Ok(json!("inf")));
        check(b"\x82\x01", Err(Error::Incomplete));
        check(b"\x43ab", Err(Error::Incomplete));
        check(b"\x5b\xff\xff\xff\xff\xff\xff\xff\xff", Err(Error::Incomplete));
        check(b"\xa1\x01\x01", Err(Error::Malformed("CBOR: a key that is not text".to_owned())));
        check(b"\x9f\xff", Err(Error::Malformed("CBOR: additional information 31".to_owned())));
        check(&[0x81; 1000], Err(Error::Malformed("CBOR: too deep".to_owned())));
    }

    #[test]
    fn keys_are_sorted() {
        let (value, _) = item(b"\xa2\x41b\x01\x41a\x02").expect("well-formed");
        assert_eq!(value.to_string(), r#"{"a":2,"b":1}"#);
    }
}
