//! `kubeglass doc`: documents run as they stand.

use std::fs;
use std::path::{Path, PathBuf};

use document::block::Content;
use document::lesson;
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

/// Reports whether a document has functions, which run in browsers alone: there it is tested (`tests/browser/learn.spec.mjs`).
fn has_functions(file: &Path) -> bool {
    fs::read_to_string(file).expect("it can be read").contains("kubeglass.dev/function")
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
    for folder in ["static/documents", "static/documents/zh"] {
        let (functions, others): (Vec<_>, Vec<_>) =
            documents(folder).into_iter().partition(|file| has_functions(file));
        let (same, printed) = told(others, None);
        assert!(same, "{printed}");
        let (same, printed) = told(functions, None);
        assert!(!same && printed.contains("functions run in browsers alone"), "{printed}");
    }
}

#[test]
fn commands_know_what_was_defined_before() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: plants.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: plants, singular: plant, kind: Plant}\n  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n";
    let object = "apiVersion: example.com/v1\nkind: Plant\nmetadata: {name: fern}\n";
    let text = format!(
        "```yaml\n{definition}```\n\n```yaml\n{object}```\n\n```\n$ kubectl get plants -o name\nplant.example.com/fern\n```\n"
    );
    check(
        &text,
        "",
        &["GET /apis/example.com/v1/namespaces/default/plants?limit=500 -> 200", "3 as documented"],
    );
}

#[test]
fn what_an_example_defines_is_not_there_before() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: plants.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: plants, kind: Plant}\n  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n";
    let object = "apiVersion: example.com/v1\nkind: Plant\nmetadata: {name: fern}\n";
    let post = |path: &str, body: &str| {
        format!("```http\nPOST {path}\nContent-Type: application/yaml\n\n{body}---\n201 Created\n```\n\n")
    };
    let text = post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
        + &post("/apis/example.com/v1/namespaces/default/plants", object);
    check(&text, "", &["2 as documented"]);
}

#[test]
fn examples_in_the_style_of_kubernetes_run_as_documented() {
    let (same, printed) = told(documents("tests/documents"), None);
    assert!(same, "{printed}");
}

#[test]
fn own_lessons_are_right() {
    for language in ["en", "zh"] {
        let (right, printed) = told(documents(&["static/lessons/", language].concat()), None);
        assert!(right && !printed.contains("FAIL"), "{printed}");
    }
}

/// Returns what a lesson sends and expects, which is the same in all languages.
fn facts(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).expect("it is there");
    let page = document::markdown::read(&text, "lesson.md").expect("it is short");
    let fact = |block: &document::block::Block| match &block.content {
        Content::Check => {
            let check = lesson::Check::read(block).expect("it is a check");
            let expressions = check.expect.into_iter().map(|one| one.expect);
            Some(format!("{:?} {:?}", check.objects, expressions.collect::<Vec<_>>()))
        }
        Content::Question => {
            let question = lesson::Question::read(block).expect("it is a question");
            let rights = question.choices.iter().map(|choice| choice.right);
            Some(format!("{:?}", rights.collect::<Vec<_>>()))
        }
        Content::Hint => Some("hint".to_owned()),
        _ if block.can_run() => Some(format!("{:?} {}", block.role, block.text)),
        _ => None,
    };
    let front: serde_yaml::Value = serde_yaml::from_str(&page.front_matter).expect("it is YAML");
    let scene = serde_yaml::to_string(&(front.get("scene"), front["lesson"].get("picture"))).expect("it is");
    page.blocks.iter().filter_map(fact).chain([scene]).collect()
}

#[test]
fn lessons_are_the_same_in_each_language() {
    let (english, chinese) = (documents("static/lessons/en"), documents("static/lessons/zh"));
    assert_eq!(english.len(), chinese.len());
    for (english, chinese) in english.iter().zip(&chinese) {
        assert_eq!(facts(english), facts(chinese), "{}", chinese.display());
    }
}

/// Plays a lesson of one step, whose object is a ConfigMap `a` with the key `sky`.
#[track_caller]
fn check_lesson(body: &str, right: bool, expected: &[&str]) {
    let front = "---\nlesson: {about: a}\nscene:\n  objects:\n  - {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {sky: blue}}\n---\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.md");
    fs::write(&file, [front, "## Do it\n\n", body].concat()).expect("it is written");
    let (found, printed) = told(vec![file], None);
    assert_eq!(found, right, "{printed}");
    for part in expected {
        assert!(printed.contains(part), "{part:?} is not in\n{printed}");
    }
}

/// Makes the sky grey.
const SOLUTION: &str = "```http solution\nPATCH /api/v1/namespaces/default/configmaps/a\nContent-Type: application/merge-patch+json\n\n{\"data\": {\"sky\": \"grey\"}}\n```\n\n";
/// Makes it black, which is wrong.
const WRONG: &str =
    "```shell wrong\nkubectl patch configmap a -p '{\"data\": {\"sky\": \"black\"}}'\n```\n\n";
const IS_GREY: &str = "```check\nobjects: [/api/v1/namespaces/default/configmaps/a]\nexpect: objects[0].data.sky == 'grey'\n```\n\n";

