//! The audit of one request.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use apimachinery::Attributes;
use bytes::Bytes;
use json_tree::{Map, Value};

use super::event::{Event, ObjectReference};
use super::json::{compacted, without_managed_fields};
use super::long_running::{self, is_long_running};
use super::policy::{Stage, Verdict};
use super::{Auditor, source};
use crate::audit_context::{AuditContext, Head, Level, Responded};
use crate::kubelet::Chunks;
use crate::present;
use crate::resource::Resource;
use crate::upgrade::Upgrade;
use apimachinery::User;
use apimachinery::object::{Object, metadata_text};

/// The annotation of requests for what is deprecated.
const DEPRECATED: &str = "k8s.io/deprecated";
/// The kind of a Status in its JSON, and the bytes within which it stands, even where people are to read it.
const STATUS: &[u8] = b"\"Status\"";
const STATUS_WITHIN: usize = 32;
/// The message of an event whose request has ended without a response.
const CLOSED: &str = "Connection closed early";
/// The version in which kube-apiserver logs the options of a deletion, whichever they were sent in.
const OPTIONS: &str = "meta.k8s.io/__internal";
/// The message of one whose connection is broken, in the words of a program in Go that breaks one.
const PANIC: &str = "APIServer panic'd: net/http: abort Handler";

/// A request, and its event as far as it is known.
pub(super) struct RequestAudit {
    auditor: Arc<Auditor>,
    /// The ways in which its sender may have tried in vain to prove who it is, as a sentence.
    attempts: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    event: Event,
    /// The treatment by the policy, once that has been asked.
    verdict: Option<Verdict>,
    is_long_running: bool,
    /// True if what is asked for is deprecated. That is told at the end.
    is_deprecated: bool,
    /// True if nobody is known to have sent it.
    has_failed: bool,
    /// True if what was sent is noted. What the server does because of that, such as deleting what is evicted, is not.
    has_request: bool,
    /// True if its last event was logged.
    is_over: bool,
}

impl RequestAudit {
    /// Begins the audit of a request.
    pub(super) fn new(auditor: Arc<Auditor>, head: Head<'_>, id: &str) -> Self {
        let uri = head.uri.path_and_query().map_or("/", |path| path.as_str());
        let event = Event {
            id: id.to_owned(),
            uri: uri.to_owned(),
            user: Map::new().into(),
            source_ips: source::addresses(head),
            user_agent: source::user_agent(head),
            received: auditor.clock.now(),
            ..Event::default()
        };
        let state = State { event, ..State::default() };
        Self { auditor, attempts: source::attempts(head), state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the event, if it is logged at all.
    fn logged(&self) -> Option<MutexGuard<'_, State>> {
        Some(self.state()).filter(|state| state.event.level > Level::None)
    }

    /// Asks the policy, and notes what is asked for.
    fn begin(&self, user: Option<&User>, attributes: &Attributes) -> MutexGuard<'_, State> {
        let verdict = self.auditor.policy.evaluate(user, attributes);
        self.auditor.counts.count_level(verdict.level.name());
        let mut state = self.state();
        state.event.level = verdict.level;
        state.event.verb.clone_from(&attributes.verb);
        state.event.object = attributes.is_resource.then(|| reference(attributes));
        if let Some(user) = user {
            state.event.user = user.info();
        }
        state.is_long_running = is_long_running(attributes);
        state.verdict = Some(verdict);
        state
    }

    /// Notes an object that was sent.
    fn sent(&self, reference: impl FnOnce(&mut ObjectReference), json: impl FnOnce() -> Vec<u8>) {
        let Some(mut state) = self.logged().filter(|state| !state.has_request) else { return };
        state.has_request = true;
        reference(state.event.object.get_or_insert_default());
        if state.event.level >= Level::Request {
            let json = state.shown(&json());
            state.event.request = Some(json);
        }
    }
}

impl State {
    /// Logs the event at a stage, unless that is left out. Reports whether that was possible.
    fn log(&self, auditor: &Auditor, stage: Stage) -> bool {
        match &self.verdict {
            Some(verdict) if verdict.level > Level::None && !verdict.omitted.contains(&stage) => {
                auditor.log(&self.event, stage)
            }
            _ => true,
        }
    }

    /// Returns an object as it is logged.
    fn shown(&self, json: &[u8]) -> Vec<u8> {
        match &self.verdict {
            Some(verdict) if verdict.omits_managed_fields => without_managed_fields(json),
            _ => json.to_vec(),
        }
    }

