//! The parts that defaults are made with.

use json_tree::Map;

use crate::defaults::quantity::in_resource_list;
use crate::defaults::{image, table};
use apimachinery::typed_object::{TypedObject, insert_sorted};

use super::{builtin, parse, same};

#[test]
fn every_rule_is_about_a_field_that_exists() {
    let types = builtin();
    for (package, rows) in table::CONSTANTS {
        for (name, constants) in *rows {
            let id = types.find(package, name).unwrap_or_else(|| panic!("no type {package} {name}"));
            for (field, _) in *constants {
                assert!(types.get(id).field(field).is_some(), "no field {field} in {package} {name}");
            }
        }
    }
    for (package, name, _) in table::COMPUTED.iter().chain(crate::defaults::prepare::FILLS) {
        assert!(types.find(package, name).is_some(), "no type {package} {name}");
    }
}

#[track_caller]
fn check_policy(image: &str, expected: &str) {
    assert_eq!(image::pull_policy(image), expected, "{image}");
}

#[test]
fn pull_policy_depends_on_the_tag() {
    check_policy("busybox", "Always");
    check_policy("busybox:latest", "Always");
    check_policy("busybox:1.36", "IfNotPresent");
    check_policy("example.com:5000/a/b", "Always");
    check_policy("example.com:5000/a/b:v1", "IfNotPresent");
    check_policy("localhost/a_b/c__d/e---f.g", "Always");
    check_policy("[::1]:80/x", "Always");
    let digest = format!("@sha256:{}", "0a".repeat(32));
    check_policy(&format!("busybox{digest}"), "IfNotPresent");
    check_policy(&format!("busybox:latest{digest}"), "Always");
    check_policy(&format!("busybox:1{digest}"), "IfNotPresent");
}

#[test]
fn what_is_no_image_reference_is_not_pulled_each_time() {
    for image in ["", "Busybox", "a//b", "a_-b", "x:", "x:-y", "a___b", "x@sha256:12", "UP/low/", "é", "x y"]
    {
        check_policy(image, "IfNotPresent");
    }
    check_policy(&"0a".repeat(32), "IfNotPresent");
    check_policy(&"a".repeat(256), "IfNotPresent");
}

#[track_caller]
fn check_rounding(text: &str, expected: Option<&str>) {
    assert_eq!(in_resource_list(text).as_deref(), expected, "{text}");
}

#[test]
fn quantities_in_resource_lists_are_canonical_and_not_finer_than_thousandths() {
    check_rounding("1n", Some("1m"));
    check_rounding("1001u", Some("2m"));
    check_rounding("0.0005", Some("1m"));
    check_rounding("-0.0005", Some("-1m"));
    check_rounding("1.0000001k", Some("1000001m"));
    check_rounding("1e-9", Some("1e-3"));
    check_rounding("1000m", Some("1"));
    check_rounding("1024Mi", Some("1Gi"));
    check_rounding("1.5", Some("1500m"));
    check_rounding("0.5", Some("500m"));
    check_rounding("-0", Some("0"));
    check_rounding(".", Some("0"));
    check_rounding("1.5Gi", Some("1536Mi"));
    check_rounding("0.5Ki", Some("512"));
    for canonical in
        ["0", "1", "1m", "1500m", "1048576", "1e3", "2Ei", "1500Mi", "10k", "+5", "001", "5.", "1E3"]
    {
        check_rounding(canonical, None);
    }
    for other in ["", "x", "1.2.3", "1é", "1Zi", "9999999999999999999999999999999999999999"] {
        check_rounding(other, None);
    }
}

#[test]
fn set_keys_stand_in_the_order_of_the_struct() {
    let types = schema::types::parse("@v example.com/v1\nThing kind\n a 1 string\n b 2 int32\n c 3 bool\n");
    let types = types.unwrap_or_else(|error| panic!("{error}"));
    let ty = types.find("example.com/v1", "Thing").map(|id| types.get(id));
    let ty = ty.unwrap_or_else(|| panic!("no type"));
    let mut value = parse(r#"{"kind":"Thing","c":true}"#);
    let Some(map) = value.as_object_mut() else { panic!("not a map") };
    let mut object = TypedObject::new(&types, ty, map);
    object.set("b", 1);
    object.set("unknown", 1);
    object.default("a", "x");
    object.default("b", 2);
    same(&value, &parse(r#"{"kind":"Thing","a":"x","b":1,"c":true}"#), "set");

    let mut sorted = Map::new();
    for key in ["b", "a", "c", "aa", "a"] {
        insert_sorted(&mut sorted, key, 1.into());
    }
    assert_eq!(sorted.keys().collect::<Vec<_>>(), ["a", "aa", "b", "c"]);
}
