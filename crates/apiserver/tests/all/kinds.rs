//! Objects as the documentation of each kind shows them are taken, and may stay as they are.

use crate::common::{Cluster, read};
use http::Request;
use json_tree::{Value, json};

/// Creates the object, replaces it with itself, and writes its status as it is. The first time, what was filled in when the
/// object was read back may be stored; then nothing changes any more.
#[track_caller]
fn check(cluster: &Cluster, path: &str, body: &Value) {
    let (code, mut created) = cluster.json(&format!("POST {path}"), body);
    assert_eq!(code, 201, "{path}: {created}");
    let own = format!("{path}/{}", created["metadata"]["name"].as_str().unwrap_or_default());
    if path.ends_with("/flowschemas") {
        // The server has written its status.
        created = cluster.get(&own).1;
    }
    let (code, mut stored) = cluster.json(&format!("PUT {own}"), &created);
    // What these got when they were read back is stored by the first write.
    if path.ends_with("/persistentvolumeclaims") || path.ends_with("/jobs") {
        assert_ne!(stored["metadata"]["resourceVersion"], created["metadata"]["resourceVersion"], "{path}");
        stored["metadata"]["resourceVersion"] = created["metadata"]["resourceVersion"].clone();
    }
    assert_eq!((code, &stored["metadata"]), (200, &created["metadata"]), "{path}: {stored}");
    let (_, stored) = cluster.json(&format!("GET {own}"), &Value::Null);
    let (code, updated) = cluster.json(&format!("PUT {own}"), &stored);
    assert_eq!((code, &updated["metadata"]), (200, &stored["metadata"]), "{path}: {updated}");
    let (code, status) = cluster.json(&format!("PUT {own}/status"), &stored);
    assert!(matches!(code, 200 | 404), "{path}: {status}");
    let labelled = Request::patch(&own)
        .header("content-type", "application/merge-patch+json")
        .body(r#"{"metadata":{"labels":{"a":"b"}}}"#.into());
    let (code, labelled) = read(&cluster.send(labelled.expect("a request")));
    assert_eq!(code, 200, "{path}: {labelled}");
}

#[track_caller]
fn check_all(group: &str, objects: &[(&str, Value)]) {
    let cluster = Cluster::new();
    for (index, (resource, object)) in objects.iter().enumerate() {
        let mut object = object.clone();
        if object.get("metadata").is_none() {
            object["metadata"] = json!({"name": format!("n{index}.example.com")});
        }
        check(&cluster, &format!("{group}/{resource}"), &object);
    }
}

#[test]
fn core_kinds() {
    check_all(
        "/api/v1",
        &[
            ("namespaces", json!({"metadata": {"name": "a"}})),
            (
                "nodes",
                json!({"spec": {"podCIDR": "10.244.0.0/24", "podCIDRs": ["10.244.0.0/24"],
                "taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]},
                "status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "110", "example.com/gpu": "2", "hugepages-2Mi": "0"},
                "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}]}}),
            ),
            (
                "persistentvolumes",
                json!({"spec": {"capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce", "ReadOnlyMany"],
                "persistentVolumeReclaimPolicy": "Retain", "storageClassName": "manual", "local": {"path": "/mnt/disks/ssd1"},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                    {"key": "kubernetes.io/hostname", "operator": "In", "values": ["example-node"]}]}]}}}}),
            ),
            (
                "persistentvolumes",
                json!({"spec": {"capacity": {"storage": "1Mi"}, "accessModes": ["ReadWriteMany"],
                "csi": {"driver": "csi.example.com", "volumeHandle": "h", "nodePublishSecretRef": {"name": "s", "namespace": "n"}},
                "claimRef": {"namespace": "default", "name": "c"}, "mountOptions": ["ro"], "volumeMode": "Block"}}),
            ),
            (
                "persistentvolumes",
                json!({"spec": {"capacity": {"storage": "1Mi"}, "accessModes": ["ReadWriteMany"],
                "iscsi": {"targetPortal": "10.0.2.15:3260", "iqn": "iqn.2001-04.com.example:storage.kube.sys1.xyz", "lun": 0}}}),
            ),
        ],
    );
    check_all(
        "/api/v1/namespaces/default",
        &[
            ("configmaps", json!({"data": {"a.properties": "x"}, "binaryData": {"b": "AAA="}})),
            (
                "secrets",
                json!({"type": "kubernetes.io/dockerconfigjson", "data": {".dockerconfigjson": "eyJhdXRocyI6e319"}}),
            ),
            (
                "secrets",
                json!({"type": "kubernetes.io/basic-auth", "stringData": {"username": "u", "password": ""}}),
            ),
            (
                "secrets",
                json!({"type": "bootstrap.kubernetes.io/token", "stringData": {"token-id": "5emitj"}}),
            ),
            ("serviceaccounts", json!({"imagePullSecrets": [{"name": "s"}]})),
            (
                "limitranges",
                json!({"spec": {"limits": [
                {"type": "Container", "default": {"cpu": "500m"}, "defaultRequest": {"cpu": "500m"}, "max": {"cpu": "1"}, "min": {"cpu": "100m"}},
                {"type": "Pod", "max": {"memory": "1Gi", "ephemeral-storage": "2Gi"}, "maxLimitRequestRatio": {"memory": "2"}},
                {"type": "PersistentVolumeClaim", "max": {"storage": "2Gi"}, "min": {"storage": "1Gi"}}]}}),
            ),
            (
                "resourcequotas",
                json!({"spec": {"hard": {"requests.cpu": "1", "limits.memory": "2Gi", "requests.nvidia.com/gpu": "4",
                "count/deployments.apps": "3", "gold.storageclass.storage.k8s.io/requests.storage": "500Gi", "services.nodeports": "1",
                "requests.hugepages-2Mi": "4Mi"}}}),
            ),
            (
                "resourcequotas",
                json!({"spec": {"hard": {"pods": "10", "cpu": "5"},
                "scopeSelector": {"matchExpressions": [{"operator": "In", "scopeName": "PriorityClass", "values": ["low"]}]}}}),
            ),
            (
                "resourcequotas",
                json!({"spec": {"hard": {"pods": "10"}, "scopes": ["BestEffort", "Terminating"]}}),
            ),
            (
                "persistentvolumeclaims",
                json!({"spec": {"accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem",
                "resources": {"requests": {"storage": "2Gi"}}, "storageClassName": "slow",
                "selector": {"matchLabels": {"release": "stable"}, "matchExpressions": [{"key": "environment", "operator": "In", "values": ["dev"]}]}}}),
            ),
            (
                "persistentvolumeclaims",
                json!({"spec": {"accessModes": ["ReadWriteOncePod"], "resources": {"requests": {"storage": "1Gi"}},
                "dataSource": {"name": "s", "kind": "VolumeSnapshot", "apiGroup": "snapshot.storage.k8s.io"}}}),
            ),
            (
                "persistentvolumeclaims",
                json!({"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
                "dataSourceRef": {"apiGroup": "hello.example.com", "kind": "Hello", "name": "h"}}}),
            ),
            (
                "endpoints",
                json!({"subsets": [{"addresses": [{"ip": "192.0.2.42", "nodeName": "n", "targetRef": {"kind": "Pod"}}],
                "ports": [{"name": "a", "port": 9376}, {"name": "b", "port": 9377, "protocol": "UDP", "appProtocol": "kubernetes.io/h2c"}]},
                {"notReadyAddresses": [{"ip": "2001:db8::1", "hostname": "h"}]}]}),
            ),
        ],
    );
}

