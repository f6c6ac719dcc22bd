//! Clusters, as a test without kube uses them.

use std::error::Error as StdError;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use kubeglass::{CallError, Client, Cluster, Error, Fault, ManualClock, ResponseBody, User};
use serde_json::{Value, json};
use tower_service::Service;

type Outcome = Result<(), Box<dyn StdError>>;

const A: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

async fn get(client: &Client, uri: &str) -> Result<(u16, ResponseBody), CallError> {
    let request = Request::get(uri).body(Full::new(Bytes::new())).expect("a request");
    let response = client.clone().call(request).await?;
    Ok((response.status().as_u16(), response.into_body()))
}

async fn get_json(client: &Client, uri: &str) -> (u16, Value) {
    let (code, body) = get(client, uri).await.expect("a response");
    let body = body.collect().await.expect("a body").to_bytes();
    (code, serde_json::from_slice(&body).unwrap_or_default())
}

async fn code(client: &Client, uri: &str) -> u16 {
    get(client, uri).await.map_or(0, |(code, _)| code)
}

/// Returns the next event of a watch, if there is one already.
fn next(watch: &mut ResponseBody) -> Option<Value> {
    let frame = watch.frame().now_or_never()??.ok()?.into_data().ok()?;
    serde_json::from_slice(&frame).ok()
}

fn standing() -> Cluster {
    let clock = ManualClock::new(Duration::from_secs(1_800_000_000));
    Cluster::builder().clock(clock).seed(1).build().expect("a cluster")
}

#[tokio::test]
async fn the_same_requests_make_the_same_cluster() -> Outcome {
    let (one, other) = (standing(), standing());
    for cluster in [&one, &other] {
        cluster.apply(A).await?;
    }
    let of = |cluster: &Cluster| cluster.object::<Value>("configmaps", "default", "a");
    assert_eq!(of(&one)?, of(&other)?);
    let map = of(&one)?.ok_or("no ConfigMap")?;
    assert_eq!(map["metadata"]["creationTimestamp"], "2027-01-15T08:00:00Z");
    assert_eq!(map["metadata"]["resourceVersion"], one.revision().to_string());
    Ok(())
}

#[tokio::test]
async fn a_standing_clock_ends_watches_when_it_is_advanced() -> Outcome {
    let cluster = standing();
    let uri = format!("{MAPS}?watch=true&allowWatchBookmarks=true&timeoutSeconds=100&resourceVersion=0");
    let (_, mut watch) = get(&cluster.client(), &uri).await?;
    while next(&mut watch).is_some() {}
    // A write elsewhere: a bookmark tells its revision.
    cluster.apply("{apiVersion: v1, kind: Secret, metadata: {name: s}}").await?;
    assert_eq!(next(&mut watch), None);
    cluster.advance(Duration::from_secs(60))?;
    assert_eq!(next(&mut watch).ok_or("no bookmark")?["type"], "BOOKMARK");
    assert!(watch.frame().now_or_never().is_none());
    cluster.advance(Duration::from_secs(40))?;
    assert!(matches!(watch.frame().now_or_never(), Some(None)));
    let goes = Cluster::builder().build()?;
    assert!(matches!(goes.advance(Duration::ZERO), Err(Error::ClockNotManual)));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_paused_clock_of_tokio_is_the_clusters() -> Outcome {
    let cluster = Cluster::builder().bookmark_interval(Duration::from_secs(600)).build()?;
    let begin = cluster.now();
    let uri = format!("{MAPS}?watch=true&timeoutSeconds=1800");
    let (_, watch) = get(&cluster.client(), &uri).await?;
    watch.collect().await?;
    assert_eq!((cluster.now() - begin).as_secs(), 1800);
    Ok(())
}

#[tokio::test]
async fn api_servers_have_caches_of_their_own() -> Outcome {
    let cluster = standing();
    let other = cluster.add_api_server();
    other.set_partitioned(Some("configmaps"), true)?;
    cluster.apply(A).await?;
    let cached = format!("{MAPS}?resourceVersion=0");
    let names =
        async |client: Client| get_json(&client, &cached).await.1["items"].as_array().map_or(0, Vec::len);
    assert_eq!((names(cluster.client()).await, names(other.client()).await), (1, 0));
    other.set_partitioned(Some("configmaps"), false)?;
    assert_eq!(names(other.client()).await, 1);
    let unknown = other.set_lag(Some("deployments"), Duration::ZERO);
    assert!(matches!(unknown, Err(Error::UnknownResource(name)) if name == "deployments"));
    other.set_lag(Some("deployments.apps"), Duration::ZERO)?;
    assert_eq!(cluster.api_servers().iter().map(|server| server.number()).collect::<Vec<_>>(), [0, 1]);
    Ok(())
}

#[tokio::test]
async fn faults_are_for_the_next_requests() -> Outcome {
    let cluster = standing();
    let (server, client) = (cluster.first(), cluster.client());
    server.fail_next(1, Fault::TooManyRequests);
    server.fail_next(1, Fault::Unavailable);
    server.fail_next(1, Fault::Cut);
    assert_eq!((code(&client, MAPS).await, code(&client, MAPS).await), (429, 503));
    assert!(matches!(get(&client, MAPS).await, Err(CallError::Cut)));
    assert_eq!(code(&client, MAPS).await, 200);
    server.fail_next(3, Fault::InternalError);
    assert_eq!((server.clear_faults(), code(&client, MAPS).await), (3, 200));
    Ok(())
}

#[tokio::test]
async fn what_is_compacted_is_gone() -> Outcome {
    let cluster = standing();
    cluster.apply(A).await?;
    let old = cluster.revision();
    let uri = format!("{MAPS}?resourceVersion={old}&resourceVersionMatch=Exact");
    assert_eq!(code(&cluster.client(), &uri).await, 200);
    cluster.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}").await?;
    cluster.expire();
    assert_eq!(cluster.compact_revision(), cluster.revision());
    assert_eq!(code(&cluster.client(), &uri).await, 410);
    let (_, mut watch) = get(&cluster.client(), &format!("{MAPS}?watch=true&resourceVersion={old}")).await?;
    assert_eq!(next(&mut watch).ok_or("no event")?["object"]["code"], 410);
    Ok(())
}

