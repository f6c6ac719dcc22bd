//! Asking what a request would do, without doing it.

use ::bytes::Bytes;
use apimachinery::target;
use json_tree::Value;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::message::Mode;

use crate::cluster::answer::{Told, told};
use crate::cluster::place::Place;
use crate::cluster::{Request, Which, status};
use crate::model::change::ahead::{self, Ahead};
use crate::model::change::trial::{Trial, dry};
use crate::model::messages::change as words;
use crate::model::panes::Pane;
use crate::state::{Page, Shown, tidy};
use crate::ui::{dom, messages};

impl Page {
    /// Shows what the request that has been composed would do.
    pub(crate) fn try_it(self) {
        self.gather();
        if !self.applies(true) {
            self.try_request(self.form.request());
        }
    }

    /// Shows what `request` would do.
    pub(crate) fn try_request(self, request: Request) {
        let request = tidy(self.signed(request));
        if request.method == "GET" {
            self.say(words::NOT_TO_TRY);
            return;
        }
        let which = self.cluster.get_untracked();
        spawn_local(async move {
            let before = self.object_of(which, &request).await.unwrap_or_default();
            let (code, headers, body) = match dry(&request) {
                Some(dry) => {
                    let told = self.quietly_send(which, dry).await;
                    told.unwrap_or_else(|why| (0, Vec::new(), why.into()))
                }
                None => (0, Vec::new(), Bytes::from_static(words::NOT_DRY.as_bytes())),
            };
            self.change.trial.set(Some(Trial::new((which, request), before, (code, headers, &body))));
            self.show(Shown::Trial);
            if self.pane.get_untracked() != Pane::Timeline {
                self.pane.set(Pane::Answer);
            }
            self.say(&[words::TRIAL, ": ", &messages::answered(code, status::words(code))].concat());
        });
    }

    /// The object that a request is about, as it is now. Nobody is told that it was read.
    pub(crate) async fn object_of(self, which: Which, request: &Request) -> Option<Value> {
        let path = target::split(&request.target).0;
        let place = Place::of(&path).filter(|place| !place.name.is_empty())?;
        // What has no GET of its own is a part of the object.
        let own = self.peek(which, Request::get(&path)).await;
        match own {
            None if !place.subresource.is_empty() => {
                self.peek(which, Request::get(&place.object(place.name))).await
            }
            own => own,
        }
    }

    /// Sends what changes nothing, and leaves no trace of it in this page.
    pub(crate) async fn quietly_send(self, which: Which, mut request: Request) -> Result<Told, String> {
        let embedded = self.embedded();
        request.encoded = embedded.encoded(&request).await?;
        let answer = if which == Which::ThisTab && request.method != "DELETE" {
            embedded.ask(Mode::DryRun, &request).await.map_err(|error| error.to_string())?
        } else {
            self.transport(which).send(request).await?
        };
        told(answer).await
    }

    /// Finds out what applying the body at hand would run into. Only in the cluster of this page: another one is asked
    /// when somebody wants to know.
    pub(crate) fn look_ahead(self) {
        let turn = StoredValue::new(0_u64);
        on_cleanup(move || {
            // The page may be gone by then.
            let _ = self.change.ahead.try_set(Ahead::default());
        });
        Effect::new(move || {
            let form = self.form;
            let request = form.watched();
            self.overview.with(|overview| overview.revision);
            let here = self.cluster.get() == Which::ThisTab;
            let question = ahead::question(&request).filter(|_| here);
            let own = turn.try_update_value(|turn| {
                *turn += 1;
                *turn
            });
            let Some(question) = question else {
                self.foresee(Ahead::default());
                return;
            };
            spawn_local(async move {
                dom::sleep(PAUSE).await;
                if turn.try_get_value() != own || own.is_none() {
                    return;
                }
                let told = self.quietly_send(Which::ThisTab, question).await;
                let failure = told.ok().and_then(|(_, _, body)| status::failure(&body));
                if turn.try_get_value() == own {
                    self.foresee(ahead::of(&request, failure.as_ref()));
                }
            });
        });
    }

    fn foresee(self, ahead: Ahead) {
        if self.change.ahead.with_untracked(|known| *known != ahead) {
            self.change.ahead.set(ahead);
        }
    }
}

/// How long nothing is written before it is tried, in milliseconds.
const PAUSE: i32 = 250;
