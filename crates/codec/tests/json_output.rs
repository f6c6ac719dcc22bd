//! Output of JSON, compared with that of Go's own encoder.

use codec::json;
use json_tree::json;

#[track_caller]
fn check(input: &str, expected: &str) {
    let node = json::parse(input.as_bytes()).expect("the input is JSON");
    let value = json::to_value(&node).expect("its numbers are in range");
    assert_eq!(String::from_utf8_lossy(&json::to_vec(&value)), expected);
}

#[track_caller]
fn check_float(float: f64, expected: &str) {
    let mut out = Vec::new();
    json::write_f64(float, &mut out);
    assert_eq!(String::from_utf8_lossy(&out), expected);
}

#[track_caller]
fn check_pretty(compact: &str, expected: &str) {
    assert_eq!(String::from_utf8_lossy(&json::pretty(compact.as_bytes())), expected);
}

#[test]
fn values() {
    check("  null ", "null");
    check(r#"{"b": [1, {}, [ ]], "a": {"x": true}}"#, r#"{"b":[1,{},[]],"a":{"x":true}}"#);
    check(r#"{"a": 1, "b": 2, "a": 3}"#, r#"{"a":3,"b":2}"#);
    check(r#""\u003c\u003E&\u2028\u2029\u20ac""#, r#""\u003c\u003e\u0026\u2028\u2029€""#);
    check(r#""\"\\\/\b\f\n\r\t\u0000\u001f\u007f""#, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}\"");
}

#[test]
fn numbers() {
    check("[0, -0, -0.0, 1.0, 1e3, 1e-3]", "[0,0,-0,1,1000,0.001]");
    check("[9223372036854775807, -9223372036854775808]", "[9223372036854775807,-9223372036854775808]");
    check("[9223372036854775808, 18446744073709551615]", "[9223372036854776000,18446744073709552000]");
    check(
        "[1e20, 1e21, 123456789012345678901234567890]",
        "[100000000000000000000,1e+21,1.2345678901234568e+29]",
    );
    check("[1e-6, 1e-7, 1.5e-10, 1e-400]", "[0.000001,1e-7,1.5e-10,0]");
}

#[test]
fn numbers_out_of_range() {
    for literal in ["1e400", "-1e309"] {
        let document = format!(r#"{{"a": [{literal}]}}"#);
        let node = json::parse(document.as_bytes()).expect("the syntax is right");
        let error = json::to_value(&node).expect_err("no float holds it");
        let message = format!("json: cannot unmarshal number {literal} into Go value of type float64");
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn floats() {
    check_float(0.1, "0.1");
    check_float(-0.0, "-0");
    check_float(5e-324, "5e-324");
    check_float(f64::MAX, "1.7976931348623157e+308");
    check_float(999_999_999_999_999_900_000.0, "999999999999999900000");
    check_float(123_456.789, "123456.789");
    check_float(0.000_001_234, "0.000001234");
    check_float(-1.25e-9, "-1.25e-9");
    // As far from ...6.2 as from ...6.3: the even digit wins.
    check_float(11_733_000_395_268_050.0 / 8.0, "1466625049408506.2");
    check_float(f64::NAN, "null");
}

#[test]
fn pretty() {
    check_pretty(
        r#"{"a":{},"b":[],"c":"x:{,\"]"}"#,
        "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": \"x:{,\\\"]\"\n}",
    );
    check_pretty("[1,[true,null]]", "[\n  1,\n  [\n    true,\n    null\n  ]\n]");
    check_pretty(r#""\\""#, r#""\\""#);
    check_pretty("{}", "{}");
}

#[test]
fn write_appends() {
    let mut out = b"event: ".to_vec();
    json::write(&json!({"a": 1}), &mut out);
    assert_eq!(out, br#"event: {"a":1}"#);
}

/// Go's second package escapes nothing for HTML.
#[test]
fn unescaped() {
    for (text, expected) in [
        ("<b>&\u{2028}\u{2029}", "\"<b>&\u{2028}\u{2029}\""),
        ("\\u003c", r#""\\u003c""#),
        ("\\<\"\n\u{1}", r#""\\<\"\n\u0001""#),
        ("", "\"\""),
    ] {
        let found = String::from_utf8(json::to_vec_unescaped(&text.into())).expect("text");
        assert_eq!(found, expected, "{text:?}");
    }
}
