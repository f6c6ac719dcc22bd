//! The objects of a workshop. Those that are there already are kept as they are.

use apiserver::{ApiServer, User};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{Method, Request, StatusCode};
use serde_json::{Map, Value, json};

use super::{ATTENDEES, Error, GROUP, LEADER, MASTERS};

/// The user agent of the requests that make objects.
const AGENT: &str = "kubeglass-workshop";

const CLUSTER_ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const CLUSTER_ROLE_BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const NAMESPACES: &str = "/api/v1/namespaces";

/// The name of the quota in each namespace.
const QUOTA: &str = "workshop";

/// The objects that a namespace has room for: of each kind that the role `admin` lets somebody create, but for events, which no
/// quota counts.
const HARD: [(&str, &str); 22] = [
    ("pods", "20"),
    ("configmaps", "50"),
    ("secrets", "20"),
    ("services", "10"),
    ("persistentvolumeclaims", "10"),
    ("replicationcontrollers", "10"),
    ("count/serviceaccounts", "20"),
    ("count/deployments.apps", "10"),
    ("count/replicasets.apps", "50"),
    ("count/statefulsets.apps", "10"),
    ("count/daemonsets.apps", "10"),
    ("count/jobs.batch", "50"),
    ("count/cronjobs.batch", "10"),
    ("count/horizontalpodautoscalers.autoscaling", "10"),
    ("count/poddisruptionbudgets.policy", "10"),
    ("count/networkpolicies.networking.k8s.io", "10"),
    ("count/ingresses.networking.k8s.io", "10"),
    ("count/leases.coordination.k8s.io", "20"),
    ("count/resourceclaims.resource.k8s.io", "10"),
    ("count/resourceclaimtemplates.resource.k8s.io", "10"),
    ("count/roles.rbac.authorization.k8s.io", "20"),
    ("count/rolebindings.rbac.authorization.k8s.io", "20"),
];

/// Makes the objects of a workshop with these attendees.
///
/// # Errors
/// The cluster refuses one.
pub(super) async fn create(api: &ApiServer, names: impl Iterator<Item = &str>) -> Result<(), Error> {
    for (path, object) in for_all() {
        ensure(api, path, &object).await?;
    }
    for name in names {
        for (path, object) in for_attendee(name) {
            ensure(api, &path, &object).await?;
        }
        fill_in_quota(api, name).await?;
    }
    Ok(())
}

/// Returns the objects that there are once, each with the path of its collection.
fn for_all() -> [(&'static str, Value); 4] {
    let read = |group: &str, resources: &[&str]| json!({"apiGroups": [group], "resources": resources, "verbs": ["get", "list", "watch"]});
    let rules = [
        read("", &["namespaces", "nodes", "persistentvolumes"]),
        read("apiextensions.k8s.io", &["customresourcedefinitions"]),
        read("networking.k8s.io", &["ingressclasses"]),
        read("node.k8s.io", &["runtimeclasses"]),
        read("rbac.authorization.k8s.io", &["clusterroles"]),
        read("resource.k8s.io", &["deviceclasses"]),
        read("scheduling.k8s.io", &["priorityclasses"]),
        read("storage.k8s.io", &["storageclasses"]),
    ];
    let own = json!({
        "apiGroups": [GROUP], "resources": ["attendees"], "verbs": ["get", "list", "watch", "update", "patch"]
    });
    [
        (CLUSTER_ROLES, json!({"metadata": {"name": ATTENDEES}, "rules": rules})),
        (CLUSTER_ROLES, json!({"metadata": {"name": "workshop:attendee"}, "rules": [own]})),
        (
            CLUSTER_ROLE_BINDINGS,
            json!({
                "metadata": {"name": ATTENDEES},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": ATTENDEES},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": ATTENDEES}],
            }),
        ),
        (DEFINITIONS, definition()),
    ]
}

/// Returns the definition of the resource that says who has come how far.
fn definition() -> Value {
    let count = |about: &str| json!({"type": "integer", "minimum": 0, "maximum": 1000, "description": about});
    let spec = json!({
        "type": "object",
        "description": "How far the attendee has come.",
        "properties": {
            "lesson": {"type": "string", "maxLength": 253, "description": "The lesson that is open."},
            "step": count("The number of its steps that are done."),
            "steps": count("The number of steps that it has."),
            "done": count("The number of lessons that are done."),
            "seen": {"type": "string", "format": "date-time", "description": "When this was told."},
        },
    });
    let column = |name: &str, kind: &str| {
        let path = [".spec.", &name.to_ascii_lowercase()].concat();
        json!({"name": name, "type": kind, "jsonPath": path})
    };
    let columns = [
        column("Lesson", "string"),
        column("Step", "integer"),
        column("Steps", "integer"),
        column("Done", "integer"),
        column("Seen", "date"),
    ];
    json!({
        "metadata": {"name": format!("attendees.{GROUP}")},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": "attendees", "singular": "attendee", "kind": "Attendee", "listKind": "AttendeeList"},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "description": "Somebody who takes part in a workshop.",
                    "properties": {"spec": spec},
                }},
                "additionalPrinterColumns": columns,
            }],
        },
    })
}