#[test]
fn services() {
    let service = |name: &str, spec: Value| ("services", json!({"metadata": {"name": name}, "spec": spec}));
    check_all(
        "/api/v1/namespaces/default",
        &[
            service(
                "a",
                json!({"selector": {"app": "a"}, "ports": [{"name": "http", "port": 80, "targetPort": "web"},
                {"name": "dns", "protocol": "UDP", "port": 80, "targetPort": 9377, "appProtocol": "http"}]}),
            ),
            service("1b", json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": 30007}]})),
            service(
                "c",
                json!({"type": "LoadBalancer", "ports": [{"port": 80}], "externalTrafficPolicy": "Local",
                "loadBalancerSourceRanges": ["130.211.204.1/32"], "loadBalancerClass": "internal-vip", "loadBalancerIP": "78.11.24.19"}),
            ),
            service("d", json!({"type": "ExternalName", "externalName": "my.database.example.com"})),
            service(
                "e",
                json!({"clusterIP": "None", "selector": {"a": "b"}, "publishNotReadyAddresses": true}),
            ),
            service(
                "f",
                json!({"ports": [{"port": 80}], "externalIPs": ["198.51.100.32"], "sessionAffinity": "ClientIP",
                "internalTrafficPolicy": "Local", "trafficDistribution": "PreferSameNode"}),
            ),
            service(
                "g",
                json!({"type": "LoadBalancer", "allocateLoadBalancerNodePorts": false, "ports": [{"port": 443, "protocol": "SCTP"}]}),
            ),
            service("h", json!({"ports": [{"port": 80}], "ipFamilyPolicy": "PreferDualStack"})),
        ],
    );
}

#[test]
fn network_kinds() {
    let backend = json!({"service": {"name": "test", "port": {"number": 80}}});
    check_all(
        "/apis/networking.k8s.io/v1/namespaces/default",
        &[
            (
                "ingresses",
                json!({"spec": {"ingressClassName": "nginx-example", "rules": [{"host": "*.foo.com", "http": {"paths": [
                {"path": "/testpath", "pathType": "Prefix", "backend": backend},
                {"path": "/icons", "pathType": "ImplementationSpecific", "backend": {"resource": {"apiGroup": "k8s.example.com",
                    "kind": "StorageBucket", "name": "icon-assets"}}}]}}],
                "tls": [{"hosts": ["https-example.foo.com"], "secretName": "testsecret-tls"}]}}),
            ),
            (
                "ingresses",
                json!({"spec": {"defaultBackend": {"service": {"name": "test", "port": {"name": "http"}}}}}),
            ),
            (
                "networkpolicies",
                json!({"spec": {"podSelector": {"matchLabels": {"role": "db"}}, "policyTypes": ["Ingress", "Egress"],
                "ingress": [{"from": [{"ipBlock": {"cidr": "172.17.0.0/16", "except": ["172.17.1.0/24"]}},
                    {"namespaceSelector": {"matchLabels": {"project": "myproject"}}}, {"podSelector": {}}],
                    "ports": [{"protocol": "TCP", "port": 6379}, {"port": "http"}]}],
                "egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/24"}}], "ports": [{"port": 32000, "endPort": 32768}]}, {}]}}),
            ),
        ],
    );
    check_all(
        "/apis/networking.k8s.io/v1",
        &[
            (
                "ingressclasses",
                json!({"spec": {"controller": "example.com/ingress-controller",
                "parameters": {"apiGroup": "k8s.example.com", "kind": "IngressParameters", "name": "external-lb"}}}),
            ),
            (
                "ingressclasses",
                json!({"spec": {"controller": "example.com/ingress-controller", "parameters": {"scope": "Namespace",
                "kind": "IngressParameter", "namespace": "external-configuration", "name": "external-config"}}}),
            ),
            ("servicecidrs", json!({"spec": {"cidrs": ["10.96.0.0/24"]}})),
            (
                "ipaddresses",
                json!({"metadata": {"name": "10.96.0.10"}, "spec": {"parentRef": {"resource": "services", "namespace": "a", "name": "b"}}}),
            ),
            (
                "ipaddresses",
                json!({"metadata": {"name": "2001:db8::1"}, "spec": {"parentRef": {"group": "", "resource": "services", "name": "b"}}}),
            ),
        ],
    );
    check_all(
        "/apis/discovery.k8s.io/v1/namespaces/default",
        &[
            (
                "endpointslices",
                json!({"addressType": "IPv4", "ports": [{"name": "http", "protocol": "TCP", "port": 80}],
                "endpoints": [{"addresses": ["10.1.2.3"], "conditions": {"ready": true}, "hostname": "pod-1", "nodeName": "node-1",
                "zone": "us-west2-a", "hints": {"forZones": [{"name": "us-west2-a"}], "forNodes": [{"name": "node-1"}]}}]}),
            ),
            (
                "endpointslices",
                json!({"addressType": "FQDN", "endpoints": [{"addresses": ["foo.example.com", "foo.bar."]}]}),
            ),
            ("endpointslices", json!({"addressType": "IPv6", "endpoints": []})),
        ],
    );
}

