//! The question of the Access view: who may do something, and whether somebody may.

use json_tree::{Value, json};
use leptos::prelude::*;
use protocol::trace::Attributes;

use crate::cluster::Request;
use crate::model::access::rules::Subject;
use crate::model::explore::Explore;
use crate::model::explore::served::Kind;

/// The path of the reviews that tell whether a user may do something.
///
/// <https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access>
const REVIEWS: &str = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/// The verbs of resources.
pub(crate) const VERBS: [&str; 8] =
    ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

/// The fields of the question, as they are written. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Question {
    pub(crate) verb: RwSignal<String>,
    /// `pods`, `pods/log`, `deployments.apps`, or a path such as `/metrics`.
    pub(crate) resource: RwSignal<String>,
    /// Empty for all namespaces.
    pub(crate) namespace: RwSignal<String>,
    /// The name of an object; empty for any.
    pub(crate) name: RwSignal<String>,
    /// The kind of the subject, and its name.
    pub(crate) kind: RwSignal<String>,
    pub(crate) subject: RwSignal<String>,
}

impl Question {
    pub(crate) fn new() -> Self {
        let text = |text: &str| RwSignal::new(text.to_owned());
        Self {
            verb: text("list"),
            resource: text("configmaps"),
            namespace: text("default"),
            name: text(""),
            kind: text("User"),
            subject: text("alice"),
        }
    }

    /// Asks what was decided on a request.
    pub(crate) fn ask(self, user: &str, asked: &Attributes) {
        self.verb.set(asked.verb.clone());
        let resource = match asked.subresource.as_str() {
            "" => asked.resource.clone(),
            part => [&asked.resource, "/", part].concat(),
        };
        let dot = if asked.group.is_empty() { "" } else { "." };
        let resource = [&resource, dot, &asked.group].concat();
        self.resource.set(if asked.is_resource { resource } else { asked.path.clone() });
        self.namespace.set(asked.namespace.clone());
        self.name.set(asked.name.clone());
        let subject = Subject::of("User", user, "");
        self.subject.set(subject.written());
        self.kind.set(subject.kind);
    }

    /// Returns what is asked about.
    pub(crate) fn attributes(self, explore: Explore) -> Attributes {
        let (verb, resource) = (self.verb.get(), self.resource.get());
        let (namespace, name) = (self.namespace.get(), self.name.get());
        explore.kinds.with(|kinds| {
            let kinds = kinds.iter().map(AsRef::as_ref);
            attributes([&verb, &resource, &namespace, &name], kinds)
        })
    }

    /// Returns whom it is about.
    pub(crate) fn who(self) -> Subject {
        Subject::of(&self.kind.get(), &self.subject.get(), &self.namespace.get())
    }
}

/// Reads a question: its verb, resource, namespace and name. Of a resource without a group it is the group that serves it.
fn attributes<'k>(
    [verb, resource, namespace, name]: [&str; 4],
    mut kinds: impl Iterator<Item = &'k Kind>,
) -> Attributes {
    let (verb, resource, name) = (verb.to_owned(), resource.trim(), name.trim().to_owned());
    if resource.starts_with('/') {
        return Attributes { verb, path: resource.to_owned(), ..Attributes::default() };
    }
    // `deployments.apps/scale` and `deployments/scale.apps` mean the same.
    let (first, second) = resource.split_once('/').unwrap_or((resource, ""));
    let (first, group) = first.split_once('.').unwrap_or((first, ""));
    let (subresource, later) = second.split_once('.').unwrap_or((second, ""));
    let group = if group.is_empty() { later } else { group };
    let first = first.to_ascii_lowercase();
    let known = kinds.find(|kind| {
        let called = kind.resource == first || kind.short_names.contains(&first);
        called && (group.is_empty() || kind.group == group)
    });
    let (resource, group, namespaced) = match known {
        Some(known) => (known.resource.clone(), known.group.clone(), known.namespaced),
        None => (first, group.to_owned(), true),
    };
    Attributes {
        verb,
        is_resource: true,
        group,
        resource,
        subresource: subresource.to_owned(),
        namespace: if namespaced { namespace.to_owned() } else { String::new() },
        name,
        ..Attributes::default()
    }
}

