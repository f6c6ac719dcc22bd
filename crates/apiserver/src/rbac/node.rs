//! Kubelets: what a node may do, whatever the bindings are. That is what the ClusterRole of nodes says, as it is stored; in kube-apiserver
//! its rules are fixed. No admission plugin restricts a node to its own objects further, as NodeRestriction does there.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/node/>

use json_tree::Value;

use apimachinery::object::{Object, metadata_text};
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
/// its ResourceSlices by a selector. Here that is done for Secrets, ConfigMaps and claims of volumes that are read by their names: see
/// [`relates`]; nodes may not use the others, except for their own leases. Of pods it holds for reads, which are of those on the node there, one by one or listed
/// by `spec.nodeName`.
const BY_RELATION: &str = "secrets configmaps persistentvolumeclaims persistentvolumes serviceaccounts volumeattachments csinodes leases resourceclaims resourceslices";

/// A kind of objects to which pods refer.
struct References {
    resource: &'static str,
    /// The verbs by which a node reads them.
    verbs: &'static [&'static str],
    /// The keys of the fields by which pods refer to them. They have a `name`, or are one.
    keys: &'static [&'static str],
    /// The field of a volume for which there is one that has the name of the pod and of the volume.
    made_for: Option<&'static str>,
}

const REFERENCES: [References; 3] = [
    References {
        resource: "configmaps",
        verbs: READS,
        keys: &["configMap", "configMapKeyRef", "configMapRef"],
        made_for: None,
    },
    References {
        resource: "secrets",
        verbs: READS,
        keys: &[
            "imagePullSecrets",
            "nodePublishSecretRef",
            "secret",
            "secretKeyRef",
            "secretName",
            "secretRef",
        ],
        made_for: None,
    },
    References {
        resource: "persistentvolumeclaims",
        verbs: &["get"],
        keys: &["claimName"],
        made_for: Some("ephemeral"),
    },
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

/// Reports whether a user is a node that reads an object to which a pod on it refers.
pub(crate) fn relates(objects: &dyn Objects, user: &User, asked: &Attributes) -> bool {
    let Some(node) = user.name.strip_prefix(PREFIX).filter(|_| is_node(user)) else { return false };
    let Some(references) = REFERENCES.iter().find(|own| own.resource == asked.resource) else {
        return false;
    };
    let is_one =
        asked.is_resource && asked.group.is_empty() && asked.subresource.is_empty() && !asked.name.is_empty();
    if !is_one || !references.verbs.contains(&asked.verb.as_str()) {
        return false;
    }
    let mut found = false;
    objects.each(&["/registry/pods/", &asked.namespace, "/"].concat(), &mut |pod| {
        found =
            found || pod.field("spec.nodeName") == Some(node) && references.include(&pod.tree(), &asked.name);
    });
    found
}

impl References {
    /// Reports whether a pod refers to an object of a name.
    fn include(&self, pod: &Object, name: &str) -> bool {
        let Some(spec) = pod.get("spec") else { return false };
        let is_made_for = |volume: &Value| {
            let is_such = self.made_for.is_some_and(|field| volume.get(field).is_some());
            is_such && [metadata_text(pod, "name"), "-", volume.text("name")].concat() == name
        };
        let mut volumes = spec.get("volumes").and_then(Value::as_array).into_iter().flatten();
        refers(spec, "", self.keys, name) || volumes.any(is_made_for)
    }
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
                {"name": "c", "persistentVolumeClaim": {"claimName": "claimed"}},
                {"name": "own", "ephemeral": {"volumeClaimTemplate": {}}},
            ],
        });
        let pod = json_tree::json!({"metadata": {"name": "p"}, "spec": spec});
        let check = |resource: &str, expected: &str| {
            let Some(references) = REFERENCES.iter().find(|own| own.resource == resource) else {
                panic!("{resource}")
            };
            let names = [
                "all",
                "app",
                "claimed",
                "env",
                "k",
                "other",
                "p-own",
                "p-v",
                "part",
                "projected",
                "pull",
                "v",
                "volume",
            ];
            let pod = pod.as_object().unwrap();
            let found: Vec<&str> = names.into_iter().filter(|name| references.include(pod, name)).collect();
            assert_eq!(found.join(" "), expected);
        };
        check("configmaps", "all projected");
        check("secrets", "env part pull volume");
        check("persistentvolumeclaims", "claimed p-own");
    }
}
