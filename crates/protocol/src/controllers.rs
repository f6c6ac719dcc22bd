//! Questions about the controllers of a cluster, and what these tell of themselves. Both are the payload of
//! [`Question::Controllers`](crate::document::Question::Controllers) and its answer, as JSON.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The number of keys of a queue that are told one by one.
pub const MOST_WAITING: usize = 16;

/// A question about the controllers, with or without something to do first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Ask {
    /// The command to run first, if there is one.
    pub command: Option<Command>,
    /// The number of the last reconcile that is known already: only later ones are told.
    pub after: u64,
}

/// Something to do with controllers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    /// Starts controllers, in the place of those that work.
    Start(Choice),
    /// Ends all of them. What they have made stays.
    Stop,
    /// Has all of them wait, or go on: while they wait, they hear of changes and queue what they have to look at.
    Pause(bool),
    /// Has one reconcile happen while they wait: the next one, or the next one of the controller of this name, though that is paused or
    /// slow. It comes to nothing if no key is due.
    Step(Option<String>),
    /// Has all reconciles happen that are due while they wait, and those that come of these.
    UntilQuiet,
    /// Sets the switches of the controller of a name.
    Switch {
        /// The name of the controller.
        name: String,
        /// The switches.
        switches: Switches,
    },
}

/// The choice of what works on a cluster, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Choice {
    /// The controllers, each item as in kube-controller-manager's `--controllers`.
    pub controllers: Vec<String>,
    /// The number of pretended nodes.
    pub nodes: u32,
    /// `true`: there is a scheduler.
    pub scheduler: bool,
    /// `true`: all of them wait.
    pub paused: bool,
    /// The controllers with switches that are set, by their names.
    pub switches: Vec<(String, Switches)>,
}

/// The switches of a controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Switches {
    /// `true`: it waits.
    pub paused: bool,
    /// `true`: it hears of no change, and its requests come to nothing.
    pub cut_off: bool,
    /// The least time between two of its reconciles.
    #[serde(with = "crate::json::milliseconds")]
    pub pause: Duration,
}

/// The controllers of a cluster, as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// The number of times that something was started in this engine; the reconciles of each start have numbers of their own.
    pub start: u64,
    /// The choice that works, as it is now; `None` if nothing works.
    pub choice: Option<Choice>,
    /// The controllers, in the order in which they take turns.
    pub controllers: Vec<Controller>,
    /// `true`: reconciles were asked for while all wait, and not all of these have happened.
    #[serde(default)]
    pub pending: bool,
    /// The reconciles after the one that is known already, as far as they are kept, oldest first.
    pub reconciles: Vec<Reconcile>,
}

/// A controller, as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Controller {
    /// The name.
    pub name: String,
    /// The user in whose name it sends requests.
    pub user: String,
    /// The first keys that it has to look at, at most [`MOST_WAITING`]: those that are due, then the others by their times.
    /// Like the numbers below, this is as of when it was last free to tell.
    pub waiting: Vec<Waiting>,
    /// The number of all keys that it has to look at.
    pub queued: usize,
    /// The number of its reconciles.
    pub reconciles: u64,
    /// The number of its reconciles that failed.
    pub failures: u64,
}

/// A key that a controller has to look at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// The namespace and name of an object, or the name alone.
    pub key: String,
    /// The time at which it is due, since the Unix epoch; zero if it is due now.
    #[serde(with = "crate::json::milliseconds")]
    pub due: Duration,
    /// The number of times that it has failed since it last came to a good end.
    pub failures: u32,
}

/// A reconcile: a controller has looked at an object, and done one step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reconcile {
    /// The number: 1, and then one more each time.
    pub number: u64,
    /// The name of the controller.
    pub controller: String,
    /// The key of the object.
    pub key: String,
    /// When it began, since the Unix epoch.
    #[serde(with = "crate::json::milliseconds")]
    pub at: Duration,
    /// The revision of the last change that led to it; `None` if it was a time that came, or an earlier reconcile that did not fail.
    pub because: Option<u64>,
    /// The revisions that its requests have made.
    pub wrote: Vec<u64>,
    /// The requests that were refused: the number of each, and its status.
    pub refused: Vec<(u64, u16)>,
    /// The outcome.
    pub outcome: Outcome,
}

/// The outcome of a reconcile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Outcome {
    /// There was nothing more to do.
    #[default]
    Done,
    /// The object is to be looked at again at this time, since the Unix epoch.
    Again(#[serde(with = "crate::json::milliseconds")] Duration),
    /// It failed.
    Failed {
        /// Why, in a sentence; empty if the controller only wants to try again.
        why: String,
        /// The time at which it is tried again, since the Unix epoch.
        #[serde(with = "crate::json::milliseconds")]
        retry: Duration,
    },
}
