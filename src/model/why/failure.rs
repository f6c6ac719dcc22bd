//! A failure, and what the page knows that has to do with it.

use apimachinery::ContinueToken;
use apimachinery::target;
use glass::Glass;
use json_tree::Value;

use crate::cluster::place::Place;
use crate::cluster::status::Status;
use crate::cluster::{Request, Which, catalog, head};

/// A failure.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Failure {
    /// The cluster that the request went to.
    pub(crate) cluster: Which,
    /// The request.
    pub(crate) request: Request,
    /// The status in the response. Its code is 0 if there was no response, and 200 for a deletion that has not
    /// finished.
    pub(crate) status: Status,
    /// True if the failure came as an event of a watch.
    pub(crate) event: bool,
    /// True if the request was only tried.
    pub(crate) trial: bool,
    /// The cluster's newest revision; 0 if nobody knows.
    pub(crate) head: u64,
    /// The revision up to which it has been compacted; 0 if nobody knows.
    pub(crate) floor: u64,
    /// The version of the object now, if there is one.
    pub(crate) object: Option<u64>,
    /// The revision at which the object was deleted, if it was.
    pub(crate) gone: Option<u64>,
    /// The revision after `head` at which the object came into being, if the page shows the past.
    pub(crate) born: Option<u64>,
    /// The object at the version that the body was made from, without its kind.
    pub(crate) base: Option<Value>,
}

impl Failure {
    /// A failure of `request`, and nothing known besides.
    pub(crate) fn new(cluster: Which, request: Request, status: Status) -> Self {
        Self { cluster, request, status, ..Self::default() }
    }

    /// Notes where the cluster and the object stand.
    pub(crate) fn look(&mut self, glass: &Glass) {
        (self.head, self.floor) = (glass.revision(), glass.compact_revision());
        let path = self.path();
        let name = self.name();
        let stored = catalog::stored(&path).filter(|_| !name.is_empty());
        if self.status.code == 409 && self.request.method == "PUT" {
            self.base = stored.as_ref().zip(self.asked()).and_then(|((resource, namespace), asked)| {
                let object = glass.versions().object_at(resource, namespace, &name, asked)?;
                serde_json::from_slice(&object.json).ok()
            });
        }
        let found = stored.and_then(|(resource, namespace)| {
            let object = glass.versions().object_at(&resource, &namespace, &name, self.head)?;
            head::head(&object.json)?.metadata.version.parse().ok()
        });
        self.object = found;
    }

    /// The path, without the query.
    pub(crate) fn path(&self) -> String {
        target::split(&self.request.target).0
    }

    /// A query parameter; empty if it is missing.
    pub(crate) fn param(&self, name: &str) -> String {
        let params = target::split(&self.request.target).1;
        params.into_iter().find(|(known, _)| known == name).map(|(_, value)| value).unwrap_or_default()
    }

    /// The body, if it is JSON, or was read as JSON when it was sent.
    pub(crate) fn body(&self) -> Option<Value> {
        let json = serde_json::from_str(&self.request.body).ok();
        let json = json.or_else(|| serde_json::from_slice(self.request.json.as_ref()?).ok());
        json.filter(Value::is_object)
    }

    /// A text in the body; empty if it is missing.
    pub(crate) fn in_body(&self, pointer: &str) -> String {
        let body = self.body();
        let text = body.as_ref().and_then(|body| body.pointer(pointer)).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    }

    /// The name of the object that it is about: the path's, or else the one that the server or the body names.
    pub(crate) fn name(&self) -> String {
        let path = self.path();
        match Place::of(&path).map(|place| place.name) {
            Some("") if self.request.method == "POST" => match self.status.details.name.as_str() {
                "" => self.in_body("/metadata/name"),
                name => name.to_owned(),
            },
            Some(name) => name.to_owned(),
            None => String::new(),
        }
    }

    /// The version that was asked for, or that the body was made from.
    pub(crate) fn asked(&self) -> Option<u64> {
        let message = &self.status.message;
        let told = ["too old resource version: ", "Too large resource version: "];
        let told = told.into_iter().find_map(|before| number_after(message, before));
        let sent = || {
            let places = ["/metadata/resourceVersion", "/preconditions/resourceVersion"];
            let param = [self.param("resourceVersion")];
            let body = places.iter().map(|place| self.in_body(place));
            param.into_iter().chain(body).find_map(|text| text.parse().ok())
        };
        told.or_else(sent).filter(|version| *version > 0)
    }

    /// The revision that the continue token is of.
    pub(crate) fn token(&self) -> Option<u64> {
        ContinueToken::decode(&self.param("continue")).ok()?.revision.try_into().ok()
    }

    /// The oldest version that could have been watched from, where the server says it.
    pub(crate) fn oldest(&self) -> Option<u64> {
        number_after(&self.status.message, " (")
    }

    /// Returns whether the message contains one of `words`.
    pub(crate) fn says(&self, words: &[&str]) -> bool {
        words.iter().any(|words| self.status.message.contains(words))
    }

    /// Returns whether the request has a body that the user may have to correct.
    pub(crate) fn has_body(&self) -> bool {
        !self.request.body.is_empty()
    }
}

fn number_after(text: &str, before: &str) -> Option<u64> {
    let (_, after) = text.split_once(before)?;
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    after[..end].parse().ok()
}
