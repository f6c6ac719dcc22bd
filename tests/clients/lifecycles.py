"""The same life for every kind: what the conformance suite does to the endpoints of most of them."""

import check as c
from check import check, equal

POD = {"containers": [{"name": "c", "image": "registry.k8s.io/pause:3.10"}]}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": POD}
SELECTOR = {"matchLabels": {"a": "b"}}
CONDITION = {"type": "StatusUpdate", "status": "True", "reason": "E2E", "message": "Set from e2e test"}
RULES = [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"]}]
HOOK = {
    "name": "hook.example.com", "clientConfig": {"url": "https://127.0.0.1:9/x"}, "sideEffects": "None",
    "admissionReviewVersions": ["v1"], "rules": [{**RULES[0], "resources": ["nothing"]}], "failurePolicy": "Ignore",
}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": ""}
DEVICES = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "dc"}}]}}
MICRO = "2024-01-01T00:00:00.000000Z"

# group and version, plural, namespaced, kind, what the object says, status (or None) that is written
KINDS = [
    ("v1", "configmaps", True, "ConfigMap", {"data": {"a": "b"}}, None),
    ("v1", "secrets", True, "Secret", {"data": {"a": "Yg=="}}, None),
    ("v1", "endpoints", True, "Endpoints", {"subsets": [{"addresses": [{"ip": "10.0.0.24"}], "ports": [{"port": 80}]}]}, None),
    ("v1", "events", True, "Event", {"involvedObject": {"kind": "Pod", "name": "p", "namespace": "life"}, "reason": "R", "type": "Normal", "count": 1}, None),
    ("v1", "limitranges", True, "LimitRange", {"spec": {"limits": [{"type": "Container", "default": {"cpu": "300m"}}]}}, None),
    ("v1", "namespaces", False, "Namespace", {}, {"conditions": [CONDITION]}),
    ("v1", "nodes", False, "Node", {}, {"phase": "Running"}),
    ("v1", "persistentvolumeclaims", True, "PersistentVolumeClaim", {"spec": CLAIM}, {"conditions": [CONDITION]}),
    ("v1", "persistentvolumes", False, "PersistentVolume", {"spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}}, {"phase": "Failed", "message": "StatusUpdate", "reason": "E2E"}),
    ("v1", "pods", True, "Pod", {"spec": POD}, {"conditions": [CONDITION]}),
    ("v1", "podtemplates", True, "PodTemplate", {"template": TEMPLATE}, None),
    ("v1", "replicationcontrollers", True, "ReplicationController", {"spec": {"replicas": 1, "selector": {"a": "b"}, "template": TEMPLATE}}, {"replicas": 1, "conditions": [CONDITION]}),
    ("v1", "resourcequotas", True, "ResourceQuota", {"spec": {"hard": {"secrets": "1k"}}}, {"hard": {"secrets": "1k"}, "used": {"secrets": "0"}}),
    ("v1", "serviceaccounts", True, "ServiceAccount", {}, None),
    ("v1", "services", True, "Service", {"spec": {"type": "LoadBalancer", "ports": [{"port": 80, "name": "http"}], "selector": {"a": "b"}}}, {"loadBalancer": {"ingress": [{"ip": "203.0.113.1", "ipMode": "VIP"}]}}),
    ("apps/v1", "controllerrevisions", True, "ControllerRevision", {"revision": 1, "data": {"spec": {}}}, None),
    ("apps/v1", "daemonsets", True, "DaemonSet", {"spec": {"selector": SELECTOR, "template": TEMPLATE}}, {"currentNumberScheduled": 0, "numberMisscheduled": 0, "desiredNumberScheduled": 0, "numberReady": 0, "conditions": [CONDITION]}),
    ("apps/v1", "deployments", True, "Deployment", {"spec": {"selector": SELECTOR, "template": TEMPLATE}}, {"conditions": [CONDITION]}),
    ("apps/v1", "replicasets", True, "ReplicaSet", {"spec": {"selector": SELECTOR, "template": TEMPLATE}}, {"replicas": 0, "conditions": [CONDITION]}),
    ("apps/v1", "statefulsets", True, "StatefulSet", {"spec": {"serviceName": "s", "selector": SELECTOR, "template": TEMPLATE}}, {"replicas": 0, "conditions": [CONDITION]}),
    ("autoscaling/v1", "horizontalpodautoscalers", True, "HorizontalPodAutoscaler", {"spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}}}, {"currentReplicas": 1, "desiredReplicas": 2}),
    ("autoscaling/v2", "horizontalpodautoscalers", True, "HorizontalPodAutoscaler", {"spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}}}, {"desiredReplicas": 2, "currentReplicas": 1, "currentMetrics": None, "conditions": [CONDITION]}),
    ("batch/v1", "cronjobs", True, "CronJob", {"spec": {"schedule": "*/1 * * * *", "jobTemplate": {"spec": {"template": {"spec": {**POD, "restartPolicy": "OnFailure"}}}}}}, {"lastScheduleTime": "2024-01-01T00:00:00Z"}),
    ("batch/v1", "jobs", True, "Job", {"spec": {"suspend": True, "template": {"spec": {**POD, "restartPolicy": "Never"}}}}, {"conditions": [CONDITION]}),
    ("certificates.k8s.io/v1", "certificatesigningrequests", False, "CertificateSigningRequest", {"spec": {"request": None, "signerName": "example.com/e2e", "usages": ["digital signature"], "expirationSeconds": 600}}, {"conditions": [{"type": "Failed", "status": "True", "reason": "E2E", "message": "m"}]}),
    ("coordination.k8s.io/v1", "leases", True, "Lease", {"spec": {"holderIdentity": "holder", "leaseDurationSeconds": 30, "acquireTime": MICRO, "renewTime": MICRO, "leaseTransitions": 0}}, None),
    ("discovery.k8s.io/v1", "endpointslices", True, "EndpointSlice", {"addressType": "IPv4", "endpoints": [{"addresses": ["1.2.3.4"]}], "ports": [{"name": "http", "port": 80, "protocol": "TCP"}]}, None),
    ("events.k8s.io/v1", "events", True, "Event", {"eventTime": MICRO, "reportingController": "example.com/c", "reportingInstance": "i", "action": "Do", "reason": "R", "type": "Normal", "regarding": {"kind": "Pod", "name": "p", "namespace": "life"}}, None),
    ("networking.k8s.io/v1", "ingresses", True, "Ingress", {"spec": {"defaultBackend": {"service": {"name": "s", "port": {"number": 80}}}}}, {"loadBalancer": {"ingress": [{"ip": "169.1.1.1"}]}}),
    ("networking.k8s.io/v1", "ingressclasses", False, "IngressClass", {"spec": {"controller": "example.com/controller"}}, None),
    ("networking.k8s.io/v1", "networkpolicies", True, "NetworkPolicy", {"spec": {"podSelector": SELECTOR, "policyTypes": ["Ingress"]}}, None),
    ("networking.k8s.io/v1", "servicecidrs", False, "ServiceCIDR", {"spec": {"cidrs": ["10.100.0.0/24"]}}, {"conditions": [{**CONDITION, "lastTransitionTime": "2024-01-01T00:00:00Z"}]}),
    ("networking.k8s.io/v1", "ipaddresses", False, "IPAddress", {"name": "10.100.0.7", "spec": {"parentRef": {"resource": "services", "namespace": "life", "name": "s"}}}, None),
    ("node.k8s.io/v1", "runtimeclasses", False, "RuntimeClass", {"handler": "handler"}, None),
    ("policy/v1", "poddisruptionbudgets", True, "PodDisruptionBudget", {"spec": {"minAvailable": "50%", "selector": SELECTOR}}, {"observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}),
    ("rbac.authorization.k8s.io/v1", "roles", True, "Role", {"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}, None),
    ("rbac.authorization.k8s.io/v1", "rolebindings", True, "RoleBinding", {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"}}, None),
    ("rbac.authorization.k8s.io/v1", "clusterroles", False, "ClusterRole", {"rules": []}, None),
    ("rbac.authorization.k8s.io/v1", "clusterrolebindings", False, "ClusterRoleBinding", {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "r"}}, None),
    ("resource.k8s.io/v1", "deviceclasses", False, "DeviceClass", {"spec": {"selectors": [{"cel": {"expression": "true"}}]}}, None),
    ("resource.k8s.io/v1", "resourceclaims", True, "ResourceClaim", {"spec": DEVICES}, {"allocation": {"devices": {}}}),
    ("resource.k8s.io/v1", "resourceclaimtemplates", True, "ResourceClaimTemplate", {"spec": {"spec": DEVICES}}, None),
    ("resource.k8s.io/v1", "resourceslices", False, "ResourceSlice", {"spec": {"driver": "d.example.com", "nodeName": "n", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}}, None),
    ("scheduling.k8s.io/v1", "priorityclasses", False, "PriorityClass", {"value": 7}, None),
    ("storage.k8s.io/v1", "csidrivers", False, "CSIDriver", {"spec": {"attachRequired": True, "podInfoOnMount": True, "volumeLifecycleModes": ["Persistent"]}}, None),
    ("storage.k8s.io/v1", "csinodes", False, "CSINode", {"spec": {"drivers": [{"name": "d.example.com", "nodeID": "n", "topologyKeys": None}]}}, None),
    ("storage.k8s.io/v1", "csistoragecapacities", True, "CSIStorageCapacity", {"storageClassName": "sc", "capacity": "1Gi"}, None),
    ("storage.k8s.io/v1", "storageclasses", False, "StorageClass", {"provisioner": "e2e.example.com", "reclaimPolicy": "Delete"}, None),
    ("storage.k8s.io/v1", "volumeattachments", False, "VolumeAttachment", {"spec": {"attacher": "d.example.com", "nodeName": "n", "source": {"persistentVolumeName": "pv"}}}, {"attached": True, "attachmentMetadata": {"a": "b"}}),
    ("storage.k8s.io/v1", "volumeattributesclasses", False, "VolumeAttributesClass", {"driverName": "d.example.com", "parameters": {"a": "b"}}, None),
    ("flowcontrol.apiserver.k8s.io/v1", "flowschemas", False, "FlowSchema", {"spec": {"matchingPrecedence": 10000, "priorityLevelConfiguration": {"name": "global-default"}, "distinguisherMethod": {"type": "ByUser"}, "rules": [{"subjects": [{"kind": "User", "user": {"name": "u"}}], "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]}]}}, {"conditions": [{"type": "Dangling", "status": "False", "reason": "E2E", "message": "m"}]}),
    ("flowcontrol.apiserver.k8s.io/v1", "prioritylevelconfigurations", False, "PriorityLevelConfiguration", {"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 2, "limitResponse": {"type": "Reject"}}}}, {"conditions": [{"type": "Foo", "status": "True", "reason": "E2E", "message": "m"}]}),
    ("admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations", False, "MutatingWebhookConfiguration", {"webhooks": [HOOK]}, None),
    ("admissionregistration.k8s.io/v1", "validatingwebhookconfigurations", False, "ValidatingWebhookConfiguration", {"webhooks": [HOOK]}, None),
    ("admissionregistration.k8s.io/v1", "validatingadmissionpolicies", False, "ValidatingAdmissionPolicy", {"spec": {"matchConstraints": {"resourceRules": RULES}, "validations": [{"expression": "object.spec.replicas <= 100"}]}}, {"conditions": [{**CONDITION, "lastTransitionTime": "2024-01-01T00:00:00Z"}]}),
    ("admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings", False, "ValidatingAdmissionPolicyBinding", {"spec": {"policyName": "p.example.com", "validationActions": ["Deny"]}}, None),
    ("admissionregistration.k8s.io/v1", "mutatingadmissionpolicybindings", False, "MutatingAdmissionPolicyBinding", {"spec": {"policyName": "p.example.com"}}, None),
    ("admissionregistration.k8s.io/v1", "mutatingadmissionpolicies", False, "MutatingAdmissionPolicy", {"spec": {"matchConstraints": {"resourceRules": RULES}, "reinvocationPolicy": "Never", "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}]}}, None),
]

# Kinds that answer a DELETE with the object instead of a Status.
ANSWER_OBJECT = {"Pod", "Service", "ServiceAccount", "PersistentVolumeClaim", "PersistentVolume", "ResourceQuota", "PodTemplate", "StorageClass", "CSIDriver", "Namespace", "VolumeAttributesClass",
    "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceClass", "CSINode", "VolumeAttachment"}
# Kinds that a controller has to let go of.
HELD = {"PersistentVolumeClaim", "PersistentVolume", "Namespace", "ReplicationController", "Job", "ServiceCIDR", "VolumeAttributesClass"}


def csr():
    import base64
    import subprocess
    pem = subprocess.run(["openssl", "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null", "-subj", "/O=e2e/CN=e2e"], capture_output=True, check=True).stdout
    return base64.b64encode(pem).decode()


def life(version, plural, namespaced, kind, says, status):
    root = "/api/v1" if version == "v1" else f"/apis/{version}"
    base = f"{root}/namespaces/life/{plural}" if namespaced else f"{root}/{plural}"
    everywhere = f"{root}/{plural}"
    what = f"{kind} of {version}"
    label = {"e2e": f"{version.split('.')[0].replace('/', '-')}-{plural}"[:63]}
    selector = f"e2e={label['e2e']}"
    says = dict(says)
    name = says.pop("name", f"e2e-{kind.lower()}")
    if kind == "CertificateSigningRequest":
        says["spec"] = {**says["spec"], "request": csr()}

    listed = c.get(root)["resources"]
    verbs = next(r["verbs"] for r in listed if r["name"] == plural)
    equal(f"{what}: discovery", verbs, ["create", "delete"] + ["deletecollection"] * (kind != "Namespace") + ["get", "list", "patch", "update", "watch"])

    def thing(name, **more):
        return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "labels": label, **more}, **says}

    watch = c.Watch(everywhere, labelSelector=selector)
    made = c.post(base, thing(name))
    if not equal(f"{what}: create", (made.status, made.message), (201, "")):
        return
    equal(f"{what}: create is kind first", list(made.body)[:3], ["kind", "apiVersion", "metadata"])
    one = f"{base}/{name}"
    equal(f"{what}: create again", (c.post(base, thing(name)).status, c.post(base, thing(name))["reason"]), (409, "AlreadyExists"))
    got = c.get(one)
    equal(f"{what}: get", got.body, made.body)
    for where in (base, everywhere):
        found = c.get(where, labelSelector=selector)
        equal(f"{what}: list", [item["metadata"]["name"] for item in found["items"] or []], [name])
        equal(f"{what}: kind of the list", found["kind"], f"{kind}List")
    event = watch.next("ADDED")
    check(f"{what}: ADDED", event and event["object"] == made.body, event)

    patched = c.patch(one, {"metadata": {"annotations": {"patched": "true"}}})
    equal(f"{what}: merge patch", (patched.status, patched.message), (200, ""))
    event = watch.next("MODIFIED")
    check(f"{what}: MODIFIED", event and event["object"] == patched.body, event)
    strategic = c.patch(one, {"metadata": {"annotations": {"strategic": "true"}}}, c.STRATEGIC)
    equal(f"{what}: strategic merge patch", (strategic.status, strategic.message), (200, ""))
    jsonp = c.patch(one, [{"op": "test", "path": "/metadata/annotations/strategic", "value": "true"}, {"op": "replace", "path": "/metadata/annotations/strategic", "value": "false"}], c.JSON_PATCH)
    equal(f"{what}: JSON patch", (jsonp.status, jsonp.message), (200, ""))
    applied = c.patch(one, {"apiVersion": version, "kind": kind, "metadata": {"name": name, "annotations": {"applied": "true"}}}, c.APPLY, fieldManager="e2e")
    equal(f"{what}: apply", (applied.status, applied.message), (200, ""))
    found = applied["metadata"]["annotations"]
    found.pop("deprecated.daemonset.template.generation", None)
    equal(f"{what}: annotations", found, {"patched": "true", "strategic": "false", "applied": "true"})

    current = applied.body
    old = current["metadata"]["resourceVersion"]
    current["metadata"]["annotations"]["updated"] = "true"
    updated = c.put(one, current)
    equal(f"{what}: update", (updated.status, updated.message), (200, ""))
    equal(f"{what}: stale update", c.put(one, current).status if updated.status == 200 and updated["metadata"]["resourceVersion"] != old else 409, 409)
    again = c.put(one, updated.body)
    check(f"{what}: an update that changes nothing keeps the version", again.status == 200 and again["metadata"]["resourceVersion"] == updated["metadata"]["resourceVersion"], (again.message, again.body))

    if status is not None:
        path = f"{one}/status"
        got = c.get(path)
        equal(f"{what}: get status", (got.status, got.body.get("kind")), (200, kind))
        first = c.patch(path, {"metadata": {"annotations": {"patchedstatus": "true"}}, "status": status})
        if equal(f"{what}: patch status", (first.status, first.message), (200, "")):
            found = first.body.get("status", {})
            for key, value in status.items():
                if key == "conditions":
                    check(f"{what}: condition", any(x["type"] == value[0]["type"] for x in found.get("conditions", [])), found)
                elif value is not None:
                    equal(f"{what}: status.{key}", found.get(key), value if value != 0 else found.get(key))
        second = c.get(path).body
        put = c.put(path, second)
        equal(f"{what}: update status", (put.status, put.message), (200, ""))
        bare = c.put(path, {**second, "spec": second.get("spec"), "metadata": {**second["metadata"], "labels": {}, "resourceVersion": ""}})
        check(f"{what}: update status without a version", bare.status in (200, 422), bare.body)

    for accept in ("application/yaml", "application/vnd.kubernetes.protobuf", "application/cbor", "application/json;as=Table;v=v1;g=meta.k8s.io", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"):
        for where in (one, base):
            if where == base and accept.endswith("PartialObjectMetadata;v=v1;g=meta.k8s.io"):
                accept = accept.replace("Metadata", "MetadataList")
            shown = c.call("GET", where, accept=accept)
            equal(f"{what}: GET as {accept}", shown.status, 200)
            if "Table" in accept:
                table = shown.body
                equal(f"{what}: row", any(row["object"]["metadata"]["name"] == name for row in table["rows"]), True)
                # kube-apiserver forgets to name the column of an IPAddress' age.
                columns = len(table["columnDefinitions"]) + (kind == "IPAddress")
                check(f"{what}: a cell for each column", all(len(row["cells"]) == columns for row in table["rows"]), table)
    # What was read as Protobuf goes in again as client-go sends it.
    wire = c.call("GET", one, accept="application/vnd.kubernetes.protobuf").raw
    back = c.call("PUT", one, wire, "application/vnd.kubernetes.protobuf", accept="application/vnd.kubernetes.protobuf,application/json")
    equal(f"{what}: Protobuf there and back", (back.status, back.raw[:300] if back.status != 200 else wire), (200, wire))
    equal(f"{what}: the answer is Protobuf", back.headers.get("content-type"), "application/vnd.kubernetes.protobuf")

    gone = c.delete(one, {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0, "propagationPolicy": "Background"})
    equal(f"{what}: delete", gone.status, 200)
    if gone["kind"] == "Status":
        equal(f"{what}: Status of delete", (gone["status"], gone["details"]["name"], gone["details"]["kind"]), ("Success", name, plural))
    equal(f"{what}: what delete answers", gone["kind"] == "Status", kind not in ANSWER_OBJECT)
    if kind in HELD and c.get(one).status == 200:
        c.patch(one, {"metadata": {"finalizers": None}})
        if kind == "Namespace":
            c.put(f"{one}/finalize", {"metadata": {"name": name}, "spec": {}})
    left = c.get(one)
    equal(f"{what}: gone", (left.status, left.body.get("reason")), (404, "NotFound"))
    equal(f"{what}: DELETED", (watch.next("DELETED") or {}).get("type"), "DELETED")
    equal(f"{what}: delete what is gone", c.delete(one).status, 404)
    watch.close()

    if "deletecollection" in verbs and name.startswith("e2e-"):
        for i in range(3):
            made = c.post(base, thing(f"{name}-{i}"))
            equal(f"{what}: create {i}", (made.status, made.message), (201, ""))
        page = c.get(base, labelSelector=selector, limit=2)
        equal(f"{what}: page", (len(page["items"]), bool(page["metadata"].get("continue"))), (2, True))
        rest = c.get(base, labelSelector=selector, limit=2, **{"continue": page["metadata"]["continue"]})
        equal(f"{what}: last page", (len(rest["items"]), rest["metadata"].get("continue")), (1, None))
        gone = c.delete(base, labelSelector=selector, gracePeriodSeconds=0)
        equal(f"{what}: deletecollection", (gone.status, gone["kind"]), (200, f"{kind}List"))
        if kind not in HELD:
            equal(f"{what}: all gone", c.get(base, labelSelector=selector)["items"], [])
        for i in range(3):
            c.patch(f"{base}/{name}-{i}", {"metadata": {"finalizers": None}})


def main():
    c.namespace("life")
    for row in KINDS:
        c.scenario(type("", (), {"__call__": lambda self: life(*row), "__name__": f"{row[3]} of {row[0]}"})())
    c.finish()


if __name__ == "__main__":
    main()
