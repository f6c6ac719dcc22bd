#!/usr/bin/env python3
"""Makes random scenes for record.py: random_scenes.py SEED COUNT FOLDER. The same seed makes the same scenes. See README.md."""

import json
import random
import sys
from pathlib import Path

MERGE = "application/merge-patch+json"
STEPS = 9


def path(kind, name=""):
    """Returns the path of a collection in the scene's namespace, or of an object."""
    groups = {
        "apps/v1": ["deployments", "statefulsets", "replicasets", "daemonsets"],
        "batch/v1": ["jobs", "cronjobs"],
        "policy/v1": ["poddisruptionbudgets"],
    }
    group = next((f"/apis/{group}" for group, kinds in groups.items() if kind in kinds), "/api/v1")
    return f"{group}/namespaces/{{ns}}/{kind}" + (f"/{name}" if name else "")


class Scene:
    """A scene that is being made."""

    def __init__(self, seed, name):
        self.random, self.name, self.steps, self.kinds = random.Random(seed), name, [], []
        self.send("POST", "/api/v1/namespaces", {"metadata": {"name": "{ns}"}})

    def one(self, *choices):
        return self.random.choice(choices)

    def maybe(self, chance=0.5):
        return self.random.random() < chance

    def some(self, fields, chance=0.35):
        """Returns some of these fields, each by chance. A list is what one of is taken."""
        return {key: self.random.choice(values) for key, values in fields.items() if self.maybe(chance)}

    def send(self, method, target, body=None, media_type=None):
        step = {"request": f"{method} {target}", "code": None}
        if media_type:
            step["type"] = media_type
        if body is not None:
            step["body"] = body
        self.steps.append(step)

    def patch(self, kind, name, body):
        self.send("PATCH", path(kind, name), body, MERGE)

    def delete(self, kind, name):
        policy = self.one(None, "Background", "Foreground", "Orphan")
        self.send("DELETE", path(kind, name) + (f"?propagationPolicy={policy}" if policy else ""))

    def template(self, app, **more):
        labels = {"app": app, **self.some({"tier": ["front", "back"]}, 0.2)}
        spec = {"containers": [{"name": "c", "image": self.one("nginx:1", "nginx:2")}], "terminationGracePeriodSeconds": 0, **more}
        return {"metadata": {"labels": labels}, "spec": spec}

    def image(self, kind, name):
        containers = [{"name": "c", "image": self.one("nginx:1", "nginx:2", "nginx:3")}]
        self.patch(kind, name, {"spec": {"template": {"spec": {"containers": containers}}}})

    def ready(self, app):
        # No two pods have the same address.
        self.steps.append({"ready": f"app={app}", "network": f"10.244.{len(self.steps)}"})

    def finish(self, app):
        phase, code = self.one(("Succeeded", 0), ("Failed", 1), ("Failed", 42))
        self.steps.append({"finish": f"app={app}", "phase": phase, "exit": code})

    def pods(self, app):
        self.send("DELETE", path("pods") + f"?labelSelector=app={app}")

    def labels(self, kind, name):
        self.patch(kind, name, {"metadata": {"labels": {"team": self.one("a", "b", None)}, "annotations": {"note": self.one("x", "y", None)}}})


def deployment(scene):
    percent = [0, 1, 2, "25%", "50%", "100%"]

    def strategy():
        if scene.maybe(0.25):
            return {"type": "Recreate", "rollingUpdate": None}
        surge, unavailable = scene.one(*percent), scene.one(*percent)
        return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge or 1, "maxUnavailable": unavailable}}

    def create():
        more = scene.some({"replicas": [0, 1, 2, 3, 4], "minReadySeconds": [1], "revisionHistoryLimit": [0, 1, 2], "paused": [True]})
        if scene.maybe():
            more["strategy"] = {key: value for key, value in strategy().items() if value}
        spec = {"selector": {"matchLabels": {"app": "web"}}, "template": scene.template("web"), **more}
        scene.send("POST", path("deployments"), {"metadata": {"name": "web"}, "spec": spec})

    return create, [
        create,
        lambda: scene.patch("deployments", "web", {"spec": {"replicas": scene.one(0, 1, 2, 3, 5)}}),
        lambda: scene.image("deployments", "web"),
        lambda: scene.image("deployments", "web"),
        lambda: scene.patch("deployments", "web", {"spec": {"paused": scene.one(True, False)}}),
        lambda: scene.patch("deployments", "web", {"spec": {"strategy": strategy()}}),
        lambda: scene.patch("deployments", "web", {"spec": {"revisionHistoryLimit": scene.one(0, 1, 10), "minReadySeconds": scene.one(0, 1)}}),
        lambda: scene.patch("deployments", "web", {"spec": {"template": {"metadata": {"labels": {"tier": scene.one("front", "back", None)}}}}}),
        lambda: scene.labels("deployments", "web"),
        lambda: scene.ready("web"),
        lambda: scene.ready("web"),
        lambda: scene.finish("web"),
        lambda: scene.pods("web"),
        lambda: scene.delete("deployments", "web"),
    ]


