use json_tree::json;

use super::*;
use crate::validation::check as check_errors;

fn volume(more: Value) -> Value {
    let mut spec = json!({"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}});
    if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
        spec.extend(more);
    }
    json!({"metadata": {"name": "v"}, "spec": spec})
}

#[track_caller]
fn check(more: Value, expected: &str) {
    check_errors(&create(&volume(more)), expected);
}

#[test]
fn what_every_volume_has() {
    check_errors(
        &create(&json!({})),
        "[spec.accessModes: Required value, spec.capacity: Required value, \
         spec.capacity: Unsupported value: null: supported values: \"storage\", \
         spec: Required value: must specify a volume type]",
    );
    check(json!({"hostPath": {"path": "/x"}}), "");
    check(
        json!({"hostPath": {"path": "/x"}, "accessModes": ["ReadWriteOncePod", "ReadWriteMany", "Nope"],
            "capacity": {"storage": "0"}, "persistentVolumeReclaimPolicy": "Keep", "volumeMode": "Tape"}),
        "[spec.accessModes: Unsupported value: \"Nope\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\", \
         spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes, \
         spec.capacity[storage]: Invalid value: \"0\": must be greater than zero, \
         spec.persistentVolumeReclaimPolicy: Unsupported value: \"Keep\": supported values: \"Delete\", \"Recycle\", \"Retain\", \
         spec.volumeMode: Unsupported value: \"Tape\": supported values: \"Block\", \"Filesystem\"]",
    );
    check(
        json!({"hostPath": {"path": "/./"}, "persistentVolumeReclaimPolicy": "Recycle"}),
        "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    );
}

#[test]
fn there_is_one_source() {
    check(
        json!({"hostPath": {"path": "/x"}, "nfs": {"server": "s", "path": "/"}, "cephfs": {}}),
        "[spec.nfs: Forbidden: may not specify more than 1 volume type, \
         spec.cephFS: Forbidden: may not specify more than 1 volume type]",
    );
    check(
        json!({"hostPath": {"path": "/../x", "type": "Hole"}}),
        "[spec.hostPath.path: Invalid value: \"/../x\": must not contain '..', \
         spec.hostPath.type: Unsupported value: \"Hole\": supported values: \"\", \"BlockDevice\", \"CharDevice\", \"Directory\", \"DirectoryOrCreate\", \"File\", \"FileOrCreate\", \"Socket\"]",
    );
    check(json!({"hostPath": {}}), "spec.hostPath.path: Required value");
    check(
        json!({"gcePersistentDisk": {"partition": 256}}),
        "[spec.persistentDisk.pdName: Required value, spec.persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive]",
    );
    check(
        json!({"nfs": {"path": "x"}}),
        "[spec.nfs.server: Required value, spec.nfs.path: Invalid value: \"x\": must be an absolute path]",
    );
    check(
        json!({"cinder": {"secretRef": {"name": "s"}}}),
        "[spec.cinder.volumeID: Required value, spec.cinder.secretRef.namespace: Required value]",
    );
    check(
        json!({"local": {"path": "/x"}}),
        "spec.nodeAffinity: Required value: Local volume requires node affinity",
    );
    check(
        json!({"csi": {"driver": "d", "nodePublishSecretRef": {"name": "s"}}}),
        "[spec.csi.volumeHandle: Required value, spec.csi.nodePublishSecretRef.namespace: Required value]",
    );
    check(
        json!({"fc": {"targetWWNs": ["a"], "wwids": ["b"]}}),
        "[spec.fc.targetWWNs: Invalid value: [\"a\"]: targetWWNs and wwids can not be specified simultaneously, \
         spec.fc.lun: Required value: lun is required if targetWWNs is specified]",
    );
}

#[test]
fn the_source_stays() {
    let (old, new) = (
        volume(json!({"hostPath": {"path": "/x", "type": ""}})),
        volume(json!({"hostPath": {"path": "/y", "type": ""}})),
    );
    check_errors(&update(&old, &old), "");
    check_errors(
        &update(&new, &old),
        "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n@@ -2,7 +2,7 @@\n  \"GCEPersistentDisk\": null,\n  \"AWSElasticBlockStore\": null,\n  \"HostPath\": {\n-  \"Path\": \"/x\",\n+  \"Path\": \"/y\",\n   \"Type\": \"\"\n  },\n  \"Glusterfs\": null,\n",
    );
    let csi = |secret: Value| {
        volume(json!({"csi": {"driver": "d", "volumeHandle": "h", "controllerExpandSecretRef": secret}}))
    };
    let secret = json!({"name": "s", "namespace": "n"});
    check_errors(&update(&csi(secret), &volume(json!({"csi": {"driver": "d", "volumeHandle": "h"}}))), "");
}

#[test]
fn the_affinity_stays() {
    let affine = |key: &str| {
        volume(json!({"local": {"path": "/x"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": key, "operator": "In", "values": ["a"]}]}]}}}))
    };
    check_errors(&update(&affine("kubernetes.io/os"), &affine("beta.kubernetes.io/os")), "");
    check_errors(
        &update(&affine("x"), &affine("y")),
        "nodeAffinity: Invalid value: {\"Required\":{\"NodeSelectorTerms\":[{\"MatchExpressions\":[{\"Key\":\"x\",\"Operator\":\"In\",\"Values\":[\"a\"]}],\"MatchFields\":null}]}}: field is immutable, except for updating from beta label to GA",
    );
}
