//! Requests that are handled at the same time, on threads: what takes long is computed while others have the storage, and is
//! computed again where they wrote the same object.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::common::{Cluster, Watch, read, version};
use apiserver::{Body, Random, SeededRandom};
use bytes::Bytes;
use futures::executor::block_on;
use json_tree::{Value, json};

const PATH: &str = "/api/v1/namespaces/default/configmaps";
const QUOTAS: &str = "/api/v1/namespaces/default/resourcequotas";

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
        let codes = Mutex::new(Vec::new());
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
        let created = Mutex::new(Vec::new());
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

/// A way to make the counter in a ConfigMap greater by one, if it is still as it was read.
type Increment = fn(&Cluster, &Value) -> (u16, Value);

/// The number that a ConfigMap counts.
fn count_of(object: &Value) -> usize {
    object["data"]["count"].as_str().and_then(|text| text.parse().ok()).expect("a number")
}

fn patch(cluster: &Cluster, media_type: &str, query: &str, body: &Value) -> (u16, Value) {
    send(cluster, &format!("PATCH {PATH}/a{query}"), &format!("application/{media_type}"), body)
}

/// The ways to do that, with the code for whoever came too late.
const INCREMENTS: [(&str, u16, Increment); 5] = [
    ("a PUT of the version that was read", 409, |cluster, read| {
        let mut next = read.clone();
        next["data"]["count"] = (count_of(read) + 1).to_string().into();
        send(cluster, &format!("PUT {PATH}/a"), "application/json", &next)
    }),
    ("a JSON Patch with a test", 422, |cluster, read| {
        let (now, next) = (count_of(read).to_string(), (count_of(read) + 1).to_string());
        let operation = |op: &str, value: &str| json!({ "op": op, "path": "/data/count", "value": value });
        patch(cluster, "json-patch+json", "", &json!([operation("test", &now), operation("replace", &next)]))
    }),
    ("a merge patch with the version", 409, |cluster, read| {
        patch(cluster, "merge-patch+json", "", &next_of(read))
    }),
    ("a strategic merge patch with the version", 409, |cluster, read| {
        patch(cluster, "strategic-merge-patch+json", "", &next_of(read))
    }),
    ("an apply with the version", 409, |cluster, read| {
        let mut next = next_of(read);
        (next["kind"], next["apiVersion"], next["metadata"]["name"]) =
            ("ConfigMap".into(), "v1".into(), "a".into());
        patch(cluster, "apply-patch+yaml", "?fieldManager=m&force=true", &next)
    }),
];

/// The version that was read, and the next count.
fn next_of(read: &Value) -> Value {
    json!({
        "metadata": { "resourceVersion": read["metadata"]["resourceVersion"] },
        "data": { "count": (count_of(read) + 1).to_string() },
    })
}

#[test]
fn no_increment_is_lost() {
    let cluster = Cluster::new();
    let data = json!({ "count": "0" });
    cluster.json(&format!("POST {PATH}"), &json!({ "metadata": { "name": "a" }, "data": data }));
    let done = AtomicUsize::new(0);
    // Each way beside itself and beside all others.
    at_once(2 * INCREMENTS.len(), |thread| {
        let (name, late, increment) = &INCREMENTS[thread % INCREMENTS.len()];
        for _ in 0..20 {
            let (_, read) = cluster.get(&format!("{PATH}/a"));
            match increment(&cluster, &read) {
                (200, _) => drop(done.fetch_add(1, Ordering::Relaxed)),
                (code, answer) => assert_eq!(code, *late, "{name}: {answer}"),
            }
        }
    });
    let (_, object) = cluster.get(&format!("{PATH}/a"));
    assert_eq!(count_of(&object), done.into_inner());
}

#[test]
fn puts_without_a_version_are_done_one_after_the_other() {
    let cluster = Cluster::new();
    cluster.json(&format!("POST {PATH}"), &json!({ "metadata": { "name": "a" } }));
    let done = Mutex::new(Vec::new());
    at_once(4, |thread| {
        for number in 0..30 {
            let next =
                json!({ "metadata": { "name": "a" }, "data": { "who": format!("{thread}-{number}") } });
            let (code, answer) = send(&cluster, &format!("PUT {PATH}/a"), "application/json", &next);
            assert_eq!((code, &answer["data"]), (200, &next["data"]), "{answer}");
            done.lock().expect("no thread panics").push((version(&answer), answer["data"].clone()));
        }
    });
    let mut done = done.into_inner().expect("no thread panics");
    done.sort_by_key(|(version, _)| *version);
    let versions: HashSet<u64> = done.iter().map(|(version, _)| *version).collect();
    assert_eq!(versions.len(), 4 * 30, "each has a version of its own");
    let (_, object) = cluster.get(&format!("{PATH}/a"));
    assert_eq!(Some((version(&object), object["data"].clone())), done.pop(), "the last one stays");
}

