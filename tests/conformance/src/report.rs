//! The result of a scenario, as JSON: for whoever replays elsewhere and compares.

use serde::Serialize;

use crate::board::Figures;
use crate::replay::Replay;

/// The result of a scenario.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report<'a> {
    /// The area of the scenario.
    pub area: &'a str,
    /// The name of the scenario.
    pub name: &'a str,
    /// Why it broke off, if it did.
    pub broke_off: Option<&'a str>,
    /// The figures of the scenario on the scoreboard.
    #[serde(flatten)]
    pub figures: Figures,
    /// The normalised answers: the name of the step, and the answer's JSON. As text they are the same only if their
    /// keys are in the same order and their numbers are written alike.
    pub answers: Vec<(String, String)>,
}

impl<'a> Report<'a> {
    /// The report of a replay.
    pub fn of(replay: &'a Replay<'_>) -> Self {
        let steps = replay.scenario.steps.iter().zip(&replay.answers).enumerate();
        Self {
            area: &replay.scenario.area,
            name: &replay.scenario.name,
            broke_off: replay.broke_off.as_deref(),
            figures: Figures::of(replay),
            answers: steps.map(|(index, (step, answer))| (step.name(index), answer.to_string())).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn what_a_report_says() {
        let scenario = json_tree::from_value(json!({
            "name": "n", "area": "a", "about": "",
            "steps": [
                {"id": "get", "expect": {"status": 200, "body": {"x": 1, "managedFields": []}}},
                {"sleep": 1},
                {"id": "lost", "expect": {"status": 200}},
            ],
        }))
        .expect("a scenario");
        let answers = vec![json!({"status": 200, "body": {"x": 1}}), json!({})];
        let mut replay = Replay { scenario: &scenario, answers, broke_off: None };
        let report = |replay: &Replay<'_>| json_tree::to_value(Report::of(replay)).expect("JSON");
        let answers = json!([["get", r#"{"status":200,"body":{"x":1}}"#], ["step1", "{}"]]);
        assert_eq!(
            report(&replay),
            json!({
                "area": "a", "name": "n", "brokeOff": null,
                "steps": 2, "passed": 0, "without": 1, "ordered": 1, "answers": answers,
            })
        );
        replay.broke_off = Some("why".to_owned());
        assert_eq!(
            report(&replay),
            json!({
                "area": "a", "name": "n", "brokeOff": "why",
                "steps": 2, "passed": 0, "without": 0, "ordered": 0, "answers": answers,
            })
        );
    }
}
