#![expect(clippy::needless_pass_by_value, reason = "data is written where it is used")]

use field::{Error, Path};
use json_tree::{Value, json};

use super::*;

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn texts(errors: &[Error]) -> Vec<String> {
    errors.iter().map(Error::to_string).collect()
}

#[track_caller]
fn compiled(schema: &Value) -> (Structural, Compiled) {
    let schema = Structural::parse(schema);
    let (compiled, errors) = compile(&schema, &Path::default(), &[]);
    assert_eq!(texts(&errors), [""; 0]);
    (schema, compiled)
}

#[track_caller]
fn check(schema: Value, old: Value, new: Value, expected: &[&str]) {
    let (schema, compiled) = compiled(&schema);
    let old = (!old.is_null()).then_some(&old);
    assert_eq!(texts(&validate(&compiled, &schema, &new, old, BUDGET).errors), expected);
}

#[track_caller]
fn check_wrong(schema: Value, expected: &[&str]) {
    let (_, errors) = compile(&Structural::parse(&schema), &Path::new("s"), &[]);
    assert_eq!(texts(&errors), expected);
}

fn with_rule(rule: Value) -> Value {
    json!({"type": "object", "properties": {"v": {
        "type": "object", "x-kubernetes-validations": [rule],
        "properties": {"a": {"type": "integer"}, "b": {"type": "object", "properties": {"c-d": {"type": "string"}}}},
    }}})
}

#[test]
fn messages_reasons_and_paths() {
    let bad = json!({"v": {"a": 1}});
    let check = |rule: Value, expected: &str| check(with_rule(rule), Value::Null, bad.clone(), &[expected]);
    check(json!({"rule": " self.a > 1 "}), "v: Invalid value: failed rule: self.a > 1");
    check(json!({"rule": "self.a > 1", "message": " too small "}), "v: Invalid value: too small");
    check(
        json!({"rule": "self.a > 1", "message": "m", "messageExpression": "self.a == 1 ? 'is one' : ''"}),
        "v: Invalid value: is one",
    );
    check(
        json!({"rule": "self.a > 1", "message": "m", "messageExpression": "self.b.c__dash__d"}),
        "v: Invalid value: m",
    );
    check(
        json!({"rule": "self.a > 1", "message": "m", "reason": "FieldValueForbidden", "fieldPath": ".a"}),
        "v.a: Forbidden: m",
    );
    check(
        json!({"rule": "self.a > 1", "reason": "FieldValueRequired", "fieldPath": ".b['c-d']"}),
        "v.b.c-d: Required value: failed rule: self.a > 1",
    );
    check(json!({"rule": "self.a > 1", "reason": "FieldValueDuplicate"}), "v: Duplicate value");
    check(
        json!({"rule": "1 / (self.a - 1) > 0"}),
        r#"v: Invalid value: "object": division by zero evaluating rule: 1 / (self.a - 1) > 0"#,
    );
}

#[test]
fn the_root_has_names() {
    let schema = json!({"type": "object", "x-kubernetes-validations": [
        {"rule": "self.metadata.name.startsWith('a') && self.kind == 'K' && self.apiVersion == 'v1'"},
    ]});
    let object =
        |name: &str| json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": name, "labels": {}}});
    check(schema.clone(), Value::Null, object("ab"), &[]);
    check(
        schema,
        Value::Null,
        object("b"),
        &[
            "<nil>: Invalid value: failed rule: self.metadata.name.startsWith('a') && self.kind == 'K' && self.apiVersion == 'v1'",
        ],
    );
}