#[test]
fn storage_kinds() {
    check_all(
        "/apis/storage.k8s.io/v1",
        &[
            (
                "storageclasses",
                json!({"provisioner": "csi-driver.example-vendor.example", "reclaimPolicy": "Retain",
                "allowVolumeExpansion": true, "mountOptions": ["discard"], "volumeBindingMode": "WaitForFirstConsumer",
                "parameters": {"guaranteedReadWriteLatency": "true"}, "allowedTopologies": [{"matchLabelExpressions": [
                {"key": "topology.kubernetes.io/zone", "values": ["us-central-1a", "us-central-1b"]}]}]}),
            ),
            ("storageclasses", json!({"provisioner": "kubernetes.io/no-provisioner"})),
            (
                "csidrivers",
                json!({"spec": {"attachRequired": true, "podInfoOnMount": true, "fsGroupPolicy": "File",
                "volumeLifecycleModes": ["Persistent", "Ephemeral"], "tokenRequests": [{"audience": "gcp"}, {"audience": "", "expirationSeconds": 3600}]}}),
            ),
            (
                "csinodes",
                json!({"spec": {"drivers": [{"name": "mydriver.example.com", "nodeID": "storageNodeID1",
                "topologyKeys": ["example.com/region", "example.com/zone"], "allocatable": {"count": 5}}]}}),
            ),
            (
                "volumeattachments",
                json!({"spec": {"attacher": "csi.example.com", "nodeName": "n", "source": {"persistentVolumeName": "v"}}}),
            ),
            (
                "volumeattachments",
                json!({"spec": {"attacher": "csi.example.com", "nodeName": "n", "source": {"inlineVolumeSpec":
                {"accessModes": ["ReadWriteOnce"], "csi": {"driver": "d.example.com", "volumeHandle": "h"}}}}}),
            ),
            (
                "volumeattributesclasses",
                json!({"driverName": "pd.csi.storage.gke.io", "parameters": {"provisioned-iops": "3000"}}),
            ),
        ],
    );
    check_all(
        "/apis/storage.k8s.io/v1/namespaces/default",
        &[(
            "csistoragecapacities",
            json!({"storageClassName": "s", "capacity": "1Gi", "maximumVolumeSize": "1Mi",
            "nodeTopology": {"matchLabels": {"topology.kubernetes.io/zone": "a"}}}),
        )],
    );
}

