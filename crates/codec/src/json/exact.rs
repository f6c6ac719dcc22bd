//! JSON that tells floats from integers, as Go's `json.Marshal` does not.

use std::borrow::Cow;

use json_tree::Value;

use super::{write, write_map};

/// Appends the value as [`write()`] does, but a float that is whole ends with `.0`.
pub fn write_exact(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let start = out.len();
            write(value, out);
            if out[start..].iter().all(|byte| byte.is_ascii_digit() || *byte == b'-') {
                out.extend_from_slice(b".0");
            }
        }
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_exact(item, out);
            }
            out.push(b']');
        }
        Value::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.as_str(), value));
            write_map(entries, out, |_, value, out| write_exact(value, out));
        }
        value => write(value, out),
    }
}

/// Converts JSON that [`write_exact`] has written to that which [`write()`] writes for the same value.
pub fn plain(json: &[u8]) -> Cow<'_, [u8]> {
    let (mut out, mut done, mut at, mut quoted) = (Vec::new(), 0, 0, false);
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => quoted = !quoted,
            b'\\' => at += 1,
            b'.' if !quoted && ends_whole(&json[at..]) => {
                out.extend_from_slice(&json[done..at]);
                done = at + 2;
            }
            _ => {}
        }
        at += 1;
    }
    if done == 0 {
        return Cow::Borrowed(json);
    }
    out.extend_from_slice(&json[done..]);
    Cow::Owned(out)
}

/// Returns whether a number ends here with `.0`.
fn ends_whole(rest: &[u8]) -> bool {
    matches!(rest, [b'.', b'0'] | [b'.', b'0', b',' | b']' | b'}', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, exact: &str) {
        let value: Value = serde_json::from_str(text).unwrap();
        let mut out = Vec::new();
        write_exact(&value, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), exact);
        assert_eq!(
            String::from_utf8_lossy(&plain(&out)),
            String::from_utf8_lossy(&super::super::to_vec(&value))
        );
    }

    #[test]
    fn floats_are_told_from_integers() {
        check(r#"{"a":[1,1.0,-0.0,1.5,1e3],"b":2.0}"#, r#"{"a":[1,1.0,-0.0,1.5,1000.0],"b":2.0}"#);
        check("[1e20,1e21,1e-7,0.05,10.01]", "[100000000000000000000.0,1e+21,1e-7,0.05,10.01]");
        check(r#"{"a.0,":"1.0,\"2.0,","b":3.0}"#, r#"{"a.0,":"1.0,\"2.0,","b":3.0}"#);
        check("7.0", "7.0");
        check("\"1.0\"", "\"1.0\"");
    }
}
