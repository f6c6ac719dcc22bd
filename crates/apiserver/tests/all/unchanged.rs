//! A write that changes nothing writes nothing, whatever form it comes in.

use crate::common::{Cluster, read, version};
use http::Request;
use json_tree::{Value, json};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A definition with numbers of all spellings.
fn definition() -> Value {
    let size = json!({"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2});
    let share = json!({"type": "number", "minimum": 0.5, "maximum": 1e3, "default": 1.0, "enum": [1, 2.5]});
    let spec = json!({"type": "object", "properties": {"size": size, "share": share}});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": schema});
    let names = json!({"kind": "Gauge", "plural": "gauges"});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gauges.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    })
}

fn send(cluster: &Cluster, method: &str, uri: &str, content_type: &str, body: &Value) -> Value {
    let request = Request::builder().method(method).uri(uri).header("Content-Type", content_type);
    let (code, answer) = read(&cluster.send(request.body(body.to_string().into()).expect("a request")));
    assert!(code < 300, "{method} {uri}: {answer}");
    answer
}

#[test]
fn a_definition_with_numbers_stays_as_it_is() {
    let cluster = Cluster::new();
    send(&cluster, "POST", DEFINITIONS, "application/json", &definition());
    let path = format!("{DEFINITIONS}/gauges.example.com");
    // Its conditions come after it.
    let made = cluster.get(&path).1;
    for (content_type, same) in
        [("application/merge-patch+json", json!({})), ("application/json-patch+json", json!([]))]
    {
        let patched = send(&cluster, "PATCH", &path, content_type, &same);
        assert_eq!(patched.to_string(), made.to_string(), "{content_type}");
    }
    let put = send(&cluster, "PUT", &path, "application/json", &made);
    assert_eq!(put.to_string(), made.to_string());
    let applied = format!("{path}?fieldManager=m");
    let first = send(&cluster, "PATCH", &applied, "application/apply-patch+yaml", &definition());
    let second = send(&cluster, "PATCH", &applied, "application/apply-patch+yaml", &definition());
    assert_eq!(version(&second), version(&first));
    assert_eq!(second["metadata"]["generation"], json!(1));
}

/// Go's types say so what they do not say.
#[test]
fn an_apply_with_empty_metadata_stays_as_it_is() {
    let cluster = Cluster::new();
    for metadata in [
        json!({"name": "a", "creationTimestamp": null}),
        json!({"name": "b", "resourceVersion": null}),
        json!({"name": "c", "creationTimestamp": null, "resourceVersion": null, "uid": null}),
    ] {
        let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"k": "v"}});
        let path = format!("{MAPS}/{}?fieldManager=m", metadata["name"].as_str().expect("a name"));
        let apply = |body: &Value| send(&cluster, "PATCH", &path, "application/apply-patch+yaml", body);
        let first = apply(&body);
        cluster.clock.advance(std::time::Duration::from_secs(5));
        let second = apply(&body);
        assert_eq!(second.to_string(), first.to_string());
    }
}

/// It is not stored, so that no version is wrong; the response has the one that was sent.
#[test]
fn a_dry_run_may_be_created_with_a_version() {
    let cluster = Cluster::new();
    for sent in ["0", "abc", "12"] {
        let body = json!({"metadata": {"name": "a", "resourceVersion": sent}});
        let answer = send(&cluster, "POST", &format!("{MAPS}?dryRun=All"), "application/json", &body);
        assert_eq!(answer["metadata"]["resourceVersion"], json!(sent));
    }
}

/// An object goes through Go's types before it is stored, and an empty list may be none in these.
#[test]
fn a_dry_run_shows_what_would_be_stored() {
    let cluster = Cluster::new();
    const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const ENDPOINTS: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    const RANGES: &str = "/api/v1/namespaces/default/limitranges";
    for (path, body) in [
        (ROLES, json!({"metadata": {"name": "a"}, "rules": []})),
        (ENDPOINTS, json!({"metadata": {"name": "a"}, "addressType": "IPv4", "endpoints": [], "ports": []})),
        (RANGES, json!({"metadata": {"name": "a"}, "spec": {"limits": []}})),
    ] {
        let bare = |mut answer: Value| {
            for key in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
                answer["metadata"].as_object_mut().expect("metadata").shift_remove(key);
            }
            answer.to_string()
        };
        let tried = bare(send(&cluster, "POST", &format!("{path}?dryRun=All"), "application/json", &body));
        let made = bare(send(&cluster, "POST", path, "application/json", &body));
        assert_eq!(tried, made);
        let tried = bare(send(&cluster, "PUT", &format!("{path}/a?dryRun=All"), "application/json", &body));
        let put = bare(send(&cluster, "PUT", &format!("{path}/a"), "application/json", &body));
        assert_eq!(tried, put);
    }
}
