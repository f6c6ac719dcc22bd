//! The labels by which requests are counted.

use std::sync::Arc;

use crate::resource::Resource;
use apimachinery::Attributes;
use apimachinery::query::Query;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, Method};

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

/// The labels of a request. `S` is a text: borrowed from the request, or kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Labels<S> {
    component: &'static str,
    pub(super) dry_run: &'static str,
    group: S,
    resource: S,
    scope: &'static str,
    subresource: S,
    pub(super) verb: &'static str,
    version: S,
}

impl<'a> Labels<&'a str> {
    /// Returns the labels of a request; none, if such requests are not counted.
    pub(crate) fn of(
        attributes: &'a Attributes,
        method: &Method,
        query: &str,
        headers: &HeaderMap,
    ) -> Option<Self> {
        if !attributes.is_resource {
            let path = attributes.path.as_str();
            let verb = verb(method, "")?;
            if path.starts_with(DOCUMENTS.0) && path != DOCUMENTS.0 {
                return Some(Self { subresource: DOCUMENTS.1, verb, ..Self::default() });
            }
            let (_, subresource, component) =
                PATHS.iter().find(|known| known.0 == path.strip_suffix('/').unwrap_or(path))?;
            return Some(Self { component, subresource, verb, ..Self::default() });
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
            dry_run: dry_run(query),
            group: &attributes.group,
            resource: &attributes.resource,
            scope,
            subresource: &attributes.subresource,
            verb,
            version: version.unwrap_or_default(),
        })
    }

    /// Reports whether one of these resources is theirs.
    pub(crate) fn are_served(&self, resources: &[Arc<Resource>]) -> bool {
        let is_own = |row: &Resource| {
            row.name == self.resource && row.group == self.group && row.version == self.version
        };
        resources.iter().any(|row| is_own(row))
    }
}

impl<S: AsRef<str>> Labels<S> {
    /// Returns them to be kept.
    pub(crate) fn kept(&self) -> Labels<String> {
        let [group, resource, subresource, version] =
            [&self.group, &self.resource, &self.subresource, &self.version]
                .map(|label| label.as_ref().to_owned());
        let &Self { component, dry_run, scope, verb, .. } = self;
        Labels { component, dry_run, group, resource, scope, subresource, verb, version }
    }

    /// Reports whether they are those of a watch.
    pub(crate) fn is_watch(&self) -> bool {
        self.verb == "WATCH"
    }

    /// Returns them as one text, by which they are found.
    pub(super) fn key(&self) -> String {
        let kept = [&self.group, &self.resource, &self.subresource, &self.version].map(AsRef::as_ref);
        let [group, resource, subresource, version] = kept;
        [
            resource,
            "\n",
            subresource,
            "\n",
            self.verb,
            "\n",
            version,
            "\n",
            group,
            "\n",
            self.scope,
            "\n",
            self.dry_run,
        ]
        .concat()
    }

    /// Returns the group, the resource and the version that are watched.
    pub(super) fn watched(&self) -> [String; 3] {
        [&self.group, &self.resource, &self.version].map(|label| label.as_ref().to_owned())
    }

    /// Returns them as they stand in a sample of the number of requests.
    pub(super) fn of_total(&self, code: u16, client: &str) -> String {
        let code = code.to_string();
        let mut all = self.pairs().to_vec();
        all.extend([("code", code.as_str()), ("system_client", client)]);
        all.sort_unstable();
        line(&all)
    }

    /// Returns them as they stand in a sample of the number of requests that were ended early.
    pub(super) fn of_termination(&self, code: u16) -> String {
        let code = code.to_string();
        let mut all: Vec<_> = self.pairs().into_iter().filter(|(name, _)| *name != "dry_run").collect();
        all.push(("code", code.as_str()));
        all.sort_unstable();
        line(&all)
    }

    /// Returns them as they stand in other samples.
    pub(super) fn whole(&self) -> String {
        line(&self.pairs())
    }

    /// Returns them for samples that do not tell dry runs apart.
    pub(super) fn without_dry_run(&self) -> String {
        let kept: Vec<_> = self.pairs().into_iter().filter(|(name, _)| *name != "dry_run").collect();
        line(&kept)
    }

    /// Returns their names and values, in the order of the names.
    fn pairs(&self) -> [(&'static str, &str); 8] {
        [
            ("component", self.component),
            ("dry_run", self.dry_run),
            ("group", self.group.as_ref()),
            ("resource", self.resource.as_ref()),
            ("scope", self.scope),
            ("subresource", self.subresource.as_ref()),
            ("verb", self.verb),
            ("version", self.version.as_ref()),
        ]
    }
}

/// Returns the label for the dry run that a query asks for.
fn dry_run(query: &str) -> &'static str {
    if !query.contains("dryRun") {
        return "";
    }
    let query = Query::parse(query);
    match query.all("dryRun").next() {
        None => "",
        Some(_) if query.all("dryRun").all(|value| value == "All") => "All",
        Some(_) => "invalid",
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
pub(crate) fn line(labels: &[(&str, &str)]) -> String {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let label = |(name, value): &(&str, &str)| [name, "=\"", &escaped(value), "\""].concat();
    labels.iter().map(label).collect::<Vec<_>>().join(",")
}
