//! The page's state, and the page's actions. Everything shown is derived from the trace of exchanges and the watches'
//! events; only what no API tells comes from the embedded cluster itself.

mod access;
mod actions;
pub(crate) mod address;
mod beat;
pub(crate) mod change;
pub(crate) mod chunks;
pub(crate) mod controllers;
pub(crate) mod copies;
mod engine;
mod explore;
pub(crate) mod faults;
pub(crate) mod feeding;
pub(crate) mod growing;
pub(crate) mod history;
pub(crate) mod kept;
mod opening;
pub(crate) mod others;
pub(crate) mod past;
pub(crate) mod peek;
pub(crate) mod pinned;
mod policy;
pub(crate) mod recording;
mod recover;
pub(crate) mod tabs;
mod teach;
pub(crate) mod tour;
mod traced;
pub(crate) mod trial;
pub(crate) mod views;
mod watches;
pub(crate) mod webhooks;

use std::any::Any;
use std::collections::HashMap;
use std::rc::Rc;

use clock::ManualClock;
use futures::future::AbortHandle;
use glass::{Glass, History, Lane};
use leptos::prelude::*;
use protocol::trace::ObjectKey;

use crate::cluster::embedded::Embedded;
use crate::cluster::host::Host;
use crate::cluster::trace::Trace;
use crate::cluster::worker::{Engine, EngineWorker};
use crate::cluster::{Request, Transport, Which};
use crate::model::access::question::Question;
use crate::model::browse::Browse;
use crate::model::explore::Explore;
use crate::model::lab::Lab;
use crate::model::panes::{Pane, Sizes};
use crate::model::policy::outcome::Outcome;
use crate::model::request::form::Form;
use crate::model::views::View;
use crate::model::watch::Watch;
use crate::state::change::Change;
use crate::state::chunks::{Chunks, Remote};
use crate::state::copies::LocalCopy;
use crate::state::feeding::News;
use crate::state::history::Item;
use crate::state::kept::{Keep, Kept};
use crate::state::others::Others;
use crate::state::tabs::Tabs;
use crate::state::tour::Tour;
use crate::state::views::NARROW;
use crate::ui::dom;
use crate::ui::memo::Memo;
use crate::ui::theme::Theme;

/// The page's state. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Page {
    /// The request that is being composed.
    pub(crate) form: Form,
    /// The cluster that requests go to.
    pub(crate) cluster: RwSignal<Which>,
    /// The cluster, its newest revision, and how many writes and objects of it are known. While it is the same, so are the objects.
    known: Memo<(Which, u64, usize, usize)>,
    /// The content of the response pane.
    pub(crate) shown: RwSignal<Shown>,
    /// Counts up whenever the trace, a watch or a log has changed; at most once a frame.
    pub(crate) tick: RwSignal<u64>,
    /// The place where the engine runs.
    pub(crate) host: StoredValue<Host>,
    /// The recording that is looked at.
    pub(crate) recorded: RwSignal<Option<recording::Shown>>,
    /// `true` once the page goes on with a cluster: there is a history to show from the beginning.
    pub(crate) goes_on: RwSignal<bool>,
    /// The sentence over the page.
    pub(crate) notice: RwSignal<Option<Notice>>,
    /// The state of keeping the cluster of this tab.
    pub(crate) kept: RwSignal<Kept>,
    /// Loads the chunks that no pane has to itself.
    chunks: StoredValue<Chunks>,
    /// How the engine of this tab is.
    pub(crate) engine: RwSignal<Engine>,
    /// The state of the embedded cluster.
    pub(crate) overview: RwSignal<Overview>,
    /// The revision that the whole page shows; `None` follows the newest.
    pub(crate) at: RwSignal<Option<u64>>,
    /// The revisions that a failure is about, and what each is, to be marked on the ribbon.
    pub(crate) at_play: RwSignal<Vec<(u64, String)>>,
    /// The revision that the page's address asked for and the cluster does not keep, until something is sent.
    pub(crate) unkept: RwSignal<Option<u64>>,
    /// The tab beside the ribbon that is chosen.
    pub(crate) detail: RwSignal<usize>,
    /// The resource version that is lit.
    pub(crate) lit: RwSignal<Option<String>>,
    /// How fast the embedded cluster's clock goes; 0 is paused.
    pub(crate) speed: RwSignal<u32>,
    /// The requests that are open.
    pub(crate) tabs: Tabs,
    /// The state of changes that have not been made.
    pub(crate) change: Change,
    /// The state of the lab: what is done to the embedded cluster on purpose.
    pub(crate) lab: Lab,
    /// The knowledge of the APIs that are served.
    pub(crate) explore: Explore,
    /// The state of the Cluster view.
    pub(crate) browse: Browse,
    /// The question that the Access view asks.
    pub(crate) question: Question,
    /// The namespace that lists and completions are about; empty means all.
    pub(crate) namespace: RwSignal<String>,
    /// The text that is announced to users who do not see the page.
    pub(crate) said: RwSignal<String>,
    /// The pane that somebody has turned to last: what a narrow page shows.
    pub(crate) pane: RwSignal<Pane>,
    /// The view that the screen shows.
    pub(crate) view: RwSignal<View>,
    /// True where the page is so narrow that it shows one pane at a time.
    pub(crate) narrow: RwSignal<bool>,
    /// True while the options of the request are folded, where there is little height.
    pub(crate) folded: RwSignal<bool>,
    /// The sizes of the panes.
    pub(crate) sizes: RwSignal<Sizes>,
    /// The colours.
    pub(crate) theme: RwSignal<Theme>,
    /// True if keys without Ctrl do something.
    pub(crate) single_keys: RwSignal<bool>,
    /// The dialog that is open.
    pub(crate) dialog: RwSignal<Option<Dialog>>,
    /// The first exchange of the lesson that is being recorded; `None` while none is.
    pub(crate) teaches: RwSignal<Option<u64>>,
    /// How the tour stands.
    pub(crate) tour: Tour,
    model: StoredValue<Model, LocalStorage>,
}

