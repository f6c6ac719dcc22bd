//! Selectors as Go prints them.

use json_tree::Value;

use crate::object::list;

/// Returns the text of a `LabelSelector`, as its generated method `String` has it.
pub(crate) fn go_text(selector: Option<&Value>) -> String {
    let Some(selector) = selector.filter(|selector| selector.is_object()) else { return "nil".to_owned() };
    let labels = selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten();
    let mut labels: Vec<String> =
        labels.map(|(key, value)| [key.as_str(), ": ", value.as_text(), ","].concat()).collect();
    json_tree::sort(&mut labels);
    let requirement = |one: &Value| {
        let values: Vec<&str> = list(one, "/values").iter().map(Value::as_text).collect();
        format!(
            "LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
            one.text("key"),
            one.text("operator"),
            values.join(" ")
        )
    };
    let requirements: String = list(selector, "/matchExpressions").iter().map(requirement).collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:[]LabelSelectorRequirement{{{requirements}}},}}",
        labels.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(selector: &str, expected: &str) {
        assert_eq!(go_text(Some(&serde_json::from_str(selector).unwrap())), expected);
    }

    #[test]
    fn selectors_are_written_as_go_does() {
        assert_eq!(go_text(None), "nil");
        check(
            r#"{"matchLabels": {"b": "2", "a": "1"}}"#,
            "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{},}",
        );
        check(
            r#"{"matchExpressions": [{"key": "a", "operator": "In", "values": ["x", "y"]}]}"#,
            "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:\
             []LabelSelectorRequirement{LabelSelectorRequirement{Key:a,Operator:In,Values:[x y],},},}",
        );
    }
}
