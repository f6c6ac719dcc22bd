//! The path where an object of a manifest belongs, and the request that applies it there.

use std::sync::Arc;

use apimachinery::target;
use json_tree::Value;

use crate::cluster::Request;
use crate::model::explore::served::Kind;
use crate::model::manifest::{MANAGER, Outcome};
use crate::ui::messages::manifest as words;

/// The media type of a configuration that is applied.
const APPLY: &str = "application/apply-patch+yaml";

/// How a manifest is applied.
#[derive(Clone, Debug, Default)]
pub(crate) struct How {
    /// The field manager; empty for [`MANAGER`].
    pub(crate) manager: String,
    /// True to take over fields that other managers own.
    pub(crate) force: bool,
    /// True to change nothing.
    pub(crate) dry: bool,
    /// The namespace of what names none.
    pub(crate) namespace: String,
}

/// Returns an object as kubectl names it, as far as it says what it is: `configmap/a`, `deployment.apps/web`.
pub(crate) fn name(object: &Value) -> String {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let kind = text("/kind").to_ascii_lowercase();
    let group = text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
    let name = match text("/metadata/name") {
        "" => text("/metadata/generateName"),
        name => name,
    };
    let dot = if kind.is_empty() || group.is_empty() { "" } else { "." };
    let group = if kind.is_empty() { "" } else { group };
    let slash = if kind.is_empty() || name.is_empty() { "" } else { "/" };
    [kind.as_str(), dot, group, slash, name].concat()
}

/// Makes the request that applies an object. `text` is sent as its body.
///
/// # Errors
/// The object does not say what it is, or nothing of its kind is served: why, as kubectl says it.
pub(crate) fn request(
    object: &Value,
    text: String,
    served: &[Arc<Kind>],
    how: &How,
) -> Result<Request, String> {
    let said =
        |pointer: &str| object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let missing = |field: &str| words::missing(field, &object.to_string());
    let kind = said("/kind").ok_or_else(|| missing("Kind"))?;
    let version = said("/apiVersion").ok_or_else(|| missing("apiVersion"))?;
    let name = said("/metadata/name");
    let namespace = said("/metadata/namespace");
    let known = served.iter().find(|known| known.kind == kind && known.api_version() == version);
    let known = known.ok_or_else(|| {
        words::no_matches(name.unwrap_or_default(), namespace.unwrap_or_default(), kind, version)
    })?;
    let name = name.ok_or_else(|| match said("/metadata/generateName") {
        Some(begin) => words::generated(begin),
        None => words::NO_NAME.to_owned(),
    })?;
    let namespace = namespace.unwrap_or(match how.namespace.as_str() {
        "" => "default",
        namespace => namespace,
    });
    let manager = if how.manager.is_empty() { MANAGER } else { &how.manager };
    let params = [
        ("fieldManager", Some(manager)),
        ("force", how.force.then_some("true")),
        ("dryRun", how.dry.then_some("All")),
    ];
    let path = [&known.path(namespace), "/", name].concat();
    let mut request =
        Request { method: "PATCH".to_owned(), body: text, ..Request::get(&target::with(&path, &params)) };
    request.headers.push(("Content-Type".to_owned(), APPLY.to_owned()));
    Ok(request)
}

/// Tells the outcome of applying an object by how it was `before`, if it was there, and how it is `now`. A dry run gives it
/// another version whatever happens, so the rest of it is compared.
pub(crate) fn outcome(before: Option<&Value>, now: &Value, dry: bool) -> Outcome {
    let Some(before) = before else { return Outcome::Created };
    let same = if dry {
        without_bookkeeping(before) == without_bookkeeping(now)
    } else {
        before["metadata"]["resourceVersion"] == now["metadata"]["resourceVersion"]
    };
    if same { Outcome::Unchanged } else { Outcome::Configured }
}

