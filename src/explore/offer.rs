//! Offers of a definition once its kind is served: to create an object, a wrong one too, and to see them as a table.

use std::sync::Arc;

use apimachinery::target;
use json_tree::Value;
use leptos::prelude::*;

use crate::cluster::Request;
use crate::cluster::place::Place;
use crate::explore::view::open_at;
use crate::explore::workloads;
use crate::model::explore::served::{DEFINITIONS, Kind};
use crate::model::messages::explore as words;
use crate::model::request::form::TABLE;
use crate::state::Page;
use crate::ui::memo::Memo;
use crate::ui::part::{IntoPart, Part, act, live};

/// Returns whether the response to a request may be a definition, or a workload that was written.
pub(crate) fn may_be(request: &Request) -> bool {
    let path = target::split(&request.target).0;
    let Some(place) = Place::of(&path) else { return false };
    let writes = matches!(request.method.as_str(), "POST" | "PUT" | "PATCH");
    match place.resource {
        DEFINITIONS => writes || request.method == "GET" && !place.name.is_empty(),
        resource => writes && place.subresource.is_empty() && workloads::is_one(resource),
    }
}

/// Shows what a definition offers, or that nothing comes of a workload; nothing for what is neither.
pub(crate) fn show(page: Page, body: &[u8]) -> Option<Part> {
    let object: Value = serde_json::from_slice(body).ok()?;
    if object["kind"] != "CustomResourceDefinition" {
        return workloads::show_alone(page, &object);
    }
    let (group, resource, versions) = names(&object)?;
    let kind = Memo::new(move |_| {
        page.explore.kinds.with(|kinds| {
            let mut known = kinds.iter().filter(|kind| kind.group == group && kind.resource == resource);
            known.find(|kind| versions.contains(&kind.version)).cloned()
        })
    });
    Some(
        live(move || match kind.get() {
            Some(kind) => served(page, &kind),
            None => view! { <p class="offer" role="status">{words::NOT_SERVED}</p> }.part(),
        })
        .part(),
    )
}

/// Group, plural name and versions of a definition.
fn names(definition: &Value) -> Option<(String, String, Vec<String>)> {
    let text = |pointer: &str| definition.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let versions = definition.pointer("/spec/versions")?.as_array()?;
    let versions = versions.iter().filter_map(|version| version.get("name")?.as_str()).map(str::to_owned);
    Some((text("/spec/group")?, text("/spec/names/plural")?, versions.collect()))
}

fn served(page: Page, kind: &Arc<Kind>) -> Part {
    let (own, wrong, table, fields) =
        (Arc::clone(kind), Arc::clone(kind), Arc::clone(kind), Arc::clone(kind));
    let list = move || {
        let path = table.path(&page.namespace.get_untracked());
        let headers = vec![("Accept".to_owned(), TABLE.to_owned())];
        page.fill_and_send(&Request { headers, ..Request::get(&path) });
    };
    view! {
        <section class="offer" aria-label=words::OFFER>
            <p>{words::served(kind)}</p>
            <div class="actions">
                <button type="button" class="primary" on:click=act(move |_| page.create_one(&own, false))>
                    {words::create_one(&kind.kind)}
                </button>
                <button type="button" on:click=act(move |_| page.create_one(&wrong, true))>{words::CREATE_WRONG}</button>
                <button type="button" on:click=act(move |_| list())>{words::LIST_TABLE}</button>
                <button type="button" on:click=act(move |_| open_at(page, &fields))>{words::FIELDS}</button>
            </div>
        </section>
    }
    .part()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn a_definition_says_what_it_defines() {
        let definition = json!({"spec": {
            "group": "e.com", "names": {"plural": "things"}, "versions": [{"name": "v2"}, {"name": "v1"}],
        }});
        let versions = vec!["v2".to_owned(), "v1".to_owned()];
        assert_eq!(names(&definition), Some(("e.com".to_owned(), "things".to_owned(), versions)));
        assert_eq!(names(&json!({"kind": "Status"})), None);
    }
}
