//! The rows of tables of the kind PodDisruptionBudget.

use json_tree::Value;

use crate::printing::row::{Row, get};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Min Available||||The minimum number of pods that must be available.
Max Unavailable||||The maximum number of pods that may be unavailable.
Allowed Disruptions|integer|||Calculated number of pods that may be disrupted at this time.
Age||||@created";

/// <https://kubernetes.io/docs/tasks/run-application/configure-pdb/>
pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let number_or_percent = |path: &str| match get(row.object, path) {
        Some(Value::String(percent)) => Value::from(percent.as_str()),
        Some(number) => number.to_string().into(),
        None => "N/A".into(),
    };
    vec![
        row.name(),
        number_or_percent("/spec/minAvailable"),
        number_or_percent("/spec/maxUnavailable"),
        row.count("/status/disruptionsAllowed"),
        row.age(),
    ]
}
