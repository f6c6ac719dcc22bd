//! A controller that keeps a Secret for each ConfigMap, and deletes it before the ConfigMap goes: a finalizer.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::runtime::Controller;
use kube::runtime::controller::Action;
use kube::runtime::finalizer::{self, Event, finalizer};
use kube::runtime::watcher;
use kube::{Api, Client, ResourceExt};
use kubeglass::Cluster;
use serde_json::{Value, json};

const NAME: &str = "example.com/secret";

type Failed = finalizer::Error<kube::Error>;

/// Brings the Secret of a ConfigMap about, or deletes it.
async fn reconcile(map: Arc<ConfigMap>, client: Arc<Client>) -> Result<Action, Failed> {
    let namespace = map.namespace().unwrap_or_default();
    let maps: Api<ConfigMap> = Api::namespaced((*client).clone(), &namespace);
    let secrets: Api<Secret> = Api::namespaced((*client).clone(), &namespace);
    finalizer(&maps, NAME, map, |event| async {
        match event {
            Event::Apply(map) => {
                let name = map.name_any();
                let secret = json!({
                    "apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": map.data
                });
                let apply = PatchParams::apply("secrets").force();
                secrets.patch(&name, &apply, &Patch::Apply(secret)).await?;
                Ok(Action::requeue(Duration::from_secs(300)))
            }
            Event::Cleanup(map) => {
                secrets.delete(&map.name_any(), &DeleteParams::default()).await?;
                Ok(Action::await_change())
            }
        }
    })
    .await
}

fn again(_: Arc<ConfigMap>, _: &Failed, _: Arc<Client>) -> Action {
    Action::requeue(Duration::from_secs(5))
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn Error>> {
    let cluster = Cluster::builder().build()?;
    let client = Client::new(cluster.client().with_user_agent("secrets")?, "default");
    let mut trace = cluster.trace();
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let controller = Controller::new(maps.clone(), watcher::Config::default());
    tokio::spawn(controller.run(reconcile, again, Arc::new(client)).for_each(|_| async {}));

    // It adds the finalizer first, and makes the Secret then.
    cluster.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}").await?;
    trace.requests_until(|request| request.path().ends_with("/secrets/a")).await;
    let map: ConfigMap = cluster.object("configmaps", "default", "a")?.ok_or("no ConfigMap")?;
    assert_eq!(map.finalizers(), [NAME]);
    let secret: Value = cluster.object("secrets", "default", "a")?.ok_or("no Secret")?;
    assert_eq!(secret["data"]["k"], "dg==");

    // Deleted, the ConfigMap is there until the Secret is gone. The first attempt to delete that fails; five seconds later there is
    // another one, for which nobody waits.
    trace.requests();
    maps.delete("a", &DeleteParams::default()).await?;
    cluster.first().fail_next(1, kubeglass::Fault::InternalError);
    let requests = trace
        .requests_until(|request| request.path().ends_with("/configmaps/a") && request.method == "PATCH");
    let requests = requests.await;
    let sent: Vec<_> =
        requests.iter().map(|request| (&*request.method, request.path(), request.code)).collect();
    let (map, secret) = ("/api/v1/namespaces/default/configmaps/a", "/api/v1/namespaces/default/secrets/a");
    assert_eq!(
        sent,
        [("DELETE", map, 200), ("DELETE", secret, 500), ("DELETE", secret, 200), ("PATCH", map, 200)]
    );
    assert!(cluster.objects::<Value>("configmaps")?.iter().all(|map| map["metadata"]["name"] != "a"));
    Ok(())
}

#[test]
fn passes() -> Result<(), Box<dyn Error>> {
    main()
}
