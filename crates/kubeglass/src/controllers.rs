//! Controllers that work on a cluster.

use ::controllers::{Manager, Options, Selection};

use crate::cluster::Cluster;
use crate::error::Error;

/// Controllers of kube-controller-manager, for a cluster in which things happen: Deployments make pods, and the garbage collector
/// deletes what nobody owns. No pod runs: a test makes it ready by its status. They work while somebody drives them, by
/// [`settle`](Self::settle) or by [`run`](Self::run).
pub struct Controllers(Manager);

impl Cluster {
    /// Makes controllers over the first API server. `list` is in the syntax of kube-controller-manager's `--controllers`: `*` are all that
    /// there are, `deployment-controller` is the one of that name, `-deployment-controller` is left out; separated by commas.
    ///
    /// ```
    /// use kubeglass::{Cluster, ManualClock};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let cluster = Cluster::builder().clock(ManualClock::default()).seed(1).build()?;
    /// let mut controllers = cluster.controllers("*")?;
    /// cluster
    ///     .apply(
    ///         "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2, \
    ///           selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, \
    ///           spec: {containers: [{name: web, image: nginx}]}}}}",
    ///     )
    ///     .await?;
    /// controllers.settle();
    /// assert_eq!(cluster.objects::<serde_json::Value>("pods")?.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Controllers`]: there is no such controller.
    pub fn controllers(&self, list: &str) -> Result<Controllers, Error> {
        let selection = Selection::parse_list(list).map_err(|error| Error::Controllers(error.to_string()))?;
        Ok(Controllers(Manager::new(
            self.shared.first(),
            self.shared.clock(),
            &selection,
            &Options::default(),
        )))
    }
}

impl Controllers {
    /// Lets them work until there is nothing to do before time passes or somebody writes.
    pub fn settle(&mut self) {
        self.0.settle();
    }

    /// Lets them work for as long as this is polled, as a task of its own does. Between changes they wait for no more than what is due by
    /// the cluster's clock.
    pub async fn run(self) {
        self.0.run().await;
    }
}
