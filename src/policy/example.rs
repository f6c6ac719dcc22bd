//! A request that a policy is for, by what its constraints name.

use std::sync::Arc;

use json_tree::{Value, json};

use super::scratch::{Scratch, name_of};
use crate::cluster::Request;
use crate::cluster::place::Place;
use crate::explore::example;
use crate::explore::fields::Look;
use crate::explore::rows;
use crate::explore::served::Kind;

/// Which of several resources is taken.
const PREFERRED: [&str; 3] = ["pods", "deployments", "configmaps"];

/// What the objects of some kinds have in them, beside metadata, so that they are good ones.
const CONTENTS: &[(&[&str], &str)] = &[
    (&["configmaps"], r#"{"data":{"key":"value"}}"#),
    (&["pods"], r#"{"spec":{"containers":[{"name":"app","image":"nginx:1.29"}]}}"#),
    (&["services"], r#"{"spec":{"selector":{"app":"example"},"ports":[{"port":80}]}}"#),
    (
        &["deployments", "replicasets", "statefulsets"],
        r#"{"spec":{"replicas":3,"selector":{"matchLabels":{"app":"example"}},"template":{"metadata":{"labels":{"app":"example"}},"spec":{"containers":[{"name":"app","image":"nginx:1.29"}]}}}}"#,
    ),
    (
        &["daemonsets"],
        r#"{"spec":{"selector":{"matchLabels":{"app":"example"}},"template":{"metadata":{"labels":{"app":"example"}},"spec":{"containers":[{"name":"app","image":"nginx:1.29"}]}}}}"#,
    ),
    (
        &["jobs"],
        r#"{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"app","image":"nginx:1.29"}]}}}}"#,
    ),
    (&["namespaces", "secrets", "serviceaccounts"], "{}"),
];

/// What a rule is about: a kind, the subresource, the verb and the name of the object.
#[derive(Debug, PartialEq)]
struct Subject {
    kind: Arc<Kind>,
    part: String,
    verb: &'static str,
    /// Empty if the rule names none.
    name: String,
}

impl Subject {
    /// Of the first rule that something is known of.
    fn of(policy: &Value, kinds: &[Arc<Kind>]) -> Option<Self> {
        let rules = policy["spec"]["matchConstraints"]["resourceRules"].as_array()?;
        rules.iter().find_map(|rule| Self::of_rule(rule, kinds))
    }

    fn of_rule(rule: &Value, kinds: &[Arc<Kind>]) -> Option<Self> {
        let texts = |key: &str| rule[key].as_array().into_iter().flatten().filter_map(Value::as_str);
        let names = |key: &str, own: &str| texts(key).any(|text| text == "*" || text == own);
        let part_for = |kind: &Kind| {
            let named = texts("resources").map(|text| text.split_once('/').unwrap_or((text, "")));
            let mut named = named.filter(|(resource, _)| *resource == "*" || *resource == kind.resource);
            // A wildcard for parts means the object, too.
            named.next().map(|(_, part)| if part == "*" { "" } else { part })
        };
        let fits = |kind: &&Arc<Kind>| {
            let part = part_for(kind);
            names("apiGroups", &kind.group)
                && names("apiVersions", &kind.version)
                && part.is_some_and(|part| part.is_empty() || kind.parts.iter().any(|own| own.name == part))
        };
        let found: Vec<&Arc<Kind>> = kinds.iter().filter(fits).collect();
        let preferred = PREFERRED.iter().find_map(|name| found.iter().find(|kind| kind.resource == *name));
        let kind = Arc::clone(preferred.or(found.first())?);
        let part = part_for(&kind).unwrap_or_default().to_owned();
        let verbs = [("CREATE", "create"), ("UPDATE", "update"), ("DELETE", "delete"), ("CONNECT", "create")];
        let verb = verbs.iter().find(|(operation, _)| names("operations", operation))?.1;
        let name = texts("resourceNames").next().unwrap_or_default().to_owned();
        Some(Self { kind, part, verb, name })
    }
}

/// A request that a policy is for, in `namespace`; `None` if its constraints name nothing that is served.
pub(super) async fn request(scratch: &Scratch, policy: &Value, namespace: &str) -> Option<Request> {
    let subject = Subject::of(policy, &scratch.kinds().await)?;
    let Subject { kind, part, verb, name } = &subject;
    let namespace = if namespace.is_empty() { "default" } else { namespace };
    let own = if name.is_empty() { "example" } else { name };
    if *verb == "create" && part.is_empty() {
        let body = new(scratch, kind, own).await?;
        return Some(written(&kind.request(verb, part, namespace, own), &body));
    }
    // What is there already is what can be changed.
    let there = scratch.list(&kind.path(namespace)).await;
    let there = there.first().map(name_of).filter(|_| name.is_empty());
    let there = there.as_deref().map(|name| name.rsplit('/').next().unwrap_or_default());
    let request = kind.request(verb, part, namespace, there.unwrap_or(own));
    if *verb == "delete" {
        return Some(request);
    }
    let body = scratch.get(&request.target).await;
    let body = match body {
        Some(body) => body,
        None if part.is_empty() => new(scratch, kind, own).await?,
        None => json!({}),
    };
    Some(written(&request, &body))
}

/// A new object.
async fn new(scratch: &Scratch, kind: &Kind, name: &str) -> Option<Value> {
    let contents = CONTENTS.iter().find(|(names, _)| names.contains(&kind.resource.as_str()));
    let mut object = match contents.filter(|_| kind.built_in().is_some()) {
        Some((_, contents)) => {
            let mut object = json!({ "apiVersion": kind.api_version(), "kind": kind.kind, "metadata": {} });
            if let (Value::Object(object), Ok(Value::Object(contents))) =
                (&mut object, serde_json::from_str(contents))
            {
                object.extend(contents);
            }
            object
        }
        None => {
            let look = match kind.built_in() {
                Some(_) => rows::look_of(kind, &std::collections::BTreeMap::new())?,
                None => Look::Object(Arc::new(scratch.schema(kind).await?)),
            };
            example::object(kind, &look)
        }
    };
    object["metadata"] = json!({ "name": name, "labels": { "app": "example" } });
    Some(object)
}

fn written(request: &Request, body: &Value) -> Request {
    let mut body = body.clone();
    if let Some(metadata) = body.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("managedFields");
    }
    Request::json(&request.method, &request.target, &serde_json::to_string_pretty(&body).unwrap_or_default())
}

/// Sets the media type of a request that is written by hand, by how its body begins.
pub(crate) fn retype(request: &mut Request) {
    request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("Content-Type"));
    let first = request.body.trim_start().chars().next();
    let media = match (request.method.as_str(), first) {
        (_, None) => return,
        ("PATCH", Some('[')) => "application/json-patch+json",
        ("PATCH", _) => "application/merge-patch+json",
        (_, Some('{')) => "application/json",
        _ => "application/yaml",
    };
    request.headers.push(("Content-Type".to_owned(), media.to_owned()));
}

/// Whether a policy may be asked about what a request writes, as far as its path tells.
pub(crate) fn may_concern(request: &Request) -> bool {
    let path = request.target.split('?').next().unwrap_or_default();
    let exempt =
        |group: &str| matches!(group, super::GROUP | "authentication.k8s.io" | "authorization.k8s.io");
    request.method != "GET" && Place::of(path).is_some_and(|place| !exempt(place.group()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds() -> Vec<Arc<Kind>> {
        let kind = |group: &str, resource: &str| {
            let parts =
                vec![crate::explore::served::Part { name: "status".to_owned(), ..Default::default() }];
            let [group, resource] = [group, resource].map(str::to_owned);
            Arc::new(Kind { group, version: "v1".to_owned(), resource, parts, ..Kind::default() })
        };
        vec![kind("", "bindings"), kind("", "pods"), kind("apps", "deployments"), kind("a.b", "widgets")]
    }

    #[track_caller]
    fn check(rule: &Value, expected: Option<&str>) {
        let policy = json!({ "spec": { "matchConstraints": { "resourceRules": [rule] } } });
        let found = Subject::of(&policy, &kinds());
        let shown = found.map(|of| format!("{} {} {} {}", of.verb, of.kind.resource, of.part, of.name));
        assert_eq!(shown.as_deref().map(str::trim), expected);
    }

    #[test]
    fn the_body_says_what_it_is_sent_as() {
        for (method, body, media) in [
            ("POST", " {}", Some("application/json")),
            ("PUT", "a: b", Some("application/yaml")),
            ("PATCH", "{}", Some("application/merge-patch+json")),
            ("PATCH", "[]", Some("application/json-patch+json")),
            ("DELETE", "", None),
        ] {
            let mut request = Request::json(method, "/p", body);
            retype(&mut request);
            assert_eq!(request.header("Content-Type"), media, "{method} {body}");
        }
    }

    #[test]
    fn the_rules_say_what_a_request_is_about() {
        let rule = |operations: &[&str], group: &str, resources: &[&str]| json!({"operations": operations, "apiGroups": [group], "apiVersions": ["*"], "resources": resources});
        check(&rule(&["*"], "*", &["*"]), Some("create pods"));
        check(&rule(&["UPDATE", "DELETE"], "apps", &["deployments"]), Some("update deployments"));
        check(&rule(&["DELETE"], "a.b", &["*/*"]), Some("delete widgets"));
        check(&rule(&["UPDATE"], "", &["pods/status"]), Some("update pods status"));
        check(&rule(&["CREATE"], "", &["pods/none"]), None);
        check(&rule(&["CREATE"], "none", &["pods"]), None);
        let mut named = rule(&["CREATE"], "", &["pods"]);
        named["resourceNames"] = json!(["a"]);
        check(&named, Some("create pods  a"));
        check(&json!({}), None);
    }
}