#[tokio::test]
async fn a_fork_is_a_cluster_of_its_own() -> Outcome {
    let cluster = standing();
    cluster.add_api_server();
    cluster.apply(A).await?;
    let fork = cluster.fork();
    fork.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: changed}}").await?;
    let data = |cluster: &Cluster| {
        cluster
            .object::<Value>("configmaps", "default", "a")
            .map(|map| map.map(|map| map["data"]["k"].clone()))
    };
    assert_eq!((data(&cluster)?, data(&fork)?), (Some(json!("v")), Some(json!("changed"))));
    assert_eq!(fork.api_servers().len(), 2);
    // Uids are nobody else's, and those of another fork.
    let other = cluster.fork();
    for one in [&fork, &other] {
        one.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}").await?;
    }
    let uids = |cluster: &Cluster| -> Result<Vec<String>, Error> {
        let objects: Vec<Value> =
            [cluster.objects("configmaps")?, cluster.objects("namespaces")?].into_iter().flatten().collect();
        Ok(objects.iter().map(|object| object["metadata"]["uid"].to_string()).collect())
    };
    assert_eq!(uids(&fork)?, uids(&other)?);
    let all = uids(&fork)?;
    assert_eq!(all.iter().collect::<std::collections::HashSet<_>>().len(), all.len());
    fork.advance(Duration::from_secs(1))?;
    assert_eq!(fork.now(), cluster.now());
    Ok(())
}

#[tokio::test]
async fn manifests_are_applied_in_order() -> Outcome {
    let cluster = standing();
    let definition = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: games.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: games, singular: game, kind: Game}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: team}}
- {apiVersion: example.com/v1, kind: Game, metadata: {name: chess, namespace: team}, spec: {rounds: 3}, status: {round: 1}}
"#;
    let applied = cluster.apply(definition).await?;
    assert_eq!(applied.len(), 3);
    assert_eq!(applied[2]["status"]["round"], 1);
    let games: Vec<Value> = cluster.objects("games.example.com")?;
    assert_eq!((&games[0]["spec"]["rounds"], &games[0]["status"]["round"]), (&json!(3), &json!(1)));
    assert!(matches!(cluster.objects::<Value>("games"), Err(Error::UnknownResource(_))));
    assert_eq!(cluster.object::<Value>("games.example.com", "team", "go")?, None);
    let unknown = cluster.object::<Value>("configmap", "default", "a");
    assert!(matches!(unknown, Err(Error::UnknownResource(name)) if name == "configmap"));
    Ok(())
}

