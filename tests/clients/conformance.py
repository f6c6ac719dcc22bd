"""What Kubernetes' conformance suite does to the API server alone: no kubelet and no controller has a part in it."""

import base64
import threading
import time

import check as c
from check import APPLY, JSON_PATCH, MERGE, STRATEGIC, Watch, call, check, delete, equal, get, patch, post, put, scenario
from lifecycles import POD, TEMPLATE, csr

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def clean(name):
    """An empty namespace of that name; its path."""
    return c.namespace(f"e2e-{name}")


@scenario
def chunking():
    at = clean("chunking") + "/podtemplates"
    total = 40
    for i in range(total):
        post(at, {"metadata": {"name": f"template-{i:04}"}, "template": TEMPLATE})
    seen, token, version = 0, None, None
    while True:
        page = get(at, limit=7, **({"continue": token} if token else {})).body
        version = version or page["metadata"]["resourceVersion"]
        equal("every page is of the same version", page["metadata"]["resourceVersion"], version)
        for item in page["items"]:
            equal("in order", item["metadata"]["name"], f"template-{seen:04}")
            seen += 1
        token = page["metadata"].get("continue")
        equal("what is left", page["metadata"].get("remainingItemCount"), total - seen if token else None)
        if not token:
            break
    equal("all of them", (seen, len(get(at).body["items"]), "continue" in get(at)["metadata"]), (total, total, False))


