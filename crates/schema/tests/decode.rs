//! Decoding, rule by rule. What kube-apiserver was seen to answer is in `decode_recordings`.

use schema::decode::decode_untyped;
use schema::{TypeId, Types, decode};

const CORE: &str = "k8s.io/api/core/v1";
const APPS: &str = "k8s.io/api/apps/v1";
const CRD: &str = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1";

#[track_caller]
fn ty(package: &str, name: &str) -> TypeId {
    Types::builtin().find(package, name).expect("the type is in the table")
}

#[track_caller]
fn decoded(package: &str, name: &str, input: &str) -> Result<(String, Vec<String>), String> {
    let node = codec::json::parse(input.as_bytes()).expect("the input is JSON");
    let decoded = decode(Types::builtin(), ty(package, name), &node).map_err(|error| error.to_string())?;
    let value = String::from_utf8(codec::json::to_vec(&decoded.value)).expect("JSON is UTF-8");
    Ok((value, decoded.strict.iter().map(ToString::to_string).collect()))
}

#[track_caller]
fn check(package: &str, name: &str, input: &str, expected: &str) {
    assert_eq!(decoded(package, name, input), Ok((expected.to_owned(), Vec::new())));
}

#[track_caller]
fn check_strict(package: &str, name: &str, input: &str, expected: &[&str]) {
    let strict = decoded(package, name, input).map(|(_, strict)| strict);
    assert_eq!(strict, Ok(expected.iter().map(ToString::to_string).collect()));
}

#[track_caller]
fn check_error(package: &str, name: &str, input: &str, expected: &str) {
    assert_eq!(decoded(package, name, input), Err(expected.to_owned()));
}

#[test]
fn fields_stand_in_the_order_of_the_struct_and_maps_in_that_of_their_keys() {
    check(
        CORE,
        "ConfigMap",
        r#"{"data": {"b": "1", "a": "2", "B": "3"}, "metadata": {"labels": {"z": "1", "a": "2"}, "name": "a"}}"#,
        r#"{"metadata":{"name":"a","labels":{"a":"2","z":"1"}},"data":{"B":"3","a":"2","b":"1"}}"#,
    );
}