/// The state of the cluster of this tab.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overview {
    /// The newest revision.
    pub(crate) revision: u64,
    /// The revision up to which the store has been compacted.
    pub(crate) compact_revision: u64,
    /// How many objects each resource (`configmaps`, `deployments.apps`) has that has any.
    pub(crate) counts: Vec<(String, usize)>,
}

/// The content of the response pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Nothing yet.
    #[default]
    Nothing,
    /// The exchange of this number, and whether it is still under way.
    Exchange(u64, bool),
    /// A row of a watch.
    Event(u64, u64),
    /// The dry run that was made last.
    Trial,
    /// The policy that is on trial.
    Policy,
    /// The manifest that was applied last.
    Manifest,
}

/// A button: its name, and what it does.
pub(crate) type Step = (&'static str, fn(Page));

/// A sentence over the page.
#[derive(Clone)]
pub(crate) struct Notice {
    /// A sentence or two.
    pub(crate) text: String,
    /// The button beside it.
    pub(crate) action: Option<Step>,
}

/// A dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialog {
    Help,
    Palette,
    Cluster,
    Draft,
}

/// The state that changes too often, or is too large, for a signal.
pub(crate) struct Model {
    pub(crate) trace: Trace,
    pub(crate) watches: Vec<Watch>,
    /// The requests that were sent before the page was last reloaded.
    pub(crate) recalled: Vec<Item>,
    pub(crate) copies: Vec<LocalCopy>,
    pub(crate) embedded: Rc<Embedded>,
    /// The keeper of what happens, once its code is loaded.
    keeper: Option<Rc<dyn Keep>>,
    /// The controllers at work, once they are known: see [`controllers`].
    controllers: Option<Rc<dyn Any>>,
    /// The worker that the engine is in.
    worker: Option<EngineWorker>,
    /// The browser's time, for what has to do with another cluster.
    wall: ManualClock,
    /// The knowledge of the cluster of this tab, and of a remote one.
    here: Glass,
    remote: Glass,
    /// The activity of the embedded cluster besides its writes.
    pub(crate) news: News,
    /// The activity of other clients, as far as it is not shown yet.
    others: Others,
    /// The outcome of the policy that was tried last, or why there is none.
    pub(crate) tried: Option<Result<Outcome, String>>,
    streams: HashMap<u64, AbortHandle>,
    /// The handles that end the waiting for the response of an exchange.
    waiting: HashMap<u64, AbortHandle>,
    next_watch: u64,
    count: u64,
    frame_pending: bool,
    said_at: f64,
}

