//! The relatives of an object: who owns it, what it owns, and which Pods it selects.
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/>.

use std::collections::HashMap;
use std::sync::Arc;

use glass::Versions;
use glass::label;
use json_tree::Value;
use leptos::prelude::*;
use protocol::trace::ObjectKey;
use serde::Deserialize;

use super::collection::Collection;
use super::listing::Listing;
use super::path::{self, object_path};
use crate::cluster::Which;
use crate::cluster::place::Place;
use crate::state::Page;
use crate::state::views;
use crate::ui::latest::Latest;
use crate::ui::memo::Memo;
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, Part, flag, live, text};

/// More generations than this are not shown: owners may form a circle.
const DEEPEST: usize = 8;
/// More objects than this are not shown.
const MOST: usize = 200;

/// An object as a reference names it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reference {
    api_version: String,
    kind: String,
    namespace: String,
    name: String,
}

/// Returns the owners of an object, as it names them.
pub(super) fn owners(object: &Value) -> Vec<Reference> {
    let namespace = object.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or_default();
    let references = object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    let of = |reference: &Value| {
        let text = |key: &str| reference[key].as_str().unwrap_or_default().to_owned();
        Reference {
            api_version: text("apiVersion"),
            kind: text("kind"),
            namespace: namespace.to_owned(),
            name: text("name"),
        }
    };
    references.into_iter().flatten().map(of).collect()
}

/// Leads to the object that a reference names, once it is known what is served.
pub(super) fn link(page: Page, to: &Reference) -> Part {
    let Reference { api_version, kind, namespace, name } = to.clone();
    let named = [&kind, "/", &name].concat();
    let path = move || {
        page.explore.kinds.with(|kinds| {
            let known =
                kinds.iter().find(|known| known.kind == kind && known.api_version() == api_version)?;
            let namespace = if known.namespaced { namespace.as_str() } else { "" };
            Some(object_path(&known.path(""), namespace, &name))
        })
    };
    live(move || match path() {
        Some(path) => views::link(page, named.clone(), path),
        None => named.clone().part(),
    })
    .part()
}

/// The part of an object that names its owners.
#[derive(Deserialize)]
struct Owned {
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    uid: String,
    #[serde(default, rename = "ownerReferences")]
    owners: Vec<Owner>,
}

#[derive(Deserialize)]
struct Owner {
    uid: String,
}

/// An object that has owners.
type Dependent = (ObjectKey, String);

/// The objects that have owners, by the `uid` of each owner.
#[derive(Default)]
struct Dependents(HashMap<String, Vec<Dependent>>);

impl Dependents {
    /// Finds the objects that have owners at a revision.
    fn of(versions: &Versions, revision: u64) -> Self {
        let mut found = Self::default();
        let mut resources: Vec<&str> = versions.resources().collect();
        resources.sort_unstable();
        for (key, stored) in resources.into_iter().flat_map(|resource| versions.state_at(resource, revision))
        {
            found.add(key, &stored.json);
        }
        found
    }

    fn add(&mut self, key: &ObjectKey, json: &[u8]) {
        const REFERENCES: &[u8] = b"\"ownerReferences\"";
        // Few have any: all others are not read.
        if !json.windows(REFERENCES.len()).any(|bytes| bytes == REFERENCES) {
            return;
        }
        let Ok(Owned { metadata }) = serde_json::from_slice(json) else { return };
        for owner in metadata.owners {
            self.0.entry(owner.uid).or_default().push((key.clone(), metadata.uid.clone()));
        }
    }

    /// Returns what an object owns, and what that owns, each with its depth.
    fn below(&self, uid: &str, depth: usize, found: &mut Vec<(usize, ObjectKey)>) {
        for (key, own) in self.0.get(uid).into_iter().flatten() {
            if found.len() < MOST {
                found.push((depth, key.clone()));
                if depth < DEEPEST {
                    self.below(own, depth + 1, found);
                }
            }
        }
    }
}

/// The resources whose `spec.selector` is for Pods.
const SELECTS_PODS: [&str; 8] = [
    "daemonsets",
    "deployments",
    "jobs",
    "poddisruptionbudgets",
    "replicasets",
    "replicationcontrollers",
    "services",
    "statefulsets",
];