#[test]
fn transitions_need_what_was_there() {
    let rule = json!([{"rule": "self == oldSelf", "message": "immutable"}]);
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "string", "maxLength": 9, "x-kubernetes-validations": rule},
        "m": {"type": "array", "maxItems": 9, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": {
            "type": "object", "properties": {
                "k": {"type": "string"}, "v": {"type": "string", "maxLength": 9, "x-kubernetes-validations": rule},
            },
        }},
        "o": {"type": "object", "maxProperties": 9,
            "additionalProperties": {"type": "string", "maxLength": 9, "x-kubernetes-validations": rule}},
    }});
    let check = |old: Value, new: Value, expected: &[&str]| check(schema.clone(), old, new, expected);
    check(Value::Null, json!({"a": "x"}), &[]);
    check(json!({}), json!({"a": "x"}), &[]);
    check(json!({"a": "x"}), json!({"a": "x"}), &[]);
    check(json!({"a": "x"}), json!({"a": "y"}), &[r#"a: Invalid value: "y": immutable"#]);
    check(
        json!({"m": [{"k": "1", "v": "x"}, {"k": "2", "v": "x"}]}),
        json!({"m": [{"k": "2", "v": "y"}, {"k": "1", "v": "x"}, {"k": "3", "v": "z"}]}),
        &[r#"m[0].v: Invalid value: "y": immutable"#],
    );
    check(
        json!({"o": {"a": "x", "b": "x"}}),
        json!({"o": {"a": "y", "c": "x"}}),
        &[r#"o[a]: Invalid value: "y": immutable"#],
    );
}

#[test]
fn optional_old_values() {
    let schema = |optional: bool| {
        let rule =
            json!([{"rule": "oldSelf == oldSelf && self == 1", "message": "m", "optionalOldSelf": optional}]);
        json!({"type": "object", "properties": {"n": {"type": "integer", "x-kubernetes-validations": rule}}})
    };
    check(schema(false), Value::Null, json!({"n": 2}), &[]);
    check(schema(false), json!({"n": 2}), json!({"n": 2}), &["n: Invalid value: 2: m"]);
    check(schema(true), Value::Null, json!({"n": 1}), &[]);
    check(schema(true), Value::Null, json!({"n": 2}), &["n: Invalid value: 2: m"]);
    check(schema(true), json!({"n": 1}), json!({"n": 2}), &["n: Invalid value: 2: m"]);
}

#[test]
fn what_has_not_changed_may_break_a_rule() {
    let rule = json!([{"rule": "self > 1"}]);
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "integer", "x-kubernetes-validations": rule},
        "l": {"type": "array", "maxItems": 9, "items": {"type": "integer", "x-kubernetes-validations": rule}},
        "s": {"type": "array", "maxItems": 9, "x-kubernetes-list-type": "set",
            "items": {"type": "integer", "x-kubernetes-validations": rule}},
        "b": {"type": "string"},
    }});
    let check = |old: Value, new: Value, expected: &[&str]| check(schema.clone(), old, new, expected);
    check(json!({"a": 0}), json!({"a": 0, "b": "x"}), &[]);
    check(json!({"a": 0}), json!({"a": 1}), &["a: Invalid value: 1: failed rule: self > 1"]);
    check(
        json!({"l": [0]}),
        json!({"l": [0, 1]}),
        &["l[0]: Invalid value: 0: failed rule: self > 1", "l[1]: Invalid value: 1: failed rule: self > 1"],
    );
    check(json!({"s": [0]}), json!({"s": [0], "b": "x"}), &[]);
    check(json!({"s": [0]}), json!({"s": [0, 5]}), &["s[0]: Invalid value: 0: failed rule: self > 1"]);
}

#[test]
fn what_is_tolerated_is_told() {
    let (schema, compiled) = compiled(&json!({"type": "object", "properties": {
        "a": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]},
        "l": {"type": "array", "maxItems": 9, "items": {
            "type": "object", "x-kubernetes-validations": [{"rule": "has(self.x)", "message": "no x"}],
            "properties": {"x": {"type": "string"}},
        }},
        "b": {"type": "string"},
    }}));
    let old = json!({"a": 0, "l": [{}]});
    let check = |new: Value, errors: &[&str], tolerated: &[&str]| {
        let found = validate(&compiled, &schema, &new, Some(&old), BUDGET);
        assert_eq!((texts(&found.errors), texts(&found.tolerated)), (strings(errors), strings(tolerated)));
    };
    let (small, nameless) = ("a: Invalid value: 0: failed rule: self > 1", "l[0]: Invalid value: no x");
    check(json!({"a": 0, "l": [{}], "b": "x"}), &[], &[small, nameless]);
    check(json!({"a": 0, "l": [{}, {"x": "y"}]}), &[nameless], &[small]);
}

#[test]
fn nulls_have_no_rules_and_budgets_end() {
    let schema = json!({"type": "object", "properties": {"a": {
        "type": "integer", "nullable": true, "x-kubernetes-validations": [{"rule": "self > 1"}],
    }}});
    check(schema.clone(), Value::Null, json!({"a": null}), &[]);
    let (schema, compiled) = compiled(&schema);
    let exhausted = [concat!(
        r#"a: Invalid value: "integer": validation failed due to running out of cost budget, "#,
        "no further validation rules will be run"
    )];
    for budget in [0, 1] {
        assert_eq!(texts(&validate(&compiled, &schema, &json!({"a": 5}), None, budget).errors), exhausted);
    }
}

