//! A cluster that is thrown away.

use std::sync::Arc;

use apiserver::inspect::{Considered, Judgement};
use apiserver::{ApiServer, ManualClock, SeededRandom};
use bytes::Bytes;
use json_tree::{Map, Value, json};

use crate::cluster::embedded::Embedded;
use crate::cluster::place::Place;
use crate::cluster::{Body, Request, Transport, media};
use crate::explore::served::{self, DEFINITIONS_PATH, Kind};

/// What makes up names and uids in it: the same in all of them, so that they can be compared.
const SEED: u64 = 7;

/// What came of a request.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) code: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Bytes,
    pub(super) considered: Vec<Considered>,
    pub(super) judgements: Vec<Judgement>,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(super) fn is_ok(&self) -> bool {
        (200..300).contains(&self.code)
    }
}

/// A cluster that begins as another one is.
pub(super) struct Scratch(Embedded);

impl Scratch {
    /// One that begins as the cluster of `server` was at `revision`; `None` if that is not kept.
    pub(super) fn of(server: &ApiServer, clock: &ManualClock, revision: u64) -> Option<Self> {
        let fork = server.fork(revision, Arc::new(SeededRandom::new(SEED)))?;
        Some(Self(Embedded::of(fork, clock.clone())))
    }

    /// One that begins as this one is.
    pub(super) fn fork(&self) -> Option<Self> {
        Self::of(&self.0.server, &self.0.clock, self.0.server.inspect().overview().revision)
    }

    /// What a request is answered, in JSON whatever it asks for.
    pub(super) async fn send(&self, request: &Request) -> Result<Answer, String> {
        let mut request = request.clone();
        request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("Accept"));
        request.headers.push(("Accept".to_owned(), "application/json".to_owned()));
        request.encoded = media::encoded(&request).await?;
        let answer = self.0.send(request).await?;
        let body = match answer.body {
            Body::Bytes(body) => body,
            Body::Stream(_) => Bytes::new(),
        };
        let (considered, judgements) =
            answer.served.map(|served| (served.considered, served.judgements)).unwrap_or_default();
        Ok(Answer { code: answer.status, headers: answer.headers, body, considered, judgements })
    }

    /// What is read at a path; `None` if nothing is there.
    pub(super) async fn get(&self, path: &str) -> Option<Value> {
        let answer = self.send(&Request::get(path)).await.ok()?;
        answer.is_ok().then(|| answer.json())
    }

    /// What a collection has in it.
    pub(super) async fn list(&self, path: &str) -> Vec<Value> {
        match self.get(path).await.as_mut().map(|list| list["items"].take()) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        }
    }

    /// Deletes what is at a path, if anything is.
    pub(super) async fn delete(&self, path: &str) {
        let _ = self.send(&Request { method: "DELETE".to_owned(), ..Request::get(path) }).await;
    }

    /// Puts an object into a collection, as if it had never been anywhere else.
    pub(super) async fn install(&self, collection: &str, object: &Value) -> Result<Answer, String> {
        let mut metadata = Map::new();
        for key in ["name", "namespace", "labels", "annotations"] {
            if !object["metadata"][key].is_null() {
                metadata.insert(key.to_owned(), object["metadata"][key].clone());
            }
        }
        let mut object = object.clone();
        if let Value::Object(object) = &mut object {
            object.shift_remove("status");
            object.insert("metadata".to_owned(), metadata.into());
        }
        self.send(&Request::json("POST", collection, &object.to_string())).await
    }

    /// The kinds that it serves.
    pub(super) async fn kinds(&self) -> Vec<Arc<Kind>> {
        let mut kinds = Vec::new();
        for path in served::PATHS {
            if let Ok(answer) = self.send_as_it_is(&served::question(path)).await {
                kinds.extend(served::read(&answer.json()));
            }
        }
        kinds
    }

    async fn send_as_it_is(&self, request: &Request) -> Result<Answer, String> {
        let answer = self.0.send(request.clone()).await?;
        let Body::Bytes(body) = answer.body else { return Ok(Answer::default()) };
        Ok(Answer { code: answer.status, body, ..Answer::default() })
    }

    /// The schema of a custom kind.
    pub(super) async fn schema(&self, kind: &Kind) -> Option<Value> {
        let definition = self.get(&[DEFINITIONS_PATH, "/", &kind.definition()].concat()).await?;
        let versions = definition.pointer("/spec/versions")?.as_array()?;
        let version = versions.iter().find(|version| version["name"] == kind.version.as_str())?;
        version.pointer("/schema/openAPIV3Schema").cloned()
    }
}

/// The name of an object, with its namespace before it if it has one.
pub(super) fn name_of(object: &Value) -> String {
    let text = |key: &str| object["metadata"][key].as_str().unwrap_or_default();
    match text("namespace") {
        "" => text("name").to_owned(),
        namespace => [namespace, "/", text("name")].concat(),
    }
}

/// The path of an object by such a name, in the collection at `path`, which is that of all namespaces; and the path of its
/// own collection.
pub(super) fn path_of(path: &str, name: &str) -> Option<(String, String)> {
    let place = Place::of(path)?;
    let (namespace, name) = name.split_once('/').unwrap_or(("", name));
    let place = Place { namespace, ..place };
    Some((place.object(name), place.collection()))
}

/// A binding of everything, as a policy of this kind is bound.
pub(super) fn binding(kind: super::Kind, policy: &str, params: &str) -> Value {
    let mut spec = json!({ "policyName": policy });
    if kind == super::Kind::Validating {
        spec["validationActions"] = json!(["Deny"]);
    }
    if !params.is_empty() {
        let (namespace, name) = params.split_once('/').unwrap_or(("", params));
        spec["paramRef"] = json!({ "name": name, "parameterNotFoundAction": "Deny" });
        if !namespace.is_empty() {
            spec["paramRef"]["namespace"] = namespace.into();
        }
    }
    json!({ "metadata": { "name": MADE_UP }, "spec": spec })
}

/// The name of the binding that is made up.
pub(crate) const MADE_UP: &str = "tried-with";
