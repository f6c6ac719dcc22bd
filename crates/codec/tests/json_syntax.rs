//! Valid and invalid JSON, with the errors of Go's own scanner.

use codec::json::{self, Node};

#[track_caller]
fn check(input: impl AsRef<[u8]>, offset: usize, message: &str) {
    let error = json::parse(input.as_ref()).expect_err("this is not JSON");
    assert_eq!((error.offset, error.to_string().as_str()), (offset, message));
}

#[track_caller]
fn check_text(input: impl AsRef<[u8]>, expected: &str) {
    assert_eq!(json::parse(input.as_ref()), Ok(Node::String(expected.into())));
}

#[track_caller]
fn check_byte(byte: u8, quoted: &str) {
    check([byte], 1, &format!("invalid character {quoted} looking for beginning of value"));
}

#[test]
fn a_document_that_ends_too_early() {
    for input in ["", "  ", "{", "[", r#"{"a""#, r#"{"a":"#, r#"{"a":1"#, "[1", "[1,", "\"abc"] {
        check(input, input.len(), "unexpected end of JSON input");
    }
    check("tru", 3, "invalid character ' ' in literal true (expecting 'e')");
    check("-", 1, "invalid character ' ' in numeric literal");
    check("1.", 2, "invalid character ' ' after decimal point in numeric literal");
    check("1e+", 3, "invalid character ' ' in exponent of numeric literal");
    check("\"\\", 2, "invalid character ' ' in string escape code");
    check("\"\\u12", 5, r"invalid character ' ' in \u hexadecimal character escape");
}

#[test]
fn a_byte_in_the_wrong_place() {
    check(r#"{"a":1} x"#, 9, "invalid character 'x' after top-level value");
    check("{}{}", 3, "invalid character '{' after top-level value");
    check(r#"{"a":1,}"#, 8, "invalid character '}' looking for beginning of object key string");
    check("{'a':1}", 2, r"invalid character '\'' looking for beginning of object key string");
    check("metadata:", 1, "invalid character 'm' looking for beginning of value");
    check("[1,]", 4, "invalid character ']' looking for beginning of value");
    check(r#"{"a" 1}"#, 6, "invalid character '1' after object key");
    check(r#"{"a":01}"#, 7, "invalid character '1' after object key:value pair");
    check("[1 2]", 4, "invalid character '2' after array element");
    check("\"a\tb\"", 3, r"invalid character '\t' in string literal");
    check(r#""\x41""#, 3, "invalid character 'x' in string escape code");
    check(r#""\u12g4""#, 6, r"invalid character 'g' in \u hexadecimal character escape");
    check("nope", 2, "invalid character 'o' in literal null (expecting 'u')");
    check("falsy", 5, "invalid character 'y' in literal false (expecting 'e')");
    check("-a", 2, "invalid character 'a' in numeric literal");
    check("1.}", 3, "invalid character '}' after decimal point in numeric literal");
    check("1ex", 3, "invalid character 'x' in exponent of numeric literal");
    check("+1", 1, "invalid character '+' looking for beginning of value");
}

#[test]
fn how_a_byte_is_quoted() {
    check_byte(b'\'', r"'\''");
    check_byte(b'\\', r"'\\'");
    check_byte(0, r"'\x00'");
    check_byte(0x07, r"'\a'");
    check_byte(0x0b, r"'\v'");
    check_byte(0x7f, r"'\x7f'");
    check_byte(0x81, r"'\u0081'");
    check_byte(0xa0, r"'\u00a0'");
    check_byte(0xad, r"'\u00ad'");
    check_byte(0xef, "'ï'");
    check_byte(0xff, "'ÿ'");
    check("[1\"", 3, "invalid character '\"' after array element");
}

#[test]
fn what_a_string_says() {
    check_text(r#""""#, "");
    check_text(r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t");
    check_text(r#""\u0041\u00e9\u2028""#, "Aé\u{2028}");
    check_text(r#""\ud83d\ude00""#, "😀");
    check_text(r#""\ud83d""#, "\u{fffd}");
    check_text(r#""\ud83dx""#, "\u{fffd}x");
    check_text(r#""\ud83d\u0041""#, "\u{fffd}A");
    check_text(r#""\ude00\ud83d\ude00""#, "\u{fffd}😀");
    check_text(b"\"a\xffb\"", "a\u{fffd}b");
    check_text(b"\"\xe2\x82\"", "\u{fffd}\u{fffd}");
    check_text(b"\"\xed\xa0\x80\"", "\u{fffd}\u{fffd}\u{fffd}");
    check_text("\"\u{7f}\"", "\u{7f}");
}

#[test]
fn what_a_node_keeps() {
    let entries = vec![
        ("b".into(), Node::Number("-0.0".into())),
        ("a".into(), Node::List(vec![Node::Null, Node::Bool(true), Node::Bool(false)])),
        ("b".into(), Node::Map(Vec::new())),
        ("n".into(), Node::Number("1E+3".into())),
    ];
    let input = b" {\"b\" : -0.0,\r\n\t\"a\":[null , true,false], \"b\":{}, \"n\":1E+3}\n";
    assert_eq!(json::parse(input), Ok(Node::Map(entries)));
}

#[test]
fn text_without_escapes_is_borrowed() {
    let input = br#"{"a\n": "b"}"#;
    let Ok(Node::Map(entries)) = json::parse(input) else { panic!("this is a map") };
    let [(key, Node::String(value))] = entries.as_slice() else { panic!("it has one text") };
    assert!(matches!(key, std::borrow::Cow::Owned(_)));
    assert!(matches!(value, std::borrow::Cow::Borrowed("b")));
}

/// The stack that a browser gives a program.
const BROWSER_STACK: usize = 1 << 20;

#[test]
fn depth_is_bounded_where_the_stack_is() {
    let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
    let work = move || {
        let deepest = nested(json::MAX_DEPTH);
        let node = json::parse(deepest.as_bytes()).expect("it is not too deep");
        let copy = node.clone();
        assert_eq!(node, copy);
        let value = json::to_value(&node).expect("it has no numbers");
        assert_eq!(json::to_vec(&value), deepest.as_bytes());
        drop((node, copy, value.clone(), value));
        for depth in [json::MAX_DEPTH + 1, 1_000_000] {
            check(nested(depth), json::MAX_DEPTH + 1, "invalid character '[' exceeded max depth");
            check(
                "{\"a\":".repeat(depth),
                json::MAX_DEPTH * 5 + 1,
                "invalid character '{' exceeded max depth",
            );
        }
    };
    let thread = std::thread::Builder::new().stack_size(BROWSER_STACK).spawn(work);
    thread.expect("threads start").join().expect("the stack suffices");
}
