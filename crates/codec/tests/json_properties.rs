//! Properties of any JSON, and of any bytes.

use codec::json;
use json_tree::Value;
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // A float that Go writes as an integer reads back as one.
        any::<f64>().prop_filter_map("finite, not whole", |float| {
            (float.fract() != 0.0).then_some(float).and_then(json_tree::Number::from_f64).map(Value::from)
        }),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Bytes that are nearly JSON.
fn tokens() -> impl Strategy<Value = Vec<u8>> {
    let token = prop::sample::select(vec![
        "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u", "d83d", "\"a\"", "true", "nul", "false", "null",
        "0", "-", "12", ".5", "e", "E+1", " ", "\n", "\u{1}", "é", "x",
    ]);
    prop::collection::vec(token, 0..24).prop_map(|tokens| tokens.concat().into_bytes())
}

/// Reports whether serde_json accepts a document, but for what it decides otherwise by intent: halves of surrogate
/// pairs, and bytes that are not UTF-8.
fn accepted_by_serde(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parse_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = json::parse(&bytes).map(|node| json::to_value(&node));
    }

    #[test]
    fn what_is_written_reads_back(value in value()) {
        let compact = json::to_vec(&value);
        let node = json::parse(&compact).expect("what is written is JSON");
        prop_assert_eq!(json::to_value(&node).expect("in range"), value);
        let pretty = json::pretty(&compact);
        prop_assert_eq!(json::parse(&pretty).expect("so is what is laid out"), node);
        prop_assert!(accepted_by_serde(&compact));
    }

    #[test]
    fn accepted_and_refused_as_by_serde_json(bytes in tokens()) {
        let surrogate = bytes.windows(4).any(|window| window == b"d83d");
        let accepted = json::parse(&bytes).is_ok();
        prop_assert!(accepted == accepted_by_serde(&bytes) || surrogate);
    }
}
