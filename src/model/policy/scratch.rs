//! A cluster that is thrown away.

use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use json_tree::{Map, Value};
use protocol::command::{Command, Done};
use protocol::message::{ClusterId, Mode};
use protocol::trace::Considered;

use crate::cluster::Request;
use crate::cluster::answer::{NEWEST, told};
use crate::cluster::embedded::Embedded;
use crate::cluster::place::Place;
use crate::model::explore::served::{self, Kind};

/// The seed of names and uids in it: the same in all of them, so that they can be compared.
const SEED: u64 = 7;

/// The response to a request.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) code: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Bytes,
    pub(super) considered: Vec<Considered>,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// A cluster of the engine that begins as another one is, and is thrown away with this handle.
pub(super) struct Scratch {
    embedded: Rc<Embedded>,
    cluster: ClusterId,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The message is under way at once; nobody has to wait until it is done.
        drop(self.embedded.command_to(self.cluster, Command::Drop));
    }
}

impl Scratch {
    /// Makes one that begins as the cluster of the engine was at `revision`; `None` if that is not kept.
    pub(super) async fn of(embedded: &Rc<Embedded>, revision: u64) -> Option<Self> {
        Self::fork_of(embedded, ClusterId::FIRST, revision).await
    }

    /// Makes one that begins as this one is.
    pub(super) async fn fork(&self) -> Option<Self> {
        Self::fork_of(&self.embedded, self.cluster, NEWEST).await
    }

    async fn fork_of(embedded: &Rc<Embedded>, cluster: ClusterId, revision: u64) -> Option<Self> {
        let fork = Command::Fork { revision, seed: SEED };
        match embedded.command_to(cluster, fork).await {
            Ok(Done::Cluster(cluster)) => Some(Self { embedded: Rc::clone(embedded), cluster }),
            _ => None,
        }
    }

    /// Sends a request, and asks for JSON whatever it asks for.
    pub(super) async fn send(&self, request: &Request) -> Answer {
        let mut request = request.clone();
        request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("Accept"));
        request.headers.push(("Accept".to_owned(), "application/json".to_owned()));
        self.send_as_it_is(&request).await.unwrap_or_default()
    }

    async fn send_as_it_is(&self, request: &Request) -> Option<Answer> {
        let answer = self.embedded.send_to(self.cluster, 0, Mode::Serve, request).await.ok()?;
        let considered = answer.served.as_ref().map(|served| served.considered.clone()).unwrap_or_default();
        let (code, headers, body) = told(answer).await.ok()?;
        Some(Answer { code, headers, body, considered })
    }

    /// Reads what is at a path; `None` if nothing is there.
    pub(super) async fn get(&self, path: &str) -> Option<Value> {
        let answer = self.send(&Request::get(path)).await;
        (answer.code == 200).then(|| answer.json())
    }

    /// Reads what a collection has in it.
    pub(super) async fn list(&self, path: &str) -> Vec<Value> {
        match self.get(path).await.as_mut().map(|list| list["items"].take()) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        }
    }

    /// Deletes what is at a path, if anything is.
    pub(super) async fn delete(&self, path: &str) {
        self.send(&Request { method: "DELETE".to_owned(), ..Request::get(path) }).await;
    }

    /// Puts an object into a collection, as if it had never been anywhere else.
    pub(super) async fn install(&self, collection: &str, mut object: Value) -> Answer {
        if let Some(object) = object.as_object_mut() {
            object.shift_remove("status");
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata
                    .retain(|key, _| ["name", "namespace", "labels", "annotations"].contains(&key.as_str()));
            }
        }
        self.send(&Request::json("POST", collection, &object.to_string())).await
    }

    /// Reads the kinds that it serves.
    pub(super) async fn kinds(&self) -> Vec<Arc<Kind>> {
        let mut kinds = Vec::new();
        for path in served::PATHS {
            let answer = self.send_as_it_is(&served::question(path)).await;
            kinds.extend(answer.into_iter().flat_map(|answer| served::read(&answer.json())));
        }
        kinds
    }

    /// Reads the schema of a custom kind.
    pub(super) async fn schema(&self, kind: &Kind) -> Option<Value> {
        kind.schema_in(&self.get(&kind.definition_path()).await?)
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
pub(super) fn binding(kind: crate::model::policy::Kind, policy: &str, params: &str) -> Value {
    let mut spec = Map::new();
    spec.insert("policyName".to_owned(), policy.into());
    if kind == crate::model::policy::Kind::Validating {
        spec.insert("validationActions".to_owned(), vec!["Deny"].into());
    }
    if !params.is_empty() {
        let (namespace, name) = params.split_once('/').unwrap_or(("", params));
        let mut reference = Map::new();
        let texts = [("name", name), ("namespace", namespace), ("parameterNotFoundAction", "Deny")];
        for (key, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            reference.insert(key.to_owned(), text.into());
        }
        spec.insert("paramRef".to_owned(), reference.into());
    }
    named(spec.into())
}

/// A binding that is not stored, of which this is the `spec`.
pub(super) fn named(spec: Value) -> Value {
    let mut metadata = Map::new();
    metadata.insert("name".to_owned(), "tried-with".into());
    let mut binding = Map::new();
    binding.insert("metadata".to_owned(), metadata.into());
    binding.insert("spec".to_owned(), spec);
    binding.into()
}
