//! Values as serde_json has them.

use std::collections::BTreeMap;

use kubeglass_json_tree::{Map, Number, Value, from_value, json, to_value};
use serde_json::from_str;

const TEXT: &str = r#"{"b":{"x":[1,-2,1.5,18446744073709551615],"~/":"t"},"a":[true,null,"\n",{}],"":[]}"#;

#[test]
fn text_comes_back() {
    let value: Value = from_str(TEXT).unwrap();
    assert_eq!(value.to_string(), TEXT);
    assert_eq!(format!("{:#}", json!({"a": [1]})), "{\n  \"a\": [\n    1\n  ]\n}");
    assert_eq!(from_value::<Value>(value.clone()).unwrap(), value);
    assert_eq!(to_value(&value).unwrap(), value);
    assert!(from_str::<Value>("{\"a\":1,}").is_err());
    assert_eq!(from_str::<Value>(r#"{"a":1,"b":2,"a":3}"#).unwrap().to_string(), r#"{"a":3,"b":2}"#);
}

#[test]
fn pointers_lead_into_values() {
    let mut value: Value = from_str(TEXT).unwrap();
    for (pointer, expected) in [
        ("", Some(value.clone())),
        ("/b/x/1", Some(json!(-2))),
        ("/b/~0~1", Some(json!("t"))),
        ("/a/3", Some(json!({}))),
        ("/", Some(json!([]))),
        ("b", None),
        ("/b/x/01", None),
        ("/b/x/+1", None),
        ("/b/x/9", None),
        ("/a/0/x", None),
    ] {
        assert_eq!(value.pointer(pointer), expected.as_ref(), "{pointer}");
        assert_eq!(value.pointer_mut(pointer).cloned(), expected, "{pointer}");
    }
}

#[test]
fn values_are_indexed_and_changed() {
    let mut value = json!({"a": [1, {"b": null}]});
    assert_eq!(value["a"][1]["b"], Value::Null);
    assert_eq!(value["x"][7]["y"], Value::Null);
    value["a"][1]["b"]["c"] = 3.into();
    value[String::from("d")] = "e".into();
    assert_eq!(value, json!({"d": "e", "a": [1, {"b": {"c": 3}}]}));
    assert_eq!(value["a"].take(), json!([1, {"b": {"c": 3}}]));
    assert!(value["a"].is_null());
}

#[test]
fn values_equal_what_they_hold() {
    let value = json!({"s": "x", "i": -1, "u": 7, "f": 0.5, "b": true});
    let text = String::from("x");
    assert_eq!(value["s"], "x");
    assert_eq!(value["s"], text);
    assert_eq!("x", value["s"]);
    assert_ne!(value["s"], "y");
    assert_eq!(value["i"], -1);
    assert_eq!(-1_i64, value["i"]);
    assert_ne!(value["i"], -2);
    assert_eq!(value["u"], 7_usize);
    assert_eq!(value["u"], 7_u64);
    assert_eq!(value["f"], 0.5);
    assert_eq!(value["b"], true);
    assert_ne!(value["b"], false);
    assert!(value["u"].is_u64() && value["i"].is_i64() && value["f"].is_f64() && !value["u"].is_f64());
}

#[test]
fn whatever_can_be_written_is_a_value() {
    assert_eq!(json!(BTreeMap::from([(1, "x"), (2, "y")])), json!({"1": "x", "2": "y"}));
    assert_eq!(json!(("a", 1, Some(true), None::<i32>, ())), json!(["a", 1, true, null, null]));
    assert_eq!(json!(f64::NAN), Value::Null);
    assert_eq!(Value::from(vec!["a", "b"]), json!(["a", "b"]));
    assert_eq!(Value::from_iter([("a", 1), ("b", 2)]), json!({"a": 1, "b": 2}));
    assert_eq!(Value::from(Some(2.5)), Value::Number(Number::from_f64(2.5).unwrap()));
    assert!(to_value(BTreeMap::from([(vec![1], 1)])).is_err());
}

#[test]
fn keys_are_brought_into_order_everywhere() {
    let mut value: Value = from_str(TEXT).unwrap();
    value.sort_all_objects();
    assert_eq!(
        value.to_string(),
        r#"{"":[],"a":[true,null,"\n",{}],"b":{"x":[1,-2,1.5,18446744073709551615],"~/":"t"}}"#
    );
    assert_eq!(from_str::<Map<String, Value>>(r#"{"a":1}"#).unwrap().get("a"), Some(&json!(1)));
    assert!(from_str::<Map<String, Value>>("[]").is_err());
    assert_eq!(size_of::<Value>(), 32);
}

#[test]
fn texts_that_are_not_there_are_empty() {
    let value = json!({"a": {"b": "t"}, "c": 1, "d": null, "e": "u"});
    for (key, expected) in [("e", "u"), ("c", ""), ("d", ""), ("x", ""), ("a", "")] {
        assert_eq!(value.text(key), expected, "{key}");
        assert_eq!(value[key].as_text(), expected, "{key}");
    }
    for (pointer, expected) in [("/a/b", "t"), ("/e", "u"), ("/a", ""), ("/a/x", ""), ("", "")] {
        assert_eq!(value.text_at(pointer), expected, "{pointer}");
    }
    assert_eq!(json!([]).text("a"), "");
}
