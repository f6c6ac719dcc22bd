//! The Pod Security Standards whose code is elsewhere: a pod goes there, and what it may not do comes back.

use json_tree::{Value, json};

use super::{Policy, Violation, standards};
use crate::format::Elsewhere;
use crate::validation::elsewhere::{of_json, to_json};

/// What stands for the latest version in a question.
const LATEST: &str = "latest";

/// What a pod does that `policy` does not allow, by `E`.
pub(crate) fn ask<E: Elsewhere>(policy: Policy, metadata: &Value, spec: &Value) -> Vec<Violation> {
    let minor = policy.minor.map_or_else(|| LATEST.to_owned(), |minor| minor.to_string());
    let question = ["pod-security ", &policy.level.to_string(), " ", &minor].concat();
    let answer = E::ask(&question, &to_json(&json!([metadata, spec]))).and_then(|answer| of_json(&answer));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match answer {
        Ok(Value::Array(found)) => {
            found.iter().map(|one| Violation { reason: text(&one[0]), detail: text(&one[1]) }).collect()
        }
        Ok(_) => Vec::new(),
        // A pod of which nobody can say whether it is safe is not.
        Err(why) => vec![Violation { reason: why, detail: String::new() }],
    }
}

/// Answers the question `pod-security LEVEL MINOR`, of which these are the words after the first. `None` if it is none.
pub(crate) fn answer<'a>(mut words: impl Iterator<Item = &'a str>, asked: &Value) -> Option<Value> {
    let level = words.next()?.parse().ok()?;
    let minor = match words.next()? {
        LATEST => None,
        minor => Some(minor.parse().ok()?),
    };
    let found = standards::violations(Policy { level, minor }, &asked[0], &asked[1]);
    Some(found.into_iter().map(|Violation { reason, detail }| json!([reason, detail])).collect())
}
