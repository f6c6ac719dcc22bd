#!/usr/bin/env python3
"""Plays scenes against a real kube-apiserver with its kube-controller-manager, and writes down what they leave at rest: see README.md."""

import json
import re
import ssl
import sys
import time
import urllib.error
import urllib.request

# The collections whose objects are compared.
COLLECTIONS = [
    "/api/v1/namespaces/{ns}/configmaps",
    "/api/v1/namespaces/{ns}/endpoints",
    "/api/v1/namespaces/{ns}/persistentvolumeclaims",
    "/api/v1/namespaces/{ns}/pods",
    "/api/v1/namespaces/{ns}/replicationcontrollers",
    "/api/v1/namespaces/{ns}/resourcequotas",
    "/api/v1/namespaces/{ns}/serviceaccounts",
    "/apis/apps/v1/namespaces/{ns}/controllerrevisions",
    "/apis/apps/v1/namespaces/{ns}/daemonsets",
    "/apis/apps/v1/namespaces/{ns}/deployments",
    "/apis/apps/v1/namespaces/{ns}/replicasets",
    "/apis/apps/v1/namespaces/{ns}/statefulsets",
    "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
    "/apis/batch/v1/namespaces/{ns}/cronjobs",
    "/apis/batch/v1/namespaces/{ns}/jobs",
    "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
    "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
    "/apis/scenes.example.com/v1/namespaces/{ns}/scalers",
    "/apis/scenes.example.com/v1/namespaces/{ns}/widgets",
]
# The uid that stands for that of an object which is not there.
NOBODY = "11111111-1111-4111-8111-111111111111"
TIMES = {
    "batch.kubernetes.io/cronjob-scheduled-timestamp",
    "completionTime",
    "creationTimestamp",
    "deletionTimestamp",
    "endpoints.kubernetes.io/last-change-trigger-time",
    "finishedAt",
    "lastHeartbeatTime",
    "lastPhaseTransitionTime",
    "lastProbeTime",
    "lastScaleTime",
    "lastScheduleTime",
    "lastSuccessfulTime",
    "lastTransitionTime",
    "lastUpdateTime",
    "startTime",
    "startedAt",
    "timeAdded",
}


class Server:
    def __init__(self, url, token):
        self.url, self.token = url, token
        self.context = ssl.create_default_context()
        self.context.check_hostname = False
        self.context.verify_mode = ssl.CERT_NONE

    def call(self, method, path, body=None, media_type="application/json"):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": media_type, "User-Agent": "scene"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, context=self.context) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            text = error.read().decode()
            return error.code, json.loads(text) if text.startswith("{") else text


def replace(value, words):
    if isinstance(value, dict):
        return {key: replace(item, words) for key, item in value.items()}
    if isinstance(value, list):
        return [replace(item, words) for item in value]
    if isinstance(value, str):
        for word, by in words:
            value = value.replace(word, by)
        value = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID", value)
        value = re.sub(r"\b(pods?:? \"?[a-z0-9/-]*-)[bcdfghjklmnpqrstvwxz2456789]{5}\b", r"\1xxxxx", value)
        return re.sub(r"-[0-9]{8}(?![0-9a-z])", "-MINUTES", value)
    return value


def plain(object):
    """Leaves out what is another each time."""
    metadata = object["metadata"]
    for key in ["resourceVersion", "uid", "selfLink"]:
        metadata.pop(key, None)
    if "generateName" in metadata:
        metadata["name"] = metadata["generateName"] + "xxxxx"
    elif object["kind"] == "EndpointSlice":
        # Who mirrors Endpoints does not keep it.
        metadata["name"] = metadata["name"][:-5] + "xxxxx"
    managers = metadata.pop("managedFields", [])
    lines = {" ".join([entry["manager"], entry["operation"], entry.get("subresource", "")]).strip() for entry in managers}
    metadata["managers"] = sorted(lines)

    def times(value):
        if isinstance(value, dict):
            for key, item in value.items():
                if key in TIMES and item:
                    value[key] = "TIME"
                elif key == "resourceVersion":
                    value[key] = "VERSION"
                else:
                    times(item)
        elif isinstance(value, list):
            for item in value:
                times(item)

    times(object)
    return object


def grouped(objects):
    """Counts objects that are the same."""
    texts = {}
    for object in objects:
        text = json.dumps(object, sort_keys=True)
        texts[text] = texts.get(text, 0) + 1
    return [{"count": count, "object": json.loads(text)} for text, count in sorted(texts.items())]


def read(server, namespace, also):
    objects = []
    for path in COLLECTIONS + also:
        status, listed = server.call("GET", path.format(ns=namespace))
        if status == 200:
            kind = listed["kind"].removesuffix("List")
            objects += [{"kind": kind, **item} for item in listed["items"]]
    status, own = server.call("GET", f"/api/v1/namespaces/{namespace}")
    if status == 200:
        own.pop("apiVersion")
        objects.append(own)
    _, events = server.call("GET", f"/api/v1/namespaces/{namespace}/events")
    events = events["items"]
    if also:
        # Events about objects that are in no namespace.
        _, others = server.call("GET", "/api/v1/namespaces/default/events")
        events += [event for event in others["items"] if event["involvedObject"]["name"].startswith(namespace + ".")]
    return objects, events


