//! GET of a collection.

use std::sync::Arc;

use store::{Entry, KeyRange, ReadError, Revision};

use super::Outcome;
use super::read::invalid_version;
use crate::answer::Answer;
use crate::continue_token::ContinueToken;
use crate::options::{ListOptions, VersionMatch};
use crate::present::List;
use crate::query::parse_uint;
use crate::selector::FieldSelector;
use crate::server::Exchange;
use crate::status::Status;
use crate::storage::{self, Stored};

/// A page of a list.
pub(super) struct Page {
    revision: Revision,
    pub(super) items: Vec<Arc<Stored>>,
    token: Option<ContinueToken>,
    remaining: Option<usize>,
}

impl Exchange<'_> {
    /// Answers a list, or opens a watch.
    pub(crate) async fn list(&self) -> Outcome {
        let mut options = ListOptions::parse(self.query, self.target.watch)?;
        let resource = &self.target.resource;
        options.fields =
            options.fields.for_resource(&resource.group, &resource.name).map_err(Status::bad_request)?;
        if !self.target.name.is_empty() {
            let name = &self.target.name;
            if !options.fields.is_empty() && options.fields.exact("metadata.name") != Some(name.as_str()) {
                return Err(Status::bad_request("fieldSelector metadata.name doesn't match requested name"));
            }
            options.fields = FieldSelector::by_name(name);
        }
        if options.watch { self.watch(options) } else { self.page(&options).await }
    }

    async fn page(&self, options: &ListOptions) -> Outcome {
        let page = if options.continue_token.is_empty() {
            self.first_page(options).await?
        } else {
            self.next_page(options)?
        };
        self.answer_list(&page)
    }

    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list>
    async fn first_page(&self, options: &ListOptions) -> Result<Page, Box<Status>> {
        let text = options.resource_version.as_str();
        let version = if text.is_empty() {
            0
        } else {
            parse_uint(text).map_err(|why| {
                Status::bad_request(format!("invalid resource version: {}", invalid_version(text, &why)))
            })?
        };
        // A list of one name is a read of one key, which a limit does not make exact, and which the store
        // answers without the cache's hint to try again.
        let one = options.fields.exact("metadata.name").is_some();
        let exact = match options.version_match {
            Some(VersionMatch::Exact) => true,
            Some(VersionMatch::NotOlderThan) => false,
            None => options.limit > 0 && version > 0 && !one,
        };
        self.not_older_than(version).await.map_err(|mut status| {
            if exact && one {
                status.details.get_or_insert_default().retry_after_seconds = None;
            }
            status
        })?;
        // A list from any version is served whole, whatever the limit.
        let limit = if text == "0" { 0 } else { options.limit };
        let range = KeyRange::prefix(&self.collection_key());
        let at = if exact { version } else { self.shared.storage().store.revision() };
        self.read(options, &range, at, limit)
            .map_err(|_| Status::expired("The resourceVersion for the provided list is too old."))
    }

    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks>
    fn next_page(&self, options: &ListOptions) -> Result<Page, Box<Status>> {
        let token = ContinueToken::decode(&options.continue_token)?;
        if !["", "0"].contains(&options.resource_version.as_str()) {
            let why = "specifying resource version is not allowed when using continue";
            return Err(Status::bad_request(why));
        }
        let limit = if options.resource_version == "0" { 0 } else { options.limit };
        let prefix = self.collection_key();
        let range = KeyRange::prefix(&prefix).at_or_after(&format!("{prefix}{}", token.start));
        let at = match u64::try_from(token.revision) {
            Ok(revision) => revision,
            Err(_) => self.shared.storage().store.revision(),
        };
        self.read(options, &range, at, limit).map_err(|error| match error {
            ReadError::Compacted { .. } => {
                let fresh = ContinueToken { revision: -1, start: token.start };
                Status::continue_expired(fresh.encode())
            }
            ReadError::Future { requested, revision } => {
                Status::too_large_resource_version(requested, revision)
            }
        })
    }

    /// The first page of the present state.
    pub(super) fn present_page(&self, options: &ListOptions) -> Result<Page, Box<Status>> {
        if !options.continue_token.is_empty() {
            return self.next_page(options);
        }
        let at = self.shared.storage().store.revision();
        let range = KeyRange::prefix(&self.collection_key());
        self.read(options, &range, at, options.limit)
            .map_err(|_| Status::expired("The resourceVersion for the provided list is too old."))
    }

    fn collection_key(&self) -> String {
        storage::collection_key(&self.target.resource, &self.target.namespace)
    }

    /// Reads up to `limit` matching objects (all, if it is 0) at a revision.
    fn read(
        &self,
        options: &ListOptions,
        range: &KeyRange,
        at: Revision,
        limit: i64,
    ) -> Result<Page, ReadError> {
        let storage = self.shared.storage();
        if at == storage.store.revision() {
            return Ok(self.take(options, storage.store.range(range), at, limit));
        }
        Ok(self.take(options, storage.store.range_at(range, at)?, at, limit))
    }

    fn take<'a>(
        &self,
        options: &ListOptions,
        mut entries: impl Iterator<Item = &'a Entry<Arc<Stored>>>,
        revision: Revision,
        limit: i64,
    ) -> Page {
        let limit = usize::try_from(limit).unwrap_or(0);
        let selected = !options.labels.is_empty() || !options.fields.is_empty();
        let mut page = Page { revision, items: Vec::new(), token: None, remaining: None };
        let mut last = None;
        for entry in entries.by_ref() {
            if selects(options, &entry.value) {
                page.items.push(Arc::clone(&entry.value));
                if page.items.len() == limit {
                    last = Some(entry);
                    break;
                }
            }
        }
        // With a selector nobody counts what is left: whether it matches would have to be looked at.
        let left = if selected { usize::from(entries.next().is_some()) } else { entries.count() };
        if let (Some(last), true) = (last, left > 0) {
            let start = last.key.strip_prefix(self.collection_key().as_str()).unwrap_or(&last.key);
            let revision = i64::try_from(revision).unwrap_or(i64::MAX);
            page.token = Some(ContinueToken { revision, start: format!("{start}\0") });
            page.remaining = (!selected).then_some(left);
        }
        page
    }

    /// Answers with a page.
    pub(super) fn answer_list(&self, page: &Page) -> Outcome {
        let items = page.items.iter().map(|item| item.json.as_ref()).collect();
        let list = List { metadata: page.metadata(), items };
        let document = self.presenter()?.list(&list, self.shared.config.clock.now())?;
        Answer::document(200, &document, self.output)
    }
}

impl Page {
    /// The list's metadata, as compact JSON.
    fn metadata(&self) -> Vec<u8> {
        let mut out = format!("{{\"resourceVersion\":\"{}\"", self.revision);
        if let Some(token) = &self.token {
            out.push_str(&format!(",\"continue\":\"{}\"", token.encode()));
        }
        if let Some(remaining) = self.remaining {
            out.push_str(&format!(",\"remainingItemCount\":{remaining}"));
        }
        out.push('}');
        out.into_bytes()
    }
}

/// Whether an object has the labels and fields that are asked for.
pub(super) fn selects(options: &ListOptions, stored: &Stored) -> bool {
    options.labels.matches(|key| stored.label(key)) && options.fields.matches(|label| stored.field(label))
}
