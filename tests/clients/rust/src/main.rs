//! A test of what Rust clients do: `Api` of kube in every verb, `entry`, server-side apply, eviction, ephemeral
//! containers, `watcher` and `reflector`.

use std::{collections::BTreeMap, time::Duration};

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Namespace, Pod, Secret},
};
use kube::{
    Api, Client, Config, ResourceExt,
    api::{DeleteParams, EvictParams, ListParams, LogParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
    core::DynamicObject,
    discovery::Discovery,
    runtime::{WatchStreamExt, reflector, wait, watcher},
};
use serde_json::{from_value, json};

const NAMESPACE: &str = "rust";

fn config_map(name: &str) -> Result<ConfigMap> {
    Ok(from_value(json!({"metadata": {"name": name}, "data": {"k": "v"}}))?)
}

fn code(result: kube::Result<impl Sized>) -> u16 {
    match result {
        Err(kube::Error::Api(status)) => status.code,
        Err(_) => 0,
        Ok(_) => 200,
    }
}

async fn verbs(client: Client) -> Result<()> {
    let api: Api<ConfigMap> = Api::namespaced(client, NAMESPACE);
    let post = PostParams::default();
    let made = api.create(&post, &config_map("a")?).await?;
    ensure!(code(api.create(&post, &config_map("a")?).await) == 409);
    ensure!(code(api.get("none").await) == 404 && api.get_opt("none").await?.is_none());
    let mut changed = made.clone();
    changed.data = Some(BTreeMap::from([("l".to_owned(), "w".to_owned())]));
    ensure!(api.replace("a", &post, &changed).await?.data == changed.data);
    ensure!(code(api.replace("a", &post, &changed).await) == 409);
    let patched = api.patch("a", &PatchParams::default(), &Patch::Merge(json!({"data": {"m": "x"}}))).await?;
    ensure!(patched.data.context("no data")?.len() == 2);
    let operations: json_patch::Patch = from_value(json!([{"op": "remove", "path": "/data/m"}]))?;
    let patched = api.patch("a", &PatchParams::default(), &Patch::Json::<()>(operations)).await?;
    ensure!(patched.data.context("no data")?.len() == 1);
    let meta = api.get_metadata("a").await?;
    ensure!(meta.metadata.uid == made.metadata.uid);
    for i in 0..5 {
        api.create(&post, &config_map(&format!("p{i}"))?).await?;
    }
    let page = api.list(&ListParams::default().limit(4)).await?;
    let token = page.metadata.continue_.context("no continue")?;
    let rest = api.list(&ListParams::default().limit(4).continue_token(&token)).await?;
    ensure!(page.items.len() == 4 && rest.items.len() == 2);
    ensure!(api.delete("a", &DeleteParams::default()).await?.is_right());
    ensure!(api.delete_collection(&DeleteParams::default(), &ListParams::default()).await?.is_left());
    ensure!(api.list(&ListParams::default()).await?.items.is_empty());
    Ok(())
}

async fn apply(client: Client) -> Result<()> {
    let api: Api<Deployment> = Api::namespaced(client, NAMESPACE);
    let mut body = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"replicas": 1,
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    let made = api.patch("d", &PatchParams::apply("one"), &Patch::Apply(&body)).await?;
    let again = api.patch("d", &PatchParams::apply("one"), &Patch::Apply(&body)).await?;
    ensure!(made.resource_version() == again.resource_version());
    body["spec"]["replicas"] = json!(2);
    ensure!(code(api.patch("d", &PatchParams::apply("two"), &Patch::Apply(&body)).await) == 409);
    let forced = api.patch("d", &PatchParams::apply("two").force(), &Patch::Apply(&body)).await?;
    ensure!(forced.spec.and_then(|spec| spec.replicas) == Some(2));
    let status = json!({"apiVersion": "apps/v1", "kind": "Deployment", "status": {"replicas": 1}});
    let status = api.patch_status("d", &PatchParams::apply("status").force(), &Patch::Apply(&status)).await?;
    ensure!(status.status.and_then(|status| status.replicas) == Some(1));
    let scale = api.patch_scale("d", &PatchParams::default(), &Patch::Merge(json!({"spec": {"replicas": 7}}))).await?;
    ensure!(scale.spec.and_then(|spec| spec.replicas) == Some(7));
    api.restart("d").await?;
    Ok(())
}

async fn entry(client: Client) -> Result<()> {
    let api: Api<ConfigMap> = Api::namespaced(client, NAMESPACE);
    let fresh = || ConfigMap::default();
    let mut entry = api.entry("entry").await?.or_insert(fresh);
    entry.get_mut().data.get_or_insert_default().insert("a".to_owned(), "b".to_owned());
    entry.commit(&PostParams::default()).await?;
    let mut entry = api.entry("entry").await?.or_insert(fresh);
    entry.get_mut().data.get_or_insert_default().insert("c".to_owned(), "d".to_owned());
    entry.commit(&PostParams::default()).await?;
    ensure!(api.get("entry").await?.data.context("no data")?.len() == 2);
    Ok(())
}

async fn pods(client: Client) -> Result<()> {
    let api: Api<Pod> = Api::namespaced(client, NAMESPACE);
    let pod: Pod =
        from_value(json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}))?;
    api.create(&PostParams::default(), &pod).await?;
    let debugger = json!({"spec": {"ephemeralContainers": [{"name": "d", "image": "i"}]}});
    let pod = api.patch_ephemeral_containers("p", &PatchParams::default(), &Patch::Strategic(debugger)).await?;
    ensure!(pod.spec.and_then(|spec| spec.ephemeral_containers).is_some_and(|found| found.len() == 1));
    ensure!(api.logs("p", &LogParams::default()).await?.is_empty());
    let status = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    api.patch_status("p", &PatchParams::default(), &Patch::Merge(status)).await?;
    let running = wait::await_condition(api.clone(), "p", wait::conditions::is_pod_running());
    tokio::time::timeout(Duration::from_secs(5), running).await??;
    api.evict("p", &EvictParams::default()).await?;
    ensure!(api.get_opt("p").await?.is_none());
    Ok(())
}

