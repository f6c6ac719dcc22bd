//! Selectors and labels as text.

use json_tree::Value;

use super::row::{get, list, strings, text};

/// Labels, or the node selector of a pod: `a=1,b=2`. `<none>` if there are none.
pub(crate) fn labels(labels: Option<&Value>) -> String {
    match labels.and_then(Value::as_object) {
        Some(labels) if !labels.is_empty() => {
            let mut pairs: Vec<_> = labels.iter().collect();
            schema::sort_by(&mut pairs, |a, b| a.0.cmp(b.0));
            let pairs: Vec<_> = pairs
                .into_iter()
                .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
                .collect();
            pairs.join(",")
        }
        _ => "<none>".to_owned(),
    }
}

/// A LabelSelector as most kinds show it: `<none>` if it selects by nothing, `<error>` if it makes no sense.
///
/// <https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors>
pub(crate) fn label_selector(selector: Option<&Value>) -> String {
    match requirements(selector) {
        None => "<error>".to_owned(),
        Some(text) if text.is_empty() => "<none>".to_owned(),
        Some(text) => text,
    }
}

/// A LabelSelector as Deployments show it: empty if it selects by nothing, `<invalid>` if it makes no sense.
pub(crate) fn plain_label_selector(selector: Option<&Value>) -> String {
    requirements(selector).unwrap_or_else(|| "<invalid>".to_owned())
}

/// A LabelSelector as Go prints the struct.
pub(crate) fn go_label_selector(selector: &Value) -> String {
    let labels = selector.get("matchLabels").and_then(Value::as_object);
    let mut labels: Vec<_> = labels.into_iter().flatten().collect();
    schema::sort_by(&mut labels, |a, b| a.0.cmp(b.0));
    let labels: String = labels
        .into_iter()
        .map(|(key, value)| format!("{key}: {},", value.as_str().unwrap_or_default()))
        .collect();
    let expressions: String = list(selector, "/matchExpressions")
        .iter()
        .map(|expression| {
            let values = strings(expression, "/values").join(" ");
            let (key, operator) = (text(expression, "/key"), text(expression, "/operator"));
            format!("LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},")
        })
        .collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},\
         MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
}

/// The requirements of a LabelSelector in the syntax of `labelSelector=`, in the order of their keys. `None` if one
/// of them makes no sense.
fn requirements(selector: Option<&Value>) -> Option<String> {
    let Some(selector) = selector else { return Some(String::new()) };
    let mut parts: Vec<(&str, String)> = Vec::new();
    if let Some(labels) = get(selector, "/matchLabels").and_then(Value::as_object) {
        for (key, value) in labels {
            parts.push((key, format!("{key}={}", value.as_str().unwrap_or_default())));
        }
    }
    for expression in list(selector, "/matchExpressions") {
        let (key, mut values) = (text(expression, "/key"), strings(expression, "/values"));
        schema::sort(&mut values);
        let values = values.join(",");
        let part = match (text(expression, "/operator"), values.is_empty()) {
            ("In", false) => format!("{key} in ({values})"),
            ("NotIn", false) => format!("{key} notin ({values})"),
            ("Exists", true) => key.to_owned(),
            ("DoesNotExist", true) => format!("!{key}"),
            _ => return None,
        };
        parts.push((key, part));
    }
    schema::sort_by(&mut parts, |a, b| a.0.cmp(b.0));
    let parts: Vec<_> = parts.into_iter().map(|(_, part)| part).collect();
    Some(parts.join(","))
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(selector: &Value, expected: &str) {
        assert_eq!(label_selector(Some(selector)), expected);
    }

    #[test]
    fn selectors() {
        check(&json!({}), "<none>");
        check(&json!({"matchLabels": {"b": "1", "a": ""}}), "a=,b=1");
        let expressions = json!([
            {"key": "d", "operator": "NotIn", "values": ["y", "x"]},
            {"key": "c", "operator": "Exists"},
            {"key": "a", "operator": "DoesNotExist"},
            {"key": "b", "operator": "In", "values": ["x"]},
        ]);
        check(&json!({"matchExpressions": expressions}), "!a,b in (x),c,d notin (x,y)");
        check(&json!({"matchExpressions": [{"key": "a", "operator": "In"}]}), "<error>");
        check(&json!({"matchExpressions": [{"key": "a", "operator": "Near"}]}), "<error>");
        assert_eq!(label_selector(None), "<none>");
        assert_eq!(plain_label_selector(None), "");
        assert_eq!(plain_label_selector(Some(&json!({"matchExpressions": [{"key": "a"}]}))), "<invalid>");
    }

    #[test]
    fn a_selector_as_a_go_struct() {
        let selector = json!({
            "matchLabels": {"a": "b"},
            "matchExpressions": [{"key": "k", "operator": "In", "values": ["x", "y"]}],
        });
        let expected = "&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:\
                        []LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}";
        assert_eq!(go_label_selector(&selector), expected);
    }
}
