//! The objects of the cluster as a manifest that `kubectl apply` takes.

use std::sync::Arc;

use js_sys::{Array, Uint8Array};
use json_tree::Value;
use leptos::prelude::*;
use protocol::document::Question;
use protocol::message::Mode;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, HtmlAnchorElement, Url};

use crate::cluster::{Body, Request, Which};
use crate::model::explore::served::{Kind, PATHS, question, read};
use crate::state::Page;
use crate::ui::dom;
use crate::ui::messages::kept as words;

/// The fields of metadata that the server sets, and those that name objects which another cluster has not.
const SET: [&str; 8] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "uid",
];

/// The kinds whose objects others need: they come first, in this order.
const FIRST: [&str; 5] =
    ["namespaces", "customresourcedefinitions", "priorityclasses", "serviceaccounts", "secrets"];

/// The kinds whose objects tell what has happened, or follow from others.
const LEFT_OUT: [&str; 6] =
    ["events", "leases", "endpoints", "endpointslices", "ipaddresses", "componentstatuses"];

/// The labels and annotations that mark what every cluster has, or what follows from other objects.
const BOOTSTRAP: [&str; 3] = [
    "kubernetes.io/bootstrapping",
    "apf.kubernetes.io/autoupdate-spec",
    "kube-aggregator.kubernetes.io/automanaged",
];

/// The kinds and names of other objects that every cluster has.
const GIVEN: [(&str, &str); 10] = [
    ("Namespace", "default"),
    ("Namespace", "kube-system"),
    ("Namespace", "kube-public"),
    ("Namespace", "kube-node-lease"),
    ("ConfigMap", "kube-root-ca.crt"),
    ("ServiceAccount", "default"),
    ("Service", "kubernetes"),
    ("ServiceCIDR", "kubernetes"),
    ("PriorityClass", "system-node-critical"),
    ("PriorityClass", "system-cluster-critical"),
];

/// The status of a response for a revision that has been compacted.
const EXPIRED: u16 = 410;

/// Returns the objects of the cluster of this tab as documents in YAML, as of the revision that the page shows.
///
/// # Errors
/// The text to show: there are none, or the engine does not respond.
pub(crate) async fn manifest(page: Page) -> Result<Vec<u8>, String> {
    let objects = objects_at(page, page.at.get_untracked().unwrap_or(u64::MAX)).await?;
    if objects.is_empty() {
        return Err(words::NO_OBJECTS.to_owned());
    }
    let documents: Vec<Vec<u8>> = objects.into_iter().map(|(_, yaml)| yaml).collect();
    Ok(documents.join(&b"---\n"[..]))
}

/// Returns the objects of the cluster of this tab as of a revision, each also as a document in YAML.
///
/// # Errors
/// The revision is no longer kept, or the engine does not respond: the text to show.
pub(crate) async fn objects_at(page: Page, revision: u64) -> Result<Vec<(Value, Vec<u8>)>, String> {
    let mut kinds: Vec<Arc<Kind>> = Vec::new();
    for path in PATHS {
        kinds.extend(read(&page.peek(Which::ThisTab, question(path)).await.unwrap_or_default()));
    }
    kinds.retain(|kind| is_exported(kind));
    let rank = |kind: &Kind| FIRST.iter().position(|first| *first == kind.resource).unwrap_or(FIRST.len());
    kinds.sort_by_key(|kind| rank(kind));
    // A kind that is served in several versions is taken in the first one, which is the preferred.
    let mut seen: Vec<(String, String)> = Vec::new();
    let mut objects = Vec::new();
    for kind in kinds {
        let own = (kind.group.clone(), kind.resource.clone());
        if seen.contains(&own) {
            continue;
        }
        seen.push(own);
        let list = Request::get(&kind.path(""));
        let response =
            page.embedded().ask(Mode::At(revision), &list).await.map_err(|error| error.to_string())?;
        // The state of before is gone, and that of all kinds with it.
        if response.status == EXPIRED {
            return Err(words::compacted(revision));
        }
        let Body::Bytes(body) = response.body else { continue };
        let list: Value = serde_json::from_slice(&body).unwrap_or_default();
        for item in list["items"].as_array().into_iter().flatten() {
            let Some(object) = exported(&kind, item) else { continue };
            let yaml = yaml(page, &object).await?;
            objects.push((object, yaml));
        }
    }
    Ok(objects)
}

fn is_exported(kind: &Kind) -> bool {
    let can = |verb: &str| kind.verbs.iter().any(|known| known == verb);
    can("list") && can("patch") && !LEFT_OUT.contains(&kind.resource.as_str())
}

