//! Making what examples assume: scenes, and what a single request needs.

use std::collections::HashSet;

use apimachinery::{Place, target};
use bytes::Bytes;
use json_tree::{Value, json};

use crate::examples;
use crate::kinds::Kinds;
use crate::message::{JSON, Request, YAML};
use crate::needs::Need;
use crate::scene::Scene;
use crate::server::Server;

/// The user agent of what makes scenes, so that it is told from the reader.
pub const USER_AGENT: &str = "kubeglass-scene";

/// The lease that is renewed until the cluster has reached the revision of a scene, as API servers renew theirs.
const LEASE: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kubeglass-scene";

/// The most renewals for a scene.
const RENEWALS: u64 = 50_000;

/// The number of requests that are under way together.
const TOGETHER: usize = 200;

/// The state of a document's cluster, beside what the cluster says itself.
#[derive(Clone, Debug, Default)]
pub struct Arranged {
    /// The kinds that are served.
    pub kinds: Kinds,
    /// The paths of what is there for sure.
    there: HashSet<String>,
    /// The paths of what a document deleted on purpose.
    pub(crate) deleted: HashSet<String>,
    /// The paths that were made since somebody asked.
    made: Vec<String>,
}

impl Arranged {
    /// Returns the paths of what was made since this was asked last.
    pub fn take_made(&mut self) -> Vec<String> {
        std::mem::take(&mut self.made)
    }

    /// Makes a scene.
    ///
    /// # Errors
    /// An object of it is refused, for the reason that the text tells.
    pub async fn make(&mut self, server: &impl Server, scene: &Scene) -> Result<(), String> {
        let namespace = scene.namespace();
        if namespace != "default" {
            self.ensure(server, &Need::Namespace(namespace.to_owned())).await?;
        }
        for object in &scene.objects {
            self.create(server, vec![object.clone()], namespace).await?;
        }
        for copies in &scene.copies {
            let objects: Vec<Value> = copies.objects().collect();
            for objects in objects.chunks(TOGETHER) {
                self.create(server, objects.to_vec(), namespace).await?;
            }
        }
        for applied in &scene.applied {
            let path = self.path(&applied.object, namespace)?;
            let target =
                target::with(&path, &[("fieldManager", Some(&applied.manager)), ("force", Some("true"))]);
            let request = Request::new("PATCH", &target)
                .carrying("application/apply-patch+yaml", applied.object.to_string())
                .with("User-Agent", USER_AGENT);
            accept(&request, server.arrange(vec![request.clone()]).await?.first())?;
        }
        Ok(())
    }

    /// Lets others write, until the newest revision is that of the scene. Nothing happens where it is newer already.
    ///
    /// # Errors
    /// There is no response.
    pub async fn reach(&mut self, server: &impl Server, revision: u64) -> Result<(), String> {
        let newest = |body: Option<&(u16, Bytes)>| {
            let object: Value =
                body.and_then(|(_, body)| serde_json::from_slice(body).ok()).unwrap_or_default();
            object.pointer("/metadata/resourceVersion").and_then(Value::as_str)?.parse::<u64>().ok()
        };
        let list =
            Request::new("GET", "/api/v1/namespaces").with("Accept", JSON).with("User-Agent", USER_AGENT);
        let Some(now) = newest(server.arrange(vec![list]).await?.first()) else { return Ok(()) };
        let mut left = revision.saturating_sub(now).min(RENEWALS);
        while left > 0 {
            let count = left.min(TOGETHER as u64);
            server.arrange((left - count + 1..=left).map(renewal).collect()).await?;
            left -= count;
        }
        Ok(())
    }

    /// Makes what a request is assumed to need, if it can be made. Where it cannot, the response to the request says what is missing.
    pub async fn assume(&mut self, server: &impl Server, need: &Need) {
        let _ = self.ensure(server, need).await;
    }

