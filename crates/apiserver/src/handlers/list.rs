//! GET of a collection.

pub(super) mod plan;

use std::sync::{Arc, OnceLock};

use futures::future::BoxFuture;
use store::Revision;

use crate::answer::{Answer, Outcome};
use crate::context::RequestContext;
use crate::options::ListOptions;
use crate::present::List;
use crate::resource::Resource;
use crate::route::Target;
use crate::storage::{Pin, Storage};
use crate::stored::Stored;
use apimachinery::ContinueToken;
use apimachinery::query::Query;
use apimachinery::selector::FieldSelector;
use apimachinery::status::Status;
use protocol::trace::Layer;

use plan::{Plan, Read};

/// Reads a page of a list.
type ReadPage =
    for<'a> fn(&'a RequestContext<'_>, &'a ListOptions, &'a Plan) -> BoxFuture<'a, Result<Page, Box<Status>>>;

/// The function that reads a page of objects which a webhook converts, where somebody has webhooks called.
pub(super) static CONVERTED: OnceLock<ReadPage> = OnceLock::new();

/// A page of a list.
pub(super) struct Page {
    pub(super) revision: Revision,
    pub(super) items: Vec<Arc<Stored>>,
    token: Option<ContinueToken>,
    remaining: Option<usize>,
}

impl RequestContext<'_> {
    /// Answers a list, or opens a watch.
    pub(crate) async fn list(&self) -> Outcome {
        let options = options_of(self.target, self.query)?;
        if options.watch {
            if self.at.is_some() {
                return Err(Status::method_not_allowed());
            }
            return self.watch(options);
        }
        self.answer_list(&self.page(&options).await?)
    }

    /// Reads a page.
    ///
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list>
    pub(super) async fn page(&self, options: &ListOptions) -> Result<Page, Box<Status>> {
        let plan = Plan::new(self.target, options)?;
        if let Some(converted) = CONVERTED.get().filter(|_| self.converted().is_some()) {
            return converted(self, options, &plan).await;
        }
        let page = self.read_page(options, &plan).await?;
        self.check_shown(&page.items)?;
        Ok(page)
    }

    /// Reads a page of objects as they are stored.
    pub(super) async fn read_page(&self, options: &ListOptions, plan: &Plan) -> Result<Page, Box<Status>> {
        if let Some(revision) = self.at {
            return self.read_store(options, plan, revision);
        }
        let cache = self.cache.ok_or_else(Status::path_not_found)?;
        let fresh = |version| async move {
            let fresh = self.until_fresh(cache, version).await;
            fresh.map_err(|current| Status::too_large_resource_version(version, current))
        };
        match plan.read {
            Read::NotOlderThan(version) => {
                fresh(version).await?;
                self.read_cache(options, plan)
            }
            Read::Consistent => {
                let head = self.shared.storage().store.revision();
                match fresh(head).await {
                    Ok(()) => self.read_cache(options, plan),
                    Err(_) => {
                        let head = self.shared.storage().store.revision();
                        self.read_store(options, plan, head)
                    }
                }
            }
            Read::Exact(version) => {
                fresh(version).await?;
                self.read_store(options, plan, version)
            }
            Read::StoreExact(version) => self.read_store(options, plan, version),
        }
    }

    /// Reads the newest state that the cache has.
    fn read_cache(&self, options: &ListOptions, plan: &Plan) -> Result<Page, Box<Status>> {
        let mut storage = self.shared.storage();
        let Some(cache) = self.cache.and_then(|id| storage.cache(self.server, id)) else {
            return Ok(Page { revision: 0, items: Vec::new(), token: None, remaining: None });
        };
        let revision = cache.revision;
        self.read_from(Layer::Cache, revision);
        if has_many_conditions(options) {
            let all = Candidates::new(cache.range(&plan.range));
            drop(storage);
            return self.choose(options, plan, &all, revision, None);
        }
        let (page, pin) = plan.take(options, cache.range(&plan.range), revision, None);
        self.pin(&mut storage, pin);
        Ok(page)
    }

    /// Takes a page of those that were there, while others have the storage: a selector may have as many conditions as
    /// there is room in an address.
    fn choose(
        &self,
        options: &ListOptions,
        plan: &Plan,
        candidates: &Candidates,
        revision: Revision,
        left: Option<usize>,
    ) -> Result<Page, Box<Status>> {
        let (mut seen, mut in_time) = (0, Ok(()));
        let all = candidates.0.iter().map(|(key, stored)| (&**key, stored)).take_while(|_| {
            seen += 1;
            if seen % 64 == 0 {
                in_time = self.check_time();
            }
            in_time.is_ok()
        });
        let (page, pin) = plan.take(options, all, revision, left);
        in_time?;
        self.pin(&mut self.shared.storage(), pin);
        Ok(page)
    }

    /// Reads the state at a revision.
    fn read_store(&self, options: &ListOptions, plan: &Plan, at: Revision) -> Result<Page, Box<Status>> {
        let mut storage = self.shared.storage();
        let floor = storage.store.compact_revision();
        let cache = self.cache.and_then(|id| storage.cache(self.server, id));
        let snapshot =
            matches!(plan.read, Read::Exact(_)) && cache.is_some_and(|cache| cache.has_snapshot(at, floor));
        let layer = if snapshot { Layer::Snapshot } else { Layer::Store };
        let entries = storage.store.range_at(&plan.range, at).map_err(|error| plan.refusal(error))?;
        self.read_from(layer, at);
        let left = storage.snapshots.remaining(at, &plan.prefix, &plan.start);
        let entries = entries.map(|entry| (entry.key.as_ref(), &entry.value));
        if has_many_conditions(options) {
            let all = Candidates::new(entries);
            drop(storage);
            return self.choose(options, plan, &all, at, left);
        }
        let (page, pin) = plan.take(options, entries, at, left);
        self.pin(&mut storage, pin);
        Ok(page)
    }

    pub(super) fn pin(&self, storage: &mut Storage, pin: Option<Pin>) {
        if let Some(pin) = pin.filter(|_| self.at.is_none()) {
            storage.snapshots.pin(Pin { at: self.shared.config.clock.now(), ..pin });
        }
    }

    /// Answers with a page.
    pub(super) fn answer_list(&self, page: &Page) -> Outcome {
        let items = page.items.iter().map(|item| item.json.as_ref()).collect();
        let list = List { metadata: page.metadata(), items };
        let document = self.presenter()?.list(&list, self.shared.config.clock.now())?;
        Answer::document(200, document, self.output)
    }
}

