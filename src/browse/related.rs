//! The relatives of an object: who owns it, what it owns, and which Pods it selects.
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/>.

use std::sync::Arc;

use glass::label;
use json_tree::Value;
use leptos::prelude::*;

use super::collection::Collection;
use super::listing::Listing;
use super::path;
use crate::cluster::Which;
use crate::cluster::place::Place;
use crate::model::owners::{Dependents, MOST};
use crate::state::Page;
use crate::state::views;
use crate::ui::latest::Latest;
use crate::ui::memo::Memo;
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, Part, flag, live, text};

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
            Some(views::object_path(&known.path(""), namespace, &name))
        })
    };
    live(move || match path() {
        Some(path) => views::link(page, named.clone(), path),
        None => named.clone().part(),
    })
    .part()
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
                    let named = match views::path_of(page, key) {
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
            let path = views::object_path(&own, &row.namespace, &row.name);
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
