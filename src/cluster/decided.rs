//! The authorization decision on a request.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/rbac/>

use apimachinery::Query;
use protocol::trace::{Access, AccessDecision, Attributes, Grant};

use crate::cluster::Request;

/// The header that says in whose name a request is sent.
///
/// <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation>
pub(crate) const USER: &str = "Impersonate-User";
/// The header that says in which groups they are.
pub(crate) const GROUP: &str = "Impersonate-Group";

/// The decision on a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decided {
    /// In whose name it was sent.
    pub(crate) user: String,
    pub(crate) asked: Attributes,
    pub(crate) access: Access,
}

impl Decided {
    /// Returns what the record of a request says.
    pub(crate) fn of(decision: &AccessDecision) -> Self {
        let AccessDecision { user, attributes, access } = decision.clone();
        Self { user, asked: attributes, access }
    }

    /// Returns the decision of another cluster as far as it can be told: a denial of the user named in the request.
    pub(crate) fn told(request: &Request, code: u16, message: &str) -> Option<Self> {
        let user = request.header(USER)?;
        let denied = code == 403 && message.contains(" cannot ");
        let asked = attributes(request)?;
        denied.then(|| Self { user: user.to_owned(), asked, access: Access::default() })
    }

    /// The rule that allows it, in the words of a role, and paths of the role and its binding.
    pub(crate) fn grant(&self) -> Option<(&Grant, [String; 2])> {
        let grant = self.access.grant.as_ref()?;
        let path = |kind: &str, name: &str, namespace: &str| {
            let resource = [&kind.to_ascii_lowercase(), "s"].concat();
            let within = if kind.starts_with("Cluster") {
                String::new()
            } else {
                ["/namespaces/", namespace].concat()
            };
            [ROOT, &within, "/", &resource, "/", name].concat()
        };
        let role = path(&grant.role_kind, &grant.role, &grant.namespace);
        Some((grant, [role, path(binding_kind(grant), &grant.binding, &grant.namespace)]))
    }
}

/// The path of roles and bindings.
pub(crate) const ROOT: &str = "/apis/rbac.authorization.k8s.io/v1";

/// The kind of a grant's binding.
pub(crate) fn binding_kind(grant: &Grant) -> &'static str {
    if grant.namespace.is_empty() { "ClusterRoleBinding" } else { "RoleBinding" }
}

/// Returns what authorization knows a request by.
fn attributes(request: &Request) -> Option<Attributes> {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let method = http::Method::from_bytes(request.method.as_bytes()).ok()?;
    Attributes::of(&method, path, &Query::parse(query))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cluster::Transport;
    use crate::cluster::embedded::in_process::InProcess;
    use crate::model::access::grant;

    fn by(user: &str, request: Request) -> Request {
        let mut request = request;
        request.headers.push((USER.to_owned(), user.to_owned()));
        request
    }

    /// Returns the decision on a request that was sent.
    fn decide(cluster: &InProcess, request: &Request) -> Decided {
        let answer = futures::executor::block_on(cluster.send(request.clone())).unwrap();
        Decided::of(answer.served.unwrap().access.as_ref().unwrap())
    }

    #[test]
    fn tells_who_may_and_by_which_rule() {
        let cluster = InProcess::new(Duration::from_secs(1_800_000_000), 1);
        let send = |request: Request| futures::executor::block_on(cluster.send(request)).unwrap().status;
        let list = Request::get("/api/v1/namespaces/default/configmaps?limit=1");
        let decided = decide(&cluster, &list);
        assert!(decided.access.allowed && decided.grant().is_none(), "masters need no rule");

        let asked = by("alice", list.clone());
        let denied = decide(&cluster, &asked);
        assert_eq!((denied.user.as_str(), denied.access.allowed, send(asked.clone())), ("alice", false, 403));
        for request in grant::requests(&denied) {
            assert_eq!(send(request), 201);
        }
        let allowed = decide(&cluster, &asked);
        let (grant, [role, binding]) = allowed.grant().unwrap();
        assert_eq!((grant.subject.as_str(), send(asked)), ("User \"alice\"", 200));
        assert_eq!([role, binding].map(|path| send(Request::get(&path))), [200, 200]);
        assert!(!decide(&cluster, &by("bob", list)).access.allowed);
    }

    #[test]
    fn allows_what_is_in_no_namespace() {
        let cluster = InProcess::new(Duration::from_secs(1_800_000_000), 1);
        let send = |request: Request| futures::executor::block_on(cluster.send(request)).unwrap().status;
        for (asked, code) in [
            (Request::get("/api/v1/nodes"), 200),
            (Request::get("/metrics"), 200),
            (Request::get("/api/v1/namespaces/default/pods/web-0/status"), 404),
            (Request::get("/api/v1/namespaces/default"), 200),
        ] {
            let asked = by("alice", asked);
            let denied = decide(&cluster, &asked);
            assert_eq!(send(asked.clone()), 403, "{}", asked.target);
            for request in grant::requests(&denied) {
                assert_eq!(send(request), 201, "{}", asked.target);
            }
            let allowed = decide(&cluster, &asked);
            let (_, paths) = allowed.grant().unwrap();
            assert_eq!(paths.map(|path| send(Request::get(&path))), [200, 200]);
            assert_eq!(send(asked.clone()), code, "{}", asked.target);
        }
    }

    #[test]
    fn of_another_cluster_only_a_denial_is_known() {
        let asked = by("alice", Request::get("/api/v1/nodes"));
        let message = "nodes is forbidden: User \"alice\" cannot list resource \"nodes\"";
        assert!(!Decided::told(&asked, 403, message).unwrap().access.allowed);
        assert_eq!(Decided::told(&asked, 403, "exceeded quota"), None);
        assert_eq!(Decided::told(&Request::get("/api/v1/nodes"), 403, message), None);
    }
}