impl Model {
    /// Returns what is known of a cluster.
    pub(crate) fn glass(&self, which: Which) -> &Glass {
        match which {
            Which::ThisTab => &self.here,
            Which::Remote => &self.remote,
        }
    }

    /// Returns what is known of a cluster, to tell it more.
    pub(crate) fn glass_mut(&mut self, which: Which) -> &mut Glass {
        match which {
            Which::ThisTab => &mut self.here,
            Which::Remote => &mut self.remote,
        }
    }

    /// Returns the writes of a cluster, as far as they are known.
    pub(crate) fn history(&self, which: Which) -> &History {
        self.glass(which).history()
    }

    /// Returns the lane of a watch of this page.
    pub(crate) fn lane(&self, watch: u64) -> Option<&Lane> {
        self.here.lane(watch).or_else(|| self.remote.lane(watch))
    }
}

impl Page {
    /// The state of a page that has just been opened. `chunks` loads the chunks that no pane has to itself.
    pub(crate) fn new(chunks: Chunks) -> Self {
        let model = Model {
            trace: Trace::default(),
            watches: Vec::new(),
            copies: Vec::new(),
            recalled: Vec::new(),
            wall: ManualClock::new(dom::duration(dom::now())),
            embedded: engine::embedded(),
            keeper: None,
            controllers: None,
            worker: None,
            here: Glass::default(),
            remote: Glass::default(),
            news: News::default(),
            others: Others::default(),
            tried: None,
            streams: HashMap::new(),
            waiting: HashMap::new(),
            next_watch: 0,
            count: 0,
            frame_pending: false,
            said_at: 0.0,
        };
        let (cluster, lab, model) =
            (RwSignal::new(Which::ThisTab), Lab::new(), StoredValue::new_local(model));
        let known = Memo::new(move |_| {
            // There are many, and whoever asks for them shows words: that need not be in every frame.
            lab.slow.track();
            let which = cluster.get();
            model.with_value(|model: &Model| {
                let history = model.history(which);
                (which, history.head(), history.writes().len(), history.objects().len())
            })
        });
        Self {
            form: Form::new(),
            tabs: Tabs::new(),
            cluster,
            known,
            shown: RwSignal::new(Shown::Nothing),
            tick: RwSignal::new(0),
            host: StoredValue::new(Host::here()),
            recorded: RwSignal::new(None),
            goes_on: RwSignal::new(false),
            notice: RwSignal::new(None),
            kept: RwSignal::new(Kept::default()),
            chunks: StoredValue::new(chunks),
            engine: RwSignal::new(Engine::Loading(0.0, 0.0)),
            overview: RwSignal::new(Overview::default()),
            at: RwSignal::new(None),
            at_play: RwSignal::new(Vec::new()),
            unkept: RwSignal::new(None),
            detail: RwSignal::new(0),
            lit: RwSignal::new(None),
            speed: RwSignal::new(1),
            change: Change::new(),
            lab,
            explore: Explore::new(),
            browse: Browse::at(views::browsed()),
            question: Question::new(),
            namespace: RwSignal::new("default".to_owned()),
            said: RwSignal::new(String::new()),
            pane: RwSignal::new(Pane::Request),
            view: RwSignal::new(View::remembered()),
            narrow: dom::matches(NARROW),
            folded: RwSignal::new(true),
            sizes: RwSignal::new(Sizes::remembered()),
            theme: RwSignal::new(Theme::remembered()),
            single_keys: RwSignal::new(dom::remembered(SINGLE_KEYS).as_deref() != Some("off")),
            dialog: RwSignal::new(None),
            teaches: RwSignal::new(None),
            tour: Tour::new(),
            model,
        }
    }

    /// Looks into the model, and looks again whenever it has changed.
    pub(crate) fn read<T>(self, look: impl FnOnce(&Model) -> T) -> T {
        self.tick.track();
        self.model.with_value(look)
    }

    /// Lights a resource version up, everywhere.
    pub(crate) fn light(self, version: Option<String>) {
        if self.lit.with_untracked(|lit| *lit != version) {
            self.lit.set(version);
        }
    }

    /// Looks at the objects that are known to exist in the cluster, by name.
    pub(crate) fn objects<T>(self, look: impl FnOnce(&mut dyn Iterator<Item = &ObjectKey>) -> T) -> T {
        let (which, ..) = self.known.get();
        untrack(|| self.read(|model| look(&mut model.history(which).living())))
    }

