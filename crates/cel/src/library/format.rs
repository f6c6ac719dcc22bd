//! `format`: a text with values in the places of its clauses, `%s`, `%.2f`.
//!
//! See <https://pkg.go.dev/github.com/google/cel-go/ext#hdr-Format-Strings>.

use golang::strconv::{format_fixed, format_float, quote};

use super::{
    characters::LONGEST,
    number_text::{MOST_DIGITS, fixed, scientific},
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
    while let Some((plain, clause, after)) = clause(rest, values.len() > next, next)? {
        made.push_str(plain);
        rest = after;
        let Some(clause) = clause else {
            made.push('%');
            continue;
        };
        let Some(value) = values.get(next) else { return Err(out_of_range(next)) };
        let printed = (clause.kind.print)(&value?, clause.precision);
        made.push_str(&printed.map_err(|why| Error::Message(misused(&why)))?);
        if made.len() > LONGEST {
            return Err(Error::Budget);
        }
        next += 1;
    }
    made.push_str(rest);
    Ok(Value::string(made))
}

/// Checks the types of the values that a text is to be made with. Returns the error, and the index of the value that it
/// is about, if it is about one.
pub(crate) fn check(text: &str, kinds: &[&Type]) -> Option<(Option<usize>, String)> {
    let mut rest = text;
    let mut next = 0;
    loop {
        match clause(rest, kinds.len() > next, next) {
            Err(error) => return Some((None, error.to_string())),
            Ok(None) => break,
            Ok(Some((_, None, after))) => rest = after,
            Ok(Some((_, Some(clause), after))) => {
                rest = after;
                let kind = kinds.get(next)?;
                if !(clause.kind.takes)(kind) && !matches!(kind, Type::Dyn | Type::Error | Type::Param(_)) {
                    let why = [clause.kind.complaint, ", was given ", kind.runtime_name()].concat();
                    return Some((Some(next), misused(&why)));
                }
                next += 1;
            }
        }
    }
    (kinds.len() > next).then(|| {
        let (expected, got) = (next.to_string(), kinds.len().to_string());
        let text =
            ["too many arguments supplied to string.format (expected ", &expected, ", got ", &got, ")"];
        (None, text.concat())
    })
}

/// The placeholder of a value in a text.
struct Clause {
    kind: &'static Kind,
    precision: usize,
}

/// The text before the next clause, the clause, and the rest; `%%` is no clause but a sign.
type Next<'t> = Option<(&'t str, Option<Clause>, &'t str)>;

fn clause(text: &str, has_value: bool, number: usize) -> Result<Next<'_>, Error> {
    let Some((plain, rest)) = text.split_once('%') else { return Ok(None) };
    if let Some(after) = rest.strip_prefix('%') {
        return Ok(Some((plain, None, after)));
    }
    if !has_value {
        return Err(out_of_range(number));
    }
    let (precision, after) = precision(rest)?;
    let Some(letter) = after.chars().next() else { return Err(Error::new("unexpected end of string")) };
    let Some(kind) = KINDS.iter().find(|kind| kind.letter == letter) else {
        return Err(clause_error(
            &["unrecognized formatting clause \"", &String::from(letter), "\""].concat(),
        ));
    };
    let clause = Clause { kind, precision: precision.unwrap_or(PRECISION) };
    Ok(Some((plain, Some(clause), &after[letter.len_utf8()..])))
}

fn out_of_range(number: usize) -> Error {
    Error::new(["index ", &number.to_string(), " out of range"].concat())
}