#[tokio::test]
async fn manifests_that_are_wrong() -> Outcome {
    for (manifest, expected) in [
        ("{", "document 1 of the manifest: "),
        ("{apiVersion: v1, kind: ConfigMap}", "document 1 of the manifest: /metadata/name is not set"),
        (
            "# nothing\n---\n{apiVersion: v1, kind: Map, metadata: {name: a}}",
            "no kind \"Map\" of \"v1\" is served",
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: none}}",
            "404: namespaces \"none\" not found",
        ),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: A}}", "422: ConfigMap \"A\" is invalid"),
    ] {
        let error = standing().apply(manifest).await.expect_err(manifest).to_string();
        assert!(error.contains(expected), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn tokens_and_users() -> Outcome {
    let jane = User { name: "jane".to_owned(), ..User::default() };
    let cluster = Cluster::builder().token("secret", jane).build()?;
    let client = cluster.client();
    assert_eq!(code(&client, MAPS).await, 200);
    assert_eq!(code(&client.clone().with_token("secret")?, MAPS).await, 403);
    assert_eq!(code(&client.clone().with_token("wrong")?, MAPS).await, 401);
    let (code, status) = get_json(&client.clone().impersonate("bob", &["team"])?, MAPS).await;
    assert_eq!(code, 403);
    assert!(status["message"].as_str().is_some_and(|message| message.contains(r#"User "bob""#)), "{status}");
    cluster.apply(A).await?;
    assert!(matches!(client.impersonate("b\nob", &[]), Err(Error::Header(_))));
    Ok(())
}

#[tokio::test]
async fn the_trace_wakes_who_waits_for_it() -> Outcome {
    use kubeglass::trace::{Event, EventType};
    let cluster = standing();
    cluster.apply(A).await?;
    let mut trace = cluster.trace();
    assert!(trace.try_next().is_none());
    let reads = cluster.client().with_user_agent("reader")?;
    let (requests, _) =
        tokio::join!(trace.requests_until(|request| request.method == "GET"), code(&reads, MAPS));
    assert_eq!((requests.len(), requests[0].user_agent.as_str()), (1, "reader"));

    // What a watch was sent is told once it has been taken.
    let (_, mut watch) = get(&reads, &format!("{MAPS}?watch=true")).await?;
    let mut delivered = async || {
        loop {
            if let Event::Delivered { deliveries, .. } = trace.next().await
                && let Some(delivery) = deliveries.last()
            {
                return delivery.sent;
            }
        }
    };
    let (sent, _) = tokio::join!(delivered(), async {
        tokio::task::yield_now().await;
        assert!(next(&mut watch).is_some());
    });
    assert_eq!(sent, Some(EventType::Added));
    let mut ended = async || while !matches!(trace.next().await, Event::WatchEnded { .. }) {};
    tokio::join!(ended(), async {
        tokio::task::yield_now().await;
        drop(watch);
    });
    assert_eq!(trace.lost(), kubeglass::trace::Lost::default());
    Ok(())
}

/// A webhook that refuses a ConfigMap `bad`, and never responds for a ConfigMap `late`.
async fn webhook(request: Request<Bytes>) -> Response<Bytes> {
    let review: Value = serde_json::from_slice(request.body()).expect("a review");
    let name = &review["request"]["name"];
    if name == "late" {
        std::future::pending::<()>().await;
    }
    let message = format!("{} refuses {name}", request.uri().path());
    let status = json!({"message": message});
    let response = json!({"uid": review["request"]["uid"], "allowed": name != "bad", "status": status});
    let review = json!({"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response});
    Response::new(review.to_string().into())
}

#[tokio::test]
async fn a_function_stands_in_for_webhooks() -> Outcome {
    const HOOK: &str = "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: maps}, webhooks: \
        [{name: maps.example.com, clientConfig: {url: 'https://example.com/maps'}, sideEffects: None, admissionReviewVersions: [v1], \
        rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}]}";
    let map = |name: &str| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}");
    let told = |applied: Result<Vec<Value>, Error>| match applied {
        Ok(_) => String::new(),
        Err(Error::Refused { message, .. }) => message,
        Err(other) => other.to_string(),
    };
    let failed = |why: &str| {
        format!(
            "Internal error occurred: failed calling webhook \"maps.example.com\": failed to call webhook: \
             Post \"https://example.com/maps?timeout=10s\": {why}"
        )
    };
    let clock = ManualClock::new(Duration::from_secs(1_800_000_000));
    let cluster = Cluster::builder().clock(clock).seed(1).webhooks(webhook).build()?;
    cluster.apply(HOOK).await?;
    for cluster in [cluster.clone(), cluster.fork()] {
        assert_eq!(told(cluster.apply(&map("good")).await), "");
        let refused = "admission webhook \"maps.example.com\" denied the request: /maps refuses \"bad\"";
        assert_eq!(told(cluster.apply(&map("bad")).await), refused);
        let late = map("late");
        let mut late = Box::pin(cluster.apply(&late));
        assert!((&mut late).now_or_never().is_none(), "it waits");
        cluster.advance(Duration::from_secs(10))?;
        assert_eq!(told(late.await), failed("context deadline exceeded"));
    }
    let nobody = standing();
    nobody.apply(HOOK).await?;
    assert_eq!(told(nobody.apply(&map("good")).await), failed("dial tcp: lookup example.com: no such host"));
    Ok(())
}
