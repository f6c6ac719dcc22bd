//! The meaning of scalars, and the output of strings, as in sigs.k8s.io/yaml.

use codec::{json, yaml};
use json_tree::{Value, json};

/// The JSON that a document means.
#[track_caller]
fn check(document: &str, expected: &str) {
    let node = yaml::parse(document.as_bytes()).unwrap_or_else(|error| panic!("{document:?}: {error}"));
    let value = json::to_value(&node).expect("numbers within range");
    assert_eq!(String::from_utf8_lossy(&json::to_vec(&value)), expected, "{document:?}");
}

#[track_caller]
fn check_written(value: &Value, expected: &str) {
    let written = yaml::write(value).unwrap_or_else(|error| panic!("{value}: {error}"));
    assert_eq!(String::from_utf8_lossy(&written), expected, "{value}");
}

/// How a string is written as the value of a key, and that it is read back as itself.
#[track_caller]
fn check_text(text: &str, expected: &str) {
    check_written(&json!({"k": text}), &format!("k: {expected}\n"));
    let node = yaml::parse(format!("k: {expected}\n").as_bytes()).expect("what was written is YAML");
    assert_eq!(json::to_value(&node).ok(), Some(json!({"k": text})), "{expected:?} read again");
}

#[test]
fn booleans_are_those_of_yaml_1_1() {
    for word in ["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"] {
        check(word, "true");
    }
    for word in ["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"] {
        check(word, "false");
    }
    for word in ["yEs", "tRue", "oN", "nan", "inf", "nil", "none", "t", "f"] {
        check(word, &format!("\"{word}\""));
    }
}

