//! Which state a list is read from: what kube-apiserver decides before it reads.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list>

use std::sync::Arc;
use std::time::Duration;

use store::{KeyRange, ReadError, Revision};

use super::{Page, selects};
use crate::handlers::read::invalid_version;
use crate::handlers::scope::Scope;
use crate::handlers::unreadable;
use crate::options::{ListOptions, VersionMatch};
use crate::route::Target;
use crate::storage::Pin;
use crate::stored::Stored;
use apimachinery::ContinueToken;
use apimachinery::status::Status;
use golang::strconv::parse_uint;

/// Which state is read, and from where.
///
/// | `resourceVersion` | `resourceVersionMatch` | without `limit` | with `limit` |
/// | --- | --- | --- | --- |
/// | unset | | `Consistent` | `Consistent` |
/// | `0` | unset, `NotOlderThan` | `NotOlderThan(0)` | `NotOlderThan(0)`, and the limit is ignored |
/// | other | unset | `NotOlderThan` | `Exact` |
/// | other | `NotOlderThan` | `NotOlderThan` | `NotOlderThan` |
/// | other | `Exact` | `Exact` | `Exact` |
///
/// A continue token is `Exact`, but one with a negative version is `Consistent`. A list of one object by its name is
/// a look-up of one key, to which a limit means nothing: its `Exact` is `StoreExact`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// The watch cache's newest state, once that is not older than a revision.
    NotOlderThan(Revision),
    /// The watch cache's newest state, once that is as new as the store; if it does not get there in time, the store's.
    Consistent,
    /// The state at a revision, once the watch cache has reached it: out of its snapshots, or else out of the store.
    Exact(Revision),
    /// The state at a revision, out of the store.
    StoreExact(Revision),
}

/// The plan of a list: what to read.
#[derive(Debug)]
pub(in crate::handlers) struct Plan {
    /// Which state.
    pub(super) read: Read,
    /// Which keys.
    pub(super) range: KeyRange,
    /// The prefix of the keys of the whole list.
    pub(super) prefix: String,
    /// The first key.
    pub(super) start: String,
    /// How many objects the page may hold; 0 for all.
    limit: usize,
    /// True if the list goes on where a page ended.
    continues: bool,
}

impl Plan {
    /// # Errors
    /// The 400 for a version or a continue token that cannot be read, or for both together.
    pub(super) fn new(target: &Target, options: &ListOptions) -> Result<Self, Box<Status>> {
        let text = options.resource_version.as_str();
        // A list from any version is served whole, whatever the limit.
        let limit = if text == "0" { 0 } else { usize::try_from(options.limit).unwrap_or(0) };
        let continues = !options.continue_token.is_empty();
        let scope = Scope::of(target, options);
        if continues {
            let token = ContinueToken::decode(&options.continue_token).map_err(Status::bad_request)?;
            if !["", "0"].contains(&text) {
                let why = "specifying resource version is not allowed when using continue";
                return Err(Status::bad_request(why));
            }
            let start = format!("{}{}", scope.prefix, token.start);
            let range = scope.range().at_or_after(&start);
            let read = u64::try_from(token.revision).map_or(Read::Consistent, Read::Exact);
            return Ok(Self { read, range, prefix: scope.prefix, start, limit, continues });
        }
        let version = if text.is_empty() {
            0
        } else {
            parse_uint(text).map_err(|why| {
                Status::bad_request(format!("invalid resource version: {}", invalid_version(text, &why)))
            })?
        };
        let one = scope.key.is_some();
        let read = match options.version_match {
            Some(VersionMatch::Exact) if one => Read::StoreExact(version),
            Some(VersionMatch::Exact) => Read::Exact(version),
            Some(VersionMatch::NotOlderThan) => Read::NotOlderThan(version),
            None if options.limit > 0 && version > 0 && !one => Read::Exact(version),
            None if text.is_empty() => Read::Consistent,
            None => Read::NotOlderThan(version),
        };
        let (range, start) = (scope.range(), scope.start().to_owned());
        Ok(Self { read, range, prefix: scope.prefix, start, limit, continues })
    }

    /// Returns the same for all objects of the range.
    pub(in crate::handlers) fn unlimited(&self) -> Self {
        Self {
            range: self.range.clone(),
            prefix: self.prefix.clone(),
            start: self.start.clone(),
            limit: 0,
            ..*self
        }
    }

    /// Takes a page out of the objects of the range at `revision`, of which there are `left`, if that is known. With
    /// it comes what to remember of its continue token.
    pub(in crate::handlers) fn take<'a>(
        &self,
        options: &ListOptions,
        mut entries: impl Iterator<Item = (&'a str, &'a Arc<Stored>)>,
        revision: Revision,
        left: Option<usize>,
    ) -> (Page, Option<Pin>) {
        let selected = !options.labels.is_empty() || !options.fields.is_empty();
        let mut page = Page { revision, items: Vec::new(), token: None, remaining: None };
        let (mut last, mut seen) = (None, 0);
        for (key, stored) in entries.by_ref() {
            seen += 1;
            if !selected || selects(options, stored) {
                page.items.push(Arc::clone(stored));
                if page.items.len() == self.limit {
                    last = Some(key);
                    break;
                }
            }
        }
        let Some(last) = last else { return (page, None) };
        // With a selector nobody counts what is left: whether it matches would have to be looked at.
        let left = match left {
            _ if selected => usize::from(entries.next().is_some()),
            Some(left) => left.saturating_sub(seen),
            None => entries.count(),
        };
        if left == 0 {
            return (page, None);
        }
        let name = last.strip_prefix(self.prefix.as_str()).unwrap_or(last);
        let token = ContinueToken {
            revision: i64::try_from(revision).unwrap_or(i64::MAX),
            start: format!("{name}\0"),
        };
        page.remaining = (!selected).then_some(left);
        let pin = Pin {
            revision,
            start: format!("{last}\0"),
            prefix: self.prefix.clone(),
            remaining: page.remaining,
            at: Duration::ZERO,
        };
        page.token = Some(token);
        (page, Some(pin))
    }

    /// Returns kube-apiserver's error for a revision that the store cannot read.
    pub(super) fn refusal(&self, error: ReadError) -> Box<Status> {
        match error {
            ReadError::Compacted { .. } if self.continues => {
                let start = self.start.strip_prefix(self.prefix.as_str()).unwrap_or(&self.start);
                let fresh = ContinueToken { revision: -1, start: start.to_owned() };
                Status::continue_expired(fresh.encode())
            }
            error => unreadable(error),
        }
    }
}
