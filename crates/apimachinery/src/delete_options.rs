//! The options of a deletion.

use json_tree::{Map, Value, json};

/// The options of a deletion.
///
/// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-deletion>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// Process the request in full, but store nothing.
    pub dry_run: bool,
    /// How long a pod may take to end, in seconds.
    pub grace_period_seconds: Option<i64>,
    /// `Foreground`, `Background` or `Orphan`.
    pub propagation_policy: Option<String>,
    /// The deprecated way to say `Orphan` or not.
    pub orphan_dependents: Option<bool>,
    /// The uid that the object must have.
    pub uid: Option<String>,
    /// The version that the object must be at.
    pub resource_version: Option<String>,
    /// True if only an object that cannot be read from the store any more is to be deleted.
    pub ignore_read_error: bool,
}

impl DeleteOptions {
    /// The options as their object.
    pub fn to_value(&self) -> Value {
        let mut options = json!({ "kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1" });
        let mut set = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                options[key] = value;
            }
        };
        set("gracePeriodSeconds", self.grace_period_seconds.map(Value::from));
        set("propagationPolicy", self.propagation_policy.clone().map(Value::from));
        set("orphanDependents", self.orphan_dependents.map(Value::from));
        set("dryRun", self.dry_run.then(|| json!(["All"])));
        let mut preconditions = Map::new();
        for (key, value) in [("uid", &self.uid), ("resourceVersion", &self.resource_version)] {
            if let Some(value) = value {
                preconditions.insert(key.to_owned(), value.as_str().into());
            }
        }
        set("preconditions", (!preconditions.is_empty()).then(|| preconditions.into()));
        options
    }
}
