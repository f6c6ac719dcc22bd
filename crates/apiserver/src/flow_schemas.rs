//! The FlowSchema that a request falls under, as API Priority and Fairness finds it.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#flowschema>

pub(crate) mod dangling;

use std::sync::Arc;

use http::HeaderValue;
use json_tree::Value;
use store::{KeyRange, Revision, Store};

use crate::stored::Stored;
use apimachinery::object::Object;
use apimachinery::{Attributes, User};
use kinds::flowcontrol::initial::{self, LEVELS, SCHEMAS};

/// Every resource, verb, group, namespace, user or URL.
const ALL: &str = "*";

/// The FlowSchema of whatever falls under no other.
const CATCH_ALL: &str = "catch-all";

/// The FlowSchemas that are there even while they are not stored, and so are the priority levels of the same names.
const MANDATORY: [&str; 2] = ["exempt", CATCH_ALL];

/// The FlowSchemas in the order in which they are tried, as of a revision.
#[derive(Clone)]
pub(crate) struct FlowSchemas {
    revision: Revision,
    schemas: Arc<Vec<FlowSchema>>,
}

/// A FlowSchema.
pub(crate) struct FlowSchema {
    /// The uid of it, and that of its priority level.
    pub(crate) uids: [HeaderValue; 2],
    pub(crate) name: String,
    /// The name of its priority level.
    pub(crate) level: String,
    precedence: i64,
    rules: Vec<Rule>,
    distinguishes: Option<Distinguishes>,
}

/// The parts of requests by which flows of one FlowSchema are told apart.
#[derive(Clone, Copy)]
enum Distinguishes {
    Users,
    Namespaces,
}

/// A rule of a FlowSchema: whose requests it is about, and which of them.
struct Rule {
    subjects: Vec<Subject>,
    resources: Vec<Resources>,
    /// The verbs and the paths of requests that are not about resources.
    paths: Vec<[Vec<String>; 2]>,
}

/// A subject of a rule; names may be [`ALL`].
enum Subject {
    User(String),
    Group(String),
    /// The beginning of the user's name, and the rest; `None`: any rest.
    ServiceAccount(String, Option<String>),
}

/// Requests for resources.
struct Resources {
    verbs: Vec<String>,
    groups: Vec<String>,
    resources: Vec<String>,
    namespaces: Vec<String>,
    /// True if those without a namespace are among them.
    cluster_scope: bool,
}

impl FlowSchemas {
    /// Returns them as they are now: `last` if none has changed since.
    pub(crate) fn now(store: &Store<Arc<Stored>>, last: Option<&Self>) -> Self {
        let revision = store.revision();
        let same = last.filter(|last| last.revision == revision || !changed(store, last.revision));
        let schemas = same.map_or_else(|| Arc::new(read(store)), |last| Arc::clone(&last.schemas));
        Self { revision, schemas }
    }

    /// Reports whether these are the same ones.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.schemas, &other.schemas)
    }

    /// Returns the FlowSchema that a request falls under: the first one that fits, or else `catch-all`.
    pub(crate) fn classify(&self, user: &User, attributes: &Attributes) -> Option<&FlowSchema> {
        let found =
            self.schemas.iter().find(|schema| schema.rules.iter().any(|rule| rule.fits(user, attributes)));
        found.or_else(|| self.schemas.iter().find(|schema| schema.name == CATCH_ALL))
    }
}

impl FlowSchema {
    /// Reads one. Nothing is returned if its priority level is not there.
    fn read(name: &str, uid: &str, spec: &Value, level_uid: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let level = spec["priorityLevelConfiguration"]["name"].as_str()?;
        let header = |uid: &str| HeaderValue::from_str(uid).ok();
        Some(Self {
            uids: [header(uid)?, header(&level_uid(level)?)?],
            name: name.to_owned(),
            level: level.to_owned(),
            precedence: spec["matchingPrecedence"].as_i64().unwrap_or_default(),
            rules: list(&spec["rules"]).iter().map(Rule::read).collect(),
            distinguishes: match spec["distinguisherMethod"]["type"].as_str() {
                Some("ByUser") => Some(Distinguishes::Users),
                Some("ByNamespace") => Some(Distinguishes::Namespaces),
                _ => None,
            },
        })
    }

