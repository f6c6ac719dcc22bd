#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

mod certificates;
mod classes;
mod limit_ranger;
mod namespace_lifecycle;
mod node;
mod plugin;
pub mod pod_security;
mod priority;
mod protection;
pub mod quota;
mod resize;
mod runtime_class;
mod tolerations;
mod topology;

use std::fmt;

use apimachinery::object::{Object, name_for_refusal};
use apimachinery::status::{Status, Subject};
use json_tree::Value;
use kinds::kind::Objects;
use schema::Resource;

pub use namespace_lifecycle::create;
pub use plugin::{Plugin, Plugins};
pub use topology::label_binding;

/// Objects that may not be deleted.
struct Immortal {
    group: &'static str,
    resource: &'static str,
    names: &'static [&'static str],
    /// The plugin that refuses it; none, if the registry does.
    plugin: Option<Plugin>,
    why: &'static str,
}

const IMMORTAL: [Immortal; 2] = [
    Immortal {
        group: "",
        resource: "namespaces",
        names: &["default", "kube-system", "kube-public"],
        plugin: Some(Plugin::NamespaceLifecycle),
        why: "this namespace may not be deleted",
    },
    Immortal {
        group: "scheduling.k8s.io",
        resource: "priorityclasses",
        names: &["system-node-critical", "system-cluster-critical"],
        plugin: None,
        why: "this is a system priority class and cannot be deleted",
    },
];

/// Refuses to delete what a cluster cannot do without.
///
/// # Errors
/// The 403 that says so.
pub fn delete(plugins: Plugins, subject: Subject<'_>) -> Result<(), Box<Status>> {
    let immortal = IMMORTAL.iter().find(|row| {
        (row.group, row.resource) == (subject.group, subject.resource)
            && row.names.contains(&subject.name)
            && row.plugin.is_none_or(|plugin| plugins.runs(plugin))
    });
    immortal.map_or(Ok(()), |row| Err(Status::forbidden(subject, row.why)))
}

/// Runs the plugins that add to an object, and that refuse it once they have seen it whole.
///
/// # Errors
/// The response of the plugin that refuses it.
pub fn mutate(request: &Request<'_>, object: &mut Object) -> Result<(), Box<Status>> {
    let rows = CHANGES.iter().filter(|(group, name, _)| (*group, *name) == request.storage());
    for (plugin, change) in rows.flat_map(|(_, _, plugins)| *plugins) {
        if request.plugins.runs(*plugin) {
            change(request, object)?;
        }
    }
    Ok(())
}

/// Runs the checks that refuse an object once it is known to be valid. Warnings for the sender go to `warnings`.
///
/// # Errors
/// The response of the plugin that refuses it.
pub fn validate(
    request: &Request<'_>,
    object: &Object,
    warnings: &mut Vec<String>,
) -> Result<(), Box<Status>> {
    let rows = CHECKS.iter().filter(|(group, name, ..)| (*group, *name) == request.storage());
    for (_, _, parts, plugin, check) in rows {
        if request.plugins.runs(*plugin) && (request.old.is_none() || parts.contains(&request.subresource)) {
            check(request, object)?;
        }
    }
    if request.plugins.runs(Plugin::PodSecurity) {
        pod_security::review(request, object, warnings)?;
    }
    Ok(())
}

/// A check of an object.
type Check = fn(&Request<'_>, &Object) -> Result<(), Box<Status>>;

/// Group, resource, by which parts its objects are looked at when they change (all are when they are new), by which plugin, and how.
const CHECKS: &[(&str, &str, &[&str], Plugin, Check)] = &[
    ("", "persistentvolumeclaims", &[""], Plugin::LimitRanger, limit_ranger::check_claim),
    ("", "persistentvolumeclaims", &[""], Plugin::PersistentVolumeClaimResize, classes::check_growth),
    ("", "pods", &["resize"], Plugin::LimitRanger, limit_ranger::check_pod),
    ("", "pods", &["resize"], Plugin::PodResizeValidator, resize::check),
    (
        "certificates.k8s.io",
        "certificatesigningrequests",
        &[],
        Plugin::CertificateSubjectRestriction,
        certificates::check,
    ),
    ("scheduling.k8s.io", "priorityclasses", &[""], Plugin::Priority, priority::check_class),
];

/// A change by a plugin, which runs on the objects of a resource when they are created or replaced.
type Change = fn(&Request<'_>, &mut Object) -> Result<(), Box<Status>>;

/// Group, resource, and the changes of plugins to its objects.
type Changes = &'static [(Plugin, Change)];

/// Group, resource, and what plugins do to its objects.
const CHANGES: &[(&str, &str, Changes)] = &[
    ("", "nodes", &[(Plugin::TaintNodesByCondition, node::taint)]),
    (
        "",
        "persistentvolumeclaims",
        &[
            (Plugin::StorageObjectInUseProtection, protection::claim),
            (Plugin::DefaultStorageClass, classes::default_storage),
        ],
    ),
    ("", "persistentvolumes", &[(Plugin::StorageObjectInUseProtection, protection::volume)]),
    (
        "",
        "pods",
        &[
            (Plugin::LimitRanger, limit_ranger::fill),
            (Plugin::Priority, priority::pod),
            (Plugin::DefaultTolerationSeconds, tolerations::pod),
            (Plugin::RuntimeClass, runtime_class::pod),
            (Plugin::PodTopologyLabels, topology::pod),
        ],
    ),
    ("networking.k8s.io", "ingresses", &[(Plugin::DefaultIngressClass, classes::default_ingress)]),
    (
        "storage.k8s.io",
        "volumeattributesclasses",
        &[(Plugin::StorageObjectInUseProtection, protection::attributes_class)],
    ),
];

/// Adds an annotation to an audit: its key, and its value.
pub type Annotate<'a> = &'a dyn Fn(&str, &str);

/// A write, as the plugins see it.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The objects of the cluster. They may be others at each look.
    pub objects: &'a dyn Objects,
    /// The resource of the object that is written.
    pub resource: &'a Resource,
    /// The part of the object by which it is written; empty for the object itself.
    pub subresource: &'a str,
    /// The stored object, unless this is a creation.
    pub old: Option<&'a Object>,
    /// The plugins that run.
    pub plugins: Plugins,
    /// The violations of the Pod Security Standards by a pod.
    pub pod_security: pod_security::Look,
    /// Adds an annotation to the audit of the request. `None` where nobody audits it.
    pub audit: Option<Annotate<'a>>,
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("resource", &self.resource.name).finish_non_exhaustive()
    }
}

impl Request<'_> {
    /// Returns the group and the resource in which its objects are stored.
    fn storage(&self) -> (&str, &str) {
        (&self.resource.storage.group, &self.resource.storage.resource)
    }

    /// 403: a plugin refuses the object.
    fn forbidden(&self, object: &Object, why: &str) -> Box<Status> {
        forbidden(self.resource, object, why)
    }

    /// The object of a cluster-scoped resource.
    fn find(&self, resource: &str, name: &str) -> Option<Object> {
        self.objects.get(&["/registry/", resource, "/", name].concat())
    }

    /// All objects of a cluster-scoped resource.
    fn all(&self, resource: &str) -> Vec<Object> {
        let mut all = Vec::new();
        self.objects.each(&["/registry/", resource, "/"].concat(), &mut |found| all.push(found.tree()));
        all
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
