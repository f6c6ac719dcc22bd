//! The kind Pod, and the templates that workloads make pods from.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/>. The checks stand in the order in which kube-apiserver does
//! them, for so do the errors in its answers.

mod annotations;
mod check;
mod container;
mod containers;
pub(crate) mod disabled;
mod environment;
mod network;
mod part;
mod printer;
mod probe;
mod resize;
pub(crate) mod resources;
pub(crate) mod scheduling;
mod security;
mod status;
pub mod strategy;
mod update;
mod volume;
pub(crate) mod warnings;

pub use security::allow_privileged;

pub(crate) use part::update_ephemeral;
pub(crate) use resize::update_resize;
pub(crate) use scheduling::TAINT_EFFECTS;
pub(crate) use status::update_status;
pub(crate) use update::update;

use std::collections::HashMap;

use json_tree::Value;

use crate::kind::{Action, Checks, Kind, Paths, Printer, Strategy, Subresource};
use crate::scheduling::priority_class::preemption_policy;
use crate::validation::metadata::{self, Rules};
use crate::validation::name::{self, NameRule};
use crate::validation::read::{at, get, integer, list, map, text};
use crate::validation::values::one_of;
use apimachinery::object::Object;
use apimachinery::selector::field::{SelectableFields, Source};
use check::{Errors, each, in_range, named, well_formed};
use field::{AddError, Error, Path};

/// The kind Pod.
pub(crate) struct Pod;

impl Kind for Pod {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "pods";
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> = Some(&SelectableFields {
        aliases: &[("spec.host", "spec.nodeName")],
        ..SelectableFields::of(
            true,
            &[
                ("spec.nodeName", Source::At("/spec/nodeName", "")),
                ("spec.restartPolicy", Source::At("/spec/restartPolicy", "")),
                ("spec.schedulerName", Source::At("/spec/schedulerName", "")),
                ("spec.serviceAccountName", Source::At("/spec/serviceAccountName", "")),
                ("spec.hostNetwork", Source::At("/spec/hostNetwork", "false")),
                ("status.phase", Source::At("/status/phase", "")),
                ("status.podIP", Source::FirstOf(&["/status/podIPs/0/ip", "/status/podIP"])),
                ("status.podIPs", Source::Nowhere),
                ("status.nominatedNodeName", Source::At("/status/nominatedNodeName", "")),
            ],
        )
    });
    const STRATEGY: Strategy = strategy::STRATEGY;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] = &[
        ("attach", Subresource::Action(Action::Attach)),
        ("binding", Subresource::Action(Action::Binding)),
        ("eviction", Subresource::Action(Action::Eviction)),
        ("exec", Subresource::Action(Action::Exec)),
        ("log", Subresource::Action(Action::Log)),
        ("portforward", Subresource::Action(Action::PortForward)),
        ("proxy", Subresource::Action(Action::ProxyPod)),
        ("ephemeralcontainers", Subresource::Part),
        ("resize", Subresource::Part),
    ];
    const RESET_FIELDS: &'static [(&'static str, Paths)] =
        &[("status", &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]])];
    const POD_SPEC: Option<&'static str> = Some("/spec");

    fn drop_disabled_fields(object: &mut Object, old: Option<&Object>) {
        disabled::drop_status_fields(object, old);
    }

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_new(only_new)
            .validate_update(update)
            .validate_part("ephemeralcontainers", update_ephemeral)
            .validate_part("resize", update_resize)
            .validate_part("status", update_status)
            .warn(warnings::warn)
            .warn_of_status(warnings::of_status)
    }

    fn printer() -> Option<Printer> {
        Some(Printer { conditions: printer::conditions, ..Printer::of(printer::COLUMNS, printer::cells) })
    }
}

const RESTART_POLICIES: [&str; 3] = ["Always", "OnFailure", "Never"];

/// The form in which a path prints that kube-apiserver makes of no name.
const NAMELESS: &str = "[]";

/// The rules for the metadata of pods, where their check stands between others.
const RULES: Rules =
    Rules { name: NameRule::Subdomain, generate_name: true, namespaced: true, known_finalizers: true };

/// The parts of a pod that its containers are checked against.
struct Context<'a> {
    /// The volumes that are right, by their names.
    volumes: HashMap<&'a str, &'a Value>,
    /// The names of its claims for devices.
    claims: Vec<&'a str>,
    restart_policy: &'a str,
    /// The number of seconds that it may take to end.
    grace: Option<i64>,
    /// True if the pod uses the user namespace of the host.
    host_users: bool,
}

impl<'a> Context<'a> {
    fn volume(&self, name: &str) -> Option<&'a Value> {
        self.volumes.get(name).copied()
    }
}

/// Validates a pod, new or changed, except for its metadata.
fn create(object: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    annotations::validate(object, &Path::new("metadata").child("annotations"), &mut errors);
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    self::spec(spec, Some(object), &path, &mut errors);
    volume::tokens(spec, &path, &mut errors);
    for field in ["containers", "initContainers"] {
        for (container, path) in each(spec, field, &path) {
            container::image(container, &path, &mut errors);
        }
    }
    errors
}

