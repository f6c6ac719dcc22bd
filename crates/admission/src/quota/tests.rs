use std::collections::BTreeMap;

use json_tree::json;
use kinds::facts;

use super::*;

fn resource(name: &str) -> &'static Resource {
    let row = schema::resources().iter().find(|row| row.storage.group == row.group && row.name == name);
    row.unwrap_or_else(|| panic!("there are {name}"))
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(map) => map,
        _ => Object::new(),
    }
}

/// Checks the result of creating the object with a quota `q` of this spec and status: the quota's `status.used`, or the
/// refusal.
#[track_caller]
fn check(name: &str, sent: Value, quota: (Value, Value), expected: &str) {
    check_change(name, None, sent, quota, expected);
}

/// The same for a change of `old`.
#[track_caller]
fn check_change(name: &str, old: Option<Value>, sent: Value, quota: (Value, Value), expected: &str) {
    let class = json!({"metadata": {"name": "fast"}, "spec": {"extendedResourceName": "a.io/gpu"}});
    check_among(&[("deviceclasses", class)], name, (old, sent), quota, expected);
}

/// The same where there are other objects. The time is 100 s after the epoch.
#[track_caller]
fn check_among(
    others: &[(&str, Value)],
    name: &str,
    (old, sent): (Option<Value>, Value),
    (spec, status): (Value, Value),
    expected: &str,
) {
    let quota = object(json!({"metadata": {"name": "q", "namespace": "ns"}, "spec": spec, "status": status}));
    let mut objects = BTreeMap::from([("/registry/resourcequotas/ns/q".to_owned(), quota)]);
    for (resource, other) in others {
        let (other, row) = (object(other.clone()), self::resource(resource));
        let prefix = facts(&row.group, &row.name).storage_prefix.unwrap_or(&row.name);
        let namespace = if row.namespaced { "ns/" } else { "" };
        let name = apimachinery::object::metadata_text(&other, "name");
        objects.insert(["/registry/", prefix, "/", namespace, name].concat(), other);
    }
    let (sent, old) = (object(sent), old.map(object));
    let counted = Counted {
        resource: resource(name),
        subresource: "",
        namespace: "ns",
        object: &sent,
        old: old.as_ref(),
    };
    let outcome = match charges(&objects, &counted, Duration::from_secs(100)) {
        Err(status) => status.message,
        Ok(charges) => {
            let quota =
                charges.first().map_or(&objects["/registry/resourcequotas/ns/q"], |charge| &charge.quota);
            quota
                .get("status")
                .and_then(|status| status.get("used"))
                .map(Value::to_string)
                .unwrap_or_default()
        }
    };
    assert_eq!(outcome, expected);
}

fn counts(hard: &Value, used: &Value) -> (Value, Value) {
    (json!({"hard": hard}), json!({"hard": hard, "used": used}))
}

fn pod(requests: &Value) -> Value {
    json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "resources": {"requests": requests}}]}})
}

