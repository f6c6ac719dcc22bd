//! Whole lines: what they send when they are answered so, and what they print.

use json_tree::{Value, json};

use super::*;

mod others;

/// A request as a line: method, target, the media type of the body if it is no JSON, and the body.
fn told(request: &Request) -> String {
    let media = request.header("Content-Type").unwrap_or_default();
    let media = if media == "application/json" { "" } else { media };
    let parts = [&request.method, &request.target, media, std::str::from_utf8(&request.body).unwrap()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Carries out the first line of a text; `answers` are the responses in order.
fn run(text: &str, objects: &[Value], answers: &[(u16, &Value)]) -> (Vec<String>, Printed) {
    let kinds = Kinds::default();
    let line = read(text).unwrap().remove(0);
    let mut running = line.begin(&kinds, "default", objects.to_vec()).unwrap();
    let (mut sent, mut response) = (Vec::new(), None::<(u16, Vec<u8>)>);
    let mut answers = answers.iter();
    loop {
        match running.next(&kinds, response.as_ref().map(|(status, body)| (*status, body.as_slice()))) {
            Step::Done(printed) => return (sent, printed),
            Step::Send(request) => {
                sent.push(told(&request));
                let (status, body) =
                    answers.next().unwrap_or_else(|| panic!("no answer to {}", told(&request)));
                let body = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
                response = Some((*status, body.into_bytes()));
            }
        }
    }
}

#[track_caller]
fn check(text: &str, objects: &[Value], answers: &[(u16, &Value)], sent: &[&str], printed: &str) {
    let (got, text_of) = run(text, objects, answers);
    assert_eq!(
        (got.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), text_of.text.as_str()),
        (sent, printed),
        "{text}"
    );
}

fn map(data: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": data}})
}

fn missing() -> Value {
    json!({"kind": "Status", "status": "Failure", "reason": "NotFound", "message": "configmaps \"a\" not found", "code": 404})
}

fn table(rows: &[&str]) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|name| json!({"cells": [*name, 1], "object": {"metadata": {"name": *name, "namespace": "n"}}}))
        .collect();
    json!({"kind": "Table", "metadata": {"resourceVersion": "7"}, "columnDefinitions": [{"name": "Name", "format": "name", "priority": 0}, {"name": "Data", "priority": 0}], "rows": rows})
}

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[test]
fn objects_are_got() {
    check(
        "$ kubectl get cm",
        &[],
        &[(200, &table(&["a", "b"]))],
        &[&format!("GET {MAPS}?limit=500")],
        "NAME   DATA\na      1\nb      1\n",
    );
    check(
        "kubectl get cm -A",
        &[],
        &[(200, &table(&["a"]))],
        &["GET /api/v1/configmaps?limit=500"],
        "NAMESPACE   NAME   DATA\nn           a      1\n",
    );
    check(
        "kubectl get cm -n x -l a=b",
        &[],
        &[(200, &table(&[]))],
        &["GET /api/v1/namespaces/x/configmaps?labelSelector=a=b&limit=500"],
        "No resources found in x namespace.\n",
    );
    check(
        "kubectl get cm a",
        &[],
        &[(404, &missing())],
        &[&format!("GET {MAPS}/a")],
        "Error from server (NotFound): configmaps \"a\" not found\n",
    );
    check(
        "kubectl get cm/a -o yaml",
        &[],
        &[(200, &map("1"))],
        &[&format!("GET {MAPS}/a")],
        "apiVersion: v1\ndata:\n  k: \"1\"\nkind: ConfigMap\nmetadata:\n  name: a\n",
    );
    let list = json!({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": "5"}, "items": [{"metadata": {"name": "a"}}]});
    check(
        "kubectl get cm -o yaml",
        &[],
        &[(200, &list)],
        &[&format!("GET {MAPS}?limit=500")],
        "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\nkind: List\nmetadata:\n  resourceVersion: \"\"\n",
    );
    check(
        "kubectl get cm -o name",
        &[],
        &[(200, &list)],
        &[&format!("GET {MAPS}?limit=500")],
        "configmap/a\n",
    );
    check(
        "kubectl get cm -o jsonpath='{.items[*].metadata.name}' | cat",
        &[],
        &[(200, &list)],
        &[&format!("GET {MAPS}?limit=500")],
        "a",
    );
    check(
        "kubectl get --raw '/api/v1/nodes?limit=2'",
        &[],
        &[(200, &json!({"a": 1}))],
        &["GET /api/v1/nodes?limit=2"],
        "{\"a\":1}",
    );
    check(
        "kubectl get cm,secrets",
        &[],
        &[(200, &table(&["a"])), (200, &table(&["b"]))],
        &[&format!("GET {MAPS}?limit=500"), "GET /api/v1/namespaces/default/secrets?limit=500"],
        "NAME          DATA\nconfigmap/a   1\n\nNAME       DATA\nsecret/b   1\n",
    );
    check(
        "kubectl get nonsense",
        &[],
        &[],
        &[],
        "error: the server doesn't have a resource type \"nonsense\"\n",
    );
}

#[test]
fn lists_come_in_parts() {
    let mut first = table(&["a"]);
    first["metadata"]["continue"] = "next".into();
    check(
        "kubectl get cm --chunk-size=1",
        &[],
        &[(200, &first), (200, &table(&["b"]))],
        &[&format!("GET {MAPS}?limit=1"), &format!("GET {MAPS}?limit=1&continue=next")],
        "NAME   DATA\na      1\nb      1\n",
    );
}

#[test]
fn changes_are_watched() {
    let events =
        [json!({"type": "ADDED", "object": table(&["bb"])}), json!({"type": "BOOKMARK", "object": {}})];
    let events = Value::from(events.map(|event| event.to_string()).join("\n"));
    check(
        "kubectl get cm -w",
        &[],
        &[(200, &table(&["a"])), (200, &events)],
        &[&format!("GET {MAPS}?limit=500"), &format!("GET {MAPS}?watch=true&resourceVersion=7")],
        "NAME   DATA\na      1\nbb     1\n",
    );
    check(
        "kubectl get cm a --watch-only",
        &[],
        &[(200, &table(&["a"])), (200, &events)],
        &[
            &format!("GET {MAPS}?fieldSelector=metadata.name=a&limit=500"),
            &format!("GET {MAPS}?fieldSelector=metadata.name=a&watch=true&resourceVersion=7"),
        ],
        "NAME   DATA\nbb     1\n",
    );
}

#[test]
fn manifests_are_applied() {
    let applied = r#"{"apiVersion":"v1","data":{"k":"1"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"a","namespace":"default"}}"#.to_owned() + "\n";
    let body = json!({"apiVersion": "v1", "data": {"k": "1"}, "kind": "ConfigMap", "metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": applied.as_str()}, "name": "a", "namespace": "default"}});
    let write = format!("POST {MAPS}?fieldManager=kubectl-client-side-apply&fieldValidation=Strict {body}");
    check(
        "kubectl apply -f a.yaml",
        &[map("1")],
        &[(404, &missing()), (201, &map("1"))],
        &[&format!("GET {MAPS}/a"), &write],
        "configmap/a created\n",
    );
    check(
        "kubectl apply -f a.yaml",
        &[map("1")],
        &[(200, &body)],
        &[&format!("GET {MAPS}/a")],
        "configmap/a unchanged\n",
    );
    let (sent, printed) = run("kubectl apply -f a.yaml", &[map("2")], &[(200, &body), (200, &map("2"))]);
    assert!(sent[1].starts_with(&format!("PATCH {MAPS}/a?fieldManager=kubectl-client-side-apply&fieldValidation=Strict application/strategic-merge-patch+json {{\"data\":{{\"k\":\"2\"}},\"metadata\":{{\"annotations\":")));
    assert_eq!(printed.text, "configmap/a configured\n");
    check(
        "kubectl apply --server-side -f a.yaml --field-manager=me --dry-run=server",
        &[map("1")],
        &[(200, &map("1"))],
        &[&format!(
            "PATCH {MAPS}/a?dryRun=All&fieldManager=me&fieldValidation=Strict&force=false application/apply-patch+yaml {{\"apiVersion\":\"v1\",\"data\":{{\"k\":\"1\"}},\"kind\":\"ConfigMap\",\"metadata\":{{\"name\":\"a\",\"namespace\":\"default\"}}}}"
        )],
        "configmap/a serverside-applied (server dry run)\n",
    );
    let conflict =
        json!({"kind": "Status", "reason": "Conflict", "message": "Apply failed with 1 conflict: c"});
    let (_, printed) = run("kubectl apply --server-side -f -<<E\na: 1\nE", &[map("1")], &[(409, &conflict)]);
    assert!(
        printed.failed && printed.text.starts_with("error: Apply failed with 1 conflict: c\nPlease review")
    );
    let custom = json!({"apiVersion": "example.com/v1", "kind": "CronTab", "metadata": {"name": "a"}});
    check(
        "kubectl apply -f a.yaml",
        &[custom],
        &[],
        &[],
        "error: resource mapping not found for name: \"a\" namespace: \"\" from \"a.yaml\": no matches for kind \"CronTab\" in version \"example.com/v1\"\nensure CRDs are installed first\n",
    );
}

