use json_tree::{Value, json};

use super::{check, with};

#[track_caller]
fn spec(more: Value, expected: &str) {
    check(with(json!({}), more), expected);
}

#[track_caller]
fn volume(source: Value, expected: &str) {
    let mut volume = source;
    volume["name"] = "v".into();
    spec(json!({ "volumes": [volume] }), expected);
}

#[test]
fn sources_of_volumes() {
    let at = "spec.volumes[0]";
    volume(
        json!({"hostPath": {"path": "/a/../b", "type": "Door"}}),
        &format!(
            "[{at}.hostPath.path: Invalid value: \"/a/../b\": must not contain '..', \
             {at}.hostPath.type: Unsupported value: \"Door\": supported values: \"\", \"BlockDevice\", \"CharDevice\", \"Directory\", \"DirectoryOrCreate\", \"File\", \"FileOrCreate\", \"Socket\"]"
        ),
    );
    volume(
        json!({"secret": {"defaultMode": 512, "items": [{"key": "k", "path": "..a"}]}}),
        &format!(
            "[{at}.secret.secretName: Required value, {at}.secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive, \
             {at}.secret.items[0].path: Invalid value: \"..a\": must not start with '..']"
        ),
    );
    volume(
        json!({"gcePersistentDisk": {"partition": 256}}),
        &format!(
            "[{at}.persistentDisk.pdName: Required value, {at}.persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive]"
        ),
    );
    volume(
        json!({"nfs": {"server": "s", "path": "p"}}),
        &format!("{at}.nfs.path: Invalid value: \"p\": must be an absolute path"),
    );
    volume(
        json!({"iscsi": {"targetPortal": "p", "iqn": "iqn.2001-04.com.example:storage:x", "lun": 256, "initiatorName": "x"}}),
        &format!(
            "[{at}.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive, \
             {at}.iscsi.initiatorname: Invalid value: \"x\": must be valid format starting with iqn, eui, or naa]"
        ),
    );
    volume(
        json!({"csi": {"driver": "", "nodePublishSecretRef": {"name": ""}}}),
        &format!("[{at}.csi.driver: Required value, {at}.csi.nodePublishSecretRef.name: Required value]"),
    );
    volume(
        json!({"downwardAPI": {"items": [{"path": "a"}]}, "emptyDir": {}}),
        &format!("{at}.downwarAPI: Forbidden: may not specify more than 1 volume type"),
    );
    volume(
        json!({"ephemeral": {"volumeClaimTemplate": {"metadata": {"name": "x"}, "spec": {"accessModes": ["X"]}}}}),
        &format!(
            "[{at}.ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set, \
             {at}.ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: \"X\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\", \
             {at}.ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value]"
        ),
    );
    volume(json!({"image": {}}), &format!("{at}.image.reference: Required value"));
}

#[test]
fn projected_volumes() {
    volume(
        json!({"projected": {"sources": [
            {"secret": {"name": "a", "items": [{"key": "k", "path": "p"}]}},
            {"configMap": {"name": "b", "items": [{"key": "k", "path": "p"}]}, "downwardAPI": {}},
            {"serviceAccountToken": {"expirationSeconds": 1}},
            {"clusterTrustBundle": {"path": "x"}},
        ]}}),
        "[spec.volumes[0].projected: Invalid value: \"b\": conflicting duplicate paths, \
         spec.volumes[0].projected.sources[1]: Forbidden: may not specify more than 1 volume type per source, \
         spec.volumes[0].projected.sources[2].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes, \
         spec.volumes[0].projected.path: Required value, \
         spec.volumes[0].projected.sources[3].clusterTrustBundle: Required value: either name or signerName must be specified, \
         spec.volumes[0].projected.sources[2].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set]",
    );
}

#[test]
fn names_and_addresses() {
    spec(
        json!({"dnsPolicy": "None", "dnsConfig": {}}),
        "spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None",
    );
    spec(
        json!({"dnsConfig": {"nameservers": ["1.1.1.1", "2.2.2.2", "3.3.3.3", "x"], "searches": ["_a.b.", "."], "options": [{}]}}),
        "[spec.dnsConfig.nameservers: Invalid value: [\"1.1.1.1\",\"2.2.2.2\",\"3.3.3.3\",\"x\"]: must not have more than 3 nameservers, \
         spec.dnsConfig.nameservers[3]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff), \
         spec.dnsConfig.options[0]: Required value: must not be empty]",
    );
    spec(
        json!({"hostAliases": [{"ip": "x"}]}),
        "spec.hostAliases[0].ip: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
    );
    spec(
        json!({"hostUsers": false, "hostNetwork": true}),
        "spec.hostNetwork: Forbidden: when `hostUsers` is false",
    );
}

