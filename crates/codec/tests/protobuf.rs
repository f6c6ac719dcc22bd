//! Protobuf, rule by rule.

use codec::protobuf::{self, Error, Shape};
use json_tree::{Value, json};
use schema::{Node, TypeId, Types, decode};

fn ty(name: &str) -> TypeId {
    let types = Types::builtin();
    let packages = [
        "k8s.io/api/core/v1",
        "k8s.io/api/coordination/v1",
        "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
        "k8s.io/apimachinery/pkg/apis/meta/v1",
    ];
    packages.iter().find_map(|package| types.find(package, name)).expect("a built-in type")
}

/// The object that a message is, as JSON, or what is wrong with it.
fn meaning(name: &str, message: &[u8]) -> String {
    match protobuf::decode(Types::builtin(), Shape::Object(ty(name)), message) {
        Ok(value) => String::from_utf8(codec::json::to_vec(&value)).expect("JSON is UTF-8"),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(name: &str, message: &[u8], expected: &str) {
    assert_eq!(meaning(name, message), expected);
}

/// The value is this message, and the other way round.
#[track_caller]
fn check_both(name: &str, value: &Value, message: &[u8]) {
    let mut out = Vec::new();
    protobuf::write_message(Types::builtin(), Shape::Object(ty(name)), &value.into(), &mut out);
    assert_eq!(out.escape_ascii().to_string(), message.escape_ascii().to_string());
    assert_eq!(serde_json::from_str::<Value>(&meaning(name, message)).ok().as_ref(), Some(value));
}

#[test]
fn envelopes() {
    #[track_caller]
    fn check(bytes: &[u8], expected: Result<(&str, &str, &[u8]), &str>) {
        let got = protobuf::open(bytes);
        let got = got.as_ref().map(|it| (&*it.api_version, &*it.kind, it.raw)).map_err(ToString::to_string);
        assert_eq!(got, expected.map_err(str::to_owned));
    }
    check(b"", Err("empty data"));
    let prefix = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";
    check(b"k8s", Err(prefix));
    check(b"{}", Err(prefix));
    check(b"k8s\0", Err("empty body"));
    check(b"k8s\0\x0a", Err("unexpected EOF"));
    check(b"k8s\0\x0a\x00", Ok(("", "", b"")));
    check(b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x01x", Ok(("v1", "Pod", b"x")));
    check(b"k8s\0\x1a\x04gzip\x22\x01x\x28\x01\x12\x01x", Ok(("", "", b"x")));
    check(b"k8s\0\x10\x01", Err("proto: wrong wireType = 0 for field Raw"));
    check(b"k8s\0\x0a\x02\x08\x01", Err("proto: wrong wireType = 0 for field APIVersion"));
    check(b"k8s\0\x00", Err("proto: Unknown: illegal tag 0 (wire type 0)"));
}

#[test]
fn documents_lists_and_events() {
    let types = Types::builtin();
    let shape = Shape::Object(ty("Binding"));
    let mut out = Vec::new();
    protobuf::write(types, shape, "v1", "Pod", &Node::Map(Vec::new()), &mut out);
    assert!(out.starts_with(b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12"));
    assert!(out.ends_with(b"\x1a\x00\"\x00"));

    let mut out = Vec::new();
    let item = json!({"metadata": {"name": "a"}});
    let item = Node::from(&item);
    let metadata = json!({"resourceVersion": "7", "remainingItemCount": 0});
    protobuf::write_list(
        types,
        Shape::Metadata,
        ("v1", "List"),
        &(&metadata).into(),
        [&item, &item],
        &mut out,
    );
    let envelope = protobuf::open(&out).expect("written");
    assert!(envelope.raw.starts_with(b"\x0a\x09\x0a\x00\x12\x017\x1a\x00\x20\x00\x12"));
    let (metadata, items) = protobuf::decode_list(types, Shape::Metadata, envelope.raw).expect("written");
    assert_eq!(metadata, json!({"resourceVersion": "7", "remainingItemCount": 0}));
    assert_eq!(items, [json!({"metadata": {"name": "a"}}), json!({"metadata": {"name": "a"}})]);

    let mut out = b"before".to_vec();
    protobuf::frame("ADDED", b"object", &mut out);
    assert_eq!(out, b"before\0\0\0\x11\x0a\x05ADDED\x12\x08\x0a\x06object");
}

#[test]
fn writes_what_is_empty_unless_it_is_a_pointer() {
    check_both("ContainerPort", &json!({"containerPort": 0}), b"\x0a\x00\x10\x00\x18\x00\x22\x00\x2a\x00");
    check_both(
        "Lease",
        &json!({"metadata": {}, "spec": {"leaseDurationSeconds": 0, "acquireTime": "2026-01-01T00:00:00.000001Z"}}),
        b"\x0a\x10\x0a\x00\x12\x00\x1a\x00\x22\x00\x2a\x00\x32\x00\x38\x00\x42\x00\
          \x12\x0d\x10\x00\x1a\x09\x08\x80\xf2\xd6\xca\x06\x10\xe8\x07",
    );
    check_both(
        "EnvVarSource",
        &json!({"resourceFieldRef": {"resource": "r", "divisor": "1m"}}),
        b"\x12\x0b\x0a\x00\x12\x01r\x1a\x04\x0a\x021m",
    );
}

#[test]
fn statuses_and_options() {
    check(
        "DeleteOptions",
        b"\x12\x26\x0a\x2400000000-0000-0000-0000-000000000000\x2a\x03All",
        r#"{"preconditions":{"uid":"00000000-0000-0000-0000-000000000000"},"dryRun":["All"]}"#,
    );
    check_both(
        "Status",
        &json!({
            "metadata": {},
            "status": "Failure",
            "message": "m",
            "reason": "NotFound",
            "details": {"name": "n", "kind": "pods"},
            "code": 404,
        }),
        b"\x0a\x06\x0a\x00\x12\x00\x1a\x00\x12\x07Failure\x1a\x01m\x22\x08NotFound\
          \x2a\x0f\x0a\x01n\x12\x00\x1a\x04pods\x28\x00\x32\x00\x30\x94\x03",
    );
}

#[test]
fn numbers() {
    check_both(
        "Toleration",
        &json!({"tolerationSeconds": -1}),
        b"\x0a\x00\x12\x00\x1a\x00\x22\x00\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    );
    check("ContainerPort", b"\x18\xff\xff\xff\xff\x0f", r#"{"containerPort":-1}"#);
    check("ContainerPort", b"\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", r#"{"containerPort":-1}"#);
    check("ContainerPort", b"\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "proto: integer overflow");
    check("PodSecurityContext", b"\x20\x01\x20\x02\x22\x02\x03\x04", r#"{"supplementalGroups":[1,2,3,4]}"#);
    check("PodSecurityContext", b"\x22\x01\x80", "unexpected EOF");
    check("JSONSchemaProps", b"\x49\0\0\0\0\0\0\xf8\x3f", r#"{"maximum":1.5}"#);
    check("JSONSchemaProps", b"\x49\0\0\0\0\0\0\xf8\x7f", "json: unsupported value: NaN");
}

#[test]
fn small_messages() {
    check_both("TCPSocketAction", &json!({"port": "http"}), b"\x0a\x0a\x08\x01\x10\x00\x1a\x04http\x12\x00");
    check_both("TCPSocketAction", &json!({"port": 80}), b"\x0a\x06\x08\x00\x10\x50\x1a\x00\x12\x00");
    check("TCPSocketAction", b"\x0a\x02\x08\x02", "impossible IntOrString.Type");
    check_both(
        "ManagedFieldsEntry",
        &json!({"time": "1969-12-31T23:59:59Z", "fieldsV1": {"f:a": {}}}),
        b"\x0a\x00\x12\x00\x1a\x00\x22\x0d\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x00\x32\x00\
          \x3a\x0c\x0a\x0a{\"f:a\":{}}\x42\x00",
    );
    check("ManagedFieldsEntry", b"\x22\x00", "{}");
    check("ManagedFieldsEntry", b"\x22\x02\x08\x00", r#"{"time":"1970-01-01T00:00:00Z"}"#);
    check("ManagedFieldsEntry", b"\x22\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "unexpected EOF");
    check(
        "ManagedFieldsEntry",
        b"\x22\x0a\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
        "Time.MarshalJSON: year outside of range [0,9999]",
    );
    check("ManagedFieldsEntry", b"\x3a\x03\x0a\x01{", "unexpected end of JSON input");
}

#[test]
fn maps() {
    check_both(
        "LabelSelector",
        &json!({"matchLabels": {"a": "1", "b": ""}}),
        b"\x0a\x06\x0a\x01a\x12\x011\x0a\x05\x0a\x01b\x12\x00",
    );
    check("LabelSelector", b"\x0a\x00\x0a\x03\x0a\x01a", r#"{"matchLabels":{"":"","a":""}}"#);
    // Of two entries of the same key the later one counts.
    check(
        "LabelSelector",
        b"\x0a\x06\x0a\x01a\x12\x011\x0a\x06\x0a\x01a\x12\x012",
        r#"{"matchLabels":{"a":"2"}}"#,
    );
    let secret = json!({"metadata": {"name": "s"}, "data": {"b": "AP8=", "a": ""}});
    let mut out = Vec::new();
    protobuf::write_message(Types::builtin(), Shape::Object(ty("Secret")), &(&secret).into(), &mut out);
    assert!(out.ends_with(b"\x12\x05\x0a\x01a\x12\x00\x12\x07\x0a\x01b\x12\x02\x00\xff\x1a\x00"), "{out:x?}");
}

#[test]
fn embedded_structs() {
    check_both("Volume", &json!({"name": "v", "emptyDir": {}}), b"\x0a\x01v\x12\x04\x12\x02\x0a\x00");
    check_both("Volume", &json!({"name": "v"}), b"\x0a\x01v\x12\x00");
    check("Volume", b"\x12\x02\x12\x00\x0a\x01v\x12\x04\x12\x02\x0a\x00", r#"{"name":"v","emptyDir":{}}"#);
}

#[test]
fn schemas_or_something_else() {
    let mut out = Vec::new();
    let value =
        json!({"additionalProperties": false, "items": {"type": "string"}, "dependencies": {"a": ["b"]}});
    protobuf::write_message(
        Types::builtin(),
        Shape::Object(ty("JSONSchemaProps")),
        &(&value).into(),
        &mut out,
    );
    assert_eq!(meaning("JSONSchemaProps", &out), codec_text(&value));
    check("JSONSchemaProps", b"\xf2\x01\x04\x08\x01\x12\x00", r#"{"additionalProperties":{}}"#);
    check("JSONSchemaProps", b"\xf2\x01\x02\x08\x01", r#"{"additionalProperties":true}"#);
    check("JSONSchemaProps", b"\xc2\x01\x04\x12\x00\x12\x00", r#"{"items":[{},{}]}"#);
}

/// The value in the order of its struct.
fn codec_text(value: &Value) -> String {
    let text = codec::json::to_vec(value);
    let node = codec::json::parse(&text).expect("JSON");
    let decoded = decode(Types::builtin(), ty("JSONSchemaProps"), &node).expect("a schema");
    String::from_utf8(codec::json::to_vec(&decoded.value)).expect("JSON is UTF-8")
}

#[test]
fn messages_in_parts() {
    check(
        "PodAffinityTerm",
        b"\x0a\x08\x0a\x06\x0a\x01a\x12\x011\x1a\x01t\x0a\x08\x0a\x06\x0a\x01b\x12\x012",
        r#"{"labelSelector":{"matchLabels":{"a":"1","b":"2"}},"topologyKey":"t"}"#,
    );
    check(
        "Volume",
        b"\x12\x05\x12\x03\x0a\x01M\x12\x08\x12\x06\x12\x04\x0a\x021M",
        r#"{"name":"","emptyDir":{"medium":"M","sizeLimit":"1M"}}"#,
    );
    check(
        "Volume",
        b"\x12\x05\x12\x03\x0a\x01M\x12\x04\x12\x02\x08\x01",
        "proto: wrong wireType = 0 for field Medium",
    );
}

#[test]
fn what_is_unknown_is_skipped() {
    check("LabelSelector", b"\x9a\x06\x01x\x98\x06\x05\x99\x06\0\0\0\0\0\0\0\0\x9d\x06\0\0\0\0", "{}");
    check("LabelSelector", b"\x9b\x06\x08\x01\x9b\x06\x9c\x06\x9c\x06", "{}");
    check("LabelSelector", b"\x9b\x06\x08\x01", "unexpected EOF");
    check("LabelSelector", b"\x9e\x06", "proto: illegal wireType 6");
}

#[test]
fn what_is_wrong() {
    check("ConfigMap", b"\x08\x05", "proto: wrong wireType = 0 for field ObjectMeta");
    check("ConfigMap", b"\x12\x05", "unexpected EOF");
    check("ConfigMap", b"\x1c", "proto: ConfigMap: wiretype end group for non-group");
    check("ConfigMap", b"\x02\x00", "proto: ConfigMap: illegal tag 0 (wire type 2)");
    check("ConfigMap", b"\x22\x00", "proto: wrong wireType = 2 for field Immutable");
    check(
        "ConfigMap",
        b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        "proto: negative length found during unmarshaling",
    );
    let mut nested = Vec::new();
    for _ in 0..200 {
        // `not`
        let mut outer = vec![0xe2, 0x01];
        let mut length = nested.len();
        while length > 0x7f {
            outer.push(length as u8 | 0x80);
            length >>= 7;
        }
        outer.push(length as u8);
        outer.extend_from_slice(&nested);
        nested = outer;
    }
    let shape = Shape::Object(ty("JSONSchemaProps"));
    assert_eq!(protobuf::decode(Types::builtin(), shape, &nested), Err(Error::Depth));
}

/// Free values are JSON inside of a message, numbers as serde_json writes them and without escapes for HTML.
#[test]
fn free_values() {
    for text in [
        "null",
        "true",
        "18446744073709551615",
        "-9223372036854775808",
        "-0",
        "0.5",
        "1e21",
        "18446744073709552000000",
        "-1e-7",
        r#""a\"\\\n\u0001<&>\u2028é""#,
        r#"{"b":[1,{},[]],"a<":{"":"x"}}"#,
    ] {
        let node = codec::json::parse(text.as_bytes()).expect("JSON");
        let schema = Node::Map(vec![("default".into(), node)]);
        let mut out = Vec::new();
        protobuf::write_message(Types::builtin(), Shape::Object(ty("JSONSchemaProps")), &schema, &mut out);
        let value: Value = serde_json::from_str(text).expect("JSON");
        let raw = serde_json::to_vec(&value).expect("a value");
        let found = out.windows(raw.len()).any(|window| window == raw);
        assert_eq!(found, text != "null", "{text}: {}", out.escape_ascii());
    }
}
