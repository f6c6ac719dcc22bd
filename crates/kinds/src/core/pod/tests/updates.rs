use json_tree::{Value, json};

use super::super::{update, update_ephemeral, update_resize, update_status};
use super::with;
use crate::validation::check;

/// A pod of this spec.
fn pod(spec: &Value) -> Value {
    json!({"metadata": {"name": "a", "namespace": "n"}, "spec": spec})
}

const FORBIDDEN: &str = "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n";

#[track_caller]
fn changed(old: &Value, new: &Value, expected: &str) {
    check(&update(&pod(new), &pod(old)), expected);
}

#[test]
fn most_of_a_pod_stays() {
    let old = with(json!({}), json!({"restartPolicy": "Always"}));
    changed(&old, &old, "");
    changed(&old, &with(json!({"image": "other"}), json!({"restartPolicy": "Always"})), "");
    changed(&old, &with(json!({}), json!({"restartPolicy": "Always", "nodeSelector": {}})), "");
    changed(
        &old,
        &with(json!({}), json!({"restartPolicy": "Never"})),
        &format!(
            "{FORBIDDEN}@@ -35,7 +35,7 @@\n   }}\n  ],\n  \"EphemeralContainers\": null,\n- \"RestartPolicy\": \"Always\",\n+ \"RestartPolicy\": \"Never\",\n  \"TerminationGracePeriodSeconds\": null,\n  \"ActiveDeadlineSeconds\": null,\n  \"DNSPolicy\": \"\",\n"
        ),
    );
    changed(
        &old,
        &json!({"containers": []}),
        "[spec.containers: Required value, spec.containers: Forbidden: pod updates may not add or remove containers]",
    );
    changed(
        &old,
        &with(json!({"image": ""}), json!({"restartPolicy": "Always"})),
        "spec.containers[0].image: Required value",
    );
}

#[test]
fn a_deadline_comes_nearer() {
    let spec = |seconds: Value| with(json!({}), json!({"activeDeadlineSeconds": seconds}));
    changed(&spec(json!(null)), &spec(json!(5)), "");
    changed(&spec(json!(5)), &spec(json!(4)), "");
    changed(
        &spec(json!(5)),
        &spec(json!(6)),
        "spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value",
    );
    changed(
        &spec(json!(5)),
        &spec(json!(null)),
        "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
    );
    let grace = |seconds: i64| with(json!({}), json!({"terminationGracePeriodSeconds": seconds}));
    changed(&grace(-1), &grace(1), "");
}

#[test]
fn tolerations_only_come_and_gates_only_go() {
    let spec = |keys: &[&str]| {
        let all: Vec<Value> = keys.iter().map(|key| json!({"key": key, "operator": "Exists"})).collect();
        with(json!({}), json!({ "tolerations": all }))
    };
    changed(&spec(&["a"]), &spec(&["b", "a"]), "");
    changed(
        &spec(&["a"]),
        &spec(&["b"]),
        "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
    );
    let gates = |names: &[&str]| {
        let all: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
        with(json!({}), json!({ "schedulingGates": all }))
    };
    changed(&gates(&["a", "b"]), &gates(&["b"]), "");
    changed(
        &gates(&["a"]),
        &gates(&["a", "c"]),
        "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'c'",
    );
}

