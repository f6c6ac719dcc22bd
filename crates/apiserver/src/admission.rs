//! Admission: what a default API server's admission plugins refuse or add.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/>

mod certificates;
mod classes;
mod dynamic;
mod limit_ranger;
mod node;
mod pod_security;
pub(crate) mod policy;
mod priority;
mod protection;
pub(crate) mod quota;
mod runtime_class;
mod tolerations;
pub(crate) mod topology;
pub(crate) mod webhook;

use json_tree::Value;
use schema::Resource;

use crate::audit_context::AuditContext;
use crate::context::Shared;
use crate::object::{Object, name_for_refusal};
use crate::status::{Cause, Status, Subject};

/// The objects that may not be deleted, by name: group, resource, names, and the reason.
const IMMORTAL: &[(&str, &str, &[&str], &str)] = &[
    ("", "namespaces", &["default", "kube-system", "kube-public"], "this namespace may not be deleted"),
    (
        "scheduling.k8s.io",
        "priorityclasses",
        &["system-node-critical", "system-cluster-critical"],
        "this is a system priority class and cannot be deleted",
    ),
];

/// Refuses what would be created in a namespace that is not there, or that is on its way out.
///
/// <https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#namespacelifecycle>
pub(crate) fn create(
    shared: &Shared,
    subject: Subject<'_>,
    namespace: &str,
    resource: &Resource,
) -> Result<(), Box<Status>> {
    if !resource.namespaced {
        return Ok(());
    }
    let Some(stored) = shared.find(&["/registry/namespaces/", namespace].concat()) else {
        return Err(Status::not_found(Subject { group: "", resource: "namespaces", name: namespace }));
    };
    if !stored.is_terminating() {
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

/// Refuses to delete what a cluster cannot do without.
pub(crate) fn delete(subject: Subject<'_>) -> Result<(), Box<Status>> {
    let immortal = IMMORTAL.iter().find(|(group, resource, names, _)| {
        (*group, *resource) == (subject.group, subject.resource) && names.contains(&subject.name)
    });
    immortal.map_or(Ok(()), |(.., why)| Err(Status::forbidden(subject, why)))
}

/// Runs the plugins that add to an object, and that refuse it once they have seen it whole. `old` is the stored object
/// that this one replaces.
pub(crate) fn mutate(
    shared: &Shared,
    resource: &Resource,
    object: &mut Object,
    old: Option<&Object>,
) -> Result<(), Box<Status>> {
    let request = Request { shared, resource, subresource: "", old, audit: None };
    let key = (resource.storage.group.as_str(), resource.storage.resource.as_str());
    let rows = PLUGINS.iter().filter(|(group, name, _)| (*group, *name) == key);
    for plugin in rows.flat_map(|(_, _, plugins)| *plugins) {
        plugin(&request, object)?;
    }
    Ok(())
}

/// Runs the checks that refuse an object once it is known to be valid. `old` is the stored object that this one
/// replaces, by way of `subresource`. Warnings for the sender go to `warnings`, and annotations to the audit, if there is one.
pub(crate) fn validate(
    shared: &Shared,
    (resource, subresource): (&Resource, &str),
    object: &Object,
    old: Option<&Object>,
    (warnings, audit): (&mut Vec<String>, Option<&dyn AuditContext>),
) -> Result<(), Box<Status>> {
    let request = Request { shared, resource, subresource, old, audit };
    let key = (resource.storage.group.as_str(), resource.storage.resource.as_str());
    let rows = CHECKS.iter().filter(|(group, name, ..)| (*group, *name) == key);
    for (_, _, parts, check) in rows {
        if old.is_none() || parts.contains(&subresource) {
            check(&request, object)?;
        }
    }
    pod_security::review(&request, object, warnings)
}

/// A check of an object.
type Check = fn(&Request<'_>, &Object) -> Result<(), Box<Status>>;

/// Group, resource, by which parts its objects are looked at when they change (all are when they are new), and how.
const CHECKS: &[(&str, &str, &[&str], Check)] = &[
    ("", "persistentvolumeclaims", &[""], limit_ranger::check_claim),
    ("", "persistentvolumeclaims", &[""], classes::check_growth),
    ("", "pods", &["resize"], limit_ranger::check_pod),
    ("certificates.k8s.io", "certificatesigningrequests", &[], certificates::check),
    ("scheduling.k8s.io", "priorityclasses", &[""], priority::check_class),
];

/// A plugin, which runs on the objects of a resource when they are created or replaced.
type Plugin = fn(&Request<'_>, &mut Object) -> Result<(), Box<Status>>;

/// Group, resource, and what happens to its objects, in the order of kube-apiserver's plugins.
const PLUGINS: &[(&str, &str, &[Plugin])] = &[
    ("", "nodes", &[node::taint]),
    ("", "persistentvolumeclaims", &[protection::claim, classes::default_storage]),
    ("", "persistentvolumes", &[protection::volume]),
    ("", "pods", POD_PLUGINS),
    ("networking.k8s.io", "ingresses", &[classes::default_ingress]),
    ("storage.k8s.io", "volumeattributesclasses", &[protection::attributes_class]),
];

const POD_PLUGINS: &[Plugin] =
    &[limit_ranger::fill, priority::pod, tolerations::pod, runtime_class::pod, topology::pod];

/// A write, as a plugin sees it. The lock of the storage is not held; each look takes it.
struct Request<'a> {
    shared: &'a Shared,
    resource: &'a Resource,
    /// By which part of the object it is written; empty for the object itself.
    subresource: &'a str,
    /// The stored object, unless this is a creation.
    old: Option<&'a Object>,
    /// The audit of the request, if there is one, and the plugin is one that refuses.
    audit: Option<&'a dyn AuditContext>,
}

impl Request<'_> {
    /// 403: a plugin refuses the object.
    fn forbidden(&self, object: &Object, why: &str) -> Box<Status> {
        forbidden(self.resource, object, why)
    }

    /// The object of a cluster-scoped resource.
    fn find(&self, resource: &str, name: &str) -> Option<Object> {
        self.shared.find(&["/registry/", resource, "/", name].concat()).map(|stored| stored.tree())
    }

    /// All objects of a cluster-scoped resource.
    fn all(&self, resource: &str) -> Vec<Object> {
        self.shared.all(&["/registry/", resource, "/"].concat()).iter().map(|stored| stored.tree()).collect()
    }
}

/// 403: the object is refused.
fn forbidden(resource: &Resource, object: &Object, why: &str) -> Box<Status> {
    let name = name_for_refusal("", object);
    Status::forbidden(Subject { group: &resource.group, resource: &resource.name, name }, why)
}

/// The text at a JSON pointer below `object`; empty if there is none.
fn text<'a>(object: &'a Object, field: &str, pointer: &str) -> &'a str {
    object.get(field).and_then(|value| value.pointer(pointer)).and_then(Value::as_str).unwrap_or_default()
}