#[test]
fn objects_are_written() {
    let body = r#"{"apiVersion":"v1","data":{"k":"1"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}"#;
    check(
        "kubectl create -f a.yaml",
        &[map("1")],
        &[(201, &map("1"))],
        &[&format!("POST {MAPS}?fieldManager=kubectl-create&fieldValidation=Strict {body}")],
        "configmap/a created\n",
    );
    let exists =
        json!({"kind": "Status", "reason": "AlreadyExists", "message": "configmaps \"a\" already exists"});
    let (_, printed) = run("kubectl create -f a.yaml", &[map("1")], &[(409, &exists)]);
    assert_eq!(
        printed.text,
        "Error from server (AlreadyExists): error when creating \"a.yaml\": configmaps \"a\" already exists\n"
    );
    let mut current = map("0");
    current["metadata"]["resourceVersion"] = "9".into();
    check(
        "kubectl replace -f a.yaml",
        &[map("1")],
        &[(200, &current), (200, &map("1"))],
        &[
            &format!("GET {MAPS}/a"),
            &format!(
                "PUT {MAPS}/a?fieldManager=kubectl-replace&fieldValidation=Strict {}",
                body.replace("\"default\"", "\"default\",\"resourceVersion\":\"9\"")
            ),
        ],
        "configmap/a replaced\n",
    );
    check(
        "kubectl create --raw /api/v1/nodes -f a.json",
        &[json!({"a": 1})],
        &[(201, &json!({"b": 2}))],
        &["POST /api/v1/nodes {\"a\":1}"],
        "{\"b\":2}",
    );
}

