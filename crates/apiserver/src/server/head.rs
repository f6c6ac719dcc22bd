//! Decisions on a request whose body has not been read.

use std::sync::Arc;

use http::request::Parts;
use http::{Method, Response};

use super::audit::{Asked, follow};
use super::path_and_query;
use crate::answer::Answer;
use crate::auth::Sender;
use crate::context::ApiServer;
use crate::notes::Notes;
use crate::resources::Resources;
use crate::route::Route;
use crate::{Body, auth, handlers, negotiate, rbac};
use apimachinery::Attributes;
use apimachinery::query::Query;
use apimachinery::status::{Status, Subject};

/// Why whoever carries requests does not pass one on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// 400: it is wrong, for this reason.
    BadRequest(String),
    /// 404: nothing is served at its path.
    PathNotFound,
    /// 405: its method is not served at its path.
    MethodNotAllowed,
    /// 413: its body is larger than this limit.
    TooLarge(usize),
    /// 403: it may not come from where it does, for this reason.
    Forbidden(String),
    /// 415: it does not say what its body is.
    NoMediaType,
    /// 429: there are too many others.
    TooMany,
    /// 500: its body cannot be read, for this reason.
    Body(String),
    /// 504: it has taken longer than any may.
    Timeout,
}

impl ApiServer {
    /// Reports whether the response to a request depends on its body. It does not where nobody is let in, where nothing
    /// is served, and for reads: the body of such a request need not be sent.
    pub fn reads_body(&self, head: &Parts) -> bool {
        let Some((path, attributes)) = written_to(head) else { return false };
        if auth::admit(
            &self.shared,
            Sender::new(&head.headers, &head.extensions),
            &attributes,
            &Notes::default(),
        )
        .is_err()
            && !auth::may_be_recognized(&self.shared, &head.headers)
        {
            return false;
        }
        self.is_served(head, path, &self.shared.resources())
    }

    /// Reports the same, if that takes neither long nor the lock: everybody is let in, and nobody has the storage just now.
    pub fn reads_body_at_once(&self, head: &Parts) -> Option<bool> {
        let Some((path, _)) = written_to(head) else { return Some(false) };
        if !auth::lets_everybody_in(&self.shared, &head.headers) {
            return None;
        }
        let resources = Arc::clone(&self.shared.storage.try_lock().ok()?.resources);
        Some(self.is_served(head, path, &resources))
    }

    /// Reports whether something is served at a path that the request may be for.
    fn is_served(&self, head: &Parts, path: &str, resources: &Resources) -> bool {
        let aggregator = self.shared.aggregator.get();
        if aggregator.is_some_and(|aggregator| aggregator.find(resources, path).is_some()) {
            return true;
        }
        match Route::of(path, resources) {
            Route::Resource(target) => {
                let formats = self.shared.config.formats.media_types;
                handlers::find_verb(&head.method, &target, formats, &head.headers).is_ok()
            }
            _ => false,
        }
    }

    /// Lets in only whoever may do everything (the group `system:masters`), or returns the response that says that they may not.
    ///
    /// # Errors
    /// The response: 401 or 403.
    pub fn admit_master(&self, head: &Parts) -> Result<(), Box<Response<Body>>> {
        let uri = path_and_query(&head.uri);
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let query = Query::parse(query);
        let refused = |status: Box<Status>| {
            let output =
                negotiate::failure(self.shared.config.formats.media_types, &head.headers, &query, false);
            Box::new(Answer::failure(&status, output).into_response())
        };
        let attributes = Attributes::of(&head.method, path, &query).unwrap_or_default();
        let user =
            auth::authenticate(&self.shared, Sender::new(&head.headers, &head.extensions), &attributes, None)
                .map_err(refused)?;
        if rbac::is_master(&user) {
            return Ok(());
        }
        Err(refused(Status::forbidden_access(&user.name, &attributes, "only for system:masters")))
    }

    /// Returns the response to a request that is not passed on.
    pub fn refuse(&self, head: &Parts, refusal: Refusal) -> Response<Body> {
        let is_timeout = refusal == Refusal::Timeout;
        let status = match refusal {
            Refusal::TooMany => {
                return self.refused(Answer::too_many_requests(1), head, true);
            }
            Refusal::BadRequest(why) => Status::bad_request(why),
            Refusal::PathNotFound => Status::path_not_found(),
            Refusal::MethodNotAllowed => Status::method_not_allowed(),
            Refusal::TooLarge(limit) => Status::too_large(limit),
            Refusal::Forbidden(why) => Status::forbidden(Subject { group: "", resource: "", name: "" }, &why),
            Refusal::NoMediaType => Status::unsupported_media_type(&self.media_types()),
            Refusal::Body(why) => Status::unclassified(why),
            Refusal::Timeout => Status::timeout(),
        };
        let query = Query::parse(head.uri.query().unwrap_or_default());
        let output = negotiate::failure(self.shared.config.formats.media_types, &head.headers, &query, false);
        // One that has taken too long is audited already, and goes on.
        self.refused(Answer::failure(&status, output), head, !is_timeout)
    }

    fn refused(&self, answer: Answer, head: &Parts, is_audited: bool) -> Response<Body> {
        let (asked, mut notes) = (Asked::of_head(head), Notes::default());
        if let Some(instruments) = self.shared.instruments.get() {
            instruments.identify(&self.shared, &head.headers, &notes);
        }
        if is_audited {
            self.begin_audit(&asked, &notes);
        }
        let audit = self.end_audit(&asked, &answer, &mut notes);
        let mut response = answer.into_response();
        self.tell(&mut response, &head.headers, &notes);
        if let Some(audit) = audit {
            follow(audit, &mut response);
        }
        response
    }

    fn media_types(&self) -> String {
        let names: Vec<&str> =
            self.shared.config.formats.media_types.all.iter().map(|format| format.name).collect();
        names.join(", ")
    }
}

/// Returns the path of a request and the attributes of what it may do, unless it reads or is none that is known.
fn written_to(head: &Parts) -> Option<(&str, Attributes)> {
    if [Method::GET, Method::HEAD].contains(&head.method) {
        return None;
    }
    let uri = path_and_query(&head.uri);
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    Some((path, Attributes::of(&head.method, path, &Query::parse(query))?))
}
