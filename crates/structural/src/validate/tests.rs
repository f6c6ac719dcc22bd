#![expect(clippy::needless_pass_by_value, reason = "data is written where it is used")]

use json_tree::{Value, json};

use super::*;

#[track_caller]
fn check(schema: Value, value: Value, expected: &[&str]) {
    let schema = json!({"type": "object", "properties": {"v": schema}});
    check_root(schema, json!({"v": value}), expected);
}

#[track_caller]
fn check_root(schema: Value, object: Value, expected: &[&str]) {
    let errors = validate(&object, None, &Structural::parse(&schema));
    assert_eq!(errors.iter().map(Error::to_string).collect::<Vec<_>>(), expected);
}

#[track_caller]
fn check_update(schema: Value, old: Value, new: Value, expected: &[&str]) {
    let errors = validate(&new, Some(&old), &Structural::parse(&schema));
    assert_eq!(errors.iter().map(Error::to_string).collect::<Vec<_>>(), expected);
}

#[test]
fn types() {
    let wrong = |found: &str, wanted: &str| {
        format!(r#"v: Invalid value: "{found}": v in body must be of type {wanted}: "{found}""#)
    };
    let of = |ty: &str| json!({"type": ty});
    check(of("integer"), json!("1"), &[&wrong("string", "integer")]);
    check(of("integer"), json!(1.0), &[]);
    check(of("number"), json!(1), &[]);
    check(of("string"), json!(null), &[&wrong("null", "string")]);
    check(json!({"type": "string", "nullable": true}), json!(null), &[]);
    check(json!({}), json!(null), &[]);
    check(of("boolean"), json!([]), &[&wrong("array", "boolean")]);
    check(of("array"), json!({}), &[&wrong("object", "array")]);
    check(of("object"), json!(true), &[&wrong("boolean", "object")]);
    check(json!({"x-kubernetes-int-or-string": true}), json!(1.5), &[&wrong("number", "integer,string")]);
    check(json!({"x-kubernetes-int-or-string": true}), json!(1), &[]);
    check(
        json!({"format": "email"}),
        json!(true),
        &[r#"v: Invalid value: "": v in body must be of type email: """#],
    );
    check(
        json!({"type": "integer", "format": "int64"}),
        json!(9_223_372_036_854_775_808_u64 as f64),
        &[
            r#"v: Invalid value: "float64": v in body must be of type int64: "float64""#,
            r#"<nil>: Invalid value: "": Checked value must be of type integer with format int64 in v"#,
        ],
    );
}

#[test]
fn numbers() {
    check(
        json!({"type": "integer"}),
        json!(1.5),
        &[
            r#"v: Invalid value: "number": v in body must be of type integer: "number""#,
            r#"<nil>: Invalid value: "": Checked value must be of type integer (default format) in v"#,
        ],
    );
    let integer = |more: Value| {
        let mut schema = json!({"type": "integer"});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    check(
        integer(json!({"minimum": 2})),
        json!(1),
        &["v: Invalid value: 1: v in body should be greater than or equal to 2"],
    );
    check(
        integer(json!({"minimum": 2, "exclusiveMinimum": true})),
        json!(2),
        &["v: Invalid value: 2: v in body should be greater than 2"],
    );
    check(
        integer(json!({"maximum": 2})),
        json!(3),
        &["v: Invalid value: 3: v in body should be less than or equal to 2"],
    );
    check(
        integer(json!({"maximum": 2, "exclusiveMaximum": true})),
        json!(2),
        &["v: Invalid value: 2: v in body should be less than 2"],
    );
    check(
        integer(json!({"multipleOf": 3})),
        json!(4),
        &["v: Invalid value: 4: v in body should be a multiple of 3"],
    );
    check(integer(json!({"multipleOf": 3})), json!(0), &[]);
    check(
        integer(json!({"minimum": 0.5})),
        json!(0),
        &[
            r#"<nil>: Invalid value: "": Minimum boundary value must be of type integer (default format) in v"#,
            "v: Invalid value: 0: v in body should be greater than or equal to 0.5",
        ],
    );
    check(
        integer(json!({"format": "int32"})),
        json!(4_294_967_296_i64),
        &[r#"<nil>: Invalid value: "": Checked value must be of type integer with format int32 in v"#],
    );
    check(
        json!({"type": "number", "multipleOf": 0.5}),
        json!(0.7),
        &["v: Invalid value: 0.7: v in body should be a multiple of 0.5"],
    );
    check(json!({"type": "number", "multipleOf": 0.5}), json!(3), &[]);
    check(json!({"type": "number", "multipleOf": 0.01}), json!(0.07), &[]);
    check(
        json!({"type": "number", "format": "float"}),
        json!(1e300),
        &[r#"<nil>: Invalid value: "": Checked value must be of type number with format float in v"#],
    );
    check(
        json!({"x-kubernetes-int-or-string": true, "maximum": 5}),
        json!(6),
        &["v: Invalid value: 6: v in body should be less than or equal to 5"],
    );
    check(
        json!({"type": "integer", "multipleOf": -2}),
        json!(3),
        &["v: Invalid value: -2: factor MultipleOf declared for v must be positive: -2"],
    );
}

#[test]
fn texts() {
    let text = json!({"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^a"});
    check(text.clone(), json!("aäö"), &[]);
    check(text.clone(), json!("aäöü"), &["v: Too long: may not be more than 3 bytes"]);
    check(text.clone(), json!("ä"), &[r#"v: Invalid value: "ä": v in body should be at least 2 chars long"#]);
    check(text, json!("bb"), &[r#"v: Invalid value: "bb": v in body should match '^a'"#]);
    check(
        json!({"type": "string", "pattern": "[a"}),
        json!("a"),
        &[concat!(
            r#"v: Invalid value: "a": v in body should match '[a, but pattern is invalid: "#,
            "error parsing regexp: missing closing ]: `[a`'"
        )],
    );
    check(
        json!({"type": "string", "format": "email"}),
        json!("x"),
        &[r#"v: Invalid value: "x": v in body must be of type email: "x""#],
    );
    check(json!({"type": "string", "format": "nope"}), json!("x"), &[]);
    check(
        json!({"type": "string", "format": "date-time"}),
        json!("x"),
        &[r#"v: Invalid value: "x": v in body must be of type date-time: "x""#],
    );
}

#[test]
fn enums() {
    let words = json!({"type": "string", "enum": ["a", "b"]});
    check(words.clone(), json!("a"), &[]);
    check(words, json!("c"), &[r#"v: Unsupported value: "c": supported values: "a", "b""#]);
    check(
        json!({"enum": [1, 2.5, {"b": 1, "a": 2}, null]}),
        json!(7),
        &[r#"v: Unsupported value: 7: supported values: "1", "2.5", "{\"b\":1,\"a\":2}", "null""#],
    );
    check(json!({"enum": [1]}), json!(1.0), &[]);
    check(json!({"enum": ["a"]}), json!(97), &[]);
    check(
        json!({"nullable": true, "type": "string", "enum": ["a"]}),
        json!(null),
        &[r#"v: Unsupported value: null: supported values: "a""#],
    );
}

#[test]
fn lists() {
    let list = json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2, "uniqueItems": true});
    check(list.clone(), json!([]), &["v: Invalid value: 0: v in body should have at least 1 items"]);
    check(
        list.clone(),
        json!(["a", 1, "a"]),
        &[
            r#"v[1]: Invalid value: "integer": v[1] in body must be of type string: "integer""#,
            "v: Too many: 3: must have at most 2 items",
            r#"v: Invalid value: "": v in body shouldn't contain duplicates"#,
        ],
    );
    check(list, json!(["a", "b"]), &[]);
}

#[test]
fn objects() {
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 2});
    check(map.clone(), json!({}), &["v: Invalid value: 0: v in body should have at least 1 properties"]);
    check(
        map,
        json!({"a": 1, "b.c d": "x", "e": 1}),
        &[
            "v: Too many: 3: must have at most 2 items",
            r#"v.b.c d: Invalid value: "string": v.b.c d in body must be of type integer: "string""#,
        ],
    );
    check(
        json!({"type": "object", "additionalProperties": false, "properties": {"a": {}}}),
        json!({"a": 1, "b": 1}),
        &[r#"v: Invalid value: "b": v.b in body is a forbidden property"#],
    );
    check_root(json!({"required": ["spec", "a"]}), json!({"a": 1}), &["spec: Required value"]);
    check_root(
        json!({"additionalProperties": {"type": "string"}}),
        json!({"a": 1}),
        &[r#"a: Invalid value: "integer": .a in body must be of type string: "integer""#],
    );
    check_root(
        json!({"type": "object", "properties": {
        "b": {"type": "string"}, "a": {"type": "object", "required": ["y", "x"]},
    }, "required": ["c"]}),
        json!({"a": {}, "b": 1}),
        &[
            "a.y: Required value",
            "a.x: Required value",
            r#"b: Invalid value: "integer": b in body must be of type string: "integer""#,
            "c: Required value",
        ],
    );
}

#[test]
fn alternatives() {
    let two = json!([{"required": ["a"]}, {"required": ["b"]}]);
    check(
        json!({"type": "object", "oneOf": two}),
        json!({}),
        &[
            r#"<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found none valid"#,
            "v.a: Required value",
        ],
    );
    check(
        json!({"type": "object", "oneOf": two}),
        json!({"a": 1, "b": 1}),
        &[
            r#"<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found 2 valid alternatives"#,
        ],
    );
    check(json!({"type": "object", "oneOf": two}), json!({"b": 1}), &[]);
    check(
        json!({"type": "object", "anyOf": two}),
        json!({}),
        &[
            r#"<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)"#,
            "v.a: Required value",
        ],
    );
    check(json!({"type": "object", "anyOf": two}), json!({"b": 1}), &[]);
    check(
        json!({"type": "integer", "allOf": [{"minimum": 2}, {"maximum": 4}]}),
        json!(1),
        &[
            "v: Invalid value: 1: v in body should be greater than or equal to 2",
            r#"<nil>: Invalid value: "": "v" must validate all the schemas (allOf)"#,
        ],
    );
    check(
        json!({"type": "integer", "allOf": [{"minimum": 2}]}),
        json!(1),
        &[
            "v: Invalid value: 1: v in body should be greater than or equal to 2",
            r#"<nil>: Invalid value: "": "v" must validate all the schemas (allOf). None validated"#,
        ],
    );
    check(
        json!({"type": "string", "not": {"enum": ["bad"]}}),
        json!("bad"),
        &[r#"<nil>: Invalid value: "": "v" must not validate the schema (not)"#],
    );
    // The alternative that has come further tells its errors.
    check(
        json!({"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^a"}]}),
        json!("b"),
        &[
            r#"<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)"#,
            r#"v: Invalid value: "b": v in body should match '^a'"#,
        ],
    );
    // What two schemas say alike is said once.
    check(
        json!({"type": "object", "required": ["a"], "allOf": [{"required": ["a"]}, {}]}),
        json!({}),
        &["v.a: Required value", r#"<nil>: Invalid value: "": "v" must validate all the schemas (allOf)"#],
    );
}

#[test]
fn what_has_not_changed_may_stay_wrong() {
    let schema = json!({"type": "object", "properties": {
        "n": {"type": "integer", "maximum": 10},
        "o": {"type": "object", "required": ["x"], "properties": {"s": {"type": "string", "maxLength": 1}}},
        "m": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": {
            "type": "object", "properties": {"k": {"type": "string"}, "n": {"type": "integer", "maximum": 1}},
        }},
        "l": {"type": "array", "items": {"type": "integer", "maximum": 1}},
        "s": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "integer", "maximum": 1}},
        "a": {"type": "integer", "allOf": [{"maximum": 1}]},
    }});
    let check = |old: Value, new: Value, expected: &[&str]| check_update(schema.clone(), old, new, expected);
    check(json!({"n": 50}), json!({"n": 50}), &[]);
    check(
        json!({"n": 50}),
        json!({"n": 51}),
        &["n: Invalid value: 51: n in body should be less than or equal to 10"],
    );
    check(json!({"o": {"s": "ab"}}), json!({"o": {"s": "ab"}, "n": 1}), &[]);
    check(
        json!({"o": {"s": "ab"}}),
        json!({"o": {"s": "abc"}}),
        &["o.s: Too long: may not be more than 1 bytes", "o.x: Required value"],
    );
    check(
        json!({"m": [{"k": "a", "n": 5}]}),
        json!({"m": [{"k": "b", "n": 5}, {"k": "a", "n": 5}]}),
        &["m[0].n: Invalid value: 5: m[0].n in body should be less than or equal to 1"],
    );
    check(
        json!({"l": [5, 6]}),
        json!({"l": [5, 7, 5]}),
        &[
            "l[0]: Invalid value: 5: l[0] in body should be less than or equal to 1",
            "l[1]: Invalid value: 7: l[1] in body should be less than or equal to 1",
            "l[2]: Invalid value: 5: l[2] in body should be less than or equal to 1",
        ],
    );
    check(
        json!({"s": [5]}),
        json!({"s": [5, 1]}),
        &["s[0]: Invalid value: 5: s[0] in body should be less than or equal to 1"],
    );
    check(json!({"s": [5]}), json!({"s": [5], "n": 1}), &[]);
    check(json!({"a": 5}), json!({"a": 5, "n": 1}), &[]);
}

#[test]
fn values_may_stand_somewhere_else() {
    let schema = Structural::parse(&json!({"type": "object", "required": ["a"], "not": {}}));
    let errors = validate_below(&json!({}), &schema, &Path::new("x").child("default"));
    let texts: Vec<String> = errors.iter().map(Error::to_string).collect();
    assert_eq!(
        texts,
        [
            r#"x.default: Invalid value: "": "" must not validate the schema (not)"#,
            "x.default.a: Required value",
        ]
    );
}
