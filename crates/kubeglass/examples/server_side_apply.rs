//! Two field managers apply one Deployment: who owns what, a conflict, and how it is settled.

use std::error::Error;

use k8s_openapi::api::apps::v1::Deployment;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client, ResourceExt};
use kubeglass::Cluster;
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let cluster = Cluster::builder().build()?;
    let deployments: Api<Deployment> = Api::default_namespaced(Client::new(cluster.client(), "default"));
    let mut wanted = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "web", "image": "nginx:1"}]}
            }
        }
    });
    let deployer = PatchParams::apply("deployer");
    let made = deployments.patch("web", &deployer, &Patch::Apply(&wanted)).await?;
    // What the API server has made of it: the defaults are there.
    let containers =
        made.spec.map(|spec| spec.template.spec.unwrap_or_default().containers).unwrap_or_default();
    assert_eq!(containers[0].image_pull_policy.as_deref(), Some("IfNotPresent"));

    // Another one wants more replicas: a conflict, unless it insists.
    let more = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 3}});
    let scaler = PatchParams::apply("scaler");
    match deployments.patch("web", &scaler, &Patch::Apply(&more)).await {
        Err(kube::Error::Api(status)) => {
            assert_eq!((status.code, status.reason.as_str()), (409, "Conflict"));
            assert!(status.message.contains(r#"conflict with "deployer""#), "{}", status.message);
        }
        other => return Err(format!("no conflict: {other:?}").into()),
    }
    let scaled = deployments.patch("web", &scaler.force(), &Patch::Apply(&more)).await?;
    let managers: Vec<_> = scaled.managed_fields().iter().map(|entry| entry.manager.as_deref()).collect();
    assert_eq!(managers, [Some("deployer"), Some("scaler")]);

    // The first one gives the field up, and applies without a conflict from now on; the replicas stay.
    if let Some(spec) = wanted["spec"].as_object_mut() {
        spec.remove("replicas");
    }
    let again = deployments.patch("web", &deployer, &Patch::Apply(&wanted)).await?;
    assert_eq!(again.spec.and_then(|spec| spec.replicas), Some(3));
    Ok(())
}

#[test]
fn passes() -> Result<(), Box<dyn Error>> {
    main()
}
