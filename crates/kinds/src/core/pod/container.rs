//! One container of a pod, of any sort.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#Container>.

use std::collections::HashSet;

use json_tree::Value;

use super::check::{Errors, choice, descending_path, each, has_backsteps, required, required_name};
use super::{Context, environment, resources, security};
use crate::core::service::PROTOCOLS;
use crate::validation::name;
use crate::validation::read::{get, integer, is_true, list, text};
use crate::validation::values::{port_name, port_number};
use field::{AddError, Error, Path};

const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];
const TERMINATION_POLICIES: [&str; 2] = ["File", "FallbackToLogsOnError"];
const PROPAGATIONS: [&str; 3] = ["Bidirectional", "HostToContainer", "None"];
const READ_ONLY: [&str; 3] = ["Disabled", "Enabled", "IfPossible"];

/// Validates the fields that containers of all sorts have in common.
pub(super) fn validate(container: &Value, pod: &Context<'_>, path: &Path, errors: &mut Errors) {
    required_name(container, "name", name::label, path, errors);
    required(container, &["image"], path, errors);
    choice(container, "terminationMessagePolicy", &TERMINATION_POLICIES, path, errors);
    ports(container, path, errors);
    environment::validate(container, path, errors);
    mounts(container, pod, path, errors);
    devices(container, pod, path, errors);
    choice(container, "imagePullPolicy", &PULL_POLICIES, path, errors);
    if let Some(own) = get(container, "resources") {
        resources::of_container(own, &pod.claims, &path.child("resources"), errors);
    }
    resources::resize_policy(container, pod.restart_policy, path, errors);
    if let Some(context) = get(container, "securityContext") {
        security::of_container(context, pod.host_users, &path.child("securityContext"), errors);
    }
}

/// Validates the image of a container in a pod; in a pod template it is not checked.
pub(super) fn image(container: &Value, path: &Path, errors: &mut Errors) {
    let image = text(container, "image");
    if image.trim() != image {
        let why = "must not have leading or trailing whitespace";
        errors.invalid(path.child("image"), image, why);
    }
}

fn ports(container: &Value, path: &Path, errors: &mut Errors) {
    let mut names: HashSet<&str> = HashSet::new();
    for (port, path) in each(container, "ports", path) {
        let (at, this) = (path.child("name"), text(port, "name"));
        if !this.is_empty() {
            let complaints = port_name(this);
            if !complaints.is_empty() {
                errors.extend(complaints.into_iter().map(|why| Error::invalid(&at, this, why)));
            } else if !names.insert(this) {
                errors.duplicate(&at, this);
            }
        }
        match integer(port, "containerPort").unwrap_or_default() {
            0 => errors.required(path.child("containerPort"), ""),
            number => errors.extend(port_number(number, &path.child("containerPort"))),
        }
        let host = integer(port, "hostPort").filter(|port| *port != 0);
        errors.extend(host.and_then(|number| port_number(number, &path.child("hostPort"))));
        choice(port, "protocol", &PROTOCOLS, &path, errors);
    }
}

fn mounts(container: &Value, pod: &Context<'_>, path: &Path, errors: &mut Errors) {
    let (devices, device_paths) =
        (texts(container, "volumeDevices", "name"), texts(container, "volumeDevices", "devicePath"));
    let at_list = path.child("volumeMounts");
    let mut places: HashSet<&str> = HashSet::new();
    for (mount, path) in each(container, "volumeMounts", path) {
        let (volume, place) = (text(mount, "name"), text(mount, "mountPath"));
        let (at_name, at_place) = (path.child("name"), path.child("mountPath"));
        required(mount, &["name"], &path, errors);
        let source = pod.volume(volume);
        if source.is_none() {
            errors.not_found(&at_name, volume);
        }
        required(mount, &["mountPath"], &path, errors);
        if !places.insert(place) {
            errors.invalid(&at_place, place, "must be unique");
        }
        if devices.contains(volume) {
            errors.invalid(&at_name, volume, "must not already exist in volumeDevices");
        }
        if device_paths.contains(place) {
            let why = "must not already exist as a path in volumeDevices";
            errors.invalid(&at_place, place, why);
        }
        // Parts of images can be mounted by their path.
        let (part, expression) = (text(mount, "subPath"), text(mount, "subPathExpr"));
        if !part.is_empty() {
            descending_path(part, &at_list.child("subPath"), errors);
        }
        if !expression.is_empty() {
            if !part.is_empty() {
                let why = "subPathExpr and subPath are mutually exclusive";
                errors.invalid(path.child("subPathExpr"), expression, why);
            }
            descending_path(expression, &at_list.child("subPathExpr"), errors);
        }
        propagation(mount, container, &at_list, errors);
    }
}

