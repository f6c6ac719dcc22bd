mod containers;
mod rules;
mod specs;
mod updates;

use json_tree::json;

use super::*;
use field::aggregate;

#[track_caller]
fn check(spec: impl Into<Value>, expected: &str) {
    let object = json!({"spec": spec.into()});
    let errors = create(&object);
    assert_eq!(if errors.is_empty() { String::new() } else { aggregate(&errors) }, expected, "{object}");
}

/// A pod whose container, or whose spec, has these fields more.
fn with(container: Value, spec: Value) -> Value {
    let mut one = json!({"name": "c", "image": "busybox"});
    let mut all = json!({});
    for (object, more) in [(&mut one, container), (&mut all, spec)] {
        if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
            object.extend(more);
        }
    }
    all["containers"] = json!([one]);
    all
}

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

#[test]
fn containers_are_required_and_named() {
    check(with(json!({}), json!({})), "");
    check(json!(null), "spec.containers: Required value");
    check(json!({"containers": []}), "spec.containers: Required value");
    check(json!({"containers": [{"image": "i"}]}), "spec.containers[0].name: Required value");
    check(json!({"containers": [{"name": "c"}]}), "spec.containers[0].image: Required value");
    check(
        json!({"containers": [null]}),
        "[spec.containers[0].name: Required value, spec.containers[0].image: Required value]",
    );
    check(
        with(json!({"image": " busybox"}), json!({})),
        "spec.containers[0].image: Invalid value: \" busybox\": must not have leading or trailing whitespace",
    );
    check(
        with(json!({"name": "C_1"}), json!({})),
        &format!("spec.containers[0].name: Invalid value: \"C_1\": {LABEL}"),
    );
    check(
        with(json!({}), json!({"initContainers": [{"name": "c", "image": "i"}]})),
        "spec.initContainers[0].name: Duplicate value: \"c\"",
    );
}

#[test]
fn errors_come_in_the_order_of_the_checks() {
    check(
        json!({"containers": [{"name": "C", "ports": [{"containerPort": 0}]}], "restartPolicy": "Maybe"}),
        &format!(
            "[spec.containers[0].name: Invalid value: \"C\": {LABEL}, spec.containers[0].image: Required value, \
             spec.containers[0].ports[0].containerPort: Required value, \
             spec.restartPolicy: Unsupported value: \"Maybe\": supported values: \"Always\", \"OnFailure\", \"Never\"]"
        ),
    );
}

#[test]
fn choices() {
    check(
        with(json!({"imagePullPolicy": "Sometimes"}), json!({})),
        "spec.containers[0].imagePullPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"IfNotPresent\", \"Never\"",
    );
    check(
        with(json!({}), json!({"dnsPolicy": "X"})),
        "spec.dnsPolicy: Unsupported value: \"X\": supported values: \"ClusterFirstWithHostNet\", \"ClusterFirst\", \"Default\", \"None\"",
    );
    check(
        with(json!({}), json!({"dnsPolicy": "None"})),
        "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
    );
    check(
        with(json!({}), json!({"activeDeadlineSeconds": 0})),
        "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
    );
    check(
        with(json!({}), json!({"hostname": "A_b"})),
        &format!("spec.hostname: Invalid value: \"A_b\": {LABEL}"),
    );
}

#[test]
fn volumes_and_mounts() {
    let volume = |more: Value| {
        with(json!({"volumeMounts": [{"name": "v", "mountPath": "/x"}]}), json!({"volumes": more}))
    };
    check(volume(json!([{"name": "v", "emptyDir": {}}])), "");
    check(volume(json!([])), "spec.containers[0].volumeMounts[0].name: Not found: \"v\"");
    check(
        volume(json!([{"name": "v", "emptyDir": {}, "secret": {"secretName": "s"}}])),
        "[spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type, \
         spec.containers[0].volumeMounts[0].name: Not found: \"v\"]",
    );
    check(
        volume(json!([{"name": "v", "emptyDir": {}}, {"name": "v", "emptyDir": {}}])),
        "spec.volumes[1].name: Duplicate value: \"v\"",
    );
    check(
        with(
            json!({"volumeMounts": [{"name": "v", "mountPath": "/x"}, {"name": "v", "mountPath": "/x"}]}),
            json!({"volumes": [{"name": "v", "emptyDir": {}}]}),
        ),
        "spec.containers[0].volumeMounts[1].mountPath: Invalid value: \"/x\": must be unique",
    );
}

#[test]
fn probes() {
    check(
        with(json!({"livenessProbe": {}}), json!({})),
        "spec.containers[0].livenessProbe: Required value: must specify a handler type",
    );
    check(
        with(json!({"readinessProbe": {"tcpSocket": {"port": 80}, "exec": {"command": ["x"]}}}), json!({})),
        "spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type",
    );
    check(
        with(json!({"livenessProbe": {"tcpSocket": {"port": 80}, "successThreshold": 2}}), json!({})),
        "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1",
    );
}

#[test]
fn environment() {
    check(
        with(json!({"env": [{"value": "1"}]}), json!({})),
        "spec.containers[0].env[0].name: Required value",
    );
    check(
        with(
            json!({"env": [{"name": "B", "value": "2", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}),
            json!({}),
        ),
        "spec.containers[0].env[0].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty",
    );
}

#[test]
fn tolerations() {
    check(
        with(
            json!({}),
            json!({"tolerations": [{"operator": "Maybe", "key": "k"}, {"operator": "Exists", "key": "k", "value": "v"},
            {"operator": "Equal", "effect": "X"}]}),
        ),
        "[spec.tolerations[0].operator: Unsupported value: \"Maybe\": supported values: \"Equal\", \"Exists\", \
         spec.tolerations[1].operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists', \
         spec.tolerations[2].operator: Invalid value: \"Equal\": operator must be Exists when `key` is empty, which means \"match all values and all keys\", \
         spec.tolerations[2].effect: Unsupported value: \"X\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"]",
    );
}

#[test]
fn ephemeral_containers_come_later() {
    let pod = json!({"spec": {"ephemeralContainers": [{"name": "d", "image": "i"}]}});
    assert_eq!(aggregate(&only_new(&pod)), "spec.ephemeralContainers: Forbidden: cannot be set on create");
    assert_eq!(only_new(&json!({"spec": null})), []);
}
