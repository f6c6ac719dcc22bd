//! The state of what is done to the embedded cluster on purpose.

pub(crate) mod cause;
pub(crate) mod controllers;
pub(crate) mod race;
pub(crate) mod scenes;
pub(crate) mod traffic;

use std::time::Duration;

use leptos::prelude::*;

use crate::model::lab::race::Race;
use crate::model::lab::traffic::Traffic;

/// The place of the watches among the tabs of the right pane.
pub(crate) const WATCHES: usize = 0;
/// The place of the API servers.
pub(crate) const SERVERS: usize = 1;
/// The place of the controllers.
pub(crate) const CONTROLLERS: usize = 2;

/// A sentence about a step of a read that goes back in time, and the versions that stand behind it.
pub(crate) type Line = (String, Vec<String>);

/// The number of a way to fail: its place in the list of all of them, from 0.
pub(crate) type Fault = usize;

/// The signals of the lab. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Lab {
    /// The tab of the right pane that is chosen.
    pub(crate) aside: RwSignal<usize>,
    /// Counts up a few times a second, while anything changes: for what need not be shown in every frame.
    pub(crate) slow: RwSignal<u64>,
    /// The time of the embedded cluster's clock, in seconds since the Unix epoch; changes once a second at most.
    pub(crate) now: RwSignal<u64>,
    pub(crate) beats: StoredValue<u64>,
    pub(crate) seen: StoredValue<(u64, Duration)>,
    pub(crate) again: StoredValue<bool>,
    /// How fast the clock goes when it is not paused.
    pub(crate) pace: RwSignal<u32>,
    /// How many API servers there are.
    pub(crate) servers: RwSignal<usize>,
    /// The number of the API server that requests go to; `None` lets each have its turn.
    pub(crate) server: RwSignal<Option<usize>>,
    /// How the next request of whoever sits in front of the page fails.
    pub(crate) fault: RwSignal<Option<Fault>>,
    /// True if requests of scripts on the page's origin are answered.
    pub(crate) answers: RwSignal<bool>,
    /// The lines that have been told of how a read goes back in time.
    pub(crate) back: RwSignal<Vec<Line>>,
    /// True while that is being shown.
    pub(crate) going_back: RwSignal<bool>,
    /// The race, and who is waiting for an answer in it.
    pub(crate) race: RwSignal<Race>,
    /// True if the race plays by itself.
    pub(crate) playing: RwSignal<bool>,
    /// How many writes a second the traffic makes.
    pub(crate) rate: RwSignal<u32>,
    /// How many writes are to be made at once, and how many of them have been made.
    pub(crate) burst: RwSignal<(u32, u32)>,
    /// Counts up whenever controllers have told of themselves.
    pub(crate) told: RwSignal<u64>,
    /// The traffic to come, and whether it flows.
    pub(crate) traffic: StoredValue<Traffic>,
    pub(crate) flowing: StoredValue<bool>,
    /// The watches that were opened on the traffic.
    pub(crate) crowd: RwSignal<Vec<u64>>,
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self {
            aside: RwSignal::new(0),
            slow: RwSignal::new(0),
            now: RwSignal::new(0),
            beats: StoredValue::new(0),
            seen: StoredValue::new((0, Duration::ZERO)),
            again: StoredValue::new(false),
            pace: RwSignal::new(1),
            servers: RwSignal::new(1),
            server: RwSignal::new(Some(0)),
            fault: RwSignal::new(None),
            answers: RwSignal::new(false),
            back: RwSignal::new(Vec::new()),
            going_back: RwSignal::new(false),
            race: RwSignal::new(Race::default()),
            playing: RwSignal::new(false),
            rate: RwSignal::new(0),
            burst: RwSignal::new((0, 0)),
            told: RwSignal::new(0),
            traffic: StoredValue::new(Traffic::default()),
            flowing: StoredValue::new(false),
            crowd: RwSignal::new(Vec::new()),
        }
    }
}
