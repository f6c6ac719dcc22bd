//! The attributes of a request that authorization decides by.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authorization/#review-your-request-attributes>

use golang::url::path_unescape;
use http::Method;
use json_tree::Value;

use crate::query::Query;
use crate::selector::field::FieldSelector;
use field::name;
use serde::{Deserialize, Serialize};

/// The attributes of a request that authorization decides by, except for the user who sends it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    /// The verb: `get`, `list`, `create`; for a path that is no resource's the method in small letters.
    ///
    /// <https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb>
    pub verb: String,
    /// True for a resource request; otherwise only the verb and the path count.
    pub is_resource: bool,
    /// The API group; empty for the core group.
    pub group: String,
    /// The resource, plural.
    pub resource: String,
    /// The subresource; may be empty.
    pub subresource: String,
    /// The namespace; empty at the cluster scope.
    pub namespace: String,
    /// The object's name; empty for a collection.
    pub name: String,
    /// The path.
    pub path: String,
}

/// The subresources of namespaces: below a namespace they are not resources of their own.
const OF_NAMESPACES: &[&str] = &["status", "finalize"];

impl Attributes {
    /// Reads them where each stands by its own name, as in `resourceAttributes` and `nonResourceAttributes` of a review;
    /// what is not there is empty.
    pub fn read(asked: &Value, is_resource: bool) -> Self {
        let text = |key: &str| asked.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self {
            verb: text("verb"),
            is_resource,
            group: text("group"),
            resource: text("resource"),
            subresource: text("subresource"),
            namespace: text("namespace"),
            name: text("name"),
            path: text("path"),
        }
    }

    /// Reads a request as far as authorization needs it. Whether there is such a resource is not asked. `None`: the path
    /// ends where a resource would have to follow.
    pub fn of(method: &Method, path: &str, query: &Query) -> Option<Self> {
        let path = path_unescape(path).unwrap_or_else(|_| path.to_owned());
        let mut own = Self { verb: method.as_str().to_ascii_lowercase(), ..Self::default() };
        let parts: Vec<&str> = match path.trim_matches('/') {
            "" => Vec::new(),
            trimmed => trimmed.split('/').collect(),
        };
        let rest = match parts.as_slice() {
            ["api", _, rest @ ..] if !rest.is_empty() => rest,
            ["apis", group, _, rest @ ..] if !rest.is_empty() => {
                own.group = (*group).to_owned();
                rest
            }
            _ => {
                own.path = path;
                return Some(own);
            }
        };
        own.is_resource = true;
        let by_path = matches!(rest[0], "watch" | "proxy");
        let rest = if by_path {
            own.verb = rest[0].to_owned();
            if rest.len() < 2 {
                return None;
            }
            &rest[1..]
        } else {
            own.verb = verb_of(method).to_owned();
            rest
        };
        let rest = match rest {
            ["namespaces", namespace, below @ ..] => {
                own.namespace = (*namespace).to_owned();
                match below {
                    [first, ..] if !OF_NAMESPACES.contains(first) => below,
                    _ => rest,
                }
            }
            _ => rest,
        };
        let part = |index: usize| rest.get(index).map(|part| (*part).to_owned()).unwrap_or_default();
        (own.resource, own.name) = (part(0), part(1));
        // What follows in a path that is passed on is another server's.
        if own.verb != "proxy" {
            own.subresource = part(2);
        }
        if own.name.is_empty() {
            own.look_at_collection(query);
        }
        own.path = path;
        Some(own)
    }

    /// A GET without a name is a list or a watch, which may be of a single object; a DELETE is one of all of them.
    fn look_at_collection(&mut self, query: &Query) {
        match self.verb.as_str() {
            "get" => {
                let watches = query.boolean("watch").unwrap_or_default();
                self.verb = if watches { "watch" } else { "list" }.to_owned();
                let fields = FieldSelector::parse(query.text("fieldSelector")).unwrap_or_default();
                let term = fields.terms().iter().find(|term| term.field == "metadata.name" && !term.negated);
                if let Some(term) = term
                    && name::path_segment(&term.value).is_empty()
                {
                    self.name.clone_from(&term.value);
                }
            }
            "delete" => self.verb = "deletecollection".to_owned(),
            _ => {}
        }
    }

