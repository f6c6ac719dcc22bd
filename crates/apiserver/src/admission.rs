//! What a default API server's admission plugins refuse or add.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespacelifecycle>

use schema::Resource;

use crate::status::{Cause, Status, Subject};
use crate::storage::{Object, Storage};

/// Namespaces that may not be deleted.
const IMMORTAL: &[&str] = &["default", "kube-system", "kube-public"];

/// Refuses what would be created in a namespace that is not there, or that is on its way out.
pub(crate) fn create(
    storage: &Storage,
    subject: Subject<'_>,
    namespace: &str,
    resource: &Resource,
) -> Result<(), Box<Status>> {
    if !resource.namespaced {
        return Ok(());
    }
    let Some(entry) = storage.store.get(&format!("/registry/namespaces/{namespace}")) else {
        return Err(Status::not_found(Subject { group: "", resource: "namespaces", name: namespace }));
    };
    if !entry.value.is_terminating() {
        return Ok(());
    }
    let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
    let mut status = Status::forbidden(subject, &why);
    if let Some(details) = &mut status.details {
        details.causes.push(Cause {
            reason: "NamespaceTerminating".to_owned(),
            message: format!("namespace {namespace} is being terminated"),
            field: "metadata.namespace".to_owned(),
        });
    }
    Err(status)
}

/// Refuses to delete the namespaces that a cluster cannot do without.
pub(crate) fn delete(subject: Subject<'_>) -> Result<(), Box<Status>> {
    let immortal =
        subject.group.is_empty() && subject.resource == "namespaces" && IMMORTAL.contains(&subject.name);
    if immortal { Err(Status::forbidden(subject, "this namespace may not be deleted")) } else { Ok(()) }
}

/// What admission adds to an object, and what it refuses once it has seen it whole. `old` is the stored object
/// that this one replaces.
pub(crate) fn mutate(
    storage: &Storage,
    resource: &Resource,
    object: &mut Object,
    old: Option<&Object>,
) -> Result<(), Box<Status>> {
    let key = (resource.storage.group.as_str(), resource.storage.resource.as_str());
    match PLUGINS.iter().find(|(group, name, _)| (*group, *name) == key) {
        Some((_, _, plugin)) => plugin(storage, object, old),
        None => Ok(()),
    }
}

/// What happens to the objects of a resource.
type Plugin = fn(&Storage, &mut Object, Option<&Object>) -> Result<(), Box<Status>>;

/// Group, resource, and what happens to its objects.
const PLUGINS: &[(&str, &str, Plugin)] = &[];