    /// Notes an object that is sent back.
    fn answered(&mut self, json: &[u8]) {
        if self.event.level > Level::None
            && json.starts_with(br#"{"kind":"Status","apiVersion":"v1","#)
            && let Ok(Value::Object(status)) = serde_json::from_slice(json)
        {
            self.event.status = Some(status);
        }
        if self.event.level >= Level::RequestResponse {
            self.event.response = Some(self.shown(json));
        }
    }

    fn set_status(&mut self, members: &[(&str, Value)]) {
        let members = members.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        self.event.status = Some(members.collect());
    }

    /// Logs the last event, of a request that has failed.
    fn panic(&mut self, auditor: &Auditor) {
        let (reason, code) = ("InternalError".into(), 500.into());
        self.set_status(&[
            ("status", "Failure".into()),
            ("message", PANIC.into()),
            ("reason", reason),
            ("code", code),
        ]);
        self.end(auditor, Stage::Panic);
    }

    /// Logs the last event.
    fn end(&mut self, auditor: &Auditor, stage: Stage) {
        if !mem::replace(&mut self.is_over, true) {
            if self.is_deprecated {
                self.event.annotations.insert(DEPRECATED.to_owned(), "true".to_owned());
            }
            self.log(auditor, stage);
        }
    }
}

/// Reports whether an object may be a Status, which stands at its beginning.
fn is_status(json: &[u8]) -> bool {
    json[..json.len().min(STATUS_WITHIN)].windows(STATUS.len()).any(|text| text == STATUS)
}

/// Returns what a request is about, as far as its path says it.
fn reference(attributes: &Attributes) -> ObjectReference {
    let path = attributes.path.trim_matches('/');
    let version = path.split('/').nth(if path.starts_with("apis/") { 2 } else { 1 });
    ObjectReference {
        resource: attributes.resource.clone(),
        namespace: attributes.namespace.clone(),
        name: attributes.name.clone(),
        group: attributes.group.clone(),
        version: version.unwrap_or_default().to_owned(),
        subresource: attributes.subresource.clone(),
        ..ObjectReference::default()
    }
}

impl AuditContext for RequestAudit {
    fn authenticated(&self, user: &User, attributes: &Attributes) -> bool {
        let is_logged = self.begin(Some(user), attributes).log(&self.auditor, Stage::RequestReceived);
        let goes_on = is_logged || !self.auditor.format.strict;
        if !goes_on {
            self.auditor.counts.count_rejected();
            // Nothing more is told of it.
            self.state().is_over = true;
        }
        goes_on
    }

    fn failed(&self, attributes: &Attributes) {
        let mut state = self.begin(None, attributes);
        state.has_failed = true;
        state.set_status(&[("message", self.attempts.clone().into())]);
    }

    fn has_begun(&self) -> bool {
        self.state().verdict.is_some()
    }

    fn impersonated(&self, user: &User, mode: &str) {
        let Some(mut state) = self.logged() else { return };
        state.event.impersonated_user = Some(user.info());
        if !mode.is_empty() {
            state.event.constraint = ["impersonate:", mode].concat();
        }
    }

    fn requested(&self, resource: &Resource, object: &Object) {
        let text = |key: &str| metadata_text(object, key).to_owned();
        let refer = |reference: &mut ObjectReference| {
            for (own, key) in [
                (&mut reference.namespace, "namespace"),
                (&mut reference.name, "name"),
                (&mut reference.uid, "uid"),
                (&mut reference.resource_version, "resourceVersion"),
            ] {
                if own.is_empty() {
                    *own = text(key);
                }
            }
        };
        self.sent(refer, || {
            let json = codec::json::to_vec(&Value::Object(object.clone()));
            let json = codec::json::plain(&json).into_owned();
            match resource.is_custom() {
                true => json,
                false => present::typed(&resource.kind, &resource.api_version(), &json),
            }
        });
    }

    fn requested_deletion(&self, options: &Value) {
        self.sent(|_| {}, || present::typed("DeleteOptions", OPTIONS, &codec::json::to_vec(options)));
    }

    fn requested_patch(&self, patch: &Bytes) {
        let Some(mut state) = self.logged().filter(|state| !state.has_request) else { return };
        state.has_request = true;
        if state.event.level >= Level::Request {
            state.event.request = Some(patch.to_vec());
        }
    }

    fn wants(&self, level: Level) -> bool {
        let level = level.max(Level::Metadata);
        self.state().event.level >= level
    }

    fn annotate(&self, key: &str, value: &str) {
        let Some(mut state) = self.logged() else { return };
        state.event.annotations.entry(key.to_owned()).or_insert_with(|| value.to_owned());
    }

    fn deprecated(&self) {
        self.state().is_deprecated = true;
    }

    fn responded(&self, code: u16, body: Responded<'_>) {
        let mut state = self.state();
        match body {
            Responded::Cut => return state.panic(&self.auditor),
            Responded::Object(json) if state.event.level >= Level::RequestResponse || is_status(json) => {
                state.answered(&compacted(json));
            }
            Responded::Object(_) | Responded::Other => {}
        }
        state.event.status.get_or_insert_default().insert("code".to_owned(), code.into());
        // Of a request that nobody is known to have sent, only the response is told.
        if state.has_failed {
            return state.end(&self.auditor, Stage::ResponseStarted);
        }
        if state.is_long_running {
            state.log(&self.auditor, Stage::ResponseStarted);
        }
    }

    fn follow(self: Box<Self>, chunks: Chunks) -> Chunks {
        long_running::follow(self, chunks)
    }

    fn follow_connection(self: Box<Self>, upgrade: Upgrade) -> Upgrade {
        long_running::follow_connection(self, upgrade)
    }
}

impl Drop for RequestAudit {
    fn drop(&mut self) {
        let auditor = Arc::clone(&self.auditor);
        let mut state = self.state();
        if state.is_over || state.verdict.is_none() {
            return;
        }
        if std::thread::panicking() {
            return state.panic(&auditor);
        }
        if state.event.status.is_none() {
            state.set_status(&[
                ("status", "Success".into()),
                ("message", CLOSED.into()),
                ("code", 200.into()),
            ]);
            if state.is_long_running {
                state.log(&auditor, Stage::ResponseStarted);
            }
        }
        state.end(&auditor, Stage::ResponseComplete);
    }
}
