//! The presets: what one click sends.

use apimachinery::target;
use json_tree::Value;

use crate::cluster::Request;

/// A row of requests that shows a point.
pub(crate) struct Preset {
    /// The name of the preset in its element’s id.
    pub(crate) id: &'static str,
    /// The title of the preset.
    pub(crate) title: &'static str,
    /// The failure that is its point; 0 if it is none.
    pub(crate) code: u16,
    /// Whom it gives a role; it is offered when the page first acts as them. Empty for all others.
    pub(crate) user: &'static str,
    /// True if its last request is put into the form to be read, and not sent.
    pub(crate) read: bool,
    /// True if it is among the few that are always in view.
    pub(crate) first: bool,
    /// One sentence.
    pub(crate) about: &'static str,
    /// The requests that are sent, one after the other, if it is among the first; else [`late_steps`] has them.
    pub(crate) steps: &'static [Step],
}

/// A request of a preset, with `${step#/json/pointer}` where a value of an earlier answer goes, and `${n}` where a
/// number goes that counts up.
pub(crate) struct Step {
    /// The name of the step in the preset; may be empty.
    pub(crate) id: &'static str,
    /// The method.
    pub(crate) method: &'static str,
    /// The path.
    pub(crate) path: &'static str,
    /// The query parameters.
    pub(crate) query: &'static [(&'static str, &'static str)],
    /// The status codes that are no obstacle to the next step, besides successful ones.
    pub(crate) may: &'static [u16],
    /// JSON, or empty.
    pub(crate) body: &'static str,
}

/// The presets, from `presets.yaml`.
pub(crate) const PRESETS: &[Preset] = include!(concat!(env!("OUT_DIR"), "/presets.rs"));

/// Returns the requests of a preset that is not among the first. They are loaded when one of these is chosen.
pub(crate) fn late_steps(preset: &Preset) -> &'static [Step] {
    const STEPS: &[(&str, &[Step])] = include!(concat!(env!("OUT_DIR"), "/late_steps.rs"));
    STEPS.iter().find(|(id, _)| *id == preset.id).map_or(&[], |(_, steps)| steps)
}

/// The answers that later steps may refer to, by the step's name.
pub(crate) type Answers = Vec<(&'static str, Value)>;

impl Step {
    /// The request, with everything filled in; `None` where an answer does not have what it refers to.
    pub(crate) fn request(&self, answers: &Answers, n: u64) -> Option<Request> {
        let query = self
            .query
            .iter()
            .map(|(name, value)| Some(((*name).to_owned(), fill(value, answers, n)?)))
            .collect::<Option<Vec<_>>>()?;
        let target = target::join(&fill(self.path, answers, n)?, &query);
        Some(match self.body {
            "" => Request { method: self.method.to_owned(), ..Request::get(&target) },
            body => Request::json(self.method, &target, &fill(body, answers, n)?),
        })
    }
}

fn fill(text: &str, answers: &Answers, n: u64) -> Option<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (place, after) = after.split_once('}')?;
        filled.push_str(before);
        if place == "n" {
            filled.push_str(&n.to_string());
        } else {
            let (step, pointer) = place.split_once('#')?;
            let (_, answer) = answers.iter().find(|(id, _)| *id == step)?;
            filled.push_str(answer.pointer(pointer)?.as_str()?);
        }
        rest = after;
    }
    filled.push_str(rest);
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let answers = vec![("list", json_tree::json!({"metadata": {"resourceVersion": "12"}, "n": 1}))];
        assert_eq!(fill(text, &answers, 3).as_deref(), expected);
    }

    #[test]
    fn fills_in_what_an_earlier_answer_said() {
        check("a", Some("a"));
        check("a-${n}-${list#/metadata/resourceVersion}.", Some("a-3-12."));
        check("${other#/metadata}", None);
        check("${list#/nothing}", None);
        check("${list#/n}", None);
        check("${n", None);
    }

    fn steps(preset: &Preset) -> &'static [Step] {
        if preset.first { preset.steps } else { late_steps(preset) }
    }

    #[test]
    fn every_preset_refers_to_what_there_is() {
        for preset in PRESETS {
            let mut answers = Answers::new();
            for step in steps(preset) {
                let request = step.request(&answers, 1).unwrap_or_else(|| panic!("{}", preset.id));
                assert!(request.target.starts_with("/api"), "{}", preset.id);
                assert!(request.body.is_empty() || serde_json::from_str::<Value>(&request.body).is_ok());
                answers.push((step.id, json_tree::json!({"metadata": {"resourceVersion": "7"}})));
            }
        }
        let ids: Vec<&str> = PRESETS.iter().map(|preset| preset.id).collect();
        assert_eq!(
            ids,
            [
                "create",
                "list",
                "watch",
                "stale",
                "gone",
                "definition",
                "trial",
                "policy",
                "webhook",
                "alice",
                "bob"
            ]
        );
    }

    #[test]
    fn the_presets_are_those_of_the_file() {
        let file: Vec<serde_yaml::Value> = serde_yaml::from_str(include_str!("presets.yaml")).unwrap();
        for (preset, in_file) in PRESETS.iter().zip(&file) {
            assert_eq!(in_file["about"].as_str(), Some(preset.about));
            assert_eq!(in_file["steps"].as_sequence().map(Vec::len), Some(steps(preset).len()));
        }
        assert_eq!(file.len(), PRESETS.len());
    }
}