#[test]
fn a_gated_pod_narrows_its_wishes() {
    let spec = |selector: Value, affinity: Value| {
        let gates = json!([{"name": "g"}]);
        with(json!({}), json!({"schedulingGates": gates, "nodeSelector": selector, "affinity": affinity}))
    };
    let terms = |expressions: Value| {
        json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": expressions}],
        }}})
    };
    let (a, b) = (json!({"key": "a", "operator": "Exists"}), json!({"key": "b", "operator": "Exists"}));
    changed(&spec(json!({}), json!(null)), &spec(json!({"a": "b"}), terms(json!([a]))), "");
    changed(&spec(json!({}), terms(json!([a]))), &spec(json!({}), terms(json!([a, b]))), "");
    changed(
        &spec(json!({"a": "b"}), json!(null)),
        &spec(json!({"a": "c"}), json!(null)),
        "spec.nodeSelector: Invalid value: {\"a\":\"c\"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)",
    );
    changed(
        &spec(json!({}), terms(json!([a]))),
        &spec(json!({}), terms(json!([b]))),
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Invalid value: \
         {\"MatchExpressions\":[{\"Key\":\"b\",\"Operator\":\"Exists\",\"Values\":null}],\"MatchFields\":null}: \
         only additions are allowed (no mutations or deletions)",
    );
}

#[test]
fn annotations_that_stay() {
    let of = |annotations: Value| {
        let mut pod = pod(&with(json!({}), json!({"nodeName": "x"})));
        pod["metadata"]["annotations"] = annotations;
        pod
    };
    let mirror = || of(json!({"kubernetes.io/config.mirror": "x"}));
    let at = "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not";
    check(&update(&of(json!({})), &mirror()), &format!("{at} remove or update mirror pod annotation"));
    check(&update(&mirror(), &of(json!({}))), &format!("{at} add mirror pod annotation"));
    check(
        &update_ephemeral(&mirror(), &mirror()),
        "[]: Forbidden: static pods do not support ephemeral containers",
    );
}

#[test]
fn ephemeral_containers_only_come() {
    let of = |ephemeral: Value| pod(&with(json!({}), json!({ "ephemeralContainers": ephemeral })));
    let e = json!({"name": "e", "image": "i"});
    let ephemeral = |new: Value, expected: &str| {
        check(&update_ephemeral(&of(new), &of(json!([e]))), expected);
    };
    ephemeral(json!([{"name": "f", "image": "i", "targetContainerName": "c"}, e]), "");
    ephemeral(
        json!([]),
        "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"e\" may not be removed\n",
    );
    ephemeral(
        json!([{"name": "e", "image": "j"}]),
        "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"e\" may not be changed\n\
         @@ -1,6 +1,6 @@\n {\n  \"Name\": \"e\",\n- \"Image\": \"i\",\n+ \"Image\": \"j\",\n  \"Command\": null,\n  \"Args\": null,\n  \"WorkingDir\": \"\",\n",
    );
    ephemeral(
        json!([e, {"name": "c", "image": "i"}]),
        "spec.ephemeralContainers[1].name: Duplicate value: \"c\"",
    );
    ephemeral(
        json!([e, {"name": "f", "image": "i", "targetContainerName": "x"}]),
        "spec.ephemeralContainers[1].targetContainerName: Not found: \"x\"",
    );
    ephemeral(
        json!([e, {"name": "f", "image": "i", "lifecycle": {"preStop": {}}, "resources": {}}]),
        "spec.ephemeralContainers[1].lifecycle: Forbidden: cannot be set for an Ephemeral Container",
    );
    ephemeral(
        json!([e, {"name": "f", "image": "i", "lifecycle": {}, "restartPolicy": "Never"}]),
        "[spec.ephemeralContainers[1].restartPolicy: Forbidden: cannot be set for an Ephemeral Container, \
         spec.ephemeralContainers[1].lifecycle: Forbidden: cannot be set for an Ephemeral Container]",
    );
}

