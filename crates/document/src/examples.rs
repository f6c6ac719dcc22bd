//! Objects to begin with, for bodies that a document describes and does not write, and for what it assumes to be there.

use json_tree::{Value, json};

use crate::kinds::Kind;
use crate::pattern::Pattern;

/// The labels of examples.
const LABELS: &str = r#"{"app":"example"}"#;

/// The content of an object of each kind beside its metadata, by group and kind, as JSON. Of others an object without content is
/// made.
const CONTENT: &[(&str, &str, &str)] = &[
    ("", "Pod", r#"{"spec":{"containers":[{"name":"main","image":"registry.k8s.io/pause:3.10"}]}}"#),
    ("", "ConfigMap", r#"{"data":{"key":"some value"}}"#),
    ("", "Secret", r#"{"stringData":{"token":"example"}}"#),
    ("", "Service", r#"{"spec":{"selector":{"app":"example"},"ports":[{"port":80}]}}"#),
    ("", "Endpoints", r#"{"subsets":[{"addresses":[{"ip":"192.0.2.1"}],"ports":[{"port":80}]}]}"#),
    (
        "",
        "PersistentVolumeClaim",
        r#"{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}"#,
    ),
    (
        "",
        "PersistentVolume",
        r#"{"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/data"}}}"#,
    ),
    ("", "PodTemplate", r#"{"template":TEMPLATE}"#),
    ("", "ReplicationController", r#"{"spec":{"replicas":1,"selector":LABELS,"template":TEMPLATE}}"#),
    ("", "ResourceQuota", r#"{"spec":{"hard":{"pods":"10"}}}"#),
    ("", "LimitRange", r#"{"spec":{"limits":[{"type":"Container","default":{"cpu":"500m"}}]}}"#),
    (
        "",
        "Event",
        r#"{"involvedObject":{"kind":"Pod","namespace":"NAMESPACE","name":"example"},"reason":"Example","message":"an example","type":"Normal"}"#,
    ),
    ("apps", "Deployment", r#"{"spec":{"replicas":1,"selector":SELECTOR,"template":TEMPLATE}}"#),
    ("apps", "ReplicaSet", r#"{"spec":{"replicas":1,"selector":SELECTOR,"template":TEMPLATE}}"#),
    ("apps", "DaemonSet", r#"{"spec":{"selector":SELECTOR,"template":TEMPLATE}}"#),
    (
        "apps",
        "StatefulSet",
        r#"{"spec":{"replicas":1,"serviceName":"example","selector":SELECTOR,"template":TEMPLATE}}"#,
    ),
    ("batch", "Job", r#"{"spec":{"template":JOB}}"#),
    ("batch", "CronJob", r#"{"spec":{"schedule":"*/5 * * * *","jobTemplate":{"spec":{"template":JOB}}}}"#),
    (
        "autoscaling",
        "HorizontalPodAutoscaler",
        r#"{"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"example"},"minReplicas":1,"maxReplicas":10}}"#,
    ),
    ("policy", "PodDisruptionBudget", r#"{"spec":{"minAvailable":1,"selector":SELECTOR}}"#),
    (
        "networking.k8s.io",
        "Ingress",
        r#"{"spec":{"defaultBackend":{"service":{"name":"example","port":{"number":80}}}}}"#,
    ),
    ("networking.k8s.io", "NetworkPolicy", r#"{"spec":{"podSelector":{},"policyTypes":["Ingress"]}}"#),
    ("networking.k8s.io", "IngressClass", r#"{"spec":{"controller":"example.com/ingress"}}"#),
    (
        "rbac.authorization.k8s.io",
        "Role",
        r#"{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}]}"#,
    ),
    (
        "rbac.authorization.k8s.io",
        "ClusterRole",
        r#"{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}]}"#,
    ),
    (
        "rbac.authorization.k8s.io",
        "RoleBinding",
        r#"{"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"alice"}]}"#,
    ),
    (
        "rbac.authorization.k8s.io",
        "ClusterRoleBinding",
        r#"{"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"alice"}]}"#,
    ),
    ("storage.k8s.io", "StorageClass", r#"{"provisioner":"example.com/disk"}"#),
    ("storage.k8s.io", "CSIDriver", r#"{"spec":{"attachRequired":false}}"#),
    ("scheduling.k8s.io", "PriorityClass", r#"{"value":1000}"#),
    ("node.k8s.io", "RuntimeClass", r#"{"handler":"example"}"#),
    ("coordination.k8s.io", "Lease", r#"{"spec":{"holderIdentity":"example","leaseDurationSeconds":40}}"#),
    (
        "discovery.k8s.io",
        "EndpointSlice",
        r#"{"addressType":"IPv4","endpoints":[{"addresses":["192.0.2.1"]}],"ports":[{"port":80}]}"#,
    ),
    (
        "authorization.k8s.io",
        "SubjectAccessReview",
        r#"{"spec":{"user":"alice","resourceAttributes":{"verb":"get","resource":"pods","namespace":"default"}}}"#,
    ),
    (
        "authorization.k8s.io",
        "SelfSubjectAccessReview",
        r#"{"spec":{"resourceAttributes":{"verb":"get","resource":"pods","namespace":"default"}}}"#,
    ),
    (
        "authorization.k8s.io",
        "LocalSubjectAccessReview",
        r#"{"spec":{"user":"alice","resourceAttributes":{"verb":"get","resource":"pods","namespace":"NAMESPACE"}}}"#,
    ),
    ("authorization.k8s.io", "SelfSubjectRulesReview", r#"{"spec":{"namespace":"default"}}"#),
    ("authentication.k8s.io", "TokenReview", r#"{"spec":{"token":"example"}}"#),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicy",
        r#"{"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":["apps"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["deployments"]}]},"validations":[{"expression":"object.spec.replicas <= 5"}]}}"#,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicyBinding",
        r#"{"spec":{"policyName":"example","validationActions":["Deny"]}}"#,
    ),
];

const TEMPLATE: &str = r#"{"metadata":{"labels":LABELS},"spec":{"containers":[{"name":"main","image":"registry.k8s.io/pause:3.10"}]}}"#;
const JOB: &str = r#"{"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"registry.k8s.io/pause:3.10"}]}}"#;

/// The kinds whose objects have no name of their own: they are asked about.
const REVIEWS: &str = "Review";

/// Returns an object of a kind. An empty name is left out.
pub fn object(kind: &Kind, namespace: &str, name: &str) -> Value {
    let content = CONTENT.iter().find(|(group, own, _)| *group == kind.group && *own == kind.kind);
    let content = content.map_or("{}", |(_, _, content)| content).replace("TEMPLATE", TEMPLATE);
    let content = content.replace("JOB", JOB).replace("SELECTOR", r#"{"matchLabels":LABELS}"#);
    let content = content.replace("LABELS", LABELS).replace("NAMESPACE", namespace);
    let content: Value = serde_json::from_str(&content).unwrap_or_default();
    let mut object = json!({"apiVersion": kind.api_version(), "kind": kind.kind.as_str()});
    let mut metadata = json!({});
    if let Some(metadata) = metadata.as_object_mut() {
        if !name.is_empty() {
            metadata.insert("name".to_owned(), name.into());
        }
        if kind.namespaced && !namespace.is_empty() {
            metadata.insert("namespace".to_owned(), namespace.into());
        }
        if kind.kind == "Pod" {
            metadata.insert("labels".to_owned(), serde_json::from_str(LABELS).unwrap_or_default());
        }
    }
    if let (Some(object), Value::Object(content)) = (object.as_object_mut(), content) {
        if !kind.kind.ends_with(REVIEWS) {
            object.insert("metadata".to_owned(), metadata);
        }
        for (name, value) in content {
            object.insert(name.to_string(), value);
        }
    }
    object
}

/// Returns the body that a request to a subresource carries; `None` where it takes the object itself.
pub fn of_subresource(subresource: &str, namespace: &str, name: &str) -> Option<Value> {
    let metadata = json!({"name": name, "namespace": namespace});
    Some(match subresource {
        "eviction" => json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}),
        "binding" => json!({
            "apiVersion": "v1", "kind": "Binding", "metadata": metadata,
            "target": {"apiVersion": "v1", "kind": "Node", "name": "node-1"}
        }),
        "token" => json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": ["example"]}
        }),
        "scale" => json!({
            "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": {"replicas": 2}
        }),
        _ => return None,
    })
}

/// Returns the definition of a resource of which only the path is known.
pub fn definition(group: &str, version: &str, resource: &str, namespaced: bool) -> Value {
    let singular = resource.strip_suffix("ies").map(|begin| [begin, "y"].concat());
    let singular = singular.or_else(|| resource.strip_suffix('s').map(str::to_owned));
    let singular = singular.filter(|singular| !singular.is_empty()).unwrap_or_else(|| resource.to_owned());
    let mut letters = singular.chars();
    let kind: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{resource}.{group}")},
        "spec": {
            "group": group,
            "scope": if namespaced { "Namespaced" } else { "Cluster" },
            "names": {"plural": resource, "singular": singular.as_str(), "kind": kind.as_str()},
            "versions": [{
                "name": version,
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": true
                }}
            }]
        }
    })
}

/// Puts what is documented of an object over an example of it. What a server writes itself is left out.
pub fn documented(example: &mut Value, pattern: &Pattern) {
    const OF_SERVER: [&str; 6] =
        ["resourceVersion", "uid", "creationTimestamp", "selfLink", "managedFields", "status"];
    let Pattern::Object(fields) = pattern else { return };
    for (name, told) in fields.iter().filter(|(name, _)| !OF_SERVER.contains(&name.as_str())) {
        let Some(object) = example.as_object_mut() else { return };
        match (object.get_mut(name), told) {
            (_, Pattern::Any) => {}
            (Some(known @ Value::Object(_)), Pattern::Object(_)) => documented(known, told),
            _ if matches!(told, Pattern::List(items) if items.iter().all(|item| *item == crate::pattern::Item::Gap)) =>
                {}
            _ => {
                object.insert(name.clone(), told.to_value());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Kinds;

    #[test]
    fn content_is_json_of_kinds_that_there_are() {
        let kinds = Kinds::default();
        for (group, name, _) in CONTENT {
            let found = kinds.all().iter().find(|kind| kind.group == *group && kind.kind == *name);
            let kind = found.unwrap_or_else(|| panic!("{name} of {group:?} is served"));
            let object = object(kind, "default", "example");
            assert!(object.as_object().is_some_and(|object| object.len() > 2), "{name} has content");
        }
    }

    #[test]
    fn what_is_documented_stands_in_the_example() {
        let mut pod = json!({"metadata": {"name": "a"}, "spec": {"x": 1}});
        let told = crate::pattern::read(
            r#"{"metadata": {"name": "foo", "uid": "1", ...}, "spec": ..., "items": [...]}"#,
        );
        if let Some(crate::pattern::Item::One(told)) = told.first() {
            documented(&mut pod, told);
        }
        assert_eq!(pod.to_string(), r#"{"metadata":{"name":"foo"},"spec":{"x":1}}"#);
    }

    #[test]
    fn definitions_of_paths() {
        for (resource, kind) in
            [("resources", "Resource"), ("policies", "Policy"), ("sheep", "Sheep"), ("s", "S")]
        {
            let definition = definition("crd.example.com", "v1", resource, true);
            assert_eq!(definition["spec"]["names"]["kind"].as_str(), Some(kind));
        }
    }
}
