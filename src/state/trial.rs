//! Asking what a request would do, without doing it.

use ::bytes::Bytes;
use futures::StreamExt;
use json_tree::Value;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Page, Shown, tidy};
use crate::change::ahead::{self, Ahead};
use crate::change::trial::{Trial, dry};
use crate::cluster::embedded::USER_AGENT;
use crate::cluster::place::Place;
use crate::cluster::{Body, Request, Which, media};
use crate::request::target;
use crate::response::status;
use crate::ui::messages::change as words;
use crate::ui::panes::Pane;
use crate::ui::{dom, messages};

/// A status code, headers and a body.
pub(crate) type Told = (u16, Vec<(String, String)>, Bytes);

impl Page {
    /// Shows what the request that has been composed would do.
    pub(crate) fn try_it(self) {
        self.form.gather();
        self.try_request(self.form.request());
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
            let ready = match which {
                Which::ThisTab if media::validated(&request) => media::load().await,
                _ => Ok(()),
            };
            let (code, headers, body) = match dry(&request) {
                Some(dry) => {
                    let told = match ready {
                        Ok(()) => self.quietly_send(which, dry).await,
                        Err(why) => Err(why),
                    };
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

    /// What is read, without anybody being told.
    pub(super) async fn peek(self, which: Which, request: Request) -> Option<Value> {
        let (code, _, body) = match which {
            Which::ThisTab => {
                let inspect = self.inspect();
                let head = inspect.overview().revision;
                told(inspect.read_at(&http_request(&request)?, head))?
            }
            Which::Remote => self.quietly_send(which, request).await.ok()?,
        };
        (code == 200).then(|| serde_json::from_slice(&body).ok())?
    }

    /// Sends what changes nothing, and leaves no trace of it in this page.
    pub(super) async fn quietly_send(self, which: Which, mut request: Request) -> Result<Told, String> {
        if media::needed(&request) {
            media::load().await?;
        }
        request.encoded = media::encoded(&request).await?;
        if which == Which::ThisTab && request.method != "DELETE" {
            let answer = http_request(&request).and_then(|request| told(self.inspect().try_out(&request)));
            return answer.ok_or_else(|| words::NOT_DRY.to_owned());
        }
        let answer = self.transport(which).send(request).await?;
        let body = match answer.body {
            Body::Bytes(bytes) => bytes,
            Body::Stream(mut stream) => stream.next().await.unwrap_or(Ok(Bytes::new()))?,
        };
        Ok((answer.status, answer.headers, body))
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

pub(crate) fn http_request(request: &Request) -> Option<http::Request<Bytes>> {
    let mut builder = http::Request::builder().method(request.method.as_str()).uri(request.target.as_str());
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    builder.header(http::header::USER_AGENT, USER_AGENT).body(request.bytes()).ok()
}

pub(crate) fn told(answer: http::Response<apiserver::Body>) -> Option<Told> {
    let (parts, body) = answer.into_parts();
    let header = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = parts.headers.iter().map(|(name, value)| (name.to_string(), header(value))).collect();
    match body {
        apiserver::Body::Bytes(body) => Some((parts.status.as_u16(), headers, body)),
        _ => None,
    }
}