/// Objects that a list may have, with their keys.
struct Candidates(Vec<(Box<str>, Arc<Stored>)>);

impl Candidates {
    fn new<'a>(entries: impl Iterator<Item = (&'a str, &'a Arc<Stored>)>) -> Self {
        Self(entries.map(|(key, stored)| (key.into(), Arc::clone(stored))).collect())
    }
}

/// Returns whether it takes long to find out whether an object is selected.
fn has_many_conditions(options: &ListOptions) -> bool {
    options.labels.requirements().len() + options.fields.len() > 16
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

/// A field selector as one for this resource.
///
/// # Errors
/// The 400 for a field by which its objects cannot be selected.
pub(super) fn fields_of(resource: &Resource, fields: FieldSelector) -> Result<FieldSelector, Box<Status>> {
    let fields = fields.without_empty();
    let fields = match resource.custom() {
        Some(custom) => {
            let selectable: Vec<&str> = custom.version().selectable.iter().map(String::as_str).collect();
            fields.for_custom_resource(resource.namespaced, &selectable)
        }
        None => fields.for_kind(resource.facts().selectable_fields),
    };
    fields.map_err(Status::bad_request)
}

/// The options of a list or a watch.
///
/// # Errors
/// The 400 for what is wrong with them, or with a field selector of this resource.
pub(crate) fn options_of(target: &Target, query: &Query) -> Result<ListOptions, Box<Status>> {
    let mut options = ListOptions::parse(query, target.watch)?;
    let (resource, name) = (&target.resource, target.name.as_str());
    options.fields = fields_of(resource, options.fields)?;
    if !name.is_empty() {
        if !options.fields.is_empty() && options.fields.exact("metadata.name") != Some(name) {
            return Err(Status::bad_request("fieldSelector metadata.name doesn't match requested name"));
        }
        options.fields = FieldSelector::by_name(name);
    }
    Ok(options)
}

/// Reports whether an object has the labels and fields that are asked for.
pub(crate) fn selects(options: &ListOptions, stored: &Stored) -> bool {
    options.labels.matches(|key| stored.label(key)) && options.fields.matches(|label| stored.field(label))
}