#[test]
fn kinds_of_the_control_plane() {
    let rule = json!({"operations": ["CREATE", "UPDATE"], "apiGroups": ["apps"], "apiVersions": ["v1", "v1beta1"], "resources": ["deployments", "replicasets/*"]});
    let hook = json!({"name": "pod-policy.example.com", "rules": [rule], "clientConfig": {"service": {"namespace": "n", "name": "s",
        "path": "/validate"}, "caBundle": "AAAA"}, "admissionReviewVersions": ["v1", "v2"], "sideEffects": "None", "timeoutSeconds": 5,
        "matchConditions": [{"name": "exclude-leases", "expression": "!(request.resource.resource == 'leases')"}]});
    check_all(
        "/apis/admissionregistration.k8s.io/v1",
        &[
            ("validatingwebhookconfigurations", json!({"webhooks": [hook]})),
            (
                "mutatingwebhookconfigurations",
                json!({"webhooks": [hook, {"name": "b.example.com", "clientConfig": {"url": "https://my.webhook.example.com:9443/p"},
                "admissionReviewVersions": ["v1"], "sideEffects": "NoneOnDryRun", "reinvocationPolicy": "IfNeeded", "failurePolicy": "Ignore"}]}),
            ),
            ("mutatingwebhookconfigurations", json!({})),
            (
                "validatingadmissionpolicies",
                json!({"spec": {"failurePolicy": "Fail", "paramKind": {"apiVersion": "rules.example.com/v1", "kind": "ReplicaLimit"},
                "matchConstraints": {"resourceRules": [rule]}, "variables": [{"name": "x", "expression": "1"}],
                "validations": [{"expression": "object.spec.replicas <= 5", "message": "no", "reason": "Invalid"}],
                "auditAnnotations": [{"key": "high-replica-count", "valueExpression": "'x'"}]}}),
            ),
            (
                "validatingadmissionpolicybindings",
                json!({"spec": {"policyName": "demo-policy.example.com", "validationActions": ["Deny", "Audit"],
                "paramRef": {"name": "p", "parameterNotFoundAction": "Deny"},
                "matchResources": {"namespaceSelector": {"matchLabels": {"environment": "test"}}}}}),
            ),
        ],
    );
    check_all(
        "/apis/flowcontrol.apiserver.k8s.io/v1",
        &[
            (
                "flowschemas",
                json!({"spec": {"matchingPrecedence": 1000, "priorityLevelConfiguration": {"name": "exempt"},
                "distinguisherMethod": {"type": "ByUser"}, "rules": [{"nonResourceRules": [{"nonResourceURLs": ["/healthz", "/livez/*"], "verbs": ["*"]}],
                "resourceRules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "get"], "namespaces": ["a"]}],
                "subjects": [{"kind": "Group", "group": {"name": "system:unauthenticated"}},
                    {"kind": "ServiceAccount", "serviceAccount": {"name": "*", "namespace": "kube-system"}}]}]}}),
            ),
            (
                "prioritylevelconfigurations",
                json!({"spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Queue", "queuing": {}}}}}),
            ),
            (
                "prioritylevelconfigurations",
                json!({"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 0, "lendablePercent": 50,
                "limitResponse": {"type": "Reject"}}}}),
            ),
        ],
    );
    check_all(
        "/apis/apiregistration.k8s.io/v1",
        &[(
            "apiservices",
            json!({"metadata": {"name": "v1alpha1.wardle.example.com"}, "spec": {"group": "wardle.example.com", "version": "v1alpha1",
            "groupPriorityMinimum": 2000, "versionPriority": 200, "insecureSkipTLSVerify": true, "service": {"namespace": "n", "name": "s"}}}),
        )],
    );
}

