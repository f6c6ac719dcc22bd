//! Work grows as its input does: twice the items in any list, map or text take about twice the work, whatever is sent.
//!
//! Every list, map and text of every built-in kind is made large, in objects that are created, replaced, patched and applied;
//! the program counts what it computes for that (`counter.rs`). `cargo xtask test work` builds it so that it can count.
//! `KUBEGLASS_WORK` is a part of the names of the places to try, and has all that is counted printed.

mod counter;
mod places;

use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use apiserver::{ApiServer, Config, ManualClock, SeededRandom};
use bytes::Bytes;
use futures::FutureExt;
use http::Request;
use json_tree::{Value, json};
use places::{Filling, Place};
use schema::Resource;

/// How many items there are at first.
const SIZE: usize = 300;
/// How much more work twice the items may be, in hundredths: sorting and looking up in trees take a little more than twice.
const GROWTH: u64 = 235;
/// The work that may come on top of that: tables that are made once, pages of memory.
const ALWAYS: u64 = 60_000;

/// A way to send what has been made large.
#[derive(Clone, Copy, Debug)]
enum Way {
    Create,
    CreateYaml,
    Update,
    Merge,
    Strategic,
    Delete,
    Json,
    Apply,
    ApplyAgain,
}

const WAYS: [Way; 9] = [
    Way::Create,
    Way::CreateYaml,
    Way::Update,
    Way::Merge,
    Way::Strategic,
    Way::Delete,
    Way::Json,
    Way::Apply,
    Way::ApplyAgain,
];

/// The requests of one way: those before it, and the one that is measured.
struct Requests {
    before: Vec<Request<Bytes>>,
    measured: Request<Bytes>,
}

/// A place of a kind.
struct Case<'a> {
    resource: &'a Resource,
    place: &'a Place,
    filling: Filling,
}