/// Randomness that gives the same some times in a row, so that threads make the same names.
#[derive(Default)]
struct Repeating(AtomicUsize);

impl Random for Repeating {
    fn fill(&self, bytes: &mut [u8]) {
        let seed = self.0.fetch_add(1, Ordering::Relaxed) / 6;
        SeededRandom::new(seed as u64).fill(bytes);
    }
}

#[test]
fn names_are_made_once() {
    let cluster = Cluster::with_random(Arc::new(Repeating::default()));
    let names = Mutex::new(HashSet::new());
    at_once(4, |_| {
        let mut made = 0;
        while made < 50 {
            let object = json!({ "metadata": { "generateName": "a-" } });
            let (code, answer) = send(&cluster, &format!("POST {PATH}"), "application/json", &object);
            // Whoever makes only names that others have just made is told to try again.
            if code == 409 {
                assert_eq!(answer["details"]["retryAfterSeconds"], 1, "{answer}");
                continue;
            }
            assert_eq!(code, 201, "{answer}");
            made += 1;
            assert!(names.lock().expect("no thread panics").insert(answer["metadata"]["name"].to_string()));
        }
    });
}

#[test]
fn no_address_and_no_port_is_given_twice() {
    let cluster = Cluster::new();
    // What each service was given, from which revision on, and up to which.
    let given = Mutex::new(Vec::new());
    at_once(4, |thread| {
        for number in 0..25 {
            let name = format!("s{thread}-{number}");
            let service = json!({
                "metadata": {"name": name},
                "spec": {"type": "NodePort", "ports": [{"port": 80}], "selector": {"app": "a"}},
            });
            let services = "/api/v1/namespaces/default/services";
            let (code, answer) = send(&cluster, &format!("POST {services}"), "application/json", &service);
            // Whoever asks for what the server has just given away tries again, as often as it takes.
            assert_eq!(code, 201, "{answer}");
            let spec = &answer["spec"];
            let both = [spec["clusterIP"].to_string(), spec["ports"][0]["nodePort"].to_string()];
            let until = match number % 3 {
                0 => {
                    let line = format!("DELETE {services}/{name}");
                    let (code, gone) = send(&cluster, &line, "application/json", &Value::Null);
                    assert_eq!(code, 200, "{gone}");
                    version(&gone)
                }
                _ => u64::MAX,
            };
            let mut given = given.lock().expect("no thread panics");
            given.extend(both.map(|what| (what, version(&answer), until)));
        }
    });
    let mut given = given.into_inner().expect("no thread panics");
    given.sort();
    for pair in given.windows(2) {
        let [(what, _, until), (next, from, _)] = pair else { continue };
        assert!(what != next || until <= from, "{what} is given twice");
    }
}

