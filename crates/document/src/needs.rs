//! The objects that the examples of a document assume to be in the cluster.

use apimachinery::Place;
use json_tree::Value;

use crate::examples;
use crate::http::{Documented, Exchange};
use crate::kinds::{Kind, Kinds};
use crate::message::Request;
use crate::names;
use crate::pattern::{self, Item, Pattern};

/// Something that has to be in the cluster before a request is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Need {
    /// A namespace.
    Namespace(String),
    /// The definition of a custom resource.
    Definition(Value),
    /// An object, at its path.
    Object(String, Value),
    /// So many objects in a collection, which is at a path.
    Count(String, usize),
}

/// The number of objects from which on a list is compressed: it has to have 128 KiB.
const COMPRESSED: usize = 200;

/// The most objects that are made for a list: a document may say any number.
const MOST: usize = 5_000;

/// The namespaces that every cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-system", "kube-public", "kube-node-lease"];

/// Returns what a request assumes, in the order in which it is to be made. `told` is its response as far as it is written.
pub fn of(request: &Request, told: Option<&Documented>, kinds: &Kinds) -> Vec<Need> {
    let status = told.and_then(|told| told.status);
    let documented = told.map(|told| pattern::read(&told.body)).unwrap_or_default();
    let Some(place) = Place::of(request.path()) else { return Vec::new() };
    let mut needs = Vec::new();
    if !place.namespace.is_empty() && !NAMESPACES.contains(&place.namespace) {
        needs.push(Need::Namespace(place.namespace.to_owned()));
    }
    // What is documented to fail is not helped.
    if status.is_some_and(|status| status >= 400) {
        return needs;
    }
    let Some(kind) = kinds.at(&place) else {
        needs.extend(definition(&place));
        return needs;
    };
    let creates = request.method == "POST" && place.subresource.is_empty() || status == Some(201);
    let applies = request.header("Content-Type").is_some_and(|sort| sort.contains("apply-patch"));
    let is_asked_about = kind.kind.ends_with("Review");
    if !place.name.is_empty() && !creates && !applies && !is_asked_about {
        if kind.kind == "Namespace" {
            if !NAMESPACES.contains(&place.name) {
                needs.push(Need::Namespace(place.name.to_owned()));
            }
        } else {
            let mut object = examples::object(kind, place.namespace, place.name);
            if let Some(told) = pattern::first(&documented)
                && told.get("kind").and_then(Pattern::as_str) == Some(&*kind.kind)
            {
                examples::documented(&mut object, told);
            }
            needs.push(Need::Object(place.object(place.name), object));
        }
    }
    if place.name.is_empty() && request.method == "GET" {
        needs.extend(of_collection(request, &place, kind, &documented));
        let compressed = told.into_iter().flat_map(|told| &told.headers);
        let mut compressed = compressed.filter(|(name, _)| name.eq_ignore_ascii_case("Content-Encoding"));
        if compressed.any(|(_, coding)| coding == "gzip") {
            needs.push(Need::Count(place.collection(), COMPRESSED));
        }
    }
    needs
}

/// Returns the definition that serves a path, if its group may be a custom one.
fn definition(place: &Place<'_>) -> Option<Need> {
    let (group, version) = (place.group(), place.root.rsplit('/').next()?);
    let is_custom = group.contains('.') && !group.ends_with(".k8s.io");
    let namespaced = !place.namespace.is_empty();
    is_custom.then(|| Need::Definition(examples::definition(group, version, place.resource, namespaced)))
}

fn of_collection(request: &Request, place: &Place<'_>, kind: &Kind, documented: &[Item]) -> Vec<Need> {
    let mut needs = Vec::new();
    let first = pattern::first(documented);
    let object = |told: &Pattern| {
        let text = |path: &[&str]| told.at(path).and_then(Pattern::as_str).unwrap_or_default().to_owned();
        let (name, namespace) = (text(&["metadata", "name"]), text(&["metadata", "namespace"]));
        let namespace = if namespace.is_empty() { place.namespace.to_owned() } else { namespace };
        let namespace =
            if namespace.is_empty() && kind.namespaced { "default".to_owned() } else { namespace };
        if name.is_empty() || names::is_placeholder(&name) {
            return Vec::new();
        }
        let mut object = examples::object(kind, &namespace, &name);
        examples::documented(&mut object, told);
        if let Some(object) = object.as_object_mut() {
            object.insert("kind".to_owned(), kind.kind.as_str().into());
            object.insert("apiVersion".to_owned(), kind.api_version().into());
        }
        let path = [&kind.path(&namespace), "/", &name].concat();
        let own = kind.namespaced && !NAMESPACES.contains(&namespace.as_str());
        own.then_some(Need::Namespace(namespace)).into_iter().chain([Need::Object(path, object)]).collect()
    };
    if request.watches() {
        // What is there already is told first.
        if request.param("sendInitialEvents").as_deref() == Some("true") {
            let told = documented.iter().filter_map(|item| match item {
                Item::One(pattern) => Some(pattern),
                Item::Gap => None,
            });
            let initial =
                told.take_while(|event| event.get("type").and_then(Pattern::as_str) == Some("ADDED"));
            needs.extend(initial.filter_map(|event| event.get("object")).flat_map(object));
        }
        return needs;
    }
    if let Some(items) = first.and_then(|list| list.get("items")) {
        needs.extend(items.items().flat_map(object));
    }
    let limit = request.param("limit").and_then(|limit| limit.parse::<usize>().ok());
    let is_first = request.param("continue").is_none_or(|token| token.is_empty());
    if let Some(limit) = limit.filter(|_| is_first) {
        let rest = first.and_then(|list| list.at(&["metadata", "remainingItemCount"])).map(Pattern::to_value);
        let goes_on = first.and_then(|list| list.at(&["metadata", "continue"])).is_some();
        match rest.and_then(|rest| rest.as_u64()).and_then(|rest| usize::try_from(rest).ok()) {
            Some(rest) => needs.push(Need::Count(place.collection(), limit.saturating_add(rest).min(MOST))),
            None if goes_on => needs.push(Need::Count(place.collection(), limit.saturating_add(1).min(MOST))),
            None => {}
        }
    }
    needs
}

