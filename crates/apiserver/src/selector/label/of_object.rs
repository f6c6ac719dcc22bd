//! Selectors that stand in objects.
//!
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#resources-that-support-set-based-requirements>.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{LabelSelector, Operator, Requirement};

impl LabelSelector {
    /// Reads a selector out of an object: `matchLabels` and `matchExpressions`. `None` if it makes no sense.
    pub fn of(selector: &Value) -> Option<Self> {
        let labels = selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten();
        let labels = labels.map(|(key, value)| (key.as_str(), Operator::Equals, text(value)));
        let mut requirements: Vec<_> = labels
            .map(|(key, operator, value)| requirement(key, operator, BTreeSet::from([value])))
            .collect::<Option<_>>()?;
        let expressions = selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten();
        for expression in expressions {
            let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
            let values: BTreeSet<&str> = values.map(text).collect();
            let operator = match (text(&expression["operator"]), values.is_empty()) {
                ("In", false) => Operator::In,
                ("NotIn", false) => Operator::NotIn,
                ("Exists", true) => Operator::Exists,
                ("DoesNotExist", true) => Operator::DoesNotExist,
                _ => return None,
            };
            requirements.push(requirement(text(&expression["key"]), operator, values)?);
        }
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Some(Self { requirements })
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn requirement(key: &str, operator: Operator, values: BTreeSet<&str>) -> Option<Requirement> {
    Requirement::new(key.to_owned(), operator, values.into_iter().map(str::to_owned).collect()).ok()
}
