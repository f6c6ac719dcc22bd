//! Scenes: what controllers do, in steps of a few requests each. `scenes.json` has them, and tests play them
//! (`crates/controllers/tests/all/scenes_of_the_page.rs`).

use json_tree::Value;
use protocol::controllers::Switches;
use serde::Deserialize;

use crate::cluster::Request;

/// The scenes. `{ns}` stands for the namespace of one, wherever it is.
const SCENES: &str = include_str!("scenes.json");

/// A scene.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Scene {
    /// The name, which its namespace gets.
    pub(crate) name: String,
    /// The title, and a sentence about it.
    pub(crate) title: String,
    pub(crate) about: String,
    /// The steps.
    pub(crate) steps: Vec<Step>,
}

/// A step of a scene.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Step {
    /// A sentence on what is done, and one on what there is to see then.
    pub(crate) does: String,
    pub(crate) see: String,
    /// The requests, in order.
    #[serde(default)]
    pub(crate) requests: Vec<Sending>,
    /// The controllers whose switches are set then.
    #[serde(default)]
    pub(crate) switches: Vec<(String, Switches)>,
    /// The seconds that the clock is moved on at the end.
    #[serde(default)]
    pub(crate) passes: u64,
}

/// A request of a step.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Sending {
    /// The method and the target.
    pub(crate) send: String,
    /// The media type of the body; empty for JSON.
    #[serde(default, rename = "type")]
    media_type: String,
    /// The body; null if there is none.
    #[serde(default)]
    body: Value,
}

impl Sending {
    /// Returns the request to send.
    pub(crate) fn request(&self) -> Request {
        let (method, target) = self.send.split_once(' ').unwrap_or(("GET", &self.send));
        if self.body.is_null() {
            return Request { method: method.to_owned(), ..Request::get(target) };
        }
        let body = serde_json::to_string_pretty(&self.body).unwrap_or_default();
        let mut request = Request::json(method, target, &body);
        if !self.media_type.is_empty()
            && let Some((_, value)) = request.headers.last_mut()
        {
            value.clone_from(&self.media_type);
        }
        request
    }
}

/// A scene that was begun.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Played {
    /// The place of the scene among all of them.
    pub(crate) scene: usize,
    /// The namespace; empty until there is one.
    pub(crate) namespace: String,
    /// The number of steps that are done.
    pub(crate) done: usize,
    /// True while a step is being done.
    pub(crate) is_busy: bool,
    /// Why the last step came to nothing; empty if it did not.
    pub(crate) trouble: String,
}

/// Returns the scenes, in the order in which they are offered, for a namespace.
pub(crate) fn all(namespace: &str) -> Vec<Scene> {
    serde_json::from_str(&SCENES.replace("{ns}", namespace)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_are_complete() {
        let scenes = all("here");
        let names: Vec<&str> = scenes.iter().map(|scene| scene.name.as_str()).collect();
        assert!(names.starts_with(&["rollout", "deletion"]), "{names:?}");
        for step in scenes.iter().flat_map(|scene| &scene.steps) {
            assert!(step.does.ends_with('.') && step.see.ends_with('.'), "{step:?}");
            assert!(step.passes > 0 || !(step.requests.is_empty() && step.switches.is_empty()), "{step:?}");
            for request in step.requests.iter().map(Sending::request) {
                assert!(request.target.starts_with("/api"), "{request:?}");
                assert_eq!(request.body.is_empty(), request.header("Content-Type").is_none(), "{request:?}");
                assert_eq!(
                    request.method == "PATCH",
                    request.headers[1..].iter().any(|(_, value)| value.contains("patch"))
                );
            }
        }
    }
}
