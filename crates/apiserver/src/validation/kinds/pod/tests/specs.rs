use serde_json::{Value, json};

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
        &format!(
            "[{at}.csi.driver: Required value, {at}.csi.driver: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), \
             {at}.csi.nodePublishSecretRef.name: Required value]"
        ),
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
