//! Annotations that are fields inside kube-apiserver: what older versions had as a number, apps/v1 keeps as a text.

use golang::strconv::parse_int;
use json_tree::Value;
use schema::Resource;

use super::{ROLLBACK_TO, TEMPLATE_GENERATION};
use apimachinery::object::{self, Object, metadata_mut, remove_annotation};
use apimachinery::typed_object::insert_sorted;

/// Reads the annotation of an object that is a number, and writes it again as Go does. An empty one of a Deployment is none.
///
/// # Errors
/// Go's text for what is no number.
pub fn read_number(resource: &Resource, object: &mut Object) -> Result<(), String> {
    let is_deployment = match (resource.group.as_str(), resource.kind.as_str()) {
        ("apps", "Deployment") => true,
        ("apps", "DaemonSet") => false,
        _ => return Ok(()),
    };
    let key = if is_deployment { ROLLBACK_TO } else { TEMPLATE_GENERATION };
    let sent = object::metadata(object, "annotations").and_then(|all| all.get(key)).and_then(Value::as_str);
    let Some(sent) = sent else { return Ok(()) };
    if is_deployment && sent.is_empty() {
        remove_annotation(metadata_mut(object), key);
        return Ok(());
    }
    let number = parse_int(sent).map_err(|why| {
        if is_deployment { format!("failed to parse annotation[{key}]={sent} as int64: {why}") } else { why }
    })?;
    if let Some(Value::Object(annotations)) = metadata_mut(object).get_mut("annotations") {
        insert_sorted(annotations, key, number.to_string().into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(resource: &str, annotations: &Value, expected: Result<Value, &str>) {
        let rows = schema::resources();
        let row = rows.iter().find(|row| row.group == "apps" && row.name == resource).expect("a resource");
        let mut object =
            json!({"metadata": {"annotations": annotations}}).as_object().cloned().expect("an object");
        let read = read_number(row, &mut object).map(|()| object["metadata"].clone());
        assert_eq!(read, expected.map_err(str::to_owned));
    }

    #[test]
    fn revisions_to_go_back_to() {
        let key = ROLLBACK_TO;
        for (sent, read) in [("3", "3"), ("+7", "7"), ("007", "7"), ("-1", "-1"), ("00", "0")] {
            check("deployments", &json!({key: sent}), Ok(json!({"annotations": {key: read}})));
        }
        check("deployments", &json!({key: "", "z": "y"}), Ok(json!({"annotations": {"z": "y"}})));
        check("deployments", &json!({key: ""}), Ok(json!({})));
        let why = "failed to parse annotation[deprecated.deployment.rollback.to]= 1 as int64: strconv.ParseInt: parsing \
                   \" 1\": invalid syntax";
        check("deployments", &json!({key: " 1"}), Err(why));
        check("daemonsets", &json!({key: "x"}), Ok(json!({"annotations": {key: "x"}})));
    }

    #[test]
    fn generations_of_templates() {
        let key = TEMPLATE_GENERATION;
        check("daemonsets", &json!({key: "+02"}), Ok(json!({"annotations": {key: "2"}})));
        check("daemonsets", &json!({key: ""}), Err("strconv.ParseInt: parsing \"\": invalid syntax"));
        let why = "strconv.ParseInt: parsing \"9223372036854775808\": value out of range";
        check("daemonsets", &json!({key: "9223372036854775808"}), Err(why));
        check("statefulsets", &json!({key: "x"}), Ok(json!({"annotations": {key: "x"}})));
    }
}
