use json_tree::json;

use super::*;
use crate::block::Content;
use crate::{Scene, markdown};

fn done(method: &str, target: &str, body: &str, status: u16) -> Done {
    let came = Came {
        status,
        reason: if status == 409 { "Conflict" } else { "OK" }.to_owned(),
        content_type: JSON.to_owned(),
        bodies: Vec::new(),
    };
    let sent = serde_json::from_str(body).unwrap_or_default();
    let request = Request { body: body.to_owned().into(), ..Request::new(method, target) };
    Done { request, sent, came: Some(came), ..Done::default() }
}

fn draft(done: Vec<Done>) -> Draft {
    let object = |yaml: &str| Object { value: json!({}), yaml: yaml.to_owned() };
    Draft {
        title: "A: b".to_owned(),
        about: None,
        revision: Some(77),
        objects: ["kind: A\nb: 1\n", "kind: C\n"].map(object).to_vec(),
        only_used: false,
        done,
        words: &ENGLISH,
    }
}

#[test]
fn what_is_written_can_be_read() {
    let mut all = vec![
        done("POST", "/api/v1/namespaces/default/configmaps", "{\"a\": \"``` b\"}", 201),
        done("GET", "/api/v1/pods?watch=1", "", 200),
        done("GET", "/api/v1/pods", "", 200),
        Done { came: None, ..done("GET", "/api/v1/nodes", "", 200) },
    ];
    let bodies = |done: &mut Done, bodies: Vec<Bytes>| {
        if let Some(came) = &mut done.came {
            came.bodies = bodies;
        }
    };
    let body = r#"{"kind":"ConfigMap","metadata":{"name":"a","managedFields":[{}]}}"#;
    bodies(&mut all[0], vec![body.into()]);
    bodies(&mut all[1], vec!["{}".into(); 2]);
    bodies(&mut all[2], vec![vec![b'['; 9_000].into()]);
    let page = markdown::read(&draft(all).markdown(), "a.md").expect("it is short");
    assert_eq!(page.title, "A: b");
    let scene = Scene::in_front_matter(&page.front_matter).expect("it is one").expect("there is one");
    assert_eq!((scene.revision, scene.objects.len()), (Some(77), 2));
    let told = page.blocks.iter().map(|block| match &block.content {
        Content::Http(exchanges) => {
            let documented = exchanges[0].documented.clone().unwrap_or_default();
            (exchanges[0].body.clone(), documented.status, documented.body.replace(['\n', ' '], ""))
        }
        other => panic!("{other:?}"),
    });
    let expected = [
        ("{\"a\": \"``` b\"}", Some(201), r#"{"kind":"ConfigMap","metadata":{"name":"a"}}"#),
        ("", Some(200), "{}{}"),
        ("", Some(200), "..."),
        ("", None, ""),
    ];
    let expected = expected.map(|(body, status, came)| (body.to_owned(), status, came.to_owned()));
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

#[test]
fn headings() {
    let check = |method: &str, target: &str, body: &str, status: u16, expected: [&str; 2]| {
        let done = done(method, target, body, status);
        let told = [&ENGLISH, &CHINESE].map(|words| title::of_example(&done, words));
        assert_eq!(told, expected, "{method} {target}");
    };
    let maps = "/api/v1/namespaces/default/configmaps";
    check("GET", maps, "", 200, ["List `configmaps`", "列出 `configmaps`"]);
    check("GET", &[maps, "?watch=1"].concat(), "", 200, ["Watch `configmaps`", "监视 `configmaps`"]);
    check("GET", &[maps, "/a%2Eb"].concat(), "", 200, ["Read the ConfigMap `a.b`", "读取 ConfigMap `a.b`"]);
    check(
        "POST",
        maps,
        r#"{"metadata":{"name":"a"}}"#,
        409,
        ["Create the ConfigMap `a`: 409 Conflict", "创建 ConfigMap `a`：409 Conflict"],
    );
    check(
        "POST",
        "/apis/events.k8s.io/v1/namespaces/default/events",
        r#"{"metadata":{"generateName":"a"}}"#,
        201,
        ["Create an Event with a generated name", "创建 Event（名称由服务器生成）"],
    );
    check(
        "POST",
        "/apis/authentication.k8s.io/v1/tokenreviews",
        "{}",
        201,
        ["Create a TokenReview", "创建 TokenReview"],
    );
    check(
        "PATCH",
        "/apis/apps/v1/namespaces/a/deployments/web/scale?dryRun=All",
        "{}",
        200,
        ["Patch `scale` of the Deployment `web`, as a dry run", "修补 Deployment `web` 的 `scale`（试运行）"],
    );
    check(
        "PUT",
        "/apis/example.com/v1/things/one",
        r#"{"kind":"Thing"}"#,
        200,
        ["Replace the Thing `one`", "替换 Thing `one`"],
    );
    check("DELETE", "/api/v1/nodes", "", 200, ["Delete all `nodes`", "删除所有 `nodes`"]);
    check("GET", "/version?a=b", "", 200, ["Send `GET /version`", "发送 `GET /version`"]);
}

#[test]
fn fields_that_were_changed() {
    let check = |before: Value, after: Value, expected: &[&str]| {
        let fields = fields::changed(&before, &after);
        let told: Vec<_> = fields.iter().map(|field| field.expression("o")).collect();
        assert_eq!(told, expected);
    };
    check(
        json!({ "a": 1, "b": [1], "c": { "d": true } }),
        json!({ "a": 2, "b": [1, "x'"], "c": {} }),
        &["o.a == 2", "o.b == [1, 'x\\'']", "!('d' in o.c)"],
    );
    let metadata = json!({ "name": "a", "resourceVersion": "2", "labels": { "a.b/c": "d", "if": "e" } });
    check(
        json!({ "metadata": { "name": "a", "resourceVersion": "1" } }),
        json!({ "metadata": metadata }),
        &["o.metadata.labels['a.b/c'] == 'd'", "o.metadata.labels['if'] == 'e'"],
    );
    let containers = json!([{ "name": "main", "image": "b", "ports": [] }, { "name": "side", "tty": true }]);
    check(
        json!({ "spec": { "containers": [] } }),
        json!({ "spec": { "containers": containers } }),
        &["o.spec.containers.exists(item, item.name == 'main' && item.image == 'b') && \
         o.spec.containers.exists(item, item.name == 'side' && item.tty == true)"],
    );
    // What is another one in each cluster is not told.
    let condition = json!({ "type": "Ready", "lastTransitionTime": "2026-01-01T00:00:00Z" });
    check(
        json!({ "spec": { "clusterIP": "", "type": "A" } }),
        json!({ "spec": { "clusterIP": "10.0.0.1", "type": "B" }, "status": { "conditions": [condition] } }),
        &["o.spec.type == 'B'"],
    );
    let long = "é".repeat(200);
    check(json!({}), json!({ "a": { "b": long } }), &["o.a.b.size() == 200"]);
    check(json!({ "a": 1 }), json!({ "a": 1, "kind": "B" }), &[]);
}

#[test]
fn fields_that_were_sent() {
    let check = |sent: Value, stored: Value, expected: &[&str]| {
        let fields = fields::sent(&sent, &stored);
        assert_eq!(fields.iter().map(|field| field.expression("o")).collect::<Vec<_>>(), expected);
    };
    // What the server has changed, or does not store, is not told.
    check(
        json!({ "apiVersion": "v1", "stringData": { "a": "b" }, "spec": { "x": 1, "y": "0.1", "z": null } }),
        json!({ "data": { "a": "Yg==" }, "spec": { "x": 1, "y": "100m" } }),
        &["o.spec.x == 1"],
    );
    check(
        json!({ "spec": { "containers": [{ "name": "a" }], "list": [{ "a": 1 }] } }),
        json!({ "spec": { "containers": [{ "name": "a", "added": 1 }], "list": [{ "a": 1, "added": 1 }] } }),
        &["o.spec.containers.exists(item, item.name == 'a')"],
    );
}