    /// Returns the text by which the flow of a request is told from others.
    pub(crate) fn distinguisher<'a>(&self, user: &'a User, attributes: &'a Attributes) -> &'a str {
        match self.distinguishes {
            None => "",
            Some(Distinguishes::Users) => &user.name,
            Some(Distinguishes::Namespaces) => &attributes.namespace,
        }
    }
}

/// Reports whether one of them, or of their levels, may have changed since a revision.
fn changed(store: &Store<Arc<Stored>>, since: Revision) -> bool {
    let Ok(mut events) = store.events(since) else { return true };
    events.any(|event| initial::concerns(event.key))
}

/// Reads them in the order of their precedence, and then of their names. Those whose level is not there count for nothing; the
/// mandatory ones are always there.
fn read(store: &Store<Arc<Stored>>) -> Vec<FlowSchema> {
    let level = |name: &str| {
        let stored = store.get(&[LEVELS, name].concat()).map(|entry| entry.value.uid.clone());
        stored.or_else(|| MANDATORY.contains(&name).then(String::new))
    };
    let entries = store.range(&KeyRange::prefix(SCHEMAS));
    let mut schemas: Vec<FlowSchema> = entries
        .filter_map(|entry| {
            let tree: Object = entry.value.tree();
            FlowSchema::read(&entry.value.name, &entry.value.uid, tree.get("spec")?, level)
        })
        .collect();
    schema::sort_by(&mut schemas, |a: &FlowSchema, b| {
        a.precedence.cmp(&b.precedence).then_with(|| a.name.cmp(&b.name))
    });
    for name in MANDATORY {
        if schemas.iter().any(|schema| schema.name == name) {
            continue;
        }
        let spec = initial::spec_of("flowschemas", name);
        let schema = spec.and_then(|spec| FlowSchema::read(name, "", &spec, level));
        let place = if name == CATCH_ALL { schemas.len() } else { 0 };
        schemas.splice(place..place, schema);
    }
    schemas
}

impl Rule {
    fn read(rule: &Value) -> Self {
        let resources = list(&rule["resourceRules"]).iter().map(|rule| Resources {
            verbs: texts(&rule["verbs"]),
            groups: texts(&rule["apiGroups"]),
            resources: texts(&rule["resources"]),
            namespaces: texts(&rule["namespaces"]),
            cluster_scope: rule["clusterScope"] == true,
        });
        let paths = list(&rule["nonResourceRules"]).iter();
        Self {
            subjects: list(&rule["subjects"]).iter().filter_map(Subject::read).collect(),
            resources: resources.collect(),
            paths: paths.map(|rule| [texts(&rule["verbs"]), texts(&rule["nonResourceURLs"])]).collect(),
        }
    }

    fn fits(&self, user: &User, attributes: &Attributes) -> bool {
        self.subjects.iter().any(|subject| subject.is(user))
            && if attributes.is_resource {
                self.resources.iter().any(|rule| rule.has(attributes))
            } else {
                self.paths.iter().any(|[verbs, urls]| {
                    has(verbs, &attributes.verb) && urls.iter().any(|url| leads(url, &attributes.path))
                })
            }
    }
}

impl Subject {
    fn read(subject: &Value) -> Option<Self> {
        let name = |kind: &str| subject[kind]["name"].as_str().map(str::to_owned);
        match subject["kind"].as_str()? {
            "User" => name("user").map(Self::User),
            "Group" => name("group").map(Self::Group),
            "ServiceAccount" => {
                let namespace = subject["serviceAccount"]["namespace"].as_str()?;
                let prefix = ["system:serviceaccount:", namespace, ":"].concat();
                Some(Self::ServiceAccount(prefix, name("serviceAccount").filter(|name| name != ALL)))
            }
            _ => None,
        }
    }