async fn watches(client: Client) -> Result<()> {
    let api: Api<Secret> = Api::namespaced(client, NAMESPACE);
    let secret: Secret = from_value(json!({"metadata": {"name": "s"}, "stringData": {"a": "b"}}))?;
    let mut stream = api.watch(&WatchParams::default(), "0").await?.boxed();
    api.create(&PostParams::default(), &secret).await?;
    api.delete("s", &DeleteParams::default()).await?;
    let mut kinds = Vec::new();
    while kinds.last() != Some(&"deleted") {
        let event = tokio::time::timeout(Duration::from_secs(5), stream.try_next()).await??;
        kinds.push(match event.context("ended")? {
            WatchEvent::Added(_) => "added",
            WatchEvent::Deleted(_) => "deleted",
            WatchEvent::Bookmark(_) => continue,
            _ => "other",
        });
    }
    ensure!(kinds == ["added", "deleted"], "{kinds:?}");
    Ok(())
}

async fn mirrored(client: Client, config: watcher::Config) -> Result<()> {
    let api: Api<Secret> = Api::namespaced(client, NAMESPACE);
    let (reader, writer) = reflector::store();
    let stream = reflector(writer, watcher(api.clone(), config)).default_backoff().touched_objects();
    let task = tokio::spawn(stream.for_each(|_| async {}));
    reader.wait_until_ready().await?;
    for i in 0..10 {
        let secret: Secret = from_value(json!({"metadata": {"name": format!("mirror-{i}")}}))?;
        api.create(&PostParams::default(), &secret).await?;
    }
    let until = |count: usize| {
        let reader = reader.clone();
        async move {
            for _ in 0..100 {
                if reader.len() == count {
                    return Ok(());
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            anyhow::bail!("{} of {count} objects", reader.len())
        }
    };
    until(10).await?;
    api.delete_collection(&DeleteParams::default(), &ListParams::default()).await?;
    until(0).await?;
    task.abort();
    Ok(())
}

async fn discovery(client: Client) -> Result<()> {
    let found = Discovery::new(client.clone()).run().await?;
    let group = found.get("apps").context("no group apps")?;
    let (resource, _) = group.recommended_kind("Deployment").context("no Deployment")?;
    let api: Api<DynamicObject> = Api::namespaced_with(client, NAMESPACE, &resource);
    let listed = api.list(&ListParams::default()).await?;
    ensure!(listed.items.iter().any(|item| item.name_any() == "d"));
    Ok(())
}

async fn namespace(client: Client) -> Result<()> {
    let api: Api<Namespace> = Api::all(client);
    let made: Namespace = from_value(json!({"metadata": {"name": NAMESPACE}}))?;
    api.create(&PostParams::default(), &made).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = std::env::var("KUBEGLASS_SERVER").unwrap_or_else(|_| "http://127.0.0.1:8001".to_owned());
    let client = Client::try_from(Config::new(server.parse()?))?;
    let (mut passed, mut failed) = (0, 0);
    let mut tell = |name: &str, result: Result<()>| match result {
        Ok(()) => passed += 1,
        Err(error) => {
            failed += 1;
            println!("FAILED {name}: {error:?}");
        }
    };
    tell("namespace", namespace(client.clone()).await);
    tell("verbs", verbs(client.clone()).await);
    tell("apply", apply(client.clone()).await);
    tell("entry", entry(client.clone()).await);
    tell("pods", pods(client.clone()).await);
    tell("watches", watches(client.clone()).await);
    tell("reflector", mirrored(client.clone(), watcher::Config::default()).await);
    tell("reflector of a streamed list", mirrored(client.clone(), watcher::Config::default().streaming_lists()).await);
    tell("discovery", discovery(client).await);
    println!("{passed} passed, {failed} failed");
    std::process::exit(i32::from(failed > 0))
}

