//! The actions of the tour's steps. Each makes what it needs, so that it can be done again, or first.

use apimachinery::target;
use json_tree::{Value, json};

use crate::cluster::trace::{Origin, Outcome};
use crate::cluster::{Request, Which};
use crate::model::request::CONFIGMAPS;
use crate::model::watch::{Connection, Watch};
use crate::state::{Model, Page};

/// The object of the tour.
const NAME: &str = "tour";

/// Something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Lists the collection.
    List,
    /// Lights up the version of the list.
    Light,
    /// Creates the object.
    Create,
    /// Changes it, while somebody watches.
    Change,
    /// Changes it with a version that was overwritten.
    Conflict,
    /// Reads it, and changes it with the version that was read.
    Resolve,
    /// Watches from a version that is compacted.
    Gone,
}

/// Does it. A request that fails shows its own response, and the step ends there.
pub(super) async fn act(page: Page, act: Act) -> Option<()> {
    page.light(None);
    match act {
        Act::List => drop(sent(page, Request::get(CONFIGMAPS)).await?),
        Act::Light => {
            let list = page.peeked(CONFIGMAPS).await?;
            page.light(version(&list));
        }
        Act::Create => {
            watched(page).await;
            quietly(page, Request { method: "DELETE".to_owned(), ..Request::get(&path()) }).await?;
            let made =
                sent(page, Request::json("POST", CONFIGMAPS, &object("made by the tour", None))).await?;
            page.light(version(&made));
        }
        Act::Change => {
            watched(page).await;
            exists(page).await?;
            sent(page, Request::json("PUT", &path(), &object("changed while somebody watches", None)))
                .await?;
        }
        Act::Conflict => {
            let read = exists(page).await?;
            // Somebody else is faster.
            quietly(page, Request::json("PUT", &path(), &object("somebody else was faster", None))).await?;
            let again = object("never written", version(&read).as_deref());
            sent(page, Request::json("PUT", &path(), &again)).await?;
        }
        Act::Resolve => {
            exists(page).await?;
            let read = sent(page, Request::get(&path())).await?;
            let again = object("changed by who has read it", version(&read).as_deref());
            let changed = sent(page, Request::json("PUT", &path(), &again)).await?;
            page.light(version(&changed));
        }
        Act::Gone => {
            let query = [("watch", Some("true")), ("resourceVersion", Some("1"))];
            sent(page, Request::get(&target::with(CONFIGMAPS, &query))).await?;
        }
    }
    Some(())
}

/// Returns the newest revision of the cluster of this tab.
pub(super) async fn newest(page: Page) -> Option<u64> {
    version(&page.peeked(CONFIGMAPS).await?)?.parse().ok()
}

fn path() -> String {
    [CONFIGMAPS, "/", NAME].concat()
}

fn object(text: &str, version: Option<&str>) -> String {
    let mut object = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": NAME, "namespace": "default"}, "data": {"text": text},
    });
    if let Some(version) = version
        && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
    {
        metadata.insert("resourceVersion".to_owned(), Value::from(version));
    }
    serde_json::to_string_pretty(&object).unwrap_or_default()
}

fn version(object: &Value) -> Option<String> {
    object.pointer("/metadata/resourceVersion").and_then(Value::as_str).map(str::to_owned)
}

/// Sends a request as if somebody had written it, and returns the response.
async fn sent(page: Page, request: Request) -> Option<Value> {
    page.form.fill(&request);
    let id = page.exchange(request, Origin::User, true).await?;
    page.settled(id).map(|(_, body)| body)
}

/// Sends a request that the step needs, and that is not what it shows.
async fn quietly(page: Page, request: Request) -> Option<Value> {
    let id = page.exchange(request, Origin::Opening, false).await?;
    page.settled(id).map(|(_, body)| body)
}

/// Makes sure that the object is there, and returns it.
async fn exists(page: Page) -> Option<Value> {
    if let Some(known) = page.peeked(&path()).await {
        return Some(known);
    }
    quietly(page, Request::json("POST", CONFIGMAPS, &object("made by the tour", None))).await
}

/// Makes sure that somebody watches the collection.
async fn watched(page: Page) {
    if page.is_watched(CONFIGMAPS) {
        return;
    }
    let query = [("watch", Some("true")), ("allowWatchBookmarks", Some("true"))];
    page.exchange(Request::get(&target::with(CONFIGMAPS, &query)), Origin::Opening, false).await;
}

impl Page {
    /// Reads an object or a collection of the cluster of this tab, without anybody being told; `None` if it is not there.
    async fn peeked(self, path: &str) -> Option<Value> {
        self.peek(Which::ThisTab, Request::get(path)).await
    }

    /// Returns whether a watch of a whole collection is open.
    fn is_watched(self, path: &str) -> bool {
        let watches = |watch: &Watch| {
            watch.connection == Connection::Open
                && target::split(&watch.request.target).0 == path
                && !watch.request.target.contains("Selector")
        };
        self.quietly(|model| model.watches.iter().any(watches)).unwrap_or_default()
    }

    /// Returns whether somebody has changed the cluster of this tab.
    pub(super) fn has_changed(self) -> bool {
        self.quietly(|model| has_changed(model)).unwrap_or_default()
    }

    /// Returns whether somebody has sent a request, and again whenever that may be otherwise.
    pub(super) fn has_sent_now(self) -> bool {
        self.read(|model| model.trace.newest().any(|sent| sent.origin == Origin::User))
    }
}

fn has_changed(model: &Model) -> bool {
    model.trace.newest().any(|sent| {
        let done = matches!(&sent.outcome, Outcome::Answered(reply) if reply.status < 300);
        sent.origin == Origin::User && sent.request.method != "GET" && done
    })
}