/// Returns the events of a watch for which objects are created while it is open.
pub(crate) fn created_while_open(exchange: &Exchange) -> impl Iterator<Item = Item> {
    let initial = exchange.target.contains("sendInitialEvents=true") || !exchange.target.contains("watch=");
    let events = if initial { Vec::new() } else { documented(exchange) };
    let created = |item: &Item| match item {
        Item::One(event) => event.get("type").and_then(Pattern::as_str) == Some("ADDED"),
        Item::Gap => false,
    };
    events.into_iter().filter(move |item| created(item))
}

/// Returns how many objects a collection has, of which the pages are documented by comments: `// returns pods 1001-1253`.
pub fn total_of_pages<'e>(pages: impl Iterator<Item = &'e Exchange>) -> Option<usize> {
    let told = pages.filter_map(|page| page.documented.as_ref()).filter_map(|documented| {
        let (_, comment) = documented.body.split_once("// returns ")?;
        let (_, last) = comment.lines().next()?.rsplit_once('-')?;
        last.trim().parse::<usize>().ok()
    });
    told.max().map(|total| total.min(MOST))
}

/// Returns the values that are documented of an exchange, where they are written as JSON.
pub fn documented(exchange: &Exchange) -> Vec<Item> {
    exchange.documented.as_ref().map(|documented| pattern::read(&documented.body)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let exchanges = http::read(text).unwrap_or_default();
        let exchange = exchanges.first().cloned().unwrap_or_default();
        let request =
            Request { headers: exchange.headers.clone(), ..Request::new(&exchange.method, &exchange.target) };
        let needs = of(&request, exchange.documented.as_ref(), &Kinds::default());
        let told: Vec<String> = needs
            .iter()
            .map(|need| match need {
                Need::Namespace(name) => ["namespace ", name].concat(),
                Need::Definition(value) => {
                    format!("definition {}", value["metadata"]["name"].as_str().unwrap_or_default())
                }
                Need::Object(path, _) => path.clone(),
                Need::Count(path, count) => format!("{count} at {path}"),
            })
            .collect();
        assert_eq!(told, expected, "{text}");
    }

    #[test]
    fn what_requests_assume() {
        check("GET /api/v1/pods", &[]);
        check("GET /api/v1/namespaces/test/pods", &["namespace test"]);
        check("GET /api/v1/namespaces/default/pods/a", &["/api/v1/namespaces/default/pods/a"]);
        check("GET /api/v1/namespaces/default/pods/a\n---\n404 Not Found", &[]);
        check("POST /api/v1/namespaces/test/pods", &["namespace test"]);
        check("POST /api/v1/namespaces/default/pods/a/eviction", &["/api/v1/namespaces/default/pods/a"]);
        check("DELETE /api/v1/namespaces/x", &["namespace x"]);
        check(
            "GET /apis/crd.example.com/v1alpha1/namespaces/default/resources",
            &["definition resources.crd.example.com"],
        );
        check("GET /apis/apps/v1beta1/deployments", &[]);
        check(
            "PATCH /apis/apps/v1/namespaces/default/deployments/a\nContent-Type: application/apply-patch+yaml",
            &[],
        );
    }

    #[test]
    fn what_documented_responses_assume() {
        check(
            "GET /api/v1/pods?limit=500\n---\n200 OK\n\n{\"metadata\": {\"continue\": \"X_Y\", \"remainingItemCount\": 753}}",
            &["1253 at /api/v1/pods"],
        );
        check(
            "GET /api/v1/pods?limit=500&continue=X_Y\n---\n200 OK\n\n{\"metadata\": {\"remainingItemCount\": 253}}",
            &[],
        );
        check(
            "GET /api/v1/namespaces/test/pods?watch=1&sendInitialEvents=true\n---\n200 OK\n\n{\"type\": \"ADDED\", \"object\": {\"metadata\": {\"name\": \"foo\"}}}\n{\"type\": \"BOOKMARK\"}",
            &["namespace test", "namespace test", "/api/v1/namespaces/test/pods/foo"],
        );
        check(
            "GET /api/v1/pods\nAccept-Encoding: gzip\n---\n200 OK\ncontent-encoding: gzip\n...",
            &["200 at /api/v1/pods"],
        );
        check("GET /api/v1/pods\nAccept-Encoding: gzip", &[]);
        check(
            "GET /api/v1/services\n---\n200 OK\n\n{\"items\": [{\"metadata\": {\"name\": \"kube-dns\", \"namespace\": \"kube-system\"",
            &["/api/v1/namespaces/kube-system/services/kube-dns"],
        );
    }
}
