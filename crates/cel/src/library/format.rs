//! `format`: a text with values in the places of its clauses, `%s`, `%.2f`.
//!
//! See <https://pkg.go.dev/github.com/google/cel-go/ext#hdr-Format-Strings>.

use schema::go::quote;

use super::{
    characters::LONGEST,
    number_text::{MOST_DIGITS, fixed, general, plain, scientific},
};
use crate::{
    error::Error,
    types::Type,
    value::{List, Map, Value},
};

/// How many digits are after the point if nothing is said.
const PRECISION: usize = 6;
/// How deep lists and maps are printed.
const DEPTH: u32 = 64;

/// The text with the values in it.
pub(super) fn format<'a>(text: &str, values: &List<'a>) -> Result<Value<'a>, Error> {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    let mut next = 0;
    while let Some(at) = rest.find('%') {
        made.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            made.push('%');
            rest = after;
            continue;
        }
        let Some(value) = values.get(next) else {
            return Err(Error::new(["index ", &next.to_string(), " out of range"].concat()));
        };
        let (precision, after) = precision(rest)?;
        let Some(clause) = after.chars().next() else {
            return Err(Error::new("unexpected end of string"));
        };
        rest = &after[clause.len_utf8()..];
        let Some(print) = printer(clause) else {
            return Err(clause_error(
                &["unrecognized formatting clause \"", &String::from(clause), "\""].concat(),
            ));
        };
        let printed = print(&value?, precision.unwrap_or(PRECISION));
        made.push_str(&printed.map_err(|why| Error::new(["error during formatting: ", &why].concat()))?);
        if made.len() > LONGEST {
            return Err(Error::Budget);
        }
        next += 1;
    }
    made.push_str(rest);
    Ok(Value::string(made))
}

fn clause_error(why: &str) -> Error {
    Error::new(["could not parse formatting clause: ", why].concat())
}

/// The number after a point, if there is one, and the rest.
fn precision(text: &str) -> Result<(Option<usize>, &str), Error> {
    let Some(digits) = text.strip_prefix('.') else { return Ok((None, text)) };
    let wrong = |why: &str| clause_error(&["error while parsing precision: ", why].concat());
    let Some(end) = digits.find(|c: char| !c.is_ascii_digit()) else {
        return Err(wrong("could not find end of precision specifier"));
    };
    let (digits, rest) = digits.split_at(end);
    let reason = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
    match digits.parse() {
        Ok(precision) if precision <= MOST_DIGITS => Ok((Some(precision), rest)),
        _ => Err(wrong(
            &[
                "error while converting precision to integer: strconv.Atoi: parsing ",
                &quote(digits),
                ": ",
                reason,
            ]
            .concat(),
        )),
    }
}

