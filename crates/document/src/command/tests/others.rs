//! The verbs that make objects of options, that change workloads, and that ask.

use super::*;

#[test]
fn objects_are_generated() {
    #[track_caller]
    fn check(line: &str, path: &str, body: &str, printed: &str) {
        let (sent, text) = run(line, &[], &[(201, &json!({}))]);
        let (_, expected): (Value, Value) = (Value::Null, serde_json::from_str(body).unwrap());
        let (head, got) = sent[0].split_at(sent[0].find('{').unwrap());
        assert_eq!((head.trim(), serde_json::from_str::<Value>(got).unwrap()), (path, expected), "{line}");
        assert_eq!(text.text, printed, "{line}");
    }
    let create = "?fieldManager=kubectl-create&fieldValidation=Strict";
    check(
        "kubectl create configmap a --from-literal=a=b --from-literal c='d e'",
        &format!("POST {MAPS}{create}"),
        r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}, "data": {"a": "b", "c": "d e"}}"#,
        "configmap/a created\n",
    );
    check(
        "kubectl create ns x",
        &format!("POST /api/v1/namespaces{create}"),
        r#"{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}, "spec": {}, "status": {}}"#,
        "namespace/x created\n",
    );
    check(
        "kubectl create secret generic s --from-literal=a=b",
        &format!("POST /api/v1/namespaces/default/secrets{create}"),
        r#"{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "default"}, "data": {"a": "Yg=="}}"#,
        "secret/s created\n",
    );
    check(
        "kubectl create role r --verb=get,list --resource=pods,deployments.apps,pods/log",
        &format!("POST /apis/rbac.authorization.k8s.io/v1/namespaces/default/roles{create}"),
        r#"{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "r", "namespace": "default"}, "rules": [{"apiGroups": [""], "resources": ["pods", "pods/log"], "verbs": ["get", "list"]}, {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "list"]}]}"#,
        "role.rbac.authorization.k8s.io/r created\n",
    );
    check(
        "kubectl create deployment d --image=reg:5/nginx:1 --replicas=2",
        &format!("POST /apis/apps/v1/namespaces/default/deployments{create}"),
        r#"{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "default", "labels": {"app": "d"}}, "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "d"}}, "strategy": {}, "template": {"metadata": {"labels": {"app": "d"}}, "spec": {"containers": [{"image": "reg:5/nginx:1", "name": "nginx", "resources": {}}]}}}, "status": {}}"#,
        "deployment.apps/d created\n",
    );
    check(
        "kubectl run n --image=nginx -- a b",
        "POST /api/v1/namespaces/default/pods?fieldManager=kubectl-run",
        r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "n", "namespace": "default", "labels": {"run": "n"}}, "spec": {"containers": [{"image": "nginx", "name": "n", "resources": {}, "args": ["a", "b"]}], "dnsPolicy": "ClusterFirst", "restartPolicy": "Always"}, "status": {}}"#,
        "pod/n created\n",
    );
    let (sent, printed) = run("kubectl create ns x --dry-run=client -o yaml", &[], &[]);
    assert_eq!(
        (sent.len(), printed.text.as_str()),
        (0, "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: x\nspec: {}\nstatus: {}\n")
    );
    let (_, printed) = run("kubectl create token default", &[], &[(201, &json!({"status": {"token": "t"}}))]);
    assert_eq!(printed.text, "t\n");
}

#[test]
fn workloads_are_changed() {
    let path = "/apis/apps/v1/namespaces/default/deployments/d";
    let object = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"labels": {"l": "1"}}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"spec": {"containers": [{"name": "a", "image": "x", "ports": [{"containerPort": 80}]}]}}}});
    let get = format!("GET {path}");
    check(
        "kubectl set image deployment/d a=y",
        &[],
        &[(200, &object), (200, &object)],
        &[
            &get,
            &format!(
                "PATCH {path}?fieldManager=kubectl-set application/strategic-merge-patch+json {{\"spec\":{{\"template\":{{\"spec\":{{\"$setElementOrder/containers\":[{{\"name\":\"a\"}}],\"containers\":[{{\"image\":\"y\",\"name\":\"a\"}}]}}}}}}}}"
            ),
        ],
        "deployment.apps/d image updated\n",
    );
    check(
        "kubectl autoscale deployment d --min=1 --max=4 --cpu-percent=80",
        &[],
        &[(200, &object), (201, &object)],
        &[
            &get,
            r#"POST /apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers?fieldManager=kubectl-autoscale {"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"d"},"spec":{"maxReplicas":4,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}},"status":{"currentMetrics":null,"desiredReplicas":0}}"#,
        ],
        "horizontalpodautoscaler.autoscaling/d autoscaled\n",
    );
    check(
        "kubectl expose deployment d",
        &[],
        &[(200, &object), (201, &object)],
        &[
            &get,
            r#"POST /api/v1/namespaces/default/services?fieldManager=kubectl-expose {"apiVersion":"v1","kind":"Service","metadata":{"labels":{"l":"1"},"name":"d"},"spec":{"ports":[{"port":80,"protocol":"TCP","targetPort":80}],"selector":{"a":"b"}},"status":{"loadBalancer":{}}}"#,
        ],
        "service/d exposed\n",
    );
    check(
        "kubectl taint nodes n k=v:NoSchedule",
        &[],
        &[(200, &json!({})), (200, &json!({}))],
        &[
            "GET /api/v1/nodes/n",
            r#"PATCH /api/v1/nodes/n?fieldManager=kubectl-taint application/strategic-merge-patch+json {"spec":{"taints":[{"effect":"NoSchedule","key":"k","value":"v"}]}}"#,
        ],
        "node/n tainted\n",
    );
    check(
        "kubectl uncordon n",
        &[],
        &[(200, &json!({}))],
        &["GET /api/v1/nodes/n"],
        "node/n already uncordoned\n",
    );
}

#[test]
fn one_may_ask_what_is_allowed_and_served() {
    check(
        "kubectl auth can-i create deployments.apps --namespace dev",
        &[],
        &[(201, &json!({"status": {"allowed": true}}))],
        &[
            r#"POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews {"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","metadata":{},"spec":{"resourceAttributes":{"group":"apps","namespace":"dev","resource":"deployments","verb":"create"}},"status":{"allowed":false}}"#,
        ],
        "yes\n",
    );
    let (_, printed) = run(
        "kubectl auth whoami",
        &[],
        &[(201, &json!({"status": {"userInfo": {"username": "a", "groups": ["b", "c"]}}}))],
    );
    assert_eq!(printed.text, "ATTRIBUTE   VALUE\nUsername    a\nGroups      [b c]\n");
    let core = json!({"items": [{"metadata": {}, "versions": [{"version": "v1", "resources": [{"resource": "nodes", "responseKind": {"kind": "Node"}, "scope": "Cluster", "shortNames": ["no"], "verbs": ["get"]}]}]}]});
    let apps = json!({"items": [{"metadata": {"name": "apps"}, "versions": [{"version": "v1", "resources": [{"resource": "deployments", "responseKind": {"kind": "Deployment"}, "scope": "Namespaced", "verbs": ["get"]}]}]}]});
    check(
        "kubectl api-resources",
        &[],
        &[(200, &core), (200, &apps)],
        &["GET /api", "GET /apis"],
        "NAME          SHORTNAMES   APIVERSION   NAMESPACED   KIND\nnodes         no           v1           false        Node\ndeployments                apps/v1      true         Deployment\n",
    );
    check(
        "kubectl api-versions",
        &[],
        &[(200, &core), (200, &apps)],
        &["GET /api", "GET /apis"],
        "apps/v1\nv1\n",
    );
}
