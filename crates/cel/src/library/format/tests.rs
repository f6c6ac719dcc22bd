use std::sync::Arc;

use json_tree::json;

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
    assert_eq!(formatted("%s and %d", vec![Value::Bool(false), Value::Int(1)]), Ok("false and 1".to_owned()));
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

#[test]
fn types_are_checked_before_anything_runs() {
    let opaque = Type::Opaque("net.IP");
    for (text, kinds, expected) in [
        ("%s %d %%", &[&Type::Bool, &Type::Dyn][..], None),
        ("%.2f", &[&Type::String], None),
        ("%s", &[], Some((None, "index 0 out of range"))),
        (
            "%s%d",
            &[&Type::Int, &Type::Timestamp],
            Some((
                Some(1),
                "error during formatting: decimal clause can only be used on integers, was given \
                 google.protobuf.Timestamp",
            )),
        ),
        (
            "%s",
            &[&opaque],
            Some((
                Some(0),
                "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, \
                 maps, lists, types, durations, and timestamps, was given net.IP",
            )),
        ),
        (
            "%d",
            &[&Type::Int, &Type::Int],
            Some((None, "too many arguments supplied to string.format (expected 1, got 2)")),
        ),
        (
            "%y",
            &[&Type::Int],
            Some((None, "could not parse formatting clause: unrecognized formatting clause \"y\"")),
        ),
    ] {
        let expected = expected.map(|(at, why)| (at, why.to_owned()));
        assert_eq!(super::check(text, kinds), expected, "{text}");
    }
}
