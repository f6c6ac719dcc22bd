//! The field managers of the objects in a new cluster: parts of kube-apiserver manage all fields.
//!
//! [`field_management`](crate::field_management) finds that out with the types of all kinds. Here it is written down for the few
//! shapes that there are, so that a cluster begins without the code and the tables that this takes.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management>

use crate::resource::Resource;
use json_tree::{Value, json};

use apimachinery::object::Object;

/// Objects that are there whenever their parent is: they are not managed by themselves.
const ALWAYS: [&str; 4] = ["", "metadata", "priorityLevelConfiguration", "spec"];
/// Objects that are managed as a whole.
const ATOMIC: [&str; 1] = ["roleRef"];
/// The fields of `metadata` that nobody manages, or that the status alone determines, and those of a service that the server fills
/// in.
const UNMANAGED: [&str; 5] = ["generation", "name", "namespace", "clusterIPs", "ipFamilies"];
/// The parts of kube-apiserver with another name than that: of the group of priority levels and flow schemas, of the conditions of
/// the latter, and of those of address ranges.
const PRODUCER: &str = "api-priority-and-fairness-config-producer-v1";
const CONSUMER: &str = "api-priority-and-fairness-config-consumer-v1";
const RANGES: &str = "kubernetes-service-cidr-controller";

/// Returns `metadata.managedFields` of an object as it was made, without what every object gets.
pub(super) fn entries(resource: &Resource, object: &Object, now: &str) -> Value {
    let is_flow = resource.group == "flowcontrol.apiserver.k8s.io";
    let entry = |manager: &str, operation: &str, fields: Value| {
        json!({
            "manager": manager,
            "operation": operation,
            "apiVersion": resource.api_version(),
            "time": now,
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        })
    };
    let mut managed = object.clone();
    let status = managed.shift_remove("status");
    let mut entries = Vec::new();
    if let Some(condition) = status.as_ref().and_then(|status| status.pointer("/conditions/0")?.as_object()) {
        let key = ["k:", &json!({ "type": condition.get("type") }).to_string()].concat();
        let conditions = in_order(vec![(key, of_condition(condition))]);
        let fields = json!({ "f:status": { "f:conditions": conditions } });
        let mut applied = entry(if is_flow { CONSUMER } else { RANGES }, "Apply", fields);
        applied["subresource"] = "status".into();
        entries.push(applied);
    }
    entries.push(entry(if is_flow { PRODUCER } else { "kube-apiserver" }, "Update", of_object(&managed, "")));
    entries.into()
}

/// Returns the fields of a condition that has been applied: all but empty ones. When it changed is set later.
fn of_condition(condition: &Object) -> Value {
    let mut applied = condition.clone();
    applied.retain(|key, value| key == "lastTransitionTime" || *value != "");
    of_object(&applied, "condition")
}

/// Returns the fields of the object that is `named` so; the whole has no name.
fn of_object(object: &Object, named: &str) -> Value {
    let mut fields: Vec<(String, Value)> = Vec::new();
    if !ALWAYS.contains(&named) {
        fields.push((".".to_owned(), json!({})));
    }
    for (key, value) in object {
        let own = match value {
            Value::Null => continue,
            _ if ["metadata", "spec"].contains(&named) && UNMANAGED.contains(&key.as_str()) => continue,
            Value::Object(inner)
                if key == "metadata" && !inner.keys().any(|key| !UNMANAGED.contains(&key.as_str())) =>
            {
                continue;
            }
            Value::Object(inner) if !ATOMIC.contains(&key.as_str()) => of_object(inner, key),
            Value::Array(ports) if (named, key.as_str()) == ("spec", "ports") => of_ports(ports),
            _ => json!({}),
        };
        fields.push((["f:", key].concat(), own));
    }
    in_order(fields)
}

/// Returns the fields of a service's ports, each of which is managed by itself.
fn of_ports(ports: &[Value]) -> Value {
    let mut fields = vec![(".".to_owned(), json!({}))];
    for port in ports.iter().filter_map(Value::as_object) {
        let key = json!({ "port": port.get("port"), "protocol": port.get("protocol") });
        fields.push((["k:", &key.to_string()].concat(), of_object(port, "port")));
    }
    in_order(fields)
}

/// Returns an object with these keys in the order of their bytes.
fn in_order(mut fields: Vec<(String, Value)>) -> Value {
    schema::sort_by(&mut fields, |(a, _), (b, _)| a.cmp(b));
    Value::Object(fields.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use store::KeyRange;

    use super::*;
    use crate::discovery::tests::server;
    use crate::field_management;

    #[test]
    fn the_entries_are_those_that_field_management_finds() {
        let server = server();
        let storage = server.shared.storage();
        let mut count = 0;
        for entry in storage.store.range(&KeyRange::prefix("/")) {
            let row = crate::resource::built_in().iter().find(|row| {
                entry.key.starts_with(row.prefix())
                    && row.storage.version == row.version
                    && row.storage.group == row.group
            });
            let row = row.expect("there is a resource of each key");
            let mut object = entry.value.tree();
            let entries = apimachinery::object::managed_fields(&object).cloned();
            let mut own = entries.as_ref().and_then(|entries| entries.as_array()?.last().cloned());
            apimachinery::object::set_managed_fields(&mut object, None);
            if let Some(own) = &mut own {
                own["manager"] = "kube-apiserver".into();
            }
            if row.name == "services"
                && let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut)
            {
                // These are filled in after that.
                spec.shift_remove("clusterIPs");
                spec.shift_remove("ipFamilies");
            }
            if row.name == "namespaces" {
                // What comes with every namespace is managed by nobody.
                object.shift_remove("spec");
            }
            assert_eq!(
                own.map(|own| json!([own])),
                field_management::track_own_creation(row, server.shared.config.clock.as_ref(), &object),
                "{}",
                entry.key
            );
            count += 1;
        }
        assert!(count > 150, "{count}");
    }

    #[test]
    fn conditions_are_applied_by_those_who_find_them() {
        let check = |plural: &str, conditions: Value, expected: &[(&str, &str)]| {
            let resource =
                crate::resource::built_in().iter().find(|row| row.name == plural && row.version == "v1");
            let object = json!({ "spec": {}, "status": { "conditions": conditions } });
            let Some((resource, object)) = resource.zip(object.as_object()) else { panic!("no {plural}") };
            let entries = entries(resource, object, "now");
            let found: Vec<_> = entries.as_array().into_iter().flatten().collect();
            let shown = |entry: &&Value| (entry["manager"].to_string(), entry["fieldsV1"].to_string());
            let expected: Vec<_> =
                expected.iter().map(|(who, what)| (format!("{who:?}"), (*what).to_owned())).collect();
            assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), expected);
        };
        check(
            "servicecidrs",
            json!([{ "type": "Ready", "status": "True", "lastTransitionTime": "", "reason": "", "message": "m" }]),
            &[
                (
                    RANGES,
                    r#"{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:status":{},"f:type":{}}}}}"#,
                ),
                ("kube-apiserver", r#"{"f:spec":{}}"#),
            ],
        );
        check("flowschemas", json!([]), &[(PRODUCER, r#"{"f:spec":{}}"#)]);
        check(
            "flowschemas",
            json!([{ "type": "Dangling" }]),
            &[
                (
                    CONSUMER,
                    r#"{"f:status":{"f:conditions":{"k:{\"type\":\"Dangling\"}":{".":{},"f:type":{}}}}}"#,
                ),
                (PRODUCER, r#"{"f:spec":{}}"#),
            ],
        );
    }
}
