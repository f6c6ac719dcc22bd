//! A client that reads, changes and writes, and does so again when somebody else was quicker. The test has a conflict happen just
//! then, and says which requests it expects.

use std::error::Error;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::PostParams;
use kube::{Api, Client};
use kubeglass::{Cluster, Fault};

/// Counts in a ConfigMap, however often somebody else writes to it in between.
async fn increment(maps: &Api<ConfigMap>, name: &str) -> kube::Result<u64> {
    loop {
        let mut map = maps.get(name).await?;
        let count = map.data.get_or_insert_default().entry("count".to_owned()).or_default();
        let next = count.parse().unwrap_or(0) + 1;
        *count = next.to_string();
        match maps.replace(name, &PostParams::default(), &map).await {
            Ok(_) => return Ok(next),
            Err(kube::Error::Api(status)) if status.is_conflict() => {}
            Err(error) => return Err(error),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let cluster = Cluster::builder().build()?;
    cluster.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: counter}}").await?;
    let client = cluster.client().with_user_agent("counter")?;
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::new(client, "default"));

    let mut trace = cluster.trace();
    cluster.first().fail_next(2, Fault::Conflict);
    assert_eq!(increment(&maps, "counter").await?, 1);
    let requests = trace.requests();
    let sent: Vec<_> = requests.iter().map(|request| (&*request.method, request.code)).collect();
    assert_eq!(sent, [("GET", 200), ("PUT", 409), ("GET", 200), ("PUT", 409), ("GET", 200), ("PUT", 200)]);
    assert!(requests.iter().all(|request| request.user_agent == "counter"));

    // A fork is the same cluster, in which another test goes on.
    let fork = cluster.fork();
    let same: Api<ConfigMap> = Api::default_namespaced(Client::new(fork.client(), "default"));
    assert_eq!(increment(&same, "counter").await?, 2);
    assert_eq!(increment(&maps, "counter").await?, 2);
    Ok(())
}

#[test]
fn passes() -> Result<(), Box<dyn Error>> {
    main()
}
