use codec::json::{parse, to_value};

use super::*;

/// `expected` is the patched document, or `-` for a patch that does not fit it.
#[track_caller]
fn check(original: &str, patch: &str, expected: &str) {
    let original = parse(original.as_bytes()).expect("JSON");
    let patched = Patch::new(parse(patch.as_bytes()).expect("JSON")).and_then(|patch| patch.apply(original));
    let patched = match patched {
        Ok(node) => to_value(&node).expect("numbers in range").to_string(),
        Err(Error::Unprocessable(_)) => "-".to_owned(),
        Err(error) => error.to_string(),
    };
    assert_eq!(patched, expected, "{patch}");
}

#[test]
fn why_an_operation_cannot_be_done() {
    #[track_caller]
    fn check(operation: &str, expected: &str) {
        let original = parse(br#"{"a":"x","l":[1]}"#).expect("JSON");
        let patch = ["[{", operation, "}]"].concat();
        let patched =
            Patch::new(parse(patch.as_bytes()).expect("JSON")).and_then(|patch| patch.apply(original));
        let Err(Error::Unprocessable(why)) = patched else { panic!("{operation} can be done") };
        assert_eq!(why, expected);
    }
    check(
        r#""op":"add","path":"/b/c","value":1"#,
        r#"add operation does not apply: doc is missing path: "/b/c": missing value"#,
    );
    check(
        r#""op":"add","path":"/l/5","value":1"#,
        "error in add for path: '/l/5': Unable to access invalid index: 5: invalid index referenced",
    );
    check(
        r#""op":"add","path":"/l/x","value":1"#,
        r#"error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax"#,
    );
    check(
        r#""op":"remove","path":"/b~1c""#,
        "error in remove for path: '/b~1c': Unable to remove nonexistent key: b/c: missing value",
    );
    check(
        r#""op":"replace","path":"/l/1","value":1"#,
        "replace operation does not apply: doc is missing key: /l/1: missing value",
    );
    check(
        r#""op":"move","from":"/b","path":"/c""#,
        "error in move for path: 'b': Unable to remove nonexistent key: b: missing value",
    );
    check(
        r#""op":"move","from":"/a","path":"/c/d""#,
        "move operation does not apply: doc is missing destination path: /c/d: missing value",
    );
    check(
        r#""op":"copy","from":"/l/-2","path":"/c""#,
        "error in copy for from: '/l/-2': Unable to access invalid index: -2: invalid index referenced",
    );
    check(
        r#""op":"test","path":"/b/c","value":1"#,
        "test operation does not apply: is missing path: /b/c: missing value",
    );
}

#[test]
fn operations() {
    check(r#"{"a":1}"#, r#"[{"op":"add","path":"/b","value":2}]"#, r#"{"a":1,"b":2}"#);
    check(r#"{"a":1}"#, r#"[{"op":"add","path":"/a","value":2}]"#, r#"{"a":2}"#);
    check(r#"{"a":1}"#, r#"[{"op":"add","path":"/b"}]"#, r#"{"a":1,"b":null}"#);
    check(r#"{"a":1}"#, r#"[{"op":"remove","path":"/a"}]"#, "{}");
    check(r#"{"a":1}"#, r#"[{"op":"remove","path":"/b"}]"#, "-");
    check(r#"{"a":1}"#, r#"[{"op":"move","from":"/a","path":"/b"}]"#, r#"{"b":1}"#);
    check(r#"{"a":1}"#, r#"[{"op":"move","from":"/b","path":"/c"}]"#, "-");
    check(r#"{"a":{"b":1}}"#, r#"[{"op":"move","from":"/a","path":"/a/c"}]"#, "-");
    check(r#"{"a":1}"#, r#"[{"op":"copy","from":"/a","path":"/b"}]"#, r#"{"a":1,"b":1}"#);
    check(r#"{"a":1}"#, r#"[{"op":"bogus","path":"/a"}]"#, "-");
    check(r#"{"a":1}"#, r#"[{"path":"/a"}]"#, "-");
    check(r#"{"a":1}"#, r#"[{"op":"remove"}]"#, "-");
    check(r#"{"a":1}"#, "[null]", "-");
}

#[test]
fn lax() {
    check(r#"{"a":1}"#, r#"[{"op":"replace","path":"/b","value":2}]"#, r#"{"a":1,"b":2}"#);
    check(r#"{"a":1}"#, r#"[{"op":"copy","from":"/b","path":"/c"}]"#, r#"{"a":1,"c":null}"#);
    check(r#"{"a":1}"#, r#"[{"op":"replace","path":"x/b","value":2}]"#, r#"{"a":1,"b":2}"#);
    check(r#"{"a":1}"#, "null", r#"{"a":1}"#);
}

#[test]
fn lists() {
    let list = r#"{"l":[1,2,3]}"#;
    check(list, r#"[{"op":"add","path":"/l/0","value":0}]"#, r#"{"l":[0,1,2,3]}"#);
    check(list, r#"[{"op":"add","path":"/l/3","value":4}]"#, r#"{"l":[1,2,3,4]}"#);
    check(list, r#"[{"op":"add","path":"/l/-","value":4}]"#, r#"{"l":[1,2,3,4]}"#);
    check(list, r#"[{"op":"add","path":"/l/-1","value":4}]"#, r#"{"l":[1,2,3,4]}"#);
    check(list, r#"[{"op":"add","path":"/l/4","value":4}]"#, "-");
    check(list, r#"[{"op":"remove","path":"/l/-1"}]"#, r#"{"l":[1,2]}"#);
    check(list, r#"[{"op":"remove","path":"/l/00"}]"#, r#"{"l":[2,3]}"#);
    check(list, r#"[{"op":"replace","path":"/l/3","value":4}]"#, "-");
    check(list, r#"[{"op":"replace","path":"/l/x","value":4}]"#, "-");
    check(list, r#"[{"op":"replace","path":"/l/1","value":null}]"#, r#"{"l":[1,null,3]}"#);
    check(list, r#"[{"op":"copy","from":"/l/3","path":"/x"}]"#, "-");
    check(list, r#"[{"op":"add","path":"/l/0/x","value":4}]"#, "-");
}

#[test]
fn the_whole_document() {
    check(r#"{"a":1}"#, r#"[{"op":"replace","path":"","value":{"b":2}}]"#, r#"{"b":2}"#);
    check(r#"{"a":1}"#, r#"[{"op":"replace","path":"","value":[1]}]"#, "[1]");
    check(r#"{"a":1}"#, r#"[{"op":"replace","path":"","value":1}]"#, "-");
    check(r#"{"a":1}"#, r#"[{"op":"replace","path":""}]"#, "-");
    check(r#"{"a":1}"#, r#"[{"op":"add","path":"","value":{}}]"#, "-");
    check(r#"{"a":1}"#, r#"[{"op":"remove","path":""}]"#, "-");
    check(r#"{"a":1}"#, r#"[{"op":"test","path":"","value":{"a":1}}]"#, r#"{"a":1}"#);
}

#[test]
fn tests() {
    let object = r#"{"a":1,"m":{"x":[1,{"y":null}],"z":"t"}}"#;
    let same = r#"{"a":1,"m":{"x":[1,{"y":null}],"z":"t"}}"#;
    check(object, r#"[{"op":"test","path":"/a","value":1}]"#, same);
    check(object, r#"[{"op":"test","path":"/a","value":1.0}]"#, "-");
    check(object, r#"[{"op":"test","path":"/a"}]"#, "-");
    check(object, r#"[{"op":"test","path":"/nope","value":null}]"#, same);
    check(object, r#"[{"op":"test","path":"/nope"}]"#, same);
    check(object, r#"[{"op":"test","path":"/nope","value":{}}]"#, "-");
    check(object, r#"[{"op":"test","path":"/nope/x","value":null}]"#, "-");
    check(object, r#"[{"op":"test","path":"/m","value":{"z":"t","x":[1,{"y":null}]}}]"#, same);
    check(object, r#"[{"op":"test","path":"/m/x","value":[1]}]"#, "-");
    let escaped = r#"{"a":"\u003c"}"#;
    check(escaped, r#"[{"op":"test","path":"/a","value":"\u003c"}]"#, r#"{"a":"<"}"#);
    check(escaped, r#"[{"op":"test","path":"/a","value":"<"}]"#, "-");
    check(object, r#"[{"op":"test","path":"/m/x/1","value":{}}]"#, "-");
}

#[test]
fn what_is_touched_is_in_the_order_of_its_keys() {
    let object = r#"{"z":{"b":1,"a":1},"y":{"b":1,"a":1}}"#;
    check(object, "[]", r#"{"y":{"b":1,"a":1},"z":{"b":1,"a":1}}"#);
    check(
        object,
        r#"[{"op":"add","path":"/z/c","value":1}]"#,
        r#"{"y":{"b":1,"a":1},"z":{"a":1,"b":1,"c":1}}"#,
    );
}

#[test]
fn no_patch() {
    check("{}", r#"{"a":1}"#, "json: cannot unmarshal object into Go value of type jsonpatch.Patch");
    check("{}", "[1]", "json: cannot unmarshal number into Go value of type jsonpatch.Operation");
}

#[test]
fn too_much() {
    let many = format!("[{}]", vec!["{}"; MAX_OPERATIONS + 1].join(","));
    let text = "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001";
    check("{}", &many, text);
    let double = r#"{"op":"copy","from":"/a","path":"/a/-"}"#;
    check(r#"{"a":[1]}"#, &format!("[{}]", vec![double; 40].join(",")), "-");
    let deeper = r#"{"op":"copy","from":"/a","path":"/b/a"},{"op":"move","from":"/b","path":"/a"},{"op":"add","path":"/b","value":{}}"#;
    check(r#"{"a":{},"b":{}}"#, &format!("[{}]", vec![deeper; 200].join(",")), "-");
}
