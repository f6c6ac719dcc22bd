//! CBOR, rule by rule.

use codec::cbor::{self, Document};
use codec::json;
use json_tree::{Value, json};
use schema::{TypeId, Types};

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).expect("ASCII"), 16).expect("two digits"))
        .collect()
}

fn ty(name: &str) -> TypeId {
    Types::builtin().find("k8s.io/api/core/v1", name).expect("a core type")
}

/// Returns the value of `hex` within `{"v": ...}` as JSON, or the error in it.
fn meaning(hex: &str) -> String {
    let document = [b"\xa1Av".as_slice(), &bytes(hex)].concat();
    match cbor::parse(&document) {
        Ok(node) => {
            let value = json::to_value(&node).expect("no number is too large");
            String::from_utf8(json::to_vec(&value["v"])).expect("JSON is UTF-8")
        }
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(hex: &str, expected: &str) {
    assert_eq!(meaning(hex), expected);
}

#[test]
fn numbers() {
    check("00", "0");
    check("17", "23");
    check("18ff", "255");
    check("1b7fffffffffffffff", "9223372036854775807");
    check(
        "1b8000000000000000",
        "cbor: cannot unmarshal positive integer into Go value of type int64 (9223372036854775808 overflows Go's int64)",
    );
    check("3b7fffffffffffffff", "-9223372036854775808");
    check(
        "3bffffffffffffffff",
        "cbor: cannot unmarshal negative integer into Go value of type int64 (-18446744073709551616 overflows Go's int64)",
    );
    check("f93e00", "1.5");
    check("f90001", "5.960464477539063e-8");
    check("f97bff", "65504");
    check("fa7f7fffff", "3.4028234663852886e+38");
    check("fb3ff199999999999a", "1.1");
    let refused = "cbor: data item of cbor type primitives is not accepted by protocol: ";
    check("f97e00", &format!("{refused}floating-point NaN"));
    check("fa7f800000", &format!("{refused}floating-point infinity"));
    check("fbfff0000000000000", &format!("{refused}floating-point infinity"));
    check("c24101", "cbor: data item of cbor type tag is not accepted by protocol: bignum");
}

#[test]
fn primitives() {
    check("f4", "false");
    check("f5", "true");
    check("f6", "null");
    let refused = "cbor: data item of cbor type primitives is not accepted by protocol: simple value";
    check("f7", &format!("{refused} 23 is not recognized"));
    check("e0", &format!("{refused} 0 is not recognized"));
    check("f8ff", &format!("{refused} 255 is not recognized"));
    check("f810", "cbor: invalid simple value 16 for type primitives");
    check("ff", "cbor: unexpected \"break\" code");
}

#[test]
fn strings() {
    check("4161", "\"a\"");
    check("6161", "\"a\"");
    check("5f41614162ff", "\"ab\"");
    check("7f61616162ff", "\"ab\"");
    check("42fffe", "\"\u{fffd}\u{fffd}\"");
    check("62fffe", "cbor: invalid UTF-8 string");
    check("7f61c361a9ff", "cbor: invalid UTF-8 string");
    check("5f6161ff", "cbor: wrong element type UTF-8 text string for indefinite-length byte string");
    check("5f5fffff", "cbor: indefinite-length byte string chunk is not definite-length");
    check(
        "5bffffffffffffffff",
        "cbor: byte string length 18446744073709551615 is too large, causing integer overflow",
    );
    check("5b7fffffffffffffff", "unexpected EOF");
    check("4261", "unexpected EOF");
    check("5f4161", "unexpected EOF");
}

#[test]
fn tags() {
    check("d54300ff01", "\"AP8B\"");
    check("d542ffef", "\"_-8\"");
    check("d64300ff01", "\"AP8B\"");
    check("d641ff", "\"/w==\"");
    check("d74300ff01", "\"00ff01\"");
    check("d7824100d64101", "[\"00\",\"AQ==\"]");
    check("d9d9f7d9d9f701", "1");
    check("c64161", "\"a\"");
    check("c07819323032362d30312d30315430303a30303a30302b30313a3030", "\"2026-01-01T00:00:00+01:00\"");
    check("c074323032362d30312d30315430303a30303a30305a", "\"2026-01-01T00:00:00Z\"");
    check("c11a6955b900", "\"2026-01-01T00:00:00Z\"");
    check("c1fb41da556e40200000", "\"2026-01-01T00:00:00.5Z\"");
    check("c120", "\"1969-12-31T23:59:59Z\"");
    check("c1f9b800", "\"1969-12-31T23:59:59.5Z\"");
    check("c001", "cbor: tag number 0 must be followed by text string, got positive integer");
    check(
        "c16161",
        "cbor: tag number 1 must be followed by integer or floating-point number, got UTF-8 text string",
    );
    check("c6", "unexpected EOF");
}

#[test]
fn containers() {
    check("80", "[]");
    check("9f0102ff", "[1,2]");
    check("a0", "{}");
    check("bf416101ff", "{\"a\":1}");
    check("bf4161ff", "cbor: unexpected \"break\" code");
    check("a10102", "cbor: cannot unmarshal positive integer into Go value of type string");
    check("a2416101616102", "cbor: found duplicate map key \"a\" at map element index 1");
    check("a241610101", "unexpected EOF");
    check("9a00000401", "cbor: exceeded max number of elements 1024 for CBOR array");
    check("ba00000401", "cbor: exceeded max number of key-value pairs 1024 for CBOR map");
    check(&format!("9f{}ff", "00".repeat(1025)), "cbor: exceeded max number of elements 1024 for CBOR array");
    check("9e", "cbor: invalid additional information 30 for type array");
    check("1f", "cbor: invalid additional information 31 for type positive integer");
    check(&format!("{}00", "81".repeat(63)), &format!("{}0{}", "[".repeat(63), "]".repeat(63)));
    check(&format!("{}00", "81".repeat(64)), "cbor: exceeded max nested level 64");
    check(&format!("{}00", "c6".repeat(65)), "cbor: exceeded max nested level 64");
    check(&"bf".repeat(100_000), "cbor: exceeded max nested level 64");
}

#[test]
fn documents() {
    #[track_caller]
    fn check(hex: &str, expected: &str) {
        let bytes = bytes(hex);
        assert_eq!(cbor::parse(&bytes).expect_err("refused").to_string(), expected);
    }
    check("", "EOF");
    check("d9d9f7", "unexpected EOF");
    check("a0a0", "cbor: 1 bytes of extraneous data starting at index 1");
    check("80", "cbor: cannot unmarshal array into Go value of type map[string]interface {}");
    check("f5", "cbor: cannot unmarshal primitives into Go value of type map[string]interface {}");
    check("4161", "cbor: cannot unmarshal byte string into Go value of type map[string]interface {}");
    assert_eq!(cbor::parse(&[0xf6]), Ok(schema::Node::Null));
}

#[test]
fn what_a_document_is() {
    #[track_caller]
    fn check(hex: &str, expected: Result<(&str, &str), &str>) {
        let bytes = bytes(hex);
        let document = Document::parse(&bytes).expect("well-formed");
        let expected = expected.map(|(version, kind)| (version.to_owned(), kind.to_owned()));
        assert_eq!(document.type_meta().map_err(|error| error.to_string()), expected.map_err(str::to_owned));
    }
    check("f6", Ok(("", "")));
    check("a1 446b696e64 63506f64", Ok(("", "Pod")));
    check("d9d9f7 a2 4a61706956657273696f6e 427631 446b696e64 f6", Ok(("v1", "")));
    check(
        "80",
        Err(
            "cbor: cannot unmarshal array into Go value of type v1.TypeMeta (cannot decode CBOR array to struct \
             without toarray option)",
        ),
    );
    check("01", Err("cbor: cannot unmarshal positive integer into Go value of type v1.TypeMeta"));
    check(
        "a1 446b696e64 01",
        Err("cbor: cannot unmarshal positive integer into Go struct field v1.TypeMeta.kind of type string"),
    );
    check("a2 4161 01 4161 01", Err("cbor: found duplicate map key \"a\" at map element index 1"));
}

#[test]
fn diagnoses() {
    #[track_caller]
    fn check(hex: &str, expected: &str) {
        let bytes = bytes(hex);
        assert_eq!(Document::parse(&bytes).expect("well-formed").diagnose(), expected);
    }
    check("a1 486d65746164617461 a1 446e616d65 4167", "{'metadata': {'name': 'g'}}");
    check("83 01 20 f93e00", "[1, -1, 1.5]");
    check("84 f4 f5 f6 f7", "[false, true, null, undefined]");
    check("83 41ff d64100 e1", "[h'ff', 22('\\u0000'), simple(1)]");
    check("82 62220a 64f09f9880", "[\"\\\"\\n\", \"\\ud83d\\ude00\"]");
}

/// A document of a core type, as JSON and then its strict error.
#[track_caller]
fn check_typed(name: &str, hex: &str, expected: &str) {
    let bytes = bytes(hex);
    let document = Document::parse(&bytes).expect("well-formed");
    let got = match document.typed(Types::builtin(), ty(name)) {
        Ok(typed) => {
            let decoded =
                schema::decode(Types::builtin(), ty(name), &typed.node).expect("found right before");
            let text = String::from_utf8(json::to_vec(&decoded.value)).expect("JSON is UTF-8");
            text + &typed.unknown.map(|error| format!(" {error}")).unwrap_or_default()
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(got, expected);
}

#[test]
fn types() {
    check_typed("ConfigMap", "f6", r#"{"metadata":{}}"#);
    check_typed("ConfigMap", "a1 4464617461 a1 4161 f6", r#"{"metadata":{},"data":{"a":""}}"#);
    check_typed(
        "ConfigMap",
        "a1 4a62696e61727944617461 a1 4161 d64200ff",
        r#"{"metadata":{},"binaryData":{"a":"AP8="}}"#,
    );
    check_typed(
        "ConfigMap",
        "a1 4a62696e61727944617461 a1 4161 4441503842",
        r#"{"metadata":{},"binaryData":{"a":"AP8B"}}"#,
    );
    check_typed(
        "ConfigMap",
        "a1 4a62696e61727944617461 a1 4161 820102",
        r#"{"metadata":{},"binaryData":{"a":"AQI="}}"#,
    );
    check_typed(
        "ConfigMap",
        "a1 4a62696e61727944617461 a1 4161 4300ff01",
        "cbor: failed to decode base64 from byte string: illegal base64 data at input byte 0",
    );
    check_typed(
        "ConfigMap",
        "a1 4a62696e61727944617461 a1 4161 6441503842",
        "cbor: cannot unmarshal UTF-8 text string into Go struct field v1.ConfigMap.binaryData of type []uint8",
    );
    check_typed("ConfigMap", "a1 49696d6d757461626c65 f7", r#"{"metadata":{}}"#);
    check_typed(
        "ConfigMap",
        "a1 49696d6d757461626c65 01",
        "cbor: cannot unmarshal positive integer into Go struct field v1.ConfigMap.immutable of type bool",
    );
    check_typed(
        "ConfigMap",
        "a1 4464617461 80",
        "cbor: cannot unmarshal array into Go struct field v1.ConfigMap.data of type map[string]string",
    );
    check_typed(
        "Pod",
        "a1 4473706563 a1 4a636f6e7461696e657273 a0",
        "cbor: cannot unmarshal map into Go struct field v1.Pod.spec of type []v1.Container",
    );
    check_typed(
        "Pod",
        "a1 4473706563 a1 4d72657374617274506f6c696379 01",
        "cbor: cannot unmarshal positive integer into Go struct field v1.Pod.spec of type v1.RestartPolicy",
    );
    // Of two errors the first counts, but reading ends at a key that stands twice.
    check_typed(
        "ConfigMap",
        "a2 4464617461 01 49696d6d757461626c65 01",
        "cbor: cannot unmarshal positive integer into Go struct field v1.ConfigMap.data of type map[string]string",
    );
    check_typed(
        "ConfigMap",
        "a2 4464617461 01 4464617461 a0",
        "cbor: found duplicate map key \"data\" at map element index 1",
    );
}

#[test]
fn unknown_fields() {
    check_typed(
        "ConfigMap",
        "a1 4161 01",
        r#"{"metadata":{}} cbor: found unknown field at map element index 0"#,
    );
    // One is reported, of the outermost map that has any.
    check_typed(
        "ConfigMap",
        "a2 486d65746164617461 a2 446e616d65 4161 417a 01 4161 01",
        r#"{"metadata":{"name":"a"}} cbor: found unknown field at map element index 1"#,
    );
    check_typed(
        "ConfigMap",
        "a2 486d65746164617461 a2 446e616d65 4161 417a 01 446b696e64 4161",
        r#"{"metadata":{"name":"a"}} cbor: found unknown field at map element index 1"#,
    );
    check_typed(
        "ConfigMap",
        "a2 4161 01 4161 01",
        "cbor: found duplicate map key \"a\" at map element index 1",
    );
}

#[track_caller]
fn check_written(value: &Value, hex: &str) {
    let mut out = Vec::new();
    cbor::write(value, &mut out);
    assert_eq!(out, bytes(hex), "{out:02x?}");
}

#[test]
fn writes_in_the_fewest_bytes() {
    check_written(&json!(null), "f6");
    check_written(&json!([true, false]), "82f5f4");
    check_written(&json!("é"), "42c3a9");
    check_written(&json!({"b": 1, "a": {}}), "a2 4162 01 4161 a0");
    for (integer, hex) in
        [(0, "00"), (23, "17"), (24, "1818"), (256, "190100"), (65536, "1a00010000"), (-1, "20")]
    {
        check_written(&json!(integer), hex);
    }
    check_written(&json!(i64::MAX), "1b7fffffffffffffff");
    check_written(&json!(i64::MIN), "3b7fffffffffffffff");
    check_written(&json!(u64::MAX), "1bffffffffffffffff");
    for (float, hex) in [
        (0.0, "f90000"),
        (-0.0, "f98000"),
        (1.0, "f93c00"),
        (1000.0, "f963d0"),
        (65504.0, "f97bff"),
        (65536.0, "fa47800000"),
        (5.960464477539063e-8, "f90001"),
        (6.097555160522461e-5, "f903ff"),
        (2.9802322387695312e-8, "fa33000000"),
        (18446744073709551616.0, "fa5f800000"),
        (0.1, "fb3fb999999999999a"),
        (1e21, "fb444b1ae4d6e2ef50"),
        (5e-324, "fb0000000000000001"),
    ] {
        check_written(&json!(float), hex);
    }
}

#[test]
fn writes_documents_and_events() {
    let secret = json!({"kind": "Secret", "data": {"a": "AP8="}});
    let document = bytes("d9d9f7 a2 446b696e64 46536563726574 4464617461 a1 4161 d64200ff");
    let mut out = Vec::new();
    cbor::write_typed(Types::builtin(), ty("Secret"), &secret, &mut out);
    assert_eq!(out, document);
    let mut list = Vec::new();
    let Value::Object(secrets) = json!({"items": [secret]}) else { unreachable!() };
    cbor::write_typed_list(Types::builtin(), ty("Secret"), &secrets, &mut list);
    assert_eq!(list, [bytes("d9d9f7 a1 456974656d73 81").as_slice(), &document[3..]].concat());
    let mut event = Vec::new();
    cbor::write_event("ADDED", &out, &mut event);
    assert_eq!(
        event,
        [bytes("d9d9f7 a2 4474797065 454144444544 466f626a656374").as_slice(), &document].concat()
    );
}