#[test]
fn objects_are_counted() {
    let named = json!({"metadata": {"name": "a"}});
    let quota = |used: &str| counts(&json!({"configmaps": "2"}), &json!({"configmaps": used}));
    check("configmaps", named.clone(), quota("1"), r#"{"configmaps":"2"}"#);
    let exceeded = "configmaps \"a\" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2";
    check("configmaps", named.clone(), quota("2"), exceeded);
    check("secrets", named.clone(), quota("2"), r#"{"configmaps":"2"}"#);
    let deployments =
        counts(&json!({"count/deployments.apps": "1"}), &json!({"count/deployments.apps": "0"}));
    check("deployments", named, deployments, r#"{"count/deployments.apps":"1"}"#);
}

#[test]
fn pods_state_what_they_use() {
    let quota =
        || counts(&json!({"pods": "9", "requests.cpu": "1"}), &json!({"pods": "0", "requests.cpu": "600m"}));
    check("pods", pod(&json!({"cpu": "400m"})), quota(), r#"{"pods":"1","requests.cpu":"1"}"#);
    let exceeded = "pods \"p\" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1";
    check("pods", pod(&json!({"cpu": "500m"})), quota(), exceeded);
    check(
        "pods",
        pod(&json!({})),
        quota(),
        "pods \"p\" is forbidden: failed quota: q: must specify requests.cpu for: c",
    );
}

#[test]
fn a_quota_without_status_refuses_nothing() {
    check("pods", pod(&json!({})), (json!({"hard": {"pods": "0"}}), json!({})), "");
    let unknown = (json!({}), json!({"hard": {"pods": "1"}}));
    check(
        "pods",
        pod(&json!({})),
        unknown,
        "pods \"p\" is forbidden: status unknown for quota: q, resources: pods",
    );
}

#[test]
fn scopes_choose_pods() {
    let scoped =
        |scope: &str| (json!({"scopes": [scope]}), json!({"hard": {"pods": "5"}, "used": {"pods": "1"}}));
    check("pods", pod(&json!({})), scoped("BestEffort"), r#"{"pods":"2"}"#);
    check("pods", pod(&json!({})), scoped("NotBestEffort"), r#"{"pods":"1"}"#);
    check("pods", pod(&json!({})), scoped("Terminating"), r#"{"pods":"1"}"#);
}

#[test]
fn changes_count_by_what_is_more_or_less() {
    let service =
        |ty: &str| json!({"metadata": {"name": "s"}, "spec": {"type": ty, "ports": [{"port": 80}]}});
    let quota = |used: &str| {
        counts(
            &json!({"services": "1", "services.nodeports": "1"}),
            &json!({"services": "1", "services.nodeports": used}),
        )
    };
    let change = |from: &str, to: &str, used: &str, expected: &str| {
        check_change("services", Some(service(from)), service(to), quota(used), expected);
    };
    change("ClusterIP", "NodePort", "0", r#"{"services":"1","services.nodeports":"1"}"#);
    // What is used no more is not taken back: that is for the controller.
    change("NodePort", "ClusterIP", "1", r#"{"services":"1","services.nodeports":"1"}"#);
    change("NodePort", "NodePort", "1", r#"{"services":"1","services.nodeports":"1"}"#);
    change(
        "ClusterIP",
        "NodePort",
        "1",
        "services \"s\" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1",
    );
    let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": []}});
    let pods = counts(&json!({"pods": "1"}), &json!({"pods": "1"}));
    check_change("pods", Some(pod.clone()), pod, pods, r#"{"pods":"1"}"#);
}

#[test]
fn a_pod_that_comes_into_a_scope_is_counted() {
    let pod = |deadline: Option<i64>| json!({"metadata": {"name": "p"}, "spec": {"activeDeadlineSeconds": deadline}});
    let quota = |scope: &str, used: &str| {
        (json!({"scopes": [scope]}), json!({"hard": {"pods": "1"}, "used": {"pods": used}}))
    };
    let check = |from: Option<i64>, to: Option<i64>, quota: (Value, Value), expected: &str| {
        check_change("pods", Some(pod(from)), pod(to), quota, expected);
    };
    check(None, Some(9), quota("Terminating", "0"), r#"{"pods":"1"}"#);
    check(
        None,
        Some(9),
        quota("Terminating", "1"),
        "pods \"p\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1",
    );
    // It leaves this one, and has been in that one.
    check(None, Some(9), quota("NotTerminating", "1"), r#"{"pods":"1"}"#);
    check(Some(9), Some(8), quota("Terminating", "0"), r#"{"pods":"0"}"#);
}

#[test]
fn devices_are_counted_by_their_classes() {
    let exactly = |class: &str, count: i64| json!({"deviceClassName": class, "allocationMode": "ExactCount", "count": count});
    let claim =
        |requests: Value| json!({"metadata": {"name": "c"}, "spec": {"devices": {"requests": requests}}});
    let quota = |most: &str| {
        let name = "gpu.deviceclass.resource.k8s.io/devices";
        counts(&json!({name: most}), &json!({name: "0"}))
    };
    let check = |requests: Value, most: &str, expected: &str| {
        check("resourceclaims", claim(requests), quota(most), expected);
    };
    let used = |count: &str| format!(r#"{{"gpu.deviceclass.resource.k8s.io/devices":"{count}"}}"#);
    check(json!([{"exactly": exactly("gpu", 2)}, {"exactly": exactly("gpu", 1)}]), "3", &used("3"));
    check(json!([{"exactly": exactly("other", 2)}]), "1", &used("0"));
    check(json!([{"exactly": {"deviceClassName": "gpu", "allocationMode": "All"}}]), "40", &used("32"));
    let alternatives = json!([exactly("gpu", 1), exactly("gpu", 3), exactly("other", 5)]);
    check(json!([{"firstAvailable": alternatives}, {"exactly": exactly("gpu", 1)}]), "5", &used("4"));
    check(
        json!([{"exactly": exactly("gpu", 2)}]),
        "1",
        "resourceclaims.resource.k8s.io \"c\" is forbidden: exceeded quota: q, requested: \
         gpu.deviceclass.resource.k8s.io/devices=2, used: gpu.deviceclass.resource.k8s.io/devices=0, limited: \
         gpu.deviceclass.resource.k8s.io/devices=1",
    );
}

#[test]
fn devices_are_extended_resources_too() {
    let claim = json!({"metadata": {"name": "c"}, "spec": {"devices": {"requests": [
        {"name": "r", "exactly": {"deviceClassName": "fast", "allocationMode": "ExactCount", "count": 2}}]}}});
    let check = |name: &str, most: &str, expected: &str| {
        check("resourceclaims", claim.clone(), counts(&json!({name: most}), &json!({name: "0"})), expected);
    };
    let of_class = "requests.deviceclass.resource.kubernetes.io/fast";
    check(of_class, "2", &format!(r#"{{"{of_class}":"2"}}"#));
    check("requests.a.io/gpu", "5", r#"{"requests.a.io/gpu":"2"}"#);
    check("requests.a.io/other", "1", r#"{"requests.a.io/other":"0"}"#);
    check(
        "requests.deviceclass.resource.kubernetes.io/none",
        "1",
        r#"{"requests.deviceclass.resource.kubernetes.io/none":"0"}"#,
    );
    check(
        "requests.a.io/gpu",
        "1",
        "resourceclaims.resource.k8s.io \"c\" is forbidden: exceeded quota: q, requested: requests.a.io/gpu=2, used: \
         requests.a.io/gpu=0, limited: requests.a.io/gpu=1",
    );
}

/// A claim `c` for two fast devices, made for the pod `p` in this second; without one it is not made for a pod.
fn claim_of_pod(name: &str, second: Option<u8>) -> Value {
    let request = json!({"name": "r", "exactly": {"deviceClassName": "fast", "allocationMode": "ExactCount", "count": 2}});
    let mut claim = json!({"metadata": {"name": name}, "spec": {"devices": {"requests": [request]}}});
    if let Some(second) = second {
        claim["metadata"]["creationTimestamp"] = format!("1970-01-01T00:00:{second:02}Z").into();
        claim["metadata"]["annotations"] = json!({"resource.kubernetes.io/extended-resource-claim": "true"});
        let owner = json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true});
        claim["metadata"]["ownerReferences"] = json!([owner]);
    }
    claim
}

#[test]
fn a_pod_is_counted_for_its_first_claim() {
    let fast = json!({"metadata": {"name": "fast"}, "spec": {"extendedResourceName": "a.io/gpu"}});
    let pod = |metadata: Value, status: Value| {
        let mut pod = json!({"metadata": {"name": "p", "uid": "u"}, "spec": {"containers": [
            {"name": "c", "resources": {"requests": {"a.io/gpu": "1"}}}]}, "status": status});
        for (key, value) in metadata.as_object().into_iter().flatten() {
            pod["metadata"][key.as_str()] = value.clone();
        }
        ("pods", pod)
    };
    let running = || pod(json!({}), json!({}));
    let naming =
        |name: &str| pod(json!({}), json!({"extendedResourceClaimStatus": {"resourceClaimName": name}}));
    let ended = |phase: &str| pod(json!({}), json!({"phase": phase}));
    let deleted =
        |time: &str| pod(json!({"deletionTimestamp": time, "deletionGracePeriodSeconds": 30}), json!({}));
    let another = |uid: &str| pod(json!({"uid": uid}), json!({}));
    let claim = |name: &str, second: u8| ("resourceclaims", claim_of_pod(name, Some(second)));
    // The pod is counted for one device of the two.
    let cases = [
        ("no pod", vec![], "2"),
        ("only", vec![running()], "1"),
        ("the pod of another time", vec![another("v")], "2"),
        ("second", vec![running(), claim("b", 9)], "2"),
        ("second of the same time", vec![running(), claim("d", 10)], "2"),
        ("named", vec![naming("c"), claim("b", 9)], "1"),
        ("another is named", vec![naming("b")], "2"),
        ("not made for the pod", vec![running(), ("resourceclaims", claim_of_pod("b", None))], "1"),
        ("succeeded", vec![ended("Succeeded")], "2"),
        ("failed", vec![ended("Failed")], "2"),
        ("about to end", vec![deleted("1970-01-01T00:01:15Z")], "1"),
        ("should have ended", vec![deleted("1970-01-01T00:01:05Z")], "2"),
    ];
    let hard = json!({"requests.a.io/gpu": "9"});
    for (about, mut others, expected) in cases {
        println!("{about}");
        others.push(("deviceclasses", fast.clone()));
        let sent = (None, claim_of_pod("c", Some(10)));
        let quota = counts(&hard, &json!({"requests.a.io/gpu": "0"}));
        check_among(
            &others,
            "resourceclaims",
            sent,
            quota,
            &format!(r#"{{"requests.a.io/gpu":"{expected}"}}"#),
        );
    }
}

#[test]
fn changes_of_claims_are_counted() {
    let fast = json!({"metadata": {"name": "fast"}, "spec": {"extendedResourceName": "a.io/gpu"}});
    let pod = json!({"metadata": {"name": "p", "uid": "u"}, "spec": {"containers": [
        {"name": "c", "resources": {"requests": {"a.io/gpu": "1"}}}]}});
    let others = [("deviceclasses", fast), ("pods", pod)];
    let check = |old: Option<u8>, new: Option<u8>, used: &str, expected: &str| {
        let written = (Some(claim_of_pod("c", old)), claim_of_pod("c", new));
        let quota = counts(&json!({"requests.a.io/gpu": "4"}), &json!({"requests.a.io/gpu": used}));
        check_among(&others, "resourceclaims", written, quota, expected);
    };
    check(None, None, "2", r#"{"requests.a.io/gpu":"2"}"#);
    check(Some(10), Some(10), "1", r#"{"requests.a.io/gpu":"1"}"#);
    check(Some(10), None, "1", r#"{"requests.a.io/gpu":"2"}"#);
    check(
        Some(10),
        None,
        "4",
        "resourceclaims.resource.k8s.io \"c\" is forbidden: exceeded quota: q, requested: requests.a.io/gpu=1, used: \
         requests.a.io/gpu=4, limited: requests.a.io/gpu=4",
    );
}

#[test]
fn classes_of_attributes_choose_claims() {
    let claim = json!({
        "metadata": {"name": "c"},
        "spec": {"volumeAttributesClassName": "gold", "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"allocatedResources": {"storage": "2Gi"}},
    });
    let status = json!({"hard": {"requests.storage": "5Gi"}, "used": {"requests.storage": "0"}});
    let by = |operator: &str, values: Value| {
        let expression =
            json!({"scopeName": "VolumeAttributesClass", "operator": operator, "values": values});
        (json!({"scopeSelector": {"matchExpressions": [expression]}}), status.clone())
    };
    let claims = "persistentvolumeclaims";
    let (counted, passed) = (r#"{"requests.storage":"2Gi"}"#, r#"{"requests.storage":"0"}"#);
    check(claims, claim.clone(), by("In", json!(["gold"])), counted);
    check(claims, claim.clone(), by("In", json!(["silver"])), passed);
    check(claims, claim.clone(), by("NotIn", json!(["gold"])), passed);
    check(claims, claim.clone(), by("Exists", json!(null)), counted);
    check(claims, claim.clone(), (json!({"scopes": ["VolumeAttributesClass"]}), status.clone()), counted);
    check(claims, claim, (json!({"scopes": ["BestEffort"]}), status), passed);
}