/// Returns an object as a manifest has it; `None` if every cluster has it.
fn exported(kind: &Kind, object: &Value) -> Option<Value> {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (name, namespace) = (text("/metadata/name"), text("/metadata/namespace"));
    let marked = ["labels", "annotations"].iter().any(|pairs| {
        let pairs = &object["metadata"][*pairs];
        BOOTSTRAP.iter().any(|mark| !pairs[*mark].is_null())
    });
    if marked || namespace.starts_with("kube-") || GIVEN.contains(&(kind.kind.as_str(), name)) {
        return None;
    }
    let Value::Object(fields) = object else { return None };
    let mut manifest = json_tree::Map::new();
    manifest.insert("apiVersion".to_owned(), Value::from(kind.api_version()));
    manifest.insert("kind".to_owned(), Value::from(kind.kind.clone()));
    for (field, value) in fields.iter() {
        if !matches!(field.as_str(), "status" | "apiVersion" | "kind") {
            manifest.insert(field.clone(), value.clone());
        }
    }
    let mut manifest = Value::Object(manifest);
    if let Some(metadata) = manifest.get_mut("metadata").and_then(Value::as_object_mut) {
        SET.iter().for_each(|field| drop(metadata.shift_remove(*field)));
    }
    // Another cluster has other addresses to give.
    if kind.kind == "Service"
        && text("/spec/clusterIP") != "None"
        && let Some(spec) = manifest.get_mut("spec").and_then(Value::as_object_mut)
    {
        ["clusterIP", "clusterIPs"].iter().for_each(|field| drop(spec.shift_remove(*field)));
    }
    Some(manifest)
}

async fn yaml(page: Page, object: &Value) -> Result<Vec<u8>, String> {
    let json = serde_json::to_vec(object).unwrap_or_default();
    let question = Question::Encode { content_type: "application/yaml".to_owned() };
    let encoded = page.embedded().question(question, json.into()).await;
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let (_, yaml) = encoded.map_err(|error| words::no_yaml(name, &error.to_string()))?;
    Ok(without_status(&yaml))
}

/// Returns a document without its status, which an object that is written as its type has it has again.
fn without_status(yaml: &[u8]) -> Vec<u8> {
    let mut within = false;
    let lines = yaml.split_inclusive(|byte| *byte == b'\n').filter(|line| {
        within = if line.starts_with(b" ") || line.starts_with(b"- ") {
            within
        } else {
            line.starts_with(b"status:")
        };
        !within
    });
    lines.collect::<Vec<_>>().concat()
}

/// Has the browser save a file.
pub(crate) fn save(name: &str, bytes: &[u8]) {
    let save = || {
        let parts = Array::of1(&Uint8Array::from(bytes));
        let address = Url::create_object_url_with_blob(&Blob::new_with_u8_array_sequence(&parts)?)?;
        let link: HtmlAnchorElement = dom::document().create_element("a")?.unchecked_into();
        link.set_href(&address);
        link.set_download(name);
        link.click();
        Url::revoke_object_url(&address)
    };
    // A browser that saves nothing says so itself.
    let _: Result<(), JsValue> = save();
}

#[cfg(test)]
mod tests {
    use super::*;
    use json_tree::json;

    fn kind(name: &str, group: &str, resource: &str) -> Kind {
        Kind {
            group: group.to_owned(),
            version: "v1".to_owned(),
            resource: resource.to_owned(),
            kind: name.to_owned(),
            namespaced: true,
            verbs: ["list", "patch"].map(str::to_owned).to_vec(),
            short_names: Vec::new(),
            categories: Vec::new(),
            parts: Vec::new(),
        }
    }

    #[track_caller]
    fn check(of: &str, object: &Value, expected: Option<Value>) {
        let group = if of == "Deployment" { "apps" } else { "" };
        let exported = exported(&kind(of, group, "any"), object);
        assert_eq!(exported.map(|value| value.to_string()), expected.map(|value| value.to_string()));
    }

    #[test]
    fn what_the_server_sets_is_left_out() {
        let metadata = json!({
            "name": "a", "namespace": "default", "uid": "1", "resourceVersion": "7", "labels": { "b": "c" },
            "managedFields": [], "creationTimestamp": "2026-01-01T00:00:00Z", "generation": 1,
        });
        let cleared = json!({ "name": "a", "namespace": "default", "labels": { "b": "c" } });
        check(
            "ConfigMap",
            &json!({ "metadata": metadata, "data": { "d": "e" } }),
            Some(
                json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": cleared, "data": { "d": "e" } }),
            ),
        );
        check(
            "Deployment",
            &json!({ "metadata": metadata, "spec": { "replicas": 1 }, "status": { "replicas": 1 } }),
            Some(
                json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": cleared, "spec": { "replicas": 1 } }),
            ),
        );
    }

    #[test]
    fn what_every_cluster_has_is_left_out() {
        check("Namespace", &json!({ "metadata": { "name": "default" } }), None);
        check("ConfigMap", &json!({ "metadata": { "name": "a", "namespace": "kube-system" } }), None);
        let labels = json!({ "kubernetes.io/bootstrapping": "rbac-defaults" });
        check("ConfigMap", &json!({ "metadata": { "name": "a", "labels": labels } }), None);
    }

    #[test]
    fn what_has_come_of_an_object_is_left_out() {
        let check = |yaml: &str, expected: &str| {
            assert_eq!(String::from_utf8_lossy(&without_status(yaml.as_bytes())), expected);
        };
        check("kind: Pod\nspec:\n  a: 1\nstatus: {}\n", "kind: Pod\nspec:\n  a: 1\n");
        check(
            "spec:\n  status: 1\nstatus:\n  b: 1\n  c:\n  - d\nwebhooks:\n- e\n",
            "spec:\n  status: 1\nwebhooks:\n- e\n",
        );
    }

    #[test]
    fn events_are_no_manifest() {
        assert!(is_exported(&kind("ConfigMap", "", "configmaps")));
        assert!(!is_exported(&kind("Event", "", "events")));
    }
}
