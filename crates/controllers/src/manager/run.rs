//! One of the controllers that a manager runs.

use std::collections::BTreeMap;
use std::time::Duration;

use clock::Clock;
use protocol::controllers::{self as told, MOST_WAITING, Switches, Waiting};

use crate::budget::Budget;
use crate::change::Change;
use crate::client::Client;
use crate::controller::{Context, Controller, Interest};
use crate::events::{Numbers, Recorder};
use crate::heartbeats::Heartbeats;
use crate::informer::Informers;
use crate::kubelet;
use crate::object;
use crate::part::Part;
use crate::queue::Queue;
use crate::resource::Resource;
use crate::store::Stores;

/// One controller, and what it has for itself.
pub(super) struct Run {
    pub(super) name: String,
    pub(super) account: Option<&'static str>,
    pub(super) controller: Box<dyn Controller>,
    pub(super) client: Client,
    pub(super) queue: Queue,
    pub(super) recorder: Recorder,
    pub(super) budget: Budget,
    pub(super) resources: Vec<Resource>,
    switches: Switches,
    /// The changes that it has not heard of because it is cut off: one for each object.
    missed: BTreeMap<(Resource, String), Change>,
    /// The time before which it does nothing, because it is to be slow.
    rests_until: Duration,
    reconciles: u64,
    failures: u64,
}

impl Run {
    /// Makes what a part of the cluster needs.
    pub(super) fn new(part: Part, numbers: &Numbers) -> Self {
        let Part { name, account, client, source, controller } = part;
        Self {
            name,
            account,
            client,
            queue: Queue::new(controller.delays()),
            recorder: Recorder::new(source, numbers.clone()),
            budget: Budget::default(),
            resources: Vec::new(),
            switches: Switches::default(),
            missed: BTreeMap::new(),
            rests_until: Duration::ZERO,
            reconciles: 0,
            failures: 0,
            controller,
        }
    }

    /// Reports whether it hears of no changes.
    pub(super) fn is_cut_off(&self) -> bool {
        self.switches.cut_off
    }

    /// Takes note of a change that it does not hear of now. Of several changes of an object it will hear as of one.
    pub(super) fn miss(&mut self, change: &Change) {
        let Some(object) = change.object() else { return };
        let missed = self.missed.entry((change.resource.clone(), object::key(object)));
        missed.and_modify(|known| known.new.clone_from(&change.new)).or_insert_with(|| change.clone());
    }

    /// Sets the switches. Returns the changes that it has missed, if it is no longer cut off.
    pub(super) fn switch(&mut self, switches: Switches) -> Vec<Change> {
        if switches.pause < self.switches.pause {
            self.rests_until = Duration::ZERO;
        }
        self.switches = switches;
        self.client.cut_off(switches.cut_off);
        if switches.cut_off {
            return Vec::new();
        }
        let missed = std::mem::take(&mut self.missed).into_values();
        missed.filter(|change| change.object().is_some()).collect()
    }

    /// Returns the node, if it is a kubelet.
    pub(super) fn node(&self) -> Option<&str> {
        self.name.strip_prefix(kubelet::COMPONENT)?.strip_prefix(' ')
    }

    /// Reports whether it does nothing, or nothing that anybody hears of.
    pub(super) fn is_silent(&self) -> bool {
        self.switches.cut_off || self.switches.paused
    }

    /// Takes note of a reconcile.
    pub(super) fn count(&mut self, has_failed: bool, now: Duration) {
        self.reconciles += 1;
        self.failures += u64::from(has_failed);
        self.rests_until = now.saturating_add(self.switches.pause);
    }

    /// Returns the time at which it is to do something; `None` if that is not known, or if it waits.
    pub(super) fn next_due(&mut self, now: Duration) -> Option<Duration> {
        if self.switches.paused {
            return None;
        }
        let due =
            if self.rests_until > now && self.queue.has_due(now) { Some(now) } else { self.queue.next_due() };
        due.map(|due| due.max(self.rests_until))
    }

    /// Returns it as it is, for those who look at it.
    pub(super) fn told(&self) -> told::Controller {
        let waiting = |(key, due): (&str, Option<Duration>)| Waiting {
            key: key.to_owned(),
            due: due.unwrap_or_default(),
            failures: self.queue.failures(key),
        };
        told::Controller {
            name: self.name.clone(),
            user: self.client.user().to_owned(),
            waiting: self.queue.keys().take(MOST_WAITING).map(waiting).collect(),
            queued: self.queue.len(),
            reconciles: self.reconciles,
            failures: self.failures,
        }
    }

    /// Returns the controller, and what it works with.
    pub(super) fn with_context<'a>(
        &'a mut self,
        (stores, heartbeats): (&'a Stores, &'a Heartbeats),
        clock: &'a dyn Clock,
        interests: &'a mut Vec<Interest>,
    ) -> (&'a mut dyn Controller, Context<'a>) {
        let Self { client, queue, recorder, controller, .. } = self;
        (&mut **controller, Context { client, stores, queue, recorder, clock, heartbeats, interests })
    }

    /// Takes the next key that is due, unless it waits or rests; with `insists`, though it does. As long as copies are not complete, there
    /// is none but the one that needs none.
    pub(super) fn next(&mut self, informers: &Informers, now: Duration, insists: bool) -> Option<String> {
        if !insists && (self.switches.paused || self.rests_until > now) {
            return None;
        }
        if self.resources.iter().all(|resource| informers.has_listed(resource)) {
            return self.queue.pop(now);
        }
        self.queue.take(self.controller.first()?, now)
    }
}
