//! Kubelets: what a node may do, whatever the bindings are.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/node/>

use crate::user::User;
use apimachinery::Attributes;

/// The role whose rules all nodes have. No binding gives it to them.
pub(super) const ROLE: &str = "system:node";

/// The group of nodes, and what their names begin with.
const GROUP: &str = "system:nodes";
const PREFIX: &str = "system:node:";

/// The verbs that read.
const READS: &[&str] = &["get", "list", "watch"];

/// The resources that a node may use only as far as its own pods refer to them, whatever their groups: in others than those of
/// Kubernetes the role has none. That is not looked up here: nodes may not do it. Of pods it holds for reads.
const BY_RELATION: &str = "secrets configmaps persistentvolumeclaims persistentvolumes serviceaccounts volumeattachments csinodes leases resourceclaims resourceslices";

/// Reports whether the rules of the role say whether a user may do what is asked, because the user is a node.
pub(super) fn decides(user: &User, asked: &Attributes) -> bool {
    let Some(node) = user.name.strip_prefix(PREFIX).filter(|_| is_node(user)) else { return false };
    let reads = READS.contains(&asked.verb.as_str());
    let by_relation = BY_RELATION.split(' ').any(|resource| resource == asked.resource)
        || asked.resource == "pods" && asked.group.is_empty() && reads;
    let reads_nodes = asked.group.is_empty() && asked.resource == "nodes" && reads;
    asked.is_resource && !by_relation && (!reads_nodes || asked.name == node)
}

fn is_node(user: &User) -> bool {
    user.name.len() > PREFIX.len() && user.groups.iter().any(|group| group == GROUP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, groups: &[&str], request: &str, expected: bool) {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        let user = User { name: name.to_owned(), groups, ..User::default() };
        let words: Vec<&str> = request.split(' ').collect();
        let asked = Attributes {
            verb: words[0].to_owned(),
            is_resource: true,
            resource: words[1].to_owned(),
            name: words.get(2).copied().unwrap_or_default().to_owned(),
            ..Attributes::default()
        };
        assert_eq!(decides(&user, &asked), expected, "{name} {request}");
    }

    #[test]
    fn nodes_have_the_rules_of_nodes() {
        let nodes = &["system:nodes", "system:authenticated"];
        check("system:node:a", nodes, "patch pods p", true);
        check("system:node:a", nodes, "get pods p", false);
        check("system:node:a", nodes, "get nodes a", true);
        check("system:node:a", nodes, "get nodes b", false);
        check("system:node:a", nodes, "list nodes", false);
        check("system:node:a", nodes, "create nodes", true);
        check("system:node:a", nodes, "get secrets s", false);
        check("system:node:a", &["system:authenticated"], "patch pods p", false);
        check("system:node:", nodes, "patch pods p", false);
        check("node", nodes, "patch pods p", false);
    }
}