    fn is(&self, user: &User) -> bool {
        match self {
            Self::User(name) => name == ALL || *name == user.name,
            Self::Group(name) => name == ALL || user.groups.contains(name),
            Self::ServiceAccount(prefix, name) => {
                let rest = user.name.strip_prefix(prefix.as_str());
                rest.is_some_and(|rest| name.as_ref().is_none_or(|name| name == rest))
            }
        }
    }
}

impl Resources {
    fn has(&self, attributes: &Attributes) -> bool {
        let namespace = attributes.namespace.as_str();
        let resource = match attributes.subresource.as_str() {
            "" => attributes.resource.clone(),
            subresource => [&attributes.resource, "/", subresource].concat(),
        };
        has(&self.verbs, &attributes.verb)
            && has(&self.resources, &resource)
            && has(&self.groups, &attributes.group)
            && if namespace.is_empty() { self.cluster_scope } else { has(&self.namespaces, namespace) }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn texts(value: &Value) -> Vec<String> {
    list(value).iter().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Reports whether a text is in a list; [`ALL`] counts where it stands alone, as validation has it.
fn has(list: &[String], text: &str) -> bool {
    matches!(list, [all] if all == ALL) || list.iter().any(|one| one == text)
}

/// Reports whether a URL of a rule has a path: as it is, or below it.
fn leads(url: &str, path: &str) -> bool {
    let prefix = url.strip_suffix('*').unwrap_or(url);
    let slash = if prefix.ends_with('/') { "" } else { "/" };
    url == ALL || url == path || path.starts_with(&[prefix, slash].concat())
}

#[cfg(test)]
mod tests {
    use apimachinery::query::Query;
    use http::Method;

    use super::*;
    use crate::discovery::tests::server;

    #[test]
    fn requests_fall_under_flow_schemas() {
        let server = server();
        let storage = server.shared.storage();
        let schemas = FlowSchemas::now(&storage.store, None);
        let check = |name: &str, groups: &str, request: &str, expected: &str| {
            let groups = groups.split(',').map(str::to_owned).collect();
            let user = User { name: name.to_owned(), groups, ..User::default() };
            let (method, path) = request.split_once(' ').unwrap();
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let attributes = Attributes::of(&method, path, &Query::parse("")).unwrap();
            let found = schemas.classify(&user, &attributes);
            assert_eq!(found.map_or("", |schema| &schema.name), expected, "{name} {request}");
        };
        let pods = "GET /api/v1/pods";
        check("root", "system:masters,system:authenticated", pods, "exempt");
        check("bob", "system:authenticated", pods, "global-default");
        check("system:anonymous", "system:unauthenticated", "GET /readyz", "probes");
        check("system:anonymous", "system:unauthenticated", "GET /readyz/ping", "probes");
        check("bob", "system:authenticated", "GET /readyzs", "global-default");
        check("bob", "system:authenticated", "POST /readyz", "global-default");
        check("bob", "others", pods, "catch-all");
        let node = "system:nodes,system:authenticated";
        check("system:node:a", node, "GET /api/v1/nodes/a", "system-node-high");
        check("system:node:a", node, "PATCH /api/v1/nodes/a/status", "system-node-high");
        check("system:node:a", node, "GET /api/v1/nodes/a/proxy", "system-nodes");
        let leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x";
        check(
            "system:kube-scheduler",
            "system:authenticated",
            &format!("GET {leases}"),
            "system-leader-election",
        );
        check("system:kube-scheduler", "system:authenticated", &format!("DELETE {leases}"), "kube-scheduler");
        let accounts = "system:serviceaccounts,system:authenticated";
        check("system:serviceaccount:kube-system:x", accounts, pods, "kube-system-service-accounts");
        check("system:serviceaccount:kube-systems:x", accounts, pods, "service-accounts");
    }
}
