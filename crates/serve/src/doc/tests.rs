mod drafts;

use document::block::Content;
use document::{Runner, Scene, markdown};

use super::cluster::Cluster;

/// Runs a text that somebody types, behind a document that has run. `expected` is what was sent and came, and why it failed.
#[track_caller]
fn check(text: &str, expected: &[&str], failed: &str) {
    let page = "```http\nGET /api/v1/namespaces/default/configmaps/a\n---\n200 OK\n\n{\"metadata\": {\"resourceVersion\": \"OLD_VERSION\"}}\n```\n\n```yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n```\n";
    let page = markdown::read(page, "a.md").expect("it is short");
    assert!(matches!(page.blocks[1].content, Content::Manifest));
    let mut runner = Runner::new(page.blocks, Scene::default());
    let cluster = Cluster::new(None);
    let outcome = futures::executor::block_on(async {
        runner.begin(&cluster).await.expect("it is made");
        runner.run(&cluster, 0).await;
        runner.run_written(&cluster, text).await
    });
    let sent: Vec<String> = outcome
        .sent
        .iter()
        .map(|sent| format!("{} {} {}", sent.request.method, sent.request.target, sent.response.status))
        .collect();
    assert_eq!(sent, expected, "{text}: {:?}", outcome.failed);
    assert!(outcome.sent.iter().all(|sent| !sent.documented), "{text}");
    let why = outcome.failed.unwrap_or_default();
    assert!(why.contains(failed) && why.is_empty() == failed.is_empty(), "{text}: {why}");
}

#[test]
fn what_is_typed_runs_as_it_stands() {
    let none = "/api/v1/namespaces/x/configmaps/none";
    check(&format!("GET {none}"), &[&format!("GET {none} 404")], "");
    check(&format!("GET {none}\n---\n200 OK"), &[&format!("GET {none} 404")], "");
    check("POST /api/v1/namespaces", &["POST /api/v1/namespaces 400"], "");
    check("GET /api\n\nGET /apis", &["GET /api 200", "GET /apis 200"], "");
    check("kubectl get configmap none -n x", &[&format!("GET {none} 404")], "");
    check(
        "curl -X DELETE http://localhost:8001/api/v1/namespaces/x",
        &["DELETE /api/v1/namespaces/x 404"],
        "",
    );
    let apply = |name: &str, namespace: &str, status: u16| {
        format!(
            "PATCH /api/v1/namespaces/{namespace}/configmaps/{name}?fieldManager=kubectl&fieldValidation=Strict&force=false {status}"
        )
    };
    check("kubectl apply --server-side -f b.yaml", &[&apply("b", "default", 201)], "");
    check("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: x}", &[&apply("c", "x", 404)], "");
    check(
        "PUT /api/v1/namespaces/default/configmaps/a\n\n{\"metadata\": {\"name\": \"a\", \"resourceVersion\": \"1\"}}",
        &["PUT /api/v1/namespaces/default/configmaps/a 409"],
        "",
    );
    check(
        "PUT /api/v1/namespaces/default/configmaps/a\n\n{\"metadata\": {\"name\": \"a\", \"resourceVersion\": \"OLD_VERSION\"}}",
        &["PUT /api/v1/namespaces/default/configmaps/a 200"],
        "",
    );
}

#[test]
fn what_cannot_run_says_why() {
    check("", &[], "It is no request, no line of kubectl or curl, and no manifest.");
    check("hello", &[], "It is no request");
    check("200 OK", &[], "It is a response");
    check("GET /apis/GROUP", &[], "GROUP stands for something else");
    check("kubectl exec -it web -- sh", &[], "`kubectl exec`");
    check("apiVersion: v1\nkind: Pod\n...", &[], "It is an excerpt");
    check("kubectl apply -f none.yaml -o", &[], "-o");
    check("apiVersion: v1\nkind: Unknown\nmetadata: {name: a}", &[], "no matches for kind \"Unknown\"");
}