@scenario
def tables():
    at = clean("tables")
    post(at + "/pods", {"metadata": {"name": "pod-1"}, "spec": POD})
    table = call("GET", at + "/pods/pod-1", accept=TABLE).body
    check("pod details", len(table["columnDefinitions"]) > 2 and table["rows"][0]["cells"][0] == "pod-1", table)
    for i in range(20):
        post(at + "/podtemplates", {"metadata": {"name": f"template-{i:04}"}, "template": TEMPLATE})
    page = call("GET", at + "/podtemplates", accept=TABLE, limit=2).body
    check("chunk", len(page["rows"]) == 2 and page["metadata"]["continue"] and page["metadata"]["remainingItemCount"] == 18, page["metadata"])
    rest = call("GET", at + "/podtemplates", accept=TABLE, **{"continue": page["metadata"]["continue"]}).body
    equal("rest", (len(rest["rows"]), rest["rows"][0]["cells"][0]), (18, "template-0002"))
    review = call("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}, accept=TABLE)
    equal("no tables of reviews", (review.status, review.body.get("reason")), (406, "NotAcceptable"))
    full = call("GET", at + "/pods", accept=TABLE, includeObject="Object").body
    equal("whole objects", full["rows"][0]["object"]["kind"], "Pod")
    none = call("GET", at + "/pods", accept=TABLE, includeObject="None").body
    equal("no objects", none["rows"][0]["object"], None)


@scenario
def watching():
    at = clean("watch") + "/configmaps"
    label = "watch-this-configmap"
    a = Watch(at, labelSelector=f"{label}=multiple-watchers-A")
    b = Watch(at, labelSelector=f"{label}=multiple-watchers-B")
    ab = Watch(at, labelSelector=f"{label} in (multiple-watchers-A,multiple-watchers-B)")
    one = at + "/a"
    made = post(at, {"metadata": {"name": "a", "labels": {label: "multiple-watchers-A"}}}).body
    changed = patch(one, {"data": {"mutation": "1"}}).body
    again = patch(one, {"data": {"mutation": "2"}}).body
    delete(one)
    for watch in (a, ab):
        for kind, expected in (("ADDED", made), ("MODIFIED", changed), ("MODIFIED", again)):
            event = watch.next()
            equal(kind, (event["type"], event["object"]), (kind, expected))
        equal("DELETED", watch.next()["type"], "DELETED")
    check("nothing for B", b.silent())
    for watch in (a, b, ab):
        watch.close()
    made = post(at, {"metadata": {"name": "b"}}).body
    first = patch(at + "/b", {"data": {"mutation": "1"}}).body["metadata"]["resourceVersion"]
    patch(at + "/b", {"data": {"mutation": "2"}})
    delete(at + "/b")
    watch = Watch(at, resourceVersion=first)
    equal("from a version", [watch.next()["type"] for _ in range(2)], ["MODIFIED", "DELETED"])
    watch.close()
    post(at, {"metadata": {"name": "c", "labels": {label: "x"}}})
    watch = Watch(at, labelSelector=f"{label}=x")
    for change, kind in ((None, "ADDED"), ("y", "DELETED"), ("x", "ADDED")):
        if change:
            patch(at + "/c", {"metadata": {"labels": {label: change}}})
        event = watch.next()
        equal(f"label {change}", event["type"], kind)
    watch.close()
    watches = [Watch(at) for _ in range(10)]
    for i in range(20):
        post(at, {"metadata": {"name": f"order-{i}"}})
    orders = []
    for watch in watches:
        order = []
        while len(order) < 21:
            order.append(watch.next()["object"]["metadata"]["resourceVersion"])
        orders.append(order)
        watch.close()
    check("many watches, one order", all(order == orders[0] for order in orders), orders)


@scenario
def field_validation():
    at = "/apis/apps/v1" + clean("fields").removeprefix("/api/v1") + "/deployments"
    body = """{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "%s", "labels": {"app": "nginx"}},
      "spec": {"unknown1": "val1", "unknownDupe": "valDupe", "unknownDupe": "valDupe2", "paused": true, "paused": false,
        "selector": {"matchLabels": {"app": "nginx"}},
        "template": {"metadata": {"labels": {"app": "nginx"}}, "spec": {"containers": [{"name": "nginx", "image": "nginx:latest",
          "unknownNested": "val1", "imagePullPolicy": "Always", "imagePullPolicy": "Never"}]}}}}"""
    strict = post(at, body % "d", fieldValidation="Strict")
    equal("strict", (strict.status, strict.message), (400, 'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.unknown1", unknown field "spec.unknownDupe", duplicate field "spec.paused", unknown field "spec.template.spec.containers[0].unknownNested", duplicate field "spec.template.spec.containers[0].imagePullPolicy"'))
    warned = post(at, body % "d", fieldValidation="Warn")
    equal("warn", (warned.status, len(warned.warnings)), (201, 5))
    ignored = post(at, body % "e", fieldValidation="Ignore")
    equal("ignore", (ignored.status, ignored.warnings), (201, []))
    wrong = post(at, body % "f", fieldValidation="Foo")
    equal("no such level", wrong.status, 422)
    unknown = patch(at + "/d", '{"spec": {"foo": "bar"}}', MERGE, fieldValidation="Strict")
    equal("merge patch", (unknown.status, 'unknown field "spec.foo"' in unknown.message), (422, True))
    applied = patch(at + "/d", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {unknown1: a}", APPLY, fieldManager="m", fieldValidation="Strict")
    equal("apply", (applied.status, ".spec.unknown1: field not declared in schema" in applied.message), (500, True))
    meta = post(at, {"metadata": {"name": "g", "unknownMeta": "x"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}}, fieldValidation="Strict")
    equal("metadata", (meta.status, 'unknown field "metadata.unknownMeta"' in meta.message), (400, True))


@scenario
def namespaces():
    clean("ns")
    one = "/api/v1/namespaces/e2e-ns"
    found = patch(one, {"metadata": {"labels": {"testLabel": "testValue"}}}, STRATEGIC)
    equal("label", found["metadata"]["labels"]["testLabel"], "testValue")
    condition = {"type": "StatusPatch", "status": "True", "reason": "E2E", "message": "Patched by an e2e test"}
    found = patch(one + "/status", {"metadata": {"annotations": {"patchedstatus": "true"}}, "status": {"conditions": [condition]}})
    equal("patched status", (found["metadata"]["annotations"], found["status"]["conditions"][0]["type"], found["status"]["phase"]), ({"patchedstatus": "true"}, "StatusPatch", "Active"))
    body = get(one + "/status").body
    body["status"]["conditions"].append({**condition, "type": "StatusUpdate"})
    equal("updated status", len(put(one + "/status", body)["status"]["conditions"]), 2)
    body = get(one).body
    body["spec"]["finalizers"] = ["kubernetes", "e2e.example.com/fakeFinalizer"]
    found = put(one + "/finalize", body)
    equal("finalizers", (found.status, found["spec"]["finalizers"]), (200, ["kubernetes", "e2e.example.com/fakeFinalizer"]))
    gone = delete(one)
    equal("deleted", (gone.status, gone["status"]["phase"]), (200, "Terminating"))
    made = post(one + "/configmaps", {"metadata": {"name": "x"}})
    equal("nothing new", (made.status, made["details"]["causes"][0]["reason"]), (403, "NamespaceTerminating"))
    body = get(one).body
    body["spec"]["finalizers"] = []
    equal("finalize", put(one + "/finalize", body).status, 200)
    equal("gone", get(one).status, 404)
    missing = post("/api/v1/namespaces/e2e-none/configmaps", {"metadata": {"name": "x"}})
    equal("no namespace", (missing.status, missing.message), (404, 'namespaces "e2e-none" not found'))
    for name in ("default", "kube-system", "kube-public"):
        equal(f"{name} stays", delete(f"/api/v1/namespaces/{name}").status, 403)


@scenario
def config_and_secrets():
    at = clean("config")
    bad = post(at + "/configmaps", {"metadata": {"name": "e"}, "data": {"": "v"}})
    equal("empty key of a ConfigMap", (bad.status, bad["details"]["causes"][0]["field"]), (422, "data[]"))
    bad = post(at + "/secrets", {"metadata": {"name": "e"}, "data": {"": "dg=="}})
    equal("empty key of a Secret", (bad.status, bad["details"]["causes"][0]["field"]), (422, "data[]"))
    secret = post(at + "/secrets", {"metadata": {"name": "s", "labels": {"t": "c"}}, "type": "Opaque", "stringData": {"k": "v"}})
    equal("stringData", (secret["data"], "stringData" in secret.body), ({"k": "dg=="}, False))
    found = patch(at + "/secrets/s", {"metadata": {"labels": {"t": "patched"}}, "data": {"k": base64.b64encode(b"v2").decode()}}, STRATEGIC)
    equal("patched", found["data"]["k"], "djI=")
    patch(at + "/secrets/s", {"immutable": True})
    found = patch(at + "/secrets/s", {"data": {"k": "djM="}})
    equal("immutable", (found.status, found.message), (422, 'Secret "s" is invalid: data: Forbidden: field is immutable when `immutable` is set'))
    equal("still labels", patch(at + "/secrets/s", {"metadata": {"labels": {"x": "y"}}}).status, 200)
    found = patch(at + "/secrets/s", {"immutable": False})
    equal("immutable for good", (found.status, found.message), (422, 'Secret "s" is invalid: immutable: Forbidden: field is immutable when `immutable` is set'))
    big = post(at + "/configmaps", {"metadata": {"name": "big"}, "data": {"a": "x" * (1024 * 1024 + 1)}})
    equal("too much data", (big.status, "Too long" in big.message), (422, True))
    huge = post(at + "/configmaps", b'{"metadata":{"name":"huge"},"data":{"a":"' + b"x" * (3 * 1024 * 1024) + b'"}}')
    equal("too long a request", huge.status, 413)


@scenario
def services():
    at = clean("services")
    services = at + "/services"
    a = post(services, {"metadata": {"name": "a"}, "spec": {"type": "ExternalName", "externalName": "foo.example.com"}})
    equal("ExternalName", (a.status, "clusterIP" in a["spec"]), (201, False))
    body = a.body
    body["spec"] = {"type": "ClusterIP", "ports": [{"port": 80, "name": "http", "protocol": "TCP"}]}
    found = put(services + "/a", body)
    check("to ClusterIP", found.status == 200 and found["spec"]["clusterIP"].startswith("10.96."), found.body)
    body = found.body
    body["spec"]["type"] = "NodePort"
    found = put(services + "/a", body)
    port = found["spec"]["ports"][0]["nodePort"]
    check("to NodePort", 30000 <= port <= 32767, found.body)
    body = found.body
    body["spec"] = {"type": "ExternalName", "externalName": "foo.example.com"}
    found = put(services + "/a", body)
    equal("back to ExternalName", (found.status, "clusterIP" in found.body["spec"]), (200, False))
    taken = post(services, {"metadata": {"name": "b"}, "spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": port}]}})
    equal("the port is free again", taken.status, 201)
    twice = post(services, {"metadata": {"name": "c"}, "spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": port}]}})
    equal("collision", (twice.status, f"spec.ports[0].nodePort: Invalid value: {port}: provided port is already allocated" in twice.message), (422, True))
    far = patch(services + "/b", {"spec": {"ports": [{"port": 80, "nodePort": 1234}]}})
    equal("out of range", (far.status, "provided port is not in the valid range. The range of valid ports is 30000-32767" in far.message), (422, True))
    ip = post(services, {"metadata": {"name": "d"}, "spec": {"ports": [{"port": 80}]}})["spec"]["clusterIP"]
    twice = post(services, {"metadata": {"name": "e"}, "spec": {"clusterIP": ip, "ports": [{"port": 80}]}})
    equal("an address twice", (twice.status, f"failed to allocate IP {ip}: provided IP is already allocated" in twice.message), (422, True))
    found = patch(services + "/d", {"spec": {"clusterIP": "10.96.200.200"}})
    equal("an address is for good", (found.status, "field is immutable" in found.message or "may not change once set" in found.message), (422, True))
    lb = post(services, {"metadata": {"name": "lb"}, "spec": {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": False, "ports": [{"port": 80}]}})
    equal("no node port", "nodePort" in lb["spec"]["ports"][0], False)
    found = patch(services + "/lb/status", {"status": {"loadBalancer": {"ingress": [{"ip": "203.0.113.1"}]}}})
    equal("load balancer", found["status"]["loadBalancer"]["ingress"][0], {"ip": "203.0.113.1", "ipMode": "VIP"})
    headless = post(services, {"metadata": {"name": "h"}, "spec": {"clusterIP": "None", "ports": [{"port": 80}]}})
    equal("headless", headless["spec"]["clusterIPs"], ["None"])
    found = patch(services + "/d", {"spec": {"sessionAffinity": "ClientIP"}})
    equal("session affinity", found["spec"]["sessionAffinityConfig"], {"clientIP": {"timeoutSeconds": 10800}})
    found = patch(services + "/d", {"spec": {"sessionAffinity": "None"}})
    equal("no session affinity", (found.status, "sessionAffinityConfig" in found.body.get("spec", {})), (200, False))
    proxied = post(services, {"metadata": {"name": "nodeport-lb"}, "spec": {"type": "NodePort", "ports": [{"port": 80, "name": "a"}, {"port": 80, "protocol": "UDP", "name": "b"}]}})
    equal("TCP and UDP", proxied.status, 201)
    gone = delete(services, labelSelector="none=such")
    equal("deletecollection", (gone.status, gone["kind"]), (200, "ServiceList"))


@scenario
def ingress_classes():
    at = "/apis/networking.k8s.io/v1" + clean("ingress").removeprefix("/api/v1") + "/ingresses"
    classes = "/apis/networking.k8s.io/v1/ingressclasses"
    spec = {"defaultBackend": {"service": {"name": "s", "port": {"number": 80}}}}
    found = post(at, {"metadata": {"name": "none"}, "spec": spec})
    equal("no default class", found["spec"].get("ingressClassName"), None)
    post(classes, {"metadata": {"name": "default-1", "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}}, "spec": {"controller": "example.com/c"}})
    found = post(at, {"metadata": {"name": "one"}, "spec": spec})
    equal("the default class", found["spec"].get("ingressClassName"), "default-1")
    time.sleep(1.1)
    post(classes, {"metadata": {"name": "default-0", "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}}, "spec": {"controller": "example.com/c"}})
    found = post(at, {"metadata": {"name": "newest"}, "spec": spec})
    equal("the newest of two", found["spec"].get("ingressClassName"), "default-0")
    found = post(classes, {"metadata": {"name": "scoped"}, "spec": {"controller": "example.com/c", "parameters": {"kind": "K", "name": "n", "scope": "Namespace", "namespace": "ns"}}})
    equal("parameters of a namespace", found.status, 201)
    found = patch(classes + "/scoped", {"spec": {"controller": "other.com/c"}})
    equal("its controller stays", (found.status, found.message), (422, 'IngressClass.networking.k8s.io "scoped" is invalid: spec.controller: Invalid value: "other.com/c": field is immutable'))
    for name in ("default-0", "default-1", "scoped"):
        delete(f"{classes}/{name}")


@scenario
def signing_requests():
    at = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    made = post(at, {"metadata": {"generateName": "e2e-example-csr-"}, "spec": {"request": csr(), "signerName": "example.com/e2e-x", "expirationSeconds": 3600, "usages": ["digital signature", "key encipherment", "server auth"]}})
    equal("create", (made.status, made["spec"]["username"], made["status"]), (201, "admin", {}))
    one = f"{at}/{made['metadata']['name']}"
    condition = {"type": "Approved", "status": "True", "reason": "E2E", "message": "Set from an e2e test"}
    found = patch(one + "/approval", {"metadata": {"annotations": {"patchedapproval": "true"}}, "status": {"conditions": [{**condition, "type": "ApprovalPatch"}]}})
    equal("patch approval", (found.status, found["status"]["conditions"][0]["type"], found["metadata"]["annotations"]), (200, "ApprovalPatch", {"patchedapproval": "true"}))
    body = found.body
    body["status"]["conditions"].append(condition)
    found = put(one + "/approval", body)
    equal("update approval", (found.status, len(found["status"]["conditions"])), (200, 2))
    check("times", all("lastUpdateTime" in x and "lastTransitionTime" in x for x in found["status"]["conditions"]), found.body)
    bad = patch(one + "/status", {"status": {"certificate": base64.b64encode(b"foo").decode()}})
    equal("no certificate", bad.status, 422)
    found = patch(one + "/status", {"metadata": {"annotations": {"patchedstatus": "true"}}, "status": {"conditions": None}})
    equal("approval is not the signer's to take back", found.status, 422)
    equal("approval is for good", patch(one + "/approval", {"status": {"conditions": None}}).status, 422)
    delete(one)


@scenario
def accounts_and_reviews():
    at = clean("auth")
    accounts = at + "/serviceaccounts"
    made = post(accounts, {"metadata": {"name": "testserviceaccount", "labels": {"l": "s"}}})
    equal("create", made.status, 201)
    equal("update", put(accounts + "/testserviceaccount", {**made.body, "automountServiceAccountToken": False})["automountServiceAccountToken"], False)
    token = post(accounts + "/testserviceaccount/token", {"spec": {"audiences": ["api"], "expirationSeconds": 600}})
    equal("token", (token.status, len(token["status"]["token"].split("."))), (201, 3))
    review = post("/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": post(accounts + "/testserviceaccount/token", {}).body["status"]["token"]}})
    equal("review", (review["status"]["authenticated"], review["status"]["user"]["username"]), (True, "system:serviceaccount:e2e-auth:testserviceaccount"))
    equal("groups", review["status"]["user"]["groups"], ["system:serviceaccounts", "system:serviceaccounts:e2e-auth", "system:authenticated"])
    review = post("/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": "nonsense"}})
    check("no token", not review["status"].get("authenticated"), review.body)
    user = "system:serviceaccount:e2e-auth:testserviceaccount"
    attributes = {"namespace": "e2e-auth", "verb": "list", "resource": "configmaps"}
    review = post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {"spec": {"resourceAttributes": attributes, "user": user, "groups": ["system:authenticated"]}})
    equal("subject", (review.status, isinstance(review["status"]["allowed"], bool)), (201, True))
    local = post("/apis/authorization.k8s.io/v1/namespaces/e2e-auth/localsubjectaccessreviews", {"spec": {"resourceAttributes": attributes, "user": user}, "metadata": {"namespace": "e2e-auth"}})
    equal("local", local.status, 201)
    mine = post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {})
    equal("self", (mine.status, mine["status"]["userInfo"]["username"]), (201, "admin"))
    as_other = call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, headers={"Impersonate-User": "jane", "Impersonate-Group": "system:authenticated", "Impersonate-Extra-Some": "x", "Impersonate-Uid": "7"})
    equal("impersonated", (as_other.status, as_other["status"]["userInfo"]), (201, {"username": "jane", "uid": "7", "groups": ["system:authenticated"], "extra": {"some": ["x"]}}))
    rules = post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {"spec": {"namespace": "e2e-auth"}})
    equal("rules", (rules.status, isinstance(rules["status"]["resourceRules"], list)), (201, True))


@scenario
def limits():
    at = clean("limits")
    limit = {"type": "Container", "min": {"cpu": "50m", "memory": "100Mi"}, "max": {"cpu": "500m", "memory": "500Mi"},
             "default": {"cpu": "300m", "memory": "300Mi"}, "defaultRequest": {"cpu": "100m", "memory": "200Mi"}}
    post(at + "/limitranges", {"metadata": {"name": "limit"}, "spec": {"limits": [limit]}})
    pod = post(at + "/pods", {"metadata": {"name": "no-resources"}, "spec": POD})
    equal("defaults", pod["spec"]["containers"][0]["resources"], {"limits": {"cpu": "300m", "memory": "300Mi"}, "requests": {"cpu": "100m", "memory": "200Mi"}})
    equal("annotation", "LimitRanger plugin set" in pod["metadata"]["annotations"]["kubernetes.io/limit-ranger"], True)
    partly = {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "300m"}, "requests": {"memory": "150Mi"}}}]}
    pod = post(at + "/pods", {"metadata": {"name": "partial"}, "spec": partly})
    equal("partly defaults", pod["spec"]["containers"][0]["resources"], {"limits": {"cpu": "300m", "memory": "300Mi"}, "requests": {"cpu": "300m", "memory": "150Mi"}})
    for name, wanted in (("min", {"requests": {"cpu": "10m", "memory": "50Mi"}}), ("max", {"requests": {"cpu": "600m"}, "limits": {"cpu": "600m"}})):
        pod = post(at + "/pods", {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i", "resources": wanted}]}})
        equal(f"beyond {name}", (pod.status, f"{name}imum cpu usage per Container is" in pod.message), (403, True))
    found = patch(at + "/limitranges/limit", {"metadata": {"labels": {"x": "y"}}, "spec": {"limits": [{"type": "Container", "min": {"cpu": "40m"}, "max": {"cpu": "500m"}, "default": {"cpu": "300m"}, "defaultRequest": {"cpu": "100m"}}]}}, STRATEGIC)
    equal("patch", found.status, 200)
    equal("in all namespaces", len(get("/api/v1/limitranges", labelSelector="x=y")["items"]), 1)


@scenario
def quotas():
    at = clean("quota")
    quotas = at + "/resourcequotas"
    made = post(quotas, {"metadata": {"name": "q", "labels": {"e2e": "q"}}, "spec": {"hard": {"configmaps": "2", "pods": "1"}}})
    equal("create", (made.status, made["status"]), (201, {}))
    found = patch(quotas + "/q/status", {"status": {"hard": {"configmaps": "2", "pods": "1"}, "used": {"configmaps": "0", "pods": "0"}}})
    equal("status", found["status"]["used"], {"configmaps": "0", "pods": "0"})
    for i in range(2):
        equal("within", post(at + "/configmaps", {"metadata": {"name": f"c{i}"}}).status, 201)
    over = post(at + "/configmaps", {"metadata": {"name": "c2"}})
    equal("beyond", (over.status, over.message), (403, 'configmaps "c2" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2'))
    found = get(quotas + "/q")
    equal("used", found["status"]["used"], {"configmaps": "2", "pods": "0"})
    dry = post(at + "/pods", {"metadata": {"name": "p"}, "spec": POD}, dryRun="All")
    equal("a dry run uses nothing", (dry.status, get(quotas + "/q")["status"]["used"]["pods"]), (201, "0"))
    bad = post(quotas, {"metadata": {"name": "b"}, "spec": {"hard": {"pods": "-1"}}})
    equal("negative", bad.status, 422)


@scenario
def priorities():
    at = "/apis/scheduling.k8s.io/v1/priorityclasses"
    for name, value in (("p1", 1), ("p2", 2)):
        equal(name, post(at, {"metadata": {"name": name}, "value": value}).status, 201)
    body = get(at + "/p1").body
    found = put(at + "/p1", {**body, "value": body["value"] * 10})
    equal("the value stays", (found.status, found.message), (422, 'PriorityClass.scheduling.k8s.io "p1" is invalid: value: Forbidden: may not be changed in an update.'))
    equal("description", patch(at + "/p1", {"description": "d"})["description"], "d")
    equal("preserved", post(at, {"metadata": {"name": "system-x"}, "value": 1}).status, 422)
    where = clean("priorities")
    pod = post(where + "/pods", {"metadata": {"name": "p"}, "spec": {**POD, "priorityClassName": "p2"}})
    equal("priority of a pod", (pod.status, pod["spec"].get("priority"), pod["spec"].get("preemptionPolicy")), (201, 2, "PreemptLowerPriority"))
    pod = post(where + "/pods", {"metadata": {"name": "q"}, "spec": {**POD, "priorityClassName": "none"}})
    equal("no such class", (pod.status, pod.message), (403, 'pods "q" is forbidden: no PriorityClass with name none was found'))
    for name in ("p1", "p2"):
        delete(f"{at}/{name}")


@scenario
def runtime_classes():
    at = clean("runtime")
    post("/apis/node.k8s.io/v1/runtimeclasses", {"metadata": {"name": "heavy"}, "handler": "runc", "overhead": {"podFixed": {"cpu": "10m", "memory": "1Mi"}}, "scheduling": {"nodeSelector": {"a": "b"}, "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoSchedule"}]}})
    pod = post(at + "/pods", {"metadata": {"name": "p"}, "spec": {**POD, "runtimeClassName": "heavy"}})
    equal("overhead", (pod.status, pod.body.get("spec", {}).get("overhead"), pod.body.get("spec", {}).get("nodeSelector")), (201, {"cpu": "10m", "memory": "1Mi"}, {"a": "b"}))
    pod = post(at + "/pods", {"metadata": {"name": "q"}, "spec": {**POD, "runtimeClassName": "none"}})
    equal("none", (pod.status, pod.message), (403, 'pods "q" is forbidden: pod rejected: RuntimeClass "none" not found'))
    delete("/apis/node.k8s.io/v1/runtimeclasses/heavy")


