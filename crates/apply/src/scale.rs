//! The managers of a workload's replicas, when these are written as the replicas of a `Scale`.
//!
//! The fields of a `Scale` are owned in the entries of its workload, under other names.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#transferring-ownership>

use crate::managers::{Entry, Manager, Managers};
use crate::set::Set;

/// The API version of a `Scale`.
pub const API_VERSION: &str = "autoscaling/v1";

/// The path of the replicas in the built-in workloads.
pub const REPLICAS: &[&str] = &["spec", "replicas"];

/// The field of a `Scale`.
fn replicas() -> Set {
    Set::of_fields(&[REPLICAS])
}

/// The managers of the `Scale` of a workload in this API version: those who own its replicas, which stand at `path`.
pub fn of_workload(workload: &Managers, api_version: &str, path: &[&str]) -> Managers {
    let (own, replicas) = (Set::of_fields(&[path]), replicas());
    let mut managers = Managers::default();
    for (manager, entry) in workload.0.iter() {
        if entry.api_version == api_version && entry.set.overlaps(&own) {
            let manager = Manager {
                name: manager.name.clone(),
                ..Manager::new("", manager.operation, API_VERSION, &manager.subresource)
            };
            let (set, time) = (replicas.clone(), entry.time.clone());
            managers.0.insert(manager, Entry { api_version: API_VERSION.to_owned(), set, time });
        }
    }
    managers
}

/// The managers of a workload in this API version, once those of its `Scale` are these. Who comes to own the replicas
/// by it has no time.
pub fn to_workload(workload: &Managers, mut scale: Managers, api_version: &str, path: &[&str]) -> Managers {
    let (own, replicas) = (Set::of_fields(&[path]), replicas());
    let mut managers = Managers::default();
    for (manager, entry) in workload.0.iter().filter(|(_, entry)| entry.api_version == api_version) {
        let kept = !entry.set.overlaps(&own) || scale.0.remove(manager).is_some();
        let set = if kept { entry.set.clone() } else { entry.set.difference(&own) };
        if kept || !set.is_empty() {
            managers.0.insert(manager.clone(), Entry { set, ..entry.clone() });
        }
    }
    for (manager, entry) in scale.0 {
        if entry.set.overlaps(&replicas) {
            let entry = Entry { api_version: api_version.to_owned(), set: own.clone(), time: None };
            managers.0.insert(manager, entry);
        }
    }
    managers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::managers::Operation;

    fn managers(entries: &[(&str, Operation, &str, &[&[&str]])]) -> Managers {
        let entries = entries.iter().map(|(name, operation, version, fields)| {
            let set = Set::of_fields(fields);
            let time = Some("2026-01-01T00:00:00Z".to_owned());
            (
                Manager::new(name, *operation, version, ""),
                Entry { api_version: (*version).to_owned(), set, time },
            )
        });
        Managers(entries.collect())
    }

    #[test]
    fn who_owns_replicas_owns_those_of_the_scale() {
        let workload = managers(&[
            ("a", Operation::Apply, "apps/v1", &[REPLICAS, &["spec", "paused"]]),
            ("b", Operation::Update, "apps/v1", &[&["spec", "paused"]]),
            ("c", Operation::Update, "apps/v1", &[REPLICAS]),
        ]);
        let expected = managers(&[
            ("a", Operation::Apply, API_VERSION, &[REPLICAS]),
            ("c", Operation::Update, API_VERSION, &[REPLICAS]),
        ]);
        assert_eq!(of_workload(&workload, "apps/v1", REPLICAS), expected);
    }

    #[test]
    fn who_loses_them_in_the_scale_loses_them_in_the_workload() {
        let workload = managers(&[
            ("a", Operation::Apply, "apps/v1", &[REPLICAS, &["spec", "paused"]]),
            ("c", Operation::Apply, "apps/v1", &[REPLICAS]),
        ]);
        let scale = managers(&[("b", Operation::Apply, API_VERSION, &[REPLICAS])]);
        let mut expected = managers(&[
            ("a", Operation::Apply, "apps/v1", &[&["spec", "paused"]]),
            ("b", Operation::Apply, "apps/v1", &[REPLICAS]),
        ]);
        if let Some(entry) = expected.0.get_mut(&Manager::new("b", Operation::Apply, "", "")) {
            entry.time = None;
        }
        assert_eq!(to_workload(&workload, scale, "apps/v1", REPLICAS), expected);
    }
}