/// Returns the selector by which an object finds its Pods, as a query has it.
fn selector(object: &Value) -> Option<String> {
    let selector = object.pointer("/spec/selector")?.as_object()?;
    let is_label_selector = selector.keys().all(|key| key == "matchLabels" || key == "matchExpressions");
    let labels = if is_label_selector {
        selector.get("matchLabels").and_then(Value::as_object)
    } else {
        Some(selector)
    };
    let labels = labels.into_iter().flatten();
    let mut terms: Vec<String> =
        labels.map(|(key, value)| [key, "=", value.as_str().unwrap_or_default()].concat()).collect();
    let expressions =
        selector.get("matchExpressions").filter(|_| is_label_selector).and_then(Value::as_array);
    for expression in expressions.into_iter().flatten() {
        let key = expression["key"].as_str()?;
        let values = expression["values"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let values = values.collect::<Vec<_>>().join(",");
        terms.push(match expression["operator"].as_str()? {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_owned(),
            "DoesNotExist" => format!("!{key}"),
            _ => return None,
        });
    }
    (!terms.is_empty()).then(|| terms.join(","))
}

/// The relatives of the object at a path.
pub(super) fn show(page: Page, object: Memo<Option<Arc<Value>>>, path: &str) -> Part {
    let owning = move || {
        let owners = object.with(|object| object.as_ref().map(|object| owners(object))).unwrap_or_default();
        let items = owners.iter().map(|owner| view! { <li>{link(page, owner)}</li> }.part());
        items.collect::<Vec<_>>()
    };
    let owners_none =
        flag(move || object.with(|object| object.as_ref().is_none_or(|object| owners(object).is_empty())));
    let uid = Memo::new(move |_| {
        object.with(|object| Some(object.as_ref()?.pointer("/metadata/uid")?.as_str()?.to_owned()))
    });
    let owned = Memo::new(move |_| {
        let which = page.cluster.get();
        // There may be many: it is enough to look again when the page has time.
        page.objects(|_| ());
        let at = page.at.get().unwrap_or_else(|| page.revisions().0);
        let mut found = Vec::new();
        if let Some(uid) = uid.get().filter(|_| which == Which::ThisTab) {
            let dependents = untrack(|| page.read(|model| Dependents::of(model.glass(which).versions(), at)));
            dependents.below(&uid, 0, &mut found);
        }
        found
    });
    let tree = move || {
        owned.with(|owned| {
            owned
                .iter()
                .map(|(depth, key)| {
                    let name = label(key);
                    let named = match path::path_of(page, key) {
                        Some(path) => views::link(page, name, path),
                        None => name.part(),
                    };
                    view! { <li style=("--depth", depth.to_string())>{named}</li> }.part()
                })
                .collect_view()
        })
    };
    let about = move || {
        if page.cluster.get() == Which::Remote {
            words::OWNS_REMOTE
        } else if owned.with(Vec::is_empty) {
            words::OWNS_NOTHING
        } else {
            words::OWNS_ABOUT
        }
    };
    let selects = Place::of(path).is_some_and(|place| SELECTS_PODS.contains(&place.resource));
    let selected = Memo::new(move |_| object.with(|object| selector(object.as_ref().filter(|_| selects)?)));
    let pods = pods_of(path);
    view! {
        <section class="browse-related">
            <h4>{words::OWNED_BY}</h4>
            <p class="browse-note" hidden=flag(move || !owners_none.get())>{words::NO_OWNERS}</p>
            <ul>{live(owning)}</ul>
            <h4>{words::OWNS}</h4>
            <p class="browse-note">{text(about)}</p>
            <ul class="browse-tree">{live(tree)}</ul>
            {live(move || selected.get().map(|labels| pods_selected(page, &pods, &labels)))}
        </section>
    }
    .part()
}

/// Returns the path of the Pods in the namespace of an object.
fn pods_of(path: &str) -> String {
    let namespace = Place::of(path).map(|place| place.namespace).filter(|namespace| !namespace.is_empty());
    namespace
        .map_or_else(|| "/api/v1/pods".to_owned(), |namespace| format!("/api/v1/namespaces/{namespace}/pods"))
}

/// The Pods that a selector selects.
fn pods_selected(page: Page, path: &str, labels: &str) -> Part {
    let found = RwSignal::new(None::<Listing>);
    let written = page.last_written(path::concerns(path));
    let collection = Memo::new({
        let (path, labels) = (path.to_owned(), labels.to_owned());
        move |_| Collection {
            which: page.cluster.get(),
            path: path.clone(),
            labels: labels.clone(),
            at: page.reads_at(),
        }
    });
    let latest = Latest::new();
    Effect::new(move || {
        written.get();
        let collection = collection.get();
        let work = async move { collection.first(page, MOST).await };
        latest.begin(work, move |read| read.into_iter().for_each(|listing| found.set(Some(listing))));
    });
    let own = path.to_owned();
    let rows = move || {
        let listing = found.get().unwrap_or_default();
        let rows = listing.rows.into_iter().take(MOST);
        rows.map(|row| {
            let path = object_path(&own, &row.namespace, &row.name);
            view! { <li>{views::link(page, row.name, path)}</li> }.part()
        })
        .collect_view()
    };
    let none = flag(move || found.with(|found| found.as_ref().is_none_or(|found| !found.rows.is_empty())));
    view! {
        <h4>{words::SELECTS}" "<code>{labels.to_owned()}</code></h4>
        <p class="browse-note" hidden=none>{words::SELECTS_NOTHING}</p>
        <ul>{live(rows)}</ul>
    }
    .part()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn key(name: &str) -> ObjectKey {
        ObjectKey { name: name.to_owned(), ..ObjectKey::default() }
    }

    #[test]
    fn what_an_object_owns_is_a_tree() {
        let mut dependents = Dependents::default();
        let add = |dependents: &mut Dependents, name: &str, owner: &str| {
            let object = json!({"metadata": {"uid": name, "ownerReferences": [{"uid": owner, "name": "x"}]}});
            dependents.add(&key(name), object.to_string().as_bytes());
        };
        for (name, owner) in [("rs", "deploy"), ("pod-0", "rs"), ("pod-1", "rs"), ("other", "x")] {
            add(&mut dependents, name, owner);
        }
        dependents.add(&key("free"), br#"{"metadata":{"uid":"free"}}"#);
        let below = |dependents: &Dependents, uid: &str| {
            let mut found = Vec::new();
            dependents.below(uid, 0, &mut found);
            found.into_iter().map(|(depth, key)| format!("{depth} {}", key.name)).collect::<Vec<_>>()
        };
        assert_eq!(below(&dependents, "deploy"), ["0 rs", "1 pod-0", "1 pod-1"]);
        assert_eq!(below(&dependents, "free"), [""; 0]);
        // Who owns himself has a tree that ends.
        add(&mut dependents, "self", "self");
        assert_eq!(below(&dependents, "self").len(), DEEPEST + 1);
    }

    #[test]
    fn an_object_names_its_owners() {
        let pod = json!({"metadata": {"namespace": "a", "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "u"},
        ]}});
        let owners = owners(&pod);
        assert_eq!(owners.len(), 1);
        assert_eq!([&owners[0].kind, &owners[0].name, &owners[0].namespace], ["ReplicaSet", "rs", "a"]);
    }

    #[track_caller]
    fn check(selector_of: &Value, expected: Option<&str>) {
        assert_eq!(selector(&json!({"spec": {"selector": selector_of}})).as_deref(), expected);
    }

    #[test]
    fn a_selector_is_written_as_a_query() {
        check(&json!({"app": "web", "tier": "x"}), Some("app=web,tier=x"));
        check(&json!({"matchLabels": {"app": "web"}}), Some("app=web"));
        check(
            &json!({"matchLabels": {"a": "b"}, "matchExpressions": [
                {"key": "c", "operator": "In", "values": ["d", "e"]},
                {"key": "f", "operator": "DoesNotExist"},
            ]}),
            Some("a=b,c in (d,e),!f"),
        );
        check(
            &json!({"matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["d"]}]}),
            Some("c notin (d)"),
        );
        check(&json!({}), None);
        check(&json!(7), None);
    }

    #[test]
    fn pods_are_in_the_same_namespace() {
        assert_eq!(pods_of("/apis/apps/v1/namespaces/a/deployments/web"), "/api/v1/namespaces/a/pods");
        assert_eq!(pods_of("/api/v1/nodes/n"), "/api/v1/pods");
    }
}