@scenario
def pods():
    at = clean("pods")
    pods = at + "/pods"
    made = post(pods, {"metadata": {"name": "p", "labels": {"a": "b"}}, "spec": POD})
    equal("create", (made.status, made["status"]["phase"], made["status"]["qosClass"]), (201, "Pending", "BestEffort"))
    found = patch(pods + "/p/status", {"metadata": {"annotations": {"patchedstatus": "true"}}, "status": {"message": "Patched by e2e test", "reason": "E2E"}})
    equal("status", (found["status"]["message"], found["status"]["phase"]), ("Patched by e2e test", "Pending"))
    found = patch(pods + "/p", {"spec": {"containers": [{"name": "c", "image": "other"}]}}, STRATEGIC)
    equal("image", (found.status, found["spec"]["containers"][0]["image"]), (200, "other"))
    found = patch(pods + "/p", {"spec": {"hostname": "x"}})
    equal("spec stays", (found.status, "pod updates may not change fields other than `spec.containers[*].image`" in found.message), (422, True))
    found = patch(pods + "/p", {"spec": {"activeDeadlineSeconds": 5}})
    equal("deadline", (found.status, found["spec"].get("activeDeadlineSeconds")), (200, 5))
    container = {"name": "debugger", "image": "busybox", "command": ["/bin/sh"], "stdin": True, "tty": True}
    body = get(pods + "/p/ephemeralcontainers").body
    body["spec"]["ephemeralContainers"] = [container]
    found = put(pods + "/p/ephemeralcontainers", body)
    equal("ephemeral container", (found.status, found["spec"]["ephemeralContainers"][0]["name"]), (200, "debugger"))
    found = patch(pods + "/p/ephemeralcontainers", {"spec": {"ephemeralContainers": [{"name": "d2", "image": "busybox"}]}}, STRATEGIC)
    equal("another", (found.status, [x["name"] for x in found["spec"]["ephemeralContainers"]]), (200, ["d2", "debugger"]))
    found = patch(pods + "/p/resize", {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}}, STRATEGIC)
    check("resize of a best-effort pod", found.status == 422, (found.status, found.message))
    bound = post(pods + "/p/binding", {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n1", "apiVersion": "v1"}})
    equal("binding", (bound.status, bound["kind"], bound["status"]), (201, "Status", "Success"))
    again = post(pods + "/p/binding", {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n2"}})
    equal("bound twice", (again.status, again.message), (409, 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"'))
    equal("by its node", [x["metadata"]["name"] for x in get("/api/v1/pods", fieldSelector="spec.nodeName=n1")["items"]], ["p"])
    watch = Watch(pods, fieldSelector="metadata.name=p")
    watch.next("ADDED")
    gone = delete(pods + "/p", {"gracePeriodSeconds": 30})
    equal("graceful", (gone.status, gone["metadata"]["deletionGracePeriodSeconds"]), (200, 30))
    equal("being deleted", watch.next()["type"], "MODIFIED")
    shorter = delete(pods + "/p", {"gracePeriodSeconds": 5})
    equal("shorter", shorter["metadata"]["deletionGracePeriodSeconds"], 5)
    delete(pods + "/p", {"gracePeriodSeconds": 0})
    equal("gone", watch.next("DELETED")["type"], "DELETED")
    equal("not found", (get(pods + "/p").status, get(pods + "/p").message), (404, 'pods "p" not found'))
    post(pods, {"metadata": {"name": "e"}, "spec": POD})
    found = post(pods + "/e/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "e"}})
    equal("eviction", (found.status, found["status"]), (201, "Success"))
    equal("evicted", get(pods + "/e").status, 404)
    precondition = delete(pods + "/none", {"preconditions": {"uid": "x"}})
    equal("delete nothing", precondition.status, 404)
    for path, accept in (("log", "*/*"), ("log", "application/json")):
        post(pods, {"metadata": {"name": "l"}, "spec": POD})
        check(f"{path} of a pod without a node", call("GET", f"{pods}/l/{path}", accept=accept).status in (200, 204), path)


@scenario
def budgets():
    at = clean("budget")
    budgets = "/apis/policy/v1" + at.removeprefix("/api/v1") + "/poddisruptionbudgets"
    made = post(budgets, {"metadata": {"name": "foo", "labels": {"x": "y"}}, "spec": {"selector": {"matchLabels": {"foo": "bar"}}, "minAvailable": 1}})
    equal("create", made.status, 201)
    post(at + "/pods", {"metadata": {"name": "p", "labels": {"foo": "bar"}}, "spec": POD})
    patch(at + "/pods/p/status", {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})
    held = post(at + "/pods/p/eviction", {"metadata": {"name": "p"}})
    equal("not observed", (held.status, held["details"]["causes"][0]["reason"]), (429, "DisruptionBudget"))
    patch(budgets + "/foo/status", {"status": {"observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}})
    held = post(at + "/pods/p/eviction", {"metadata": {"name": "p"}})
    equal("held", (held.status, held.message, held["details"]["causes"][0]["message"]), (429, "Cannot evict pod as it would violate the pod's disruption budget.", "The disruption budget foo needs 1 healthy pods and has 1 currently"))
    patch(budgets + "/foo/status", {"status": {"disruptionsAllowed": 1, "currentHealthy": 2, "expectedPods": 2}})
    equal("allowed", post(at + "/pods/p/eviction", {"metadata": {"name": "p"}}).status, 201)
    found = get(budgets + "/foo")
    equal("counted", (found["status"]["disruptionsAllowed"], list(found["status"].get("disruptedPods", {}))), (0, ["p"]))


@scenario
def scaling():
    at = "/apis/apps/v1" + clean("scale").removeprefix("/api/v1")
    for plural, extra in (("deployments", {}), ("replicasets", {}), ("statefulsets", {"serviceName": "s"})):
        made = post(f"{at}/{plural}", {"metadata": {"name": "x"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE, **extra}})
        equal(f"{plural}", made.status, 201)
        scale = get(f"{at}/{plural}/x/scale")
        equal("scale", (scale["kind"], scale["apiVersion"], scale["spec"], scale["status"]["selector"]), ("Scale", "autoscaling/v1", {"replicas": 1}, "a=b"))
        body = scale.body
        body["spec"]["replicas"] = 2
        equal("put", put(f"{at}/{plural}/x/scale", body)["spec"], {"replicas": 2})
        found = patch(f"{at}/{plural}/x/scale", {"spec": {"replicas": 4}}, STRATEGIC)
        equal("strategic", (found.status, found["spec"]), (200, {"replicas": 4}))
        equal("the object", get(f"{at}/{plural}/x")["spec"]["replicas"], 4)
    found = patch(f"{at}/deployments/x", {"spec": {"selector": {"matchLabels": {"c": "d"}}}})
    equal("selector stays", found.status, 422)
    job = "/apis/batch/v1" + at.removeprefix("/apis/apps/v1") + "/jobs"
    made = post(job, {"metadata": {"name": "j"}, "spec": {"suspend": True, "template": {"spec": {**POD, "restartPolicy": "Never"}}}})
    equal("job", (made.status, made["spec"]["template"]["metadata"]["labels"]["batch.kubernetes.io/job-name"]), (201, "j"))
    found = patch(job + "/j/status", {"metadata": {"annotations": {"patchedstatus": "true"}}, "status": {"startTime": "2024-01-01T00:00:00Z"}})
    equal("status of a job", (found.status, found["metadata"]["annotations"]), (200, {"patchedstatus": "true"}))


@scenario
def nodes():
    at = "/api/v1/nodes"
    made = post(at, {"metadata": {"name": "e2e-fake-node"}, "spec": {"unschedulable": False}, "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})
    equal("create", made.status, 201)
    one = at + "/e2e-fake-node"
    found = patch(one, {"metadata": {"labels": {"e2e": "patched"}}}, STRATEGIC)
    equal("patch", found["metadata"]["labels"], {"e2e": "patched"})
    found = patch(one + "/status", {"status": {"allocatable": {"cpu": "1", "example.com/foo": "5"}, "capacity": {"cpu": "1", "example.com/foo": "5"}}})
    equal("status", found["status"]["allocatable"], {"cpu": "1", "example.com/foo": "5"})
    found = patch(one, [{"op": "add", "path": "/spec/taints", "value": [{"key": "k", "effect": "NoSchedule"}]}], JSON_PATCH)
    equal("taints", (found.status, found["spec"]["taints"]), (200, [{"key": "k", "effect": "NoSchedule"}]))
    equal("deletecollection", delete(at, labelSelector="e2e=patched").status, 200)
    equal("gone", get(one).status, 404)


@scenario
def events():
    at = clean("events") + "/events"
    label = {"testevent-set": "true"}
    made = post(at, {"metadata": {"name": "e", "labels": label}, "involvedObject": {"kind": "Pod", "namespace": "e2e-events"}, "message": "This is a test event", "reason": "Test", "type": "Normal", "source": {"component": "c"}, "count": 1, "firstTimestamp": "2024-01-01T00:00:00Z", "lastTimestamp": "2024-01-01T00:00:00Z"})
    equal("create", made.status, 201)
    found = patch(at + "/e", {"message": "This is a test event - patched"}, STRATEGIC)
    equal("patch", found["message"], "This is a test event - patched")
    new = "/apis/events.k8s.io/v1/namespaces/e2e-events/events"
    found = get(new + "/e")
    equal("in the other group", (found["apiVersion"], found["note"], found["deprecatedCount"]), ("events.k8s.io/v1", "This is a test event - patched", 1))
    for selector in ("reason=Test", "involvedObject.kind=Pod", "type=Normal", "source=c", "involvedObject.namespace=e2e-events"):
        equal(selector, len(get(at, fieldSelector=selector)["items"]), 1)
    equal("elsewhere", post(at, {"metadata": {"name": "f"}, "involvedObject": {"namespace": "other"}}).status, 422)
    series = patch(at + "/e", {"series": {"count": 100, "lastObservedTime": "2024-01-01T00:00:00.000000Z"}}, STRATEGIC)
    equal("series", series.status, 200)
    equal("deletecollection", delete(at, labelSelector="testevent-set=true").status, 200)


@scenario
def server_side_apply():
    at = "/apis/apps/v1" + clean("apply").removeprefix("/api/v1") + "/deployments"
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "labels": {"app": "nginx"}}, "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "nginx"}}, "template": {"metadata": {"labels": {"app": "nginx"}}, "spec": {"containers": [{"name": "nginx", "image": "nginx:latest"}]}}}}
    made = patch(at + "/d", body, APPLY, fieldManager="apply_test")
    equal("create", (made.status, made["metadata"]["managedFields"][0]["operation"]), (201, "Apply"))
    again = patch(at + "/d", body, APPLY, fieldManager="apply_test")
    equal("nothing to do", (again.status, again["metadata"]["resourceVersion"]), (200, made["metadata"]["resourceVersion"]))
    equal("no manager", patch(at + "/d", body, APPLY).status, 422)
    patch(at + "/d", {"spec": {"replicas": 5}}, MERGE, fieldManager="replacer")
    lost = patch(at + "/d", body, APPLY, fieldManager="apply_test")
    equal("conflict", (lost.status, lost.message), (409, 'Apply failed with 1 conflict: conflict with "replacer" using apps/v1: .spec.replicas'))
    equal("cause", lost["details"]["causes"], [{"reason": "FieldManagerConflict", "message": 'conflict with "replacer" using apps/v1', "field": ".spec.replicas"}])
    forced = patch(at + "/d", body, APPLY, fieldManager="apply_test", force="true")
    equal("forced", (forced.status, forced["spec"]["replicas"]), (200, 3))
    del body["metadata"]["labels"]
    found = patch(at + "/d", body, APPLY, fieldManager="apply_test")
    equal("what is left out goes", "labels" in found["metadata"], False)
    status = patch(at + "/d/status", {"apiVersion": "apps/v1", "kind": "Deployment", "status": {"conditions": [{"type": "MyStatus", "status": "True"}]}}, APPLY, fieldManager="status")
    equal("status", (status.status, any(x.get("subresource") == "status" for x in status["metadata"]["managedFields"])), (200, True))
    found = patch(at + "/d", [{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}], JSON_PATCH)
    equal("stripped", "managedFields" in found["metadata"], False)
    dry = patch(at + "/new", {**body, "metadata": {"name": "new"}}, APPLY, fieldManager="m", dryRun="All")
    equal("dry run", (dry.status, get(at + "/new").status), (201, 404))
    names = [{**body, "metadata": {"name": "x"}}]
    equal("another name", patch(at + "/y", names[0], APPLY, fieldManager="m").status, 400)


@scenario
def volumes():
    at = clean("volumes")
    pv = post("/api/v1/persistentvolumes", {"metadata": {"generateName": "pv-", "labels": {"e2e": "pv"}}, "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Retain", "csi": {"driver": "d.example.com", "volumeHandle": "h"}}})
    equal("volume", (pv.status, pv["status"]["phase"], pv["metadata"]["finalizers"]), (201, "Pending", ["kubernetes.io/pv-protection"]))
    one = "/api/v1/persistentvolumes/" + pv["metadata"]["name"]
    found = patch(one + "/status", {"status": {"message": "StatusPatch", "reason": "E2E patch"}})
    equal("status", found["status"]["message"], "StatusPatch")
    found = patch(one, {"spec": {"csi": {"volumeHandle": "other"}}})
    equal("source stays", (found.status, "spec.persistentvolumesource is immutable after creation" in found.message.lower()), (422, True))
    claim = post(at + "/persistentvolumeclaims", {"metadata": {"name": "c"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": ""}})
    equal("claim", (claim.status, claim["status"], claim["metadata"]["finalizers"]), (201, {"phase": "Pending"}, ["kubernetes.io/pvc-protection"]))
    found = patch(at + "/persistentvolumeclaims/c/status", {"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}, "conditions": [{"type": "StatusPatch", "status": "True"}]}})
    equal("bound", found["status"]["phase"], "Bound")
    classes = "/apis/storage.k8s.io/v1/storageclasses"
    post(classes, {"metadata": {"name": "e2e-default", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}, "provisioner": "x.example.com", "allowVolumeExpansion": True})
    claim = post(at + "/persistentvolumeclaims", {"metadata": {"name": "d"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
    equal("the default class", claim["spec"].get("storageClassName"), "e2e-default")
    delete(classes + "/e2e-default")
    for name in ("c", "d"):
        delete(at + "/persistentvolumeclaims/" + name)
        patch(at + "/persistentvolumeclaims/" + name, {"metadata": {"finalizers": None}})
    delete(one)
    patch(one, {"metadata": {"finalizers": None}})
    equal("gone", get(one).status, 404)


@scenario
def admission_registration():
    at = "/apis/admissionregistration.k8s.io/v1"
    hook = {"name": "validation.example.com", "clientConfig": {"service": {"namespace": "n", "name": "s", "path": "/p", "port": 443}}, "rules": [{"operations": ["CREATE"], "apiGroups": ["nope"], "apiVersions": ["v1"], "resources": ["nope"]}], "sideEffects": "None", "admissionReviewVersions": ["v1"]}
    made = post(f"{at}/validatingwebhookconfigurations", {"metadata": {"name": "e2e-hook", "labels": {"e2e": "h"}}, "webhooks": [hook]})
    equal("webhook", (made.status, made["webhooks"][0]["failurePolicy"], made["webhooks"][0]["timeoutSeconds"]), (201, "Fail", 10))
    found = patch(f"{at}/validatingwebhookconfigurations/e2e-hook", [{"op": "replace", "path": "/webhooks/0/rules/0/operations", "value": ["UPDATE"]}], JSON_PATCH)
    equal("patched", found["webhooks"][0]["rules"][0]["operations"], ["UPDATE"])
    delete(f"{at}/validatingwebhookconfigurations/e2e-hook")
    policy = {"metadata": {"name": "e2e-policy"}, "spec": {"matchConstraints": {"resourceRules": [{"apiGroups": ["nope"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["nope"]}]}, "validations": [{"expression": "object.spec.replicas > 1", "messageExpression": "'wants ' + string(2)"}]}}
    made = post(f"{at}/validatingadmissionpolicies", policy)
    equal("policy", (made.status, made["spec"]["failurePolicy"], made["metadata"]["generation"]), (201, "Fail", 1))
    found = patch(f"{at}/validatingadmissionpolicies/e2e-policy", {"spec": {"failurePolicy": "Ignore"}})
    equal("generation", found["metadata"]["generation"], 2)
    delete(f"{at}/validatingadmissionpolicies/e2e-policy")


@scenario
def discovery():
    for group in get("/apis")["groups"]:
        one = get(f"/apis/{group['name']}")
        equal(group["name"], (one["kind"], one["preferredVersion"]), ("APIGroup", group["preferredVersion"]))
        for version in group["versions"]:
            listed = get(f"/apis/{version['groupVersion']}")
            equal(version["groupVersion"], (listed["kind"], listed["groupVersion"]), ("APIResourceList", version["groupVersion"]))
    equal("versions", get("/api")["versions"], ["v1"])
    equal("version", get("/version")["minor"], "36")


@scenario
def owners():
    at = clean("owners") + "/configmaps"
    owner = post(at, {"metadata": {"name": "owner"}}).body
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"], "blockOwnerDeletion": True, "controller": True}
    equal("owned", post(at, {"metadata": {"name": "owned", "ownerReferences": [reference]}}).status, 201)
    two = post(at, {"metadata": {"name": "two", "ownerReferences": [reference, {**reference, "uid": "x"}]}})
    equal("one controller", (two.status, "Only one reference can have Controller set to true" in two.message), (422, True))
    gone = delete(at + "/owner", {"propagationPolicy": "Foreground"})
    equal("foreground", (gone.status, get(at + "/owner")["metadata"]["finalizers"]), (200, ["foregroundDeletion"]))
    both = delete(at + "/owned", {"propagationPolicy": "Orphan", "orphanDependents": True})
    equal("both", both.status, 422)
    gone = delete(at + "/owned", {"orphanDependents": True})
    equal("orphan", get(at + "/owned")["metadata"]["finalizers"], ["orphan"])
    stale = delete(at + "/owned", {"preconditions": {"resourceVersion": "1"}})
    equal("precondition", (stale.status, stale["reason"]), (409, "Conflict"))


@scenario
def generated_names():
    at = clean("names") + "/configmaps"
    names = set()
    threads = [threading.Thread(target=lambda: names.add(post(at, {"metadata": {"generateName": "x-"}})["metadata"]["name"])) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("names", len(names) == 20 and all(name.startswith("x-") and len(name) == 7 for name in names), sorted(names))


if __name__ == "__main__":
    c.finish()
