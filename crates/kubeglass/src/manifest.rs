//! Manifests: objects that a test begins with.

use apimachinery::{manifest, target};
use apiserver::documents;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Request};
use http_body_util::BodyExt;
use serde_json::Value;

use crate::client::Client;
use crate::cluster::Cluster;
use crate::error::Error;

/// The field manager, and the User-Agent, of what manifests apply.
const MANAGER: &str = "kubeglass";

const APPLY: &str = "application/apply-patch+yaml";

/// The resource of a kind.
struct Resource {
    name: String,
    namespaced: bool,
    has_status: bool,
}

impl Cluster {
    /// Applies the objects of a manifest, which is YAML or JSON of any number of documents and lists, and returns them as they are
    /// then. They are applied one after the other, so that a definition or a namespace comes before what needs it. One that names no namespace is put
    /// into `default`. A status is written, too.
    ///
    /// It is Server-Side Apply by the field manager `kubeglass`, which takes over what others own. The [trace](crate::Trace) has these requests
    /// with the User-Agent `kubeglass`.
    ///
    /// # Errors
    /// [`Error::Manifest`]: a document cannot be read, or is no object of a kind that is served. [`Error::Refused`]: the API server
    /// refuses an object. What came before it is applied.
    pub async fn apply(&self, manifest: &str) -> Result<Vec<Value>, Error> {
        let client = self.client().with_user_agent(MANAGER)?;
        let mut applied = Vec::new();
        for (number, document) in manifest::split(manifest).iter().enumerate() {
            let wrong = |message: String| Error::Manifest { document: number + 1, message };
            let json = documents::to_json(apiserver::Formats::ALL, "application/yaml", document.as_bytes())
                .map_err(wrong)?;
            let document = serde_json::from_slice(&json).map_err(|error| wrong(error.to_string()))?;
            for object in manifest::objects(document) {
                let object = serde_json::to_value(object).map_err(|error| wrong(error.to_string()))?;
                applied.push(self.apply_object(&client, object, wrong).await?);
            }
        }
        Ok(applied)
    }

    async fn apply_object(
        &self,
        client: &Client,
        object: Value,
        wrong: impl Fn(String) -> Error,
    ) -> Result<Value, Error> {
        let text = |pointer: &str| {
            let found = object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
            found.ok_or_else(|| wrong(format!("{pointer} is not set")))
        };
        let (api_version, kind, name) = (text("/apiVersion")?, text("/kind")?, text("/metadata/name")?);
        let root = if api_version.contains('/') { "/apis/" } else { "/api/" };
        let root = [root, api_version].concat();
        let resource = self
            .resource(&root, kind)
            .await
            .ok_or_else(|| wrong(format!("no kind {kind:?} of {api_version:?} is served")))?;
        let mut path = root;
        if resource.namespaced {
            let namespace = text("/metadata/namespace").unwrap_or("default");
            path = [&path, "/namespaces/", &target::segment(namespace)].concat();
        }
        let path = [&path, "/", &resource.name, "/", &target::segment(name)].concat();
        let mut applied = send(client, &path, &object).await?;
        if resource.has_status && object.get("status").is_some_and(|status| !status.is_null()) {
            applied = send(client, &[&path, "/status"].concat(), &object).await?;
        }
        Ok(applied)
    }

    /// Looks a kind up in what is served below a path. That is a question to the server and no request of anybody.
    async fn resource(&self, root: &str, kind: &str) -> Option<Resource> {
        let mut request = Request::get(root);
        if let Some(admin) = &self.admin {
            request = request.header(http::header::AUTHORIZATION, admin);
        }
        let inspect = self.shared.first().inspect();
        let response = inspect.read_at(&request.body(Bytes::new()).ok()?, inspect.revision()).await;
        let served: Value = serde_json::from_slice(response.body().bytes()?).ok()?;
        let resources = served["resources"].as_array()?;
        let named = |name: &str| resources.iter().any(|resource| resource["name"] == name);
        let resource = resources.iter().find(|resource| {
            resource["kind"] == kind && !resource["name"].as_str().is_none_or(|name| name.contains('/'))
        })?;
        let name = resource["name"].as_str()?.to_owned();
        let has_status = named(&format!("{name}/status"));
        Some(Resource { namespaced: resource["namespaced"] == true, has_status, name })
    }
}

/// Applies an object, or its status, at its path.
async fn send(client: &Client, path: &str, object: &Value) -> Result<Value, Error> {
    let refused = |code: u16, message: String| Error::Refused {
        method: Method::PATCH.to_string(),
        path: path.to_owned(),
        code,
        message,
    };
    let target = target::with(path, &[("fieldManager", Some(MANAGER)), ("force", Some("true"))]);
    let request = Request::patch(target).header(CONTENT_TYPE, APPLY).body(Bytes::from(object.to_string()));
    let request = request.map_err(|error| refused(400, error.to_string()))?;
    let response = client.send(request).await?;
    let code = response.status().as_u16();
    let Ok(body) = response.into_body().collect().await;
    let value: Value = serde_json::from_slice(&body.to_bytes()).unwrap_or_default();
    if code >= 300 {
        let message = value["message"].as_str().unwrap_or_default().to_owned();
        return Err(refused(code, message));
    }
    Ok(value)
}
