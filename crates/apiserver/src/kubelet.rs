//! Kubelets: what an API server passes requests about running pods on to. A kubelet is part of the same program, and listens at the
//! address of its node for as long as it says so; at all other addresses nobody listens.
//!
//! <https://kubernetes.io/docs/concepts/architecture/control-plane-node-communication/#control-plane-to-node>

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use json_tree::Value;

/// The kubelet of a node.
pub trait Kubelet: Send + Sync {
    /// Finds the container of a pod whose log is asked for, and returns its id: the one that runs or has run last, or with `previous`
    /// the one before that.
    ///
    /// # Errors
    /// The reason why there is no log, as kubelets say it.
    fn container(&self, pod: &Value, name: &str, previous: bool) -> Result<String, String>;

    /// Reads what the container with an id has written after a time and up to `now`; `None` if the container is not known any more.
    fn log(&self, pod: &Value, id: &str, after: Option<Duration>, now: Duration) -> Option<Log>;
}

/// A part of the log of a container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The lines in the order of their times.
    pub lines: Vec<LogLine>,
    /// The time of the next line, if there will be one.
    pub next: Option<Duration>,
    /// True once the container has ended: there are no more lines.
    pub is_whole: bool,
}

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The time at which it was written.
    pub at: Duration,
    /// The line without its end.
    pub text: String,
}

/// The kubelets that listen, by the names of their nodes.
#[derive(Default)]
pub(crate) struct Kubelets(Mutex<BTreeMap<String, Arc<dyn Kubelet>>>);

impl Kubelets {
    /// Returns the kubelet that listens at the address of a node.
    pub(crate) fn at(&self, node: &str) -> Option<Arc<dyn Kubelet>> {
        self.all().get(node).map(Arc::clone)
    }

    /// Has a kubelet listen at the address of a node, in place of one that did.
    pub(crate) fn listen(&self, node: &str, kubelet: Arc<dyn Kubelet>) {
        self.all().insert(node.to_owned(), kubelet);
    }

    /// Has nobody listen any more at the address of a node.
    pub(crate) fn hang_up(&self, node: &str) {
        self.all().remove(node);
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Arc<dyn Kubelet>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
