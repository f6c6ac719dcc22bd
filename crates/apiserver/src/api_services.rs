//! APIServices: who serves each version of a group, and in which order groups and versions are told.
//!
//! <https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/>

use std::sync::Arc;

use json_tree::Value;
use store::Revision;

use crate::version_order;
use apimachinery::object::Object;

/// The prefix of the keys of stored APIServices.
pub(crate) const PREFIX: &str = "/registry/apiregistration.k8s.io/apiservices/";
/// The group of APIServices, which none of them registers, and which is the first.
pub(crate) const GROUP: &str = "apiregistration.k8s.io";
/// The label of those that kube-apiserver makes by itself.
pub(crate) const AUTOMANAGED: &str = "kube-aggregator.kubernetes.io/automanaged";

/// The versions that are built in, in the order of groups: group, priority of the group, version, priority of the version.
const BUILT_IN: &[(&str, i64, &str, i64)] = &[
    ("", 18_000, "v1", 1),
    ("apps", 17_800, "v1", 15),
    ("events.k8s.io", 17_750, "v1", 15),
    ("authentication.k8s.io", 17_700, "v1", 15),
    ("authorization.k8s.io", 17_600, "v1", 15),
    ("autoscaling", 17_500, "v2", 30),
    ("autoscaling", 17_500, "v1", 15),
    ("batch", 17_400, "v1", 15),
    ("certificates.k8s.io", 17_300, "v1", 15),
    ("networking.k8s.io", 17_200, "v1", 15),
    ("policy", 17_100, "v1", 15),
    ("rbac.authorization.k8s.io", 17_000, "v1", 15),
    ("storage.k8s.io", 16_800, "v1", 15),
    ("admissionregistration.k8s.io", 16_700, "v1", 15),
    ("apiextensions.k8s.io", 16_700, "v1", 15),
    ("scheduling.k8s.io", 16_600, "v1", 15),
    ("coordination.k8s.io", 16_500, "v1", 15),
    ("node.k8s.io", 16_300, "v1", 15),
    ("discovery.k8s.io", 16_200, "v1", 15),
    ("resource.k8s.io", 16_200, "v1", 21),
    ("flowcontrol.apiserver.k8s.io", 16_100, "v1", 21),
];
/// The priorities of the group and of the version of what a CustomResourceDefinition serves.
const CUSTOM: (i64, i64) = (1_000, 100);
/// The priority in aggregated discovery of the group that is always the first.
const FIRST: (i64, i64) = (20_001, 0);

/// A version of a group, as an APIService registers it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ApiService {
    /// The name: `v1.apps`.
    pub(crate) name: String,
    pub(crate) group: String,
    pub(crate) version: String,
    /// The priorities of the group and of the version.
    pub(crate) priorities: (i64, i64),
    /// The server, if it is not this one.
    pub(crate) server: Option<Aggregated>,
    /// The revision that wrote it; 0 for one that is built in.
    pub(crate) revision: Revision,
}

/// An aggregated API server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Aggregated {
    /// The namespace of the service that it is reached by.
    pub(crate) namespace: String,
    /// The name of the service.
    pub(crate) service: String,
    /// The port of the service.
    pub(crate) port: u64,
    /// The certificates of the authorities that its own is signed by, in PEM.
    pub(crate) ca_bundle: Vec<u8>,
    /// True if its certificate is not verified.
    pub(crate) insecure: bool,
    /// True if its condition says that it is available.
    pub(crate) available: bool,
}

impl ApiService {
    /// Reads a stored APIService.
    pub(crate) fn read(name: &str, revision: Revision, tree: &Object) -> Self {
        let none = Value::Null;
        let spec = tree.get("spec").unwrap_or(&none);
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let priority = |key: &str| spec[key].as_i64().unwrap_or_default();
        let service = &spec["service"];
        let bundle = spec["caBundle"].as_str().and_then(|text| golang::base64::decode(text).ok());
        let conditions = tree.get("status").and_then(|status| status["conditions"].as_array());
        let mut conditions = conditions.into_iter().flatten();
        let available = conditions.any(|one| one["type"] == "Available" && one["status"] == "True");
        Self {
            name: name.to_owned(),
            group: text(spec, "group"),
            version: text(spec, "version"),
            priorities: (priority("groupPriorityMinimum"), priority("versionPriority")),
            server: service.is_object().then(|| Aggregated {
                namespace: text(service, "namespace"),
                service: text(service, "name"),
                port: service["port"].as_u64().unwrap_or(443),
                ca_bundle: bundle.unwrap_or_default(),
                insecure: spec["insecureSkipTLSVerify"] == true,
                available,
            }),
            revision,
        }
    }

    /// Returns the path that all of its paths begin with.
    pub(crate) fn root(&self) -> String {
        if self.group.is_empty() {
            return "/api".to_owned();
        }
        ["/apis/", &self.group, "/", &self.version].concat()
    }
}

