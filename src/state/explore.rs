//! Knowing what the cluster serves, and asking for it.

use std::sync::Arc;

use futures::future::LocalBoxFuture;
use json_tree::Value;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::trace::ObjectKey;

use crate::cluster::{Request, Which, status};
use crate::model::explore::served::{DEFINITIONS, DEFINITIONS_PATH, Kind, PATHS, question, read};
use crate::model::explore::{REFERENCE, example, rows, wrong};
use crate::model::messages::explore as words;
use crate::model::panes::Pane;
use crate::model::views::View;
use crate::state::{Page, views};
use crate::ui::dom;
use crate::ui::memo::Memo;

/// How long another cluster is given to serve what was defined, in milliseconds.
const SETTLED: i32 = 400;

/// The placeholder for a name where no object is known.
const NAME: &str = "NAME";

impl Page {
    /// Keeps what is known of what is served, from when it is first wanted: it is read again whenever a definition has
    /// been written.
    pub(super) fn discover(self) {
        let explore = self.explore;
        let defined = self.last_written(|key| key.resource == DEFINITIONS);
        let wanted = Memo::new(move |_| {
            explore.tab.get() == REFERENCE || matches!(self.view.get(), View::Cluster | View::Access)
        });
        Effect::new(move || {
            let (which, last) = defined.get();
            let written = explore.written.get();
            if !wanted.get() && last == 0 && written == 0 {
                return;
            }
            spawn_local(async move {
                if which == Which::Remote {
                    // Its controllers take a while to accept a definition.
                    dom::sleep(SETTLED).await;
                }
                let kinds = self.served(which).await;
                if self.cluster.get_untracked() != which {
                    return;
                }
                let known = explore.schemas.with_untracked(|schemas| {
                    let known = |kind: &&Arc<Kind>| schemas.contains_key(&rows::id_of(kind));
                    kinds.iter().filter(known).cloned().collect::<Vec<_>>()
                });
                if explore.kinds.with_untracked(|before| *before != kinds) {
                    explore.kinds.set(kinds);
                }
                for kind in known {
                    self.schema(&kind, true).await;
                }
            });
        });
    }

    /// Shows what is at a path where the Cluster view is looked at, and asks for it by a request elsewhere.
    pub(crate) fn look_at(self, path: &str) {
        if self.narrow.get_untracked() || self.view.get_untracked() == View::Cluster {
            views::browse(self, path);
        } else {
            self.fill_and_send(&Request::get(path));
        }
    }

    /// Returns the revision of the newest write to one of the objects that `is` is true of, with the cluster; 0 if none is known.
    pub(crate) fn last_written(
        self,
        is: impl Fn(&ObjectKey) -> bool + Send + Sync + 'static,
    ) -> Memo<(Which, u64)> {
        let scanned = StoredValue::new((Which::ThisTab, 0_u64));
        Memo::new(move |before: Option<&(Which, u64)>| {
            let which = self.cluster.get();
            let (of, until) = scanned.get_value();
            let last = before.filter(|(known, _)| *known == which).map_or(0, |(_, last)| *last);
            let (head, from, newest) = self.history(|history| {
                // Who goes back to an earlier revision begins anew.
                let from = if of == which && until <= history.head() { until } else { 0 };
                let newer = history.writes().iter().rev().take_while(|write| write.revision > from);
                let mut own = newer
                    .filter(|write| history.object(write.object).is_some_and(|object| is(&object.known)));
                (history.head(), from, own.next().map(|write| write.revision))
            });
            scanned.set_value((which, head));
            (which, newest.unwrap_or(if from > 0 { last } else { 0 }))
        })
    }

