//! The labels by which requests are counted.

use std::sync::Arc;

use apimachinery::Attributes;
use apimachinery::query::Query;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, Method};
use schema::Resource;

/// The part of the server that handles a request.
const COMPONENT: &str = "apiserver";
/// The paths of requests that are not about resources, and are counted: their beginning, the subresource that they are counted as, and
/// the component.
const PATHS: &[(&str, &str, &str)] = &[
    ("/api", "api", COMPONENT),
    ("/apis", "apis", COMPONENT),
    ("/healthz", "/healthz", ""),
    ("/livez", "/livez", ""),
    ("/openapi/v2", "openapi/v2", ""),
    ("/openapi/v3", "openapi/v3", ""),
    ("/readyz", "/readyz", ""),
];
/// The documents below `/openapi/v3`, which are counted together.
const DOCUMENTS: (&str, &str) = ("/openapi/v3/", "openapi/v3/");
/// The subresources that connections are made to.
const CONNECTED: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];
/// The parts of Kubernetes that are told apart, by their user agents.
const CLIENTS: [&str; 3] = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"];

/// The labels of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Labels {
    component: &'static str,
    pub(super) dry_run: &'static str,
    group: String,
    resource: String,
    scope: &'static str,
    subresource: String,
    pub(super) verb: &'static str,
    version: String,
}

impl Labels {
    /// Returns the labels of a request; none, if such requests are not counted.
    pub(crate) fn of(
        attributes: &Attributes,
        method: &Method,
        query: &Query,
        headers: &HeaderMap,
    ) -> Option<Self> {
        if !attributes.is_resource {
            let path = attributes.path.as_str();
            let verb = verb(method, "")?;
            if path.starts_with(DOCUMENTS.0) && path != DOCUMENTS.0 {
                return Some(Self { subresource: DOCUMENTS.1.to_owned(), verb, ..Self::default() });
            }
            let (_, subresource, component) =
                PATHS.iter().find(|known| known.0 == path.strip_suffix('/').unwrap_or(path))?;
            return Some(Self { component, subresource: (*subresource).to_owned(), verb, ..Self::default() });
        }
        let scope = match () {
            () if !attributes.name.is_empty() || attributes.verb == "create" => "resource",
            () if !attributes.namespace.is_empty() => "namespace",
            () => "cluster",
        };
        let is_applied = || {
            let media_type = headers.get(CONTENT_TYPE).map(|value| value.as_bytes());
            media_type.is_some_and(|media_type| media_type.starts_with(b"application/apply-patch+"))
        };
        let verb = match attributes.verb.as_str() {
            "watch" => "WATCH",
            _ if CONNECTED.contains(&attributes.subresource.as_str()) => "CONNECT",
            "deletecollection" => "DELETECOLLECTION",
            "patch" if is_applied() => "APPLY",
            _ => verb(method, scope)?,
        };
        let path = attributes.path.trim_start_matches('/');
        let version = path.split('/').nth(if path.starts_with("apis/") { 2 } else { 1 });
        Some(Self {
            component: COMPONENT,
            dry_run: match query.all("dryRun").next() {
                None => "",
                Some(_) if query.all("dryRun").all(|value| value == "All") => "All",
                Some(_) => "invalid",
            },
            group: attributes.group.clone(),
            resource: attributes.resource.clone(),
            scope,
            subresource: attributes.subresource.clone(),
            verb,
            version: version.unwrap_or_default().to_owned(),
        })
    }

    /// Reports whether one of these resources is theirs.
    pub(crate) fn are_served(&self, resources: &[Arc<Resource>]) -> bool {
        let is_own = |row: &Resource| {
            row.name == self.resource && row.group == self.group && row.version == self.version
        };
        resources.iter().any(|row| is_own(row))
    }

    /// Reports whether they are those of a watch.
    pub(crate) fn is_watch(&self) -> bool {
        self.verb == "WATCH"
    }

    /// Returns the group, the resource and the version that are watched.
    pub(super) fn watched(&self) -> [String; 3] {
        [self.group.clone(), self.resource.clone(), self.version.clone()]
    }

    /// Returns them as they stand in a sample of the number of requests.
    pub(super) fn of_total(&self, code: u16, client: &str) -> String {
        line(&[
            ("code", &code.to_string()),
            ("component", self.component),
            ("dry_run", self.dry_run),
            ("group", &self.group),
            ("resource", &self.resource),
            ("scope", self.scope),
            ("subresource", &self.subresource),
            ("system_client", client),
            ("verb", self.verb),
            ("version", &self.version),
        ])
    }

    /// Returns them as they stand in other samples.
    pub(super) fn whole(&self) -> String {
        line(&[
            ("component", self.component),
            ("dry_run", self.dry_run),
            ("group", &self.group),
            ("resource", &self.resource),
            ("scope", self.scope),
            ("subresource", &self.subresource),
            ("verb", self.verb),
            ("version", &self.version),
        ])
    }

    /// Returns them for samples that do not tell dry runs apart.
    pub(super) fn without_dry_run(&self) -> String {
        line(&[
            ("component", self.component),
            ("group", &self.group),
            ("resource", &self.resource),
            ("scope", self.scope),
            ("subresource", &self.subresource),
            ("verb", self.verb),
            ("version", &self.version),
        ])
    }
}

/// Returns the verb of a request with this method.
fn verb(method: &Method, scope: &str) -> Option<&'static str> {
    Some(match method.as_str() {
        "GET" | "HEAD" if ["namespace", "cluster"].contains(&scope) => "LIST",
        "GET" | "HEAD" => "GET",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        _ => return None,
    })
}

/// Returns the part of Kubernetes that sends a request with these headers; nothing for others.
pub(crate) fn client(headers: &HeaderMap) -> &'static str {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok());
    let name = agent.and_then(|agent| agent.split_once('/')).map_or("", |(name, _)| name);
    CLIENTS.into_iter().find(|client| *client == name).unwrap_or_default()
}

/// Returns labels as they stand in a sample.
pub(super) fn line(labels: &[(&str, &str)]) -> String {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let label = |(name, value): &(&str, &str)| [name, "=\"", &escaped(value), "\""].concat();
    labels.iter().map(label).collect::<Vec<_>>().join(",")
}
