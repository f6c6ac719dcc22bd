//! The limits on requests in flight where there is no priority and fairness: on those that read, and on those that write.
//!
//! <https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/>, `--max-requests-inflight`

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use apimachinery::Attributes;

use crate::rbac;
use apimachinery::User;

/// The verbs of requests that read.
const READS: [&str; 3] = ["get", "list", "watch"];

/// The limits on requests in flight; 0 is none.
pub(crate) struct InFlightLimits {
    /// How many there are, and may be: of those that read, and of those that write.
    kinds: [Arc<Kind>; 2],
}

struct Kind {
    count: AtomicU32,
    limit: u32,
}

/// There are too many requests in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

/// A request in flight, until it is dropped.
pub(crate) struct Place(Arc<Kind>);

impl InFlightLimits {
    pub(crate) fn new(reads: u32, writes: u32) -> Self {
        let kind = |limit| Arc::new(Kind { count: AtomicU32::new(0), limit });
        Self { kinds: [kind(reads), kind(writes)] }
    }

    /// Takes a request in, and returns its place, if it needs one.
    ///
    /// # Errors
    /// There are too many. The group `system:masters` is always let in.
    pub(crate) fn admit(&self, user: &User, attributes: &Attributes) -> Result<Option<Place>, TooMany> {
        let kind = &self.kinds[usize::from(!READS.contains(&attributes.verb.as_str()))];
        if kind.limit == 0 {
            return Ok(None);
        }
        let place = Place(Arc::clone(kind));
        if kind.count.fetch_add(1, Ordering::Relaxed) < kind.limit {
            return Ok(Some(place));
        }
        // It does not count, whatever becomes of it.
        drop(place);
        if rbac::is_master(user) { Ok(None) } else { Err(TooMany) }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sort_of_requests_has_its_limit() {
        let limits = InFlightLimits::new(1, 0);
        let user = |group: &str| User { groups: vec![group.to_owned()], ..User::default() };
        let admit = |group: &str, verb: &str| {
            limits.admit(&user(group), &Attributes { verb: verb.to_owned(), ..Attributes::default() })
        };
        let first = admit("others", "list");
        assert!(matches!(first, Ok(Some(_))));
        assert!(admit("others", "get").is_err());
        assert!(matches!(admit("system:masters", "get"), Ok(None)));
        assert!((0..9).all(|_| matches!(admit("others", "create"), Ok(None))));
        drop(first);
        assert!(matches!(admit("others", "get"), Ok(Some(_))));
    }
}
