//! The cells of objects that no recorded table has.

use std::time::Duration;

use json_tree::{Value, json};

use apimachinery::time;
use kinds::printer;
use kinds::printing::row::Row;

/// The cells of a resource's object that was created five seconds ago. `object` leaves its metadata out, but what
/// it says of it.
#[track_caller]
fn check(group: &str, resource: &str, mut object: Value, expected: impl Into<Value>) {
    object["metadata"]["name"] = "x".into();
    object["metadata"]["creationTimestamp"] = "2026-11-20T12:00:00Z".into();
    let now = time::parse("2026-11-20T12:00:05Z").expect("a time");
    let printer = printer(group, resource).expect("a printer");
    assert_eq!(Value::from((printer.cells)(&Row::new(&object, now))), expected.into());
}

#[test]
fn volumes() {
    let unset = json!(["x", "0", "", "", "", "", "", "<unset>", "", "5s", "<unset>"]);
    check("", "persistentvolumes", json!({}), unset);
    let volume = json!({
        "metadata": {"deletionTimestamp": "2026-11-20T12:00:01Z"},
        "spec": {
            "capacity": {"storage": "5Gi"},
            "accessModes": ["ReadWriteOncePod", "ReadWriteMany", "ReadWriteOnce", "ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "slow",
            "claimRef": {"namespace": "ns", "name": "c"},
            "volumeMode": "Block",
            "volumeAttributesClassName": "gold",
        },
        "status": {"phase": "Bound", "reason": "Why"},
    });
    let cells = json!([
        "x",
        "5Gi",
        "RWO,RWX,RWOP",
        "Retain",
        "Terminating",
        "ns/c",
        "slow",
        "gold",
        "Why",
        "5s",
        "Block"
    ]);
    check("", "persistentvolumes", volume, cells);
}

#[test]
fn claims() {
    let status =
        json!({"phase": "Pending", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]});
    let annotated = json!({
        "metadata": {"annotations": {"volume.beta.kubernetes.io/storage-class": "old"}},
        "spec": {"storageClassName": "new", "volumeMode": "Filesystem"},
        "status": status,
    });
    let cells = json!(["x", "Pending", "", "", "", "old", "<unset>", "5s", "Filesystem"]);
    check("", "persistentvolumeclaims", annotated, cells);
    let bound = json!({"spec": {"volumeName": "v", "storageClassName": "new"}, "status": status});
    let cells = json!(["x", "Pending", "v", "1Gi", "RWO", "new", "<unset>", "5s", "<unset>"]);
    check("", "persistentvolumeclaims", bound, cells);
}

