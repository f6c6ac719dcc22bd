//! A client of an API server, in the name of one user.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use apiserver::{ApiServer, Body, User};
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue, USER_AGENT};
use http::{Method, Request};
use json_tree::{Value, json};
use protocol::trace::RequestRecord;

use crate::error::Error;
use crate::object;
use crate::resource::{PODS, Resource};

/// The User-Agents of programs, between their names, of which field managers are named, and the names of their clients.
const AGENT: &str = "/v1.36.2 (linux/amd64) kubernetes/kubeglass";

/// The group of everybody who is authenticated.
const AUTHENTICATED: &str = "system:authenticated";

const JSON: &str = "application/json";
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const DISCOVERY: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
const APPLY_PATCH: &str = "application/apply-patch+yaml";
pub(crate) const STRATEGIC_MERGE_PATCH: &str = "application/strategic-merge-patch+json";

/// The part of objects that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Whole,
    Metadata,
}

/// A stream of frames of a watch.
pub(crate) type Frames = std::pin::Pin<Box<dyn futures::Stream<Item = Bytes> + Send>>;

/// A client in the name of one user. It knows nothing of the API server but its responses.
pub(crate) struct Client {
    server: ApiServer,
    user: User,
    agent: HeaderValue,
    writes: AtomicU64,
    is_cut_off: AtomicBool,
    told: Mutex<Told>,
}

/// The number of requests that are told of between two looks.
const MOST_TOLD: usize = 4096;

/// The outcome of the requests of a client, for those who look at it. No controller asks for it.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The revisions that they have made.
    pub(crate) wrote: Vec<u64>,
    /// The numbers of those that were refused, and the status of each.
    pub(crate) refused: Vec<(u64, u16)>,
}

impl Client {
    /// Makes the client of a service account in `kube-system`, as kube-controller-manager does with
    /// `--use-service-account-credentials`.
    pub(crate) fn of_account(server: &ApiServer, account: &str) -> Self {
        let name = ["system:serviceaccount:kube-system:", account].concat();
        let groups = ["system:serviceaccounts", "system:serviceaccounts:kube-system", AUTHENTICATED];
        Self::new(server, &name, &groups, ("kube-controller-manager", &name))
    }

    /// Makes the client of kube-controller-manager itself, for one of its purposes.
    pub(crate) fn of_manager(server: &ApiServer, purpose: &str) -> Self {
        let name = "system:kube-controller-manager";
        Self::new(server, name, &[AUTHENTICATED], ("kube-controller-manager", purpose))
    }

    /// Makes the client of kube-scheduler.
    pub(crate) fn of_scheduler(server: &ApiServer) -> Self {
        Self::new(server, "system:kube-scheduler", &[AUTHENTICATED], ("kube-scheduler", "scheduler"))
    }

    /// Makes the client of the kubelet of a node.
    pub(crate) fn of_node(server: &ApiServer, node: &str) -> Self {
        let name = ["system:node:", node].concat();
        Self::new(server, &name, &["system:nodes", AUTHENTICATED], ("kubelet", ""))
    }

    /// Makes the client of a user. The User-Agent has the name of the program, and behind it the client's, if it has one.
    fn new(server: &ApiServer, name: &str, groups: &[&str], (program, client): (&str, &str)) -> Self {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        let slash = if client.is_empty() { "" } else { "/" };
        let agent = HeaderValue::from_str(&[program, AGENT, slash, client].concat());
        Self {
            server: server.clone(),
            user: User { name: name.to_owned(), groups, ..User::default() },
            // All names are of this crate.
            agent: agent.unwrap_or_else(|_| HeaderValue::from_static("kubeglass")),
            writes: AtomicU64::new(0),
            is_cut_off: AtomicBool::new(false),
            told: Mutex::default(),
        }
    }

    /// Returns the name of the user.
    pub(crate) fn user(&self) -> &str {
        &self.user.name
    }

    /// Has all requests come to nothing, or lets them through.
    pub(crate) fn cut_off(&self, is_cut_off: bool) {
        self.is_cut_off.store(is_cut_off, Ordering::Relaxed);
    }

    /// Takes what became of the requests since the last call.
    pub(crate) fn take_told(&self) -> Told {
        std::mem::take(&mut self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self, record: &RequestRecord) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.wrote.len() < MOST_TOLD {
            told.wrote.extend(&record.wrote);
        }
        if record.code >= 400 && told.refused.len() < MOST_TOLD {
            told.refused.push((record.id, record.code));
        }
    }