    /// Reads what a cluster serves. Nobody is told of it. (Boxed, for whoever waited for it would have a copy of it.)
    pub(crate) fn served(self, which: Which) -> LocalBoxFuture<'static, Vec<Arc<Kind>>> {
        Box::pin(async move {
            let mut kinds = Vec::new();
            for path in PATHS {
                let document = self.peek(which, question(path)).await.unwrap_or_default();
                kinds.extend(read(&document));
            }
            kinds
        })
    }

    /// Rows of the custom kinds that can be listed.
    pub(crate) fn custom_rows(self) -> Vec<schema::Resource> {
        self.explore.kinds.with(|kinds| {
            let listed = kinds.iter().filter(|kind| kind.verbs.iter().any(|verb| verb == "list"));
            listed.filter(|kind| kind.built_in().is_none()).map(|kind| kind.row()).collect()
        })
    }

    /// Reads the schemas of the custom kinds that are open.
    pub(crate) fn load_schemas(self) {
        let explore = self.explore;
        Effect::new(move || {
            let wanted: Vec<Arc<Kind>> = explore.kinds.with(|kinds| {
                explore.open.with(|open| {
                    let wanted =
                        |kind: &&Arc<Kind>| open.contains(&rows::id_of(kind)) && kind.built_in().is_none();
                    kinds.iter().filter(wanted).cloned().collect()
                })
            });
            spawn_local(async move {
                for kind in wanted {
                    self.schema(&kind, false).await;
                }
            });
        });
    }

    /// The schema of a custom kind, as its definition has it.
    async fn schema(self, kind: &Kind, anew: bool) -> Option<Arc<Value>> {
        let (explore, id) = (self.explore, rows::id_of(kind));
        let known = explore.schemas.with_untracked(|schemas| schemas.get(&id).cloned());
        if known.is_some() && !anew {
            return known;
        }
        let request = Request::get(&kind.definition_path());
        let definition = self.peek(self.cluster.get_untracked(), request).await?;
        let schema = kind.schema_in(&definition)?;
        if known.as_deref() == Some(&schema) {
            return known;
        }
        let schema = Arc::new(schema);
        explore.schemas.update(|schemas| drop(schemas.insert(id, Arc::clone(&schema))));
        Some(schema)
    }

    /// An object of a kind to begin with.
    async fn example(self, kind: &Kind) -> Option<Value> {
        if kind.built_in().is_none() {
            self.schema(kind, false).await?;
        }
        let look = self.explore.schemas.with_untracked(|schemas| rows::look_of(kind, schemas))?;
        Some(example::object(kind, &look))
    }

    /// Puts the request of a verb into the form. What is about an object is about one that is known, if there is any.
    pub(crate) fn put_request(self, kind: &Arc<Kind>, verb: &str, part: &str) {
        let (kind, verb, part) = (Arc::clone(kind), verb.to_owned(), part.to_owned());
        let which = self.cluster.get_untracked();
        let wanted = self.namespace.get_untracked();
        let own = |object: &&ObjectKey| object.group == kind.group && object.resource == kind.resource;
        let objects: Vec<ObjectKey> =
            untrack(|| self.objects(|objects| objects.filter(own).cloned().collect()));
        let known = objects.iter().find(|object| object.namespace == wanted).or(objects.first());
        let (namespace, name) = match known.filter(|_| !matches!(verb.as_str(), "list" | "watch" | "create"))
        {
            Some(known) => (known.namespace.clone(), known.name.clone()),
            None => (wanted, NAME.to_owned()),
        };
        let mut request = kind.request(&verb, &part, &namespace, &name);
        spawn_local(async move {
            let body = match verb.as_str() {
                "create" if part.is_empty() => self.example(&kind).await,
                "update" => self.object_of(which, &request).await,
                _ => None,
            };
            if let Some(body) = body.and_then(|body| serde_json::to_string_pretty(&body).ok()) {
                request = Request::json(&request.method, &request.target, &body);
            }
            self.open_request(&request);
        });
    }

    /// Puts a request into the form, where it can be looked at before it is sent.
    pub(crate) fn open_request(self, request: &Request) {
        self.form.fill(request);
        self.pane.set(Pane::Request);
        self.say(&words::filled(&request.method, &request.target));
    }

    /// Creates an object of a kind; or one that is wrong, in a way that shows what the rules of the kind are for.
    pub(crate) fn create_one(self, kind: &Arc<Kind>, wrong: bool) {
        let kind = Arc::clone(kind);
        let which = self.cluster.get_untracked();
        spawn_local(async move {
            let Some(good) = self.example(&kind).await else { return };
            let post = |body: &Value| {
                let text = serde_json::to_string_pretty(body).unwrap_or_default();
                let target = kind.request("create", "", &self.namespace.get_untracked(), "").target;
                Request::json("POST", &target, &text)
            };
            let chosen = if wrong { self.wrong_one(which, &kind, &good, &post).await } else { good };
            self.fill_and_send(&post(&chosen));
        });
    }

    /// A variant of a good object that is refused, by a rule if any does.
    async fn wrong_one(
        self,
        which: Which,
        kind: &Kind,
        good: &Value,
        post: &dyn Fn(&Value) -> Request,
    ) -> Value {
        let look = self.explore.schemas.with_untracked(|schemas| rows::look_of(kind, schemas));
        let Some(look) = look else { return good.clone() };
        let candidates = wrong::candidates(good, &look);
        let rules = match &look {
            crate::model::explore::fields::Look::Object(schema) => {
                crate::model::explore::fields::messages(schema)
            }
            _ => Vec::new(),
        };
        let mut best = (0, candidates.last().cloned());
        // Another cluster is not asked a hundred times.
        if which == Which::ThisTab {
            for candidate in candidates {
                let told = self.quietly_send(which, post(&candidate)).await;
                let status = told.ok().and_then(|(_, _, body)| status::failure(&body));
                let worth = status.map_or(0, |status| wrong::worth(&status, &rules));
                if worth > best.0 {
                    best = (worth, Some(candidate));
                }
                if worth == 2 {
                    break;
                }
            }
        }
        best.1.unwrap_or_else(|| good.clone())
    }

    /// Reads a definition.
    pub(crate) fn read_definition(self, name: &str) {
        self.fill_and_send(&Request::get(&[DEFINITIONS_PATH, "/", name].concat()));
    }
}