/// Returns the objects of an attendee, each with the path of its collection.
fn for_attendee(name: &str) -> [(String, Value); 5] {
    let within = |collection: &str| [NAMESPACES, "/", name, "/", collection].concat();
    let of_group =
        |group: &str, collection: &str| ["/apis/", group, "/v1/namespaces/", name, "/", collection].concat();
    let bindings = || of_group("rbac.authorization.k8s.io", "rolebindings");
    let binding = |own: &str, role: &str| {
        json!({
            "metadata": {"name": own},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}],
        })
    };
    let kind = [GROUP, "/v1"].concat();
    [
        (NAMESPACES.to_owned(), json!({"metadata": {"name": name, "labels": {GROUP: "attendee"}}})),
        (bindings(), binding("workshop:admin", "admin")),
        (bindings(), binding("workshop:attendee", "workshop:attendee")),
        (
            of_group(GROUP, "attendees"),
            json!({"apiVersion": kind, "kind": "Attendee", "metadata": {"name": name}, "spec": {}}),
        ),
        (within("resourcequotas"), json!({"metadata": {"name": QUOTA}, "spec": {"hard": hard()}})),
    ]
}

fn hard() -> Value {
    let amounts = HARD.iter().map(|(name, amount)| ((*name).to_owned(), (*amount).into()));
    Value::Object(amounts.collect())
}

/// Gives a new quota a status: without one nothing can be created. The controller of quotas counts what is there already.
async fn fill_in_quota(api: &ApiServer, name: &str) -> Result<(), Error> {
    let path = [NAMESPACES, "/", name, "/resourcequotas/", QUOTA].concat();
    let quota = call(api, Method::GET, &path, None).await?;
    if quota["status"]["used"].is_object() {
        return Ok(());
    }
    let hard = &quota["spec"]["hard"];
    let names = hard.as_object().into_iter().flat_map(Map::keys);
    let used: Map<_, _> = names.map(|name| (name.clone(), "0".into())).collect();
    let patch = json!({"status": {"hard": hard, "used": used}});
    let status = [&path, "/status"].concat();
    call(api, Method::PATCH, &status, Some(&patch)).await.map(drop)
}

/// Creates an object, unless it is there. It is looked for first: a quota is charged for what is refused as a duplicate, too.
async fn ensure(api: &ApiServer, path: &str, object: &Value) -> Result<(), Error> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    if call(api, Method::GET, &[path, "/", name].concat(), None).await?.is_null() {
        call(api, Method::POST, path, Some(object)).await?;
    }
    Ok(())
}

/// Sends a request as the leader, and returns the body of its response; null for an object that does not exist.
///
/// # Errors
/// The request is refused.
async fn call(api: &ApiServer, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Error> {
    let refused = |why: String| Error::Refused { request: [method.as_str(), " ", path].concat(), why };
    let media_type =
        if method == Method::PATCH { "application/merge-patch+json" } else { "application/json" };
    let bytes = body.map(ToString::to_string).unwrap_or_default();
    let request = Request::builder().method(method.clone()).uri(path).header(USER_AGENT, AGENT);
    let request = request.header(CONTENT_TYPE, media_type).body(Bytes::from(bytes));
    let mut request = request.map_err(|error| refused(error.to_string()))?;
    let groups = [MASTERS, "system:authenticated"].map(str::to_owned).into();
    request.extensions_mut().insert(User { name: LEADER.to_owned(), groups, ..User::default() });
    let (head, body) = api.call(request).await.into_parts();
    let body: Value = body.bytes().and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
    match head.status {
        status if status.is_success() => Ok(body),
        StatusCode::NOT_FOUND if method == Method::GET => Ok(Value::Null),
        status => Err(refused(body["message"].as_str().unwrap_or(status.as_str()).to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use apiserver::{Config, ManualClock, SeededRandom};

    use super::*;

    fn cluster() -> ApiServer {
        ApiServer::new(Config::new(
            Arc::new(ManualClock::new(Duration::from_secs(1_800_000_000))),
            Arc::new(SeededRandom::new(7)),
        ))
    }

    async fn read(api: &ApiServer, path: &str) -> Value {
        call(api, Method::GET, path, None).await.unwrap()
    }

    #[tokio::test]
    async fn what_is_there_already_is_kept() {
        let api = cluster();
        create(&api, ["anna"].into_iter()).await.unwrap();
        let attendee = "/apis/workshop.kubeglass.dev/v1/namespaces/anna/attendees/anna";
        let quota = "/api/v1/namespaces/anna/resourcequotas/workshop";
        call(&api, Method::PATCH, attendee, Some(&json!({"spec": {"lesson": "watch"}}))).await.unwrap();
        call(&api, Method::PATCH, quota, Some(&json!({"spec": {"hard": {"pods": "3"}}}))).await.unwrap();
        let before = [read(&api, attendee).await, read(&api, quota).await];
        create(&api, ["anna", "ben"].into_iter()).await.unwrap();
        assert_eq!([read(&api, attendee).await, read(&api, quota).await], before);
        assert_eq!(before[0]["spec"]["lesson"], "watch");
        assert_eq!(read(&api, "/api/v1/namespaces/ben").await["metadata"]["name"], "ben");
    }

    #[tokio::test]
    async fn names_may_look_like_other_values() {
        let api = cluster();
        create(&api, ["7", "true", "null"].into_iter()).await.unwrap();
        assert_eq!(
            read(&api, "/api/v1/namespaces/true/resourcequotas/workshop").await["metadata"]["namespace"],
            "true"
        );
    }

    #[tokio::test]
    async fn a_new_quota_has_a_status_at_once() {
        let api = cluster();
        create(&api, ["anna"].into_iter()).await.unwrap();
        let quota = read(&api, "/api/v1/namespaces/anna/resourcequotas/workshop").await;
        assert_eq!(quota["status"]["hard"], quota["spec"]["hard"]);
        assert_eq!(quota["status"]["used"].as_object().map(Map::len), Some(HARD.len()));
    }
}
