//! A reflector keeps a copy of a collection, and what is written is in it at once; unless the API server that it watches has not
//! heard of it yet.

use std::error::Error;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, ResourceExt};
use kubeglass::Cluster;
use tokio::time::{Instant, sleep};

const A: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";
const B: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}";

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn Error>> {
    let cluster = Cluster::builder().api_servers(2).build()?;
    let [one, other] = &*cluster.api_servers() else { return Err("there are two".into()) };
    cluster.apply(A).await?;

    // The reflector watches the second API server. Manifests go to the first one.
    let maps: Api<ConfigMap> = Api::namespaced(Client::new(other.client(), "default"), "default");
    let (copy, writer) = reflector::store();
    let watch = reflector(writer, watcher(maps, watcher::Config::default())).default_backoff();
    tokio::spawn(watch.touched_objects().for_each(|_| async {}));
    copy.wait_until_ready().await?;
    let names = || {
        let mut names: Vec<String> = copy.state().iter().map(|map| map.name_any()).collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["a"]);

    // The caches of the second one are behind by two seconds, and so is the copy.
    other.set_lag(Some("configmaps"), Duration::from_secs(2))?;
    let begin = Instant::now();
    cluster.apply(B).await?;
    sleep(Duration::from_millis(1_900)).await;
    assert_eq!(names(), ["a"]);
    sleep(Duration::from_millis(200)).await;
    assert_eq!(names(), ["a", "b"]);
    // All of that took no time but that of a paused clock.
    assert_eq!(begin.elapsed(), Duration::from_millis(2_100));
    assert_eq!((one.watches().len(), other.watches().len()), (0, 1));
    Ok(())
}

#[test]
fn passes() -> Result<(), Box<dyn Error>> {
    main()
}
