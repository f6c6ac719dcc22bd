//! Sending requests, and what else can be done.

use std::sync::Arc;

use apimachinery::target;
use futures::future::{AbortHandle, LocalBoxFuture, abortable};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::command::Command;
use protocol::trace::RequestRecord;

use crate::cluster::decided::Decided;
use crate::cluster::told::named;
use crate::cluster::trace::{Origin, Outcome, Reply};
use crate::cluster::{Answer, Body, Request, Stream, Transport, Which, catalog, documents, status};
use crate::model::explore::served::DEFINITIONS_PATH;
use crate::model::manifest::split;
use crate::model::panes::Pane;
use crate::model::request::form;
use crate::model::request::presets::{Answers, Preset, Step};
use crate::model::{lab, messages};
use crate::state::traced::Traced;
use crate::state::{Page, SINGLE_KEYS, Shown, history, tidy};
use crate::ui::dom;

/// A list of more bytes is not read for the names in it.
const LARGEST_LIST: usize = 1 << 20;

impl Page {
    /// Sends what has been composed. A line that has been pasted becomes its request first; one that changes something is not sent.
    pub(crate) fn send(self) {
        if !self.gathers(true) {
            self.send_composed();
        }
    }

    /// Sends what the form has.
    pub(crate) fn send_composed(self) {
        if !self.applies(false) {
            self.resend(self.form.request());
        }
    }

    /// Applies the manifest of several documents in the body, or previews that. Returns whether there is one.
    pub(super) fn applies(self, dry: bool) -> bool {
        let form = self.form;
        let is_manifest = form.method.with_untracked(|method| form::carries_objects(method))
            && form.body.with_untracked(|body| split::is_several(body));
        if is_manifest {
            self.with_more(Box::new(move |more| (more.apply)(self, dry)));
        }
        is_manifest
    }

    /// Turns what stands in the field for the path into the request that it is, if it is a line of curl or kubectl, or a URL;
    /// and a query into parameters.
    pub(crate) fn gather(self) {
        self.gathers(false);
    }

    /// As [`Self::gather`], and returns whether there is such a line: it is read by code that few people need. With `send` it is sent
    /// then.
    fn gathers(self, send: bool) -> bool {
        let is_line = self.form.path.with_untracked(|path| {
            let line = path.trim_start();
            !path.starts_with('/')
                && ["$ ", "curl", "kubectl", "http"].iter().any(|begin| line.starts_with(begin))
        });
        if is_line {
            self.with_more(Box::new(move |more| (more.pasted)(self, send)));
        } else {
            self.form.gather();
        }
        is_line
    }

    /// Sends `request` and shows its answer.
    pub(crate) fn resend(self, request: Request) {
        let request = self.signed(request);
        spawn_local(async move {
            self.exchange(request, Origin::User, true).await;
        });
    }

    /// Puts `request` into the form and sends it.
    pub(crate) fn fill_and_send(self, request: &Request) {
        self.form.fill(request);
        self.resend(request.clone());
    }

    /// Sends the requests of a preset; the last one stays in the form, its answer is shown. One that is to be read first is
    /// not sent, and what gives somebody a role is sent in one's own name, and leaves the form alone.
    pub(crate) fn play(self, preset: &'static Preset) {
        if preset.first {
            self.play_steps(preset, preset.steps);
        } else {
            self.with_more(Box::new(move |more| self.play_steps(preset, (more.late_steps)(preset))));
        }
    }

    fn play_steps(self, preset: &'static Preset, steps: &'static [Step]) {
        spawn_local(async move {
            let n = self.update(|model| {
                model.count += 1;
                model.count
            });
            let mut answers = Answers::new();
            for (number, step) in steps.iter().enumerate() {
                let last = number + 1 == steps.len();
                let Some(request) = step.request(&answers, n.unwrap_or_default()) else { return };
                let gives = !preset.user.is_empty();
                let request = if gives { request } else { self.signed(request) };
                if last && preset.read {
                    self.open_request(&request);
                    return;
                }
                if last && !gives {
                    self.form.fill(&request);
                }
                // A step that fails where it must not is shown instead of the point.
                let Some(id) = self.exchange(request.clone(), Origin::User, last).await else { return };
                let Some((code, answer)) = self.settled(id) else { return };
                if !last && code >= 300 && !step.may.contains(&code) {
                    self.form.fill(&request);
                    self.show(Shown::Exchange(id, false));
                    return;
                }
                answers.push((step.id, answer));
            }
        });
    }

