//! Requests that are handled at the same time, on threads: what takes long is computed while others have the storage, and is
//! computed again where they wrote the same object.

mod common;

use std::collections::HashSet;
use std::thread;

use common::{Cluster, read};
use json_tree::{Value, json};

const PATH: &str = "/api/v1/namespaces/default/configmaps";

/// Runs this on so many threads at once, each with its number.
fn at_once(threads: usize, run: impl Fn(usize) + Sync) {
    thread::scope(|scope| {
        for number in 0..threads {
            let run = &run;
            scope.spawn(move || run(number));
        }
    });
}

fn send(cluster: &Cluster, line: &str, media_type: &str, body: &Value) -> (u16, Value) {
    let (method, path) = line.split_once(' ').expect("a method and a path");
    let request = http::Request::builder().method(method).uri(path).header("content-type", media_type);
    read(&cluster.pass(request.body(body.to_string().into()).expect("a request")))
}

/// So many keys that it takes a while to look at them.
fn many_keys(count: usize) -> Value {
    (0..count)
        .map(|number| (format!("key-{number}"), Value::from("v")))
        .collect::<json_tree::Map<_, _>>()
        .into()
}

#[test]
fn patches_of_one_object_are_all_done() {
    let cluster = Cluster::new();
    cluster.json(&format!("POST {PATH}"), &json!({"metadata": {"name": "a"}, "data": many_keys(300)}));
    at_once(4, |thread| {
        for number in 0..30 {
            let patch = json!({"data": {(format!("t{thread}-{number}")): "x"}});
            let line = format!("PATCH {PATH}/a");
            let (code, answer) = match number % 3 {
                0 => send(&cluster, &line, "application/merge-patch+json", &patch),
                1 => send(&cluster, &line, "application/strategic-merge-patch+json", &patch),
                _ => {
                    let manager = format!("{line}?fieldManager=t{thread}-{number}");
                    let mut configuration = patch;
                    configuration["apiVersion"] = "v1".into();
                    configuration["kind"] = "ConfigMap".into();
                    configuration["metadata"] = json!({"name": "a"});
                    send(&cluster, &manager, "application/apply-patch+yaml", &configuration)
                }
            };
            assert_eq!(code, 200, "{answer}");
        }
    });
    let (_, object) = cluster.get(&format!("{PATH}/a"));
    let keys = object["data"].as_object().map_or(0, |data| data.len());
    assert_eq!(keys, 300 + 4 * 30, "no patch is lost");
}

#[test]
fn of_puts_with_one_version_one_is_done() {
    let cluster = Cluster::new();
    let (_, mut object) =
        cluster.json(&format!("POST {PATH}"), &json!({"metadata": {"name": "a"}, "data": many_keys(300)}));
    for round in 0..20 {
        let codes = std::sync::Mutex::new(Vec::new());
        at_once(4, |thread| {
            let mut next = object.clone();
            next["data"]["who"] = format!("{thread} in {round}").into();
            let (code, _) = send(&cluster, &format!("PUT {PATH}/a"), "application/json", &next);
            codes.lock().expect("no thread panics").push(code);
        });
        let mut codes = codes.into_inner().expect("no thread panics");
        codes.sort_unstable();
        assert_eq!(codes, [200, 409, 409, 409]);
        object = cluster.get(&format!("{PATH}/a")).1;
    }
}

#[test]
fn of_creates_with_one_name_one_is_done() {
    let cluster = Cluster::new();
    for name in 0..20 {
        let created = std::sync::Mutex::new(Vec::new());
        at_once(4, |thread| {
            let object =
                json!({"metadata": {"name": format!("n{name}")}, "data": {"who": format!("{thread}")}});
            let (code, _) = send(&cluster, &format!("POST {PATH}"), "application/json", &object);
            created.lock().expect("no thread panics").push(code);
        });
        let mut created = created.into_inner().expect("no thread panics");
        created.sort_unstable();
        assert_eq!(created, [201, 409, 409, 409]);
    }
}

#[test]
fn no_address_and_no_port_is_given_twice() {
    let cluster = Cluster::new();
    let given = std::sync::Mutex::new(Vec::new());
    at_once(4, |thread| {
        for number in 0..25 {
            let service = json!({
                "metadata": {"name": format!("s{thread}-{number}")},
                "spec": {"type": "NodePort", "ports": [{"port": 80}], "selector": {"app": "a"}},
            });
            let line = "POST /api/v1/namespaces/default/services";
            let (code, answer) = send(&cluster, line, "application/json", &service);
            // Whoever asks for what the server has just given away tries again, as often as it takes.
            assert_eq!(code, 201, "{answer}");
            let spec = &answer["spec"];
            let both = [spec["clusterIP"].to_string(), spec["ports"][0]["nodePort"].to_string()];
            given.lock().expect("no thread panics").extend(both);
        }
    });
    let given = given.into_inner().expect("no thread panics");
    assert_eq!(given.iter().collect::<HashSet<_>>().len(), 2 * 4 * 25);
}

#[test]
fn a_quota_is_never_exceeded() {
    let cluster = Cluster::new();
    let quota = json!({"metadata": {"name": "q"}, "spec": {"hard": {"count/configmaps": "30"}}});
    cluster.json("POST /api/v1/namespaces/default/resourcequotas", &quota);
    let status = json!({"status": {"hard": {"count/configmaps": "30"}, "used": {"count/configmaps": "0"}}});
    let line = "PATCH /api/v1/namespaces/default/resourcequotas/q/status";
    let (code, answer) = send(&cluster, line, "application/merge-patch+json", &status);
    assert_eq!(code, 200, "{answer}");
    at_once(4, |thread| {
        for number in 0..20 {
            let object = json!({"metadata": {"name": format!("c{thread}-{number}")}});
            let (code, _) = send(&cluster, &format!("POST {PATH}"), "application/json", &object);
            assert!([201, 403].contains(&code), "{code}");
        }
    });
    let (_, list) = cluster.get(PATH);
    let count = list["items"].as_array().map_or(0, Vec::len);
    assert_eq!(count, 30);
}
