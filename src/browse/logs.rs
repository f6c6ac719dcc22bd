//! The logs of a pod's containers: what `kubectl logs` prints, read again every second.
//! See <https://kubernetes.io/docs/concepts/cluster-administration/logging/#basic-logging-in-kubernetes>.

use std::sync::Arc;
use std::time::Duration;

use apimachinery::target;
use json_tree::Value;
use leptos::prelude::*;

use crate::cluster::Request;
use crate::state::Page;
use crate::state::peek::Refusal;
use crate::ui::dom;
use crate::ui::latest::Latest;
use crate::ui::memo::Memo;
use crate::ui::messages::browse as words;
use crate::ui::part::{IntoPart, Part, act, flag, live};
use crate::widgets::check::check;

/// How often the log is read.
const INTERVAL: Duration = Duration::from_secs(1);
/// Of more lines than this, the last are read.
const LINES: &str = "1000";

/// The choices of somebody who reads a log. A handle: all copies are the same.
#[derive(Clone, Copy)]
struct Asked {
    /// The name of the container; empty for the first one.
    container: RwSignal<String>,
    previous: RwSignal<bool>,
    timestamps: RwSignal<bool>,
}

impl Asked {
    fn target(self, path: &str, containers: &[String]) -> String {
        let container = self.container.get();
        let container = if containers.contains(&container) { Some(&container) } else { containers.first() };
        let set = |flag: RwSignal<bool>| flag.get().then_some("true");
        target::with(
            &[path, "/log"].concat(),
            &[
                ("container", container.map(String::as_str)),
                ("previous", set(self.previous)),
                ("tailLines", Some(LINES)),
                ("timestamps", set(self.timestamps)),
            ],
        )
    }
}

/// Returns the names of a pod's containers, those that run on first.
pub(super) fn containers(pod: &Value) -> Vec<String> {
    let of = |field: &str| pod.pointer(field).and_then(Value::as_array).into_iter().flatten();
    let all = of("/spec/containers").chain(of("/spec/initContainers")).chain(of("/spec/ephemeralContainers"));
    all.filter_map(|container| container["name"].as_str()).map(str::to_owned).collect()
}

/// The logs of the pod at a path.
pub(super) fn show(page: Page, object: Memo<Option<Arc<Value>>>, path: &str) -> Part {
    let asked = Asked {
        container: RwSignal::new(String::new()),
        previous: RwSignal::new(false),
        timestamps: RwSignal::new(false),
    };
    let names = Memo::new(move |_| object.with(|pod| pod.as_deref().map(containers).unwrap_or_default()));
    let path = path.to_owned();
    let wanted = Memo::new(move |_| names.with(|names| asked.target(&path, names)));
    let turn = RwSignal::new(0_u32);
    dom::every_while_seen(INTERVAL, move || turn.update(|turn| *turn = turn.wrapping_add(1)));
    let (known, latest) = (RwSignal::new(None::<Result<String, Refusal>>), Latest::new());
    Effect::new(move || {
        // Somebody may have changed what is written, or where.
        if object.with(Option::is_none) {
            return;
        }
        turn.track();
        // There is none of the past: whatever the page shows, this is the newest.
        let work = page.peek_bytes(page.cluster.get(), None, Request::get(&wanted.get()));
        latest.begin(work, move |read| {
            let read = Some(read.map(|body| String::from_utf8_lossy(&body).into_owned()));
            if known.with_untracked(|before| *before != read) {
                known.set(read);
            }
        });
    });
    let shown = move || {
        known.with(|known| match known {
            None => ().part(),
            Some(Ok(log)) if log.is_empty() => {
                view! { <p class="quiet browse-note">{words::NOTHING_WRITTEN}</p> }.part()
            }
            Some(Ok(log)) => view! { <pre class="browse-yaml mono">{log.clone()}</pre> }.part(),
            Some(Err(refusal)) => {
                view! { <p class="browse-refusal" role="status">{refusal.message.clone()}</p> }.part()
            }
        })
    };
    view! { {tools(page, asked, names, wanted)} {live(shown)} }.part()
}

fn tools(page: Page, asked: Asked, names: Memo<Vec<String>>, wanted: Memo<String>) -> Part {
    let options = move || {
        let option = |name: String| {
            let own = name.clone();
            let is_chosen = flag(move || asked.container.with(|chosen| *chosen == own));
            view! { <option value=name.clone() selected=is_chosen>{name.clone()}</option> }.part()
        };
        names.get().into_iter().map(option).collect::<Vec<_>>()
    };
    view! {
        <div class="browse-tools">
            <label class="check" hidden=flag(move || names.with(Vec::len) < 2)>
                {words::CONTAINER}
                <select on:change=act(move |event| asked.container.set(event_target_value(&event)))>{live(options)}</select>
            </label>
            {check(words::PREVIOUS, words::PREVIOUS_ABOUT, asked.previous)}
            {check(words::TIMESTAMPS, "", asked.timestamps)}
            <button
                type="button"
                class="small"
                title=words::AS_REQUEST_ABOUT
                on:click=act(move |_| page.open_request(&Request::get(&wanted.get_untracked())))
            >
                {words::AS_REQUEST}
            </button>
        </div>
    }
    .part()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn the_first_container_that_runs_on_is_the_first() {
        let pod = json!({"spec": {
            "initContainers": [{"name": "i"}], "containers": [{"name": "a"}, {"name": "b"}], "nodeName": "n",
        }});
        assert_eq!(containers(&pod), ["a", "b", "i"]);
        assert!(containers(&json!({})).is_empty());
    }
}