type Printer = fn(&Value<'_>, usize) -> Result<String, String>;

fn printer(clause: char) -> Option<Printer> {
    Some(match clause {
        's' => |value, _| string(value, 0),
        'd' => |value, _| decimal(value),
        'f' => |value, precision| Ok(fixed(float(value, "fixed-point")?, precision)),
        'e' => |value, precision| Ok(scientific(float(value, "scientific")?, precision)),
        'b' => |value, _| match value {
            Value::Bool(value) => Ok(u8::from(*value).to_string()),
            _ => integer(value, 2, "only integers and bools can be formatted as binary"),
        },
        'o' => |value, _| integer(value, 8, "octal clause can only be used on integers"),
        'x' => |value, _| hex(value),
        'X' => |value, _| hex(value).map(|text| text.to_ascii_uppercase()),
        _ => return None,
    })
}

fn wrong<T>(what: &str, value: &Value<'_>) -> Result<T, String> {
    Err([what, ", was given ", value.kind().runtime_name()].concat())
}

fn decimal(value: &Value<'_>) -> Result<String, String> {
    match value {
        Value::Int(number) => Ok(number.to_string()),
        Value::Uint(number) => Ok(number.to_string()),
        _ => wrong("decimal clause can only be used on integers", value),
    }
}

fn float(value: &Value<'_>, clause: &str) -> Result<f64, String> {
    match value {
        Value::Double(number) => Ok(*number),
        Value::String(text) if **text == *"NaN" => Ok(f64::NAN),
        Value::String(text) if **text == *"Infinity" => Ok(f64::INFINITY),
        Value::String(text) if **text == *"-Infinity" => Ok(f64::NEG_INFINITY),
        _ => wrong(&[clause, " clause can only be used on doubles"].concat(), value),
    }
}

fn integer(value: &Value<'_>, base: u64, complaint: &str) -> Result<String, String> {
    let (negative, mut size) = match value {
        Value::Int(number) => (*number < 0, number.unsigned_abs()),
        Value::Uint(number) => (false, *number),
        _ => return wrong(complaint, value),
    };
    let mut digits = Vec::new();
    loop {
        digits.push(b"0123456789abcdef"[(size % base) as usize]);
        size /= base;
        if size == 0 {
            break;
        }
    }
    if negative {
        digits.push(b'-');
    }
    Ok(digits.into_iter().rev().map(char::from).collect())
}

fn hex(value: &Value<'_>) -> Result<String, String> {
    let bytes = match value {
        Value::String(text) => text.as_bytes(),
        Value::Bytes(bytes) => bytes,
        _ => return integer(value, 16, "only integers, byte buffers, and strings can be formatted as hex"),
    };
    let digit = |digit: u8| char::from(b"0123456789abcdef"[usize::from(digit)]);
    Ok(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
}

fn string(value: &Value<'_>, depth: u32) -> Result<String, String> {
    Ok(match value {
        Value::List(list) => return items(list, depth),
        Value::Map(map) => return entries(map, depth),
        Value::Int(_) | Value::Uint(_) => return decimal(value),
        Value::Double(number) => general(*number),
        Value::Bool(value) => value.to_string(),
        Value::String(text) => text.to_string(),
        Value::Timestamp(time) => time.to_text(),
        Value::Duration(time) => time.to_text(),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => return Err(
                "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string"
                    .to_owned(),
            ),
        },
        Value::Type(of) => type_name(of),
        Value::Null => "null".to_owned(),
        Value::Optional(_) | Value::Opaque(_) => {
            return wrong(
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, \
                 and timestamps",
                value,
            );
        }
    })
}

fn type_name(of: &Type) -> String {
    of.runtime_name().to_owned()
}

/// A value as a literal of the language, in a list or a map.
fn literal(value: &Value<'_>, depth: u32) -> Result<String, String> {
    Ok(match value {
        Value::String(text) => quote(text),
        Value::Bytes(_) => ["b", &quote(&string(value, depth)?)].concat(),
        Value::Double(number) if number.is_finite() => plain(*number, PRECISION),
        Value::Double(number) => quote(&plain(*number, PRECISION)),
        Value::Timestamp(time) => ["timestamp(", &quote(&time.to_text()), ")"].concat(),
        Value::Duration(time) => ["duration(", &quote(&time.to_text()), ")"].concat(),
        Value::Optional(_) | Value::Opaque(_) => {
            return Err(["no formatting function for ", value.kind().runtime_name()].concat());
        }
        _ => return string(value, depth),
    })
}

fn check_size(length: usize, depth: u32) -> Result<u32, String> {
    if depth > DEPTH || length > LONGEST {
        Err(super::characters::TOO_LONG.to_owned())
    } else {
        Ok(depth + 1)
    }
}

fn items(list: &List<'_>, depth: u32) -> Result<String, String> {
    let mut text = "[".to_owned();
    for (at, item) in list.iter().enumerate() {
        let depth = check_size(text.len(), depth)?;
        if at > 0 {
            text.push_str(", ");
        }
        text.push_str(&literal(&item.map_err(|error| error.to_string())?, depth)?);
    }
    text.push(']');
    Ok(text)
}

fn entries(map: &Map<'_>, depth: u32) -> Result<String, String> {
    let mut printed = Vec::with_capacity(map.len());
    let mut length = 0;
    for key in map.keys() {
        let depth = check_size(length, depth)?;
        let name = match &key {
            Value::String(_) | Value::Bool(_) | Value::Int(_) | Value::Uint(_) => literal(&key, depth)?,
            _ => {
                return Err(
                    ["no formatting function for map key of type ", key.kind().runtime_name()].concat()
                );
            }
        };
        let Some(value) = map.get(&key) else { continue };
        let value = literal(&value.map_err(|error| error.to_string())?, depth)?;
        length += name.len() + value.len();
        printed.push((name, value));
    }
    schema::sort_by(&mut printed, |a, b| a.0.cmp(&b.0));
    let printed: Vec<String> =
        printed.into_iter().map(|(name, value)| [&name, ":", &value].concat()).collect();
    Ok(["{", &printed.join(", "), "}"].concat())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::value::{Duration, Timestamp};

    fn formatted(text: &str, values: Vec<Value<'_>>) -> Result<String, String> {
        let values = List::Built(Arc::new(values));
        match format(text, &values) {
            Ok(Value::String(text)) => Ok(text.to_string()),
            Ok(_) => Err("no text".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[track_caller]
    fn check(text: &str, value: Value<'_>, expected: &str) {
        assert_eq!(formatted(text, vec![value]), Ok(expected.to_owned()));
    }

    #[track_caller]
    fn check_error(text: &str, values: Vec<Value<'_>>, expected: &str) {
        assert_eq!(formatted(text, values), Err(expected.to_owned()));
    }

    #[test]
    fn clauses_print_values() {
        assert_eq!(formatted("no %% é", vec![]), Ok("no % é".to_owned()));
        check("%d is int", Value::Int(-7), "-7 is int");
        check("%d", Value::Uint(u64::MAX), "18446744073709551615");
        check("%.3f", Value::Double(1234.5678), "1,234.568");
        check("%f", Value::Double(2.5), "2.500000");
        check("%f", Value::string("Infinity"), "∞");
        check("%e", Value::Double(1052.032911275), "1.052033\u{202f}×\u{202f}10⁰³");
        check("%b", Value::Int(-5), "-101");
        check("%b", Value::Bool(true), "1");
        check("%o", Value::Int(11), "13");
        check("%x", Value::Int(i64::MIN), "-8000000000000000");
        check("%X", Value::string("Hello é"), "48656C6C6F20C3A9");
        check("%x", Value::Bytes(Arc::from(&b"\xff\x01"[..])), "ff01");
        check("%s", Value::string("ab"), "ab");
        check("%s", Value::Double(1e6), "1e+06");
        check("%s", Value::Null, "null");
        check("%s", Value::Type(Type::Timestamp), "google.protobuf.Timestamp");
        check("%s", Value::Duration(Duration(7_500_000_000)), "7.5s");
        check(
            "%s",
            Timestamp::parse("2011-08-18T19:00:00Z").map(Value::Timestamp).unwrap(),
            "2011-08-18T19:00:00Z",
        );
        assert_eq!(
            formatted("%s and %d", vec![Value::Bool(false), Value::Int(1)]),
            Ok("false and 1".to_owned())
        );
    }

    #[test]
    fn lists_and_maps_print_literals() {
        let json = json!(["a\"", 1, 2.5, null, true, [1], {"b": 1, "a": "x"}]);
        check("%s", Value::of_json(&json), r#"["a\"", 1, 2.500000, null, true, [1], {"a":"x", "b":1}]"#);
        let list = Value::list(vec![
            Value::Duration(Duration(1_000_000_000)),
            Value::Bytes(Arc::from(&b"x"[..])),
            Value::Double(f64::INFINITY),
        ]);
        check("%s", list, r#"[duration("1s"), b"x", "+Inf"]"#);
    }

    #[test]
    fn what_does_not_fit_is_explained() {
        check_error("%s", vec![], "index 0 out of range");
        check_error(
            "%d",
            vec![Value::string("a")],
            "error during formatting: decimal clause can only be used on integers, was given string",
        );
        check_error(
            "%f",
            vec![Value::Int(1)],
            "error during formatting: fixed-point clause can only be used on doubles, was given int",
        );
        check_error(
            "%e",
            vec![Value::string("x")],
            "error during formatting: scientific clause can only be used on doubles, was given string",
        );
        check_error(
            "%b",
            vec![Value::Double(1.0)],
            "error during formatting: only integers and bools can be formatted as binary, was given double",
        );
        check_error(
            "%o",
            vec![Value::Bool(true)],
            "error during formatting: octal clause can only be used on integers, was given bool",
        );
        check_error(
            "%x",
            vec![Value::Null],
            "error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given null_type",
        );
        check_error(
            "%z",
            vec![Value::Null],
            "could not parse formatting clause: unrecognized formatting clause \"z\"",
        );
        check_error("%", vec![Value::Null], "unexpected end of string");
        check_error(
            "%.3",
            vec![Value::Null],
            "could not parse formatting clause: error while parsing precision: could not find end of precision specifier",
        );
        check_error(
            "%.f",
            vec![Value::Null],
            "could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing \"\": invalid syntax",
        );
        check_error(
            "%s",
            vec![Value::optional(None)],
            "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given optional_type",
        );
    }
}
