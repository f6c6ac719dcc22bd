"""The official Python client: typed, dynamic, watches."""

import json
import threading

from kubernetes import client, dynamic, watch
from kubernetes.client.rest import ApiException
from kubernetes.utils import create_from_dict

from check import SERVER, check, equal, finish, scenario

configuration = client.Configuration()
configuration.host = SERVER
api = client.ApiClient(configuration)
core, apps, batch = client.CoreV1Api(api), client.AppsV1Api(api), client.BatchV1Api(api)
NS = "python"


def refused(function, *args, **more):
    """The status and the reason of a call that has to fail."""
    try:
        function(*args, **more)
    except ApiException as error:
        return error.status, json.loads(error.body).get("reason")
    return None


@scenario
def typed():
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NS)))
    made = core.create_namespaced_config_map(NS, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="a", labels={"x": "y"}), data={"k": "v"}))
    equal("create", (made.data, made.metadata.namespace), ({"k": "v"}, NS))
    equal("again, with a version", refused(core.create_namespaced_config_map, NS, made), (500, None))
    equal("again", refused(core.create_namespaced_config_map, NS, {"metadata": {"name": "a"}}), (409, "AlreadyExists"))
    equal("not found", refused(core.read_namespaced_config_map, "none", NS), (404, "NotFound"))
    equal("invalid", refused(core.create_namespaced_config_map, NS, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="A_"))), (422, "Invalid"))
    found = core.patch_namespaced_config_map("a", NS, {"data": {"l": "w"}})
    equal("patch of a dict is strategic", found.data, {"k": "v", "l": "w"})
    found = core.patch_namespaced_config_map("a", NS, [{"op": "remove", "path": "/data/l"}])
    equal("patch of a list is a JSON patch", found.data, {"k": "v"})
    stale = core.read_namespaced_config_map("a", NS)
    stale.data["m"] = "1"
    equal("replace", core.replace_namespaced_config_map("a", NS, stale).data["m"], "1")
    equal("stale", refused(core.replace_namespaced_config_map, "a", NS, stale), (409, "Conflict"))
    for i in range(5):
        core.create_namespaced_config_map(NS, {"metadata": {"name": f"p{i}"}})
    page = core.list_namespaced_config_map(NS, limit=3)
    rest = core.list_namespaced_config_map(NS, limit=3, _continue=page.metadata._continue)
    equal("pages", [len(page.items), len(rest.items), page.metadata.remaining_item_count], [3, 3, 3])
    equal("everywhere", len(core.list_config_map_for_all_namespaces(label_selector="x=y").items), 1)
    core.delete_namespaced_config_map("a", NS)
    core.delete_collection_namespaced_config_map(NS)
    equal("deleted", core.list_namespaced_config_map(NS).items, [])
    token = core.create_namespaced_service_account(NS, {"metadata": {"name": "robot"}})
    token = core.create_namespaced_service_account_token("robot", NS, client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[])))
    equal("token", token.status.token.count("."), 2)
    robot = client.Configuration()
    robot.host, robot.api_key = SERVER, {"authorization": f"Bearer {token.status.token}"}
    me = client.AuthenticationV1Api(client.ApiClient(robot)).create_self_subject_review(client.V1SelfSubjectReview())
    equal("who", me.status.user_info.username, f"system:serviceaccount:{NS}:robot")
    equal("versions", client.VersionApi(api).get_code().minor, "36")
    check("groups", len(client.ApisApi(api).get_api_versions().groups) > 15)


