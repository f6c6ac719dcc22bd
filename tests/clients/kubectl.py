"""kubectl, line by line: what it is told, what it has to end with, and what it has to say.

The files it reads are in `manifests/`. Files are validated as they are by default: by the server, or, before kubectl 1.27, by
the client with the server's OpenAPI documents.
"""

import os
import re
import subprocess
import sys
import tempfile

from check import SERVER, check, finish

KUBECTL = sys.argv[1] if len(sys.argv) > 1 else "kubectl"
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "manifests")
NAMESPACE = "kubectl-" + re.sub("[^a-z0-9]", "", os.path.basename(os.path.realpath(KUBECTL)))[-12:].strip("-")

# A command, and a pattern that its output has to match; `!` before it: the command has to fail.
LINES = r"""
create ns NS                                            | namespace/NS created
version                                                 | Server Version: .*v1\.36
api-resources                                           | (?s)configmaps +cm +v1 +true +ConfigMap.*volumeattributesclasses
api-resources --namespaced=false -o name                | (?m)^nodes$
api-versions                                            | (?m)^apps/v1$
explain pod.spec.containers                             | (?s)KIND: +Pod.*VERSION: +v1.*imagePullPolicy\s+<string>
explain deployments.spec.replicas                       | (?s)KIND: +Deployment.*<integer>
get --raw /healthz                                      | ^ok
get --raw /api/v1/namespaces/NS                         | "kind":"Namespace"
create configmap cm --from-literal=a=b                  | configmap/cm created
create configmap cm                                     | !already exists
create secret generic sec --from-literal=a=b            | secret/sec created
create secret docker-registry reg --docker-server=x --docker-username=u --docker-password=p | secret/reg created
create deployment dep --image=nginx                     | deployment.apps/dep created
create job j --image=busybox -- echo hi                 | job.batch/j created
create cronjob cj --image=busybox --schedule=*/1_*_*_*_* -- date | cronjob.batch/cj created
create job j2 --from=cronjob/cj                         | job.batch/j2 created
create role r --verb=get,list --resource=pods           | role.rbac.authorization.k8s.io/r created
create rolebinding rb --role=r --user=bob               | rolebinding.rbac.authorization.k8s.io/rb created
create clusterrole NS --verb=get --resource=pods        | created
create clusterrolebinding NS --clusterrole=NS --group=g | created
create quota q --hard=pods=10                           | resourcequota/q created
create priorityclass NS --value=10                      | created
create poddisruptionbudget budget --selector=app=x --min-available=1 | poddisruptionbudget.policy/budget created
create serviceaccount sa1                               | serviceaccount/sa1 created
create service clusterip s1 --tcp=80:80                 | service/s1 created
create service nodeport s2 --tcp=80:80                  | service/s2 created
create service loadbalancer s3 --tcp=80:80              | service/s3 created
create service externalname s4 --external-name=foo.example.com | service/s4 created
create ingress ing --rule=foo.com/bar=svc:8080,tls=my   | ingress.networking.k8s.io/ing created
create ns x --dry-run=server -o name                    | namespace/x
run p --image=nginx --port=80 --labels=app=p            | pod/p created
expose pod p --port=80                                  | service/p exposed
expose deployment dep --port=80 --type=NodePort         | service/dep exposed
autoscale deployment dep --min=1 --max=5                | autoscaled
get all                                                 | (?s)pod/p +0/1 +Pending.*deployment.apps/dep +0/1.*cronjob.batch/cj.*job.batch/j2
get all -o wide                                         | (?s)NOMINATED NODE.*SELECTOR
get pods,svc -o name                                    | (?s)pod/p\nservice/dep
get pod p -o yaml                                       | (?s)^apiVersion: v1\nkind: Pod\nmetadata:.*terminationGracePeriodSeconds: 30.*phase: Pending
get pod p -o json                                       | "qosClass": "BestEffort"
get pod p -o jsonpath={.spec.containers[*].image}       | ^nginx$
get pods -o custom-columns=N:.metadata.name,I:.spec.containers[0].image | N +I\np +nginx
get pods --show-labels -L app                           | APP +LABELS
get pods -A --sort-by=.metadata.name                    | NS +p
get pods -l app_in_(p,q),!z -o name                     | pod/p
get pods --field-selector status.phase=Pending -o name  | pod/p
get cm --field-selector metadata.foo=x                  | !"metadata.foo" is not a known field selector
get cm none                                             | !Error from server \(NotFound\): configmaps "none" not found
get nonsense                                            | !the server doesn't have a resource type "nonsense"
get ns --chunk-size=2 -o name                           | (?s)default.*kube-system
get cm cm -w --request-timeout=1s                       | (?s)NAME +DATA +AGE\ncm +1
get cm --output-watch-events -w --request-timeout=1s    | ADDED +cm
get deploy dep --subresource=scale -o name              | scale
describe pod p                                          | (?s)Name: +p.*Image: +nginx.*QoS Class: +BestEffort
describe deploy dep                                     | RollingUpdateStrategy: +25% max unavailable, 25% max surge
describe svc s2                                         | Type: +NodePort
describe cm,secret,sa,quota,ing,cronjob,job,role,rolebinding | (?s)Name: +cm.*Name: +sec
describe ns NS                                          | Status: +Active
scale deploy dep --replicas=3                           | deployment.apps/dep scaled
scale deploy dep --current-replicas=9 --replicas=1      | !Expected replicas to be 9, was 3
set image deploy/dep nginx=nginx:2                      | image updated
set env deploy/dep A=b                                  | env updated
set resources deploy/dep --limits=cpu=1                 | resource requirements updated
set serviceaccount deploy/dep sa1                       | serviceaccount updated
rollout status deploy/dep --timeout=1s                  | !Waiting for deployment spec update to be observed|timed out
rollout history deploy/dep                              | No rollout history found
rollout restart deploy/dep                              | restarted
rollout pause deploy/dep                                | paused
rollout resume deploy/dep                               | resumed
label pod p x=y                                         | pod/p labeled
label pod p x=z                                         | !'x' already has a value \(y\), and --overwrite is false
label pod p x=z --overwrite                             | pod/p labeled
label pod p x-                                          | pod/p
annotate pod p x=y                                      | pod/p annotated
patch pod p -p {"metadata":{"labels":{"q":"r"}}}        | pod/p patched
patch pod p --type=merge -p {"metadata":{"labels":{"q":"s"}}} | pod/p patched
patch pod p --type=json -p [{"op":"remove","path":"/metadata/labels/q"}] | pod/p patched
auth can-i create pods                                  | ^yes
auth can-i --list                                       | \*\.\*
auth can-i get pods --as=bob                            | yes|no
logs p                                                  | ^$
exec p -- ls                                            | !pod p does not have a host assigned
attach p                                                | !pod p does not have a host assigned
port-forward p 8080:80                                  | !pod is not running
wait pod p --for=condition=Ready --timeout=1s           | !timed out waiting for the condition on pods/p
apply -f deployment.yaml                                | deployment.apps/web created
apply -f deployment.yaml                                | deployment.apps/web unchanged
diff -f changed.yaml                                    | !\+  replicas: 3
apply -f changed.yaml                                   | deployment.apps/web configured
apply --server-side -f deployment.yaml                  | !Apply failed with 2 conflicts|serverside-applied
apply --server-side --force-conflicts -f deployment.yaml | serverside-applied
apply --server-side --field-manager=other -f changed.yaml | !conflicts? with "kubectl"
apply --server-side --field-manager=other --force-conflicts -f changed.yaml | serverside-applied
apply view-last-applied deploy/web                      | kind: Deployment
replace -f deployment.yaml                              | deployment.apps/web replaced
replace --force -f deployment.yaml                      | (?s)deleted.*replaced
create -f deployment.yaml                               | !AlreadyExists
create -f invalid.yaml                                  | !(?s)The Deployment "Web_" is invalid:.*metadata.name: Invalid value.*spec.replicas: Invalid value: -2
apply -f unknown.yaml                                   | !no matches for kind "Foo" in version "foo.example.com/v1"
apply -f kinds.yaml                                     | (?s)endpoints/ep created.*resourceslice.resource.k8s.io/NS-rsl created
apply -f kinds.yaml                                     | (?s)endpoints/ep .*resourceslice.resource.k8s.io/NS-rsl unchanged
get -f kinds.yaml                                       | (?s)10.0.0.1:80.*REQUEST.*NS-rsl
get -f kinds.yaml -o wide                               | (?s)VOLUMEMODE.*CONTAINERS +IMAGES
get -f kinds.yaml -o yaml                               | (?s)kind: Endpoints.*kind: ResourceSlice
delete -f kinds.yaml --wait=false                       | (?s)endpoints "ep" deleted.*"NS-rsl" deleted
apply -f held.yaml                                      | (?s)node/NS-node created.*NS-csr created
get nodes                                               | NS-node +Unknown
taint node NS-node a=b:NoSchedule                       | tainted
taint node NS-node a:NoSchedule-                        | untainted
cordon NS-node                                          | cordoned
get node NS-node                                        | Unknown,SchedulingDisabled
uncordon NS-node                                        | uncordoned
drain NS-node --ignore-daemonsets --force               | drained|cordoned
describe node NS-node                                   | Non-terminated Pods: +\(0 in total\)
certificate approve NS-csr                              | approved
get csr NS-csr                                          | Approved
certificate deny NS-csr                                 | !already Approved|denied
delete csr NS-csr                                       | deleted
delete node NS-node                                     | deleted
delete pod p --grace-period=0 --force                   | pod "p" force deleted
delete pod p --ignore-not-found                         | ^$
delete pod p                                            | !pods "p" not found
delete deploy dep --cascade=orphan --wait=false         | deployment.apps "dep" deleted
delete job j --cascade=background                       | job.batch "j" deleted
delete cronjob cj --cascade=foreground --wait=false     | cronjob.batch "cj" deleted
delete cm --all                                         | configmap "cm" deleted
delete svc s1 s9                                        | !services "s9" not found
delete all --all --wait=false                           | service "s2" deleted
delete clusterrole,clusterrolebinding,priorityclass NS  | deleted
delete ns NS --wait=false                               | namespace "NS" deleted
create cm late                                          | !because it is being terminated
"""

