//! The APIServices of what definitions serve: one for each version of a group, for as long as a definition has it.
//!
//! <https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/>

use kinds::apiregistration::api_service;
use std::collections::BTreeMap;
use std::sync::Arc;

use store::{Guard, KeyRange};

use crate::api_services::{self, AUTOMANAGED, PREFIX};
use crate::resource;
use crate::storage::{Sources, Storage};
use crate::stored::Stored;
use crate::{field_management, loopback};
use apimachinery::object::Object;
use apimachinery::time;

/// Makes, corrects and deletes APIServices, so that there is one for each version that a definition serves. Those that somebody else
/// has made, or has taken the label from, are left alone.
pub(super) fn register(storage: &mut Storage, sources: Sources<'_>) {
    let Some(row) = resource::find(api_services::GROUP, "apiservices") else { return };
    let definitions = &storage.resources.definitions;
    let served = definitions.iter().flat_map(|definition| {
        let versions = definition.versions.iter().filter(|version| version.served);
        versions.map(|version| (definition.group.as_str(), version.name.as_str()))
    });
    let mut wanted: BTreeMap<String, Object> = served
        .map(|(group, version)| {
            ([PREFIX, version, ".", group].concat(), api_services::custom_object(group, version))
        })
        .collect();
    let entries = storage.store.range(&KeyRange::prefix(PREFIX));
    let known: Vec<(String, Arc<Stored>)> =
        entries.map(|entry| (entry.key.to_string(), Arc::clone(&entry.value))).collect();
    for (key, stored) in known {
        let wanted = wanted.remove(&key);
        if stored.label(AUTOMANAGED) != Some("true") {
            continue;
        }
        let guard = Guard::ModRevision(stored.revision());
        // The lock is held: nobody else has written any of them.
        let Some(wanted) = wanted else {
            let _ = storage.store.delete(&key, guard);
            continue;
        };
        let old = stored.tree();
        if old.get("spec") == wanted.get("spec") {
            continue;
        }
        let mut new = old.clone();
        new.insert("spec".to_owned(), wanted.get("spec").cloned().unwrap_or_default());
        field_management::track_own_update(row, sources.clock, &old, &mut new);
        let _ = storage.store.put(&key, guard, |revision| Arc::new(Stored::new(row, new, revision)));
    }
    for (key, mut object) in wanted {
        object.insert("status".to_owned(), api_service::local_status(&time::rfc3339(sources.clock.now())));
        loopback::create(storage, row, &key, object, sources);
    }
}
