//! Label selectors inside objects.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/label-selector/>.

use json_tree::Value;

use super::read::{list, map, text};
use crate::validation::{metadata, name};
use field::{AddError, Error, Path};

/// Validates a label selector.
pub(crate) fn validate(selector: &Value, path: &Path) -> Vec<Error> {
    let mut errors = map(selector, "matchLabels")
        .map(|labels| metadata::labels(labels, &path.child("matchLabels")))
        .unwrap_or_default();
    for (index, expression) in list(selector, "matchExpressions").iter().enumerate() {
        let path = path.child("matchExpressions").index(index);
        let values = list(expression, "values");
        match text(expression, "operator") {
            "In" | "NotIn" if values.is_empty() => {
                errors.required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'")
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => errors.forbidden(
                path.child("values"),
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => {
                errors.invalid(path.child("operator"), other, "not a valid selector operator");
            }
        }
        let key = text(expression, "key");
        let at = path.child("key");
        errors.extend(name::qualified_name(key).into_iter().map(|why| Error::invalid(&at, key, why)));
        for (index, value) in values.iter().enumerate() {
            let value = value.as_str().unwrap_or_default();
            let at = path.child("values").index(index);
            errors.extend(name::label_value(value).into_iter().map(|why| Error::invalid(&at, value, why)));
        }
    }
    errors
}

/// Returns whether a selector is empty, so that it selects everything.
pub(crate) fn is_empty(selector: &Value) -> bool {
    map(selector, "matchLabels").is_none_or(json_tree::Map::is_empty)
        && list(selector, "matchExpressions").is_empty()
}

/// Returns whether a valid selector selects an object with `labels`.
pub(crate) fn matches(selector: &Value, labels: &Value) -> bool {
    let label = |key: &str| labels.get(key).and_then(Value::as_str);
    let equal = map(selector, "matchLabels")
        .is_none_or(|wanted| wanted.iter().all(|(key, value)| label(key) == value.as_str()));
    equal
        && list(selector, "matchExpressions").iter().all(|expression| {
            let value = label(text(expression, "key"));
            let listed = value.is_some_and(|value| {
                list(expression, "values").iter().any(|one| one.as_str() == Some(value))
            });
            match text(expression, "operator") {
                "In" => listed,
                "NotIn" => !listed,
                "Exists" => value.is_some(),
                _ => value.is_none(),
            }
        })
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use field::aggregate;

    #[track_caller]
    fn check(expression: &Value, expected: &str) {
        let errors = validate(&json!({"matchExpressions": [expression]}), &Path::new("selector"));
        assert_eq!(if errors.is_empty() { String::new() } else { aggregate(&errors) }, expected);
    }

    #[test]
    fn expressions() {
        check(&json!({"key": "a", "operator": "In", "values": ["b"]}), "");
        check(
            &json!({"key": "a", "operator": "Like"}),
            "selector.matchExpressions[0].operator: Invalid value: \"Like\": not a valid selector operator",
        );
        check(
            &json!({"key": "a", "operator": "In"}),
            "selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        );
        check(
            &json!({"key": "a", "operator": "Exists", "values": ["a"]}),
            "selector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        );
    }

    #[test]
    fn selection() {
        let labels = json!({"a": "b"});
        let check =
            |selector: Value, expected: bool| assert_eq!(matches(&selector, &labels), expected, "{selector}");
        check(json!({}), true);
        check(json!({"matchLabels": {"a": "b"}}), true);
        check(json!({"matchLabels": {"a": "c"}}), false);
        check(json!({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]}), false);
        check(json!({"matchExpressions": [{"key": "x", "operator": "NotIn", "values": ["b"]}]}), true);
        check(json!({"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}), true);
    }
}
