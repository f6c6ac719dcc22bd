//! An API server is cut off from the store, and by the time it is back what it has missed is no longer kept: it lists anew, and so has
//! the watcher to, which is told 410 Gone. It must not miss what was deleted in between.

use std::error::Error;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::DeleteParams;
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, ResourceExt};
use kubeglass::Cluster;

const BOTH: &str = "
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
";
const C: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}";

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn Error>> {
    let cluster = Cluster::builder().build()?;
    cluster.apply(BOTH).await?;

    // The reflector watches a second API server.
    let other = cluster.add_api_server();
    let client = Client::new(other.client().with_user_agent("reflector")?, "default");
    let mut trace = cluster.trace();
    let (copy, writer) = reflector::store();
    let watch = watcher(Api::<ConfigMap>::default_namespaced(client), watcher::Config::default());
    let watch = reflector(writer, watch).default_backoff().touched_objects();
    tokio::spawn(watch.for_each(|_| async {}));
    trace.requests_until(|request| request.watch.is_some()).await;
    let names = || {
        let mut names: Vec<String> = copy.state().iter().map(|map| map.name_any()).collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["a", "b"]);

    // It is cut off while `a` is deleted and `c` is made, and nobody keeps how that went.
    other.set_partitioned(None, true)?;
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::new(cluster.client(), "default"));
    maps.delete("a", &DeleteParams::default()).await?;
    cluster.apply(C).await?;
    assert_eq!(names(), ["a", "b"]);
    trace.requests();
    cluster.expire();
    other.set_partitioned(None, false)?;

    // The watch cannot go on from where it was, and is opened again after a list.
    let is_watch = |uri: &str| uri.contains("watch=true");
    let mut listed = false;
    let requests = trace.requests_until(|request| {
        listed |= !is_watch(&request.uri);
        listed && is_watch(&request.uri)
    });
    let requests = requests.await;
    assert!(requests.iter().all(|request| request.user_agent == "reflector"));
    let sent: Vec<_> = requests.iter().map(|request| (is_watch(&request.uri), request.code)).collect();
    assert_eq!(sent, [(true, 200), (false, 200), (true, 200)]);
    assert_eq!(names(), ["b", "c"]);
    Ok(())
}

#[test]
fn passes() -> Result<(), Box<dyn Error>> {
    main()
}
