mod defaults;
mod schemas;
mod updates;

use json_tree::{Value, json};

use super::*;
use crate::validation::check as check_errors;

/// A sound definition of widgets.
fn widgets() -> Value {
    json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}}}],
            "conversion": {"strategy": "None"},
        },
        "status": {"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": ["v1"]},
    })
}

/// Widgets with another value at a pointer.
fn with(pointer: &str, value: Value) -> Value {
    changed(widgets(), pointer, value)
}

fn changed(mut definition: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap_or(("", pointer));
    match definition.pointer_mut(parent) {
        Some(Value::Array(items)) => {
            let index: usize = key.parse().unwrap_or_default();
            if index < items.len() { items[index] = value } else { items.push(value) }
        }
        Some(parent) => parent[key] = value,
        None => {}
    }
    definition
}

#[track_caller]
fn check(pointer: &str, value: Value, expected: &str) {
    let definition = with(pointer, value);
    check_errors(&[own_name(&definition), create(&definition)].concat(), expected);
}

const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
    alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
    validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

#[test]
fn names() {
    check("/spec/scope", "Cluster".into(), "");
    check("/spec/scope", "".into(), "spec.scope: Required value");
    check(
        "/spec/scope",
        "Here".into(),
        "spec.scope: Unsupported value: \"Here\": supported values: \"Cluster\", \"Namespaced\"",
    );
    check(
        "/metadata/name",
        "x".into(),
        "metadata.name: Invalid value: \"x\": must be spec.names.plural+\".\"+spec.group",
    );
    check(
        "/spec/names",
        json!({"plural": "Widgets", "singular": "-", "kind": "W_", "listKind": "W_", "shortNames": ["w", "W"],
            "categories": ["all", ""]}),
        &format!(
            "[metadata.name: Invalid value: \"widgets.example.com\": must be spec.names.plural+\".\"+spec.group, \
             spec.names.plural: Invalid value: \"Widgets\": {LABEL}, spec.names.singular: Invalid value: \"-\": {LABEL}, \
             spec.names.kind: Invalid value: \"W_\": may have mixed case, but should otherwise match: {LABEL}, \
             spec.names.listKind: Invalid value: \"W_\": may have mixed case, but should otherwise match: {LABEL}, \
             spec.names.shortNames[1]: Invalid value: \"W\": {LABEL}, \
             spec.names.listKind: Invalid value: \"W_\": kind and listKind may not be the same, \
             spec.names.categories[1]: Invalid value: \"\": {LABEL}]"
        ),
    );
    check(
        "/spec/names",
        json!({"plural": "widgets"}),
        "[spec.names.singular: Required value, spec.names.kind: Required value, \
         spec.names.listKind: Required value]",
    );
    check(
        "/status/acceptedNames",
        json!({"plural": "X", "kind": ""}),
        &format!("status.acceptedNames.plural: Invalid value: \"X\": {LABEL}"),
    );
    let mut grouped = with("/spec/group", "example".into());
    grouped["metadata"]["name"] = "widgets.example".into();
    check_errors(
        &create(&grouped),
        "spec.group: Invalid value: \"example\": should be a domain with at least one dot",
    );
}

#[test]
fn versions() {
    let v1 = json!({"Name": "v1", "Served": true, "Storage": true, "Deprecated": false, "DeprecationWarning": null,
        "Schema": null, "Subresources": null, "AdditionalPrinterColumns": null, "SelectableFields": null});
    let two = |more: Value| {
        let mut second = json!({"name": "v1", "schema": {"openAPIV3Schema": {"type": "object"}}});
        second
            .as_object_mut()
            .into_iter()
            .for_each(|fields| fields.extend(more.as_object().cloned().unwrap_or_default()));
        second
    };
    check("/spec/versions/1", two(json!({"name": "v2"})), "");
    check(
        "/spec/versions/1",
        two(json!({})),
        &format!(
            "spec.versions: Invalid value: [{v1},{}]: must contain unique version names",
            changed(changed(v1.clone(), "/Served", false.into()), "/Storage", false.into())
        ),
    );
    check(
        "/spec/versions/1",
        two(json!({"name": "v2", "schema": {"openAPIV3Schema": {"type": "object", "description": "d"}},
            "storage": true})),
        &format!(
            "[spec.versions: Invalid value: {}: must have exactly one version marked as storage version, \
             status.storedVersions: Invalid value: [\"v1\"]: must have the storage version v2]",
            json!([
                changed(
                    v1.clone(),
                    "/Schema",
                    json!({"OpenAPIV3Schema": internal::schema(&json!({"type": "object"}))})
                ),
                changed(
                    changed(changed(v1, "/Name", "v2".into()), "/Served", false.into()),
                    "/Schema",
                    json!({"OpenAPIV3Schema": internal::schema(&json!({"type": "object", "description": "d"}))}),
                ),
            ])
        ),
    );
    check(
        "/spec/versions/1",
        json!({"name": "v2"}),
        "spec.versions[1].schema.openAPIV3Schema: Required value",
    );
    // What is the same in both is told once, and at the top.
    check(
        "/spec/versions",
        json!([
            {"name": "v1", "storage": true, "schema": {"openAPIV3Schema": {"type": "string"}}},
            {"name": "v2", "schema": {"openAPIV3Schema": {"type": "string"}},
                "deprecated": true, "deprecationWarning": ""},
        ]),
        "[spec.versions[1].deprecationWarning: Invalid value: \"\": must not be an empty string, \
         spec.validation.openAPIV3Schema.type: Invalid value: \"string\": must be object at the root]",
    );
    check(
        "/spec/versions",
        json!([
            {"name": "v1", "storage": true, "schema": {"openAPIV3Schema": {"type": "string"}}},
            {"name": "v2", "schema": {"openAPIV3Schema": {"type": "array"}}},
        ]),
        "[spec.versions[0].schema.openAPIV3Schema.type: Invalid value: \"string\": must be object at the root, \
         spec.versions[1].schema.openAPIV3Schema.items: Required value: must be specified, \
         spec.versions[1].schema.openAPIV3Schema.type: Invalid value: \"array\": must be object at the root]",
    );
}

