//! A request that a policy is for, by what its constraints name.

use std::collections::BTreeMap;
use std::sync::Arc;

use json_tree::{Map, Value};

use crate::cluster::Request;
use crate::cluster::place::Place;
use crate::model::explore::fields::Look;
use crate::model::explore::served::Kind;
use crate::model::explore::{example, rows};
use crate::model::policy::scratch::{Scratch, name_of};

/// Which of several resources is taken.
const PREFERRED: [&str; 3] = ["pods", "deployments", "configmaps"];

/// The contents of objects of some kinds, beside metadata, so that they are good ones.
const CONTENTS: &[(&[&str], &str)] = &[
    (&["configmaps"], r#"{"data":{"key":"value"}}"#),
    (&["pods"], r#"{"spec":{"containers":[{"name":"app","image":"nginx:1.29"}]}}"#),
    (&["services"], r#"{"spec":{"selector":{"app":"example"},"ports":[{"port":80}]}}"#),
    (
        &["daemonsets", "deployments", "replicasets", "statefulsets"],
        r#"{"spec":{"selector":{"matchLabels":{"app":"example"}},"template":{"metadata":{"labels":{"app":"example"}},"spec":{"containers":[{"name":"app","image":"nginx:1.29"}]}}}}"#,
    ),
    (
        &["jobs"],
        r#"{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"app","image":"nginx:1.29"}]}}}}"#,
    ),
    (&["namespaces"], r#"{"spec":{}}"#),
    (&["secrets"], r#"{"stringData":{"key":"value"}}"#),
    (&["serviceaccounts"], r#"{"automountServiceAccountToken":true}"#),
];

/// The subject of a rule: a kind, the subresource, the verb and the name of the object.
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
        None => Map::new().into(),
    };
    Some(written(&request, &body))
}

/// A new object.
async fn new(scratch: &Scratch, kind: &Kind, name: &str) -> Option<Value> {
    let contents = CONTENTS.iter().find(|(names, _)| names.contains(&kind.resource.as_str()));
    let mut object = match contents.filter(|_| kind.built_in().is_some()) {
        Some((_, contents)) => {
            let head = [r#"{"apiVersion":""#, &kind.api_version(), r#"","kind":""#, &kind.kind];
            let text = [&head.concat(), r#"","metadata":{},"#, &contents[1..]].concat();
            serde_json::from_str(&text).ok()?
        }
        None => {
            let look = match kind.built_in() {
                Some(_) => rows::look_of(kind, &BTreeMap::new())?,
                None => Look::Object(Arc::new(scratch.schema(kind).await?)),
            };
            example::object(kind, &look)
        }
    };
    let text = [r#"{"name":""#, name, r#"","labels":{"app":"example"}}"#].concat();
    object["metadata"] = serde_json::from_str(&text).ok()?;
    Some(object)
}

fn written(request: &Request, body: &Value) -> Request {
    let mut body = body.clone();
    if let Some(metadata) = body.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("managedFields");
    }
    Request::json(&request.method, &request.target, &serde_json::to_string_pretty(&body).unwrap_or_default())
}

/// Reports whether a policy may be asked about what a request writes, as far as its path tells.
pub(crate) fn may_concern(request: &Request) -> bool {
    let path = request.target.split('?').next().unwrap_or_default();
    let exempt = |group: &str| {
        matches!(group, crate::model::policy::GROUP | "authentication.k8s.io" | "authorization.k8s.io")
    };
    request.method != "GET" && Place::of(path).is_some_and(|place| !exempt(place.group()))
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn kinds() -> Vec<Arc<Kind>> {
        let kind = |group: &str, resource: &str| {
            let parts =
                vec![crate::model::explore::served::Part { name: "status".to_owned(), ..Default::default() }];
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
