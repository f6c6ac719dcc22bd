//! Documents and lessons that are written of what was done in a cluster: each has to run as it is written.

use std::collections::HashMap;

use apimachinery::Place;
use document::draft::{CHINESE, Came, Done, Draft, ENGLISH, Object, Words, Wrote};
use document::kinds::Kinds;
use document::message::{Body, Request};
use document::{Runner, Scene, Server, http, markdown};
use json_tree::Value;

use super::super::cluster::Cluster;
use super::super::{Ran, run_page};

/// The objects that each session finds.
const OBJECTS: [&str; 4] = [
    "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: team\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  namespace: team\ndata:\n  level: info\n  size: small\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n  namespace: default\n",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: unused\n  namespace: default\n",
];
const REVISION: u64 = 20_000;

/// A cluster in which somebody does something, and what is known of that.
struct Session {
    cluster: Cluster,
    /// The objects by their paths, as they were when they were last looked at.
    known: HashMap<String, Value>,
    /// The number of writes that have been looked at.
    writes: usize,
}

impl Session {
    async fn begin() -> Self {
        let scene = Scene {
            revision: Some(REVISION),
            objects: OBJECTS.map(|object| serde_yaml::from_str(object).expect("it is YAML")).to_vec(),
            ..Scene::default()
        };
        let mut runner = Runner::new(Vec::new(), scene);
        let cluster = Cluster::new(runner.first_revision());
        runner.begin(&cluster).await.expect("it is made");
        cluster.begin_step();
        Self { cluster, known: HashMap::new(), writes: 0 }
    }

    async fn read(&self, path: &str) -> Value {
        let request = Request::new("GET", path).with("Accept", "application/json");
        let response = self.cluster.send(&request).await.expect("there is a response");
        match response.body {
            Body::Whole(body) if response.status == 200 => serde_json::from_slice(&body).expect("it is JSON"),
            _ => Value::Null,
        }
    }

    /// Sends requests as documents write them.
    async fn send(&mut self, text: &str, is_step: bool) -> Vec<Done> {
        let mut all = Vec::new();
        for exchange in http::read(text).expect("these are requests") {
            let request = Request {
                method: exchange.method,
                target: exchange.target,
                headers: exchange.headers,
                body: exchange.body.into(),
            };
            if let Some(place) = Place::of(request.path()).filter(|place| !place.name.is_empty()) {
                let path = place.object(place.name);
                let object = self.read(&path).await;
                self.known.insert(path, object);
            }
            let response = self.cluster.send(&request).await.expect("there is a response");
            let came = Came {
                status: response.status,
                reason: String::new(),
                content_type: response.header("Content-Type").unwrap_or_default().to_owned(),
                bodies: self.cluster.body(&response).await,
            };
            let sent = match &*request.body {
                b"" => Value::Null,
                body => serde_yaml::from_slice(body).unwrap_or_default(),
            };
            all.push(Done { request, sent, came: Some(came), wrote: self.wrote().await, is_step });
        }
        all
    }

    /// Returns the writes that are new.
    async fn wrote(&mut self) -> Vec<Wrote> {
        let kinds = Kinds::default();
        let all = self.cluster.writes();
        let new = all.get(self.writes..).unwrap_or_default().to_vec();
        self.writes = all.len();
        let mut wrote = Vec::new();
        for write in new {
            let of_kind =
                |kind: &&document::kinds::Kind| kind.group == write.group && kind.resource == write.resource;
            let kind = kinds.all().iter().find(of_kind).expect("it is a built-in kind");
            let path = [&kind.path(&write.namespace), "/", &write.name].concat();
            let after = self.read(&path).await;
            let before = self.known.insert(path, after.clone()).unwrap_or_default();
            wrote.push(Wrote { write, before, after });
        }
        wrote
    }
}

/// Returns what is written of requests; those of `unseen` are sent before each of them, and are not told of.
fn written(requests: &[(&str, bool)], unseen: &[&str], lesson: bool, words: &'static Words) -> String {
    futures::executor::block_on(async {
        let mut session = Session::begin().await;
        let mut done = Vec::new();
        for (request, is_step) in requests {
            for request in unseen {
                session.send(request, false).await;
            }
            done.extend(session.send(request, *is_step).await);
        }
        let object = |yaml: &str| Object {
            value: serde_yaml::from_str(yaml).expect("it is YAML"),
            yaml: yaml.to_owned(),
        };
        Draft {
            title: "What was done".to_owned(),
            about: lesson.then(|| "It tells: all".to_owned()),
            revision: Some(REVISION),
            objects: OBJECTS.map(object).to_vec(),
            only_used: true,
            done,
            words,
        }
        .markdown()
    })
}