#[test]
fn nothing_is_null() {
    for word in ["", "~", "null", "Null", "NULL", "# a comment\n", "---\n", "--- ~\n...\n"] {
        check(word, "null");
    }
    check("a:\nb: ~", r#"{"a":null,"b":null}"#);
    check("nULL", "\"nULL\"");
}

#[test]
fn numbers_are_those_of_go() {
    let table = [
        ("0644", "420"),
        ("0o644", "420"),
        ("017", "15"),
        ("0o17", "15"),
        ("007", "7"),
        ("08", "8"),
        ("089", "89"),
        ("0b11", "3"),
        ("-0b11", "-3"),
        ("0x1F", "31"),
        ("-0x1F", "-31"),
        ("1_000", "1000"),
        ("+5", "5"),
        ("-5", "-5"),
        ("1e3", "1000"),
        ("1E3", "1000"),
        ("1.5e+3", "1500"),
        ("5.", "5"),
        (".5", "0.5"),
        ("1.10", "1.1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("1e21", "1e+21"),
        ("1e-7", "1e-7"),
    ];
    for (literal, expected) in table {
        check(literal, expected);
    }
    assert_eq!(yaml::parse(b"18446744073709551615"), Ok(yaml::Node::Number("18446744073709551615".into())));
    assert_eq!(yaml::parse(b"18446744073709551616"), Ok(yaml::Node::Number("18446744073709552000".into())));
}

#[test]
fn what_only_looks_like_a_number_is_text() {
    for text in [
        "12:30:45",
        "22:80",
        "1e400",
        "0xg",
        "0b2",
        "1.2.3",
        "2024-01-01",
        "2024-01-01T00:00:00Z",
        "1-2",
        "+",
        ".",
        "..",
        "1e",
        "0x",
        "--1",
        "1,000",
        "10Mi",
        "0.5.",
        "0x-1",
    ] {
        check(&format!("[{text}]").replace("[1,000]", "['1,000']"), &format!("[\"{text}\"]"));
    }
}

#[test]
fn tags_are_followed_or_ignored() {
    check("!!str 1", "\"1\"");
    check("!!int \"3\"", "3");
    check("!!float 3", "3");
    check("!!bool yes", "true");
    check("!custom x", "\"x\"");
    check("!custom 1", "\"1\"");
    check("! 12", "\"12\"");
    check("!!binary aGVsbG8=", "\"hello\"");
    check("!!binary |\n  aGVs\n  bG8=\n", "\"hello\"");
    check("!!map {a: !!seq [1]}", r#"{"a":[1]}"#);
}

#[test]
fn keys_become_text() {
    check("{1: a, true: b, 1.5: c, on: d, ~x: e}", r#"{"1":"a","1.5":"c","true":"d","~x":"e"}"#);
    check("{0644: a, 1e10: b}", r#"{"1e+10":"b","420":"a"}"#);
    check("? a\n: b\n", r#"{"a":"b"}"#);
}

#[test]
fn anchors_and_merges() {
    check("a: &x {b: 1}\nc: *x\n", r#"{"a":{"b":1},"c":{"b":1}}"#);
    check("a: &x {b: 1, c: 1}\nd:\n  <<: *x\n  b: 2\n", r#"{"a":{"b":1,"c":1},"d":{"b":2,"c":1}}"#);
    check(
        "v: &x {a: 1}\nw: &y {a: 2, b: 2}\nz: {<<: [*x, *y]}",
        r#"{"v":{"a":1},"w":{"a":2,"b":2},"z":{"a":1,"b":2}}"#,
    );
    check("a: &x 1\nb: *x\nc: &x 2\nd: *x\n", r#"{"a":1,"b":1,"c":2,"d":2}"#);
    check("{\"<<\": 1}", "{\"\\u003c\\u003c\":1}");
    check("&k a: *k", r#"{"a":"a"}"#);
}

#[test]
fn only_the_first_document_is_read() {
    check("a: 1\n---\nb: 2\n", r#"{"a":1}"#);
    check("a: 1\n---\n{{{\n", r#"{"a":1}"#);
    check("%YAML 1.1\n---\na: 1\n...\n", r#"{"a":1}"#);
}

#[test]
fn ambiguous_text_is_written_in_double_quotes() {
    for text in [
        "yes",
        "No",
        "on",
        "y",
        "n",
        "true",
        "null",
        "~",
        "",
        "1",
        "1e3",
        "0644",
        "1_000",
        "0x1F",
        "0b11",
        ".5",
        "5.",
        ".inf",
        "-.INF",
        ".nan",
        "2024-01-01",
        "2024-01-01T00:00:00Z",
        "12:30:45",
        "1:2",
        "+1",
        "-0",
    ] {
        check_text(text, &format!("\"{text}\""));
    }
}

#[test]
fn syntax_is_written_in_single_quotes() {
    for text in [
        "a: b", "- a", "*a", "&a", "!a", "%a", "@a", "`a", "|", ">", "# a", "a #b", "[a", "{a", "? a", "-",
        ":", "a:", " a", "a ", "---", "--- a", "...", "\"a\"", ",a",
    ] {
        check_text(text, &format!("'{text}'"));
    }
    check_text("'a'", "'''a'''");
    check_text("it's", "it's");
}

#[test]
fn everything_else_is_plain() {
    for text in [
        "a",
        "a:b",
        "a#b",
        "-a",
        "-1a",
        "?a",
        "a, b",
        "a[0]",
        "<<",
        "=",
        "/a",
        "a/b:c",
        "8080/tcp",
        "10Mi",
        "1.2.3",
        "a\\b",
        "a\"b",
        "tRue",
        "none",
        "ä€",
        "2024-13-01",
        "2024-1",
        "http://x",
        "a'b",
        "$x",
        "(x)",
        "x%",
    ] {
        check_text(text, text);
    }
}

#[test]
fn characters_that_do_not_print_are_escaped() {
    check_text("a\tb", "\"a\\tb\"");
    check_text("\u{0}\u{7}\u{8}\u{b}\u{c}\r\u{1b}\u{1}", "\"\\0\\a\\b\\v\\f\\r\\e\\x01\"");
    check_text("\u{1F642}", "\"\\U0001F642\"");
    check_text("a\u{feff}", "\"a\\uFEFF\"");
    check_text("\u{feff}a b", "\"\\uFEFF\\x61\\x20\\x62\"");
    check_text("\u{1F642}\"\\", "\"\\U0001F642\\\"\\\\\"");
    check_text("\u{a0}", "\u{a0}");
    for refused in ["\u{7f}", "\u{80}", "\u{9f}", "\u{fffe}", "\u{ffff}"] {
        let error = yaml::write(&json!([{"k": refused}])).expect_err("YAML has no such character");
        assert_eq!(error.to_string(), "yaml: control characters are not allowed");
        assert!(yaml::write(&json!({refused: 1})).is_err());
    }
    // Go reads these as the ends of lines.
    check_written(&json!(["a \u{85} b", "a\u{85}\u{85}b", "\u{85}"]), "- a b\n- |-\n  a\n  b\n- ' '\n");
}

#[test]
fn several_lines_are_literal_blocks() {
    check_text("a\nb", "|-\n  a\n  b");
    check_text("a\nb\n", "|\n  a\n  b");
    check_text("a\n\n", "|+\n  a\n");
    check_text("\n", "|2+\n");
    check_text("\na", "|2-\n\n  a");
    check_text(" a\nb", "|2-\n   a\n  b");
    check_text("a\n b\n\nc\n", "|\n  a\n   b\n\n  c");
    check_text("a \nb", "\"a \\nb\"");
    check_text("a\nb ", "\"a\\nb \"");
    check_text("a\tb\n", "\"a\\tb\\n\"");
    check_text("a\n# b: c\n", "|\n  a\n  # b: c");
}

#[test]
fn long_lines_are_folded() {
    let words = |count: usize| vec!["123456789"; count].join(" ");
    let (eight, rest) = (words(8), words(3));
    // The first space beyond column 80 becomes a line break.
    check_text(&format!("a{eight} {rest}"), &format!("a{eight}\n  {rest}"));
    check_text(&format!("#{eight} {rest}"), &format!("'#{eight}\n  {rest}'"));
    check_text(&format!("\t{eight} {rest}"), &format!("\"\\t{eight}\n  {rest}\""));
    check_text(&"x".repeat(200), &"x".repeat(200));
    check_text(&format!("{}  y z", "x".repeat(90)), &format!("{}  y\n  z", "x".repeat(90)));
    check_text(&format!("\t{}  y", "x".repeat(90)), &format!("\"\\t{}\n  \\ y\"", "x".repeat(90)));
    let long = "k".repeat(129);
    check_written(&json!({&long: {"a": [1]}}), &format!("? {long}\n: a:\n  - 1\n"));
    let spaced = format!("{} {}", "k".repeat(90), "k".repeat(30));
    check_written(&json!({&spaced: 1}), &format!("{spaced}: 1\n"));
}

#[test]
fn numbers_are_written_as_go_yaml_reads_them_from_json() {
    let table = [
        ("1.0", "1"),
        ("1e21", "1e+21"),
        ("1e20", "1e+20"),
        ("1e-7", "1e-07"),
        ("-0.0", "0"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("1234567.5", "1.2345675e+06"),
        ("123456.5", "123456.5"),
        ("100000000.0", "100000000"),
        ("1.5", "1.5"),
        ("-12", "-12"),
        ("9223372036854775807", "9223372036854775807"),
        ("18446744073709551615", "18446744073709551615"),
    ];
    for (literal, expected) in table {
        check_written(&serde_json::from_str(literal).expect("JSON"), &format!("{expected}\n"));
    }
}

#[test]
fn collections_are_laid_out_as_go_yaml_does() {
    check_written(&json!({}), "{}\n");
    check_written(&json!([]), "[]\n");
    check_written(&json!(null), "null\n");
    check_written(&json!("a"), "a\n");
    check_written(&json!([1, [2, [3]], {"a": 1, "b": [4]}]), "- 1\n- - 2\n  - - 3\n- a: 1\n  b:\n  - 4\n");
    check_written(
        &json!({"a": {"b": {"c": [{"d": [], "e": {}}]}}}),
        "a:\n  b:\n    c:\n    - d: []\n      e: {}\n",
    );
    check_written(&json!({"": 1, "n": 2, "a: b": 3, "a\nb": 4, "1": 5}), {
        "\"\": 1\n\"1\": 5\n? |-\n  a\n  b\n: 4\n'a: b': 3\n\"n\": 2\n"
    });
    check_written(&json!(["a\nb\n", {"k": "a\nb"}]), "- |\n  a\n  b\n- k: |-\n    a\n    b\n");
}

#[test]
fn keys_are_in_natural_order() {
    let expected =
        ["", ".a", "9", "10", "10a", "A", "B", "a", "a-b", "a.b", "a1", "a01", "a2", "a10", "aa", "b", "ä"];
    let mut keys = expected;
    keys.reverse();
    let map: json_tree::Map<String, Value> =
        keys.into_iter().map(|key| (key.to_owned(), json!([]))).collect();
    let written = String::from_utf8(yaml::write(&Value::Object(map)).expect("YAML")).expect("UTF-8");
    let written: Vec<&str> = written
        .lines()
        .filter_map(|line| line.strip_suffix(": []"))
        .map(|key| key.trim_matches('"'))
        .collect();
    assert_eq!(written, expected);
}
