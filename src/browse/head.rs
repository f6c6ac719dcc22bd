//! The head of an object's page: what can be done with it, and what there is to know of it at a glance.

use json_tree::Value;
use leptos::prelude::*;

use crate::browse::{related, trail};
use crate::change::going;
use crate::cluster::place::Place;
use crate::cluster::{Request, Which};
use crate::explore::workloads;
use crate::response::next;
use crate::state::Page;
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, Part, act};
use crate::widgets::version::Version;

/// A condition of an object's status.
/// See <https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties>.
#[derive(Debug, PartialEq)]
struct Condition {
    name: String,
    status: String,
    /// The reason and the message.
    about: String,
}

/// Shows the head of the object at `path`.
pub(super) fn show(page: Page, path: &str, object: &Value) -> Part {
    let request = Request::get(path);
    let deletion = going::of_object(page, &request, object);
    let alone = Place::of(path)
        .is_some_and(|place| workloads::is_one(place.resource))
        .then(|| workloads::show_alone(page, object));
    let reads = Request::get(path);
    let mut buttons = next::buttons_of(page, path, object);
    buttons.push(
        view! {
            <button type="button" title=words::AS_REQUEST_ABOUT on:click=act(move |_| page.fill_and_send(&reads))>
                {words::AS_REQUEST}
            </button>
        }
        .part(),
    );
    let kind = view! { <span class="figure">{text(object, "/kind").to_owned()}</span> }.part();
    view! {
        {trail::show(page, path, kind, buttons)}
        {facts(page, object)}
        {deletion}
        {alone.flatten()}
    }
    .part()
}

fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Lists the facts of an object that one wants to know at a glance.
fn facts(page: Page, object: &Value) -> Part {
    let mut facts: Vec<(&'static str, Part)> = Vec::new();
    let version = text(object, "/metadata/resourceVersion");
    if !version.is_empty() {
        facts.push((words::VERSION, view! { <Version version=version.to_owned() /> }.part()));
    }
    let created = text(object, "/metadata/creationTimestamp");
    if !created.is_empty() {
        facts.push((words::CREATED, created.to_owned().part()));
    }
    if let Some(generation) = object.pointer("/metadata/generation").and_then(Value::as_u64) {
        let observed = object.pointer("/status/observedGeneration").and_then(Value::as_u64);
        facts.push((words::GENERATION, words::generation(generation, observed).part()));
    }
    let phase = text(object, "/status/phase");
    if !phase.is_empty() {
        facts.push((words::PHASE, phase.to_owned().part()));
    }
    let owners: Vec<Part> = related::owners(object)
        .into_iter()
        .map(|owner| view! { <li>{related::link(page, &owner)}</li> }.part())
        .collect();
    if !owners.is_empty() && page.cluster.get_untracked() == Which::ThisTab {
        facts.push((words::OWNED_BY, view! { <ul class="browse-chips">{owners}</ul> }.part()));
    }
    for (name, pointer) in
        [(words::LABELS, "/metadata/labels"), (words::ANNOTATIONS, "/metadata/annotations")]
    {
        let pairs = pairs(object, pointer);
        if !pairs.is_empty() {
            let chips = pairs
                .into_iter()
                .map(|pair| view! { <li class="mono" title=pair.clone()>{pair.clone()}</li> }.part());
            facts.push((name, view! { <ul class="browse-chips">{chips.collect_view()}</ul> }.part()));
        }
    }
    let conditions: Vec<Part> = conditions(object)
        .into_iter()
        .map(|condition| {
            let Condition { name, status, about } = condition;
            view! { <li title=about.clone()>{[&name, "=", &status].concat()}<span class="unseen">" "{about.clone()}</span></li> }.part()
        })
        .collect();
    if !conditions.is_empty() {
        facts.push((words::CONDITIONS, view! { <ul class="browse-chips">{conditions}</ul> }.part()));
    }
    let rows =
        facts.into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }.part());
    view! { <dl class="browse-facts">{rows.collect_view()}</dl> }.part()
}

fn pairs(object: &Value, pointer: &str) -> Vec<String> {
    let pairs = object.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
    pairs.map(|(key, value)| [key, "=", value.as_str().unwrap_or_default()].concat()).collect()
}

fn conditions(object: &Value) -> Vec<Condition> {
    let all = object.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    let of = |condition: &Value| {
        let text = |key: &str| condition[key].as_str().unwrap_or_default().to_owned();
        let about = [text("reason"), text("message")];
        let about: Vec<&str> = about.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
        Condition { name: text("type"), status: text("status"), about: about.join(": ") }
    };
    all.map(of).filter(|condition| !condition.name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn a_status_has_conditions() {
        let object = json!({"status": {"conditions": [
            {"type": "Ready", "status": "False", "reason": "Waits", "message": "for a node"},
            {"type": "Seen", "status": "True"},
            {"status": "True"}, 7,
        ]}});
        let told: Vec<String> = conditions(&object)
            .into_iter()
            .map(|condition| [condition.name, condition.status, condition.about].join("|"))
            .collect();
        assert_eq!(told, ["Ready|False|Waits: for a node", "Seen|True|"]);
        assert_eq!(conditions(&json!({"status": {"conditions": {}}})), []);
    }

    #[test]
    fn labels_are_pairs() {
        let object = json!({"metadata": {"labels": {"a": "b", "c": ""}}});
        assert_eq!(pairs(&object, "/metadata/labels"), ["a=b", "c="]);
        assert_eq!(pairs(&object, "/metadata/annotations"), [""; 0]);
    }
}