#[test]
fn columns_and_subresources() {
    check(
        "/spec/versions/0/additionalPrinterColumns",
        json!([{"name": "a", "type": "date", "jsonPath": ".a"}, {"name": "b", "type": "x", "format": "y", "jsonPath": "z"}]),
        "[spec.additionalPrinterColumns[1].type: Invalid value: \"x\": must be one of boolean,date,integer,number,string, \
         spec.additionalPrinterColumns[1].format: Invalid value: \"y\": must be one of \
         byte,date,date-time,double,float,int32,int64,password, \
         spec.additionalPrinterColumns[1].JSONPath: Invalid value: \"z\": must be a simple json path starting with .]",
    );
    check(
        "/spec/versions/0/subresources",
        json!({"scale": {"specReplicasPath": ".status.x", "statusReplicasPath": ".status.y", "labelSelectorPath": ".x"}}),
        "[spec.subresources.scale.specReplicasPath: Invalid value: \".status.x\": should be a json path under .spec, \
         spec.subresources.scale.labelSelectorPath: Invalid value: \".x\": should be a json path under either .spec or .status]",
    );
}

#[test]
fn selectable_fields() {
    let select = |paths: &[&str], expected: &str| {
        let mut definition = with(
            "/spec/versions/0/schema/openAPIV3Schema",
            json!({"type": "object", "properties": {
                "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
                "spec": {"type": "object", "properties": {
                    "a": {"type": "string"}, "n": {"type": "number"},
                    "m": {"type": "object", "additionalProperties": {"type": "string"}},
                }},
            }}),
        );
        definition["spec"]["versions"][0]["selectableFields"] =
            paths.iter().map(|path| json!({"jsonPath": path})).collect();
        check_errors(&create(&definition), expected);
    };
    select(&[".spec.a", ".spec.m.x"], "");
    let numbered: Vec<String> = (0..9).map(|index| format!(".spec.m.x{index}")).collect();
    select(
        &numbered.iter().map(String::as_str).collect::<Vec<_>>(),
        "spec.selectableFields: Too many: 9: must have at most 8 items",
    );
    select(
        &[".metadata.name", ".spec.n", ".spec.", ".spec[0]", ".spec.a.b"],
        "[spec.selectableFields[0].jsonPath: Invalid value: \".metadata.name\": must not point to fields in metadata, \
         spec.selectableFields[1].jsonPath: Invalid value: \".spec.n\": must point to a field of type string, boolean or \
         integer. Enum string fields and strings with formats are allowed., \
         spec.selectableFields[2].jsonPath: Invalid value: \".spec.\": is an invalid path: unexpected end of JSON path, \
         spec.selectableFields[3].jsonPath: Invalid value: \".spec[0]\": is an invalid path: array notation is not allowed, \
         spec.selectableFields[4].jsonPath: Invalid value: \".spec.a.b\": is an invalid path: does not refer to a valid field]",
    );
}

#[test]
fn conversion() {
    let webhook = |webhook: Value, expected: &str| {
        check("/spec/conversion", json!({"strategy": "Webhook", "webhook": webhook}), expected);
    };
    webhook(json!({"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://x"}}), "");
    webhook(
        json!({"conversionReviewVersions": ["v2", "v2", "V"], "clientConfig": {}}),
        &format!(
            "[spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required, \
             spec.conversion.conversionReviewVersions[1]: Invalid value: \"v2\": duplicate version, \
             spec.conversion.conversionReviewVersions[2]: Invalid value: \"V\": {LABEL}, \
             spec.conversion.conversionReviewVersions: Invalid value: [\"v2\",\"v2\",\"V\"]: must include at least one of v1, \
             v1beta1]"
        ),
    );
    check("/spec/conversion/strategy", "".into(), "spec.conversion.strategy: Required value");
    check(
        "/spec/conversion/webhook",
        json!({"clientConfig": {"url": "https://x"}}),
        "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
    );
}

#[test]
fn protected_groups() {
    let approve = |group: &str, annotation: Option<&str>, expected: &str| {
        let mut definition = with("/spec/group", group.into());
        definition["metadata"]["name"] = format!("widgets.{group}").into();
        if let Some(annotation) = annotation {
            definition["metadata"]["annotations"] = json!({"api-approved.kubernetes.io": annotation});
        }
        check_errors(&create(&definition), expected);
    };
    approve("xk8s.io", None, "");
    approve("x-k8s.io", None, "");
    approve("a.k8s.io", Some("unapproved"), "");
    approve("a.kubernetes.io", Some("https://github.com/kubernetes/kubernetes/pull/1"), "");
    let see = "see https://github.com/kubernetes/enhancements/pull/1111";
    for group in ["k8s.io", "a.k8s.io", "a.b.kubernetes.io"] {
        approve(
            group,
            None,
            &format!(
                "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval \
                 annotation \"api-approved.kubernetes.io\", {see}"
            ),
        );
    }
    approve(
        "a.k8s.io",
        Some("/path"),
        &format!(
            "metadata.annotations[api-approved.kubernetes.io]: Invalid value: \"/path\": protected groups must have approval \
             annotation \"api-approved.kubernetes.io\" with either a URL or a reason starting with \"unapproved\", {see}"
        ),
    );
}
