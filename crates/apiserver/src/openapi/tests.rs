//! Whole documents.

use json_tree::{Value, json};

use super::build::{v2, v3};
use super::*;
use crate::custom::Published;
use crate::discovery::tests::{ask, server, text, widgets};

fn widget() -> Custom {
    let schema = json!({
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "required": ["size"],
                "properties": {
                    "size": { "type": "integer", "format": "int32", "default": 1 },
                    "any": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
                    "port": { "x-kubernetes-int-or-string": true, "anyOf": [{ "type": "integer" }, { "type": "string" }] },
                },
            },
        },
    });
    let published = Published { schema, selectable: vec!["spec.color".to_owned()] };
    Custom { resource: widgets("example.com", "v1"), published }
}

/// Every reference in a document.
fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value.as_str().filter(|_| key == "$ref") {
                    Some(reference) => found.push(reference),
                    None => references(value, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[track_caller]
fn check_references(name: &str, document: &Value) {
    let mut found = Vec::new();
    references(document, &mut found);
    assert!(!found.is_empty() || name.contains("jwks") || name.contains("well-known"), "{name}");
    for reference in found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{name}: {reference} is not there");
    }
}

fn names() -> Vec<String> {
    let resource = widget().resource;
    documents(crate::resource::built_in().iter().map(AsRef::as_ref).chain([&resource]))
}

#[test]
fn every_reference_leads_somewhere() {
    check_references("v2", &v2(&[widget()], true));
    let names = names();
    assert!(names.iter().any(|name| name == "apis/example.com/v1"), "{names:?}");
    assert!(!names.iter().any(|name| name == "apis/example.com"), "{names:?}");
    for name in names {
        check_references(&name, &v3(&name, &[widget()], true).unwrap());
    }
    assert_eq!(v3("apis/nope/v1", &[], true), None);
}

#[test]
fn every_kind_has_its_schema_and_its_paths() {
    let whole = v2(&[], true);
    let definitions = whole["definitions"].as_object().unwrap();
    for row in crate::resource::built_in() {
        let kind = Kind { group: &row.group, version: &row.version, name: &row.kind }.shown();
        let of_kind =
            |schema: &Value| schema[schemas::KIND].as_array().is_some_and(|kinds| kinds.contains(&kind));
        let found: Vec<&String> =
            definitions.iter().filter(|(_, schema)| of_kind(schema)).map(|(name, _)| name).collect();
        assert_eq!(found.len(), 1, "{kind}: {found:?}");
        let namespace = if row.namespaced { "/namespaces/{namespace}" } else { "" };
        let path = [&root(&row.group, &row.version), namespace, "/", &row.name].concat();
        let methods = whole["paths"][&path].as_object().unwrap_or_else(|| panic!("{path}"));
        assert_eq!(methods.contains_key("post"), row.allows("create"), "{path}");
        assert_eq!(methods.contains_key("get"), row.allows("list"), "{path}");
    }
    // No two operations go by one name.
    let mut ids: Vec<&str> = Vec::new();
    for path in whole["paths"].as_object().unwrap().values() {
        ids.extend(path.as_object().unwrap().values().filter_map(|method| method["operationId"].as_str()));
    }
    ids.sort_unstable();
    let all = ids.len();
    let twice: Vec<&str> = ids.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]).collect();
    assert_eq!((twice, all > 500), (Vec::new(), true));
}

#[track_caller]
fn check(document: &Value, pointer: &str, expected: &str) {
    let found = document.pointer(pointer).unwrap_or(&Value::Null).to_string();
    assert_eq!(found, expected, "{pointer}");
}

