//! The controller that deletes old requests for certificates.

use std::time::Duration;

use futures::FutureExt;
use golang::{base64, pem, x509};
use json_tree::Value;

use super::{condition, is_issued};
use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::object::{self, list};
use crate::resource::{CERTIFICATE_SIGNING_REQUESTS, Resource};

/// The time between two looks at all requests.
const INTERVAL: Duration = Duration::from_secs(60 * 60);

/// The age from which on a request goes that is issued, denied or has failed; and that of any other.
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The key of all requests.
const ALL: &str = "all";

/// The controller. It looks at all requests once an hour, as long as there are any.
#[derive(Default)]
pub(crate) struct Cleaner {
    /// The time of the next look.
    next: Option<Duration>,
}

impl Controller for Cleaner {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(CERTIFICATE_SIGNING_REQUESTS, View::Whole)]
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if change.new.is_some() && self.next.is_none() {
            let next = context.now().saturating_add(INTERVAL);
            self.next = Some(next);
            context.queue.add_at(ALL, next);
        }
    }

    fn sync<'a>(&'a mut self, _: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        self.clean(context).boxed()
    }
}

impl Cleaner {
    async fn clean(&mut self, context: &Context<'_>) -> Result<Outcome, Error> {
        let now = context.now();
        let known = context.stores.of(&CERTIFICATE_SIGNING_REQUESTS);
        let (old, others): (Vec<_>, Vec<_>) = known.iter().partition(|(_, object)| is_old(object, now));
        for (name, _) in old {
            // What could not be deleted is looked at again in an hour.
            let _ = context.client.delete(&CERTIFICATE_SIGNING_REQUESTS, "", name, &Value::Null).await;
        }
        if others.is_empty() {
            self.next = None;
            return Ok(Outcome::Done);
        }
        self.next = Some(now.saturating_add(INTERVAL));
        Ok(Outcome::After(INTERVAL))
    }
}

/// Reports whether a request is done with, or was not decided for a day.
fn is_old(object: &Value, now: Duration) -> bool {
    let is_older =
        |time: &Value, age: Duration| object::time(time).is_some_and(|time| now.saturating_sub(time) > age);
    let since = |kind: &str, age: Duration| {
        condition(object, kind).is_some_and(|condition| is_older(&condition["lastUpdateTime"], age))
    };
    let approved = if is_issued(object) { HOUR } else { DAY };
    since("Denied", HOUR)
        || since("Failed", HOUR)
        || since("Approved", approved)
        || condition(object, "Approved").is_some() && is_expired(object, now)
        || list(object, "/status/conditions").is_empty()
            && is_older(object::meta(object, "creationTimestamp"), DAY)
}

/// Reports whether the time of the certificate that was issued is over.
fn is_expired(object: &Value, now: Duration) -> bool {
    let text = base64::decode(object.text_at("/status/certificate")).unwrap_or_default();
    let end = pem::first(&text, x509::CERTIFICATE).and_then(|der| x509::not_after(&der));
    end.is_some_and(|end| u64::try_from(end).map_or(true, |end| now > Duration::from_secs(end)))
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn old_requests() {
        let check = |status: Value, hours: u64, expected: bool| {
            let object = json!({"metadata": {"creationTimestamp": "1970-01-01T00:00:00Z"}, "status": status});
            let now = Duration::from_secs(hours * 3600 + 1);
            assert_eq!(is_old(&object, now), expected, "{object} after {hours} h");
        };
        let with =
            |kind: &str| json!({"conditions": [{"type": kind, "lastUpdateTime": "1970-01-01T00:00:00Z"}]});
        check(json!({}), 23, false);
        check(json!({}), 24, true);
        check(with("Denied"), 0, false);
        check(with("Denied"), 1, true);
        check(with("Failed"), 1, true);
        check(with("Approved"), 1, false);
        check(with("Approved"), 24, true);
        let mut issued = with("Approved");
        object::set(&mut issued, "certificate", "bm9uZQ==".into());
        check(issued.clone(), 0, false);
        check(issued, 1, true);
    }
}
