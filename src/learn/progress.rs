//! Tells the server of a workshop how far the reader has come. The cluster of the lesson knows nothing of it.

use gloo_net::http;
use json_tree::json;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{lessons, source};
use crate::cluster::workshop::Attendee;
use crate::learn::reader::Reader;

/// The greatest length of the name of a lesson, as the definition of attendees has it.
const LONGEST: usize = 253;

/// Tells it when a lesson with a number of steps is opened, and whenever a step of it is done, if the page was opened for a workshop.
pub(super) fn follow(reader: Reader, steps: usize) {
    let Some(attendee) = Attendee::here() else { return };
    let name = reader.source.with_value(|source| {
        let name = lessons::named(source).map_or_else(|| source::name(source), |(_, name)| name);
        name.chars().take(LONGEST).collect::<String>()
    });
    Effect::new(move |_| {
        let done = reader.done.get();
        let (attendee, name) = (attendee.clone(), name.clone());
        spawn_local(async move {
            let is_told = tell(&attendee, &name, done, steps).await.is_ok_and(|response| response.ok());
            let _ = reader.untold.try_set(!is_told);
        });
    });
}

/// Changes the attendee's object.
async fn tell(
    attendee: &Attendee,
    lesson: &str,
    step: usize,
    steps: usize,
) -> Result<http::Response, gloo_net::Error> {
    let seen = js_sys::Date::new_0().to_iso_string().as_string();
    let patch = json!({"spec": {
        "lesson": lesson, "step": step, "steps": steps, "done": lessons::count_done(), "seen": seen
    }});
    let request = http::Request::patch(&path(&attendee.name))
        .header("Authorization", &attendee.authorization())
        .header("Content-Type", "application/merge-patch+json");
    request.body(patch.to_string())?.send().await
}

/// Returns the path of an attendee's object.
fn path(name: &str) -> String {
    ["/apis/workshop.kubeglass.dev/v1/namespaces/", name, "/attendees/", name].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attendee_has_an_object_of_its_name() {
        assert_eq!(path("anna"), "/apis/workshop.kubeglass.dev/v1/namespaces/anna/attendees/anna");
    }
}
