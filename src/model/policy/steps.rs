//! The results of the expressions of a policy, as rows of a table.

use json_tree::Value;
use protocol::trace::{Considered, Found, Step};

/// The lists of a policy in the order in which they are told, and the field of their items that is an expression.
const LISTS: [(&str, &str); 7] = [
    ("", ""),
    ("matchConditions", "expression"),
    ("variables", "expression"),
    ("validations", "expression"),
    ("messageExpression", "messageExpression"),
    ("mutations", ""),
    ("auditAnnotations", "valueExpression"),
];

/// The kind of an expression's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It is true, or what it gave is used.
    Good,
    /// It is false.
    Bad,
    /// It could not be evaluated.
    Error,
    /// It has a value, of which nothing follows.
    Value,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) mark: Mark,
    /// The place of the expression in the policy: `validations[0]`, with its name if it has one.
    pub(crate) place: String,
    pub(crate) name: String,
    pub(crate) expression: String,
    /// The result, the error, or the message about it.
    pub(crate) told: String,
}

/// Returns the result of each expression, in the order in which they are told.
pub(crate) fn rows(policy: &Value, steps: &[Step]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (list, field) in LISTS {
        rows.extend(steps.iter().filter(|step| step.list == list).map(|step| row(policy, step, field)));
    }
    rows
}

fn row(policy: &Value, step: &Step, field: &str) -> Row {
    let Step { list, index, value, error, message } = step;
    let own = if list == "messageExpression" { "validations" } else { list };
    let item = &policy["spec"][own][*index];
    let text = |of: &Value| of.as_str().unwrap_or_default().trim().to_owned();
    let expression = match list.as_str() {
        "mutations" => {
            let forms = ["jsonPatch", "applyConfiguration"].map(|form| &item[form]["expression"]);
            text(forms.into_iter().find(|form| !form.is_null()).unwrap_or(&Value::Null))
        }
        _ => text(&item[field]),
    };
    let place = match list.as_str() {
        "" => String::new(),
        "messageExpression" => format!("validations[{index}].messageExpression"),
        list => format!("{list}[{index}]"),
    };
    let mark = match (list.as_str(), value.as_str()) {
        _ if !error.is_empty() => Mark::Error,
        ("matchConditions" | "validations", "true") | ("mutations", _) => Mark::Good,
        ("matchConditions" | "validations", _) => Mark::Bad,
        _ => Mark::Value,
    };
    let told = match mark {
        Mark::Error => error,
        Mark::Good | Mark::Bad if list != "mutations" => message,
        _ => value,
    };
    let name = ["name", "key", "patchType"].into_iter().find(|key| item[*key].is_string());
    let name = name.map(|key| text(&item[key])).unwrap_or_default();
    Row { mark, place, name, expression, told: told.clone() }
}

/// Reports whether a validation is not true, or something could not be evaluated.
pub(crate) fn complains(considered: &Considered) -> bool {
    match &considered.found {
        Found::Asked(steps) => steps.iter().any(|step| {
            let wrong = step.list == "validations" && step.value != "true";
            wrong || !step.error.is_empty() && step.list != "messageExpression"
        }),
        Found::Unusable(_) => true,
        Found::Unmatched(_) | Found::NoParams => false,
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(step: [&str; 5], expected: (Mark, &str)) {
        let policy = json!({ "spec": {
            "matchConditions": [{ "name": "mine", "expression": "a" }],
            "variables": [{ "name": "v", "expression": "b" }],
            "validations": [{ "expression": " c " }, { "expression": "d", "messageExpression": "e" }],
            "auditAnnotations": [{ "key": "k", "valueExpression": "f" }],
            "mutations": [{ "patchType": "JSONPatch", "jsonPatch": { "expression": "g" } }],
        } });
        let [list, index, value, error, message] = step.map(str::to_owned);
        let index = index.parse().unwrap();
        let rows = rows(&policy, &[Step { list, index, value, error, message }]);
        let Row { mark, place, name, expression, told } = &rows[0];
        assert_eq!((*mark, [&**place, name, expression, told].join("|").as_str()), expected);
    }

    #[test]
    fn a_step_is_a_row() {
        check(["matchConditions", "0", "true", "", ""], (Mark::Good, "matchConditions[0]|mine|a|"));
        check(["variables", "0", "[1]", "", ""], (Mark::Value, "variables[0]|v|b|[1]"));
        check(["validations", "0", "false", "", "no"], (Mark::Bad, "validations[0]||c|no"));
        check(["validations", "1", "", "broken", "broken"], (Mark::Error, "validations[1]||d|broken"));
        let row = "validations[1].messageExpression||e|broken";
        check(["messageExpression", "1", "", "broken", ""], (Mark::Error, row));
        check(["auditAnnotations", "0", "\"x\"", "", ""], (Mark::Value, "auditAnnotations[0]|k|f|\"x\""));
        check(["mutations", "0", "[]", "", ""], (Mark::Good, "mutations[0]|JSONPatch|g|[]"));
        check(["mutations", "0", "[]", "broken", ""], (Mark::Error, "mutations[0]|JSONPatch|g|broken"));
        check(["", "0", "", "too much", ""], (Mark::Error, "|||too much"));
    }
}