#[test]
fn a_resize_keeps_the_class_and_all_else() {
    let of = |resources: Value| pod(&with(json!({ "resources": resources }), json!({})));
    let resize = |old: Value, new: Value, expected: &str| {
        check(&update_resize(&of(new), &of(old)), expected);
    };
    resize(json!({"requests": {"cpu": "1"}}), json!({"requests": {"cpu": "2"}}), "");
    resize(
        json!({}),
        json!({"requests": {"cpu": "1"}}),
        "spec: Invalid value: \"\": Pod QOS Class may not change as a result of resizing",
    );
    resize(
        json!({"requests": {"cpu": "1", "memory": "1Gi"}}),
        json!({"requests": {"cpu": "1"}}),
        "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
    );
    resize(
        json!({"requests": {"cpu": "1", "ephemeral-storage": "1"}}),
        json!({"requests": {"cpu": "1", "ephemeral-storage": "2"}}),
        "spec: Forbidden: only cpu and memory resources are mutable",
    );
    resize(
        json!({"requests": {"cpu": "1"}}),
        json!({"requests": {"cpu": "1"}, "limits": {"ephemeral-storage": "2"}}),
        "spec: Forbidden: only cpu and memory resources are mutable",
    );
    let two = |names: [&str; 2]| {
        let all = names.map(|name| json!({"name": name, "image": "i"}));
        pod(&json!({ "containers": all }))
    };
    check(
        &update_resize(&two(["b", "a"]), &two(["a", "b"])),
        "[spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize, \
         spec.containers[1].name: Forbidden: containers may not be renamed or reordered on resize]",
    );
}

#[test]
fn init_containers_and_whole_pods_are_resized() {
    let of = |cpu: &str, policy: &str, own: Value| {
        let init = json!({"name": "i", "image": "i", "resources": {"requests": {"cpu": cpu}},
            "resizePolicy": [{"resourceName": "cpu", "restartPolicy": policy}]});
        pod(&with(json!({}), json!({"initContainers": [init], "resources": own})))
    };
    let same = json!({"requests": {"cpu": "4"}});
    let resize = |old: &Value, new: &Value, expected: &str| check(&update_resize(new, old), expected);
    let old = of("1", "NotRequired", same.clone());
    resize(&old, &of("2", "NotRequired", same.clone()), "");
    resize(
        &old,
        &of("2", "RestartContainer", same),
        "[spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: \"RestartContainer\": must not be set to 'RestartContainer' for non-sidecar initContainers, \
         spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable, \
         spec.initContainers[0]: Forbidden: non-sidecar init containers with a resize policy of RestartContainer cannot be resized]",
    );
    let own = |own: Value| of("1", "NotRequired", own);
    resize(&old, &own(json!({"requests": {"cpu": "5", "memory": "1Gi"}})), "");
    resize(&old, &own(json!(null)), "spec.resources: Forbidden: pod-level resources cannot be removed");
    resize(
        &own(json!({"requests": {"cpu": "4", "memory": "1Gi"}})),
        &old,
        "spec.resources.requests: Forbidden: pod-level resource requests cannot be removed",
    );
    resize(
        &old,
        &own(json!({"requests": {"cpu": "4", "hugepages-2Mi": "2Mi"}, "limits": {"hugepages-2Mi": "2Mi"}})),
        "spec: Forbidden: only cpu and memory resources are mutable at pod-level",
    );
}