/// Returns an object without its version and its managed fields.
fn without_bookkeeping(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in ["managedFields", "resourceVersion"] {
            metadata.remove(field);
        }
    }
    object
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn served() -> Vec<Arc<Kind>> {
        let kind = |group: &str, resource: &str, kind: &str, namespaced| {
            let (group, resource, kind) = (group.to_owned(), resource.to_owned(), kind.to_owned());
            Arc::new(Kind { group, version: "v1".to_owned(), resource, kind, namespaced, ..Kind::default() })
        };
        vec![
            kind("", "configmaps", "ConfigMap", true),
            kind("", "namespaces", "Namespace", false),
            kind("apps", "deployments", "Deployment", true),
        ]
    }

    #[track_caller]
    fn check(object: &Value, how: &How, expected: Result<&str, &str>) {
        let made = request(object, "text".to_owned(), &served(), how);
        let target = made.as_ref().map(|request| request.target.as_str());
        assert_eq!(target.map_err(String::as_str), expected);
        if let Ok(request) = made {
            assert_eq!((request.method.as_str(), request.body.as_str()), ("PATCH", "text"));
            assert_eq!(request.header("Content-Type"), Some(APPLY));
        }
    }

    #[test]
    fn objects_are_applied_where_they_belong() {
        let how = How::default();
        let map = |metadata: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        let path = "/api/v1/namespaces/default/configmaps/a?fieldManager=kubectl";
        check(&map(json!({"name": "a"})), &how, Ok(path));
        let path = "/api/v1/namespaces/b/configmaps/a?fieldManager=kubectl";
        check(&map(json!({"name": "a", "namespace": "b"})), &how, Ok(path));
        check(
            &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}),
            &how,
            Ok("/api/v1/namespaces/a?fieldManager=kubectl"),
        );
        let how = How { manager: "me".to_owned(), force: true, dry: true, namespace: "c".to_owned() };
        check(
            &json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}}),
            &how,
            Ok("/apis/apps/v1/namespaces/c/deployments/a?fieldManager=me&force=true&dryRun=All"),
        );
    }

    #[test]
    fn what_cannot_be_applied_is_told_as_kubectl_tells_it() {
        let how = How::default();
        check(&json!({"a": 1}), &how, Err("Object 'Kind' is missing in '{\"a\":1}'"));
        check(&json!({"kind": "Pod"}), &how, Err("Object 'apiVersion' is missing in '{\"kind\":\"Pod\"}'"));
        check(
            &json!({"apiVersion": "example.com/v1", "kind": "CronTab", "metadata": {"name": "a"}}),
            &how,
            Err(
                "resource mapping not found for name: \"a\" namespace: \"\": no matches for kind \"CronTab\" in version \"example.com/v1\"\nensure CRDs are installed first",
            ),
        );
        let map = |metadata: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        check(&map(json!({})), &how, Err("resource name may not be empty"));
        check(&map(json!({"generateName": "a-"})), &how, Err("from a-: cannot use generate name with apply"));
    }

    #[test]
    fn objects_are_named_as_kubectl_names_them() {
        for (object, expected) in [
            (json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}), "configmap/a"),
            (
                json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}}),
                "deployment.apps/a",
            ),
            (json!({"kind": "Pod", "metadata": {"generateName": "a-"}}), "pod/a-"),
            (json!({"metadata": {"name": "a"}}), "a"),
            (json!(1), ""),
        ] {
            assert_eq!(name(&object), expected);
        }
    }

    #[test]
    fn outcomes_are_told_by_versions() {
        let at = |version: &str, data: &str| json!({"metadata": {"resourceVersion": version}, "data": data});
        for (before, now, dry, expected) in [
            (None, at("1", "a"), false, Outcome::Created),
            (Some(at("1", "a")), at("1", "a"), false, Outcome::Unchanged),
            (Some(at("1", "a")), at("2", "a"), false, Outcome::Configured),
            (Some(at("1", "a")), at("2", "a"), true, Outcome::Unchanged),
            (Some(at("1", "a")), at("1", "b"), true, Outcome::Configured),
        ] {
            assert_eq!(outcome(before.as_ref(), &now, dry), expected);
        }
    }
}
