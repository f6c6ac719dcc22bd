use json_tree::{Value, json};

use super::{check, with};

#[track_caller]
fn container(more: Value, expected: &str) {
    check(with(more, json!({})), expected);
}

#[test]
fn resources() {
    let resources = |more: Value, expected: &str| container(json!({ "resources": more }), expected);
    resources(json!({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1"}}), "");
    resources(
        json!({"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}),
        "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1",
    );
    resources(
        json!({"requests": {"cpu": "-1"}}),
        "spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than or equal to 0",
    );
    resources(
        json!({"requests": {"gpu": "1"}}),
        "[spec.containers[0].resources.requests[gpu]: Invalid value: \"gpu\": must be a standard resource type or fully qualified, \
         spec.containers[0].resources.requests[gpu]: Invalid value: \"gpu\": must be a standard resource for containers]",
    );
    resources(
        json!({"requests": {"example.com/gpu": "1"}}),
        "spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources",
    );
    resources(
        json!({"limits": {"example.com/gpu": "2"}, "requests": {"example.com/gpu": "1"}}),
        "spec.containers[0].resources.requests: Invalid value: \"1\": must be equal to example.com/gpu limit of 2",
    );
    resources(
        json!({"limits": {"hugepages-2Mi": "3Mi"}}),
        "[spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer multiple of hugepages-2Mi, \
         spec.containers[0].resources: Forbidden: HugePages require cpu or memory]",
    );
    resources(
        json!({"claims": [{"name": "a"}]}),
        "spec.containers[0].resources.claims[0]: Not found: \"a\": must be one of the names in pod.spec.resourceClaims which is empty",
    );
    check(
        with(
            json!({"resources": {"requests": {"cpu": "2"}}}),
            json!({"resources": {"requests": {"cpu": "1"}, "limits": {"pods": "1"}}}),
        ),
        "[spec.resources.limits[pods]: Unsupported value: \"pods\": supported values: \"cpu\", \"hugepages-\", \"memory\", \
         spec.resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to aggregate container requests of 2]",
    );
}

#[test]
fn references_of_variables() {
    let from = |source: Value, expected: &str| {
        container(json!({"env": [{"name": "A", "valueFrom": source}]}), expected);
    };
    from(json!({"fieldRef": {"fieldPath": "metadata.labels['a']"}}), "");
    from(json!({"fieldRef": {"fieldPath": "status.podIPs"}}), "");
    let at = "spec.containers[0].env[0].valueFrom";
    from(
        json!({"fieldRef": {"fieldPath": "metadata.nope"}}),
        &format!(
            "{at}.fieldRef.fieldPath: Invalid value: \"metadata.nope\": error converting fieldPath: field label not supported: metadata.nope"
        ),
    );
    from(
        json!({"fieldRef": {"fieldPath": "metadata.labels"}}),
        &format!(
            "{at}.fieldRef.fieldPath: Unsupported value: \"metadata.labels\": supported values: \"metadata.name\", \"metadata.namespace\", \"metadata.uid\", \"spec.nodeName\", \"spec.serviceAccountName\", \"status.hostIP\", \"status.hostIPs\", \"status.podIP\", \"status.podIPs\""
        ),
    );
    from(
        json!({"resourceFieldRef": {"resource": "limits.cpu", "divisor": "3"}}),
        &format!(
            "{at}.resourceFieldRef.divisor: Invalid value: \"limits.cpu\": only divisor's values 1m and 1 are supported with the cpu resource"
        ),
    );
    from(
        json!({"secretKeyRef": {"name": "a", "key": ""}, "configMapKeyRef": {"name": "a", "key": "k"}}),
        &format!(
            "[{at}.secretKeyRef.key: Required value, {at}: Invalid value: \"\": may not have more than one field specified at a time]"
        ),
    );
    container(
        json!({"envFrom": [{"prefix": "a=", "configMapRef": {"name": ""}}, {}]}),
        "[spec.containers[0].envFrom[0].prefix: Invalid value: \"a=\": a valid environment variable name must consist only of printable ASCII characters other than '=', \
         spec.containers[0].envFrom[0].configMapRef.name: Required value, \
         spec.containers[0].envFrom: Invalid value: \"\": must specify one of: `configMapRef` or `secretRef`]",
    );
}

#[test]
fn handlers_and_hooks() {
    let probe = |probe: Value, expected: &str| container(json!({ "livenessProbe": probe }), expected);
    let at = "spec.containers[0].livenessProbe";
    probe(
        json!({"httpGet": {"port": "a_b", "scheme": "FTP", "httpHeaders": [{"name": "a b"}]}}),
        &format!(
            "[{at}.httpGet.path: Required value, {at}.httpGet.port: Invalid value: \"a_b\": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-), \
             {at}.httpGet.scheme: Unsupported value: \"FTP\": supported values: \"HTTP\", \"HTTPS\", \
             {at}.httpGet.httpHeaders: Invalid value: \"a b\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')]"
        ),
    );
    probe(
        json!({"grpc": {"port": 0}, "terminationGracePeriodSeconds": 0}),
        &format!(
            "[{at}.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive, \
             {at}.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0]"
        ),
    );
    check(
        with(
            json!({"lifecycle": {"preStop": {"sleep": {"seconds": 40}}}}),
            json!({"terminationGracePeriodSeconds": 30}),
        ),
        "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 40: must be non-negative and less than terminationGracePeriodSeconds (30)",
    );
    check(
        with(
            json!({}),
            json!({"initContainers": [{"name": "i", "image": "i", "livenessProbe": {"exec": {"command": ["x"]}}}]}),
        ),
        "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    );
}

#[test]
fn ports_of_the_host() {
    let ports = json!([
        {"containerPort": 80, "hostPort": 80, "protocol": "TCP"},
        {"containerPort": 81, "hostPort": 80, "protocol": "TCP"},
    ]);
    let at = "spec.containers[0].ports[1].hostPort";
    container(json!({ "ports": ports }), &format!("{at}: Duplicate value: \"TCP//80\""));
    check(
        with(json!({ "ports": ports }), json!({"hostNetwork": true})),
        &format!(
            "[{at}: Duplicate value: \"TCP//80\", {at}: Invalid value: 80: must match `containerPort` when `hostNetwork` is true]"
        ),
    );
}

#[test]
fn mounts_and_devices() {
    let volumes =
        json!([{"name": "v", "emptyDir": {}}, {"name": "p", "persistentVolumeClaim": {"claimName": "c"}}]);
    check(
        with(
            json!({
                "volumeMounts": [
                    {"name": "v", "mountPath": "/x", "subPath": "../a", "subPathExpr": "/b", "mountPropagation": "Bidirectional"},
                    {"name": "p", "mountPath": "/y", "recursiveReadOnly": "Enabled"},
                ],
                "volumeDevices": [{"name": "v", "devicePath": "/dev/../a"}, {"name": "p", "devicePath": "/y"}],
            }),
            json!({ "volumes": volumes }),
        ),
        "[spec.containers[0].volumeMounts[0].name: Invalid value: \"v\": must not already exist in volumeDevices, \
         spec.containers[0].volumeMounts.subPath: Invalid value: \"../a\": must not contain '..', \
         spec.containers[0].volumeMounts[0].subPathExpr: Invalid value: \"/b\": subPathExpr and subPath are mutually exclusive, \
         spec.containers[0].volumeMounts.subPathExpr: Invalid value: \"/b\": must be a relative path, \
         spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers, \
         spec.containers[0].volumeMounts[1].name: Invalid value: \"p\": must not already exist in volumeDevices, \
         spec.containers[0].volumeMounts[1].mountPath: Invalid value: \"/y\": must not already exist as a path in volumeDevices, \
         spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true, \
         spec.containers[0].volumeDevices[0].name: Invalid value: \"v\": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode, \
         spec.containers[0].volumeDevices[0].devicePath: Invalid value: \"/dev/../a\": can not contain backsteps ('..'), \
         spec.containers[0].volumeDevices[0].name: Invalid value: \"v\": must not already exist in volumeMounts, \
         spec.containers[0].volumeDevices[1].name: Invalid value: \"p\": must not already exist in volumeMounts, \
         spec.containers[0].volumeDevices[1].devicePath: Invalid value: \"/y\": must not already exist as a path in volumeMounts]",
    );
}

#[test]
fn security_contexts() {
    let context = |more: Value, expected: &str| container(json!({ "securityContext": more }), expected);
    let at = "spec.containers[0].securityContext";
    context(
        json!({"privileged": true, "runAsUser": -1, "procMount": "Unmasked"}),
        &format!(
            "[{at}.privileged: Forbidden: disallowed by cluster policy, \
             {at}.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive, \
             {at}.procMount: Invalid value: \"Unmasked\": `hostUsers` must be false to use `Unmasked`]"
        ),
    );
    context(
        json!({"seccompProfile": {"type": "Localhost"}, "appArmorProfile": {"type": "X"}}),
        &format!(
            "[{at}.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost, \
             {at}.appArmorProfile.type: Unsupported value: \"X\": supported values: \"Localhost\", \"RuntimeDefault\", \"Unconfined\"]"
        ),
    );
    context(
        json!({"windowsOptions": {"runAsUserName": "a\\b\\c", "gmsaCredentialSpec": ""}}),
        &format!(
            "[{at}.windowsOptions.gmsaCredentialSpec: Invalid value: \"\": gmsaCredentialSpec cannot be an empty string, \
             {at}.windowsOptions.runAsUserName: Invalid value: \"a\\\\b\\\\c\": runAsUserName cannot contain more than one backslash]"
        ),
    );
    check(
        with(
            json!({"securityContext": {"runAsUser": 1}}),
            json!({"os": {"name": "windows"}, "hostPID": true, "securityContext": {"fsGroup": 1}}),
        ),
        "[spec.hostPID: Forbidden: cannot be set for a windows pod, spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod, \
         spec.containers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod]",
    );
}

#[test]
fn restarts() {
    container(json!({"restartPolicy": "Never"}), "");
    container(
        json!({"restartPolicyRules": [{"action": "Stop", "exitCodes": {"operator": "Is"}}, {"action": "Restart"}]}),
        "[spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used, \
         spec.containers[0].restartPolicyRules[0].action: Unsupported value: \"Stop\": supported values: \"Restart\", \"RestartAllContainers\", \
         spec.containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: \"Is\": supported values: \"In\", \"NotIn\", \
         spec.containers[0].restartPolicyRules[1].exitCodes: Required value: must be specified]",
    );
    check(
        with(
            json!({"resizePolicy": [{"resourceName": "disk", "restartPolicy": "RestartContainer"}]}),
            json!({"restartPolicy": "Never"}),
        ),
        "[spec.containers[0].resizePolicy: Unsupported value: \"disk\": supported values: \"cpu\", \"memory\", \
         spec.containers[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when `restartPolicy` is 'Never']",
    );
}
