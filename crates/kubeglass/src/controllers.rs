//! Controllers that work on a cluster.

use ::controllers::{Manager, Options, Selection, TokenIssuer};

use crate::cluster::Cluster;
use crate::error::Error;

/// Controllers of kube-controller-manager, for a cluster in which things happen: Deployments make pods, and the garbage collector
/// deletes what nobody owns. No pod runs: a test makes it ready by its status, unless there are nodes on which it is as if it ran
/// ([`ControllersBuilder::nodes`]). They work while somebody drives them, by [`settle`](Self::settle) or by [`run`](Self::run).
pub struct Controllers(Manager);

/// A choice of what works on a cluster.
pub struct ControllersBuilder<'a> {
    cluster: &'a Cluster,
    list: String,
    options: Options,
}

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
        self.controllers_builder(list).build()
    }

    /// Chooses controllers as [`Self::controllers`] does, to be made with nodes or a scheduler.
    ///
    /// ```
    /// use kubeglass::{Cluster, ManualClock};
    /// use std::time::Duration;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let clock = ManualClock::default();
    /// let cluster = Cluster::builder().clock(clock.clone()).seed(1).build()?;
    /// let mut controllers = cluster.controllers_builder("").nodes(1).build()?;
    /// controllers.settle();
    /// cluster
    ///     .apply("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: nginx}]}}")
    ///     .await?;
    /// controllers.settle();
    /// for _ in 0..2 {
    ///     clock.advance(Duration::from_millis(400));
    ///     controllers.settle();
    /// }
    /// let pods = cluster.objects::<serde_json::Value>("pods")?;
    /// assert_eq!(pods[0]["status"]["phase"], "Running");
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn controllers_builder(&self, list: &str) -> ControllersBuilder<'_> {
        ControllersBuilder { cluster: self, list: list.to_owned(), options: Options::default() }
    }
}

impl ControllersBuilder<'_> {
    /// Makes so many nodes on which pods are as if they ran, `node-1` and so on; there are none by default, and 1000 at most. What the
    /// containers of a pod do, its annotation `kubeglass.dev/behaviour` says.
    #[must_use]
    pub fn nodes(mut self, nodes: u32) -> Self {
        self.options.nodes = nodes;
        self
    }

    /// Has a scheduler find nodes for pods, or not. By default there is one where there are such nodes.
    #[must_use]
    pub fn scheduler(mut self, scheduler: bool) -> Self {
        self.options.scheduler = Some(scheduler);
        self
    }

    /// Makes the controllers.
    ///
    /// # Errors
    /// [`Error::Controllers`]: there is no such controller.
    pub fn build(self) -> Result<Controllers, Error> {
        let failed = |error: ::controllers::SelectionError| Error::Controllers(error.to_string());
        let selection = Selection::parse_list(&self.list).map_err(failed)?;
        let (api, clock) = (self.cluster.shared.first(), self.cluster.shared.clock());
        let options = Options { issuer: Some(TokenIssuer(api.issuer())), ..self.options };
        let manager = Manager::new(api, clock, &selection, &options);
        self.cluster.shared.set_controllers(Box::new(manager.control().clone()));
        Ok(Controllers(manager))
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
