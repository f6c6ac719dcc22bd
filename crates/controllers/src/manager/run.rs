//! One of the controllers that a manager runs.

use std::time::Duration;

use clock::Clock;

use crate::budget::Budget;
use crate::client::Client;
use crate::controller::{Context, Controller, Interest};
use crate::events::{Numbers, Recorder};
use crate::informer::Informers;
use crate::part::Part;
use crate::queue::Queue;
use crate::resource::Resource;
use crate::store::Stores;

/// One controller, and what it has for itself.
pub(super) struct Run {
    pub(super) account: Option<&'static str>,
    pub(super) controller: Box<dyn Controller>,
    pub(super) client: Client,
    pub(super) queue: Queue,
    pub(super) recorder: Recorder,
    pub(super) budget: Budget,
    pub(super) resources: Vec<Resource>,
}

impl Run {
    /// Makes what a part of the cluster needs.
    pub(super) fn new(part: Part, numbers: &Numbers) -> Self {
        let Part { account, client, source, controller } = part;
        Self {
            account,
            client,
            queue: Queue::new(controller.max_delay()),
            recorder: Recorder::new(source, numbers.clone()),
            budget: Budget::default(),
            resources: Vec::new(),
            controller,
        }
    }

    /// Returns the controller, and what it works with.
    pub(super) fn with_context<'a>(
        &'a mut self,
        stores: &'a Stores,
        clock: &'a dyn Clock,
        interests: &'a mut Vec<Interest>,
    ) -> (&'a mut dyn Controller, Context<'a>) {
        let Self { client, queue, recorder, controller, .. } = self;
        (&mut **controller, Context { client, stores, queue, recorder, clock, interests })
    }

    /// Takes the next key that is due. As long as copies are not complete, there is none but the one that needs none.
    pub(super) fn next(&mut self, informers: &Informers, now: Duration) -> Option<String> {
        if self.resources.iter().all(|resource| informers.has_listed(resource)) {
            return self.queue.pop(now);
        }
        self.queue.take(self.controller.first()?, now)
    }
}
