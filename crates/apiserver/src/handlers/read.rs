//! GET of one object.

use std::time::Duration;

use futures::future::{Either, select};
use store::Revision;

use super::{Outcome, Waiter};
use crate::query::parse_uint;
use crate::server::Exchange;
use crate::status::Status;

/// How long a read waits for a version that is still to come, as kube-apiserver's watch cache does.
pub(super) const FRESHNESS_WAIT: Duration = Duration::from_secs(3);

impl Exchange<'_> {
    /// Answers with the object as it is now. A version asks for one that is not older, which the present state
    /// is unless that version is still to come.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#the-resourceversion-parameter>
    pub(crate) async fn get(&self) -> Outcome {
        let version = match self.query.text("resourceVersion") {
            "" => 0,
            text => parse_uint(text).map_err(|why| Status::unclassified(invalid_version(text, &why)))?,
        };
        self.not_older_than(version).await?;
        let storage = self.shared.storage();
        match storage.store.get(&self.key()) {
            Some(entry) => self.answer_object(200, &entry.value.json),
            None => Err(Status::not_found(self.subject(&self.target.name))),
        }
    }

    /// Waits until the store has reached `version`, or gives up.
    pub(crate) async fn not_older_than(&self, version: Revision) -> Result<(), Box<Status>> {
        let current = || self.shared.storage().store.revision();
        if version <= current() {
            return Ok(());
        }
        let waiter = Waiter::new(self.shared);
        let reached = Box::pin(waiter.until(|storage| storage.store.revision() >= version));
        match select(reached, self.shared.config.clock.sleep(FRESHNESS_WAIT)).await {
            Either::Left(_) => Ok(()),
            Either::Right(_) => Err(Status::too_large_resource_version(version, current())),
        }
    }
}

/// What kube-apiserver says of a version that is no number.
pub(super) fn invalid_version(text: &str, why: &str) -> String {
    format!("resourceVersion: Invalid value: {}: {why}", crate::field::quote(text))
}
