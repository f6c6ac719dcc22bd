//! The errors of go-yaml for documents that it does not accept.

use codec::yaml;

#[track_caller]
fn check(document: impl AsRef<[u8]>, expected: &str) {
    let document = document.as_ref();
    let shown = String::from_utf8_lossy(document).into_owned();
    match yaml::parse(document) {
        Ok(node) => panic!("{shown:?} is taken for {node:?}"),
        Err(error) => assert_eq!(error.to_string(), expected, "{shown:?}"),
    }
}

#[track_caller]
fn check_duplicates(document: &str, expected: &[&str]) {
    let document = yaml::parse_document(document.as_bytes()).expect("YAML");
    let found: Vec<String> = document.duplicates.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
    assert_eq!(document.strict_error().is_some(), !expected.is_empty());
}

#[test]
fn structure() {
    check("a: b: c", "yaml: mapping values are not allowed in this context");
    check("x: 1\na: b: c", "yaml: line 2: mapping values are not allowed in this context");
    check("a: 1\n b: 2\n", "yaml: line 2: mapping values are not allowed in this context");
    check("a: 1\nb\nc: 2\n", "yaml: line 3: could not find expected ':'");
    check("a: 1\nb\n", "yaml: line 3: could not find expected ':'");
    check("a: 1\nb", "yaml: line 3: could not find expected ':'");
    check("a: 1\nb\n\n# no\nc: 2\n", "yaml: line 4: could not find expected ':'");
    check("a:\n  b: 1\n c: 2\n", "yaml: line 2: did not find expected key");
    check("- a\nb: 1\n", "yaml: line 1: did not find expected '-' indicator");
    check("a:\n\tb: 1\n", "yaml: line 2: found character that cannot start any token");
    check("a: @x", "yaml: found character that cannot start any token");
    check("a: - b\n", "yaml: block sequence entries are not allowed in this context");
    check("a: \"b\" c\n", "yaml: did not find expected key");
    check("x: 1\na: 'b' c\n", "yaml: line 1: did not find expected key");
}

#[test]
fn keys_without_values_and_values_without_keys() {
    check(": a", "yaml: did not find expected key");
    check("a: b\n: c\n", "yaml: line 1: did not find expected key");
    check("[? : b]", "yaml: did not find expected ',' or ']'");
    check("[a: b: c]", "yaml: did not find expected ',' or ']'");
    check("{a b: c]", "yaml: did not find expected ',' or '}'");
    check("a: 'x' ? b", "yaml: mapping keys are not allowed in this context");
    let long = "a".repeat(1025);
    check(format!("x: 1\n{long}: b"), "yaml: line 2: could not find expected ':'");
    check(format!("[{long}: b"), "yaml: did not find expected ',' or ']'");
}

#[test]
fn what_comes_after_a_document() {
    for document in ["{}", "'' ]", "{}}", "[] {", "--- {}\n...\n{"] {
        assert!(yaml::parse(document.as_bytes()).is_ok(), "{document}");
    }
    // Only what is no token at all is found.
    check("{} @", "yaml: found character that cannot start any token");
    check("{}\n'", "yaml: line 2: found unexpected end of stream");
    check("...", "yaml: did not find expected node content");
    check("%YAML 1.1\na: 1\n", "yaml: line 1: did not find expected <document start>");
}

#[test]
fn tabs() {
    check("\t", "yaml: found character that cannot start any token");
    check("a: 1\n\t\n", "yaml: line 2: found a tab character that violates indentation");
    check("- a\n\tb\n", "yaml: line 2: found a tab character that violates indentation");
    check("a: |\n\tb\n", "yaml: line 2: found a tab character where an indentation space is expected");
    assert!(yaml::parse(b"a:\t1\t# b\nc: [\t1,\n\t2\t]\n").is_ok());
}

#[test]
fn collections_that_do_not_end() {
    check("kind: [", "yaml: line 1: did not find expected node content");
    check("{\"a\": ", "yaml: line 1: did not find expected node content");
    check("{", "yaml: line 1: did not find expected node content");
    check("[a", "yaml: line 1: did not find expected ',' or ']'");
    check("[a,\n", "yaml: line 1: did not find expected node content");
    check("{a: 1", "yaml: line 1: did not find expected ',' or '}'");
    check("{a: 1\n\n", "yaml: line 2: did not find expected ',' or '}'");
    check("{a: 1]", "yaml: did not find expected ',' or '}'");
    check("[a\n]: b\nc", "yaml: line 2: mapping values are not allowed in this context");
    check("{{foo}}", "yaml: invalid map key: map[interface {}]interface {}{\"foo\":interface {}(nil)}");
    check("[1]: x", "yaml: invalid map key: []interface {}{1}");
}

