//! The kind PriorityClass.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#priorityclass>.

mod printer;

use json_tree::Value;

use crate::kind::{Checks, DEFAULT, Generation, Kind, Printer, Strategy};
use crate::validation::checks::required_choice;
use crate::validation::metadata::immutable;
use crate::validation::read::{at, get, integer, is_true, same, text};
use field::{AddError, Error, Path};

/// The kind PriorityClass.
pub(crate) struct PriorityClass;

impl Kind for PriorityClass {
    const GROUP: &'static str = "scheduling.k8s.io";
    const RESOURCE: &'static str = "priorityclasses";
    const STRATEGY: Strategy = Strategy { generation: Generation::Fixed, ..DEFAULT };

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const SYSTEM: &str = "system-";
const HIGHEST: i64 = 1_000_000_000;

/// Kubernetes' own classes, and their values.
const KNOWN: [(&str, i64); 2] =
    [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)];

fn create(object: &Value) -> Vec<Error> {
    let name = text(at(object, "/metadata"), "name");
    let mut errors = Vec::new();
    if name.starts_with(SYSTEM) {
        if let Err(why) = system(object, name) {
            let why = format!(
                "priority class names with '{SYSTEM}' prefix are reserved for system use only. error: {why}"
            );
            errors.forbidden(Path::new("metadata").child("name"), why);
        }
    } else if integer(object, "value").is_some_and(|value| value > HIGHEST) {
        let why = format!("maximum allowed value of a user defined priority is {HIGHEST}");
        errors.forbidden(Path::new("value"), why);
    }
    errors.extend(preemption_policy(object, &Path::default()));
    errors
}

/// Returns the error of the preemption policy of a class or a pod.
pub(crate) fn preemption_policy(of: &Value, path: &Path) -> Option<Error> {
    get(of, "preemptionPolicy")?;
    required_choice(of, "preemptionPolicy", &["PreemptLowerPriority", "Never"], path)
}

/// Checks that a class equals the system priority class of this name, which is one of Kubernetes' own.
fn system(object: &Value, name: &str) -> Result<(), String> {
    match KNOWN.iter().find(|(known, _)| *known == name) {
        None => Err(format!("{name} is not a known system priority class")),
        Some((_, value)) if integer(object, "value").unwrap_or_default() != *value => {
            Err(format!("value of {name} PriorityClass must be {value}"))
        }
        Some(_) if is_true(object, "globalDefault") => {
            Err(format!("globalDefault of {name} PriorityClass must be false"))
        }
        Some(_) => Ok(()),
    }
}

fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    if integer(object, "value").unwrap_or_default() != integer(old, "value").unwrap_or_default() {
        errors.forbidden(Path::new("value"), "may not be changed in an update.");
    }
    let field = "preemptionPolicy";
    if !same(get(object, field), get(old, field)) {
        errors.push(immutable(&Path::new(field), get(object, field).cloned().unwrap_or_default()));
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn classes() {
        let class = |name: &str, value: i64, expected: &str| {
            check(&create(&json!({"metadata": {"name": name}, "value": value})), expected);
        };
        class("a", 1_000_000_000, "");
        class(
            "a",
            1_000_000_001,
            "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
        );
        class("system-node-critical", 2_000_001_000, "");
        let reserved = "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error:";
        class(
            "system-node-critical",
            1,
            &format!("{reserved} value of system-node-critical PriorityClass must be 2000001000"),
        );
        class("system-x", 1, &format!("{reserved} system-x is not a known system priority class"));
        check(
            &update(&json!({"value": 8, "preemptionPolicy": "Never"}), &json!({"value": 7})),
            "[value: Forbidden: may not be changed in an update., preemptionPolicy: Invalid value: \"Never\": field is immutable]",
        );
    }
}