def state(server, namespace, with_events, also):
    objects, events = read(server, namespace, also)
    words = [(object["metadata"]["uid"], "UID of " + object["kind"]) for object in objects]
    found = [replace(plain(object), words) for object in objects]
    for object in found:
        if object["kind"] == "ConfigMap" and object["metadata"]["name"] == "kube-root-ca.crt":
            object["data"] = {"ca.crt": "CERTIFICATE"}
        if "subsets" in object:
            # Their order is that of hashes of uids, among other things.
            object["subsets"].sort(key=lambda subset: json.dumps(subset, sort_keys=True, separators=(",", ":")))
    lines = []
    for event in events if with_events else []:
        about = event["involvedObject"]
        source = event["source"].get("component", event.get("reportingComponent", ""))
        text = f"{event['type']} {event['reason']} {event['count']}x {about['kind']}/{about['name']} {source}: {event['message']}"
        lines.append(replace(text, words))
    return {"objects": grouped(found), "events": sorted(lines)}


def settle(server, namespace, also):
    """Waits until nothing has changed for a while."""
    last, same = None, 0
    while same < 5:
        time.sleep(0.3)
        now = json.dumps(read(server, namespace, also), sort_keys=True)
        same = same + 1 if now == last else 0
        last = now


def finish(server, namespace, step):
    """Ends all pods that a selector matches, one after the other."""
    _, pods = server.call("GET", f"/api/v1/namespaces/{namespace}/pods?labelSelector={step['finish']}")
    for pod in pods["items"]:
        if pod["status"]["phase"] not in ["Pending", "Running"]:
            continue
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        state = {"terminated": {"exitCode": step.get("exit", 0), "startedAt": now, "finishedAt": now}}
        statuses = [
            {"name": one["name"], "image": one["image"], "imageID": "", "ready": False, "restartCount": 0, "state": state}
            for one in pod["spec"]["containers"]
        ]
        path = f"/api/v1/namespaces/{namespace}/pods/{pod['metadata']['name']}/status"
        body = {"status": {"phase": step["phase"], "containerStatuses": statuses}}
        server.call("PATCH", path, body, "application/merge-patch+json")
        time.sleep(0.4)


def play(server, scene, name):
    namespace = "scene-" + name
    also = scene.get("also", [])
    for step in scene["steps"]:
        begun = time.monotonic()
        if "second" in step:
            time.sleep((step["second"] - time.time()) % 60)
            settle(server, namespace, also)
        if "request" in step:
            method, path = step["request"].replace("{ns}", namespace).split(" ")
            body = json.loads(json.dumps(step.get("body")).replace("{ns}", namespace))
            for uid in re.findall(r"\{uid ([^}]*)\}", json.dumps(body)):
                _, object = server.call("GET", uid.replace("{ns}", namespace))
                found = object["metadata"].get("uid", NOBODY)
                body = json.loads(json.dumps(body).replace("{uid " + uid + "}", found))
            status, response = server.call(method, path, body, step.get("type", "application/json"))
            if "code" in step:
                step["code"] = status
            elif status >= 400:
                sys.exit(f"{name}: {method} {path}: {response}")
        if "ready" in step:
            _, pods = server.call("GET", f"/api/v1/namespaces/{namespace}/pods?labelSelector={step['ready']}")
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            condition = {"type": "Ready", "status": "True", "lastTransitionTime": now}
            for number, pod in enumerate(pods["items"]):
                if pod["status"]["phase"] == "Pending":
                    path = f"/api/v1/namespaces/{namespace}/pods/{pod['metadata']['name']}/status"
                    body = {"status": {"phase": "Running", "conditions": [condition]}}
                    if "network" in step:
                        address = f"{step['network']}.{number + 1}"
                        body["status"].update({"podIP": address, "podIPs": [{"ip": address}]})
                    server.call("PATCH", path, body, "application/merge-patch+json")
                    # Who hears of several at once does less than who hears of one after the other.
                    time.sleep(0.4)
        if "finish" in step:
            finish(server, namespace, step)
        time.sleep(step.get("wait", 0))
        settle(server, namespace, also)
        if "took" in step:
            step["took"] = round(time.monotonic() - begun, 1)
        if "expect" in step:
            step["expect"] = state(server, namespace, scene.get("events", True), also)


def written(scene):
    """Writes a scene with one step a line."""
    steps = ",\n".join(json.dumps(step, ensure_ascii=False) for step in scene["steps"])
    head = "".join(f"{json.dumps(key)}: {json.dumps(scene[key])},\n" for key in scene if key != "steps")
    return "{" + head + '"steps": [\n' + steps + "\n]}\n"


def main():
    url, token, *files = sys.argv[1:]
    server = Server(url, token)
    for file in files:
        with open(file) as text:
            scene = json.load(text)
        play(server, scene, file.rsplit("/")[-1].removesuffix(".json"))
        with open(file, "w") as text:
            text.write(written(scene))
        print(file)


main()
