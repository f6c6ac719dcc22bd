//! kube, in the same program and over a socket.

use std::error::Error;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kubeglass::Cluster;

#[path = "../examples/conflict.rs"]
mod conflict;
#[path = "../examples/finalizer.rs"]
mod finalizer;
#[path = "../examples/reflector.rs"]
mod reflector;
#[path = "../examples/relist.rs"]
mod relist;
#[path = "../examples/server_side_apply.rs"]
mod server_side_apply;

#[tokio::test]
async fn objects_are_read_as_types() -> Result<(), Box<dyn Error>> {
    let cluster = Cluster::builder().build()?;
    cluster.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}").await?;
    let map: Option<ConfigMap> = cluster.object("configmaps", "default", "a")?;
    assert_eq!(map.and_then(|map| map.metadata.name).as_deref(), Some("a"));
    assert_eq!(cluster.objects::<Namespace>("namespaces")?.len(), 4);
    Ok(())
}

#[cfg(feature = "serve")]
mod served {
    use kube::config::{KubeConfigOptions, Kubeconfig};
    use kube::{Api, Client, Config};
    use kubeglass::User;

    use super::*;

    #[tokio::test]
    async fn a_kubeconfig_leads_to_the_cluster() -> Result<(), Box<dyn Error>> {
        let jane = User { name: "jane".to_owned(), ..User::default() };
        let cluster = Cluster::builder().token("secret", jane).build()?;
        cluster.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}").await?;
        let served = cluster.serve("127.0.0.1:0").await?;
        for (file, allowed) in [(served.kubeconfig(), true), (served.kubeconfig_with("secret"), false)] {
            let file = Kubeconfig::from_yaml(&file)?;
            let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await?;
            let maps: Api<ConfigMap> = Api::default_namespaced(Client::try_from(config)?);
            assert_eq!(maps.get("a").await.is_ok(), allowed);
        }
        let address = served.address();
        served.stop().await;
        assert!(tokio::net::TcpStream::connect(address).await.is_err());
        Ok(())
    }

    #[tokio::test]
    async fn an_address_that_is_taken() -> Result<(), Box<dyn Error>> {
        let cluster = Cluster::builder().build()?;
        let served = cluster.serve("127.0.0.1:0").await?;
        let error = cluster.serve(&served.address().to_string()).await.expect_err("it is taken");
        assert!(error.to_string().starts_with("cannot serve: 127.0.0.1:"), "{error}");
        Ok(())
    }
}
