//! The copy that comes as a list, in pages or whole.

use std::time::Duration;

use super::decision::Decision;
use super::objects::{self, Objects};
use super::why::Why;
use super::{Next, Purpose, Reflector};

/// How many objects a page has, where pages are asked for.
const PAGE_SIZE: u32 = 500;

/// A list that is under way.
/// See <https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks>.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The version asked for at first.
    first: String,
    /// The version asked for now.
    version: String,
    /// How many objects a page has; 0 is all of them.
    limit: u32,
    /// The token of the page asked for; empty for the first one.
    token: String,
    /// True if the version asked for could not be served, so that the newest is asked for.
    newest: bool,
    /// True if the version of the pages has expired, so that all is asked for at once.
    whole: bool,
    /// The version of the first page, once it is there and not the only one.
    paged: Option<String>,
    /// The objects so far.
    objects: Objects,
}

impl Reflector {
    /// Asks for a list. A list from a version has no pages, for the server would read those from storage instead of
    /// its cache.
    pub(super) fn list(&mut self, now: Duration, why: Option<Why>) {
        let version = self.list_version();
        let limit = match (self.options.page_size, version.as_str()) {
            (size @ 1.., _) => size,
            _ if self.paginated => PAGE_SIZE,
            (_, "" | "0") => PAGE_SIZE,
            _ => 0,
        };
        self.begin(now, Listing { first: version.clone(), version, limit, ..Listing::default() }, why);
    }

    /// The version to list from: any at first, so that the server may answer out of its cache; then none older than the
    /// last one seen, so that the copy never goes back; where the server does not have that one, the newest.
    fn list_version(&self) -> String {
        match self.version.as_str() {
            _ if self.unavailable => String::new(),
            "" => "0".to_owned(),
            version => version.to_owned(),
        }
    }

    fn begin(&mut self, now: Duration, listing: Listing, why: Option<Why>) {
        let Listing { version, limit, .. } = &listing;
        self.log.push(now, Decision::List { version: version.clone(), limit: *limit, why });
        self.page(now, listing);
    }

    /// Asks for a page.
    fn page(&mut self, now: Duration, listing: Listing) {
        let paged = listing.limit > 0 && !listing.whole;
        let limit = if paged { listing.limit.to_string() } else { String::new() };
        // A token knows its version.
        let version = if listing.token.is_empty() { listing.version.clone() } else { String::new() };
        let token = listing.token.clone();
        let params = [("limit", limit.as_str()), ("continue", &token), ("resourceVersion", &version)];
        self.ask(now, Purpose::List(listing), &params);
    }

    /// Takes a page.
    pub(super) fn listed(&mut self, now: Duration, mut listing: Listing, body: &[u8]) {
        let Some(page) = objects::page(body) else { return self.unlisted(now, listing, Why::Unreadable) };
        for (key, object) in page.items {
            listing.objects.insert(key, object);
        }
        let last = page.token.is_empty() || listing.whole;
        if !last {
            listing.paged.get_or_insert(page.version);
            listing.token = page.token;
            self.log.push(now, Decision::NextPage(listing.objects.len()));
            return self.page(now, listing);
        }
        self.paginated |= listing.first == "0" && listing.paged.is_some();
        let version = listing.paged.filter(|_| !listing.whole).unwrap_or(page.version);
        self.replace(now, listing.objects, version);
        self.watch(now, None);
    }

    /// Goes on after a page that did not come.
    pub(super) fn unlisted(&mut self, now: Duration, mut listing: Listing, why: Why) {
        if why == Why::Expired && !listing.token.is_empty() {
            // The first page's version has been compacted while the others were read.
            (listing.whole, listing.token, listing.objects) = (true, String::new(), Objects::default());
            self.log.push(now, Decision::WholeList);
            self.page(now, listing);
        } else if why.unavailable() && !listing.newest {
            self.unavailable = true;
            let Listing { first, limit, .. } = listing;
            self.begin(now, Listing { first, limit, newest: true, ..Listing::default() }, Some(why));
        } else {
            self.back_off(now, why.clone(), Next::Sync(Some(why)));
        }
    }
}
