//! Access decisions: who may do what, and by which rule.

use bytes::Bytes;
use http::Request;

use super::{Access, Inspect};
use crate::auth::{self, Sender};
use crate::server::path_and_query;
use apimachinery::query::Query;
use apimachinery::{Attributes, User};

impl Inspect {
    /// Returns the current authorization decision on a request by `user`, and by which rule. Nothing is changed or
    /// noted by asking.
    pub fn decision(&self, user: &User, asked: &Attributes) -> Access {
        let rules = self.shared().storage().rules();
        auth::decision(self.shared(), &rules, user, asked).access()
    }

    /// Returns the attributes that authorization decides a request by; `None` if its path ends where a resource would
    /// have to follow. Whether there is such a resource is not asked.
    pub fn attributes(&self, request: &Request<Bytes>) -> Option<Attributes> {
        let uri = path_and_query(request.uri());
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        Attributes::of(request.method(), path, &Query::parse(query))
    }

    /// Returns in whose name a request is sent: its sender's, or whom its sender impersonates; `None` if the sender is not
    /// known, or may not. Nothing is changed or noted by asking.
    pub fn user(&self, request: &Request<Bytes>) -> Option<User> {
        let asked = self.attributes(request)?;
        let sender = Sender::new(request.headers(), request.extensions()).looking(true);
        auth::authenticate(self.shared(), sender, &asked, None).ok()
    }
}
