//! Applying a manifest: one object after the other, in the order in which they stand. One that fails holds none up.

use std::sync::Arc;

use json_tree::Value;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::trace::Origin;
use crate::cluster::{Request, Which, status};
use crate::model::explore::served::Kind;
use crate::model::manifest::plan::{self, How};
use crate::model::manifest::split::{self, Document};
use crate::model::manifest::{Manifest, Outcome, Row, Run};
use crate::model::messages::manifest as words;
use crate::model::panes::Pane;
use crate::state::{Page, Shown};
use crate::ui::{dom, messages};

impl Run {
    /// Returns what came of all objects, in words.
    pub(crate) fn summary(&self) -> String {
        words::summary(self.dry, self.rows.iter().map(|row| &row.outcome))
    }
}

/// How often a kind is looked for that the manifest has defined, and for how long it is waited in between, in milliseconds:
/// another cluster takes a while to serve it.
const LOOKS: usize = 20;
const PAUSE: i32 = 250;

/// An object of a manifest and the text that is sent for it; or why there is none.
type Read = Result<(Value, String), String>;

/// Applies the manifest in the body, and shows the outcome. A dry run changes nothing.
pub(crate) fn apply(page: Page, dry: bool) {
    let form = page.form;
    let how = untrack(|| How {
        manager: form.param("fieldManager").unwrap_or_default(),
        force: page.change.manifest.force.get() || form.forces(),
        dry: dry || form.is_on("dryRun"),
        namespace: page.namespace.get(),
    });
    let text = form.body.get_untracked();
    let manifest = page.change.manifest;
    let turn = manifest.begin(how.dry);
    page.show(Shown::Manifest);
    spawn_local(async move {
        let objects = read(page, manifest, turn, &text).await;
        // The click that has led here turned to the request.
        if page.pane.get_untracked() != Pane::Timeline {
            page.pane.set(Pane::Answer);
        }
        Applying { page, manifest, turn, how, served: Vec::new(), defined: Vec::new() }.all(objects).await;
    });
}

/// Reads the objects of a manifest's documents, and makes a row for each.
async fn read(page: Page, manifest: Manifest, turn: u64, text: &str) -> Vec<Read> {
    let embedded = page.embedded();
    let (mut rows, mut objects) = (Vec::new(), Vec::new());
    for Document { line, text: document } in split::split(text) {
        if !manifest.goes_on(turn) {
            break;
        }
        let json = match embedded.to_json("application/yaml", document.clone().into()).await {
            Ok(json) => json,
            // The line that it names is to be that of the manifest.
            Err(_) => {
                let padded = ["\n".repeat(line - 1), document].concat();
                let why = embedded.to_json("application/yaml", padded.into()).await.err().unwrap_or_default();
                rows.push(Row::new(line, String::new()));
                objects.push(Err(why));
                continue;
            }
        };
        let value: Value = serde_json::from_slice(&json).unwrap_or_default();
        let is_list = value["items"].is_array();
        for object in split::objects(value) {
            rows.push(Row::new(line, plan::name(&object)));
            let text = if is_list { object.to_string() } else { document.clone() };
            objects.push(Ok((object, text)));
        }
    }
    manifest.update(turn, |run| run.rows = rows);
    objects
}

/// A manifest that is being applied.
struct Applying {
    page: Page,
    manifest: Manifest,
    turn: u64,
    how: How,
    /// The kinds that are served, as discovery told last.
    served: Vec<Arc<Kind>>,
    /// The groups and kinds that the manifest has defined.
    defined: Vec<(Value, Value)>,
}

impl Applying {
    async fn all(mut self, objects: Vec<Read>) {
        let which = self.page.cluster.get_untracked();
        self.served = self.page.served(which).await;
        for (at, object) in objects.into_iter().enumerate() {
            if !self.manifest.goes_on(self.turn) {
                break;
            }
            let done = match object {
                Ok((object, text)) => self.one(which, &object, text).await,
                Err(why) => Done::failed(why, None),
            };
            self.manifest.update(self.turn, |run| {
                if let Some(row) = run.rows.get_mut(at) {
                    let Done { outcome, exchange, version } = done;
                    (row.outcome, row.exchange, row.version) = (outcome, exchange, version);
                }
            });
        }
        self.manifest.update(self.turn, |run| {
            run.going = false;
            self.page.say(&run.summary());
        });
    }

    /// Applies an object.
    async fn one(&mut self, which: Which, object: &Value, text: String) -> Done {
        let request = match self.request(which, object, text).await {
            Ok(request) => self.page.signed(request),
            Err(why) => return Done::failed(why, None),
        };
        let before = self.page.object_of(which, &request).await;
        let Some(id) = self.page.exchange(request, Origin::User, false).await else {
            return Done::failed(messages::NO_ANSWER.to_owned(), None);
        };
        let Some((code, now)) = self.page.settled(id) else {
            return Done::failed(messages::NO_ANSWER.to_owned(), Some(id));
        };
        if code >= 300 {
            let said = |field: &str| now[field].as_str().unwrap_or_default();
            let message = if said("message").is_empty() { status::words(code) } else { said("message") };
            return Done::failed(words::refused(said("reason"), message), Some(id));
        }
        if object["kind"] == "CustomResourceDefinition" && !self.how.dry {
            self.defined.push((now["spec"]["group"].clone(), now["spec"]["names"]["kind"].clone()));
        }
        let version = now["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned();
        Done { outcome: plan::outcome(before.as_ref(), &now, self.how.dry), exchange: Some(id), version }
    }

    /// Makes the request that applies an object. If the manifest has defined its kind, that is given time to be served.
    async fn request(&mut self, which: Which, object: &Value, text: String) -> Result<Request, String> {
        let group = object["apiVersion"].as_str().and_then(|version| Some(version.split_once('/')?.0));
        let is_defined =
            self.defined.iter().any(|(known, kind)| known.as_str() == group && *kind == object["kind"]);
        let mut looks = if is_defined { LOOKS } else { 0 };
        loop {
            let made = plan::request(object, text.clone(), &self.served, &self.how);
            if made.is_ok() || looks == 0 || !self.manifest.goes_on(self.turn) {
                return made;
            }
            looks -= 1;
            dom::sleep(PAUSE).await;
            self.served = self.page.served(which).await;
        }
    }
}

/// The outcome of an object: see [`Row`].
struct Done {
    outcome: Outcome,
    exchange: Option<u64>,
    version: String,
}

impl Done {
    fn failed(why: String, exchange: Option<u64>) -> Self {
        Self { outcome: Outcome::Failed(why), exchange, version: String::new() }
    }
}