#[test]
fn empty_values_are_written_as_the_tags_say() {
    check(CORE, "ConfigMap", "null", r#"{"metadata":{}}"#);
    check(CORE, "Pod", "{}", r#"{"metadata":{},"spec":{"containers":null},"status":{}}"#);
    let input =
        r#"{"image": "", "stdin": false, "args": [], "ports": null, "livenessProbe": {"httpGet": {}}}"#;
    check(CORE, "Container", input, r#"{"name":"","resources":{},"livenessProbe":{"httpGet":{"port":0}}}"#);
    // A pointer keeps what it points to.
    let input = r#"{"replicas": 0, "paused": false, "selector": {"matchLabels": {}}, "template": null}"#;
    check(
        APPS,
        "DeploymentSpec",
        input,
        r#"{"replicas":0,"selector":{},"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}}"#,
    );
    // In storage, an empty list is none.
    check("k8s.io/api/rbac/v1", "Role", r#"{"rules": []}"#, r#"{"metadata":{},"rules":[]}"#);
}

#[test]
fn null_is_nothing() {
    check(CORE, "ConfigMap", r#"{"metadata": null, "data": null, "immutable": null}"#, r#"{"metadata":{}}"#);
    check(CORE, "ConfigMap", r#"{"data": {"a": null}}"#, r#"{"metadata":{},"data":{"a":""}}"#);
    check(CORE, "Secret", r#"{"data": {"a": null}}"#, r#"{"metadata":{},"data":{"a":""}}"#);
    check(CORE, "ResourceRequirements", r#"{"limits": {"cpu": null}}"#, r#"{"limits":{"cpu":"0"}}"#);
    check(CORE, "PodSpec", r#"{"containers": [null]}"#, r#"{"containers":[{"name":"","resources":{}}]}"#);
    check(CORE, "ServicePort", r#"{"port": null}"#, r#"{"port":0,"targetPort":0}"#);
}

#[test]
fn of_a_field_that_stands_twice_the_later_counts_and_structs_are_merged() {
    let input = r#"{"metadata": {"name": "a", "labels": {"x": "1"}}, "metadata": {"name": "b", "labels": {"y": "2"}},
        "immutable": true, "immutable": false, "data": {"k": "1", "k": "2"}}"#;
    let expected =
        r#"{"metadata":{"name":"b","labels":{"x":"1","y":"2"}},"immutable":false,"data":{"k":"2"}}"#;
    let strict = ["metadata", "immutable", "data.k"].map(|path| format!("duplicate field \"{path}\""));
    assert_eq!(decoded(CORE, "ConfigMap", input), Ok((expected.to_owned(), strict.to_vec())));
    let input =
        r#"{"containers": [{"name": "a", "image": "x"}], "containers": [{"image": "y"}, {"name": "b"}]}"#;
    let value = decoded(CORE, "PodSpec", input).map(|(value, _)| value);
    let expected = r#"{"containers":[{"name":"a","image":"y","resources":{}},{"name":"b","resources":{}}]}"#;
    assert_eq!(value, Ok(expected.to_owned()));
}

#[test]
fn strict_errors_come_in_order_and_once() {
    let input = r#"{"zeta": 1, "kind": 5, "kind": "Pod", "metadata": {"name": "a", "nope": 1}, "spec": {
        "containers": [{"name": "c", "bad": 1, "bad": 2, "env": [{"val": "x"}]}, {"bad": {"deep": 1}}],
        "nodeSelector": {"a.b/c": "1", "a.b/c": "2"}, "Containers": []}, "zeta": {}}"#;
    check_strict(
        CORE,
        "Pod",
        input,
        &[
            r#"unknown field "zeta""#,
            r#"duplicate field "kind""#,
            r#"unknown field "metadata.nope""#,
            r#"unknown field "spec.containers[0].bad""#,
            r#"unknown field "spec.containers[0].env[0].val""#,
            r#"unknown field "spec.containers[1].bad""#,
            r#"duplicate field "spec.nodeSelector.a.b/c""#,
            r#"unknown field "spec.Containers""#,
        ],
    );
    let many: Vec<_> = (0..150).map(|number| format!("\"f{number}\":0")).collect();
    let strict = decoded(CORE, "Pod", &format!("{{{}}}", many.join(","))).map(|(_, strict)| strict.len());
    assert_eq!(strict, Ok(100));
}

#[test]
fn wrong_types_in_embedded_structs() {
    let check = |package: &str, name: &str, input: &str, expected: &str| {
        let expected = ["json: cannot unmarshal ", expected].concat();
        check_error(package, name, input, &expected);
    };
    check(
        CORE,
        "Pod",
        r#"{"spec": {"volumes": [{"secret": {"optional": "x"}}]}}"#,
        "string into Go struct field SecretVolumeSource.spec.volumes.VolumeSource.secret.optional of type bool",
    );
    check(
        CORE,
        "Pod",
        r#"{"spec": {"ephemeralContainers": [{"name": 1}]}}"#,
        "number into Go struct field EphemeralContainer.spec.ephemeralContainers.EphemeralContainerCommon.name of type \
         string",
    );
    check(
        "k8s.io/api/apps/v1",
        "StatefulSet",
        r#"{"spec": {"volumeClaimTemplates": [{"kind": 1}]}}"#,
        "number into Go struct field PersistentVolumeClaim.spec.volumeClaimTemplates.TypeMeta.kind of type string",
    );
}

/// Go's decoder remembers the first error and goes on, but for types that read themselves: there it ends.
#[test]
fn of_several_errors_one_is_told() {
    let limits = |item: &str, expected: &str| {
        check_error(CORE, "LimitRange", &format!(r#"{{"spec": {{"limits": [{item}]}}}}"#), expected);
    };
    let quantity =
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    let array = "json: cannot unmarshal array into Go struct field LimitRangeItem.spec.limits.type of type v1.LimitType";
    limits(r#"{"type": [], "default": {"cpu": "1x"}}"#, quantity);
    limits(r#"{"default": {"cpu": "1x"}, "type": []}"#, quantity);
    limits(r#"{"type": [], "default": 2, "max": {"cpu": "1"}}"#, array);
    let port =
        r#"{"spec": {"restartPolicy": 1, "containers": [{"livenessProbe": {"httpGet": {"port": true}}}]}}"#;
    check_error(
        CORE,
        "Pod",
        port,
        "json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
    );
    // What a type reads itself has a path of its own, which goes on with that of the field.
    let definition = r#"{"spec": {"group": 1, "versions": [{"schema": {"openAPIV3Schema": {"properties": {"a": {"items": {"type": 1}}}}}}]}}"#;
    check_error(
        CRD,
        "CustomResourceDefinition",
        definition,
        "json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.type of type string",
    );
    // Base64 is the decoder's own.
    let secret = r#"{"type": 2, "data": {"a": "!"}}"#;
    check_error(
        CORE,
        "Secret",
        secret,
        "json: cannot unmarshal number into Go struct field Secret.type of type v1.SecretType",
    );
    let secret = r#"{"data": {"a": "!"}, "type": 2}"#;
    check_error(CORE, "Secret", secret, "illegal base64 data at input byte 0");
    // The conversion from an untyped tree ends at the first.
    let node =
        codec::json::parse(br#"{"spec": {"limits": [{"type": [], "default": {"cpu": "1x"}}]}}"#).unwrap();
    let converted = schema::convert(Types::builtin(), ty(CORE, "LimitRange"), &node);
    assert_eq!(converted.unwrap_err().to_string(), array);
}

#[test]
fn wrong_types() {
    check_error(CORE, "ConfigMap", "[]", "json: cannot unmarshal array into Go value of type v1.ConfigMap");
    let cases = [
        (r#"{"metadata": "a"}"#, "string into Go struct field ConfigMap.metadata of type v1.ObjectMeta"),
        (
            r#"{"metadata": {"labels": ["a"]}}"#,
            "array into Go struct field ObjectMeta.metadata.labels of type map[string]string",
        ),
        (
            r#"{"metadata": {"labels": {"a": 1}}}"#,
            "number into Go struct field ObjectMeta.metadata.labels of type string",
        ),
        (
            r#"{"metadata": {"finalizers": [{}]}}"#,
            "object into Go struct field ObjectMeta.metadata.finalizers of type string",
        ),
        (r#"{"binaryData": {"a": 1}}"#, "number into Go struct field ConfigMap.binaryData of type []uint8"),
        (
            r#"{"binaryData": {"a": [1, 256]}}"#,
            "number 256 into Go struct field ConfigMap.binaryData of type uint8",
        ),
        // The first one counts.
        (
            r#"{"data": true, "metadata": 1}"#,
            "bool into Go struct field ConfigMap.data of type map[string]string",
        ),
    ];
    for (input, expected) in cases {
        check_error(CORE, "ConfigMap", input, &format!("json: cannot unmarshal {expected}"));
    }
}

#[test]
fn numbers() {
    check(CORE, "ContainerPort", r#"{"containerPort": -0}"#, r#"{"containerPort":0}"#);
    for literal in ["1.0", "1e1", "2147483648", "-2147483649"] {
        let message = format!(
            "json: cannot unmarshal number {literal} into Go struct field ContainerPort.containerPort of type int32"
        );
        check_error(CORE, "ContainerPort", &format!(r#"{{"containerPort": {literal}}}"#), &message);
    }
    let int64 = |literal: &str| format!(r#"{{"metadata": {{"generation": {literal}}}}}"#);
    check(
        CORE,
        "ConfigMap",
        &int64("9223372036854775807"),
        r#"{"metadata":{"generation":9223372036854775807}}"#,
    );
    let message = "json: cannot unmarshal number 9223372036854775808 into Go struct field \
        ObjectMeta.metadata.generation of type int64";
    check_error(CORE, "ConfigMap", &int64("9223372036854775808"), message);
}

#[test]
fn int_or_string() {
    let input = |value: &str| format!(r#"{{"port": 1, "targetPort": {value}}}"#);
    check(CORE, "ServicePort", &input("8080"), r#"{"port":1,"targetPort":8080}"#);
    check(CORE, "ServicePort", &input(r#""8080""#), r#"{"port":1,"targetPort":"8080"}"#);
    for (value, kind) in [("1.5", "number 1.5"), ("true", "bool"), ("[]", "array"), ("{}", "object")] {
        let message = format!(
            "json: cannot unmarshal {kind} into Go struct field ServicePort.targetPort of type int32"
        );
        check_error(CORE, "ServicePort", &input(value), &message);
    }
}

#[test]
fn quantities() {
    let keep = ["0", "500m", "+5", "001", "1e3", "1E3", "1Ki", "-5", "1k", "5.", "100E", "1e21"];
    let change = [
        (r#""1 ""#, "1"),
        ("1", "1"),
        ("1.50", "1500m"),
        (r#""0.1""#, "100m"),
        (r#"".5""#, "500m"),
        (r#""1000m""#, "1"),
        (r#""1024Mi""#, "1Gi"),
        (r#""1e1000""#, "10e999"),
        ("1e3", "1e3"),
        // Go keeps the lower half of an exponent.
        (r#""1e99999999999""#, "10e1215752190"),
        (r#""0.5Gi""#, "512Mi"),
        (r#""1.5Ki""#, "1536"),
        (r#""0.1Ki""#, "102400m"),
        (r#""1Pi""#, "1Pi"),
        (r#""1024Pi""#, "1Ei"),
        (r#""100Ei""#, "9223372036854775807"),
        (r#""0.0000000001""#, "1n"),
        (r#""1e-10""#, "1e-9"),
        (r#""0.5n""#, "1n"),
        (r#""-0.0000000011""#, "-2n"),
        (r#""10000000000000000000""#, "10E"),
        (r#""1234567890123456789012""#, "1234567890123456789012"),
        (r#""10000000000000000000e3""#, "10e21"),
        (r#""0.0000000000000000000""#, "0"),
    ];
    for text in keep {
        check(CORE, "ResourceRequirements", &limits(&format!("\"{text}\"")), &kept(text));
    }
    for (input, expected) in change {
        check(CORE, "ResourceRequirements", &limits(input), &kept(expected));
    }
    let format =
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    for input in [r#""""#, r#""lots""#, r#""1 Gi""#, r#""1GB""#, r#""0x10""#, "true", "[]", "{}"] {
        check_error(CORE, "ResourceRequirements", &limits(input), format);
    }
    for input in [r#""1Zi""#, r#""1kk""#, r#""1e""#, r#""1e99999999999999999999""#] {
        let bad = if input.contains('Z') { format } else { "unable to parse quantity's suffix" };
        check_error(CORE, "ResourceRequirements", &limits(input), bad);
    }
    check_error(
        CORE,
        "ResourceRequirements",
        &limits(r#""e-10""#),
        "unable to parse numeric part of quantity",
    );
}

fn limits(value: &str) -> String {
    format!(r#"{{"limits": {{"cpu": {value}}}}}"#)
}

fn kept(text: &str) -> String {
    format!(r#"{{"limits":{{"cpu":"{text}"}}}}"#)
}

#[test]
fn base64() {
    let input = |text: &str| format!(r#"{{"data": {{"k": "{text}"}}}}"#);
    let output = |text: &str| format!(r#"{{"metadata":{{}},"data":{{"k":"{text}"}}}}"#);
    for (text, expected) in [("", ""), ("YQ==", "YQ=="), (r"aGVs\nbG8=\n", "aGVsbG8="), ("YR==", "YQ==")] {
        check(CORE, "Secret", &input(text), &output(expected));
    }
    check(CORE, "Secret", r#"{"data": {"k": [104, 105]}}"#, &output("aGk="));
    for (text, at) in
        [("not base64!", 3), ("YQ", 0), ("%%%", 0), ("YQ=", 3), ("YQ==YQ==", 4), ("Y", 0), ("=", 0)]
    {
        check_error(CORE, "Secret", &input(text), &format!("illegal base64 data at input byte {at}"));
    }
}

#[test]
fn times() {
    let input = |time: &str| format!(r#"{{"metadata": {{"creationTimestamp": {time}}}}}"#);
    let output = |time: &str| format!(r#"{{"metadata":{{"creationTimestamp":"{time}"}}}}"#);
    for (time, expected) in [
        ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00Z"),
        ("2026-11-20T10:00:00.987654321+01:30", "2026-11-20T08:30:00Z"),
        ("2024-02-29T23:59:59-00:01", "2024-03-01T00:00:59Z"),
        ("2026-01-01T1:02:03,5Z", "2026-01-01T01:02:03Z"),
        ("0000-01-01T00:00:00+24:00", "-0001-12-31T00:00:00Z"),
    ] {
        check(CORE, "ConfigMap", &input(&format!("\"{time}\"")), &output(expected));
    }
    for zero in ["null", r#""0001-01-01T00:00:00Z""#] {
        check(CORE, "ConfigMap", &input(zero), r#"{"metadata":{}}"#);
    }
    let layout = "as \"2006-01-02T15:04:05Z07:00\": cannot parse";
    for (time, expected) in [
        ("yesterday", format!("\"yesterday\" {layout} \"yesterday\" as \"2006\"")),
        ("", format!("\"\" {layout} \"\" as \"2006\"")),
        ("2026-11-20", format!("\"2026-11-20\" {layout} \"\" as \"T\"")),
        ("2026-11-20T10:00:00", format!("\"2026-11-20T10:00:00\" {layout} \"\" as \"Z07:00\"")),
        ("2026-11-20T10:00:00é", format!(r#""2026-11-20T10:00:00\xc3\xa9" {layout} "\xc3\xa9" as "Z07:00""#)),
        ("2026-13-20T10:00:00Z", "\"2026-13-20T10:00:00Z\": month out of range".to_owned()),
        ("2026-02-30T10:00:00Z", "\"2026-02-30T10:00:00Z\": day out of range".to_owned()),
        ("2026-02-20T24:00:00Z", "\"2026-02-20T24:00:00Z\": hour out of range".to_owned()),
        ("2026-02-20T10:00:00Zx", "\"2026-02-20T10:00:00Zx\": extra text: \"x\"".to_owned()),
    ] {
        check_error(CORE, "ConfigMap", &input(&format!("\"{time}\"")), &format!("parsing time {expected}"));
    }
    let message = "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string";
    check_error(CORE, "ConfigMap", &input("5"), message);
}

#[test]
fn times_with_microseconds() {
    let package = "k8s.io/api/coordination/v1";
    let input = |time: &str| format!(r#"{{"renewTime": "{time}"}}"#);
    let output = r#"{"renewTime":"2026-11-20T09:00:00.120000Z"}"#;
    check(package, "LeaseSpec", &input("2026-11-20T10:00:00.120000+01:00"), output);
    for (fraction, rest) in [("", "Z"), (".5", ".5Z"), (".1234567", "7Z")] {
        let element = if fraction.len() > 7 { "Z07:00" } else { ".000000" };
        let time = format!("2026-11-20T10:00:00{fraction}Z");
        let message = format!(
            "parsing time \"{time}\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse \"{rest}\" as \"{element}\""
        );
        check_error(package, "LeaseSpec", &input(&time), &message);
    }
}

/// No type of the table has a duration, so this has a table of its own.
#[track_caller]
fn check_duration(input: &str, expected: Result<&str, &str>) {
    let types =
        schema::types::parse("@x example.com/x/v1\nT\n d 1 duration keep\n").expect("this is a table");
    let id = types.find("example.com/x/v1", "T").expect("it has the type");
    let document = format!(r#"{{"d":{input}}}"#);
    let node = codec::json::parse(document.as_bytes()).expect("the input is JSON");
    let got = decode(&types, id, &node).map(|decoded| decoded.value["d"].clone());
    assert_eq!(got.map_err(|error| error.to_string()), expected.map(Into::into).map_err(str::to_owned));
}

#[test]
fn durations() {
    for (input, expected) in [
        ("0", "0s"),
        ("5m", "5m0s"),
        ("90s", "1m30s"),
        ("-1.5h", "-1h30m0s"),
        ("1h1m1.000000001s", "1h1m1.000000001s"),
        ("1500us", "1.5ms"),
        ("1.5µs", "1.5µs"),
        ("+3ns", "3ns"),
        ("-9223372036854775808ns", "-2562047h47m16.854775808s"),
    ] {
        check_duration(&format!("\"{input}\""), Ok(expected));
    }
    for (input, expected) in [
        ("\"\"", "time: invalid duration \"\""),
        ("null", "time: invalid duration \"\""),
        ("\"10\"", "time: missing unit in duration \"10\""),
        ("\"1d\"", "time: unknown unit \"d\" in duration \"1d\""),
        ("\"x\"", "time: invalid duration \"x\""),
        ("\"9223372036854775808ns\"", "time: invalid duration \"9223372036854775808ns\""),
        ("5", "json: cannot unmarshal number into Go struct field T.d of type string"),
    ] {
        check_duration(input, Err(expected));
    }
}

#[test]
fn json_schemas() {
    let schema = r#"{"items":{"type":"string"},"additionalProperties":false,"dependencies":{"a":["b"]}}"#;
    check(CRD, "JSONSchemaProps", schema, schema);
    let input = r#"{"additionalProperties": {"nope": 1, "type": "object"}, "items": [{"type": "x"}], "default": {"b": 1, "a": 2}}"#;
    let expected =
        r#"{"default":{"b":1,"a":2},"items":[{"type":"x"}],"additionalProperties":{"type":"object"}}"#;
    check(CRD, "JSONSchemaProps", input, expected);
    check_error(
        CRD,
        "JSONSchemaProps",
        r#"{"additionalProperties": "x"}"#,
        "boolean or JSON schema expected",
    );
    let message = "json: cannot unmarshal array into Go struct field \
        JSONSchemaProps.properties.additionalProperties.type of type string";
    check_error(
        CRD,
        "JSONSchemaProps",
        r#"{"properties": {"a": {"additionalProperties": {"type": []}}}}"#,
        message,
    );
}

#[test]
fn kind_and_version_of_objects_inside_of_objects_are_kept() {
    let input = r#"{"kind": 5, "spec": {"serviceName": "s", "selector": {}, "template": {}, "volumeClaimTemplates": [
        {"spec": {}, "apiVersion": "v1", "kind": "PersistentVolumeClaim"}]}}"#;
    let value = decoded(APPS, "StatefulSet", input).map(|(value, _)| value).unwrap_or_default();
    let expected =
        r#""volumeClaimTemplates":[{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{},"spec""#;
    assert!(value.starts_with(r#"{"metadata":{}"#) && value.contains(expected), "{value}");
}

#[test]
fn objects_without_a_type() {
    let node =
        codec::json::parse(br#"{"b": {"z": 1, "y": [{"d": 1, "c": 1.0}]}, "a": 1e3, "b": {"x": 1, "x": 2}}"#);
    let decoded = decode_untyped(&node.expect("the input is JSON")).expect("it is an object");
    assert_eq!(codec::json::to_vec(&decoded.value), br#"{"a":1000,"b":{"x":2}}"#);
    let strict: Vec<_> = decoded.strict.iter().map(ToString::to_string).collect();
    assert_eq!(strict, [r#"duplicate field "b""#, r#"duplicate field "b.x""#]);
    let node = codec::json::parse(b"[]").expect("the input is JSON");
    let error = decode_untyped(&node).expect_err("it is no object");
    assert_eq!(
        error.to_string(),
        "json: cannot unmarshal array into Go value of type map[string]interface {}"
    );
}

/// The stack that a browser gives a program.
const BROWSER_STACK: usize = 1 << 20;

#[test]
fn a_document_as_deep_as_can_be_fits_the_stack() {
    let depth = codec::json::MAX_DEPTH;
    let mut inputs = Vec::new();
    for step in [r#"{"not":"#, r#"{"items":"#, r#"{"additionalProperties":"#, r#"{"default":"#] {
        inputs.push([step.repeat(depth - 1).as_str(), "{}", "}".repeat(depth - 1).as_str()].concat());
    }
    let work = move || {
        for input in inputs {
            assert!(decoded(CRD, "JSONSchemaProps", &input).is_ok());
        }
    };
    let thread = std::thread::Builder::new().stack_size(BROWSER_STACK).spawn(work);
    thread.expect("threads start").join().expect("the stack suffices");
}