/// Returns those that a new cluster has.
pub(crate) fn built_in() -> Vec<Arc<ApiService>> {
    let service = |(group, group_priority, version, priority): &(&str, i64, &str, i64)| {
        Arc::new(ApiService {
            name: [version, ".", group].concat(),
            group: (*group).to_owned(),
            version: (*version).to_owned(),
            priorities: (*group_priority, *priority),
            server: None,
            revision: 0,
        })
    };
    BUILT_IN.iter().map(service).collect()
}

/// Returns the objects of those that a new cluster has.
pub(crate) fn built_in_objects() -> impl Iterator<Item = Object> {
    BUILT_IN
        .iter()
        .map(|(group, first, version, second)| object(group, version, (*first, *second), "onstart"))
}

/// Returns the object for a version that a CustomResourceDefinition serves.
pub(crate) fn custom_object(group: &str, version: &str) -> Object {
    object(group, version, CUSTOM, "true")
}

/// Makes an object for a version that is served here, as it is before the server completes it.
fn object(group: &str, version: &str, (first, second): (i64, i64), managed: &str) -> Object {
    let of_group = if group.is_empty() { String::new() } else { ["\"group\":\"", group, "\","].concat() };
    // Neither has anything that would have to be escaped.
    let text = [
        "{\"metadata\":{\"name\":\"",
        version,
        ".",
        group,
        "\",\"labels\":{\"",
        AUTOMANAGED,
        "\":\"",
        managed,
        "\"}},\"spec\":{",
        &of_group,
        "\"version\":\"",
        version,
        "\",\"groupPriorityMinimum\":",
        &first.to_string(),
        ",\"versionPriority\":",
        &second.to_string(),
        "}}",
    ];
    match text.concat().parse() {
        Ok(Value::Object(object)) => object,
        _ => Object::new(),
    }
}

/// Returns the priorities of a version that is served here: those in aggregated discovery, whatever APIServices say.
pub(crate) fn local_priorities(group: &str, version: &str) -> (i64, i64) {
    if group == GROUP {
        return FIRST;
    }
    let known = BUILT_IN.iter().find(|known| (known.0, known.2) == (group, version));
    known.map_or(CUSTOM, |known| (known.1, known.3))
}

/// Returns the APIServices in groups, in the order of the first of each, by priority and then by name.
pub(crate) fn by_group(services: &[Arc<ApiService>]) -> Vec<Vec<&ApiService>> {
    let mut all: Vec<&ApiService> = services.iter().map(AsRef::as_ref).collect();
    schema::sort_by(&mut all, |a: &&ApiService, b| {
        b.priorities.0.cmp(&a.priorities.0).then_with(|| a.name.cmp(&b.name))
    });
    let mut groups: Vec<Vec<&ApiService>> = Vec::new();
    for service in all {
        match groups.iter_mut().find(|group| group[0].group == service.group) {
            Some(group) => group.push(service),
            None => groups.push(vec![service]),
        }
    }
    for group in &mut groups {
        schema::sort_by(group, |a: &&ApiService, b| {
            let versions = || version_order::compare(&a.version, &b.version);
            b.priorities.1.cmp(&a.priorities.1).then_with(versions)
        });
    }
    groups
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn built_in_versions_are_in_the_order_of_their_priorities() {
        let services = built_in();
        let names: Vec<&str> = services.iter().map(|service| service.name.as_str()).collect();
        let sorted: Vec<&str> =
            by_group(&services).into_iter().flatten().map(|service| service.name.as_str()).collect();
        assert_eq!(names, sorted);
        let mut rows: Vec<String> =
            crate::resource::built_in().iter().map(|row| [&row.version, ".", &row.group].concat()).collect();
        rows.dedup();
        rows.retain(|name| name != "v1.apiregistration.k8s.io");
        rows.dedup();
        assert_eq!(names, rows);
    }

    #[test]
    fn what_is_read() {
        let check = |spec: Value, status: Value, expected: (bool, Option<bool>)| {
            let Value::Object(tree) = json!({ "spec": spec, "status": status }) else { return };
            let service = ApiService::read("v1.a.io", 7, &tree);
            let server = service.server.as_ref().map(|server| server.available);
            assert_eq!((service.root() == "/apis/a.io/v1", server), expected, "{tree:?}");
        };
        let at = json!({ "group": "a.io", "version": "v1", "service": { "namespace": "n", "name": "s" } });
        let available = |status: &str| json!({ "conditions": [{ "type": "Available", "status": status }] });
        check(json!({ "group": "a.io", "version": "v1" }), available("True"), (true, None));
        check(at.clone(), Value::Null, (true, Some(false)));
        check(at.clone(), available("Unknown"), (true, Some(false)));
        check(at, available("True"), (true, Some(true)));
        check(Value::Null, Value::Null, (false, None));
    }
}
