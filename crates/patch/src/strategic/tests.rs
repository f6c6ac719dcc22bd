use json_tree::{Value, json};

use super::*;

#[track_caller]
fn check(kind: (&str, &str), original: Value, mut patch: Value, expected: &Value) {
    let types = Types::builtin();
    let ty = types.find(kind.0, kind.1).expect("a known type");
    let patched = match apply(types, ty, original, &mut patch) {
        Ok(value) => value,
        Err(Error::Unprocessable(text)) => Value::from(format!("422 {text}")),
        Err(Error::BadRequest(text)) => Value::from(format!("400 {text}")),
        Err(error) => Value::from(error.to_string()),
    };
    assert_eq!(patched, *expected);
}

#[track_caller]
fn check_pod(original: Value, patch: Value, expected: &Value) {
    check(("k8s.io/api/core/v1", "PodSpec"), original, patch, expected);
}

#[track_caller]
fn check_metadata(original: Value, patch: Value, expected: &Value) {
    check(("k8s.io/apimachinery/pkg/apis/meta/v1", "ObjectMeta"), original, patch, expected);
}

#[test]
fn directives_of_lists_that_are_added() {
    let gone = json!({"$patch": "delete", "name": "v"});
    check_pod(
        json!({}),
        json!({"$setElementOrder/volumes": [], "volumes": [gone.clone()]}),
        &json!({"volumes": []}),
    );
    check_pod(
        json!({}),
        json!({"$setElementOrder/volumes": [{"name": "a"}], "volumes": [gone, {"name": "a"}]}),
        &json!({"volumes": [{"name": "a"}]}),
    );
}

#[test]
fn values_with_a_decoder_of_their_own() {
    let check = |kind: (&str, &str), value: Value, expected: &Value| {
        let types = Types::builtin();
        let ty = types.find(kind.0, kind.1).expect("a known type");
        assert_eq!(convert(types, ty, value).unwrap_or_else(Value::from), *expected);
    };
    let metadata = ("k8s.io/apimachinery/pkg/apis/meta/v1", "ObjectMeta");
    let rolling = ("k8s.io/api/apps/v1", "RollingUpdateDeployment");
    let unmarshal = |found: &str, wanted: &str| {
        json!(format!("json: cannot unmarshal {found} into Go value of type {wanted}"))
    };
    check(metadata, json!({"creationTimestamp": {"a": 1}}), &unmarshal("object", "string"));
    check(metadata, json!({"creationTimestamp": 1}), &unmarshal("number", "string"));
    check(rolling, json!({"maxSurge": {"a": 1}}), &unmarshal("object", "int32"));
    check(rolling, json!({"maxSurge": 1.5}), &unmarshal("number 1.5", "int32"));
    check(rolling, json!({"maxSurge": 2.0}), &json!({"maxSurge": 2}));
}

#[test]
fn maps() {
    let labels = || json!({"labels": {"a": "1", "b": "2"}});
    check_metadata(
        labels(),
        json!({"labels": {"a": null, "c": "3"}}),
        &json!({"labels": {"b": "2", "c": "3"}}),
    );
    check_metadata(labels(), json!({"labels": null}), &json!({}));
    check_metadata(
        labels(),
        json!({"labels": {"$patch": "replace", "c": "3"}}),
        &json!({"labels": {"c": "3"}}),
    );
    check_metadata(labels(), json!({"labels": {"$patch": "delete"}}), &json!({"labels": {}}));
    check_metadata(
        labels(),
        json!({"labels": {"$patch": "merge", "c": "3"}}),
        &json!("unknown patch type: merge in map: map[$patch:merge c:3]"),
    );
    check_metadata(
        labels(),
        json!({"labels": {"$patch": 1}}),
        &json!("unknown patch type: %!s(int64=1) in map: map[$patch:1]"),
    );
    check_metadata(json!({}), json!({"labels": {"$patch": "bogus", "z": "1"}}), &json!({}));
    check_metadata(json!({}), json!({"labels": {"x": null, "z": "1"}}), &json!({"labels": {"z": "1"}}));
    check_metadata(labels(), json!(null), &labels());
}

#[test]
fn lists_of_scalars() {
    let original = || json!({"finalizers": ["a", "b", "c"]});
    check_metadata(original(), json!({"finalizers": ["d"]}), &json!({"finalizers": ["d", "a", "b", "c"]}));
    check_metadata(
        original(),
        json!({"finalizers": ["c", "d"]}),
        &json!({"finalizers": ["a", "b", "c", "d"]}),
    );
    check_metadata(
        original(),
        json!({"$deleteFromPrimitiveList/finalizers": ["b", "x"]}),
        &json!({"finalizers": ["a", "c"]}),
    );
    check_metadata(original(), json!({"$deleteFromPrimitiveList/finalizers": "b"}), &original());
    check_metadata(json!({}), json!({"$deleteFromPrimitiveList/finalizers": ["b"]}), &json!({}));
    check_metadata(
        original(),
        json!({"$deleteFromPrimitiveList": ["b"]}),
        &json!("400 invalid patch format of primitive list"),
    );
    check_metadata(
        original(),
        json!({"$setElementOrder/finalizers": ["c", "a"]}),
        &json!({"finalizers": ["b", "c", "a"]}),
    );
    check_metadata(
        original(),
        json!({"finalizers": ["d", {"$patch": "replace"}]}),
        &json!("list element types are not identical: [[a b c] [d map[$patch:replace]]]"),
    );
    check_metadata(
        json!({"finalizers": [["a"]]}),
        json!({"finalizers": ["d"]}),
        &json!("422 lists of lists are not supported"),
    );
}

