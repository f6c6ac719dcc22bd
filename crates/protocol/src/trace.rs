//! The trace: a stream that says what happens in a cluster, in order, complete enough to draw everything from.
//!
//! A subscriber gets a [`State`] first and [`Event`]s from there on, in [`Batch`]es with numbers that leave no gap. If a
//! subscriber is so slow that something it has not been told is no longer kept, its next batch begins with a
//! [`State`] again, and says what was lost. `docs/trace.md` describes the format.

mod access;
mod policy;
mod request;
mod server;
mod watch;
mod write;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use access::{Access, AccessDecision, Attributes, Grant, PolicyRule};
pub use policy::{Considered, Found, Judgement, Mismatch, Step};
pub use request::{Layer, RequestRecord, Source};
pub use server::{CacheInfo, Fault, ServerInfo, Snapshot};
pub use watch::{Delivery, EventType, WatchEnd, WatchInfo, WatchScope};
pub use write::{Change, ObjectKey, Stored, Write};

/// The version of the trace. It changes whenever a subscriber of before could misread what is sent.
pub const VERSION: u32 = 3;

/// A part of the trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// The number of the batch: 1, and then one more each time.
    pub number: u64,
    /// The state to begin with, or to go on from after a gap. What was known before is to be forgotten, but for the
    /// requests.
    pub state: Option<State>,
    /// The numbers of events that were lost since the last batch, because they were no longer kept.
    pub lost: Lost,
    /// The events after that, in order.
    pub events: Vec<Event>,
}

impl Batch {
    /// Returns the clock as it was told last in this batch.
    pub fn time(&self) -> Option<Time> {
        let told = self.events.iter().rev().find_map(|event| match event {
            Event::Time(time) => Some(*time),
            _ => None,
        });
        told.or_else(|| self.state.as_ref().map(|state| state.time))
    }
}

/// How much of a trace was lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lost {
    /// `true` if writes were compacted before the subscriber was told of them.
    pub writes: bool,
    /// The number of requests.
    pub requests: u64,
    /// The number of deliveries to watches.
    pub deliveries: u64,
}

/// The state of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// The revision that [`Self::objects`] are as of: events with newer ones follow.
    pub revision: u64,
    /// The revision up to which the store has been compacted: older versions are `410 Gone`.
    pub compact_revision: u64,
    /// The objects, each with the revision of its last write.
    pub objects: Vec<(ObjectKey, u64, Stored)>,
    /// The watches that are open.
    pub watches: Vec<WatchInfo>,
    /// The API servers.
    pub servers: Vec<ServerInfo>,
    /// The continue tokens.
    pub snapshots: Vec<Snapshot>,
    /// The clock.
    pub time: Time,
}

/// The clock of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Time {
    /// The time since the Unix epoch.
    #[serde(with = "crate::json::milliseconds")]
    pub now: Duration,
    /// How fast the clock goes: 1 is as fast as the host's, 0 is paused.
    pub rate: f64,
}

/// Something that has happened in a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Event {
    /// The store was written to.
    Write(Write),
    /// A request was answered. The writes that it made come before.
    Request(Box<RequestRecord>),
    /// A watch was opened.
    WatchOpened(WatchInfo),
    /// A watch was sent events, or looked at events and was not sent them.
    Delivered {
        /// The number of the watch.
        watch: u64,
        /// The revision up to which it has looked at what happened.
        revision: u64,
        /// The deliveries, in the order in which they were made.
        deliveries: Vec<Delivery>,
    },
    /// A watch ended.
    WatchEnded {
        /// The number of the watch.
        watch: u64,
        /// Why.
        end: WatchEnd,
    },
    /// The caches of the API servers have changed.
    Servers(Vec<ServerInfo>),
    /// The continue tokens that are remembered have changed.
    Snapshots(Vec<Snapshot>),
    /// The store was compacted up to a revision.
    Compacted(u64),
    /// The clock was set, or goes at another rate.
    Time(Time),
    /// The store has come to a revision that wrote no object.
    Revision(u64),
}