#[test]
fn wrong_rules() {
    let shown = |rule: &str| {
        format!(
            r#"{{"Rule":"{rule}","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}}"#
        )
    };
    check_wrong(
        with_rule(json!({"rule": "self.a + 1"})),
        &[&format!(
            "s.properties[v].x-kubernetes-validations[0].rule: Invalid value: {}: cel expression must evaluate to a bool",
            shown("self.a + 1")
        )],
    );
    check_wrong(
        with_rule(json!({"rule": "self.x == 1"})),
        &[&format!(
            "s.properties[v].x-kubernetes-validations[0].rule: Invalid value: {}: compilation failed: ERROR: <input>:1:5: \
         undefined field 'x'\n | self.x == 1\n | ....^",
            shown("self.x == 1")
        )],
    );
    check_wrong(
        with_rule(json!({"rule": "self.a == 1", "optionalOldSelf": true})),
        &[
            "s.properties[v].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
        ],
    );
    let list = json!({"type": "array", "items": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]}});
    check_wrong(
        json!({"type": "object", "properties": {"l": list}}),
        &[
            r#"s.properties[l].items.x-kubernetes-validations[0].rule: Invalid value: "self >= oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[l]"#,
        ],
    );
}

#[test]
fn what_rules_are_compiled_with() {
    let object = |rules: Value, items: Value| {
        json!({"type": "object", "properties": {"v": {
            "type": "object", "x-kubernetes-validations": rules, "items": items,
        }}})
    };
    let item = json!({"type": "string", "x-kubernetes-validations": [{"rule": "self == 'a'"}]});
    // Items of what is no list are declared for themselves, unless something around them is.
    check_wrong(object(json!([]), item.clone()), &[]);
    check_wrong(
        object(json!([{"rule": "true"}]), item),
        &[
            "s.properties[v].items.x-kubernetes-validations: Internal error: failed to convert to declType for CEL \
             validation rules",
        ],
    );
    let untyped = json!({"x-kubernetes-preserve-unknown-fields": true});
    check_wrong(
        json!({"type": "object", "properties": {"v": {
            "type": "array", "items": untyped, "x-kubernetes-validations": [{"rule": "true"}],
        }}}),
        &[
            "s.properties[v].x-kubernetes-validations: Internal error: internal error: failed to construct type \
             information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
        ],
    );
}

#[test]
fn rules_of_a_wrong_schema_are_not_compiled() {
    let schema = json!({"type": "object", "x-kubernetes-validations": [{"rule": "self.x"}], "properties": {
        "a": {"type": "string", "x-kubernetes-validations": [{"rule": "1"}]},
        "ab": {"type": "string", "x-kubernetes-validations": [{"rule": "1"}]},
    }});
    let path = Path::new("s");
    let check = |wrong: &Path, expected: &[&str]| {
        let wrong = [Error::required(wrong, "")];
        let (_, errors) = compile(&Structural::parse(&schema), &path, &wrong);
        let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, expected);
    };
    let [a, ab] =
        ["s.properties[a]", "s.properties[ab]"].map(|at| format!("{at}.x-kubernetes-validations[0].rule"));
    check(&path, &[&a, &ab]);
    check(&path.child("properties").key("a").child("type"), &[&ab]);
    check(&Path::new("t"), &[&a, &ab, "s.x-kubernetes-validations[0].rule"]);
}

#[test]
fn field_paths() {
    let schema = Structural::parse(&json!({"properties": {
        "a": {"properties": {"b": {}, "x.y": {}}}, "m": {"additionalProperties": {"properties": {"z": {}}}},
    }}));
    let check = |text: &str, expected: Option<&str>| {
        assert_eq!(field_path(text, &schema).as_deref(), expected, "{text}");
    };
    check(".a", Some("a"));
    check(".a.b", Some("a.b"));
    check(".a['x.y']", Some("a.x.y"));
    check(".m.k", Some("m[k]"));
    check(".m['it\\'s'].z", Some("m[it's].z"));
    for wrong in ["", "a", ".b", ".a.", "..a", ".a[b]", ".a['b'", ".a['b", ".a[0]", ".a.b.c"] {
        check(wrong, None);
    }
}

#[test]
fn what_keeps_rules_from_being_run() {
    let at = Path::new("a");
    assert!(unchecked(&[Error::invalid(&at, 1, "x")]).is_none());
    let blocked = unchecked(&[Error::invalid(&at, 1, "x"), Error::required(&at, "")]);
    let text = "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; \
                correct the existing errors to complete validation";
    assert_eq!(blocked.map(|error| error.to_string()).as_deref(), Some(text));
}
