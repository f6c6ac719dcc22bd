//! The opening of the page: its cluster's clock is started, its changes are followed, and there is something in it to
//! look at.

use apimachinery::target;
use clock::Clock;
use futures::future::LocalBoxFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::command::Command;
use web_sys::PopStateEvent;

use crate::cluster::Request;
use crate::cluster::host::Host;
use crate::cluster::trace::Origin;
use crate::cluster::worker::Engine;
use crate::model::messages::past as words;
use crate::model::past;
use crate::model::request::CONFIGMAPS;
use crate::state::kept::{self, Recalled};
use crate::state::{Model, Page, Shown, address, history};
use crate::ui::dom;

/// How often the cluster's clock is advanced, in milliseconds.
const BEAT: i32 = 100;

const NAMESPACES: &str = "/api/v1/namespaces";

const WRITES: &[(&str, &str, &str)] = &[
    (
        "POST",
        CONFIGMAPS,
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"greeting","labels":{"app":"web"}},"data":{"text":"hello"}}"#,
    ),
    (
        "POST",
        CONFIGMAPS,
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","labels":{"app":"web"}},"data":{"theme":"quiet"}}"#,
    ),
    (
        "POST",
        "/api/v1/namespaces/default/services",
        r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","labels":{"app":"web"}},"spec":{"selector":{"app":"web"},"ports":[{"port":80}]}}"#,
    ),
    (
        "POST",
        "/apis/apps/v1/namespaces/default/deployments",
        r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"app":"web"}},"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"registry.k8s.io/pause:3.10"}]}}}}"#,
    ),
    (
        "POST",
        "/api/v1/namespaces/default/pods",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"registry.k8s.io/pause:3.10"}]}}"#,
    ),
    (
        "PUT",
        "/api/v1/namespaces/default/configmaps/settings",
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","labels":{"app":"web"}},"data":{"theme":"calm"}}"#,
    ),
];

impl Page {
    /// Sets the page going, and does `then` when its cluster is filled.
    ///
    /// `recall` goes on with the cluster that was kept, if there is one: see [`kept::recall::open`].
    pub(crate) fn open(
        self,
        recall: impl Future<Output = Recalled> + 'static,
        then: impl Future<Output = ()> + 'static,
    ) {
        self.ask_engine();
        self.run_clock();
        history::recall(self);
        history::follow(self);
        dom::listen("popstate", move |event: PopStateEvent| history::go_back(self, &event));
        let (at, asked) = history::from_address().unzip();
        // After a reload it is what was sent last, with all that does not fit into an address.
        let asked = asked.map(|asked| history::recalled(self, &asked).unwrap_or(asked));
        address::follow();
        spawn_local(async move {
            // A document has a cluster of its own, which its view begins.
            if address::is_open(self) {
                self.discover();
                return then.await;
            }
            let mut recalled = Recalled::default();
            if kept::is_expected(self) {
                self.engine.set(Engine::Recalling);
                recalled = recall.await;
            }
            self.discover();
            let (at, asked) = match recalled.asked {
                Some((at, asked)) => (at, Some(asked)),
                None => (at.flatten(), asked),
            };
            if recalled.cluster {
                self.go_on(asked, at).await;
            } else {
                self.open_new(asked, at).await;
            }
            then.await;
        });
    }