/// Validates how mounts spread. The messages place this at the list.
fn propagation(mount: &Value, container: &Value, path: &Path, errors: &mut Errors) {
    choice(mount, "mountPropagation", &PROPAGATIONS, path, errors);
    let propagation = get(mount, "mountPropagation").and_then(Value::as_str);
    let privileged = get(container, "securityContext").is_some_and(|context| is_true(context, "privileged"));
    if propagation == Some("Bidirectional") && !privileged {
        let why = "Bidirectional mount propagation is available only to privileged containers";
        errors.forbidden(path.child("mountPropagation"), why);
    }
    let at = path.child("recursiveReadOnly");
    if matches!(text(mount, "recursiveReadOnly"), "Enabled" | "IfPossible") {
        if !is_true(mount, "readOnly") {
            errors.forbidden(&at, "may only be specified when readOnly is true");
        }
        if propagation.is_some_and(|propagation| propagation != "None") {
            let why = "may only be specified when mountPropagation is None or not specified";
            errors.forbidden(&at, why);
        }
    } else {
        choice(mount, "recursiveReadOnly", &READ_ONLY, path, errors);
    }
}

fn devices(container: &Value, pod: &Context<'_>, path: &Path, errors: &mut Errors) {
    if list(container, "volumeDevices").is_empty() {
        return;
    }
    let (mounts, mount_paths) =
        (texts(container, "volumeMounts", "name"), texts(container, "volumeMounts", "mountPath"));
    let (mut names, mut places): (HashSet<&str>, HashSet<&str>) = (HashSet::new(), HashSet::new());
    for (device, path) in each(container, "volumeDevices", path) {
        let (this, place) = (text(device, "name"), text(device, "devicePath"));
        let (at_name, at_place) = (path.child("name"), path.child("devicePath"));
        required(device, &["name"], &path, errors);
        if names.contains(&this) {
            errors.invalid(&at_name, this, "must be unique");
        }
        match pod.volume(this) {
            None => errors.not_found(&at_name, this),
            Some(volume)
                if get(volume, "persistentVolumeClaim").is_none() && get(volume, "ephemeral").is_none() =>
            {
                let why =
                    "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                errors.invalid(&at_name, this, why);
            }
            Some(_) => {}
        }
        required(device, &["devicePath"], &path, errors);
        if places.contains(&place) {
            errors.invalid(&at_place, place, "must be unique");
        }
        if has_backsteps(place) {
            errors.invalid(&at_place, place, "can not contain backsteps ('..')");
        } else {
            places.insert(place);
        }
        if mounts.contains(this) {
            errors.invalid(&at_name, this, "must not already exist in volumeMounts");
        }
        if mount_paths.contains(place) {
            let why = "must not already exist as a path in volumeMounts";
            errors.invalid(&at_place, place, why);
        }
        if !this.is_empty() {
            names.insert(this);
        }
    }
}

/// The texts under `field` in the items of a list.
fn texts<'a>(container: &'a Value, items: &str, field: &str) -> HashSet<&'a str> {
    list(container, items).iter().map(|item| text(item, field)).collect()
}