# What kubectl before 1.24 does not know, or does in versions of the API that are gone.
SINCE_24 = ("create cronjob", "create job j2", "create poddisruptionbudget", "create ns x", "get all", "get deploy dep --sub", "diff", "delete cronjob")

# The same, between the lines above.
NEWER = r"""
create token sa1                                        | ^[\w-]+\.[\w-]+\.[\w-]+$
auth whoami                                             | Username +admin
auth whoami --as=jane --as-group=devs                   | (?s)jane.*devs system:authenticated
events                                                  | No events found
wait pod q --for=jsonpath={.status.phase}=Pending --timeout=2s | condition met
get pod q --subresource=status                          | q +0/1 +Pending
patch deploy web --subresource=scale --type=merge -p {"spec":{"replicas":5}} | patched
debug q --image=busybox --target=q                      | Defaulting debug container name
"""


def run(kubectl, words):
    path = os.path.join(tempfile.gettempdir(), f"kubeglass-{os.getpid()}.config")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"""apiVersion: v1
kind: Config
clusters: [{{name: k, cluster: {{server: "{SERVER}"}}}}]
users: [{{name: u, user: {{}}}}]
contexts: [{{name: k, context: {{cluster: k, user: u, namespace: {NAMESPACE}}}}}]
current-context: k
""")
    environment = {**os.environ, "KUBECONFIG": path, "HOME": tempfile.gettempdir()}
    done = subprocess.run([kubectl, *words], cwd=WORK, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def line(command, pattern):
    command, pattern = command.strip().replace("NS", NAMESPACE), pattern.strip().replace("NS", NAMESPACE)
    fails = pattern.startswith("!")
    words = [word.replace("_", " ") if "schedule" in word or "in_(" in word else word for word in command.split()]
    code, said = run(KUBECTL, words)
    # Which of several texts a version has may decide how it ends.
    fits = re.search(pattern.removeprefix("!"), said) and ((code != 0) == fails or "|" in pattern)
    check(command, fits, {"exit": code, "said": said})


def main():
    global WORK
    WORK = tempfile.mkdtemp(prefix="kubeglass-")
    for name in os.listdir(HERE):
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            text = file.read().replace("NS-", f"{NAMESPACE}-")
        if "REQUEST" in text:
            from lifecycles import csr
            text = text.replace("REQUEST", csr())
        with open(os.path.join(WORK, name), "w", encoding="utf-8") as file:
            file.write(text)
    lines = [entry.split(" | ", 1) for entry in LINES.strip().splitlines()]
    newer = [entry.split(" | ", 1) for entry in NEWER.strip().splitlines()]
    version = re.search(r"v1\.(\d+)", run(KUBECTL, ["version", "--client"])[1])
    if version and int(version[1]) < 24:
        newer = []
        lines = [entry for entry in lines if not entry[0].startswith(SINCE_24)]
    else:
        newer.insert(0, ["run q --image=nginx", "pod/q created"])
    at = next(i for i, entry in enumerate(lines) if entry[0].startswith("apply -f kinds"))
    for command, pattern in lines[:at] + newer + lines[at:]:
        line(command, pattern)


main()
finish()