    /// Starts an engine with a new cluster, and shows what an address asks for.
    fn open_new(self, asked: Option<Request>, at: Option<u64>) -> LocalBoxFuture<'static, ()> {
        self.start_engine(None);
        let request = asked.unwrap_or_else(|| Request::get(CONFIGMAPS));
        self.act_as(&request);
        self.form.fill(&request);
        self.fill_cluster(request, at)
    }

    /// Shows what an address asks for, of a cluster that was kept, at the revision that it names. What was shown last is not asked for
    /// again.
    async fn go_on(self, asked: Option<Request>, at: Option<u64>) {
        let is_shown = |asked: &Request| {
            let Shown::Exchange(id, _) = self.shown.get_untracked() else { return false };
            let known = |model: &Model| {
                let sent = model.trace.get(id).map(|sent| &sent.request);
                sent.is_some_and(|sent| (&sent.method, &sent.target) == (&asked.method, &asked.target))
            };
            self.model.with_value(known)
        };
        if let Some(asked) = asked.filter(|asked| !is_shown(asked)) {
            self.act_as(&asked);
            self.form.fill(&asked);
            if asked.is_harmless() {
                self.exchange(asked, Origin::Opening, true).await;
            }
        }
        at.into_iter().for_each(|at| self.go_to(at));
        self.embedded().client().prefetch();
    }

    /// Puts something into a new cluster.
    pub(super) async fn fill_new(self) {
        // What was defined is not defined there.
        if self.explore.kinds.with_untracked(|kinds| !kinds.is_empty()) {
            self.explore.written.update(|written| *written += 1);
        }
        self.fill_cluster(Request::get(CONFIGMAPS), None).await;
    }

    /// Puts something into the cluster of this tab, shows what `request` gives, and goes to revision `at`.
    fn fill_cluster(self, request: Request, at: Option<u64>) -> LocalBoxFuture<'static, ()> {
        // Who has sent a request meanwhile is not to lose sight of its response.
        let before = self.last_sent();
        Box::pin(async move {
            // What an address asks for is not sent if it changes something: its reader did not decide on that.
            let first = if request.is_harmless() { request } else { Request::get(CONFIGMAPS) };
            self.exchange(Request::get(NAMESPACES), Origin::Opening, false).await;
            // Reads need less of the engine's code than writes: there is something to look at while the rest is loaded.
            // But what an address asks for may be what is only about to be written.
            let list = Request::get(CONFIGMAPS);
            let show = first == list && self.last_sent() == before;
            let list = self.exchange(list, Origin::Opening, show).await;
            let list = list.and_then(|id| self.settled(id)).map(|(_, body)| body).unwrap_or_default();
            let version = list.pointer("/metadata/resourceVersion").and_then(|version| version.as_str());
            let watch = [
                ("watch", Some("true")),
                ("allowWatchBookmarks", Some("true")),
                ("resourceVersion", version),
            ];
            self.exchange(Request::get(&target::with(CONFIGMAPS, &watch)), Origin::Opening, false).await;
            // Nothing is put into a cluster that others use.
            let is_new = match self.host.get_value() {
                Host::Tab => true,
                Host::Tabs => list["items"].as_array().is_some_and(Vec::is_empty),
                Host::Server(_) => false,
            };
            let writes = if is_new { WRITES } else { &[] };
            for (method, path, body) in writes {
                self.exchange(Request::json(method, path, body), Origin::Opening, false).await;
            }
            self.exchange(first, Origin::Opening, self.last_sent() == before).await;
            at.into_iter().for_each(|at| self.go_to(at));
            self.embedded().client().prefetch();
        })
    }

    /// Returns the number of the exchange that the user began last.
    fn last_sent(self) -> Option<u64> {
        let of_user =
            |model: &Model| model.trace.newest().find(|sent| sent.origin == Origin::User).map(|sent| sent.id);
        self.model.with_value(of_user)
    }

    /// Shows the cluster of this tab as it was at `revision`, if that is kept; if not, it says so.
    pub(crate) fn go_to(self, revision: u64) {
        self.refresh();
        let (head, floor) = untrack(|| self.revisions());
        let oldest =
            untrack(|| self.history(|history| history.writes().front().map_or(0, |write| write.revision)));
        if past::is_kept(revision, floor, oldest, head) {
            self.at.set(Some(revision));
        } else {
            self.unkept.set(Some(revision));
            self.say(&words::unkept(revision));
        }
    }

    fn run_clock(self) {
        let mut last = dom::monotonic();
        Effect::new(move |before: Option<()>| {
            let rate = f64::from(self.speed.get());
            self.embedded().clock.set_rate(rate);
            // Nobody stops the time of others by opening a page.
            if before.is_some() || !self.host.with_value(Host::is_shared) {
                self.command(Command::SetRate { rate });
            }
        });
        dom::every(BEAT, move || {
            let now = dom::monotonic();
            let passed = now - last;
            last = now;
            // Waking sleepers runs their code: the model must not be borrowed meanwhile.
            let (clock, wall) =
                self.model.with_value(|model| (model.embedded.clock.clone(), model.wall.clone()));
            wall.advance(dom::duration(dom::now()).saturating_sub(wall.now()));
            clock.elapse(dom::duration(passed));
            self.beat(clock.now());
        });
    }
}
