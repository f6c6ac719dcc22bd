//! Selectors that stand in objects.
//!
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#resources-that-support-set-based-requirements>.

use json_tree::Value;

use super::{LabelSelector, Operator, Requirement};

impl LabelSelector {
    /// Reads a selector out of an object: `matchLabels` and `matchExpressions`. `None` if it makes no sense.
    pub fn of(selector: &Value) -> Option<Self> {
        let mut requirements = Vec::new();
        let labels = selector.get("matchLabels").and_then(Value::as_object);
        for (key, value) in labels.into_iter().flatten() {
            let values = vec![value.as_text().to_owned()];
            requirements.push(Requirement::new(key.clone(), Operator::Equals, values).ok()?);
        }
        let expressions = selector.get("matchExpressions").and_then(Value::as_array);
        for expression in expressions.into_iter().flatten() {
            let values = expression.get("values").and_then(Value::as_array);
            let mut values: Vec<String> =
                values.into_iter().flatten().map(|value| value.as_text().to_owned()).collect();
            schema::sort_once(&mut values);
            let operator = match (expression["operator"].as_text(), values.is_empty()) {
                ("In", false) => Operator::In,
                ("NotIn", false) => Operator::NotIn,
                ("Exists", true) => Operator::Exists,
                ("DoesNotExist", true) => Operator::DoesNotExist,
                _ => return None,
            };
            let key = expression["key"].as_text().to_owned();
            requirements.push(Requirement::new(key, operator, values).ok()?);
        }
        Some(Self::new(requirements))
    }
}
