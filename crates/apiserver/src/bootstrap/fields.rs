//! The field managers of the objects in a new cluster: kube-apiserver manages all fields.
//!
//! [`field_management`](crate::field_management) finds that out with the types of all kinds. Here it is written down for the few
//! shapes that there are, so that a cluster begins without the code and the tables that this takes.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management>

use json_tree::{Value, json};
use schema::Resource;

use crate::object::Object;

/// Objects that are there whenever their parent is: they are not managed by themselves.
const ALWAYS: [&str; 4] = ["", "metadata", "priorityLevelConfiguration", "spec"];
/// Objects that are managed as a whole.
const ATOMIC: [&str; 1] = ["roleRef"];
/// The fields of `metadata` that nobody manages, or that the status alone determines.
const UNMANAGED: [&str; 3] = ["generation", "name", "namespace"];

/// Returns `metadata.managedFields` of an object as it was made, without what every object gets.
pub(super) fn entries(resource: &Resource, object: &Object, now: &str) -> Value {
    let mut managed = object.clone();
    managed.shift_remove("status");
    json!([{
        "manager": "kube-apiserver",
        "operation": "Update",
        "apiVersion": resource.api_version(),
        "time": now,
        "fieldsType": "FieldsV1",
        "fieldsV1": of_object(&managed, ""),
    }])
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
            _ if named == "metadata" && UNMANAGED.contains(&key.as_str()) => continue,
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
    use std::sync::Arc;
    use std::time::Duration;

    use clock::{ManualClock, SeededRandom};
    use store::KeyRange;

    use crate::context::ApiServer;
    use crate::{Config, Formats, Validation, Writes, field_management};

    #[test]
    fn the_entries_are_those_that_field_management_finds() {
        let server = ApiServer::new(Config {
            clock: Arc::new(ManualClock::new(Duration::from_secs(1))),
            random: Arc::new(SeededRandom::new(1)),
            first_revision: 1,
            tokens: None,
            formats: Formats::ALL,
            validation: Validation::HERE,
            writes: Writes::HERE,
            compaction: crate::Compaction::default(),
        });
        let storage = server.shared.storage();
        let mut count = 0;
        for entry in storage.store.range(&KeyRange::prefix("/")) {
            let row = schema::resources().iter().find(|row| {
                entry.key.starts_with(&crate::stored::prefix(row))
                    && row.storage.version == row.version
                    && row.storage.group == row.group
            });
            let row = row.expect("there is a resource of each key");
            let mut object = entry.value.tree();
            let entries = crate::object::managed_fields(&object).cloned();
            crate::object::set_managed_fields(&mut object, None);
            if row.name == "namespaces" {
                // What comes with every namespace is managed by nobody.
                object.shift_remove("spec");
            }
            assert_eq!(
                entries,
                field_management::track_own_creation(row, server.shared.config.clock.as_ref(), &object),
                "{}",
                entry.key
            );
            count += 1;
        }
        assert!(count > 150, "{count}");
    }
}
