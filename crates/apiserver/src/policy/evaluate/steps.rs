//! The result of each expression of a policy, for whoever wants to know.

use cel::{Composition, Value as Cel};
use json_tree::{Value, json};

use super::cut;

/// The longest value that is told whole, in bytes.
const LONGEST: usize = 1024;

/// The result of each expression: nothing, if nobody wants to know.
pub(super) struct Steps {
    wanted: bool,
    told: Vec<Value>,
    /// The values of variables, as they were last known.
    variables: Vec<Value>,
}

impl Steps {
    pub(super) fn new(wanted: bool) -> Self {
        Self { wanted, told: Vec::new(), variables: Vec::new() }
    }

    /// Notes what the expressions of a list gave.
    pub(super) fn all(&mut self, list: &str, results: &[Result<Cel<'_>, String>]) {
        for (index, result) in results.iter().enumerate() {
            self.one(list, index, result, "");
        }
    }

    /// Notes what one expression gave, and what is said of it.
    pub(super) fn one(&mut self, list: &str, index: usize, result: &Result<Cel<'_>, String>, message: &str) {
        if self.wanted {
            let step = match result {
                Ok(value) => json!([list, index, show(value), "", message]),
                Err(why) => json!([list, index, "", why, message]),
            };
            self.told.push(step);
        }
    }

    /// Notes the values of the variables that somebody has asked for.
    pub(super) fn variables(&mut self, known: &Composition<'_>) {
        if !self.wanted {
            return;
        }
        self.variables.clear();
        for (index, value) in known.values().iter().enumerate() {
            let (value, error) = match value {
                Some(Ok(value)) => (show(value), String::new()),
                Some(Err(why)) => (String::new(), why.to_string()),
                None => continue,
            };
            self.variables.push(json!(["variables", index, value, error, ""]));
        }
    }

    /// Adds what is known to an answer.
    pub(super) fn tell(mut self, answer: &mut Value) {
        if let (true, Value::Object(answer)) = (self.wanted, answer) {
            if let (Some(why), None) = (answer.get("error"), answer.get("conditions")) {
                self.told.push(json!(["", 0, "", why, ""]));
            }
            self.told.append(&mut self.variables);
            answer.insert("steps".to_owned(), self.told.into());
        }
    }
}

/// A value as JSON. What has no JSON is called by its type.
fn show(value: &Cel<'_>) -> String {
    let Ok(json) = value.to_json() else { return value.kind().name() };
    let text = String::from_utf8(codec::json::to_vec(&json)).unwrap_or_default();
    match cut(&text, LONGEST) {
        short if short.len() < text.len() => [short, "\u{2026}"].concat(),
        _ => text,
    }
}