    /// Makes what a request needs, unless it is there.
    ///
    /// # Errors
    /// It is refused, for the reason that the text tells.
    async fn ensure(&mut self, server: &impl Server, need: &Need) -> Result<(), String> {
        match need {
            Need::Namespace(name) => {
                let object =
                    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name.as_str()}});
                self.ensure_object(server, &["/api/v1/namespaces/", name].concat(), &object).await
            }
            Need::Definition(definition) => {
                let name = definition["metadata"]["name"].as_str().unwrap_or_default();
                let path = ["/apis/apiextensions.k8s.io/v1/customresourcedefinitions/", name].concat();
                self.ensure_object(server, &path, definition).await?;
                self.kinds.define(definition);
                Ok(())
            }
            Need::Object(path, object) => self.ensure_object(server, path, object).await,
            Need::Count(path, count) => self.ensure_count(server, path, *count).await,
        }
    }

    async fn ensure_object(
        &mut self,
        server: &impl Server,
        path: &str,
        object: &Value,
    ) -> Result<(), String> {
        if self.there.contains(path) || self.deleted.contains(path) {
            return Ok(());
        }
        let get = Request::new("GET", path).with("Accept", JSON).with("User-Agent", USER_AGENT);
        let found = server.arrange(vec![get]).await?;
        if found.first().is_some_and(|(status, _)| *status == 404) {
            let namespace = Place::of(path).map(|place| place.namespace).unwrap_or_default().to_owned();
            self.create(server, vec![object.clone()], &namespace).await?;
            self.made.push(path.to_owned());
        }
        self.there.insert(path.to_owned());
        Ok(())
    }

    async fn ensure_count(&mut self, server: &impl Server, path: &str, count: usize) -> Result<(), String> {
        let list = Request::new("GET", &target::with(path, &[("limit", Some("1"))]));
        let list = list.with("Accept", JSON).with("User-Agent", USER_AGENT);
        let listed = server.arrange(vec![list]).await?;
        let listed: Value =
            listed.first().and_then(|(_, body)| serde_json::from_slice(body).ok()).unwrap_or_default();
        let rest = listed["metadata"]["remainingItemCount"].as_u64().unwrap_or_default();
        let there = listed["items"].as_array().map_or(0, Vec::len) + usize::try_from(rest).unwrap_or(0);
        let place = Place::of(path).ok_or_else(|| path.to_owned())?;
        let Some(kind) = self.kinds.at(&place).cloned() else { return Ok(()) };
        let namespace = match place.namespace {
            "" if kind.namespaced => "default",
            namespace => namespace,
        };
        let missing: Vec<Value> = (there + 1..=count.max(there))
            .map(|number| {
                let mut object = examples::object(&kind, namespace, "");
                let name = format!("{}-{number:04}", kind.singular);
                if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                    metadata.insert("name".to_owned(), name.as_str().into());
                }
                object
            })
            .collect();
        if !missing.is_empty() {
            self.made.push(format!("{path} ({})", missing.len()));
        }
        for objects in missing.chunks(TOGETHER) {
            self.create(server, objects.to_vec(), namespace).await?;
        }
        Ok(())
    }

    /// Creates objects; one that is there already stays as it is. A status is written, too.
    async fn create(
        &mut self,
        server: &impl Server,
        objects: Vec<Value>,
        namespace: &str,
    ) -> Result<(), String> {
        let mut requests = Vec::new();
        for object in &objects {
            let path = self.path(object, namespace)?;
            let collection = path.rsplit_once('/').map_or(&*path, |(collection, _)| collection);
            requests.push(
                Request::new("POST", collection)
                    .carrying(JSON, object.to_string())
                    .with("User-Agent", USER_AGENT),
            );
        }
        let responses = server.arrange(requests.clone()).await?;
        for ((object, request), response) in objects.iter().zip(&requests).zip(&responses) {
            match response {
                (409, _) => {}
                other => accept(request, Some(other))?,
            }
            let path = self.path(object, namespace)?;
            if object["kind"] == "CustomResourceDefinition" {
                self.kinds.define(object);
            }
            if object.get("status").is_some_and(|status| !status.is_null()) {
                let status = json!({"status": object["status"].clone()});
                let request = Request::new("PATCH", &[&path, "/status"].concat())
                    .carrying("application/merge-patch+json", status.to_string())
                    .with("User-Agent", USER_AGENT);
                accept(&request, server.arrange(vec![request.clone()]).await?.first())?;
            }
            self.there.insert(path);
        }
        Ok(())
    }

    /// Returns the path of an object.
    fn path(&self, object: &Value, namespace: &str) -> Result<String, String> {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let Some(kind) = self.kinds.of_object(object) else {
            return Err(crate::words::not_served(text("/kind"), text("/apiVersion")));
        };
        let own = text("/metadata/namespace");
        let namespace = if own.is_empty() { namespace } else { own };
        Ok([&kind.path(namespace), "/", text("/metadata/name")].concat())
    }

    /// Takes note of what a request of the document has done. `object` is the response, if it is an object in JSON.
    pub(crate) fn note(&mut self, request: &Request, status: u16, object: &Value) {
        let path = request.path();
        if status >= 300 || request.param("dryRun").is_some() {
            return;
        }
        match &*request.method {
            "DELETE" if Place::of(path).is_some_and(|place| !place.name.is_empty()) => {
                self.there.remove(path);
                self.deleted.insert(path.to_owned());
            }
            "PUT" | "PATCH" => {
                self.deleted.remove(path);
            }
            "POST" => {
                if let Some(name) = object.pointer("/metadata/name").and_then(Value::as_str) {
                    self.deleted.remove(&[path, "/", name].concat());
                }
            }
            _ => return,
        }
        if object["kind"] == "CustomResourceDefinition" && request.method != "DELETE" {
            self.kinds.define(object);
        }
    }
}

/// Returns the request by which somebody else writes: the lease of a scene is renewed, and made where it is not there.
pub(crate) fn renewal(number: u64) -> Request {
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "kubeglass-scene", "namespace": "kube-system"},
        "spec": {"leaseTransitions": number}
    });
    let target = target::with(LEASE, &[("fieldManager", Some(USER_AGENT)), ("force", Some("true"))]);
    let request = Request::new("PATCH", &target).carrying("application/apply-patch+yaml", lease.to_string());
    request.with("User-Agent", USER_AGENT)
}

/// Returns why a request was refused, if it was.
fn accept(request: &Request, response: Option<&(u16, Bytes)>) -> Result<(), String> {
    let Some((status, body)) = response else { return Ok(()) };
    if *status < 300 {
        return Ok(());
    }
    let told: Value = serde_json::from_slice(body).unwrap_or_default();
    let message = told["message"].as_str().map_or_else(|| status.to_string(), str::to_owned);
    Err(crate::words::scene_refused(&request.method, &request.target, &message))
}

/// Returns the objects of a manifest.
///
/// # Errors
/// A document of it cannot be read.
pub(crate) async fn objects(server: &impl Server, text: &str) -> Result<Vec<Value>, String> {
    let mut objects = Vec::new();
    for document in crate::command::split(text) {
        let json = server.to_json(YAML, Bytes::from(document)).await?;
        let value: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        objects.extend(crate::command::objects(value));
    }
    Ok(objects)
}
