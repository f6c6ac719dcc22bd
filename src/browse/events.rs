//! The events about an object: what `kubectl describe` prints last.
//! See <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/>.

use std::sync::Arc;

use apimachinery::target;
use json_tree::Value;
use leptos::prelude::*;

use crate::cluster::Request;
use crate::model::request::form;
use crate::response::table::{self, Table};
use crate::state::Page;
use crate::state::peek::Refusal;
use crate::ui::latest::Latest;
use crate::ui::memo::Memo;
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, Part, live, quiet};

const EVENTS: &str = "/api/v1/events";

/// Returns the request for the events about an object.
fn request(object: &Value) -> Option<Request> {
    let uid = object.pointer("/metadata/uid")?.as_str()?;
    let about = ["involvedObject.uid=", uid].concat();
    let headers = vec![("Accept".to_owned(), form::TABLE.to_owned())];
    Some(Request { headers, ..Request::get(&target::with(EVENTS, &[("fieldSelector", Some(&about))])) })
}

/// The events about an object.
pub(super) fn show(page: Page, object: Memo<Option<Arc<Value>>>) -> Part {
    let known = RwSignal::new(None::<Result<Table, Refusal>>);
    let asked = Memo::new(move |_| object.with(|object| request(object.as_ref()?)));
    let written = page.last_written(|key| key.group.is_empty() && key.resource == "events");
    let latest = Latest::new();
    Effect::new(move || {
        written.get();
        let (which, at) = (page.cluster.get(), page.reads_at());
        if let Some(request) = asked.get() {
            latest.begin(page.peek_at(which, at, request), move |read| {
                known.set(Some(read.map(|page| Table::of(&page).unwrap_or_default())));
            });
        }
    });
    let shown = move || match known.get() {
        None => ().part(),
        Some(Ok(events)) if events.rows.is_empty() => quiet(words::NO_EVENTS),
        Some(Ok(events)) => table::show(events),
        Some(Err(refusal)) => view! { <p class="browse-refusal" role="alert">{refusal.message}</p> }.part(),
    };
    view! { {live(shown)} }.part()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn events_are_found_by_the_uid() {
        let target = |object: Value| request(&object).map(|request| request.target);
        assert_eq!(
            target(json!({"metadata": {"uid": "x-y"}})).as_deref(),
            Some("/api/v1/events?fieldSelector=involvedObject.uid=x-y")
        );
        assert_eq!(target(json!({"metadata": {}})), None);
    }
}