    /// The namespaces that are known to exist in the cluster.
    pub(crate) fn namespaces(self) -> Vec<String> {
        let mut names: Vec<String> = self.objects(|objects| {
            let own = objects.filter(|object| object.group.is_empty() && object.resource == "namespaces");
            own.map(|object| object.name.clone()).collect()
        });
        if names.is_empty() {
            names = ["default", "kube-system"].map(str::to_owned).to_vec();
        }
        names
    }

    /// Looks at the writes of the cluster, as far as they are known, and again whenever something has changed.
    pub(crate) fn history<T>(self, look: impl FnOnce(&History) -> T) -> T {
        let which = self.cluster.get();
        self.read(|model| look(model.history(which)))
    }

    /// The newest revision of the cluster and the one up to which it has been compacted, as far as they are known.
    pub(crate) fn revisions(self) -> (u64, u64) {
        match self.cluster.get() {
            Which::ThisTab => self.overview.with(|overview| (overview.revision, overview.compact_revision)),
            Which::Remote => {
                let seen = self.read(|model| {
                    let log = model.history(Which::Remote).head();
                    let watches = model.watches.iter().filter(|watch| watch.cluster == Which::Remote);
                    watches.filter_map(|watch| watch.last.as_ref()?.parse().ok()).fold(log, u64::max)
                });
                (seen, 0)
            }
        }
    }

    /// The watches of the cluster, oldest first.
    pub(crate) fn watches(self) -> Vec<u64> {
        let which = self.cluster.get();
        self.read(|model| {
            model.watches.iter().filter(|watch| watch.cluster == which).map(|watch| watch.id).collect()
        })
    }

    /// Looks at a watch, and again whenever something has changed.
    pub(crate) fn watch<T>(self, id: u64, look: impl FnOnce(&Watch) -> T) -> Option<T> {
        self.read(|model| model.watches.iter().find(|watch| watch.id == id).map(look))
    }

    /// Takes in what was sent before the page was last reloaded.
    pub(crate) fn recall(self, items: Vec<Item>) {
        self.update(|model| model.recalled = items);
    }

    /// The embedded cluster.
    pub(crate) fn embedded(self) -> Rc<Embedded> {
        self.model.with_value(|model| model.embedded.clone())
    }

    /// Changes the model, and tells everybody who shows it.
    pub(crate) fn update<T>(self, change: impl FnOnce(&mut Model) -> T) -> Option<T> {
        let value = self.quietly(change);
        self.tell_of_change();
        value
    }

    /// Says that the model has changed, to who keeps it and to who shows it. There are many callers, and one is enough of this.
    #[inline(never)]
    fn tell_of_change(self) {
        self.keeping(|keeper| keeper.touched());
        self.touch();
    }

    /// Changes what nobody need be told of.
    pub(crate) fn quietly<T>(self, change: impl FnOnce(&mut Model) -> T) -> Option<T> {
        self.model.try_update_value(change)
    }

    fn transport(self, which: Which) -> Rc<dyn Transport> {
        match which {
            Which::ThisTab => self.model.with_value(|model| model.embedded.clone()),
            Which::Remote => Rc::new(Remote(self.chunks().more)),
        }
    }

    /// Tells something over the page.
    pub(crate) fn tell_over(self, text: String, action: Option<Step>) {
        self.notice.set(Some(Notice { text, action }));
    }

    /// Says that something has changed: once a frame everything that shows it is told; less often, where more
    /// happens than anybody can follow, or than the machine can show.
    pub(crate) fn touch(self) {
        let pending = self.model.try_update_value(|model| {
            let pending = std::mem::replace(&mut model.frame_pending, true);
            (!pending).then(|| model.news.pause(dom::monotonic()))
        });

        let frame = move || request_animation_frame(move || self.refresh());
        match pending.flatten() {
            Some(0.0) => frame(),
            Some(pause) => set_timeout(frame, dom::duration(pause)),
            None => {}
        }
    }
}

const SINGLE_KEYS: &str = "kubeglass.single-keys";

/// A request with its method in capitals, for the sake of those who type it.
fn tidy(mut request: Request) -> Request {
    request.method.make_ascii_uppercase();
    request
}
