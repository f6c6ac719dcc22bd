//! API servers behind sockets.

use std::net::SocketAddr;

use serve::{Options, Server};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::api_server::ApiServer;
use crate::cluster::Cluster;
use crate::error::Error;

/// An API server that listens. Dropping this stops it.
#[derive(Debug)]
pub struct ServeHandle {
    address: SocketAddr,
    token: Option<String>,
    /// Dropped, it has the task end.
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Cluster {
    /// Serves the first API server over HTTP at an address of this machine: see [`ApiServer::serve`].
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let cluster = kubeglass::Cluster::builder().build()?;
    /// let served = cluster.serve("127.0.0.1:0").await?;
    /// std::fs::write(std::env::temp_dir().join("kubeglass-doc.kubeconfig"), served.kubeconfig())?;
    /// assert!(served.url().starts_with("http://127.0.0.1:"));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Serve`].
    pub async fn serve(&self, address: &str) -> Result<ServeHandle, Error> {
        self.first().serve(address).await
    }
}

impl ApiServer {
    /// Serves it over HTTP at an address (`127.0.0.1:0` for a port that is free), for clients in other programs. A page of Kubeglass that
    /// is connected to it shows what happens in the cluster.
    ///
    /// Responses are not compressed, whatever `Accept-Encoding` says.
    ///
    /// Sockets know no paused time: a test that serves does not pause tokio's clock.
    ///
    /// # Errors
    /// [`Error::Serve`]: the address is taken or none of this machine, or it is to be reached from other machines without tokens.
    pub async fn serve(&self, address: &str) -> Result<ServeHandle, Error> {
        let options = Options { listen: address.to_owned(), ..Options::default() };
        let server = Server::share(self.cluster.clone(), self.api.clone(), &options)
            .await
            .map_err(|error| Error::Serve(error.into()))?;
        let address = server.address();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            server.run(async { drop(stopped.await) }).await;
        });
        let token = self
            .admin
            .as_ref()
            .and_then(|header| header.to_str().ok()?.strip_prefix("Bearer ").map(str::to_owned));
        Ok(ServeHandle { address, token, stop, task })
    }
}

impl ServeHandle {
    /// Returns the address; its port is a real one.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL, without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns a kubeconfig file for it, by which a client is `admin`.
    pub fn kubeconfig(&self) -> String {
        self.kubeconfig_of(self.token.as_deref())
    }

    /// Returns a kubeconfig file for who has a [token](crate::Builder::token).
    pub fn kubeconfig_with(&self, token: &str) -> String {
        self.kubeconfig_of(Some(token))
    }

    fn kubeconfig_of(&self, token: Option<&str>) -> String {
        // A text of JSON is one of YAML.
        let user = token.map_or_else(
            || "{}".to_owned(),
            |token| format!("{{token: {}}}", serde_json::Value::from(token)),
        );
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: kubeglass\n\
             clusters:\n- name: kubeglass\n  cluster: {{server: \"{}\"}}\n\
             contexts:\n- name: kubeglass\n  context: {{cluster: kubeglass, user: kubeglass}}\n\
             users:\n- name: kubeglass\n  user: {user}\n",
            self.url()
        )
    }

    /// Stops it: open watches end, and requests that are being answered are waited for, for a few seconds at most.
    pub async fn stop(self) {
        drop(self.stop);
        // It has ended in either case.
        let _ = self.task.await;
    }
}
