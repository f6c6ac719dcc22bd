//! Kubelets: what a node may do, whatever the bindings are. That is what the ClusterRole of nodes says, as it is stored; in kube-apiserver
//! its rules are fixed. No admission plugin restricts a node to its own objects further, as NodeRestriction does there.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/node/>

use json_tree::Value;

use apimachinery::{Attributes, User};
use kinds::kind::Objects;

/// The role whose rules all nodes have. No binding gives it to them.
pub(super) const ROLE: &str = "system:node";

/// The group of nodes, and what their names begin with.
const GROUP: &str = "system:nodes";
const PREFIX: &str = "system:node:";

/// The namespace of the leases of nodes.
const LEASES: &str = "kube-node-lease";

/// The verbs that read.
const READS: &[&str] = &["get", "list", "watch"];

/// The resources of which the Node authorizer decides by more than the rules of the role, whatever their groups: in others than those of
/// Kubernetes the role has none. It looks up which ones the pods on the node refer to, and lets a node have its CSINode by its name and
/// its ResourceSlices by a selector. Here that is done for Secrets and ConfigMaps that are read by their names: see [`relates`]; nodes may
/// not use the others, except for their own leases. Of pods it holds for reads, which are of those on the node there, one by one or listed
/// by `spec.nodeName`.
const BY_RELATION: &str = "secrets configmaps persistentvolumeclaims persistentvolumes serviceaccounts volumeattachments csinodes leases resourceclaims resourceslices";

/// The keys of the fields by which pods refer to objects, by the resource of these. They have a `name`, or are one.
const REFERENCES: [(&str, &[&str]); 2] = [
    ("configmaps", &["configMap", "configMapKeyRef", "configMapRef"]),
    (
        "secrets",
        &["imagePullSecrets", "nodePublishSecretRef", "secret", "secretKeyRef", "secretName", "secretRef"],
    ),
];

/// Reports whether the rules of the role say whether a user may do what is asked, because the user is a node.
pub(super) fn decides(user: &User, asked: &Attributes) -> bool {
    let Some(node) = user.name.strip_prefix(PREFIX).filter(|_| is_node(user)) else { return false };
    let reads = READS.contains(&asked.verb.as_str());
    let own_lease = asked.resource == "leases"
        && asked.namespace == LEASES
        && (asked.name == node || asked.verb == "create");
    let by_relation = BY_RELATION.split(' ').any(|resource| resource == asked.resource) && !own_lease
        || asked.resource == "pods" && asked.group.is_empty() && reads;
    let reads_nodes = asked.group.is_empty() && asked.resource == "nodes" && reads;
    asked.is_resource && !by_relation && (!reads_nodes || asked.name == node)
}

/// Reports whether a user is a node that reads a Secret or a ConfigMap to which a pod on it refers.
pub(crate) fn relates(objects: &dyn Objects, user: &User, asked: &Attributes) -> bool {
    let Some(node) = user.name.strip_prefix(PREFIX).filter(|_| is_node(user)) else { return false };
    let Some((_, keys)) = REFERENCES.iter().find(|(resource, _)| *resource == asked.resource) else {
        return false;
    };
    let is_one =
        asked.is_resource && asked.group.is_empty() && asked.subresource.is_empty() && !asked.name.is_empty();
    if !is_one || !READS.contains(&asked.verb.as_str()) {
        return false;
    }
    let mut found = false;
    objects.each(&["/registry/pods/", &asked.namespace, "/"].concat(), &mut |pod| {
        found = found
            || pod.field("spec.nodeName") == Some(node)
                && pod.tree().get("spec").is_some_and(|spec| refers(spec, "", keys, &asked.name));
    });
    found
}

/// Reports whether a part of a pod, which is the value of a key, has a reference of one of these keys to a name.
fn refers(part: &Value, key: &str, keys: &[&str], name: &str) -> bool {
    match part {
        Value::Object(fields) => {
            keys.contains(&key) && fields.get("name").is_some_and(|own| own == name)
                || fields.iter().any(|(key, value)| refers(value, key, keys, name))
        }
        Value::Array(items) => items.iter().any(|item| refers(item, key, keys, name)),
        Value::String(own) => keys.contains(&key) && own == name,
        _ => false,
    }
}

/// Reports whether a user is a node.
pub(crate) fn is_node(user: &User) -> bool {
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
        let resource = words[1];
        let asked = Attributes {
            verb: words[0].to_owned(),
            is_resource: true,
            namespace: if resource == "leases" { LEASES.to_owned() } else { String::new() },
            resource: resource.to_owned(),
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
        check("system:node:a", nodes, "create leases", true);
        check("system:node:a", nodes, "patch leases a", true);
        check("system:node:a", nodes, "patch leases b", false);
        check("system:node:a", nodes, "patch csinodes a", false);
        check("system:node:a", &["system:authenticated"], "patch pods p", false);
        check("system:node:", nodes, "patch pods p", false);
        check("node", nodes, "patch pods p", false);
    }
    #[test]
    fn pods_refer_to_objects() {
        let spec = json_tree::json!({
            "imagePullSecrets": [{"name": "pull"}],
            "containers": [{
                "name": "app",
                "env": [{"name": "other", "valueFrom": {"secretKeyRef": {"name": "env", "key": "k"}}}],
                "envFrom": [{"configMapRef": {"name": "all"}}],
            }],
            "volumes": [
                {"name": "v", "secret": {"secretName": "volume"}},
                {"name": "w", "projected": {"sources": [{"configMap": {"name": "projected"}}, {"secret": {"name": "part"}}]}},
            ],
        });
        let check = |resource: &str, expected: &str| {
            let Some((_, keys)) = REFERENCES.iter().find(|(own, _)| *own == resource) else {
                panic!("{resource}")
            };
            let names = ["all", "app", "env", "k", "other", "part", "projected", "pull", "v", "volume"];
            let found: Vec<&str> = names.into_iter().filter(|name| refers(&spec, "", keys, name)).collect();
            assert_eq!(found.join(" "), expected);
        };
        check("configmaps", "all projected");
        check("secrets", "env part pull volume");
    }
}