/// Validates a new pod: fields that it gets only later, and fields that have to agree while it is new.
fn only_new(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = Vec::new();
    if !list(spec, "ephemeralContainers").is_empty() {
        errors.forbidden(path.child("ephemeralContainers"), "cannot be set on create");
    }
    if !text(spec, "nodeName").is_empty() && !list(spec, "schedulingGates").is_empty() {
        let why = "cannot be set until all schedulingGates have been cleared";
        errors.forbidden(path.child("nodeName"), why);
    }
    annotations::match_fields(object, &path, &mut errors);
    errors
}

/// Validates a pod template.
pub(crate) fn template(template: &Value, path: &Path) -> Vec<Error> {
    let mut errors = template_metadata(template, path);
    let (spec, path) = (at(template, "/spec"), path.child("spec"));
    self::spec(spec, None, &path, &mut errors);
    annotations::match_fields(template, &path, &mut errors);
    if !list(spec, "ephemeralContainers").is_empty() {
        let why = "ephemeral containers not allowed in pod template";
        errors.forbidden(path.child("ephemeralContainers"), why);
    }
    errors
}

/// Validates the labels and annotations of a pod template.
pub(crate) fn template_metadata(template: &Value, path: &Path) -> Vec<Error> {
    let (meta, at_annotations) = (at(template, "/metadata"), path.child("annotations"));
    let mut errors =
        map(meta, "labels").map(|labels| metadata::labels(labels, &path.child("labels"))).unwrap_or_default();
    if let Some(annotations) = map(meta, "annotations") {
        errors.extend(metadata::annotations(annotations, &at_annotations));
    }
    annotations::validate(template, &at_annotations, &mut errors);
    errors
}

/// Validates the spec of `pod`, or of a pod template if `pod` is `None`.
fn spec(spec: &Value, pod: Option<&Value>, path: &Path, errors: &mut Errors) {
    let is_static = pod.is_some_and(annotations::is_mirror);
    let pod = pod.map(|pod| text(at(pod, "/metadata"), "name"));
    let context = Context {
        volumes: volume::all(spec, pod, path, errors),
        claims: list(spec, "resourceClaims")
            .iter()
            .map(|claim| text(claim, "name"))
            .filter(|name| !name.is_empty())
            .collect(),
        restart_policy: text(spec, "restartPolicy"),
        grace: integer(spec, "terminationGracePeriodSeconds"),
        host_users: get(spec, "hostUsers") != Some(&Value::Bool(false)),
    };
    scheduling::claims(spec, is_static, path, errors);
    containers::validate(spec, &context, path, errors);
    resources::of_pod(spec, &context.claims, path, errors);
    network::host_ports(spec, pod.is_some(), path, errors);
    errors.extend(one_of(spec, "restartPolicy", &RESTART_POLICIES, path));
    network::dns_policy(spec, path, errors);
    if let Some(labels) = map(spec, "nodeSelector") {
        errors.extend(metadata::labels(labels, &path.child("nodeSelector")));
    }
    security::of_pod(spec, path, errors);
    scheduling::affinity(spec, path, errors);
    network::dns_config(spec, path, errors);
    for (gate, path) in each(spec, "readinessGates", path) {
        well_formed(text(gate, "conditionType"), name::qualified_name, &path.child("conditionType"), errors);
    }
    scheduling::gates(spec, path, errors);
    scheduling::spread(spec, path, errors);
    security::host_process(spec, path, errors);
    network::host_users(spec, path, errors);
    network::hostname_override(spec, path, errors);
    named(spec, "serviceAccountName", name::subdomain, path, errors);
    named(spec, "nodeName", name::subdomain, path, errors);
    in_range(spec, "activeDeadlineSeconds", (1, i64::from(i32::MAX)), path, errors);
    for field in ["hostname", "subdomain"] {
        named(spec, field, name::label, path, errors);
    }
    scheduling::tolerations(spec, path, errors);
    network::host_aliases(spec, path, errors);
    named(spec, "priorityClassName", name::subdomain, path, errors);
    if let Some(class) = get(spec, "runtimeClassName").and_then(Value::as_str) {
        well_formed(class, name::subdomain, &path.child("runtimeClassName"), errors);
    }
    errors.extend(preemption_policy(spec, path));
    resources::overhead(spec, path, errors);
    security::os(spec, path, errors);
    environment::file_volumes(spec, path, errors);
}

/// The containers of all sorts with their places.
fn all_containers<'a>(spec: &'a Value, path: &Path) -> impl Iterator<Item = (&'a Value, Path)> + use<'a> {
    let lists = ["initContainers", "containers", "ephemeralContainers"];
    let path = path.clone();
    lists.into_iter().flat_map(move |field| each(spec, field, &path))
}

#[cfg(test)]
mod tests;