#[test]
fn devices() {
    let claim = json!({"devices": {"requests": [{"name": "req-0", "exactly": {"deviceClassName": "resource.example.com",
        "selectors": [{"cel": {"expression": "device.driver == 'x'"}}], "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoSchedule"}]}},
        {"name": "req-1", "firstAvailable": [{"name": "a", "deviceClassName": "c"}, {"name": "b", "deviceClassName": "c", "count": 2}]}],
        "constraints": [{"requests": ["req-0", "req-1/a"], "matchAttribute": "dra.example.com/numa"}],
        "config": [{"requests": ["req-0"], "opaque": {"driver": "driver.example.com", "parameters": {"a": 1}}}]}});
    check_all(
        "/apis/resource.k8s.io/v1/namespaces/default",
        &[
            ("resourceclaims", json!({"spec": claim})),
            ("resourceclaims", json!({"spec": {}})),
            ("resourceclaimtemplates", json!({"spec": {"metadata": {"labels": {"a": "b"}}, "spec": claim}})),
        ],
    );
    check_all(
        "/apis/resource.k8s.io/v1",
        &[
            ("deviceclasses", json!({"spec": {"selectors": [{"cel": {"expression": "true"}}]}})),
            (
                "resourceslices",
                json!({"spec": {"driver": "driver.example.com", "pool": {"name": "n/p", "generation": 1, "resourceSliceCount": 1},
                "nodeName": "n", "devices": [{"name": "d0", "attributes": {"model": {"string": "m"}}, "capacity": {"memory": {"value": "1Gi"}}}]}}),
            ),
        ],
    );
}

/// Labels that a Job has by default are those of its template in the end: what it finds its pods by is among them.
#[test]
fn a_job_without_labels_has_all_of_its_template() {
    const ADDED: [&str; 4] =
        ["batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name"];
    const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";
    let cluster = Cluster::new();
    let check = |name: &str, own: &Value, template: &Value, more: &Value, expected: &[&str]| {
        let pod = json!({"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]});
        let mut spec = json!({"template": {"metadata": {"labels": template}, "spec": pod}});
        for (key, value) in more.as_object().unwrap() {
            spec[key.as_str()] = value.clone();
        }
        let metadata = json!({"name": name, "labels": own});
        let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec});
        let dry = cluster.json(&format!("POST {JOBS}?dryRun=All"), &job);
        let created = cluster.json(&format!("POST {JOBS}"), &job);
        cluster.json(&format!("DELETE {JOBS}/{name}?propagationPolicy=Background"), &Value::Null);
        let apply = Request::patch(format!("{JOBS}/{name}?fieldManager=me"))
            .header("content-type", "application/apply-patch+yaml")
            .body(job.to_string().into());
        let applied = read(&cluster.send(apply.unwrap()));
        for (code, job) in [dry, created, applied] {
            let labels = job["metadata"].get("labels").and_then(Value::as_object);
            let labels: Vec<&str> = labels.into_iter().flatten().map(|(key, _)| key.as_str()).collect();
            assert_eq!((code, labels.as_slice()), (201, expected), "{name}: {job}");
        }
    };
    let (part, none) = (json!({"part": "a"}), json!({}));
    let all = [&ADDED[..], &["part"]].concat();
    check("none", &none, &part, &none, &all);
    check("null", &Value::Null, &part, &none, &all);
    check("same", &part, &part, &none, &["part"]);
    check("other", &json!({"a": "b"}), &part, &none, &["a"]);
    check("empty", &none, &none, &none, &ADDED);
    let selector = json!({"manualSelector": true, "selector": {"matchLabels": {"part": "a"}}});
    check("manual", &none, &part, &selector, &["part"]);
}