fn play(text: String) -> Ran {
    let page = markdown::read(&text, "draft.md").expect("it is short");
    let scene = Scene::in_front_matter(&page.front_matter).expect("it is one").expect("there is one");
    run_page(text, page, scene).expect("it is played")
}

/// Plays what is written of requests as a document and as lessons.
#[track_caller]
fn check(requests: &[(&str, bool)], unseen: &[&str], steps: usize) {
    for (lesson, words) in [(false, &ENGLISH), (true, &ENGLISH), (true, &CHINESE)] {
        let ran = play(written(requests, unseen, lesson, words));
        let text = &ran.name;
        assert!(ran.problems.is_empty(), "{:?}\n{text}", ran.problems);
        assert_eq!(ran.steps.len(), if lesson { steps } else { 0 }, "{text}");
        for step in &ran.steps {
            assert!(step.is_right(), "{}: {:#?}\n{text}", step.step.title, step.faults);
        }
        for outcome in ran.outcomes.iter().flatten() {
            assert!(outcome.is_as_documented(), "{outcome:#?}\n{text}");
        }
    }
}

/// A request for a certificate.
const REQUEST: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIY01JR0NBZ0VBTUNBeEVEQU9CZ05WQkFNTUIzTnZiV1Z2Ym1VeEREQUtCZ05WQkFvTUEyUmxkakJaTUJNRwpCeXFHU000OUFnRUdDQ3FHU000OUF3RUhBMElBQk1tNDdRZDZnNDNNVUR3TjhkTU43ak5WYUo1a3ZGZXNiZ01PCnBYQnNXdlNlaGZKdUxBVlpkUm1OVm9MNWxlUGhIUStHWHl1a3lTWFlCWDZZbXgveHB1Q2dBREFLQmdncWhrak8KUFFRREFnTkpBREJHQWlFQTFFSTdUeE1KMGJML2JudDFFU2NkTk02VDJaN3V2WFB5Y201dVhPTkdVcWdDSVFDbQpHN3Ftei9EcnRHQzZBQnlmdGIxMGRsWGZaZW53OFlhYUZNd2NFQ2R4VWc9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";
const LEVEL: &str = "PATCH /api/v1/namespaces/team/configmaps/settings\nContent-Type: application/merge-patch+json\n\n{\"data\": {\"level\": \"debug\", \"size\": null}}";
const COLOURS: &str = "POST /api/v1/namespaces/default/configmaps\nContent-Type: application/json\n\n{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"colours\", \"labels\": {\"app.kubernetes.io/name\": \"colours\"}, \"annotations\": {\"note\": \"it's\"}}, \"data\": {\"sky\": \"blue\", \"if\": \"a\\nb\"}}";
const UNSEEN: &str = "POST /api/v1/namespaces/default/secrets\nContent-Type: application/json\n\n{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"metadata\": {\"generateName\": \"a-\"}}";

#[test]
fn objects_that_are_written() {
    check(
        &[
            ("GET /api/v1/namespaces/team/configmaps/settings", false),
            (LEVEL, true),
            ("GET /api/v1/namespaces/team/configmaps/settings", false),
            (COLOURS, true),
            (COLOURS, true),
            ("DELETE /api/v1/namespaces/default/configmaps/colours", true),
            ("DELETE /api/v1/namespaces/team/configmaps", true),
        ],
        &[],
        5,
    );
}

#[test]
fn versions_of_a_stretch() {
    let put = |version: u64| {
        format!(
            "PUT /api/v1/namespaces/default/configmaps/colours\nContent-Type: application/yaml\n\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: colours\n  resourceVersion: '{version}'\ndata:\n  sky: grey\n"
        )
    };
    // Three writes that are not told of come before it: its own is the second of the draft.
    let (first, second) = (put(REVISION + 2), put(REVISION + 2));
    check(&[(COLOURS, true), (&first, true), (&second, true)], &[UNSEEN], 3);
    check(&[(COLOURS, true), (&put(REVISION + 1), true), (&put(REVISION + 1), true)], &[], 3);
}

#[test]
fn names_that_the_server_makes() {
    let pod = "POST /api/v1/namespaces/team/pods\nContent-Type: application/yaml\n\napiVersion: v1\nkind: Pod\nmetadata:\n  generateName: web-\nspec:\n  containers:\n  - name: main\n    image: registry.k8s.io/pause:3.10\n";
    check(
        &[
            (pod, true),
            ("GET /api/v1/namespaces/team/pods?limit=1&labelSelector=a%21%3Db", true),
            ("GET /api/v1/namespaces/team/pods?watch=true&resourceVersion=0", true),
            (
                "GET /api/v1/namespaces/team/pods\nAccept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
                true,
            ),
            ("GET /version", true),
        ],
        &[],
        5,
    );
}