#[test]
fn storage() {
    const GROUP: &str = "storage.k8s.io";
    let cells = json!(["x", "p", "Delete", "Immediate", false, "5s"]);
    check(GROUP, "storageclasses", json!({"provisioner": "p"}), cells);
    let class = json!({
        "metadata": {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": "p",
        "reclaimPolicy": "Retain",
        "volumeBindingMode": "WaitForFirstConsumer",
        "allowVolumeExpansion": true,
    });
    let cells = json!(["x (default)", "p", "Retain", "WaitForFirstConsumer", true, "5s"]);
    check(GROUP, "storageclasses", class, cells);
    let driver = json!({"spec": {
        "attachRequired": false,
        "podInfoOnMount": true,
        "tokenRequests": [{"audience": "a"}, {"audience": "b"}],
        "volumeLifecycleModes": ["Persistent", "Ephemeral"],
    }});
    let cells = json!(["x", false, true, false, "a,b", false, "Persistent,Ephemeral", "5s"]);
    check(GROUP, "csidrivers", driver, cells);
    let cells = json!(["x", true, false, false, "<unset>", false, "<none>", "5s"]);
    check(GROUP, "csidrivers", json!({}), cells);
    check(GROUP, "csinodes", json!({"spec": {"drivers": [{}, {}]}}), json!(["x", 2, "5s"]));
    let attachment = json!({
        "spec": {"attacher": "a", "source": {"persistentVolumeName": "v"}, "nodeName": "n"},
        "status": {"attached": true},
    });
    check(GROUP, "volumeattachments", attachment, json!(["x", "a", "v", "n", true, "5s"]));
}

#[test]
fn access() {
    let binding = json!({
        "roleRef": {"kind": "ClusterRole", "name": "view"},
        "subjects": [
            {"kind": "User", "name": "alice"},
            {"kind": "ServiceAccount", "namespace": "ns", "name": "sa"},
            {"kind": "Group", "name": "devs"},
            {"kind": "User", "name": "bob"},
        ],
    });
    let cells = json!(["x", "ClusterRole/view", "5s", "alice, bob", "devs", "ns/sa"]);
    check("rbac.authorization.k8s.io", "rolebindings", binding.clone(), cells.clone());
    check("rbac.authorization.k8s.io", "clusterrolebindings", binding, cells);
    let (group, resource) = ("certificates.k8s.io", "certificatesigningrequests");
    let request = json!({"spec": {"signerName": "s", "username": "u", "expirationSeconds": 86400}});
    check(group, resource, request, json!(["x", "5s", "s", "u", "24h", "Pending"]));
    let issued = json!({
        "spec": {"signerName": "s", "username": "u"},
        "status": {"conditions": [{"type": "Approved"}, {"type": "Failed"}], "certificate": "eA=="},
    });
    check(group, resource, issued, json!(["x", "5s", "s", "u", "<none>", "Approved,Failed,Issued"]));
}

#[test]
fn admission() {
    let (group, resource) = ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings");
    let by_name = json!({"spec": {"policyName": "p", "paramRef": {"name": "n"}}});
    check(group, resource, by_name, json!(["x", "p", "*/n", "5s"]));
    let by_selector =
        json!({"spec": {"policyName": "p", "paramRef": {"selector": {"matchLabels": {"a": "b"}}}}});
    let selector = "&LabelSelector{MatchLabels:map[string]string{a: b,},\
                    MatchExpressions:[]LabelSelectorRequirement{},}";
    check(group, resource, by_selector, json!(["x", "p", selector, "5s"]));
    check(group, resource, json!({"spec": {"policyName": "p"}}), json!(["x", "p", "<unset>", "5s"]));
    let policy = json!({"spec": {"mutations": [{}]}});
    check(group, "mutatingadmissionpolicies", policy, json!(["x", 1, "<unset>", "5s"]));
}

#[test]
fn the_way_of_requests() {
    let (group, resource) = ("flowcontrol.apiserver.k8s.io", "flowschemas");
    let schema = json!({
        "spec": {
            "priorityLevelConfiguration": {"name": "l"},
            "matchingPrecedence": 9,
            "distinguisherMethod": {"type": "ByUser"},
        },
        "status": {"conditions": [{"type": "Dangling", "status": "False"}]},
    });
    check(group, resource, schema, json!(["x", "l", 9, "ByUser", "5s", "False"]));
    let (group, resource) = ("apiregistration.k8s.io", "apiservices");
    check(group, resource, json!({}), json!(["x", "Local", "Unknown", "5s"]));
    let away = json!({
        "spec": {"service": {"namespace": "ns", "name": "s"}},
        "status": {"conditions": [{"type": "Available", "status": "False", "reason": "ServiceNotFound"}]},
    });
    check(group, resource, away, json!(["x", "ns/s", "False (ServiceNotFound)", "5s"]));
}

#[test]
fn addresses() {
    const GROUP: &str = "networking.k8s.io";
    let address = json!({"spec": {"parentRef": {"resource": "services", "namespace": "ns", "name": "s"}}});
    check(GROUP, "ipaddresses", address, json!(["x", "services/ns/s", "5s"]));
    let address = json!({"spec": {"parentRef": {"group": "g.io", "resource": "Things", "name": "s"}}});
    check(GROUP, "ipaddresses", address, json!(["x", "things.g.io/s", "5s"]));
    check(
        GROUP,
        "servicecidrs",
        json!({"spec": {"cidrs": ["10.0.0.0/8", "fd00::/64"]}}),
        json!(["x", "10.0.0.0/8,fd00::/64", "5s"]),
    );
    let subset = json!({"addresses": [{"ip": "fd00::1"}], "ports": [{"port": 80}]});
    check("", "endpoints", json!({"subsets": [subset]}), json!(["x", "[fd00::1]:80", "5s"]));
    let node_port = json!({"spec": {
        "type": "NodePort",
        "clusterIPs": ["10.0.0.1"],
        "ports": [{"port": 80, "nodePort": 30080, "protocol": "TCP"}],
    }});
    let cells = json!(["x", "NodePort", "10.0.0.1", "<none>", "80:30080/TCP", "5s", "<none>"]);
    check("", "services", node_port, cells);
}

#[test]
fn devices_and_components() {
    let claims = [
        (json!({}), "pending"),
        (json!({"status": {"allocation": {}, "reservedFor": [{}]}}), "allocated,reserved"),
        (json!({"metadata": {"deletionTimestamp": "2026-11-20T12:00:01Z"}}), "deleted"),
    ];
    for (claim, state) in claims {
        check("resource.k8s.io", "resourceclaims", claim, json!(["x", state, "5s"]));
    }
    let component = json!({"conditions": [{"type": "Healthy", "status": "True", "message": "ok"}]});
    check("", "componentstatuses", component, json!(["x", "Healthy", "ok", ""]));
}

#[test]
fn pods_with_sidecars() {
    let spec = json!({
        "initContainers": [{"name": "i"}, {"name": "s", "restartPolicy": "Always"}],
        "containers": [{"name": "c"}],
    });
    let sidecar = json!({
        "name": "s", "started": true, "ready": true, "restartCount": 2, "state": {"running": {}},
        "lastState": {"terminated": {"finishedAt": "2026-11-20T11:00:05Z"}},
    });
    let done = json!({"name": "i", "restartCount": 4, "state": {"terminated": {"exitCode": 0}}});
    let container = json!({"name": "c", "ready": true, "restartCount": 1, "state": {"running": {}}});
    let running = json!({"spec": spec, "status": {
        "phase": "Running",
        "initContainerStatuses": [done, sidecar],
        "containerStatuses": [container],
    }});
    let cells = json!(["x", "2/2", "Running", "3 (60m ago)", "5s", "<none>", "<none>", "<none>", "<none>"]);
    check("", "pods", running, cells);
    let waiting =
        json!({"name": "i", "restartCount": 4, "state": {"waiting": {"reason": "PodInitializing"}}});
    let starting = json!({"spec": spec, "status": {"phase": "Pending", "initContainerStatuses": [waiting]}});
    let cells = json!(["x", "0/2", "Init:0/2", "4", "5s", "<none>", "<none>", "<none>", "<none>"]);
    check("", "pods", starting, cells);
}

#[test]
fn pods_that_lost_their_node_or_ended() {
    let check = |status: Value, deleted: bool, expected: &str| {
        let mut pod = json!({"spec": {"containers": [{"name": "c"}]}, "status": status});
        if deleted {
            pod["metadata"]["deletionTimestamp"] = "2026-11-20T12:00:01Z".into();
        }
        let row = Row::new(&pod, Duration::ZERO);
        let cells = (printer("", "pods").expect("a printer").cells)(&row);
        assert_eq!(cells[2], expected);
    };
    check(json!({"phase": "Running", "reason": "NodeLost"}), true, "Unknown");
    check(json!({"phase": "Running"}), true, "Terminating");
    check(json!({"phase": "Failed"}), true, "Failed");
    let completed = json!({"state": {"terminated": {"exitCode": 0, "reason": "Completed"}}});
    let running = json!({"ready": true, "state": {"running": {}}});
    let statuses = json!([completed, running]);
    check(json!({"phase": "Running", "containerStatuses": statuses}), false, "NotReady");
    let ready = json!([{"type": "Ready", "status": "True"}]);
    check(json!({"phase": "Running", "containerStatuses": statuses, "conditions": ready}), false, "Running");
}

#[test]
fn metrics() {
    let check = |metrics: Value, statuses: Value, expected: &str| {
        let object = json!({"spec": {"metrics": metrics}, "status": {"currentMetrics": statuses}});
        let printer = printer("autoscaling", "horizontalpodautoscalers").expect("a printer");
        assert_eq!((printer.cells)(&Row::new(&object, Duration::ZERO))[2], expected);
    };
    check(json!([]), json!([]), "<none>");
    let pods = json!({"type": "Pods", "pods": {"target": {"averageValue": "5"}}});
    check(json!([pods]), json!([{"pods": {"current": {"averageValue": "3"}}}]), "3/5");
    let external = json!({"type": "External", "external": {"target": {"averageValue": "5"}}});
    check(json!([external]), json!([{"external": {"current": {"averageValue": "2"}}}]), "2/5 (avg)");
    let object = json!({"type": "Object", "object": {"target": {"value": "5"}}});
    check(json!([object]), json!([]), "<unknown>/5");
    let container = json!({"type": "ContainerResource", "containerResource": {"name": "cpu", "target": {}}});
    check(json!([container]), json!([]), "cpu: <unknown>/<auto>");
    check(json!([{"type": "Other"}, object]), Value::Null, "<unknown type>, <unknown>/5");
}
