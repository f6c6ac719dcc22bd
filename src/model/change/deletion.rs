//! How far the deletion of an object is.
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/>.

use apimachinery::target;
use json_tree::{Value, json};

use crate::cluster::Request;
use crate::cluster::place::Place;

/// An object that has been marked for deletion.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Deletion {
    /// When.
    pub(crate) since: String,
    /// How many seconds its containers have, if it has any.
    pub(crate) grace: Option<u64>,
    /// The finalizers that it waits for.
    pub(crate) finalizers: Vec<String>,
    /// The same of a namespace, where it stands elsewhere.
    pub(crate) spec_finalizers: Vec<String>,
    /// The phase of a namespace.
    pub(crate) phase: String,
    /// The conditions of a namespace: type, status and message.
    pub(crate) conditions: Vec<[String; 3]>,
}

impl Deletion {
    /// How far `object` is; `None` if nobody deletes it.
    pub(crate) fn of(object: &Value) -> Option<Self> {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let since = Some(text("/metadata/deletionTimestamp")).filter(|since| !since.is_empty())?.to_owned();
        let list = |pointer: &str| {
            let items = object.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
        };
        let mut deletion = Self { since, finalizers: list("/metadata/finalizers"), ..Self::default() };
        let seconds = object.pointer("/metadata/deletionGracePeriodSeconds").and_then(Value::as_u64);
        deletion.grace = seconds.filter(|seconds| *seconds > 0);
        if object["kind"] == "Namespace" {
            deletion.spec_finalizers = list("/spec/finalizers");
            deletion.phase = text("/status/phase").to_owned();
            let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
            let of = |condition: &Value| {
                ["type", "status", "message"]
                    .map(|key| condition[key].as_str().unwrap_or_default().to_owned())
            };
            deletion.conditions = conditions.into_iter().flatten().map(of).collect();
        }
        Some(deletion)
    }

    /// Reports whether nothing is left to wait for.
    pub(crate) fn is_over(&self) -> bool {
        self.finalizers.is_empty() && self.spec_finalizers.is_empty() && self.grace.is_none()
    }
}

/// The path of the object that `request` is about.
fn path(request: &Request) -> Option<String> {
    let path = target::split(&request.target).0;
    let place = Place::of(&path).filter(|place| !place.name.is_empty())?;
    Some(place.object(place.name))
}

/// The request that takes a finalizer away, and nothing else: if somebody has changed them meanwhile, it fails.
pub(crate) fn without(request: &Request, finalizers: &[String], at: usize) -> Option<Request> {
    let path = path(request)?;
    let finalizer = finalizers.get(at)?;
    let place = ["/metadata/finalizers/", &at.to_string()].concat();
    let body = json!([
        {"op": "test", "path": place, "value": finalizer},
        {"op": "remove", "path": place},
    ]);
    let mut patch = Request::json("PATCH", &path, &serde_json::to_string_pretty(&body).ok()?);
    patch.headers.retain(|(name, _)| name != "Content-Type");
    patch.headers.push(("Content-Type".to_owned(), "application/json-patch+json".to_owned()));
    Some(patch)
}

/// The request by which a namespace's own finalizer goes.
pub(crate) fn finalized(request: &Request, namespace: &Value, finalizer: &str) -> Option<Request> {
    let path = [&path(request)?, "/finalize"].concat();
    let mut body = namespace.clone();
    let finalizers = body.pointer_mut("/spec/finalizers")?.as_array_mut()?;
    finalizers.retain(|known| known != finalizer);
    body.get_mut("metadata")?.as_object_mut()?.shift_remove("managedFields");
    Some(Request::json("PUT", &path, &serde_json::to_string_pretty(&body).ok()?))
}

/// The request that does not wait for containers.
pub(crate) fn at_once(request: &Request) -> Option<Request> {
    let target = [&path(request)?, "?gracePeriodSeconds=0"].concat();
    Some(Request { method: "DELETE".to_owned(), ..Request::get(&target) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG_MAP: &str = "/api/v1/namespaces/default/configmaps/a";

    #[test]
    fn tells_what_an_object_waits_for() {
        assert_eq!(Deletion::of(&json!({"metadata": {"finalizers": ["a/b"]}})), None);
        let object = json!({"kind": "Pod", "metadata": {
            "deletionTimestamp": "t", "deletionGracePeriodSeconds": 30, "finalizers": ["a/b", 1, "orphan"],
        }});
        let deletion = Deletion::of(&object).unwrap();
        assert_eq!((deletion.since.as_str(), deletion.grace), ("t", Some(30)));
        assert_eq!(deletion.finalizers, ["a/b", "orphan"]);
        assert!(!deletion.is_over());
        let over = json!({"metadata": {"deletionTimestamp": "t", "deletionGracePeriodSeconds": 0}});
        assert!(Deletion::of(&over).unwrap().is_over());
    }

    #[test]
    fn a_namespace_has_conditions() {
        let namespace = json!({
            "kind": "Namespace",
            "metadata": {"deletionTimestamp": "t", "managedFields": []},
            "spec": {"finalizers": ["kubernetes", "x/y"]},
            "status": {"phase": "Terminating", "conditions": [{"type": "A", "status": "True", "message": "m"}]},
        });
        let deletion = Deletion::of(&namespace).unwrap();
        assert_eq!((deletion.phase.as_str(), deletion.is_over()), ("Terminating", false));
        assert_eq!(deletion.conditions, [["A", "True", "m"].map(str::to_owned)]);
        let asked = Request::get("/api/v1/namespaces/a?x=y");
        let request = finalized(&asked, &namespace, "kubernetes").unwrap();
        assert_eq!(
            (request.method.as_str(), request.target.as_str()),
            ("PUT", "/api/v1/namespaces/a/finalize")
        );
        let body: Value = serde_json::from_str(&request.body).unwrap();
        assert_eq!(body["spec"], json!({"finalizers": ["x/y"]}));
        assert_eq!(finalized(&asked, &json!({}), "kubernetes"), None);
    }

    #[test]
    fn finalizers_go_one_by_one() {
        let finalizers = ["a/b", "c/d"].map(str::to_owned);
        let asked = Request::get(&[CONFIG_MAP, "?x=y"].concat());
        let request = without(&asked, &finalizers, 1).unwrap();
        assert_eq!((request.method.as_str(), request.target.as_str()), ("PATCH", CONFIG_MAP));
        assert_eq!(request.header("Content-Type"), Some("application/json-patch+json"));
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let place = "/metadata/finalizers/1";
        assert_eq!(
            body,
            json!([{"op": "test", "path": place, "value": "c/d"}, {"op": "remove", "path": place}])
        );
        assert_eq!(without(&asked, &finalizers, 2), None);
        assert_eq!(without(&Request::get("/api/v1/nodes"), &finalizers, 0), None);
        assert_eq!(at_once(&asked).unwrap().target, [CONFIG_MAP, "?gracePeriodSeconds=0"].concat());
    }
}
