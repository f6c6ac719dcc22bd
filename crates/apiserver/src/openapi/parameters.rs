//! The parameters in the query and the path of a request.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/common-parameters/common-parameters/>

use json_tree::{Value, json};

use super::Edition;

/// The parameters that are not texts. What is in the path is a text, and required.
const TYPES: &[(&str, &str)] = &[
    ("allowWatchBookmarks", "boolean"),
    ("follow", "boolean"),
    ("force", "boolean"),
    ("gracePeriodSeconds", "integer"),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
    ("insecureSkipTLSVerifyBackend", "boolean"),
    ("limit", "integer"),
    ("limitBytes", "integer"),
    ("orphanDependents", "boolean"),
    ("ports", "integer"),
    ("previous", "boolean"),
    ("sendInitialEvents", "boolean"),
    ("sinceSeconds", "integer"),
    ("stderr", "boolean"),
    ("stdin", "boolean"),
    ("stdout", "boolean"),
    ("tailLines", "integer"),
    ("timeoutSeconds", "integer"),
    ("timestamps", "boolean"),
    ("tty", "boolean"),
    ("watch", "boolean"),
];

/// Of a list.
pub(super) const LIST: &[&str] = &[
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
];

/// Of a POST and a PUT.
pub(super) const WRITE: &[&str] = &["dryRun", "fieldManager", "fieldValidation"];

/// Of a PATCH.
pub(super) const PATCH: &[&str] = &["dryRun", "fieldManager", "fieldValidation", "force"];

/// Of a DELETE.
pub(super) const DELETE: &[&str] = &[
    "dryRun",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "orphanDependents",
    "propagationPolicy",
];

/// Of a DELETE of a collection.
pub(super) const DELETE_COLLECTION: &[&str] = &[
    "continue",
    "dryRun",
    "fieldSelector",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "labelSelector",
    "limit",
    "orphanDependents",
    "propagationPolicy",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
];

/// Of what is asked of an object, by the kind of the options or the name of the subresource.
const ASKED: &[(&str, &[&str])] = &[
    ("PodAttachOptions", &["container", "stderr", "stdin", "stdout", "tty"]),
    ("PodExecOptions", &["command", "container", "stderr", "stdin", "stdout", "tty"]),
    ("PodPortForwardOptions", &["ports"]),
    ("PodProxyOptions", &["path"]),
    ("ServiceProxyOptions", &["path"]),
    ("NodeProxyOptions", &["path"]),
    (
        "log",
        &[
            "container",
            "follow",
            "insecureSkipTLSVerifyBackend",
            "limitBytes",
            "previous",
            "sinceSeconds",
            "stream",
            "tailLines",
            "timestamps",
        ],
    ),
];

/// The parameters of what is asked of an object.
pub(super) fn asked(name: &str) -> &'static [&'static str] {
    ASKED.iter().find(|(known, _)| *known == name).map_or(&[], |(_, parameters)| parameters)
}

/// A parameter of the query, or one of the path.
pub(super) fn parameter(edition: Edition, name: &str, in_path: bool) -> Value {
    let ty = TYPES.iter().find(|(known, _)| *known == name && !in_path).map_or("string", |(_, ty)| ty);
    let place = if in_path { "path" } else { "query" };
    let mut out = json_tree::Map::new();
    let mut set = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    if edition == Edition::V2 {
        set("uniqueItems", true.into());
        set("type", ty.into());
    }
    set("name", name.into());
    set("in", place.into());
    if in_path {
        set("required", true.into());
    }
    if edition == Edition::V3 {
        set("schema", json!({ "type": ty, "uniqueItems": true }));
    }
    out.into()
}