    /// The status code and the JSON of an exchange that has been answered.
    pub(crate) fn settled(self, id: u64) -> Option<(u16, json_tree::Value)> {
        self.model.with_value(|model| match &model.trace.get(id)?.outcome {
            Outcome::Answered(reply) => {
                let body = reply.body.as_ref().and_then(|body| serde_json::from_slice(body).ok());
                Some((reply.status, body.unwrap_or_default()))
            }
            _ => None,
        })
    }

    /// Gives the room that request and answer share to the one of them that somebody has turned to. On a page that shows one
    /// pane at a time it is that pane anyway.
    pub(crate) fn turn_to(self, pane: Pane) {
        let (now, view) = (self.pane.get_untracked(), self.view.get_untracked());
        // A button in it may have led elsewhere.
        if now != pane && matches!(now, Pane::Request | Pane::Answer) && view.shows(pane) {
            self.pane.set(pane);
        }
    }

    /// Shows something in the answer pane.
    pub(crate) fn show(self, shown: Shown) {
        self.shown.set(shown);
    }

    /// Sends a request and waits for its answer; gives the number of the exchange, or `None` if nothing answered. (Boxed, for
    /// whoever waited for it would have a copy of it.)
    pub(crate) fn exchange(
        self,
        request: Request,
        origin: Origin,
        show: bool,
    ) -> LocalBoxFuture<'static, Option<u64>> {
        Box::pin(self.exchanged(request, origin, show))
    }

    async fn exchanged(self, request: Request, origin: Origin, show: bool) -> Option<u64> {
        let mut request = tidy(request);
        let encoded = self.embedded().encoded(&request).await;
        request.encoded = encoded.as_ref().ok().cloned().flatten();
        let which = self.cluster.get_untracked();
        let begun = dom::monotonic();
        let id = self.update(|model| model.trace.sent(which, origin, request.clone(), begun))?;
        if origin == Origin::User {
            self.unkept.set(None);
            // The past cannot be changed, nor watched.
            if request.method != "GET" || request.watches() {
                self.at.set(None);
            }
        }
        if show {
            self.show(Shown::Exchange(id, true));
            if origin == Origin::User && self.pane.get_untracked() != Pane::Timeline {
                self.pane.set(if request.watches() { Pane::Watches } else { Pane::Answer });
            }
            if request.watches() {
                self.lab.aside.set(lab::WATCHES);
            }
        }
        let fault = (origin == Origin::User).then(|| self.arm(which, &request)).flatten();
        let answer = match encoded {
            Ok(_) => {
                let (sent, handle) = abortable(self.transport(which).send(request.clone()));
                self.quietly(|model| model.waiting.insert(id, handle));
                let answer = sent.await.unwrap_or_else(|_| Err(messages::CANCELLED.to_owned()));
                self.quietly(|model| model.waiting.remove(&id));
                answer
            }
            Err(why) => Err(why),
        };
        let took = dom::monotonic() - begun;
        if let Some(server) = fault {
            self.disarm(server).await;
        }
        let answered = answer.is_ok();
        let revision = answer.as_ref().ok().and_then(|answer| answer.revision);
        let outcome = match answer {
            Ok(answer) => {
                let reply = self.take_in(which, id, &request, answer, took, None).await;
                if origin == Origin::User {
                    self.say(&messages::answered(reply.status, status::words(reply.status)));
                }
                Outcome::Answered(reply)
            }
            Err(why) => {
                self.say(messages::NO_ANSWER);
                Outcome::Failed(why)
            }
        };
        self.settle(id, outcome, revision);
        if self.shown.get_untracked() == Shown::Exchange(id, true) {
            self.show(Shown::Exchange(id, false));
        }
        if origin == Origin::User {
            history::remember(self);
        }
        answered.then_some(id)
    }

    /// Takes in the response to the request of an exchange: notes its body, or follows its stream. `again` is the watch that was
    /// opened anew; `None` makes a new one.
    pub(super) async fn take_in(
        self,
        which: Which,
        exchange: u64,
        request: &Request,
        answer: Answer,
        took: f64,
        again: Option<u64>,
    ) -> Reply {
        let content_type = answer.header("Content-Type").unwrap_or_default().to_owned();
        let Answer { status, headers, body, served, .. } = answer;
        let mut decoded = None;
        let (body, size, watch) = match body {
            Body::Bytes(bytes) => {
                self.note(which, request, status, &bytes);
                decoded = self.embedded().decoded(&content_type, &bytes).await;
                self.read_body(exchange, request, status).await;
                self.note_decided(which, exchange, request, status, served.as_deref(), &bytes);
                (Some(bytes.clone()), bytes.len(), None)
            }
            Body::Stream(stream) if content_type == "text/plain" => {
                self.with_more(Box::new(move |more| (more.grow)(self, exchange, stream)));
                (Some(::bytes::Bytes::new()), 0, None)
            }
            Body::Stream(stream) => {
                let watch = self.opened(which, request, served.as_deref(), again);
                if let Some(watch) = watch {
                    self.follow(watch, self.readable(&content_type, stream));
                }
                (None, 0, watch)
            }
        };
        Reply { status, headers, body, decoded, size, took, watch, served }
    }

    /// Waits no longer for the response of an exchange.
    pub(crate) fn cancel(self, exchange: u64) {
        self.quietly(|model| model.waiting.get(&exchange).map(AbortHandle::abort));
    }

    /// Sends a request of a script, as it is.
    pub(crate) fn pass(self, request: Request) -> LocalBoxFuture<'static, Result<Answer, String>> {
        let which = Which::ThisTab;
        Traced { page: self, which, origin: Origin::Other, to: self.transport(which) }.send(request)
    }

    /// Notes what became of an exchange. `head` is the newest revision of the store then, where the cluster tells.
    pub(super) fn settle(self, id: u64, outcome: Outcome, head: Option<u64>) {
        self.update(|model| model.trace.settled(id, outcome, head));
    }

    /// Reads the body of a request that has failed as JSON, if it was typed as YAML: what explains the failure looks there.
    async fn read_body(self, id: u64, request: &Request, status: u16) {
        let content_type = request.header("Content-Type").unwrap_or_default();
        if status < 400 || request.body.is_empty() || !content_type.contains("yaml") {
            return;
        }
        let json = self.embedded().to_json("application/yaml", request.body.clone().into()).await.ok();
        self.quietly(|model| model.trace.read_body(id, json));
    }

    /// Reads a stream as lines of JSON, if it is in a media type that is no text.
    fn readable(self, content_type: &str, stream: Stream) -> Stream {
        if !documents::is_binary(content_type) {
            return stream;
        }
        self.embedded().events_to_json(content_type.to_owned(), stream)
    }

    /// Takes note of what a cluster tells of who may do what and of what it serves.
    fn note_decided(
        self,
        which: Which,
        id: u64,
        request: &Request,
        status: u16,
        served: Option<&RequestRecord>,
        body: &[u8],
    ) {
        if which == Which::ThisTab {
            let decided = served.and_then(|served| served.access.as_ref()).map(Decided::of);
            self.quietly(|model| model.trace.decided(id, decided.map(Arc::new)));
            return;
        }
        if let Some(told) = self.told(request, status, body) {
            self.quietly(|model| model.trace.decided(id, Some(told)));
        }
        if request.method != "GET" && request.target.starts_with(DEFINITIONS_PATH) {
            self.explore.written.update(|count| *count += 1);
        }
    }

    /// Takes note of the objects that a list names.
    fn note(self, which: Which, request: &Request, status: u16, body: &[u8]) {
        if request.method != "GET" || status != 200 || body.len() > LARGEST_LIST {
            return;
        }
        let path = target::split(&request.target).0;
        if let Some((group, resource)) = catalog::of_path(&path) {
            let objects = named(body, group, resource);
            self.update(|model| model.glass_mut(which).history_mut().listed(objects));
        }
    }

    /// Says something to who does not see the page.
    pub(crate) fn say(self, what: &str) {
        let _ = self.said.try_set(what.to_owned());
    }

    /// Forgets what is older than `revision`, in the store and in the API server's watch caches.
    ///
    /// A real cluster forgets in two places that know nothing of each other: the store by age, every five minutes, which
    /// is when lists at an older version are answered 410; and each watch cache by count, when newer events need the
    /// room in its window, which is when watches from an older version are. Here both happen at once, so that the
    /// hatched ground of the timeline means the same to either.
    pub(crate) fn compact(self, revision: u64) {
        self.command(Command::Compact { revision });
        self.command(Command::Forget { server: 0, revision });
        self.say(&messages::compacted(revision));
    }

    /// Does something to the cluster of this tab.
    pub(crate) fn command(self, command: Command) {
        let done = self.embedded().command(command);
        spawn_local(async move {
            // What cannot be done leaves the cluster as it is, and an engine that has stopped says so itself.
            let _ = done.await;
        });
    }

    /// Turns the keys that need no Ctrl on or off.
    pub(crate) fn set_single_keys(self, on: bool) {
        self.single_keys.set(on);
        dom::remember(SINGLE_KEYS, if on { "on" } else { "off" });
    }
}
