//! The controllers of a served cluster, in a thread of their own, for `--controllers LIST`, `--nodes N` and `--scheduler`.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use ::controllers::{Control, Manager, TokenIssuer};
use engine::SharedCluster;
use futures::future::select;
use tokio::sync::oneshot;

use crate::args::Options;
use crate::tls::Certificates;

/// Controllers that work. Dropped, they end. Engines that join the cluster ask and control them.
pub(crate) struct Controllers {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Controllers {
    /// Has the chosen controllers work on a cluster, with the scheduler and the nodes that were asked for; nobody, if none is.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub(crate) fn start(
        cluster: &SharedCluster,
        options: &Options,
        certificates: Option<&Certificates>,
    ) -> io::Result<Option<Self>> {
        let (selection, scheduler) = (&options.controllers, options.scheduler);
        let signer = certificates.map(|certificates| Arc::new(certificates.signer()) as _);
        let issuer = Some(TokenIssuer(cluster.first().issuer()));
        let mut options = ::controllers::Options {
            scheduler,
            signer,
            issuer,
            ..::controllers::Options::with_nodes(options.nodes)
        };
        if let Some(certificates) = certificates {
            options.root_ca = certificates.server_ca().to_owned();
        }
        if selection.is_empty() && options.nodes == 0 && !options.has_scheduler() {
            cluster.set_controllers(Box::new(Control::default()));
            return Ok(None);
        }
        let manager = Manager::new(cluster.first(), cluster.clock(), selection, &options);
        cluster.set_controllers(Box::new(manager.control().clone()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let (stop, stopped) = oneshot::channel();
        let work = move || {
            let work = async {
                select(std::pin::pin!(manager.run()), stopped).await;
            };
            // Requests are answered all the same, so that nothing else would show it.
            if catch_unwind(AssertUnwindSafe(|| runtime.block_on(work))).is_err() {
                eprintln!("kubeglass: the controllers have panicked; they do nothing any more");
            }
        };
        let thread = thread::Builder::new().name("controllers".to_owned()).spawn(work)?;
        Ok(Some(Self { stop: Some(stop), thread: Some(thread) }))
    }
}

impl Drop for Controllers {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // What there was to tell it has told.
            let _ = thread.join();
        }
    }
}