    /// Returns how many writes have succeeded.
    pub(crate) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// Sends a request, and returns the body of its response; an error, if that is a Status of one. Writes that succeed are counted.
    async fn call(
        &self,
        method: Method,
        path: &str,
        accept: &str,
        body: Option<(&'static str, &Value)>,
    ) -> Result<Body, Error> {
        if self.is_cut_off.load(Ordering::Relaxed) {
            return Err(Error::CutOff);
        }
        let is_read = method == Method::GET;
        let mut request = Request::builder().method(method).uri(path).header(ACCEPT, accept);
        if let Some((media_type, _)) = body {
            request = request.header(CONTENT_TYPE, media_type);
        }
        let bytes = match body {
            Some((_, body)) => serde_json::to_vec(body).map_err(|error| Error::Other(error.to_string()))?,
            None => Vec::new(),
        };
        let mut request =
            request.body(Bytes::from(bytes)).map_err(|error| Error::Other(error.to_string()))?;
        request.headers_mut().insert(USER_AGENT, self.agent.clone());
        request.extensions_mut().insert(self.user.clone());
        let (mut head, body) = self.server.call(request).await.into_parts();
        if let Some(record) = head.extensions.remove::<RequestRecord>() {
            self.tell(&record);
        }
        if head.status.is_success() {
            if !is_read {
                self.writes.fetch_add(1, Ordering::Relaxed);
            }
            return Ok(body);
        }
        let status = match &body {
            Body::Bytes(bytes) => serde_json::from_slice(bytes).unwrap_or_default(),
            Body::Stream(_) | Body::Upgrade(_) => Value::Null,
            Body::Cut => return Err(Error::Cut),
        };
        Err(Error::of_status(head.status.as_u16(), &status))
    }

    async fn json(
        &self,
        method: Method,
        path: &str,
        accept: &str,
        body: Option<(&'static str, &Value)>,
    ) -> Result<Value, Error> {
        match self.call(method, path, accept, body).await? {
            Body::Bytes(bytes) => {
                serde_json::from_slice(&bytes).map_err(|error| Error::Other(error.to_string()))
            }
            Body::Stream(_) | Body::Upgrade(_) => Err(Error::Other("unexpected stream".to_owned())),
            Body::Cut => Err(Error::Cut),
        }
    }

    /// Reads an object.
    pub(crate) async fn get(
        &self,
        resource: &Resource,
        namespace: &str,
        name: &str,
        view: View,
    ) -> Result<Value, Error> {
        let accept = if view == View::Metadata { METADATA } else { JSON };
        self.json(Method::GET, &resource.object(namespace, name), accept, None).await
    }

    /// Reads how many pods an object wants: see
    /// <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource>.
    pub(crate) async fn get_scale(
        &self,
        resource: &Resource,
        namespace: &str,
        name: &str,
    ) -> Result<Value, Error> {
        let path = [&resource.object(namespace, name), "/scale"].concat();
        self.json(Method::GET, &path, JSON, None).await
    }

    /// Lists a collection. `query` stands behind the question mark.
    pub(crate) async fn list(
        &self,
        resource: &Resource,
        namespace: &str,
        view: View,
        query: &str,
    ) -> Result<Value, Error> {
        let accept = if view == View::Metadata { METADATA_LIST } else { JSON };
        let path = [&resource.collection(namespace), "?", query].concat();
        self.json(Method::GET, path.trim_end_matches('?'), accept, None).await
    }

    /// Watches a collection in all namespaces from a resource version on.
    pub(crate) async fn watch(
        &self,
        resource: &Resource,
        view: View,
        version: &str,
    ) -> Result<Frames, Error> {
        let accept = if view == View::Metadata { METADATA } else { JSON };
        let query = ["?allowWatchBookmarks=true&watch=true&resourceVersion=", version].concat();
        match self.call(Method::GET, &[resource.collection(""), query].concat(), accept, None).await? {
            Body::Stream(frames) => Ok(frames),
            Body::Bytes(_) | Body::Upgrade(_) => Err(Error::Other("no stream".to_owned())),
            Body::Cut => Err(Error::Cut),
        }
    }

    /// Reads a document that is no object of a resource.
    pub(crate) async fn read(&self, path: &str) -> Result<Value, Error> {
        self.json(Method::GET, path, JSON, None).await
    }

    /// Asks what the API server serves: see
    /// <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery>.
    pub(crate) async fn discover(&self, path: &str) -> Result<Value, Error> {
        self.json(Method::GET, path, DISCOVERY, None).await
    }

    /// Makes an object, and returns it as it is stored.
    pub(crate) async fn create(
        &self,
        resource: &Resource,
        namespace: &str,
        object: &Value,
    ) -> Result<Value, Error> {
        let object = with_kind(resource, object);
        self.json(Method::POST, &resource.collection(namespace), JSON, Some((JSON, &object))).await
    }

    /// Makes an object that nobody wants to see.
    pub(crate) async fn post(
        &self,
        resource: &Resource,
        namespace: &str,
        object: &Value,
    ) -> Result<(), Error> {
        let object = with_kind(resource, object);
        let path = resource.collection(namespace);
        self.call(Method::POST, &path, JSON, Some((JSON, &object))).await.map(drop)
    }

    /// Replaces an object, or the part of it that a subresource is about.
    pub(crate) async fn update(
        &self,
        resource: &Resource,
        object: &Value,
        subresource: &str,
    ) -> Result<Value, Error> {
        let mut path = resource.object(object::namespace(object), object::name(object));
        if !subresource.is_empty() {
            path.push('/');
            path.push_str(subresource);
        }
        let object = with_kind(resource, object);
        self.json(Method::PUT, &path, JSON, Some((JSON, &object))).await
    }

    /// Patches an object by a patch of a media type.
    pub(crate) async fn patch(
        &self,
        resource: &Resource,
        (namespace, name): (&str, &str),
        media_type: &'static str,
        patch: &Value,
        view: View,
    ) -> Result<Value, Error> {
        let accept = if view == View::Metadata { METADATA } else { JSON };
        self.json(Method::PATCH, &resource.object(namespace, name), accept, Some((media_type, patch))).await
    }

    /// Patches the status of an object by a strategic merge patch.
    pub(crate) async fn patch_status(
        &self,
        resource: &Resource,
        (namespace, name): (&str, &str),
        patch: &Value,
    ) -> Result<(), Error> {
        let path = [&resource.object(namespace, name), "/status"].concat();
        self.call(Method::PATCH, &path, JSON, Some((STRATEGIC_MERGE_PATCH, patch))).await.map(drop)
    }

    /// Applies a configuration as a field manager, who takes what others have set.
    ///
    /// See <https://kubernetes.io/docs/reference/using-api/server-side-apply/>.
    pub(crate) async fn apply(
        &self,
        resource: &Resource,
        (namespace, name): (&str, &str),
        manager: &str,
        configuration: &Value,
    ) -> Result<(), Error> {
        self.apply_at(&resource.object(namespace, name), manager, &with_kind(resource, configuration)).await
    }

    /// Applies a status as a field manager, who takes what others have set.
    pub(crate) async fn apply_status(
        &self,
        resource: &Resource,
        (namespace, name): (&str, &str),
        manager: &str,
        configuration: &Value,
    ) -> Result<(), Error> {
        let path = [&resource.object(namespace, name), "/status"].concat();
        self.apply_at(&path, manager, &with_kind(resource, configuration)).await
    }

    async fn apply_at(&self, path: &str, manager: &str, configuration: &Value) -> Result<(), Error> {
        let path = [path, "?fieldManager=", manager, "&force=true"].concat();
        self.call(Method::PATCH, &path, JSON, Some((APPLY_PATCH, configuration))).await.map(drop)
    }

    /// Assigns a pod to a node.
    pub(crate) async fn bind(&self, pod: &Value, node: &str) -> Result<(), Error> {
        let (namespace, name) = (object::namespace(pod), object::name(pod));
        let binding = json!({
            "kind": "Binding",
            "apiVersion": "v1",
            "metadata": {"name": name, "namespace": namespace, "uid": object::uid(pod)},
            "target": {"kind": "Node", "name": node}
        });
        let path = [&PODS.object(namespace, name), "/binding"].concat();
        self.call(Method::POST, &path, JSON, Some((JSON, &binding))).await.map(drop)
    }

    /// Deletes an object, with options.
    pub(crate) async fn delete(
        &self,
        resource: &Resource,
        namespace: &str,
        name: &str,
        options: &Value,
    ) -> Result<(), Error> {
        let options = delete_options(options);
        self.call(Method::DELETE, &resource.object(namespace, name), JSON, Some((JSON, &options)))
            .await
            .map(drop)
    }

    /// Deletes a collection in a namespace, with options.
    pub(crate) async fn delete_collection(
        &self,
        resource: &Resource,
        namespace: &str,
        options: &Value,
    ) -> Result<(), Error> {
        let options = delete_options(options);
        self.call(Method::DELETE, &resource.collection(namespace), JSON, Some((JSON, &options)))
            .await
            .map(drop)
    }
}

/// Returns the options of a deletion with their kind.
fn delete_options(options: &Value) -> Value {
    let mut all = json!({"kind": "DeleteOptions", "apiVersion": "v1"});
    for (key, value) in options.as_object().into_iter().flatten() {
        object::set(&mut all, key, value.clone());
    }
    all
}

/// Returns an object with its kind, which the items of lists do not have.
fn with_kind(resource: &Resource, object: &Value) -> Value {
    let mut whole = json!({"kind": &*resource.kind, "apiVersion": resource.api_version()});
    for (key, value) in object.as_object().into_iter().flatten() {
        object::set(&mut whole, key, value.clone());
    }
    whole
}