/// Returns the request that asks an API server whether somebody may do something.
pub(crate) fn review(who: &Subject, asked: &Attributes) -> Request {
    let text = |name: &str, value: &str| (!value.is_empty()).then(|| (name.to_owned(), Value::from(value)));
    let (key, fields) = if asked.is_resource {
        let fields = [
            text("namespace", &asked.namespace),
            text("verb", &asked.verb),
            text("group", &asked.group),
            text("resource", &asked.resource),
            text("subresource", &asked.subresource),
            text("name", &asked.name),
        ];
        ("resourceAttributes", fields.into_iter().flatten().collect::<Value>())
    } else {
        let fields = [text("path", &asked.path), text("verb", &asked.verb)];
        ("nonResourceAttributes", fields.into_iter().flatten().collect::<Value>())
    };
    let mut spec = json!({"groups": who.groups()});
    if let Some(spec) = spec.as_object_mut() {
        spec.insert(key.to_owned(), fields);
        if let Some(user) = who.user() {
            spec.insert("user".to_owned(), user.into());
        }
    }
    let body = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec});
    Request::json("POST", REVIEWS, &body.to_string())
}

/// Returns what an API server says of it: whether it is allowed, and why.
pub(crate) fn verdict(reviewed: &Value) -> Option<(bool, String)> {
    let status = reviewed.get("status")?;
    let text = |key: &str| status[key].as_str().unwrap_or_default();
    let reason = [text("reason"), text("evaluationError")].join(" ").trim().to_owned();
    Some((status.get("allowed").and_then(Value::as_bool).unwrap_or(false), reason))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::executor::block_on;
    use protocol::message::Mode;

    use super::*;
    use crate::cluster::decided::Decided;
    use crate::cluster::embedded::in_process::InProcess;
    use crate::cluster::{Body, Transport};
    use crate::model::access::grant;
    use crate::model::explore::served::tests::kinds;

    #[track_caller]
    fn check(resource: &str, expected: &str) {
        let kinds = kinds();
        let asked = attributes(["get", resource, "a", " x "], kinds.iter().map(AsRef::as_ref));
        let parts =
            [&asked.resource, &asked.subresource, &asked.group, &asked.namespace, &asked.name, &asked.path];
        assert_eq!(parts.map(String::as_str).join("|"), expected, "{resource}");
    }

    #[test]
    fn a_resource_is_written_as_kubectl_reads_it() {
        check("configmaps", "configmaps|||a|x|");
        check("cm", "configmaps|||a|x|");
        check("nodes", "nodes||||x|");
        check("crontabs", "crontabs||stable.example.com|a|x|");
        check("crontabs.stable.example.com/scale", "crontabs|scale|stable.example.com|a|x|");
        check("crontabs/scale.stable.example.com", "crontabs|scale|stable.example.com|a|x|");
        check("flunders.example.com", "flunders||example.com|a|x|");
        check("/metrics", "|||||/metrics");
    }

    #[test]
    fn an_api_server_decides_and_tells_why() {
        let cluster = InProcess::new(Duration::from_secs(1_800_000_000), 1);
        let who = Subject::of("User", "alice", "");
        let asked = attributes(["list", "configmaps", "default", ""], std::iter::empty());
        let ask = || {
            let answer = block_on(cluster.ask(Mode::DryRun, &review(&who, &asked))).unwrap();
            let Body::Bytes(body) = answer.body else { panic!("a stream") };
            assert_eq!(answer.status, 201, "{}", String::from_utf8_lossy(&body));
            verdict(&serde_json::from_slice(&body).unwrap()).unwrap()
        };
        assert_eq!(ask(), (false, String::new()));
        let denied = Decided {
            user: "alice".to_owned(),
            asked: asked.clone(),
            access: protocol::trace::Access::default(),
        };
        for request in grant::requests(&denied) {
            assert_eq!(block_on(cluster.send(request)).unwrap().status, 201);
        }
        let (allowed, reason) = ask();
        assert!(allowed && reason.starts_with("RBAC: allowed by RoleBinding"), "{reason}");
    }
}