fn misused(why: &str) -> String {
    ["error during formatting: ", why].concat()
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

/// A kind of clause.
struct Kind {
    letter: char,
    /// The function that returns the text of a value, with so many digits after the point.
    print: fn(&Value<'_>, usize) -> Result<String, String>,
    /// The function that reports whether the clause takes values of a type.
    takes: fn(&Type) -> bool,
    /// The error message for values that it does not take.
    complaint: &'static str,
}

const STRING: &str = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, \
    durations, and timestamps";
const DECIMAL: &str = "decimal clause can only be used on integers";
const FIXED: &str = "fixed-point clause can only be used on doubles";
const SCIENTIFIC: &str = "scientific clause can only be used on doubles";
const BINARY: &str = "only integers and bools can be formatted as binary";
const OCTAL: &str = "octal clause can only be used on integers";
const HEX: &str = "only integers, byte buffers, and strings can be formatted as hex";

const KINDS: [Kind; 8] = [
    Kind {
        letter: 's',
        print: |value, _| string(value, 0),
        takes: |kind| !matches!(kind, Type::Optional(_) | Type::Opaque(_) | Type::Object(_)),
        complaint: STRING,
    },
    Kind {
        letter: 'd',
        print: |value, _| decimal(value),
        takes: |kind| matches!(kind, Type::Int | Type::Uint),
        complaint: DECIMAL,
    },
    Kind {
        letter: 'f',
        print: |value, precision| Ok(fixed(float(value, FIXED)?, precision)),
        takes: |kind| matches!(kind, Type::Double | Type::String),
        complaint: FIXED,
    },
    Kind {
        letter: 'e',
        print: |value, precision| Ok(scientific(float(value, SCIENTIFIC)?, precision)),
        takes: |kind| matches!(kind, Type::Double | Type::String),
        complaint: SCIENTIFIC,
    },
    Kind {
        letter: 'b',
        print: |value, _| match value {
            Value::Bool(value) => Ok(u8::from(*value).to_string()),
            _ => integer(value, 2, BINARY),
        },
        takes: |kind| matches!(kind, Type::Int | Type::Uint | Type::Bool),
        complaint: BINARY,
    },
    Kind {
        letter: 'o',
        print: |value, _| integer(value, 8, OCTAL),
        takes: |kind| matches!(kind, Type::Int | Type::Uint),
        complaint: OCTAL,
    },
    Kind { letter: 'x', print: |value, _| hex(value), takes: may_be_hex, complaint: HEX },
    Kind {
        letter: 'X',
        print: |value, _| hex(value).map(|text| text.to_ascii_uppercase()),
        takes: may_be_hex,
        complaint: HEX,
    },
];

fn may_be_hex(kind: &Type) -> bool {
    matches!(kind, Type::Int | Type::Uint | Type::String | Type::Bytes)
}

fn wrong<T>(what: &str, value: &Value<'_>) -> Result<T, String> {
    Err([what, ", was given ", value.kind().runtime_name()].concat())
}

fn decimal(value: &Value<'_>) -> Result<String, String> {
    match value {
        Value::Int(number) => Ok(number.to_string()),
        Value::Uint(number) => Ok(number.to_string()),
        _ => wrong(DECIMAL, value),
    }
}

fn float(value: &Value<'_>, complaint: &str) -> Result<f64, String> {
    match value {
        Value::Double(number) => Ok(*number),
        Value::String(text) if **text == *"NaN" => Ok(f64::NAN),
        Value::String(text) if **text == *"Infinity" => Ok(f64::INFINITY),
        Value::String(text) if **text == *"-Infinity" => Ok(f64::NEG_INFINITY),
        _ => wrong(complaint, value),
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
        _ => return integer(value, 16, HEX),
    };
    let digit = |digit: u8| char::from(b"0123456789abcdef"[usize::from(digit)]);
    Ok(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
}

fn string(value: &Value<'_>, depth: u32) -> Result<String, String> {
    Ok(match value {
        Value::List(list) => return items(list, depth),
        Value::Map(map) => return entries(map, depth),
        Value::Int(_) | Value::Uint(_) => return decimal(value),
        Value::Double(number) => format_float(*number),
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
        Value::Optional(_) | Value::Opaque(_) | Value::Made(_) | Value::Composed => {
            return wrong(STRING, value);
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
        Value::Double(number) if number.is_finite() => format_fixed(*number, PRECISION),
        Value::Double(number) => quote(&format_fixed(*number, PRECISION)),
        Value::Timestamp(time) => ["timestamp(", &quote(&time.to_text()), ")"].concat(),
        Value::Duration(time) => ["duration(", &quote(&time.to_text()), ")"].concat(),
        Value::Optional(_) | Value::Opaque(_) | Value::Made(_) | Value::Composed => {
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
mod tests;