#[test]
fn version_three() {
    let batch = v3("apis/batch/v1", &[], true).unwrap();
    let core = "/components/schemas/io.k8s.api.core.v1.";
    let cron = "/components/schemas/io.k8s.api.batch.v1.CronJob";
    for (pointer, expected) in [
        (
            format!("{cron}Status/properties/active"),
            r##"{"description":"A list of pointers to currently running jobs.","type":"array","items":{"$ref":"#/components/schemas/io.k8s.api.core.v1.ObjectReference"},"x-kubernetes-list-type":"atomic"}"##,
        ),
        (
            format!("{cron}Status/properties/lastScheduleTime"),
            r##"{"description":"Information when was the last time the job was successfully scheduled.","allOf":[{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Time"}]}"##,
        ),
        (format!("{cron}Spec/required"), r#"["schedule","jobTemplate"]"#),
        (format!("{cron}Spec/properties/concurrencyPolicy/enum"), r#"["Allow","Forbid","Replace"]"#),
        (format!("{core}RBDVolumeSource/properties/keyring/default"), r#""/etc/ceph/keyring""#),
        (
            format!("{core}PersistentVolumeClaimSpec/properties/accessModes/items"),
            r#"{"type":"string","enum":["ReadOnlyMany","ReadWriteMany","ReadWriteOnce","ReadWriteOncePod"]}"#,
        ),
        (
            format!("{core}SeccompProfile/x-kubernetes-unions"),
            r#"[{"discriminator":"type","fields-to-discriminateBy":{"localhostProfile":"LocalhostProfile"}}]"#,
        ),
        (
            "/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity/oneOf".to_owned(),
            r#"[{"type":"string"},{"type":"number"}]"#,
        ),
        (
            "/paths/~1apis~1batch~1v1~1namespaces~1{namespace}~1cronjobs/parameters/0".to_owned(),
            r#"{"name":"namespace","in":"path","description":"object name and auth scope, such as for teams and projects","required":true,"schema":{"type":"string","uniqueItems":true}}"#,
        ),
        (
            "/paths/~1apis~1batch~1v1~1namespaces~1{namespace}~1cronjobs/delete/operationId".to_owned(),
            r#""deleteBatchV1CollectionNamespacedCronJob""#,
        ),
    ] {
        check(&batch, &pointer, expected);
    }
}

#[test]
fn version_two() {
    let document = v2(&[], true);
    for (pointer, expected) in [
        ("/swagger", r#""2.0""#),
        (
            "/definitions/io.k8s.api.core.v1.Event/properties/eventTime",
            r##"{"description":"Time when this Event was first observed.","$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"}"##,
        ),
        ("/definitions/io.k8s.api.core.v1.RBDVolumeSource/properties/keyring/type", r#""string""#),
        (
            "/paths/~1api~1v1~1namespaces~1{namespace}~1pods~1{name}/patch/parameters/2",
            r##"{"$ref":"#/parameters/fieldManager-7c6nTn1T"}"##,
        ),
        ("/parameters/force-tOGGb0Yi/type", r#""boolean""#),
        (
            "/paths/~1api~1v1~1namespaces~1{namespace}~1pods~1{name}~1eviction/post/x-kubernetes-group-version-kind",
            r#"{"group":"policy","kind":"Eviction","version":"v1"}"#,
        ),
        (
            "/paths/~1api~1v1~1namespaces~1{namespace}~1pods~1{name}~1exec/get/operationId",
            r#""connectCoreV1GetNamespacedPodExec""#,
        ),
    ] {
        check(&document, pointer, expected);
    }
}

#[test]
fn custom_resources() {
    let three = v3("apis/example.com/v1", &[widget()], true).unwrap();
    let schema = "/components/schemas/com.example.v1.Widget";
    check(&three, &[schema, "/properties/spec/properties/size/default"].concat(), "1");
    check(&three, &[schema, "/properties/kind/type"].concat(), r#""string""#);
    check(&three, &[schema, "/x-kubernetes-selectable-fields"].concat(), r#"[{"fieldPath":"spec.color"}]"#);
    check(
        &three,
        &[schema, "/properties/spec/properties/port/anyOf"].concat(),
        r#"[{"type":"integer"},{"type":"string"}]"#,
    );
    check(
        &three,
        &[schema, "/x-kubernetes-group-version-kind"].concat(),
        r#"[{"group":"example.com","kind":"Widget","version":"v1"}]"#,
    );
    check(&three, &[schema, "List/required"].concat(), r#"["items"]"#);
    let place = "/paths/~1apis~1example.com~1v1~1namespaces~1{namespace}~1widgets";
    check(&three, &[place, "/get/operationId"].concat(), r#""listExampleComV1NamespacedWidget""#);
    check(
        &three,
        &[place, "~1{name}~1scale/get/responses/200/content/application~1json"].concat(),
        r##"{"schema":{"$ref":"#/components/schemas/io.k8s.api.autoscaling.v1.Scale"}}"##,
    );
    let two = v2(&[widget()], true);
    let spec = "/definitions/com.example.v1.Widget/properties/spec/properties";
    check(&two, &[spec, "/size"].concat(), r#"{"type":"integer","format":"int32"}"#);
    check(&two, &[spec, "/any"].concat(), r#"{"x-kubernetes-preserve-unknown-fields":true}"#);
    check(&two, &[spec, "/port"].concat(), r#"{"x-kubernetes-int-or-string":true}"#);
    // What is not a schema does no harm.
    for odd in [json!(null), json!(1), json!({ "properties": 1, "items": [1], "allOf": {} })] {
        let published = Published { schema: odd, selectable: Vec::new() };
        let custom = Custom { published, ..widget() };
        assert!(v3("apis/example.com/v1", std::slice::from_ref(&custom), true).is_some());
    }
}

#[test]
fn the_index_tells_where_documents_are() {
    let server = server();
    let index = ask(&server, "GET", "/openapi/v3", &[]);
    let index: Value = serde_json::from_str(&text(&index)).unwrap();
    let paths: Vec<&String> = index["paths"].as_object().unwrap().keys().collect();
    assert_eq!(
        paths[..6],
        [
            ".well-known/openid-configuration",
            "api",
            "api/v1",
            "apis",
            "apis/admissionregistration.k8s.io",
            "apis/admissionregistration.k8s.io/v1"
        ]
    );
    let url = index["paths"]["apis/apps/v1"]["serverRelativeURL"].as_str().unwrap();
    assert!(url.starts_with("/openapi/v3/apis/apps/v1?hash="), "{url}");
    let hash = url.rsplit_once('=').unwrap().1;
    let document = ask(&server, "GET", url, &[]);
    let header = |name: &str| document.headers()[name].to_str().unwrap();
    assert_eq!((document.status().as_u16(), header("cache-control")), (200, "public, immutable"));
    assert_eq!((header("content-type"), header("vary")), ("application/json", "Accept"));
    assert_eq!(header("expires"), "Fri, 01 Jan 2027 00:00:00 UTC");
    assert_eq!(header("etag"), format!("\"{hash}\""));
    let again = ask(&server, "GET", url, &[("If-None-Match", header("etag"))]);
    assert_eq!(again.status().as_u16(), 304);
    let moved = ask(&server, "GET", "/openapi/v3/apis/apps/v1?hash=0", &[]);
    assert_eq!((moved.status().as_u16(), moved.headers()["location"].to_str().unwrap()), (301, url));
}

#[test]
fn deletions_show_the_objects_that_the_server_shows() {
    let shows = |row: &crate::resource::Resource| crate::registry::strategy(row).delete_answers_object;
    let listed =
        |row: &crate::resource::Resource| operations::DELETED_OBJECTS.contains(&(&row.group, &row.name));
    let rows = crate::resource::built_in().iter().filter(|row| row.allows("delete"));
    let others: Vec<&str> =
        rows.filter(|row| listed(row) != shows(row)).map(|row| row.name.as_str()).collect();
    // A namespace goes in two steps, and the documents know nothing of it.
    assert_eq!(others, ["namespaces"]);
}

#[test]
fn media_types() {
    let server = server();
    for (path, accept, code, media_type) in [
        ("/openapi/v2", "", 200, "application/json"),
        ("/openapi/v2", "text/html,*/*", 200, "application/json"),
        (
            "/openapi/v2",
            "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
            200,
            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
        ),
        ("/openapi/v2", "application/yaml", 406, ""),
        ("/openapi/v3", "application/yaml", 200, "text/plain; charset=utf-8"),
        ("/openapi/v3/version", "application/json", 200, "application/json"),
        (
            "/openapi/v3/version",
            "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
            200,
            "application/com.github.proto-openapi.spec.v3.v1.0+protobuf",
        ),
        ("/openapi/v3/version", "application/yaml", 406, ""),
        ("/openapi/v3/apis/nope/v1", "", 404, ""),
        ("/openapi/v4", "", 404, "text/plain; charset=utf-8"),
    ] {
        let response = ask(&server, "GET", path, &[("Accept", accept)]);
        let found = response.headers().get("content-type").map_or("", |value| value.to_str().unwrap());
        assert_eq!((response.status().as_u16(), found), (code, media_type), "{path} {accept}");
    }
}