#[test]
fn scalars_that_do_not_end_or_escape_wrongly() {
    check("a: \"b", "yaml: found unexpected end of stream");
    check("a: \"b\n", "yaml: line 2: found unexpected end of stream");
    check("a: \"b\nc: d\n", "yaml: line 3: found unexpected end of stream");
    check("a: 'b\n---\n", "yaml: line 2: found unexpected document indicator");
    check(r#"{"a": "\/"}"#, "yaml: found unknown escape character");
    check("a: 1\nb: \"\\q\"", "yaml: line 2: found unknown escape character");
    check(r#"["\ud83d\ude00"]"#, "yaml: found invalid Unicode character escape code");
    check(r#"["\ude00"]"#, "yaml: found invalid Unicode character escape code");
    check(r#"["\u12"]"#, "yaml: did not find expected hexdecimal number");
    check("a: |0\n  x\n", "yaml: found an indentation indicator equal to 0");
    check("a: |x\n", "yaml: did not find expected comment or line break");
}

#[test]
fn bytes_that_are_no_text() {
    check(b"\x00", "yaml: control characters are not allowed");
    check("a: \u{7f}", "yaml: control characters are not allowed");
    check("a: \u{fffe}", "yaml: control characters are not allowed");
    check(b"\x00\xff", "yaml: control characters are not allowed");
    check(b"a: \xff", "yaml: invalid leading UTF-8 octet");
    check(b"a: \xd9\xd9", "yaml: invalid trailing UTF-8 octet");
    check(b"a: \xe2\x82", "yaml: incomplete UTF-8 octet sequence");
    check(b"a: \xc0\x80", "yaml: invalid length of a UTF-8 sequence");
    check(b"a: \xed\xa0\x80", "yaml: invalid Unicode character");
    check(b"\xff\xfea", "yaml: incomplete UTF-16 character");
    check(b"\xff\xfe\x00\xdc", "yaml: unexpected low surrogate area");
    check(b"\xff\xfe\x00\xd8", "yaml: incomplete UTF-16 surrogate pair");
    check(b"\xfe\xff\xd8\x00\x00a", "yaml: expected low surrogate area");
}

#[test]
fn anchors_tags_and_directives() {
    check("a: *b", "yaml: unknown anchor 'b' referenced");
    check("a: &a\n  b: *a\n", "yaml: anchor 'a' value contains itself");
    check("a: &a\n  <<: *a\n", "yaml: anchor 'a' value contains itself");
    check("a:\n  <<: 3\n", "yaml: map merge requires map or sequence of maps as the value");
    check("a: &a [1]\nb: {<<: *a}", "yaml: map merge requires map or sequence of maps as the value");
    check("!!int x", "yaml: cannot decode !!str `x` as a !!int");
    check("!!float yes", "yaml: cannot decode !!bool `yes` as a !!float");
    check("!!binary '*'", "yaml: !!binary value contains invalid base64 data");
    check("%YAML 1.2\n---\na: 1\n", "yaml: found incompatible YAML document");
    check("# c\n%YAML 1.2\n---\na: 1\n", "yaml: line 1: found incompatible YAML document");
    check("!x!y z", "yaml: found undefined tag handle");
    check("a: *", "yaml: did not find expected alphabetic or numeric character");
}

#[test]
fn what_json_cannot_express() {
    check("a: .inf", "json: unsupported value: +Inf");
    check("a: -.Inf", "json: unsupported value: -Inf");
    check("a: .nan", "json: unsupported value: NaN");
    check("~: x", "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"x\"");
    // A syntax error comes first, wherever it is.
    check("a: .inf\nb: [", "yaml: line 2: did not find expected node content");
}

#[test]
fn keys_that_are_set_twice() {
    check_duplicates("a: 1\nb: 2\n", &[]);
    check_duplicates("a: 1\na: 2\n", &["line 2: key \"a\" already set in map"]);
    check_duplicates(
        "a: 1\na: 2\na: 3\n",
        &["line 2: key \"a\" already set in map", "line 3: key \"a\" already set in map"],
    );
    check_duplicates(
        "1: 1\n1: 2\non: 1\ntrue: 2\n",
        &["line 2: key 1 already set in map", "line 4: key true already set in map"],
    );
    check_duplicates("1: a\n'1': b\n", &[]);
    // What does not show in a text is escaped.
    check_duplicates("a\u{200b}: 1\na\u{200b}: 2\n", &["line 2: key \"a\\u200b\" already set in map"]);
    check_duplicates(
        "a: {b: 1, b: 2}\na:\n  3\n",
        &["line 1: key \"b\" already set in map", "line 3: key \"a\" already set in map"],
    );
    check_duplicates("x: &x {a: 1}\nz:\n  a: 1\n  <<: *x\n", &["line 1: key \"a\" already set in map"]);
    assert_eq!(
        yaml::parse_document(b"a: 1\na: 2\n").ok().and_then(|document| document.strict_error()).as_deref(),
        Some("yaml: unmarshal errors:\n  line 2: key \"a\" already set in map")
    );
}

#[test]
fn the_error_knows_its_line() {
    assert_eq!(yaml::parse(b"x: 1\na: b: c").map_err(|error| error.line()), Err(Some(2)));
    assert_eq!(yaml::parse(b"a: b: c").map_err(|error| error.line()), Err(None));
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
    assert!(yaml::parse(nested(128).as_bytes()).is_ok());
    check(nested(129), "yaml: exceeded max depth of 10000");
    check(nested(100_000), "yaml: exceeded max depth of 10000");
    check("- ".repeat(100_000), "yaml: exceeded max depth of 10000");
    let blocks: String = (0..1000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert!(yaml::parse(blocks.as_bytes()).is_err());
}

#[test]
fn documents_that_are_mostly_aliases_are_refused() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let last = format!("*a{}", level - 1);
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![last; 10].join(", ")));
    }
    check(bomb, "yaml: document contains excessive aliasing");
}

#[test]
fn documents_that_are_much_larger_than_their_text_are_refused() {
    let aliased = |length: usize, aliases: usize| {
        format!("a: &a {}\nb: [{}]\n", "x".repeat(length), vec!["*a"; aliases].join(", "))
    };
    check(aliased(1_000_000, 20_000), "yaml: document contains excessive aliasing");
    check(aliased(1_000_000, 15), "yaml: document contains excessive aliasing");
    assert!(yaml::parse(aliased(1_000_000, 10).as_bytes()).is_ok());
    assert!(yaml::parse(aliased(1_000, 100).as_bytes()).is_ok());
    let merged =
        format!("a: &a {{k: {}}}\nb: [{}]\n", "x".repeat(1_000_000), vec!["{<<: *a}"; 2_000].join(", "));
    check(merged, "yaml: document contains excessive aliasing");
}
