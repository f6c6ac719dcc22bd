//! The interface of controllers.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/controller/>.

use std::collections::BTreeSet;
use std::time::Duration;

use clock::Clock;
use futures::future::BoxFuture;

use crate::change::Change;
use crate::client::{Client, View};
use crate::error::Error;
use crate::events::Recorder;
use crate::heartbeats::Heartbeats;
use crate::pace::Doubling;
use crate::queue::{DELAYS, Queue};
use crate::resource::Resource;
use crate::store::Stores;

/// The outcome of looking at an object, if it is no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is done.
    Done,
    /// It is to be looked at again after a time.
    After(Duration),
    /// It is to be tried again, with a delay that grows each time.
    Retry,
}

/// The things that a controller works with.
pub(crate) struct Context<'a> {
    pub(crate) client: &'a Client,
    pub(crate) stores: &'a Stores,
    pub(crate) queue: &'a mut Queue,
    pub(crate) recorder: &'a mut Recorder,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) heartbeats: &'a Heartbeats,
    /// The resources that an informer is to be started or stopped for.
    pub(crate) interests: &'a mut Vec<Interest>,
}

impl Context<'_> {
    /// Returns the time of the cluster.
    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }
}

/// A controller that is looking at an object.
pub(crate) type Looking<'a> = BoxFuture<'a, Result<Outcome, Error>>;

/// A wish of a controller to hear of the changes of a resource, or no longer.
pub(crate) enum Interest {
    Begin(Resource, View),
    End(Resource),
}

/// A controller: it hears of changes, queues the keys of what it is to look at, and looks at one after the other.
pub(crate) trait Controller: Send {
    /// Returns the resources whose changes it wants to hear of, and how much of their objects.
    fn resources(&self) -> Vec<(Resource, View)>;

    /// Returns the delays after failures.
    fn delays(&self) -> Doubling {
        DELAYS
    }

    /// Returns the key that is looked at though nothing has changed, when everything begins. No other one is looked at before all
    /// copies of what it wants to hear of are complete.
    fn first(&self) -> Option<&'static str> {
        None
    }

    /// Reports whether it takes its turn before all others that have something to do: in a real cluster it is so quick that they find
    /// what it has written.
    fn is_quick(&self) -> bool {
        false
    }

    /// Hears of a change, and queues keys.
    fn observe(&mut self, change: &Change, context: &mut Context<'_>);

    /// Hears that the kubelet of a node is silent, or no longer.
    fn kubelet_changed(&mut self, _node: &str, _context: &mut Context<'_>) {}

    /// Hears that somebody has changed files in containers of the pods with some uids.
    fn files_changed(&mut self, _uids: &BTreeSet<String>, _context: &mut Context<'_>) {}

    /// Looks at the object of a key, and does one step.
    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a>;
}
