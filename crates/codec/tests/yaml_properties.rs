//! Properties of all values and all bytes.

mod objects;

use codec::{json, yaml};
use json_tree::{Map, Value};
use objects::{Dice, Wish, object, types};
use proptest::prelude::*;
use schema::{Types, decode};

/// Strings that YAML allows, with much of what it has rules for. U+0085 is left out, for Go does not keep it,
/// and so are U+2028 and U+2029, which only YAML 1.1 takes for the end of a line in a block.
fn text() -> impl Strategy<Value = String> {
    let syntax = "[-?:,#&*!|>'\"%@`{}\\[\\]~<=./\\\\ \n\tynabe0-9_+é\u{a0}\u{feff}\u{1F642}]{0,12}";
    let words = proptest::collection::vec("[a-z:#'\"-]{1,12}", 0..24).prop_map(|words| words.join(" "));
    prop_oneof![
        syntax.prop_map(String::from),
        words,
        any::<String>().prop_map(|text| {
            text.chars()
                .filter(|c| {
                    !matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
                })
                .collect()
        }),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no such numbers", |float| float.is_finite()).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((text(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// The value as JSON tells it: without the difference between `1` and `1.0`, and with sorted keys.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64()),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(entries) => {
            let mut entries: Vec<_> =
                entries.iter().map(|(key, value)| (key.clone(), plain(value))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().collect())
        }
        _ => value.clone(),
    }
}

fn read(document: &[u8]) -> Value {
    let node = yaml::parse(document)
        .unwrap_or_else(|error| panic!("{}: {error}", String::from_utf8_lossy(document)));
    json::to_value(&node).expect("numbers within range")
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in value()) {
        let written = yaml::write(&value).expect("there are only characters that YAML allows");
        let read = read(&written);
        prop_assert_eq!(plain(&read), plain(&value), "{}", String::from_utf8_lossy(&written));
        prop_assert_eq!(yaml::write(&read).ok(), Some(written));
    }

    #[test]
    fn json_without_escapes_of_its_own_is_yaml(value in value()) {
        let json = json::to_vec(&value);
        prop_assert_eq!(plain(&read(&json)), plain(&value));
    }

    #[test]
    fn serde_yaml_reads_the_same(value in value()) {
        // It knows fewer words for booleans, but all that is written without quotes.
        let written = yaml::write(&value).expect("YAML");
        let theirs: Value = serde_yaml::from_slice(&written).expect("YAML to others too");
        prop_assert_eq!(plain(&theirs), plain(&value), "{}", String::from_utf8_lossy(&written));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = yaml::parse(&bytes).map_err(|error| error.to_string());
    }

    #[test]
    fn any_syntax_is_read_or_refused(text in "[-?:,#&*!|>'\"%@{}\\[\\]~< \n\tab01.]{0,40}") {
        let _ = yaml::parse(text.as_bytes()).map_err(|error| error.to_string());
    }

    #[test]
    fn any_lines_are_read_or_refused(
        lines in proptest::collection::vec("( {0,4})(- |a: |b:|\\? |: |&a |\\*a |<<: |'|\"|\\||>|#|---|\\{|\\[|\\]|\\}|x|!!int |\u{2028}){0,4}", 0..12),
    ) {
        let _ = yaml::parse(lines.join("\n").as_bytes()).map_err(|error| error.to_string());
    }
}

#[test]
fn every_kind_is_the_same_again() {
    for ty in types() {
        for seed in 1..3 {
            let full = object(ty, Wish::FULL, &mut Dice::new(seed));
            let document = yaml::write(&full).expect("no control characters");
            let read = yaml::parse_document(&document).expect("it was written");
            assert_eq!(read.duplicates, []);
            let again = decode(Types::builtin(), ty, &read.node).expect("it was of the type");
            assert_eq!(again.value, full, "{}", String::from_utf8_lossy(&document));
            assert_eq!(again.strict, []);
        }
    }
}
