//! Namespaces that are not there, or that are on their way out, take nothing new.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespacelifecycle>

use apimachinery::status::{Cause, Status, Subject};
use kinds::kind::Objects;
use schema::Resource;

/// Refuses what would be created in a namespace that is not there, or that is on its way out.
///
/// # Errors
/// The 404 or the 403 that says so.
pub fn create(
    objects: &dyn Objects,
    subject: Subject<'_>,
    namespace: &str,
    resource: &Resource,
) -> Result<(), Box<Status>> {
    if !resource.namespaced {
        return Ok(());
    }
    let mut is_terminating = None;
    objects.find(&["/registry/namespaces/", namespace].concat(), &mut |found| {
        is_terminating = Some(found.is_terminating());
    });
    match is_terminating {
        None => {
            return Err(Status::not_found(Subject { group: "", resource: "namespaces", name: namespace }));
        }
        Some(false) => return Ok(()),
        Some(true) => {}
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
