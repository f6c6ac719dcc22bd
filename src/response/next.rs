//! The next steps of a response: the requests that one would make next, each with a button.

use apimachinery::target;
use json_tree::Value;
use leptos::prelude::*;

use crate::cluster::Request;
use crate::cluster::head::{self, Metadata};
use crate::cluster::host::Host;
use crate::cluster::place::Place;
use crate::model::explore::served::WATCH;
use crate::model::request::command::{curl, kubectl};
use crate::state::Page;
use crate::ui::dom;
use crate::ui::messages::next as words;
use crate::ui::messages::{self, kept};
use crate::ui::part::{IntoPart, Part, act, text};

/// A request that one may make next.
#[derive(Debug, PartialEq)]
struct Step {
    name: String,
    about: &'static str,
    request: Request,
    /// The verb that the resource must have.
    verb: &'static str,
    /// It changes nothing, and is sent at once; the others are put into the form.
    reads: bool,
}

/// See [`show`].
pub(crate) type Show = fn(Page, &Request, Option<&[u8]>, Option<u64>) -> Part;

/// Shows the steps, and the request as commands. `body` is the response's as JSON, where it has one; `wrote` the first revision that
/// the request has made in the cluster of this tab.
pub(crate) fn show(page: Page, request: &Request, body: Option<&[u8]>, wrote: Option<u64>) -> Part {
    let steps = body.map(|body| steps(request, body)).unwrap_or_default();
    let buttons = buttons(page, &target::split(&request.target).0, steps);
    let copies = [(words::COPY_CURL, Some(curl(request))), (words::COPY_KUBECTL, kubectl(request))];
    let copies = copies.into_iter().filter_map(|(name, command)| command.map(|command| (name, command)));
    let copies = copies.map(|(name, command)| {
        let press = move |_| {
            dom::copy(&command);
            page.say(messages::COPIED);
        };
        view! { <button type="button" title=words::COPY_ABOUT on:click=act(press)>{name}</button> }.part()
    });
    let copies: Vec<Part> = copies.collect();
    view! {
        <div class="next-steps" role="group" aria-label=words::NEXT>
            {buttons}
            {wrote.filter(|_| !page.host.with_value(Host::is_shared)).map(|wrote| undo(page, wrote))}
            <span class="space"></span>
            {copies}
        </div>
    }
    .part()
}

/// Makes the buttons of what can be done with the object at a path.
pub(crate) fn buttons_of(page: Page, path: &str, object: &Value) -> Vec<Part> {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
    let steps = match (Place::of(path), text("/metadata/name")) {
        (Some(place), Some(name)) => of_object(path, &place, name, object, text("/metadata/resourceVersion")),
        _ => Vec::new(),
    };
    buttons(page, path, steps)
}

/// Makes the buttons of the steps that the resource at a path has verbs for.
fn buttons(page: Page, path: &str, steps: Vec<Step>) -> Vec<Part> {
    let verbs = Place::of(path).and_then(|place| {
        untrack(|| {
            page.explore.kinds.with(|kinds| {
                let mut kinds = kinds.iter();
                let kind = kinds.find(|kind| kind.group == place.group() && kind.resource == place.resource);
                kind.map(|kind| kind.verbs.clone())
            })
        })
    });
    // Before it is known what is served, the API server says what is not.
    let allows = |verb: &str| verbs.as_ref().is_none_or(|verbs| verbs.iter().any(|known| known == verb));
    let buttons = steps.into_iter().filter(|step| allows(step.verb)).map(|step| {
        let Step { name, about, request, reads, .. } = step;
        let press = move |_| if reads { page.fill_and_send(&request) } else { page.open_request(&request) };
        view! { <button type="button" title=about on:click=act(press)>{name}</button> }.part()
    });
    buttons.collect()
}

/// Takes a change back, and what came after it.
fn undo(page: Page, wrote: u64) -> Part {
    let before = wrote.saturating_sub(1);
    let is_last = move || page.before_last_change() == Some(before);
    view! {
        <button
            type="button"
            title=kept::undo_to(before)
            on:click=act(move |_| page.go_back_to(before))
        >
            {text(move || if is_last() { kept::UNDO_THIS.to_owned() } else { kept::go_back_to(before) })}
        </button>
    }
    .part()
}

/// Returns the steps of a response. A dry run has none: the object that it shows is not there.
fn steps(request: &Request, body: &[u8]) -> Vec<Step> {
    let (path, params) = target::split(&request.target);
    let dry = params.iter().any(|(name, _)| name == "dryRun");
    let Some(place) = Place::of(&path).filter(|_| !dry) else { return Vec::new() };
    // A list may be long, and only its beginning is needed.
    if request.method == "GET" && place.name.is_empty() {
        return head::head(body).map(|head| of_list(request, &head.metadata)).unwrap_or_default();
    }
    let Some(object) = serde_json::from_slice::<Value>(body).ok().filter(|_| request.method != "DELETE")
    else {
        return Vec::new();
    };
    let text =
        |pointer: &str| object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    match text("/metadata/name") {
        Some(name) if !text("/kind").is_some_and(|kind| kind.starts_with("PartialObject")) => {
            let path = if place.name.is_empty() { place.object(name) } else { path.clone() };
            of_object(&path, &place, name, &object, text("/metadata/resourceVersion"))
        }
        _ => Vec::new(),
    }
}