#[test]
fn affinity() {
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    spec(
        json!({"affinity": {"nodeAffinity": {
            required: {"nodeSelectorTerms": []},
            preferred: [{"weight": 101, "preference": {"matchFields": [{"key": "x", "operator": "Gt"}]}}],
        }}}),
        &format!(
            "[spec.affinity.nodeAffinity.{required}.nodeSelectorTerms: Required value: must have at least one node selector term, \
             spec.affinity.nodeAffinity.{preferred}[0].weight: Invalid value: 101: must be in the range 1-100, \
             spec.affinity.nodeAffinity.{preferred}[0].preference.matchFields[0].operator: Invalid value: \"Gt\": not a valid selector operator, \
             spec.affinity.nodeAffinity.{preferred}[0].preference.matchFields[0].key: Invalid value: \"x\": not a valid field selector key]"
        ),
    );
    spec(
        json!({"affinity": {"podAffinity": {required: [{"topologyKey": "zone", "matchLabelKeys": ["a"]}]}}}),
        &format!(
            "spec.affinity.podAffinity.{required}[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"
        ),
    );
}

#[test]
fn spreading() {
    spec(
        json!({"topologySpreadConstraints": [
            {"maxSkew": 0, "topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway", "minDomains": 1},
            {"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway"},
        ]}),
        "[spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero, \
         spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: \"{z, ScheduleAnyway}\", \
         spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway]",
    );
}

#[test]
fn security_of_the_pod() {
    spec(
        json!({"hostNetwork": true, "securityContext": {
            "fsGroup": -1,
            "supplementalGroups": [1, -1],
            "sysctls": [{"name": "net.a"}, {"name": "A"}, {"name": "net.a"}],
            "seLinuxChangePolicy": "MountOption",
        }}),
        "[spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive, \
         spec.securityContext.supplementalGroups[1]: Invalid value: -1: must be between 0 and 2147483647, inclusive, \
         spec.securityContext.sysctls[0].name: Invalid value: \"net.a\": may not be specified when 'hostNetwork' is true, \
         spec.securityContext.sysctls[1].name: Invalid value: \"A\": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$, \
         spec.securityContext.sysctls[2].name: Duplicate value: \"net.a\", \
         spec.securityContext.sysctls[2].name: Invalid value: \"net.a\": may not be specified when 'hostNetwork' is true, \
         spec.securityContext.seLinuxChangePolicy: Unsupported value: \"MountOption\": supported values: \"Recursive\"]",
    );
}

#[test]
fn gates_and_claims() {
    spec(
        json!({"schedulingGates": [{"name": "a"}, {"name": "a"}], "resourceClaims": [{"name": "r"}]}),
        "[spec.resourceClaims[0]: Invalid value: {\"Name\":\"r\",\"ResourceClaimName\":null,\"ResourceClaimTemplateName\":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`, \
         spec.schedulingGates[1]: Duplicate value: \"a\"]",
    );
}