def stateful_set(scene):
    def claims():
        claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        retention = {"whenDeleted": scene.one("Retain", "Delete"), "whenScaled": scene.one("Retain", "Delete")}
        return {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": claim}], "persistentVolumeClaimRetentionPolicy": retention}

    def update():
        if scene.maybe(0.3):
            return {"type": "OnDelete", "rollingUpdate": None}
        return {"type": "RollingUpdate", "rollingUpdate": {"partition": scene.one(0, 1, 2)}}

    def create():
        more = scene.some({"replicas": [0, 1, 2, 3], "podManagementPolicy": ["Parallel"], "minReadySeconds": [1], "revisionHistoryLimit": [0, 1]})
        if scene.maybe(0.4):
            more.update(claims())
        if scene.maybe(0.4):
            more["updateStrategy"] = {key: value for key, value in update().items() if value}
        if scene.maybe(0.2):
            more["ordinals"] = {"start": scene.one(0, 3)}
        spec = {"serviceName": "db", "selector": {"matchLabels": {"app": "db"}}, "template": scene.template("db"), **more}
        scene.send("POST", path("statefulsets"), {"metadata": {"name": "db"}, "spec": spec})

    return create, [
        create,
        lambda: scene.patch("statefulsets", "db", {"spec": {"replicas": scene.one(0, 1, 2, 3)}}),
        lambda: scene.image("statefulsets", "db"),
        lambda: scene.patch("statefulsets", "db", {"spec": {"updateStrategy": update()}}),
        lambda: scene.patch("statefulsets", "db", {"spec": {"persistentVolumeClaimRetentionPolicy": {"whenScaled": scene.one("Retain", "Delete")}}}),
        lambda: scene.labels("statefulsets", "db"),
        lambda: scene.ready("db"),
        lambda: scene.ready("db"),
        lambda: scene.ready("db"),
        lambda: scene.finish("db"),
        lambda: scene.send("DELETE", path("pods", scene.one("db-0", "db-1"))),
        lambda: scene.send("DELETE", path("persistentvolumeclaims", scene.one("data-db-0", "data-db-1"))),
        lambda: scene.delete("statefulsets", "db"),
    ]


def replica_set(scene):
    kind = scene.one("replicasets", "replicationcontrollers")
    selector = {"app": "set"} if kind == "replicationcontrollers" else {"matchLabels": {"app": "set"}}

    def create():
        spec = {"selector": selector, "template": scene.template("set"), **scene.some({"replicas": [0, 2, 3], "minReadySeconds": [1]})}
        scene.send("POST", path(kind), {"metadata": {"name": "set"}, "spec": spec})

    def pod():
        spec = {"containers": [{"name": "c", "image": "nginx:1"}], "terminationGracePeriodSeconds": 0}
        scene.send("POST", path("pods"), {"metadata": {"name": scene.one("one", "two"), "labels": {"app": "set"}}, "spec": spec})

    return create, [
        create,
        pod,
        lambda: scene.patch("pods", scene.one("one", "two"), {"metadata": {"labels": {"app": scene.one("set", "other")}}}),
        lambda: scene.patch(kind, "set", {"spec": {"replicas": scene.one(0, 1, 2, 4)}}),
        lambda: scene.image(kind, "set"),
        lambda: scene.labels(kind, "set"),
        lambda: scene.ready("set"),
        lambda: scene.finish("set"),
        lambda: scene.pods("set"),
        lambda: scene.delete(kind, "set"),
    ]


def job(scene):
    def create():
        more = scene.some(
            {
                "completions": [0, 1, 2, 3],
                "parallelism": [0, 1, 2, 3],
                "backoffLimit": [0, 1, 2],
                "suspend": [True],
                "ttlSecondsAfterFinished": [0, 1000],
                "podReplacementPolicy": ["Failed", "TerminatingOrFailed"],
            }
        )
        if "completions" in more and scene.maybe():
            more["completionMode"] = "Indexed"
            if scene.maybe(0.4):
                more["backoffLimitPerIndex"] = scene.one(0, 1)
            if scene.maybe(0.3) and more["completions"]:
                more["successPolicy"] = {"rules": [{"succeededCount": 1}]}
        if scene.maybe(0.3):
            action = scene.one("Ignore", "FailJob", "Count")
            more["podFailurePolicy"] = {"rules": [{"action": action, "onExitCodes": {"operator": "In", "values": [42]}}]}
            more.pop("podReplacementPolicy", None)
        spec = {"template": scene.template("work", restartPolicy="Never"), **more}
        scene.send("POST", path("jobs"), {"metadata": {"name": "work"}, "spec": spec})

    return create, [
        create,
        lambda: scene.patch("jobs", "work", {"spec": {"parallelism": scene.one(0, 1, 2, 4)}}),
        lambda: scene.patch("jobs", "work", {"spec": {"suspend": scene.one(True, False)}}),
        lambda: scene.patch("jobs", "work", {"spec": {"backoffLimit": scene.one(0, 3), "activeDeadlineSeconds": scene.one(1000, None)}}),
        lambda: scene.labels("jobs", "work"),
        lambda: scene.ready("work"),
        lambda: scene.finish("work"),
        lambda: scene.finish("work"),
        lambda: scene.pods("work"),
        lambda: scene.delete("jobs", "work"),
    ]


def service(scene):
    selectors = [{"app": "web"}, {"app": "db"}, {"app": "set"}, {"app": "web", "tier": "front"}, None]
    ports = [
        [{"port": 80}],
        [{"port": 80, "targetPort": 8080}],
        [{"name": "a", "port": 80}, {"name": "b", "port": 443, "targetPort": "https"}],
        [{"name": "a", "port": 53, "protocol": "UDP"}],
    ]

    def create():
        spec = {"selector": scene.one(*selectors), "ports": scene.one(*ports)}
        spec.update(scene.some({"clusterIP": ["None"], "publishNotReadyAddresses": [True], "sessionAffinity": ["ClientIP"]}, 0.3))
        labels = {"labels": {"team": "a"}} if scene.maybe(0.3) else {}
        scene.send("POST", path("services"), {"metadata": {"name": "svc", **labels}, "spec": spec})

    return create, [
        create,
        lambda: scene.patch("services", "svc", {"spec": {"selector": scene.one({"app": "db"}, {"app": "web"}, None)}}),
        lambda: scene.patch("services", "svc", {"spec": {"ports": scene.one(*ports)}}),
        lambda: scene.patch("services", "svc", {"spec": {"publishNotReadyAddresses": scene.one(True, False)}}),
        lambda: scene.labels("services", "svc"),
        lambda: scene.send("DELETE", path("services", "svc")),
    ]


def budget(scene):
    def create():
        spec = {"selector": {"matchLabels": {"app": scene.one("web", "db", "set")}}}
        spec[scene.one("minAvailable", "maxUnavailable")] = scene.one(0, 1, 2, "50%")
        spec.update(scene.some({"unhealthyPodEvictionPolicy": ["AlwaysAllow"]}))
        scene.send("POST", path("poddisruptionbudgets"), {"metadata": {"name": "budget"}, "spec": spec})

    return create, [
        create,
        lambda: scene.patch("poddisruptionbudgets", "budget", {"spec": {"minAvailable": scene.one(1, "30%"), "maxUnavailable": None}}),
        lambda: scene.labels("poddisruptionbudgets", "budget"),
        lambda: scene.send("DELETE", path("poddisruptionbudgets", "budget")),
    ]


def quota(scene):
    def hard():
        return {**scene.some({"pods": ["0", "2", "10"], "count/configmaps": ["1", "5"], "services": ["1"], "count/deployments.apps": ["3"]}, 0.6), "secrets": "10"}

    def create():
        scene.send("POST", path("resourcequotas"), {"metadata": {"name": "quota"}, "spec": {"hard": hard()}})

    return create, [
        create,
        lambda: scene.patch("resourcequotas", "quota", {"spec": {"hard": hard()}}),
        lambda: scene.send("DELETE", path("resourcequotas", "quota")),
    ]


def owners(scene):
    names = ["a", "b", "c", "d"]

    def create():
        name, owner = scene.random.sample(names, 2)
        metadata = {"name": name}
        if scene.maybe(0.7):
            reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": "{uid " + path("configmaps", owner) + "}"}
            metadata["ownerReferences"] = [{**reference, **scene.some({"blockOwnerDeletion": [True], "controller": [True]})}]
        if scene.maybe(0.2):
            metadata["finalizers"] = ["example.com/keep"]
        scene.send("POST", path("configmaps"), {"metadata": metadata})

    def first():
        scene.send("POST", path("configmaps"), {"metadata": {"name": "a"}})
        metadata = {"name": "b", "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "{uid " + path("configmaps", "a") + "}"}]}
        scene.send("POST", path("configmaps"), {"metadata": metadata})

    return first, [
        create,
        create,
        create,
        lambda: scene.patch("configmaps", scene.one(*names), {"metadata": {"finalizers": None}}),
        lambda: scene.patch("configmaps", scene.one(*names), {"metadata": {"ownerReferences": None}}),
        lambda: scene.delete("configmaps", scene.one(*names)),
        lambda: scene.delete("configmaps", scene.one(*names)),
    ]


def daemon_set(scene):
    node = "{ns}-"

    def template():
        return scene.template("agent", nodeSelector={"scene": "{ns}"})

    def add():
        name = node + scene.one("x", "y", "z")
        scene.send("POST", "/api/v1/nodes", {"metadata": {"name": name, "labels": {"scene": "{ns}"}}})
        scene.send("PATCH", "/api/v1/nodes/" + name, {"spec": {"taints": None}}, MERGE)

    def create():
        spec = {"selector": {"matchLabels": {"app": "agent"}}, "template": template(), **scene.some({"minReadySeconds": [1], "revisionHistoryLimit": [0, 1]})}
        if scene.maybe(0.5):
            rolling = {"maxUnavailable": scene.one(1, 2)} if scene.maybe() else {"maxSurge": 1, "maxUnavailable": 0}
            spec["updateStrategy"] = {"type": "OnDelete"} if scene.maybe(0.4) else {"type": "RollingUpdate", "rollingUpdate": rolling}
        scene.send("POST", path("daemonsets"), {"metadata": {"name": "agent"}, "spec": spec})

    def first():
        add()
        create()

    def taint():
        taints = [{"key": "k", "value": "v", "effect": scene.one("NoSchedule", "NoExecute", "PreferNoSchedule")}]
        scene.send("PATCH", "/api/v1/nodes/" + node + scene.one("x", "y", "z"), {"spec": {"taints": scene.one(taints, None)}}, MERGE)

    return first, [
        create,
        add,
        add,
        taint,
        lambda: scene.send("PATCH", "/api/v1/nodes/" + node + scene.one("x", "y"), {"metadata": {"labels": {"scene": scene.one("{ns}", "no")}}}, MERGE),
        lambda: scene.send("DELETE", "/api/v1/nodes/" + node + scene.one("x", "y", "z")),
        lambda: scene.image("daemonsets", "agent"),
        lambda: scene.labels("daemonsets", "agent"),
        lambda: scene.ready("agent"),
        lambda: scene.ready("agent"),
        lambda: scene.finish("agent"),
        lambda: scene.pods("agent"),
        lambda: scene.delete("daemonsets", "agent"),
    ]


def endpoints(scene):
    """A Service without a selector, whose Endpoints somebody writes."""
    ports = [[{"port": 80}], [{"name": "a", "port": 80}], [{"name": "a", "port": 80}, {"name": "b", "port": 443}]]

    def subsets():
        def addresses():
            return [{"ip": f"10.1.2.{scene.random.randrange(1, 9)}"} for _ in range(scene.one(0, 1, 2))]

        one = {"addresses": addresses(), "notReadyAddresses": addresses(), "ports": scene.one(*ports)}
        return [{key: value for key, value in one.items() if value}]

    def create():
        scene.send("POST", path("services"), {"metadata": {"name": "own"}, "spec": {"ports": scene.one(*ports)}})

    def write():
        scene.send("POST", path("endpoints"), {"metadata": {"name": "own"}, "subsets": subsets()})

    def first():
        create()
        write()

    return first, [
        create,
        write,
        lambda: scene.patch("endpoints", "own", {"subsets": scene.one(subsets(), None)}),
        lambda: scene.patch("endpoints", "own", {"subsets": subsets()}),
        lambda: scene.labels("endpoints", "own"),
        lambda: scene.labels("services", "own"),
        lambda: scene.patch("endpoints", "own", {"metadata": {"labels": {"endpointslice.kubernetes.io/skip-mirror": scene.one("true", None)}}}),
        lambda: scene.send("DELETE", path("endpoints", "own")),
        lambda: scene.send("DELETE", path("services", "own")),
    ]


def cron_job(scene):
    """A CronJob whose time does not come, and Jobs that belong to it."""

    def create():
        job = {"template": scene.template("cron", restartPolicy="Never")}
        spec = {"schedule": "0 0 29 2 *", "jobTemplate": {"spec": job}, **scene.some({"suspend": [True], "successfulJobsHistoryLimit": [0, 1]})}
        scene.send("POST", path("cronjobs"), {"metadata": {"name": "cron"}, "spec": spec})

    def start():
        reference = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "cron", "uid": "{uid " + path("cronjobs", "cron") + "}", "controller": True}
        metadata = {"name": scene.one("cron-1", "cron-2"), "ownerReferences": [reference]}
        scene.send("POST", path("jobs"), {"metadata": metadata, "spec": {"template": scene.template("cron", restartPolicy="Never")}})

    return create, [
        create,
        start,
        start,
        lambda: scene.patch("cronjobs", "cron", {"spec": {"suspend": scene.one(True, False)}}),
        lambda: scene.patch("cronjobs", "cron", {"spec": {"successfulJobsHistoryLimit": scene.one(0, 2), "failedJobsHistoryLimit": scene.one(0, 2)}}),
        lambda: scene.labels("cronjobs", "cron"),
        lambda: scene.finish("cron"),
        lambda: scene.finish("cron"),
        lambda: scene.send("DELETE", path("jobs", scene.one("cron-1", "cron-2"))),
        lambda: scene.delete("cronjobs", "cron"),
    ]


WORK = [deployment, stateful_set, replica_set, job, daemon_set, owners, endpoints, cron_job]
BESIDE = [service, budget, quota, owners]


def make(seed, name):
    scene = Scene(seed, name)
    work = WORK[scene.random.randrange(len(WORK))]
    families = [work]
    if work is not owners and scene.maybe(0.6):
        families += scene.random.sample(BESIDE, scene.one(1, 1, 2))
    firsts, actions = [], []
    for index, family in enumerate(families):
        first, own = family(scene)
        firsts.append(first)
        # What is beside the work is changed less often than it.
        actions += own if index else own * 2
    if scene.maybe(0.3):
        firsts.reverse()
    for first in firsts:
        first()
    for _ in range(STEPS):
        scene.random.choice(actions)()
    if scene.maybe(0.1):
        scene.send("DELETE", "/api/v1/namespaces/{ns}")
    if daemon_set in families:
        for name in "xyz":
            scene.send("DELETE", "/api/v1/nodes/{ns}-" + name)
    for step in scene.steps[1:]:
        # Delays of a second or two pass, as that of an index that failed.
        step.update({"wait": 3, "took": None, "expect": None})
    return {"about": f"Random: {', '.join(family.__name__ for family in families)}.", "steps": scene.steps}


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        name = f"random-{seed}-{number}"
        (folder / (name + ".json")).write_text(json.dumps(make(name, name)))


if __name__ == "__main__":
    main()
