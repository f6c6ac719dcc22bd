//! The errors of reads whose objects cannot be converted: they are corrupt, in kube-apiserver's words.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/delete-options/> (`ignoreStoreReadErrorWithClusterBreakingPotential`).

use std::sync::Arc;

use crate::context::Reading;
use crate::resource::Resource;
use crate::stored::{Stored, object_key};
use apimachinery::status::{Cause, Details, Status, Subject};

/// How many objects are told of in the error of a list.
const TOLD: usize = 100;

/// Returns the error for objects that cannot be converted, and why.
pub(super) fn of(resource: &Resource, reading: Reading, failures: &[(Arc<Stored>, String)]) -> Box<Status> {
    let undecodable = |(stored, why): &(Arc<Stored>, String)| {
        format!("object not decodable revision={}: {why}", stored.revision())
    };
    let corrupt = |failure: &(Arc<Stored>, String), key: &str| {
        let why = undecodable(failure);
        format!(
            "StorageError: corrupt object, Code: 7, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {why}"
        )
    };
    let key = |stored: &Stored| object_key(resource, &stored.namespace, &stored.name);
    match (reading, failures) {
        (Reading::List, _) => {
            let causes = failures.iter().take(TOLD).map(|failure| {
                let key = key(&failure.0);
                Cause {
                    reason: "UnexpectedServerResponse".to_owned(),
                    message: corrupt(failure, &key),
                    field: key,
                }
            });
            let mut causes: Vec<Cause> = causes.collect();
            if failures.len() > TOLD {
                causes.push(Cause {
                    reason: "FieldValueTooMany".to_owned(),
                    message: "too many errors, the list is truncated".to_owned(),
                    field: String::new(),
                });
            }
            let details = Details {
                name: "list".to_owned(),
                group: resource.group.clone(),
                kind: resource.name.clone(),
                causes,
                ..Details::default()
            };
            let subject = Subject { group: &resource.group, resource: &resource.name, name: "" };
            let message = format!("failed to read one or more {} from the storage", subject.qualified());
            Status::refused_elsewhere(500, "StorageReadError", message, Some(details))
        }
        (Reading::Object, [first, ..]) => {
            let key = key(&first.0);
            Status::internal_error(corrupt(first, key.trim_start_matches("/registry")))
        }
        (_, [first, ..]) => Status::unclassified(undecodable(first)),
        (_, []) => Status::unclassified(""),
    }
}