#[test]
fn objects_are_deleted() {
    let options = r#"{"propagationPolicy":"Background"}"#;
    check(
        "kubectl delete cm a b",
        &[],
        &[(200, &json!({})), (404, &missing())],
        &[&format!("DELETE {MAPS}/a {options}"), &format!("DELETE {MAPS}/b {options}")],
        "configmap \"a\" deleted from default namespace\nError from server (NotFound): configmaps \"a\" not found\n",
    );
    check(
        "kubectl delete ns x --cascade=orphan --grace-period=3",
        &[],
        &[(200, &json!({}))],
        &["DELETE /api/v1/namespaces/x {\"gracePeriodSeconds\":3,\"propagationPolicy\":\"Orphan\"}"],
        "namespace \"x\" deleted\n",
    );
    let list =
        json!({"kind": "ConfigMapList", "items": [{"metadata": {"name": "a", "namespace": "default"}}]});
    check(
        "kubectl delete cm -l a=b",
        &[],
        &[(200, &list), (200, &json!({}))],
        &[&format!("GET {MAPS}?labelSelector=a=b&limit=500"), &format!("DELETE {MAPS}/a {options}")],
        "configmap \"a\" deleted from default namespace\n",
    );
    check(
        "kubectl delete cm --all",
        &[],
        &[(200, &json!({"kind": "ConfigMapList", "items": []}))],
        &[&format!("GET {MAPS}?limit=500")],
        "No resources found\n",
    );
    check(
        "kubectl delete -f a",
        &[map("1")],
        &[(200, &json!({}))],
        &[&format!("DELETE {MAPS}/a {options}")],
        "configmap \"a\" deleted from default namespace\n",
    );
    check(
        "kubectl delete cm",
        &[],
        &[],
        &[],
        "error: resource(s) were provided, but no name was specified\n",
    );
}