/// A quota, what is created under it, and how much of it each object takes.
type Counted = (&'static str, &'static str, &'static str, fn(&str) -> Value);

const COUNTED: [Counted; 3] = [
    ("configmaps", "count/configmaps", "30", |prefix| json!({ "metadata": { "generateName": prefix } })),
    ("services", "services.nodeports", "20", |prefix| {
        let spec = json!({ "type": "NodePort", "ports": [{ "port": 80 }] });
        json!({ "metadata": { "generateName": prefix }, "spec": spec })
    }),
    ("pods", "requests.cpu", "20", |prefix| {
        let container = json!({ "name": "c", "image": "i", "resources": { "requests": { "cpu": "1" } } });
        json!({ "metadata": { "generateName": prefix }, "spec": { "containers": [container] } })
    }),
];

/// Makes quotas of these amounts, of which nothing is used yet.
fn make_quotas(cluster: &Cluster) {
    for (name, counted, hard, _) in COUNTED {
        let hard = json!({ (counted): hard });
        let quota = json!({ "metadata": { "name": name }, "spec": { "hard": hard } });
        cluster.json("POST /api/v1/namespaces/default/resourcequotas", &quota);
        let used = json!({ (counted): "0" });
        let line = format!("PATCH {QUOTAS}/{name}/status");
        let status = json!({ "status": { "hard": hard, "used": used } });
        let (code, answer) = send(cluster, &line, "application/merge-patch+json", &status);
        assert_eq!(code, 200, "{answer}");
    }
}

/// The names of what is there of a resource.
fn names_of(cluster: &Cluster, resource: &str) -> Vec<String> {
    let request = http::Request::get(format!("/api/v1/namespaces/default/{resource}"));
    let request = request.body(Bytes::new()).expect("a request");
    // A list waits until the watch cache has what another thread has just written.
    let (_, list) = read(&block_on(cluster.server.call(request)));
    let name = |item: &Value| item["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    list["items"].as_array().into_iter().flatten().map(name).filter(|name| name.starts_with('a')).collect()
}

/// Counts anew what a quota counts, as its controller does; whether nobody has used the quota meanwhile.
fn count_anew(cluster: &Cluster, (name, counted, ..): &Counted) -> bool {
    let (_, quota) = cluster.get(&format!("{QUOTAS}/{name}"));
    let used = names_of(cluster, name).len().to_string();
    let patch = json!({
        "metadata": { "resourceVersion": quota["metadata"]["resourceVersion"] },
        "status": { "used": { (*counted): used } },
    });
    let (code, answer) =
        send(cluster, &format!("PATCH {QUOTAS}/{name}/status"), "application/merge-patch+json", &patch);
    assert!([200, 409].contains(&code), "{answer}");
    code == 200
}

fn used_of(cluster: &Cluster, (name, counted, ..): &Counted) -> String {
    let (_, quota) = cluster.get(&format!("{QUOTAS}/{name}"));
    quota["status"]["used"][*counted].as_str().unwrap_or_default().to_owned()
}

#[test]
fn quotas_count_what_is_there() {
    let cluster = Cluster::new();
    make_quotas(&cluster);
    at_once(2 * COUNTED.len(), |thread| {
        let (resource, .., object) = &COUNTED[thread % COUNTED.len()];
        let line = format!("POST /api/v1/namespaces/default/{resource}");
        for _ in 0..20 {
            let (code, answer) = send(&cluster, &line, "application/json", &object("a"));
            assert!([201, 403].contains(&code), "{answer}");
        }
    });
    for counted in COUNTED {
        let (name, _, hard, _) = counted;
        let count = names_of(&cluster, name).len().to_string();
        assert_eq!((count.as_str(), used_of(&cluster, &counted).as_str()), (hard, hard), "{name}");
    }
}

#[test]
fn no_quota_is_exceeded_while_objects_come_and_go() {
    let cluster = Cluster::new();
    make_quotas(&cluster);
    let lines = COUNTED.map(|(resource, ..)| {
        let line = format!("GET /api/v1/namespaces/default/{resource}?watch=1");
        match cluster.request(&line, "").into_body() {
            Body::Stream(stream) => Mutex::new(Watch::of(stream)),
            body => panic!("not a stream: {body:?}"),
        }
    });
    at_once(3 * COUNTED.len(), |thread| {
        let counted = &COUNTED[thread % COUNTED.len()];
        let path = format!("/api/v1/namespaces/default/{}", counted.0);
        for number in 0..20 {
            if thread < COUNTED.len() {
                count_anew(&cluster, counted);
                continue;
            }
            let (code, answer) = send(&cluster, &format!("POST {path}"), "application/json", &counted.3("a"));
            assert!([201, 403].contains(&code), "{answer}");
            if code == 201 && number % 2 == 0 {
                let name = answer["metadata"]["name"].as_str().expect("a name");
                let line = format!("DELETE {path}/{name}?gracePeriodSeconds=0");
                let (code, answer) = send(&cluster, &line, "application/json", &Value::Null);
                assert_eq!(code, 200, "{answer}");
            }
        }
    });
    for (counted, watch) in COUNTED.iter().zip(lines) {
        let (name, _, hard, _) = counted;
        let (most, mut count) = (hard.parse::<usize>().expect("a number"), 0);
        for event in watch.into_inner().expect("no thread panics").events() {
            match event.split_once(' ') {
                Some(("ADDED", object)) if object.starts_with('a') => count += 1,
                Some(("DELETED", _)) => count -= 1,
                _ => {}
            }
            assert!(count <= most, "{count} {name}");
        }
        assert!(count_anew(&cluster, counted), "at rest nobody uses it");
        assert_eq!(used_of(&cluster, counted), names_of(&cluster, name).len().to_string());
    }
}
