//! Kubelets: what an API server passes requests about running pods on to. A kubelet is part of the same program, and listens at the
//! address of its node for as long as it says so; at all other addresses nobody listens.
//!
//! <https://kubernetes.io/docs/concepts/architecture/control-plane-node-communication/#control-plane-to-node>

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use json_tree::Value;

/// Bytes, as they come.
pub type Chunks = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

/// The other end of a connection: it takes what is sent there, and gives what comes back. It is over when what it gives has ended;
/// dropping that breaks it off.
pub type Peer = Box<dyn FnOnce(Chunks) -> Chunks + Send>;

/// A process that takes its standard input, and gives its output. Dropping that kills it.
pub type Process = Box<dyn FnOnce(Chunks) -> Pin<Box<dyn Stream<Item = Output> + Send>> + Send>;

/// A part of the output of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Bytes of its standard output.
    Stdout(Bytes),
    /// Bytes of its standard error.
    Stderr(Bytes),
    /// The end: its exit code, or the reason why it could not be started.
    End(Result<u8, String>),
}

/// The streams of a process that somebody wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Streams {
    /// True if there is something for its standard input.
    pub stdin: bool,
    /// True if its standard output is wanted.
    pub stdout: bool,
    /// True if its standard error is wanted.
    pub stderr: bool,
    /// True if they are those of a terminal.
    pub tty: bool,
}

/// Finds an object of a core resource in the namespace of a pod: by the resource, and by its name.
pub type FindObject<'a> = &'a dyn Fn(&str, &str) -> Option<Value>;

/// The kubelet of a node.
pub trait Kubelet: Send + Sync {
    /// Prepares to run a command in a container, whose variables and files `find` finds.
    ///
    /// # Errors
    /// The reason why it cannot be run, as kubelets say it.
    fn exec(
        &self,
        pod: &Value,
        container: &str,
        command: Vec<String>,
        streams: Streams,
        find: FindObject<'_>,
    ) -> Result<Process, String>;

    /// Finds the process of a container to attach to, and returns the id of the container. Its output is that of its log.
    ///
    /// # Errors
    /// The reason why there is none, as kubelets say it.
    fn attach(&self, pod: &Value, container: &str) -> Result<String, String>;

    /// Prepares to connect to a port of a pod.
    ///
    /// # Errors
    /// The reason why nobody listens there, as kubelets say it.
    fn dial(&self, pod: &Value, port: u16) -> Result<Peer, String>;

    /// Finds the container of a pod whose log is asked for, and returns its id: the one that runs or has run last, or with `previous`
    /// the one before that.
    ///
    /// # Errors
    /// The reason why there is no log, as kubelets say it.
    fn container(&self, pod: &Value, name: &str, previous: bool) -> Result<String, String>;

    /// Reads what the container with an id has written after a time and up to `now`; `None` if the container is not known any more.
    fn log(
        &self,
        pod: &Value,
        id: &str,
        after: Option<Duration>,
        now: Duration,
        find: FindObject<'_>,
    ) -> Option<Log>;
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