#[test]
fn objects_are_changed() {
    let get = format!("GET {MAPS}/a");
    check(
        "kubectl patch cm a --type=merge -p '{\"data\":{\"k\":\"2\"}}'",
        &[],
        &[(200, &map("1")), (200, &map("2"))],
        &[
            &get,
            &format!(
                "PATCH {MAPS}/a?fieldManager=kubectl-patch application/merge-patch+json {{\"data\":{{\"k\":\"2\"}}}}"
            ),
        ],
        "configmap/a patched\n",
    );
    check(
        "kubectl label cm a x=y",
        &[],
        &[(200, &map("1")), (200, &map("1"))],
        &[
            &get,
            &format!(
                "PATCH {MAPS}/a?fieldManager=kubectl-label application/merge-patch+json {{\"metadata\":{{\"labels\":{{\"x\":\"y\"}}}}}}"
            ),
        ],
        "configmap/a labeled\n",
    );
    let mut labelled = map("1");
    labelled["metadata"]["labels"] = json!({"x": "y"});
    check(
        "kubectl label cm a x=z",
        &[],
        &[(200, &labelled)],
        &[&get],
        "error: 'x' already has a value (y), and --overwrite is false\n",
    );
    check(
        "kubectl label cm a x-",
        &[],
        &[(200, &labelled), (200, &map("1"))],
        &[
            &get,
            &format!(
                "PATCH {MAPS}/a?fieldManager=kubectl-label application/merge-patch+json {{\"metadata\":{{\"labels\":{{\"x\":null}}}}}}"
            ),
        ],
        "configmap/a unlabeled\n",
    );
    check(
        "kubectl annotate cm/a x=1 --overwrite",
        &[],
        &[(200, &map("1")), (200, &map("1"))],
        &[
            &get,
            &format!(
                "PATCH {MAPS}/a?fieldManager=kubectl-annotate application/merge-patch+json {{\"metadata\":{{\"annotations\":{{\"x\":\"1\"}}}}}}"
            ),
        ],
        "configmap/a annotated\n",
    );
    let deployment = "/apis/apps/v1/namespaces/default/deployments/d";
    check(
        "kubectl scale deployment d --replicas=3",
        &[],
        &[(200, &json!({"kind": "Deployment"})), (200, &json!({}))],
        &[
            &format!("GET {deployment}"),
            &format!("PATCH {deployment}/scale application/merge-patch+json {{\"spec\":{{\"replicas\":3}}}}"),
        ],
        "deployment.apps/d scaled\n",
    );
    let scale = json!({"spec": {"replicas": 2}});
    check(
        "kubectl scale deploy/d --replicas=3 --current-replicas=2",
        &[],
        &[(200, &json!({})), (200, &scale), (200, &scale)],
        &[
            &format!("GET {deployment}"),
            &format!("GET {deployment}/scale"),
            &format!("PUT {deployment}/scale {{\"spec\":{{\"replicas\":3}}}}"),
        ],
        "deployment.apps/d scaled\n",
    );
}

#[test]
fn users_are_impersonated() {
    let line = read("kubectl get cm a --as alice --as-group=dev").unwrap().remove(0);
    let Step::Send(request) =
        line.begin(&Kinds::default(), "", Vec::new()).unwrap().next(&Kinds::default(), None)
    else {
        panic!()
    };
    assert_eq!(
        (request.header("Impersonate-User"), request.header("Impersonate-Group")),
        (Some("alice"), Some("dev"))
    );
}

