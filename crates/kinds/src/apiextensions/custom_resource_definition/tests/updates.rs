use super::*;

fn established() -> Value {
    with("/status/conditions", json!([{"type": "Established", "status": "True"}]))
}

#[track_caller]
fn check_update(old: &Value, pointer: &str, value: Value, expected: &str) {
    check_errors(&update(&changed(old.clone(), pointer, value), old), expected);
}

#[test]
fn what_can_not_change() {
    check_update(&widgets(), "/spec/scope", "Cluster".into(), "");
    check_update(&widgets(), "/spec/names/kind", "Other".into(), "");
    check_update(&established(), "/spec/names/listKind", "Widgets".into(), "");
    check_update(
        &established(),
        "/spec/scope",
        "Cluster".into(),
        "spec.scope: Invalid value: \"Cluster\": field is immutable",
    );
    check_update(
        &established(),
        "/spec/names/kind",
        "Other".into(),
        "spec.names.kind: Invalid value: \"Other\": field is immutable",
    );
    check_update(
        &widgets(),
        "/spec/group",
        "example.org".into(),
        "spec.group: Invalid value: \"example.org\": field is immutable",
    );
    check_update(
        &widgets(),
        "/spec/names/plural",
        "gadgets".into(),
        "spec.names.plural: Invalid value: \"gadgets\": field is immutable",
    );
}

#[test]
fn stored_versions() {
    check_update(
        &widgets(),
        "/status/storedVersions",
        json!(["v1", "v0"]),
        "status.storedVersions[1]: Invalid value: \"v0\": missing from spec.versions; v0 was previously a storage version, \
         and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 \
         from status.storedVersions",
    );
    check_update(
        &widgets(),
        "/status/storedVersions",
        json!([]),
        "status.storedVersions: Invalid value: []: must have at least one stored version",
    );
    check_errors(&update_status(&with("/status/storedVersions", json!(["v9"])), &widgets()), "");
}

#[test]
fn approval_is_asked_for_when_it_changes() {
    let mut old = changed(widgets(), "/spec/group", "a.k8s.io".into());
    check_update(&old, "/spec/scope", "Cluster".into(), "");
    old["metadata"]["annotations"] = json!({"api-approved.kubernetes.io": "unapproved"});
    let expected = "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval \
                    annotation \"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111";
    check_update(&old, "/metadata/annotations", json!({}), expected);
}

#[test]
fn preserving_unknown_fields() {
    let expected = "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set \
                    x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    check_update(&widgets(), "/spec/preserveUnknownFields", true.into(), expected);
    check_update(&with("/spec/preserveUnknownFields", true.into()), "/spec/scope", "Cluster".into(), "");
}

#[test]
fn certificates() {
    let webhook = |bundle: &str| {
        json!({"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
            "clientConfig": {"url": "https://x", "caBundle": bundle}}})
    };
    check("/spec/conversion", webhook("eA=="), "");
    let expected = "spec.conversion.webhookClientConfig.caBundle: Invalid value: \"eA==\": data does not contain any valid \
                    RSA or ECDSA certificates";
    check_update(&established(), "/spec/conversion", webhook("eA=="), expected);
    let old = changed(established(), "/spec/conversion", webhook("eQ=="));
    check_update(&old, "/spec/conversion", webhook("eA=="), "");
}