impl Case<'_> {
    fn collection(&self) -> String {
        let Resource { group, version, name, .. } = self.resource;
        let root = if group.is_empty() { "/api".to_owned() } else { format!("/apis/{group}") };
        let namespace = if self.resource.namespaced { "/namespaces/default" } else { "" };
        format!("{root}/{version}{namespace}/{name}")
    }

    fn request(&self, method: &str, media_type: &str, query: &str, body: &Value) -> Request<Bytes> {
        let collection = self.collection();
        let path = if method == "POST" { collection } else { format!("{collection}/x") };
        let request = Request::builder().method(method).uri(format!("{path}?{query}"));
        request.header("content-type", media_type).body(body.to_string().into()).expect("a request")
    }

    fn create(&self, object: &Value) -> Request<Bytes> {
        self.request("POST", "application/json", "", object)
    }

    fn patch(&self, kind: &str, patch: &Value) -> Request<Bytes> {
        self.request("PATCH", &format!("application/{kind}"), "", patch)
    }

    fn apply(&self, manager: &str, object: &Value) -> Request<Bytes> {
        let query = format!("fieldManager={manager}&force=true");
        self.request("PATCH", "application/apply-patch+yaml", &query, object)
    }

    /// Returns the least object of the kind with this value at the place.
    fn object(&self, value: Value) -> Value {
        self.place.put(places::least(self.resource), self.resource, value)
    }

    /// Returns the object with a value that is larger by one, whose items stand in reverse.
    fn other(&self, size: usize) -> Value {
        let mut changed = self.place.value(size + 1, self.filling);
        if let Value::Array(items) = &mut changed {
            items.reverse();
        }
        self.object(changed)
    }

    fn requests(&self, way: Way, size: usize) -> Requests {
        let least = places::least(self.resource);
        let value = self.place.value(size, self.filling);
        let large = self.object(value.clone());
        let (before, measured) = match way {
            Way::Create => (None, self.create(&large)),
            Way::CreateYaml => {
                (None, self.request("POST", "application/yaml", "fieldValidation=Strict", &large))
            }
            Way::Update => {
                let changed = self.request("PUT", "application/json", "", &self.other(size));
                (Some(self.create(&large)), changed)
            }
            Way::Merge => (Some(self.create(&least)), self.patch("merge-patch+json", &large)),
            Way::Strategic => {
                let half = self.create(&self.object(self.half_of(size, value)));
                (Some(half), self.patch("strategic-merge-patch+json", &large))
            }
            Way::Delete => {
                let patch = self.patch("strategic-merge-patch+json", &self.deletion(size, &value));
                (Some(self.create(&large)), patch)
            }
            Way::Json => {
                // Whatever is above the place has to be there.
                let before = self.create(&self.object(Value::Null));
                let mut measured = self.patch("json-patch+json", &self.additions(&value));
                *measured.uri_mut() = measured.uri().to_string().parse().expect("a path");
                (Some(before), measured)
            }
            Way::Apply => (Some(self.apply("a", &least)), self.apply("a", &large)),
            Way::ApplyAgain => (Some(self.apply("a", &large)), self.apply("b", &self.other(size))),
        };
        Requests { before: before.into_iter().collect(), measured }
    }

    /// Returns half of the items of the value, and behind them the others in reverse; what has no items is half as large.
    fn half_of(&self, size: usize, value: Value) -> Value {
        let mut half = self.place.value(size / 2, self.filling);
        if let (Value::Array(items), Value::Array(more)) = (&mut half, value) {
            items.extend(more.into_iter().skip(size / 2).rev());
        }
        half
    }

    /// Returns the Strategic Merge Patch that takes half of the value out, and says in which order the rest is.
    fn deletion(&self, size: usize, value: &Value) -> Value {
        let (field, above) = self.place.path.split_last().expect("it is a field");
        let mut changes = json!({});
        if let Value::Array(items) = value {
            let half = items[..size / 2].to_vec();
            if items.iter().all(Value::is_object) {
                let gone = half.iter().map(|item| {
                    let mut item = item.clone();
                    item["$patch"] = json!("delete");
                    item
                });
                changes[field] = gone.collect();
            } else {
                changes[format!("$deleteFromPrimitiveList/{field}")] = Value::Array(half);
            }
            changes[format!("$setElementOrder/{field}")] = Value::Array(items[size / 2..].to_vec());
        } else {
            let keys = value.as_object().into_iter().flatten();
            changes["$retainKeys"] = keys.map(|(key, _)| Value::from(key.as_str())).collect();
        }
        above.iter().rev().fold(changes, |changes, step| {
            if step == "0" { json!([changes]) } else { json!({ (step.clone()): changes }) }
        })
    }

    /// Returns the JSON Patch that adds the parts of the value one by one.
    fn additions(&self, value: &Value) -> Value {
        let pointer = format!("/{}", self.place.path.join("/"));
        let mut operations = Vec::new();
        let operation =
            |op: &str, path: String, value: &Value| json!({"op": op, "path": path, "value": value});
        match value {
            Value::Array(items) => {
                operations.push(operation("add", pointer.clone(), &json!([])));
                operations.extend(items.iter().map(|item| operation("add", format!("{pointer}/-"), item)));
            }
            Value::Object(entries) => {
                operations.push(operation("add", pointer.clone(), &json!({})));
                let add =
                    |(key, value): (&String, &Value)| operation("add", format!("{pointer}/{key}"), value);
                operations.extend(entries.iter().map(add));
            }
            text => operations.push(operation("add", pointer, text)),
        }
        Value::Array(operations)
    }

    /// Returns the work of a request in a cluster of its own, and the status code of the response.
    fn work(&self, cluster: &ApiServer, way: Way, size: usize) -> (u64, u16) {
        let revision = cluster.inspect().overview().revision;
        let random = Arc::new(SeededRandom::new(7));
        let cluster = cluster.fork(revision, random).expect("the newest revision is kept");
        let Requests { before, measured } = self.requests(way, size);
        for request in before {
            send(&cluster, request);
        }
        let mut code = 0;
        let work = counter::count(|| code = send(&cluster, measured));
        (work, code)
    }

    /// Returns the line of a way whose work grows faster than it may; `None` if it does not.
    fn check(&self, cluster: &ApiServer, way: Way, told: bool) -> Option<String> {
        let ((once, _), (twice, code)) = (self.work(cluster, way, SIZE), self.work(cluster, way, 2 * SIZE));
        let line = || {
            let growth = twice as f64 / once as f64;
            let (kind, place) = (&self.resource.kind, self.place.name());
            let (once, twice) = (once / 1000, twice / 1000);
            format!("{growth:5.2}  {once:>7} {twice:>7}  {code} {way:?} {:?} {kind} {place}", self.filling)
        };
        if told {
            println!("{}", line());
        }
        (twice > once * GROWTH / 100 + ALWAYS).then(line)
    }
}

/// Sends a request, and gives the status code of its response.
fn send(cluster: &ApiServer, request: Request<Bytes>) -> u16 {
    cluster.call(request).now_or_never().map_or(0, |response| response.status().as_u16())
}

fn new_cluster() -> ApiServer {
    // 2026-01-01T00:00:00Z
    let clock = Arc::new(ManualClock::new(Duration::from_secs(1_767_225_600)));
    ApiServer::new(Config { first_revision: 100, ..Config::new(clock, Arc::new(SeededRandom::new(7))) })
}

fn main() -> ExitCode {
    if counter::count(|| drop(new_cluster())) == 0 {
        eprintln!("This program does not count its work: `cargo xtask test work` builds it so that it does.");
        return ExitCode::FAILURE;
    }
    let word = std::env::var("KUBEGLASS_WORK").ok();
    let cluster = new_cluster();
    let mut seen = HashSet::new();
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for resource in schema::resources().iter().filter(|row| row.verbs.iter().any(|verb| verb == "create")) {
        for place in places::places(resource, &mut seen) {
            let name = format!("{}.{}", resource.kind, place.name());
            if word.as_ref().is_some_and(|word| !name.contains(word.as_str())) {
                continue;
            }
            for filling in place.fillings() {
                let case = Case { resource, place: &place, filling };
                for way in WAYS {
                    tried += 1;
                    wrong.extend(case.check(&cluster, way, word.is_some()));
                }
            }
        }
    }
    wrong.sort();
    wrong.iter().for_each(|line| println!("{line}"));
    println!("{tried} requests were made twice as large; of {} the work grew faster", wrong.len());
    if wrong.is_empty() && tried > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
