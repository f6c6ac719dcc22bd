//! How far an answer is the recorded one.

use json_tree::Value;

use crate::replay::Replay;

/// How long a value may be in a report.
const SHORT: usize = 160;

/// How the answer to one step compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepReport {
    /// The name of the step.
    pub id: String,
    /// The action of the step, in one line.
    pub line: String,
    /// The differences between the responses; empty if they are the same, or there is none to compare.
    pub differences: Vec<String>,
    /// True if they are the same, in a scenario that did not break off.
    pub passed: bool,
    /// True if they are the same with their keys in the same order.
    pub same_order: bool,
}

/// Compares the recorded steps of a replay, leaving the keys `without` out of both sides. A replay that broke off
/// has no step that passed, but what differed before says why.
pub fn steps(replay: &Replay<'_>, without: &[&str]) -> Vec<StepReport> {
    let steps = replay.scenario.steps.iter().enumerate();
    let recorded = steps.filter_map(|(index, step)| Some((index, step, step.expect.as_ref()?)));
    let report = |(index, step, expect): (usize, &crate::Step, &Value)| {
        let whole = replay.broke_off.is_none();
        let answer = replay.answers.get(index);
        let (differences, same_order) =
            answer.map_or((Vec::new(), false), |got| compare(expect, got, without));
        StepReport {
            id: step.name(index),
            line: step.line(),
            passed: whole && answer.is_some() && differences.is_empty(),
            differences,
            same_order: whole && same_order,
        }
    };
    recorded.map(report).collect()
}

fn compare(want: &Value, got: &Value, without: &[&str]) -> (Vec<String>, bool) {
    let want = leave_out(want, without);
    let mut got = leave_out(got, without);
    forgive_yaml(&want, &mut got);
    let differences = differences(&want, &got);
    let same_order = differences.is_empty() && in_order(&want, &got);
    (differences, same_order)
}

/// Reports whether values that are the same have their keys in the same order too.
fn in_order(want: &Value, got: &Value) -> bool {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => {
            want.iter().zip(got).all(|(want, got)| want.0 == got.0 && in_order(want.1, got.1))
        }
        (Value::Array(want), Value::Array(got)) => {
            want.iter().zip(got).all(|(want, got)| in_order(want, got))
        }
        _ => true,
    }
}

/// `value` less every key named in `keys`, at any depth.
fn leave_out(value: &Value, keys: &[&str]) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| !keys.contains(&key.as_str()));
            Value::Object(kept.map(|(key, value)| (key.clone(), leave_out(value, keys))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| leave_out(item, keys)).collect()),
        other => other.clone(),
    }
}

/// Replaces YAML in `got` with that of `want` where both mean the same.
fn forgive_yaml(want: &Value, got: &mut Value) {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => {
            if let (Some(Value::String(a)), Some(Value::String(b))) =
                (want.get("<yaml>"), got.get_mut("<yaml>"))
                && want.len() == 1
                && same_yaml(a, b)
            {
                b.clone_from(a);
            }
            for (key, got) in got {
                if let Some(want) = want.get(key) {
                    forgive_yaml(want, got);
                }
            }
        }
        (Value::Array(want), Value::Array(got)) => {
            want.iter().zip(got).for_each(|(want, got)| forgive_yaml(want, got));
        }
        _ => {}
    }
}

fn same_yaml(want: &str, got: &str) -> bool {
    let data = |text| serde_yaml::from_str::<serde_yaml::Value>(text).ok();
    want == got || data(want).is_some_and(|want| data(got) == Some(want))
}

/// Returns the differences of `got` from `want`, each as `path: got, want`.
pub fn differences(want: &Value, got: &Value) -> Vec<String> {
    let mut out = Vec::new();
    differ(want, got, "", &mut out);
    out
}

fn differ(want: &Value, got: &Value, path: &str, out: &mut Vec<String>) {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => {
            for (key, want) in want {
                match got.get(key) {
                    None => out.push(format!("{path}/{key}: missing, want {}", short(want))),
                    Some(got) => differ(want, got, &format!("{path}/{key}"), out),
                }
            }
            for (key, got) in got.iter().filter(|(key, _)| !want.contains_key(*key)) {
                out.push(format!("{path}/{key}: not expected: {}", short(got)));
            }
        }
        (Value::Array(want), Value::Array(got)) => {
            if want.len() != got.len() {
                out.push(format!("{path}: {} items, want {}", got.len(), want.len()));
            }
            for (index, (want, got)) in want.iter().zip(got).enumerate() {
                differ(want, got, &format!("{path}/{index}"), out);
            }
        }
        _ if want != got => out.push(format!("{path}: {}, want {}", short(got), short(want))),
        _ => {}
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHORT - 3) {
        Some((end, _)) if text.chars().count() >= SHORT => format!("{}...", &text[..end]),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(want: Value, got: Value, without: &[&str], differences: &[&str], same_order: bool) {
        let got = compare(&want, &got, without);
        assert_eq!(
            (got.0.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), got.1),
            (differences, same_order)
        );
    }

    #[test]
    fn answers() {
        check(json!({"a": [1, "b"]}), json!({"a": [1, "b"]}), &[], &[], true);
        check(json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), &[], &[], false);
        check(json!([{"a": {"b": 1, "c": 2}}]), json!([{"a": {"c": 2, "b": 1}}]), &[], &[], false);
        check(json!({"a": 1}), json!({"a": 1.0}), &[], &["/a: 1.0, want 1"], false);
        check(json!({"a": 1}), json!({"a": true}), &[], &["/a: true, want 1"], false);
        check(json!({"a": null}), json!({}), &[], &["/a: missing, want null"], false);
        check(json!({}), json!({"a": {"b": 1}}), &[], &["/a: not expected: {\"b\":1}"], false);
        check(json!([1, 2]), json!([3]), &[], &[": 1 items, want 2", "/0: 3, want 1"], false);
        check(json!({"m": {"x": 1, "f": 2}}), json!({"m": {"x": 1, "f": 3}}), &["f"], &[], true);
        check(json!([{"f": 1}]), json!([{}]), &["f"], &[], true);
        let long = "x".repeat(200);
        let want = format!("/a: \"{}..., want 1", "x".repeat(156));
        check(json!({"a": 1}), json!({ "a": long }), &[], &[&want], false);
    }

    #[test]
    fn yaml_is_text_or_data() {
        let yaml = |text: &str| json!({"body": {"<yaml>": text}});
        check(yaml("a: 1\nb: x\n"), yaml("b: 'x'\na: 1\n"), &[], &[], true);
        check(yaml("a: 1\n"), yaml("a: 2\n"), &[], &["/body/<yaml>: \"a: 2\\n\", want \"a: 1\\n\""], false);
        check(
            yaml("a: 1\n"),
            yaml("a: '1'\n"),
            &[],
            &["/body/<yaml>: \"a: '1'\\n\", want \"a: 1\\n\""],
            false,
        );
        check(yaml("\t"), yaml("\t"), &[], &[], true);
    }
}