    /// The same request, but that it does something else.
    pub fn with_verb(&self, verb: impl Into<String>) -> Self {
        Self { verb: verb.into(), ..self.clone() }
    }
}

/// Returns the API verb of an HTTP method on a resource; empty for other methods.
fn verb_of(method: &Method) -> &'static str {
    match method.as_str() {
        "POST" => "create",
        "GET" | "HEAD" => "get",
        "PUT" => "update",
        "PATCH" => "patch",
        "DELETE" => "delete",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attributes as `verb group/resource/subresource [namespace] [name]`, or as `verb path`.
    #[track_caller]
    fn check(line: &str, expected: &str) {
        let (method, uri) = line.split_once(' ').unwrap();
        let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
        let found = Attributes::of(&method.parse().unwrap(), path, &Query::parse(query));
        let shown = match found {
            None => "none".to_owned(),
            Some(own) if own.is_resource => format!(
                "{} {}/{}/{} [{}] [{}]",
                own.verb, own.group, own.resource, own.subresource, own.namespace, own.name
            ),
            Some(own) => format!("{} {}", own.verb, own.path),
        };
        assert_eq!(shown, expected, "{line}");
    }

    #[test]
    fn objects_and_collections() {
        check("GET /api/v1/namespaces/n/pods", "list /pods/ [n] []");
        check("HEAD /api/v1/namespaces/n/pods/p", "get /pods/ [n] [p]");
        check("POST /api/v1/namespaces/n/pods/p/exec?command=ls", "create /pods/exec [n] [p]");
        check("GET /api/v1/namespaces/n/services/s/proxy/a/b", "get /services/proxy [n] [s]");
        check("DELETE /apis/apps/v1/namespaces/n/deployments", "deletecollection apps/deployments/ [n] []");
        check("DELETE /apis/apps/v1/namespaces/n/deployments/d", "delete apps/deployments/ [n] [d]");
        check("GET /apis/e.com/v1/things", "list e.com/things/ [] []");
        check("PUT /api/v1/nodes/x%20y/status", "update /nodes/status [] [x y]");
        check("OPTIONS /api/v1/nodes", " /nodes/ [] []");
    }

    #[test]
    fn namespaces_are_in_themselves() {
        check("GET /api/v1/namespaces", "list /namespaces/ [] []");
        check("GET /api/v1/namespaces/n", "get /namespaces/ [n] [n]");
        check("PUT /api/v1/namespaces/n/finalize", "update /namespaces/finalize [n] [n]");
    }

    #[test]
    fn watches() {
        check("GET /api/v1/namespaces/n/pods?watch=1", "watch /pods/ [n] []");
        check("GET /api/v1/namespaces/n/pods?watch=false", "list /pods/ [n] []");
        check("GET /api/v1/namespaces/n/pods/p?watch=1", "get /pods/ [n] [p]");
        check("GET /api/v1/watch/namespaces/n/pods/p", "watch /pods/ [n] [p]");
        check("GET /api/v1/watch", "none");
        check("GET /api/v1/pods?fieldSelector=metadata.name%3Da", "list /pods/ [] [a]");
        check("GET /api/v1/pods?watch=1&fieldSelector=metadata.name%3Da%2Ca%3Db", "watch /pods/ [] [a]");
        check("GET /api/v1/pods?fieldSelector=metadata.name!%3Da", "list /pods/ [] []");
        check("GET /api/v1/pods?fieldSelector=metadata.name%3Da%2Fb", "list /pods/ [] []");
        check("DELETE /api/v1/pods?fieldSelector=metadata.name%3Da", "deletecollection /pods/ [] []");
    }

    #[test]
    fn other_paths() {
        check("GET /", "get /");
        check("POST /healthz", "post /healthz");
        check("GET /api/v1", "get /api/v1");
        check("GET /apis/apps/v1/", "get /apis/apps/v1/");
        check("DELETE /metrics", "delete /metrics");
    }
}