#[test]
fn a_status_names_what_there_can_be() {
    let mut old = pod(&with(json!({}), json!({"restartPolicy": "Never"})));
    old["status"] = json!({
        "qosClass": "BestEffort",
        "containerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": 1}}}],
    });
    let status = |more: Value, expected: &str| {
        let mut new = old.clone();
        if let (Some(status), Value::Object(more)) = (new["status"].as_object_mut(), more) {
            status.extend(more);
        }
        check(&update_status(&new, &old), expected);
    };
    status(json!({"podIPs": [{"ip": "1.2.3.4"}, {"ip": "::1"}]}), "");
    status(
        json!({"qosClass": "Burstable"}),
        "status.qosClass: Invalid value: \"Burstable\": field is immutable",
    );
    status(
        json!({"podIPs": [{"ip": "x"}]}),
        "status.podIPs[0]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
    );
    status(
        json!({"podIPs": [{"ip": "1.2.3.4"}, {"ip": "1.2.3.4"}]}),
        "status.podIPs: Invalid value: [{\"IP\":\"1.2.3.4\"},{\"IP\":\"1.2.3.4\"}]: may specify no more than one IP for each IP family",
    );
    status(
        json!({"hostIP": "1.1.1.1", "hostIPs": [{"ip": "1.1.1.2"}]}),
        "status.hostIPs[0].ip: Invalid value: \"1.1.1.2\": must be equal to `hostIP`",
    );
    status(
        json!({"containerStatuses": [{"name": "c", "state": {"running": {}}}]}),
        "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state",
    );
    status(
        json!({"observedGeneration": -1, "conditions": [{"type": "a b", "observedGeneration": -2}]}),
        "[status.conditions[0].observedGeneration: Invalid value: -2: must be a non-negative integer, \
         status.conditions[0].Type: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), \
         status.observedGeneration: Invalid value: -1: must be a non-negative integer]",
    );
    status(
        json!({"extendedResourceClaimStatus": {"resourceClaimName": "r", "requestMappings": [
            {"containerName": "c", "resourceName": "a.io/b", "requestName": "n"},
            {"containerName": "x", "resourceName": "a.io/b", "requestName": "n"},
            {"containerName": "x", "resourceName": "a.io/b", "requestName": "n"},
        ]}}),
        "[status.extendedResourceClaimStatus.requestMappings[0].resourceName: Invalid value: \"a.io/b\": must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests, \
         status.extendedResourceClaimStatus.requestMappings[1].containerName: Invalid value: \"x\": must match the name of an entry in spec.initContainers.name or spec.containers.name, \
         status.extendedResourceClaimStatus.requestMappings[2].containerName: Invalid value: \"x\": must match the name of an entry in spec.initContainers.name or spec.containers.name, \
         status.extendedResourceClaimStatus.requestMappings[2].containerName: Duplicate value: \"x\", \
         status.extendedResourceClaimStatus.requestMappings[2].resourceName: Duplicate value: \"a.io/b\", \
         status.extendedResourceClaimStatus.requestMappings[2].requestName: Duplicate value: \"n\"]",
    );
    status(
        json!({"resourceClaimStatuses": [{"name": "x"}]}),
        "status.resourceClaimStatuses[0].name: Invalid value: \"x\": must match the name of an entry in `spec.resourceClaims`",
    );
}

#[test]
fn containers_run_again_by_their_rules() {
    let check = |own: Value, code: i64, allowed: bool| {
        let of = |state: Value| {
            let mut pod = pod(&with(own.clone(), json!({"restartPolicy": "Never"})));
            pod["status"] = json!({"containerStatuses": [{"name": "c", "state": state}]});
            pod
        };
        let errors =
            update_status(&of(json!({"running": {}})), &of(json!({"terminated": {"exitCode": code}})));
        assert_eq!(errors.is_empty(), allowed, "{own} {code}");
    };
    check(json!({}), 1, false);
    check(json!({"restartPolicy": "OnFailure"}), 1, true);
    check(json!({"restartPolicy": "OnFailure"}), 0, false);
    let rule = |action: &str, operator: &str| {
        let codes = json!({"operator": operator, "values": [3]});
        json!({"restartPolicy": "Never", "restartPolicyRules": [{"action": action, "exitCodes": codes}]})
    };
    check(rule("Restart", "In"), 3, true);
    check(rule("Restart", "In"), 4, false);
    check(rule("Restart", "NotIn"), 4, true);
    check(rule("RestartAllContainers", "In"), 4, true);
}

#[test]
fn a_bound_pod_is_nominated_for_no_node() {
    let of = |nominated: &str| {
        let mut pod = pod(&with(json!({}), json!({"nodeName": "n"})));
        pod["status"] = json!({ "nominatedNodeName": nominated });
        pod
    };
    check(&update_status(&of(""), &of("x")), "");
    check(
        &update_status(&of("x"), &of("")),
        "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node",
    );
}
