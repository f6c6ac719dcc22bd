//! The parts of a control plane besides the API server: which of them run in the same program.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/component-status-v1/>

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A part of a control plane that tells on a port of its own how it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// Controllers of kube-controller-manager.
    ControllerManager,
    /// The scheduler.
    Scheduler,
}

/// The number of each that run.
#[derive(Default)]
pub(crate) struct Components([AtomicUsize; 2]);

/// A part that runs. Dropped, it runs no more.
pub struct RunningComponent {
    all: Arc<Components>,
    component: Component,
}

impl Components {
    /// Notes that one runs.
    pub(crate) fn run(self: &Arc<Self>, component: Component) -> RunningComponent {
        self.0[component as usize].fetch_add(1, Ordering::Relaxed);
        RunningComponent { all: Arc::clone(self), component }
    }

    /// Reports whether one runs.
    pub(crate) fn has(&self, component: Component) -> bool {
        self.0[component as usize].load(Ordering::Relaxed) > 0
    }
}

impl Drop for RunningComponent {
    fn drop(&mut self) {
        self.all.0[self.component as usize].fetch_sub(1, Ordering::Relaxed);
    }
}
