//! Rules of single fields of specs, and of what they have to do with each other.

use json_tree::{Value, json};

use super::{LABEL, check, with};

#[track_caller]
fn spec(more: Value, expected: &str) {
    check(with(json!({}), more), expected);
}

#[test]
fn names_that_are_missing_count_as_names_of_some_containers() {
    let nameless = json!({"image": "i"});
    check(
        json!({"containers": [nameless, nameless]}),
        "[spec.containers[0].name: Required value, spec.containers[1].name: Required value, \
         spec.containers[1].name: Duplicate value: \"\"]",
    );
    spec(
        json!({"initContainers": [nameless, nameless]}),
        "[spec.initContainers[0].name: Required value, spec.initContainers[1].name: Required value]",
    );
}

#[test]
fn users_of_the_pods_own() {
    spec(
        json!({"hostUsers": false, "hostNetwork": true, "hostPID": true, "hostIPC": true}),
        "[spec.hostNetwork: Forbidden: when `hostUsers` is false, spec.HostPID: Forbidden: when `hostUsers` is false, \
         spec.HostIPC: Forbidden: when `hostUsers` is false]",
    );
}

#[test]
fn names_of_hosts() {
    let long = "a".repeat(65);
    spec(
        json!({"hostnameOverride": long, "setHostnameAsFQDN": true, "hostNetwork": true, "hostname": "A"}),
        &format!(
            "[spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true, \
             spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true, \
             spec.hostnameOverride: Too long: may not be more than 64 bytes, \
             spec.hostname: Invalid value: \"A\": {LABEL}]"
        ),
    );
}

#[test]
fn comparisons_of_taints_are_not_to_be_used_yet() {
    spec(
        json!({"tolerations": [{"key": "k", "operator": "Lt", "value": "1"}]}),
        "spec.tolerations[0].operator: Unsupported value: \"Lt\": supported values: \"Equal\", \"Exists\", \"Lt\", \"Gt\"",
    );
}

#[test]
fn variables_out_of_files() {
    let variable = |volume: &str, path: &str| {
        let file = json!({"volumeName": volume, "path": path, "key": "K"});
        json!({"env": [{"name": "K", "valueFrom": {"fileKeyRef": file}}]})
    };
    let volumes =
        json!({"volumes": [{"name": "v", "emptyDir": {}}, {"name": "h", "hostPath": {"path": "/"}}]});
    let at = "spec.containers[0].env[0].valueFrom.fileKeyRef";
    check(with(variable("v", "/..a"), volumes.clone()), "");
    check(
        with(variable("x", "a/../b"), volumes.clone()),
        &format!(
            "[{at}.path: Invalid value: \"a/../b\": must not contain '..', {at}.volumeName: Not found: \"x\"]"
        ),
    );
    check(
        with(variable("h", "a"), volumes),
        &format!("{at}.volumeName: Invalid value: \"h\": referenced volume must be of type emptyDir"),
    );
}

#[test]
fn resources_of_the_pod_as_a_whole() {
    let spec =
        |own: Value, containers: Value| with(json!({ "resources": containers }), json!({ "resources": own }));
    check(
        spec(
            json!({"requests": {"cpu": "1"}, "claims": [{"name": "x"}]}),
            json!({"requests": {"cpu": "2", "memory": "1Gi"}}),
        ),
        "[spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level, \
         spec.resources.claims[0]: Not found: \"x\": must be one of the names in pod.spec.resourceClaims which is empty, \
         spec.resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to aggregate container requests of 2]",
    );
    let pages = |amount: &str| json!({"cpu": "1", "hugepages-2Mi": amount});
    check(
        spec(
            json!({"limits": pages("2Mi"), "requests": pages("2Mi")}),
            json!({"limits": pages("4Mi"), "requests": pages("4Mi")}),
        ),
        "[spec.resources.requests[hugepages-2Mi]: Invalid value: \"2Mi\": must be greater than or equal to aggregate container requests of 4Mi, \
         spec.resources.limits[hugepages-2Mi]: Invalid value: \"2Mi\": must be greater than or equal to aggregate container limits of 4Mi, \
         spec.resources.containers[0][hugepages-2Mi].limits: Invalid value: \"4Mi\": must be less than or equal to pod limits of 2Mi]",
    );
    let mut windows = spec(json!({"requests": {"disk": "1"}}), json!({}));
    windows["os"] = json!({"name": "windows"});
    check(windows, "spec.resources: Forbidden: may not be set for a windows pod");
}

#[test]
fn how_containers_restart() {
    let rule = json!({"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}});
    check(
        with(json!({"restartPolicy": "", "restartPolicyRules": vec![rule; 21]}), json!({})),
        "[spec.containers[0].restartPolicy: Unsupported value: \"\": supported values: \"Always\", \"Never\", \"OnFailure\", \
         spec.containers[0].restartPolicyRules: Too many: 21: must have at most 20 items]",
    );
}

#[test]
fn keys_of_labels_that_spread_pods() {
    let selector =
        json!({"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]});
    let constraint = |selector: Value| {
        json!({"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "k", "whenUnsatisfiable": "ScheduleAnyway",
            "matchLabelKeys": ["a"], "labelSelector": selector}]})
    };
    spec(
        constraint(selector),
        "spec.topologySpreadConstraints[0][0]: Invalid value: \"a\": exists in both matchLabelKeys and labelSelector",
    );
    spec(constraint(json!({"matchLabels": {"a": "b"}})), "");
    spec(
        constraint(json!(null)),
        "spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
    );
}