#[test]
fn lists_of_maps() {
    let original = || json!({"containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]});
    check_pod(
        original(),
        json!({"containers": [{"name": "b", "image": "z"}]}),
        &json!({"containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "z"}]}),
    );
    check_pod(
        original(),
        json!({"containers": [{"name": "c"}]}),
        &json!({"containers": [{"name": "c"}, {"name": "a", "image": "x"}, {"name": "b", "image": "y"}]}),
    );
    check_pod(
        original(),
        json!({"containers": [{"name": "a", "$patch": "delete"}]}),
        &json!({"containers": [{"name": "b", "image": "y"}]}),
    );
    check_pod(
        original(),
        json!({"containers": [{"$patch": "replace"}, {"name": "c"}]}),
        &json!({"containers": [{"name": "c"}]}),
    );
    check_pod(
        original(),
        json!({"containers": [{"image": "z"}]}),
        &json!("map: map[image:z] does not contain declared merge key: name"),
    );
    check_pod(
        original(),
        json!({"containers": [{"name": "a", "$patch": "merge"}]}),
        &json!("merging lists cannot yet be specified in the patch"),
    );
    check_pod(
        json!({"tolerations": [{"key": "a"}]}),
        json!({"tolerations": [{"key": "b"}]}),
        &json!({"tolerations": [{"key": "b"}]}),
    );
}

#[test]
fn order() {
    let original = || json!({"containers": [{"name": "a"}, {"name": "b"}, {"name": "c"}]});
    check_pod(
        original(),
        json!({"$setElementOrder/containers": [{"name": "c"}, {"name": "a"}]}),
        &json!({"containers": [{"name": "b"}, {"name": "c"}, {"name": "a"}]}),
    );
    check_pod(
        original(),
        json!({"$setElementOrder/containers": [{"name": "a"}], "containers": [{"name": "b", "image": "x"}]}),
        &json!(
            "The order in patch list:\n[map[image:x name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n"
        ),
    );
    check_pod(
        original(),
        json!({"$setElementOrder/containers": "x"}),
        &json!("expected a []interface {}, but received a string"),
    );
    check_pod(
        original(),
        json!({"$setElementOrder/containers": ["a"]}),
        &json!("value for key 0 is not a map"),
    );
    check_pod(
        original(),
        json!({"$setElementOrder/containers": [{"image": "i"}]}),
        &json!("map: map[image:i] does not contain declared merge key: name"),
    );
    check_pod(
        original(),
        json!({"$setElementOrder/nosuch": ["a"]}),
        &json!("unable to find api field in struct PodSpec for the json field \"nosuch\""),
    );
    check_pod(
        json!({"nodeSelector": {"a": "b"}}),
        json!({"nodeSelector": {"$setElementOrder/x": ["a"]}}),
        &json!("merging an object in json but data type is not struct, instead is: map"),
    );
}

#[test]
fn retained_keys() {
    let original = || json!({"volumes": [{"name": "v", "emptyDir": {}}]});
    check_pod(
        original(),
        json!({"volumes": [{"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/"}}]}),
        &json!({"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}),
    );
    for malformed in [json!("name"), json!([1]), json!(["hostPath"])] {
        check_pod(
            original(),
            json!({"volumes": [{"name": "v", "$retainKeys": malformed}]}),
            &json!("400 invalid patch format of retainKeys"),
        );
    }
}

#[track_caller]
fn check_convert(spec: Value, expected: &Value) {
    let types = Types::builtin();
    let ty = types.find("k8s.io/api/core/v1", "PodSpec").expect("a known type");
    assert_eq!(convert(types, ty, spec).unwrap_or_else(Value::from), *expected);
}

#[test]
fn conversion() {
    check_convert(json!({"priority": 1.0}), &json!({"priority": 1}));
    check_convert(json!({"priority": 4_294_967_297_i64}), &json!({"priority": 1}));
    check_convert(json!({"priority": 1.5}), &json!("cannot convert float64 to int32"));
    check_convert(json!({"hostNetwork": "x"}), &json!("unrecognized type: bool"));
    check_convert(json!({"priority": "x"}), &json!("unrecognized type: int32"));
    check_convert(json!({"priority": {}}), &json!("unrecognized type: int32"));
    check_convert(json!({"restartPolicy": 1.5}), &json!("unrecognized type: string"));
    check_convert(json!({"restartPolicy": ["x"]}), &json!("unrecognized type: string"));
    check_convert(json!({"nodeSelector": {"a": 1}}), &json!("cannot convert int64 to string"));
    check_convert(json!({"nodeSelector": "x"}), &json!("cannot restore map from string"));
    check_convert(json!({"containers": {}}), &json!("cannot restore slice from map"));
    check_convert(json!({"containers": ["x"]}), &json!("cannot restore struct from: string"));
    check_convert(json!({"restartPolicy": 1}), &json!("cannot convert int64 to v1.RestartPolicy"));
}
