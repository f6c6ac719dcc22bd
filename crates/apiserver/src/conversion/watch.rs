//! Conversions for watches, which cannot wait for single objects: all that is needed next is converted at a time.

use std::collections::HashSet;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use store::Revision;

use super::memory::place;
use super::{AT_ONCE, Webhook, show};
use crate::clock::Sleep;
use crate::context::{Conversions, Shared};
use crate::custom::Definition;
use crate::resource::Resource;
use crate::stored::Stored;

/// The conversions of one watch.
struct Watched {
    webhook: Webhook,
    shared: Arc<Shared>,
    resource: Arc<Resource>,
    /// The objects that nobody has converted yet.
    wanted: Vec<Arc<Stored>>,
    /// The places of these.
    places: HashSet<usize>,
    /// The conversions that are made now.
    making: Option<BoxFuture<'static, Vec<Arc<Stored>>>>,
    /// The first revision of what could not be converted, and when that is tried again.
    failing: Option<Revision>,
    pause: Option<Sleep>,
}

/// How long nothing is tried after something could not be converted.
const PAUSE: Duration = Duration::from_secs(1);

/// Begins to convert for a watch.
pub(super) fn begin(
    webhook: Webhook,
    shared: &Arc<Shared>,
    resource: &Arc<Resource>,
) -> Box<dyn Conversions> {
    let (shared, resource) = (Arc::clone(shared), Arc::clone(resource));
    Box::new(Watched {
        webhook,
        shared,
        resource,
        wanted: Vec::new(),
        places: HashSet::new(),
        making: None,
        failing: None,
        pause: None,
    })
}

impl Watched {
    fn definition(&self) -> Option<&Arc<Definition>> {
        self.resource.custom().map(|custom| &custom.definition)
    }
}

impl Conversions for Watched {
    fn get(&mut self, stored: &Arc<Stored>) -> Option<Arc<Stored>> {
        let (own, definition) = (self.resource.api_version(), self.definition()?);
        if definition.since == 0 && stored.is_in(&own) {
            return Some(Arc::clone(stored));
        }
        let known = self.webhook.memory.find(stored, definition, &own);
        if known.is_none() && self.places.insert(place(stored)) {
            self.wanted.push(Arc::clone(stored));
        }
        known
    }

    fn is_due(&self) -> bool {
        self.making.is_some() || !self.wanted.is_empty()
    }

    fn failing(&self) -> Option<Revision> {
        self.failing
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            if self.making.is_none() && !self.wanted.is_empty() {
                let (webhook, shared) = (self.webhook.clone(), Arc::clone(&self.shared));
                let (resource, wanted) = (Arc::clone(&self.resource), std::mem::take(&mut self.wanted));
                self.making = Some(make(webhook, shared, resource, wanted).boxed());
            }
            let Some(making) = &mut self.making else { return Poll::Ready(()) };
            let failed = ready!(making.poll_unpin(cx));
            self.making = None;
            self.places = failed.iter().map(place).collect();
            self.failing = failed.iter().map(|stored| stored.revision()).min();
            if failed.is_empty() {
                return Poll::Ready(());
            }
            self.wanted = failed;
            self.pause = Some(self.shared.config.clock.sleep(PAUSE));
        }
    }
}

/// Converts objects, and keeps the results in the memory. Returns those that could not be converted.
async fn make(
    webhook: Webhook,
    shared: Arc<Shared>,
    resource: Arc<Resource>,
    wanted: Vec<Arc<Stored>>,
) -> Vec<Arc<Stored>> {
    let mut failed = Vec::new();
    for part in wanted.chunks(AT_ONCE) {
        let calls = part.iter().map(|stored| show(&webhook, &shared, &resource, stored, true));
        let made = join_all(calls).await;
        let missing = part.iter().zip(made).filter(|(_, made)| made.is_err());
        failed.extend(missing.map(|(stored, _)| Arc::clone(stored)));
    }
    failed
}