#[test]
fn lessons_are_played() {
    check_lesson(
        &[IS_GREY, WRONG, SOLUTION].concat(),
        true,
        &[
            "ok   ",
            ":9: step \"Do it\": refuses what is wrong, and is fulfilled by its solution",
            "wrong: PATCH /api/v1/namespaces/default/configmaps/a",
            "solution: PATCH /api/v1/namespaces/default/configmaps/a -> 200",
            "0 blocks ran, 0 as documented, 0 otherwise; 0 do not run; 1 steps, 1 as they should be",
        ],
    );
    // What is wrong is tried in a cluster of its own, wherever it stands: else there would be two changes.
    let once = "```check\nexpect: writes.filter(w, w.name == 'a').size() == 1 && writes[0].type == 'MODIFIED' && exchange.response.data.sky == 'grey'\n```\n\n";
    check_lesson(&[WRONG, once, SOLUTION, WRONG].concat(), true, &["refuses what is wrong"]);
    check_lesson(&[once, SOLUTION].concat(), true, &["step \"Do it\": is fulfilled by its solution"]);
}

#[test]
fn expressions_see_all_of_the_exchanges() {
    let check = |expression: &str, solution: &str| {
        let check =
            ["```check\nexpect: |\n  ", expression, "\n```\n\n```http solution\n", solution, "\n```\n"];
        check_lesson(&check.concat(), true, &["is fulfilled by its solution"]);
    };
    check(
        "exchange.method == 'GET' && exchange.path == '/api/v1/configmaps' && exchange.query == {'limit': '1', 'labelSelector': 'a=b'} && exchange.body == null",
        "GET /api/v1/configmaps?limit=1&labelSelector=a%3Db",
    );
    check(
        "exchange.headers['accept'] == 'application/yaml' && exchange.responseHeaders['content-type'] == 'application/yaml' && exchange.response.metadata.name == 'a'",
        "GET /api/v1/namespaces/default/configmaps/a\nAccept: application/yaml",
    );
    check("exchange.status == 200 && exchange.response == 'ok'", "GET /healthz");
    check(
        "exchange.body.data.b == 'c' && exchange.status == 201",
        "POST /api/v1/namespaces/default/configmaps\nContent-Type: application/yaml\n\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {b: c}",
    );
    check(
        "exchange.status == 404 && exchange.response.reason == 'NotFound'",
        "GET /api/v1/namespaces/x/pods/y",
    );
    check(
        "exchanges.size() == 2 && exchanges[0].status == 200 && exchange.status == 404 && exchange.events == []",
        "GET /api/v1\n\nGET /api/v7",
    );
    check(
        "exchanges[0].events.exists(e, e.type == 'MODIFIED' && e.object.data.sky == 'grey') && exchanges[0].response == null",
        "GET /api/v1/namespaces/default/configmaps?watch=1\n\nPATCH /api/v1/namespaces/default/configmaps/a\nContent-Type: application/merge-patch+json\n\n{\"data\": {\"sky\": \"grey\"}}",
    );
}

#[test]
fn steps_that_are_not_right_are_told() {
    let check = |expression: &str| ["```check\nexpect: ", expression, "\n```\n\n"].concat();
    check_lesson(
        &[&*check("exchange.status < 500"), SOLUTION].concat(),
        false,
        &["it is fulfilled before anything was done"],
    );
    check_lesson(
        &["```http\nGET /api\n```\n\n", &*check("exchange.status == 200"), SOLUTION].concat(),
        false,
        &["ran  ", "it is fulfilled by its examples"],
    );
    check_lesson(
        &[&*check("exchange.status == 200"), WRONG, SOLUTION].concat(),
        false,
        &["it is fulfilled by what is wrong in line 13"],
    );
    check_lesson(
        &[&*check("exchange.status == 409"), SOLUTION].concat(),
        false,
        &[
            "FAIL",
            "it is not fulfilled by its solution: `exchange.status == 409` is false",
            "solution: PATCH",
        ],
    );
    check_lesson(
        &[&*check("exchange.response.date == 'x'"), SOLUTION].concat(),
        false,
        &["`exchange.response.date == 'x'`: no such key: date"],
    );
    check_lesson(
        &[&*check("exchang.status == 409"), SOLUTION].concat(),
        false,
        &["The expression `exchang.status == 409` is not valid: ERROR: <input>:1:1: undeclared reference"],
    );
    check_lesson(IS_GREY, false, &["it has no solution"]);
    check_lesson(
        &["```check\nexpects: 1\n```\n\n", SOLUTION, "```http\nGET /api\n---\n200 OK\n```\n"].concat(),
        false,
        &[
            ":10: The check cannot be read: unknown field `expects`",
            "its check cannot be read",
            "/api -> 200, as documented",
        ],
    );
    check_lesson(
        &[IS_GREY, "```shell solution\nkubectl patch configmap -p x\n```\n"].concat(),
        false,
        &["its solution could not be run"],
    );
}

#[test]
fn lessons_as_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.md");
    let text = ["---\nlesson: {}\n---\n## A\n\n", IS_GREY, WRONG, SOLUTION].concat();
    fs::write(&file, text).expect("it is written");
    let mut out = Vec::new();
    let right = run(&Options { files: vec![file], scene: None, json: true }, &mut out).expect("it runs");
    let told: serde_json::Value = serde_json::from_slice(&out).expect("it is JSON");
    assert!(!right);
    let problem = told[0]["problems"][0]["text"].as_str().expect("there is one");
    assert!(problem.contains("missing field `about`"), "{problem}");
    let step = &told[0]["steps"][0];
    assert_eq!((&step["title"], &step["line"], &step["right"]), (&"A".into(), &6.into(), &false.into()));
    assert_eq!(step["tried"][0]["role"], "wrong");
    // There is no such object, and nothing makes it.
    assert_eq!(step["tried"][1]["sent"][0]["status"], 404);
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
