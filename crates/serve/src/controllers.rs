//! The controllers of a served cluster, in a thread of their own, for `--controllers LIST`.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{self, JoinHandle};

use ::controllers::{Manager, Options, Selection};
use engine::SharedCluster;
use futures::future::select;
use tokio::sync::oneshot;

/// Controllers that work. Dropped, they end.
pub(crate) struct Controllers {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Controllers {
    /// Has the chosen controllers work on a cluster; nobody, if none is chosen.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub(crate) fn start(cluster: &SharedCluster, selection: &Selection) -> io::Result<Option<Self>> {
        if selection.is_empty() {
            return Ok(None);
        }
        let manager = Manager::new(cluster.first(), cluster.clock(), selection, &Options::default());
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