fn of_list(request: &Request, metadata: &Metadata) -> Vec<Step> {
    let Metadata { version, token, remaining, .. } = metadata;
    let go = |changes: &[(&str, Option<&str>)]| Request {
        target: target::with(&request.target, changes),
        encoded: None,
        json: None,
        ..request.clone()
    };
    let mut steps = Vec::new();
    if !token.is_empty() {
        // A page goes on at the revision of the first one, which the token names.
        let changes =
            [("continue", Some(token.as_str())), ("resourceVersion", None), ("resourceVersionMatch", None)];
        steps.push(Step {
            name: words::next_page(*remaining),
            about: words::NEXT_PAGE_ABOUT,
            request: go(&changes),
            verb: "list",
            reads: true,
        });
    }
    if !version.is_empty() {
        let mut changes = WATCH.to_vec();
        changes.extend([("resourceVersion", Some(version.as_str())), ("limit", None), ("continue", None)]);
        changes.push(("resourceVersionMatch", None));
        steps.push(Step {
            name: words::watch_from(version),
            about: words::WATCH_FROM_ABOUT,
            request: go(&changes),
            verb: "watch",
            reads: true,
        });
    }
    steps
}

fn of_object(path: &str, place: &Place<'_>, name: &str, body: &Value, version: Option<&str>) -> Vec<Step> {
    let mut object = body.clone();
    // What is not sent stays as it is: https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    let text = serde_json::to_string_pretty(&object).unwrap_or_default();
    let edit = Step {
        name: words::EDIT.to_owned(),
        about: words::EDIT_ABOUT,
        request: Request::json("PUT", path, &text),
        verb: "update",
        reads: false,
    };
    if !place.subresource.is_empty() {
        return vec![edit];
    }
    let field = ["metadata.name=", name].concat();
    let mut changes = WATCH.to_vec();
    changes.extend([("fieldSelector", Some(field.as_str())), ("resourceVersion", version)]);
    vec![
        edit,
        Step {
            name: words::DELETE.to_owned(),
            about: words::DELETE_ABOUT,
            request: Request { method: "DELETE".to_owned(), ..Request::get(path) },
            verb: "delete",
            reads: false,
        },
        Step {
            name: words::WATCH.to_owned(),
            about: words::WATCH_ABOUT,
            request: Request::get(&target::with(&place.collection(), &changes)),
            verb: "watch",
            reads: true,
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use json_tree::json;

    /// Each step as its name, method and target.
    #[track_caller]
    fn check(request: &Request, body: &Value, expected: &[(&str, &str, &str)]) {
        let steps = steps(request, body.to_string().as_bytes());
        let got: Vec<(&str, &str, &str)> = steps
            .iter()
            .map(|step| (step.name.as_str(), step.request.method.as_str(), step.request.target.as_str()))
            .collect();
        assert_eq!(got, expected);
    }

    const MAPS: &str = "/api/v1/namespaces/default/configmaps";

    #[test]
    fn an_object_can_be_edited_deleted_and_watched() {
        let object = json!({
            "kind": "ConfigMap", "apiVersion": "v1",
            "metadata": {"name": "a", "resourceVersion": "7", "managedFields": [{}]}, "data": {"x": "1"},
        });
        let watch = "/api/v1/namespaces/default/configmaps?watch=true&allowWatchBookmarks=true&fieldSelector=metadata.name=a&resourceVersion=7";
        let path = [MAPS, "/a"].concat();
        let expected = [
            (words::EDIT, "PUT", path.as_str()),
            (words::DELETE, "DELETE", path.as_str()),
            (words::WATCH, "GET", watch),
        ];
        check(&Request::get(&path), &object, &expected);
        check(&Request::json("POST", MAPS, "{}"), &object, &expected);
        check(&Request::json("POST", &[MAPS, "?dryRun=All"].concat(), "{}"), &object, &[]);
        check(&Request { method: "DELETE".to_owned(), ..Request::get(&path) }, &object, &[]);
        let status = [&path, "/status"].concat();
        check(&Request::get(&status), &object, &[(words::EDIT, "PUT", &status)]);
        let edited = steps(&Request::get(&path), object.to_string().as_bytes()).remove(0).request.body;
        assert!(
            !edited.contains("managedFields") && edited.contains("\"resourceVersion\": \"7\""),
            "{edited}"
        );
    }

    #[test]
    fn a_list_goes_on_and_can_be_watched() {
        let page = json!({"kind": "PodList", "metadata": {"resourceVersion": "9", "continue": "abc", "remainingItemCount": 3}, "items": []});
        check(
            &Request::get("/api/v1/pods?limit=2&labelSelector=a"),
            &page,
            &[
                ("Next page (3 left)", "GET", "/api/v1/pods?limit=2&labelSelector=a&continue=abc"),
                (
                    "Watch from 9",
                    "GET",
                    "/api/v1/pods?labelSelector=a&watch=true&allowWatchBookmarks=true&resourceVersion=9",
                ),
            ],
        );
        let table = json!({"kind": "Table", "metadata": {"resourceVersion": "9"}, "rows": []});
        let asked = Request {
            headers: vec![("Accept".into(), "application/json;as=Table".into())],
            ..Request::get("/api/v1/pods")
        };
        let steps = steps(&asked, table.to_string().as_bytes());
        assert_eq!(
            steps.iter().map(|step| step.request.headers.clone()).collect::<Vec<_>>(),
            [asked.headers]
        );
    }

    #[test]
    fn what_is_no_object_leads_to_nothing() {
        let partial =
            json!({"kind": "PartialObjectMetadata", "metadata": {"name": "a", "resourceVersion": "7"}});
        check(&Request::get("/api/v1/nodes/a"), &partial, &[]);
        check(&Request::get("/version"), &json!({"major": "1"}), &[]);
        check(&Request::get("/api/v1/nodes/a"), &json!({"kind": "Status", "metadata": {}}), &[]);
        check(&Request::get("/api/v1/nodes"), &json!([]), &[]);
    }
}