#[test]
fn owned_fields() {
    let apply = |manager: &str, level: &str, end: &str| {
        format!(
            "PATCH /api/v1/namespaces/team/configmaps/flags?fieldManager={manager}{end}\nContent-Type: application/apply-patch+yaml\n\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flags\ndata:\n  level: {level}\n"
        )
    };
    check(
        &[
            (&apply("a", "info", ""), true),
            (&apply("b", "debug", ""), true),
            (&apply("b", "debug", "&force=true"), true),
            // It changes nothing but who owns the field.
            (&apply("c", "debug", ""), true),
            (&apply("d", "debug", "&dryRun=All"), true),
        ],
        &[UNSEEN],
        5,
    );
}

#[test]
fn parts_of_objects() {
    let web = "POST /apis/apps/v1/namespaces/team/deployments\nContent-Type: application/yaml\n\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 2\n  selector:\n    matchLabels: {app: web}\n  template:\n    metadata:\n      labels: {app: web}\n    spec:\n      containers:\n      - name: main\n        image: nginx:1.27\n        ports:\n        - containerPort: 80\n";
    let scale = "PATCH /apis/apps/v1/namespaces/team/deployments/web/scale\nContent-Type: application/merge-patch+json\n\n{\"spec\": {\"replicas\": 5}}";
    let operations = "PATCH /apis/apps/v1/namespaces/team/deployments/web\nContent-Type: application/json-patch+json\n\n[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"a.b/c\": \"d\"}}, {\"op\": \"replace\", \"path\": \"/spec/template/spec/containers/0/image\", \"value\": \"nginx:1.28\"}]";
    let service = "POST /api/v1/namespaces/team/services\nContent-Type: application/json\n\n{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"web\"}, \"spec\": {\"selector\": {\"app\": \"web\"}, \"ports\": [{\"name\": \"http\", \"port\": 80}]}}";
    let review = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews\nContent-Type: application/json\n\n{\"apiVersion\": \"authorization.k8s.io/v1\", \"kind\": \"SelfSubjectAccessReview\", \"spec\": {\"resourceAttributes\": {\"verb\": \"get\", \"resource\": \"pods\"}}}";
    check(&[(web, true), (scale, true), (operations, true), (service, true), (review, true)], &[], 5);
}

#[test]
fn what_is_another_one_in_each_cluster_is_not_expected() {
    let service = "POST /api/v1/namespaces/team/services\nContent-Type: application/json\n\n{\"kind\": \"Service\", \"metadata\": {\"name\": \"web\"}, \"spec\": {\"type\": \"ExternalName\", \"externalName\": \"example.com\"}}";
    let addressed = "PATCH /api/v1/namespaces/team/services/web\nContent-Type: application/merge-patch+json\n\n{\"spec\": {\"type\": \"NodePort\", \"externalName\": null, \"ports\": [{\"port\": 80}]}}";
    let requested = "POST /apis/certificates.k8s.io/v1/certificatesigningrequests\nContent-Type: application/json\n\n{\"kind\": \"CertificateSigningRequest\", \"metadata\": {\"name\": \"csr\"}, \"spec\": {\"request\": \"REQUEST\", \"signerName\": \"example.com/own\", \"usages\": [\"client auth\"]}}".replace("REQUEST", REQUEST);
    let approved = "PATCH /apis/certificates.k8s.io/v1/certificatesigningrequests/csr/approval\nContent-Type: application/merge-patch+json\n\n{\"status\": {\"conditions\": [{\"type\": \"Approved\", \"status\": \"True\"}]}}";
    check(&[(service, true), (addressed, true), (&requested, true), (approved, true)], &[], 4);
}

#[test]
fn objects_that_stay_until_a_finalizer_goes() {
    let held = "POST /api/v1/namespaces/team/configmaps\nContent-Type: application/json\n\n{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"held\", \"finalizers\": [\"example.com/hold\"]}}";
    let freed = "PATCH /api/v1/namespaces/team/configmaps/held\nContent-Type: application/merge-patch+json\n\n{\"metadata\": {\"finalizers\": null}}";
    check(&[(held, true), ("DELETE /api/v1/namespaces/team/configmaps/held", true), (freed, true)], &[], 3);
}

#[test]
fn only_what_is_used_is_in_the_scene() {
    let text = written(&[(LEVEL, true)], &[], true, &ENGLISH);
    let names = |text: &str| {
        text.lines()
            .filter_map(|line| line.trim().strip_prefix("name: ").map(str::to_owned))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(text.split("\n---\n").next().unwrap_or_default()), ["team", "settings"]);
}