@scenario
def workloads():
    labels = {"app": "w"}
    template = client.V1PodTemplateSpec(metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="i", ports=[client.V1ContainerPort(container_port=80)])]))
    made = apps.create_namespaced_deployment(NS, client.V1Deployment(metadata=client.V1ObjectMeta(name="d"), spec=client.V1DeploymentSpec(replicas=2, selector=client.V1LabelSelector(match_labels=labels), template=template)))
    equal("deployment", (made.spec.strategy.type, made.spec.template.spec.restart_policy), ("RollingUpdate", "Always"))
    scale = apps.read_namespaced_deployment_scale("d", NS)
    scale.spec.replicas = 5
    apps.replace_namespaced_deployment_scale("d", NS, scale)
    equal("scaled", apps.read_namespaced_deployment("d", NS).spec.replicas, 5)
    equal("strategic patch by name", apps.patch_namespaced_deployment("d", NS, {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "j"}]}}}}).spec.template.spec.containers[0].ports[0].container_port, 80)
    status = apps.patch_namespaced_deployment_status("d", NS, {"status": {"replicas": 1, "conditions": [{"type": "Available", "status": "True"}]}})
    equal("status", status.status.conditions[0].type, "Available")
    create_from_dict(api, {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c", "namespace": NS}, "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}}})
    equal("cron job", batch.read_namespaced_cron_job("c", NS).spec.concurrency_policy, "Allow")
    pod = core.create_namespaced_pod(NS, client.V1Pod(metadata=client.V1ObjectMeta(name="p"), spec=template.spec))
    equal("pod", (pod.status.phase, pod.spec.containers[0].image_pull_policy), ("Pending", "Always"))
    core.create_namespaced_pod_eviction("p", NS, client.V1Eviction(metadata=client.V1ObjectMeta(name="p")))
    equal("evicted", refused(core.read_namespaced_pod, "p", NS), (404, "NotFound"))
    core.create_namespaced_pod(NS, client.V1Pod(metadata=client.V1ObjectMeta(name="q"), spec=template.spec))
    equal("log of a pod without a node", core.read_namespaced_pod_log("q", NS) or "", "")


@scenario
def watches():
    seen = []

    def look():
        for event in watch.Watch().stream(core.list_namespaced_secret, NS, timeout_seconds=5):
            seen.append((event["type"], event["object"].metadata.name))
            if len(seen) == 3:
                return

    thread = threading.Thread(target=look)
    thread.start()
    core.create_namespaced_secret(NS, {"metadata": {"name": "s"}, "stringData": {"a": "b"}})
    core.patch_namespaced_secret("s", NS, {"metadata": {"labels": {"a": "b"}}})
    core.delete_namespaced_secret("s", NS)
    thread.join()
    equal("events", [kind for kind, _ in seen][-1], "DELETED")
    try:
        list(watch.Watch().stream(core.list_namespaced_secret, NS, timeout_seconds=1, resource_version="1"))
        check("an expired version is told", False)
    except ApiException as error:
        equal("an expired version is told", (error.status, error.reason.startswith("Expired: too old resource version: 1 (")), (410, True))


@scenario
def dynamically():
    found = dynamic.DynamicClient(api)
    config_maps = found.resources.get(api_version="v1", kind="ConfigMap")
    config_maps.create(namespace=NS, body={"metadata": {"name": "dyn"}, "data": {"a": "b"}})
    equal("get", config_maps.get(name="dyn", namespace=NS).data.a, "b")
    equal("merge patch", config_maps.patch(namespace=NS, name="dyn", body={"data": {"a": None, "c": "d"}}, content_type="application/merge-patch+json").data.to_dict(), {"c": "d"})
    applied = config_maps.server_side_apply(namespace=NS, name="dyn", body={"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dyn"}, "data": {"e": "f"}}, field_manager="py")
    equal("apply", applied.data.to_dict(), {"c": "d", "e": "f"})
    equal("list", [item.metadata.name for item in config_maps.get(namespace=NS).items], ["dyn"])
    events = [event["type"] for event in config_maps.watch(namespace=NS, timeout=1)]
    equal("watch", events, ["ADDED"])
    deployments = found.resources.get(api_version="apps/v1", kind="Deployment")
    equal("scale", deployments.scale.get(name="d", namespace=NS).kind, "Scale")
    check("resources", len(found.resources.search()) > 50)
    config_maps.delete(name="dyn", namespace=NS)
    try:
        config_maps.get(name="dyn", namespace=NS)
        check("gone", False)
    except dynamic.exceptions.NotFoundError as error:
        equal("gone", error.status, 404)


if __name__ == "__main__":
    finish()