#[test]
fn manifests_are_found() {
    #[track_caller]
    fn check(text: &str, expected: &[Source]) {
        assert_eq!(read(text).unwrap().pop().unwrap().manifests(), expected, "{text}");
    }
    let inline = || Source::Inline("a: 1\n".to_owned());
    check("kubectl apply -f - <<EOF\na: 1\nEOF", &[inline()]);
    check("cat <<EOF | kubectl apply -f -\na: 1\nEOF", &[inline()]);
    check("cat > x.yaml <<EOF\na: 1\nEOF\nkubectl create -f ./x.yaml", &[inline()]);
    check(
        "kubectl apply -f a.yaml,b.yaml -f https://k8s.io/c.yaml",
        &["a.yaml", "b.yaml", "https://k8s.io/c.yaml"].map(|path| Source::File(path.to_owned())),
    );
    check("cat x.yaml | kubectl apply -f -", &[Source::File("x.yaml".to_owned())]);
    check("kubectl patch cm a -p 'data: {}'", &[Source::Inline("data: {}".to_owned())]);
    check("curl -d @x.json http://a/b", &[Source::File("x.json".to_owned())]);
}

#[test]
fn what_does_not_run_is_refused() {
    for text in [
        "kubectl exec -it a -- sh",
        "kubectl proxy &",
        "kubectl nonsense",
        "kubectl",
        "kubectl apply -k .",
        "kubectl get cm a | kubectl apply -f -",
        "for x in a; do kubectl get $x; done",
        "TOKEN=$(kubectl create token a)",
        "wget http://a",
        "kubectl apply -f -",
        "kubectl get po --nonsense",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
    assert!(
        is_shell("# comment\n\n$ kubectl get po")
            && is_shell("curl http://a")
            && is_shell("cat <<EOF | kubectl apply -f -")
    );
    assert!(!is_shell("GET /api") && !is_shell("kubectlx") && !is_shell(""));
}

#[test]
fn no_garbage_panics() {
    let pieces = [
        "kubectl",
        "curl",
        "get",
        "apply",
        "create",
        "label",
        "scale",
        "patch",
        "delete",
        "explain",
        "pods",
        "pod/a",
        "-f",
        "-",
        "-o",
        "jsonpath={.a[?(@.b==\"c",
        "yaml",
        "<<EOF",
        "EOF",
        "\n",
        "|",
        "&&",
        "'",
        "\"",
        "\\",
        "$",
        "$'",
        "{",
        "}",
        "=",
        "-l",
        "a=b",
        "a-",
        "--",
        "--raw",
        "/",
        "ä",
        "\u{0}",
        "custom-columns=A:.b[",
        "@x",
        "-d",
        "-n",
        "🦀",
        "-🦀",
        ">",
        "<",
        "#",
    ];
    let mut seed = 7_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let kinds = Kinds::default();
    let answers: [&[u8]; 6] = [
        b"",
        b"{}",
        b"[1]",
        b"{\"kind\":\"List\",\"items\":[1,{\"metadata\":1}]}",
        b"{\"kind\":\"Table\",\"rows\":[1,{\"cells\":[1,null]}]}",
        b"{\"kind\":\"Status\",\"reason\":\"Invalid\"}",
    ];
    for _ in 0..20_000 {
        let mut text = String::from(if random(4) > 0 { "kubectl " } else { "" });
        for _ in 0..random(9) {
            text.push_str(pieces[random(pieces.len())]);
            text.push_str(if random(3) > 0 { " " } else { "" });
        }
        is_shell(&text);
        for line in read(&text).unwrap_or_default() {
            let objects = if random(2) > 0 {
                vec![json!({"kind": "Pod", "apiVersion": "v1", "metadata": 1}), json!([1])]
            } else {
                vec![map("1")]
            };
            let Ok(mut running) = line.begin(&kinds, "x", objects) else { continue };
            let mut response = None;
            for _ in 0..20 {
                let Step::Send(_) = running.next(&kinds, response) else { break };
                response = Some(([200, 404, 500][random(3)], answers[random(answers.len())]));
            }
        }
    }
}