/// Nothing is wrong with what the documentation shows.
#[test]
fn a_pod_with_much_in_it() {
    let container = json!({
        "command": ["sh"],
        "ports": [{"name": "http", "containerPort": 80, "hostPort": 8080, "protocol": "TCP", "hostIP": "10.0.0.1"}],
        "env": [
            {"name": "A.b-c", "value": "1"},
            {"name": "F", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.annotations['a.io/B']"}}},
            {"name": "R", "valueFrom": {"resourceFieldRef": {"resource": "limits.hugepages-2Mi", "divisor": "1Mi"}}},
            {"name": "K", "valueFrom": {"configMapKeyRef": {"name": "m", "key": "a.b_c", "optional": true}}},
            {"name": "E", "valueFrom": {"fileKeyRef": {"volumeName": "d", "path": "a/b", "key": "K"}}},
        ],
        "envFrom": [{"prefix": "P_", "secretRef": {"name": "s"}}],
        "resources": {
            "limits": {"cpu": "1500m", "memory": "1Gi", "ephemeral-storage": "1Gi", "hugepages-2Mi": "4Mi", "example.com/gpu": "1"},
            "requests": {"cpu": "1", "memory": "1Gi", "hugepages-2Mi": "4Mi", "example.com/gpu": "1"},
            "claims": [{"name": "r", "request": "one"}, {"name": "r", "request": "two"}],
        },
        "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
        "volumeMounts": [
            {"name": "d", "mountPath": "/d", "subPathExpr": "$(A)/x", "readOnly": true, "recursiveReadOnly": "IfPossible"},
            {"name": "i", "mountPath": "/i", "subPath": "x", "mountPropagation": "HostToContainer"},
        ],
        "volumeDevices": [{"name": "e", "devicePath": "/dev/x"}],
        "livenessProbe": {"httpGet": {"path": "/", "port": "http", "scheme": "HTTPS", "httpHeaders": [{"name": "X-A", "value": "1"}]}, "successThreshold": 1},
        "readinessProbe": {"grpc": {"port": 80}, "successThreshold": 3},
        "startupProbe": {"tcpSocket": {"port": 80}, "terminationGracePeriodSeconds": 5},
        "lifecycle": {"postStart": {"exec": {"command": ["x"]}}, "preStop": {"sleep": {"seconds": 5}}},
        "securityContext": {
            "capabilities": {"add": ["NET_ADMIN"]}, "runAsUser": 0, "allowPrivilegeEscalation": false, "procMount": "Default",
            "seccompProfile": {"type": "Localhost", "localhostProfile": "a/b.json"}, "appArmorProfile": {"type": "RuntimeDefault"},
        },
    });
    let volumes = json!([
        {"name": "d", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
        {"name": "i", "image": {"reference": "a/b:1", "pullPolicy": "IfNotPresent"}},
        {"name": "e", "ephemeral": {"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": {
            "accessModes": ["ReadWriteOnce"], "volumeMode": "Block", "resources": {"requests": {"storage": "1Gi"}},
        }}}},
        {"name": "h", "hostPath": {"path": "/var", "type": "Directory"}},
        {"name": "c", "csi": {"driver": "A.example.com", "nodePublishSecretRef": {"name": "s"}}},
        {"name": "p", "projected": {"defaultMode": 420, "sources": [
            {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
            {"clusterTrustBundle": {"signerName": "example.com/x", "labelSelector": {}, "path": "ca.pem"}},
            {"clusterTrustBundle": {"name": "example.com:x:y", "path": "own.pem"}},
            {"downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt", "mode": 256}]}},
        ]}},
    ]);
    check(
        with(
            container,
            json!({
                "volumes": volumes,
                "initContainers": [
                    {"name": "side", "image": "i", "restartPolicy": "Always", "startupProbe": {"exec": {"command": ["x"]}}},
                    {"name": "first", "image": "i"},
                ],
                "terminationGracePeriodSeconds": 30,
                "serviceAccountName": "a",
                "restartPolicy": "OnFailure",
                "dnsPolicy": "None",
                "dnsConfig": {"nameservers": ["10.0.0.1"], "searches": ["_x.svc.", "."], "options": [{"name": "ndots", "value": "2"}]},
                "nodeSelector": {"kubernetes.io/os": "linux"},
                "tolerations": [{"operator": "Exists"}, {"key": "a", "value": "b", "effect": "NoExecute", "tolerationSeconds": 3}],
                "hostAliases": [{"ip": "127.0.0.1", "hostnames": ["foo.local"]}],
                "securityContext": {
                    "fsGroup": 2000, "fsGroupChangePolicy": "OnRootMismatch", "supplementalGroups": [4000],
                    "supplementalGroupsPolicy": "Strict", "sysctls": [{"name": "kernel.shm_rmid_forced", "value": "0"}],
                    "seccompProfile": {"type": "RuntimeDefault"}, "seLinuxChangePolicy": "Recursive",
                },
                "affinity": {
                    "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{
                        "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}, {"key": "n", "operator": "Gt", "values": ["1"]}],
                        "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}],
                    }]}},
                    "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": {
                        "labelSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["x"]}]},
                        "topologyKey": "kubernetes.io/hostname",
                        "matchLabelKeys": ["pod-template-hash"],
                    }}]},
                },
                "topologySpreadConstraints": [{
                    "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "minDomains": 2,
                    "labelSelector": {"matchLabels": {"a": "b"}}, "matchLabelKeys": ["c"], "nodeTaintsPolicy": "Honor",
                }],
                "readinessGates": [{"conditionType": "example.com/ready"}],
                "resourceClaims": [{"name": "r", "resourceClaimTemplateName": "t"}],
                "runtimeClassName": "gvisor",
                "overhead": {"cpu": "250m", "memory": "120Mi"},
                "priorityClassName": "system-node-critical",
                "preemptionPolicy": "Never",
                "os": {"name": "linux"},
                "hostname": "a-1",
                "subdomain": "b",
                "resources": {"limits": {"cpu": "4", "hugepages-2Mi": "4Mi"}, "requests": {
                    "cpu": "2", "memory": "2Gi", "hugepages-2Mi": "4Mi",
                }},
            }),
        ),
        "",
    );
}
