//! `kubeglass doc`: documents run as they stand.

use std::fs;
use std::path::{Path, PathBuf};

use serve::doc::{Options, run};

/// Runs a document, and returns whether all came as documented, and what is printed.
fn told(files: Vec<PathBuf>, scene: Option<PathBuf>) -> (bool, String) {
    let mut out = Vec::new();
    let same = run(&Options { files, scene, json: false }, &mut out).expect("it can be run");
    (same, String::from_utf8(out).expect("text"))
}

/// Runs a text, with a scene beside it if there is one.
#[track_caller]
fn check(text: &str, scene: &str, expected: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.md");
    fs::write(&file, text).expect("it is written");
    if !scene.is_empty() {
        fs::write(folder.path().join("page.scene.yaml"), scene).expect("it is written");
    }
    let (_, printed) = told(vec![file], None);
    for part in expected {
        assert!(printed.contains(part), "{part:?} is not in\n{printed}");
    }
}

fn documents(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|end| end == "md") && !path.ends_with("README.md"))
        .collect();
    files.sort();
    files
}

#[test]
fn own_documents_run_as_documented() {
    let (same, printed) = told(documents("static/documents"), None);
    assert!(same, "{printed}");
}

#[test]
fn examples_in_the_style_of_kubernetes_run_as_documented() {
    let (same, printed) = told(documents("tests/documents"), None);
    assert!(same, "{printed}");
}

#[test]
fn what_differs_is_told() {
    check(
        "```http\nGET /api/v1/namespaces/default\n---\n200 OK\n\n{\"kind\": \"Namespace\", \"metadata\": {\"name\": \"default\"}, \"spec\": {\"colour\": \"blue\"}}\n```",
        "",
        &[
            "DIFF",
            ".spec.colour: documented blue, came nothing",
            "1 blocks ran, 0 as documented, 1 otherwise",
        ],
    );
    check(
        "```http\nPOST /api/v1/namespaces/default/pods\n---\n200 OK\n```",
        "",
        &["status: documented 200, came 201. An object that is created is answered with 201 Created."],
    );
}

#[test]
fn what_cannot_be_assumed_stops_nothing() {
    check(
        "```http\nGET /api/v1/componentstatuses/scheduler\n```\n\n```http\nGET /api/v1/namespaces/default/pods/Not_a_name\n```\n\n```http\nGET /version\n---\n200 OK\n```",
        "",
        &[
            "componentstatuses/scheduler ->",
            "pods/Not_a_name -> 404",
            "/version -> 200, as documented",
            "3 blocks ran",
        ],
    );
}

#[test]
fn a_response_without_what_is_documented_differs() {
    check(
        "```http\nGET /healthz\n---\n200 OK\n\n{\"status\": \"ok\"}\n```",
        "",
        &["DIFF", "documented {\"status\":\"ok\"}, came nothing"],
    );
    check(
        "```http\nGET /apis/extensions/v1beta1/deployments\n---\n200 OK\n```",
        "",
        &["status: documented 200, came 404. Kubernetes v1.36 does not serve this."],
    );
}

#[test]
fn blocks_that_do_not_run_say_why() {
    check(
        "```\nGET /apis/GROUP/VERSION/RESOURCETYPE\n```\n\n```shell\nkubectl exec -it web -- sh\n```\n\n```yaml\napiVersion: v1\nkind: Pod\n...\n```",
        "",
        &[
            "GROUP stands for something else",
            "`kubectl exec`",
            "It is an excerpt of an object",
            "0 blocks ran",
        ],
    );
}

#[test]
fn scenes_are_made_first() {
    check(
        "```http\nGET /api/v1/namespaces/shop/configmaps?limit=2\n---\n200 OK\n\n{\"metadata\": {\"resourceVersion\": \"500\", \"remainingItemCount\": 3}}\n```",
        "revision: 500\nobjects:\n- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}\ncopies:\n- count: 5\n  object: {apiVersion: v1, kind: ConfigMap, metadata: {name: 'c-{n}', namespace: shop}}\n",
        &["1 blocks ran, 1 as documented"],
    );
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.md");
    fs::write(&file, "---\nscene:\n  nonsense: 1\n---\n").expect("it is written");
    let error = |files: Vec<PathBuf>| {
        run(&Options { files, ..Options::default() }, Vec::new()).expect_err("it is refused").to_string()
    };
    assert!(error(vec![file]).contains("unknown field `nonsense`"));
    assert!(error(vec![folder.path().join("none.md")]).contains("cannot be read"));
    let binary = folder.path().join("b.md");
    fs::write(&binary, [0xff, 0xfe]).expect("it is written");
    assert!(error(vec![binary]).contains("it is no UTF-8"));
}
