//! One container of a pod.

use std::collections::HashSet;

use serde_json::Value;

use crate::field::{Error, Path};
use crate::validation::{
    kinds::{
        read::{get, integer, list, text},
        values::{not_negative, one_of, port_name, port_number},
    },
    name,
};

const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];
const TERMINATION_POLICIES: [&str; 2] = ["File", "FallbackToLogsOnError"];
const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];
const HANDLERS: [&str; 4] = ["exec", "httpGet", "tcpSocket", "grpc"];

/// What is wrong with a container of any sort; `volumes` are those that it may mount.
pub(super) fn validate(container: &Value, volumes: &HashSet<&str>, path: &Path) -> Vec<Error> {
    let (this, image) = (text(container, "name"), text(container, "image"));
    let mut errors = Vec::new();
    let at = path.child("name");
    if this.is_empty() {
        errors.push(Error::required(&at, ""));
    } else {
        errors.extend(name::label(this).into_iter().map(|why| Error::invalid(&at, this, why)));
    }
    if image.is_empty() {
        errors.push(Error::required(&path.child("image"), ""));
    } else if image.trim() != image {
        let why = "must not have leading or trailing whitespace";
        errors.push(Error::invalid(&path.child("image"), image, why));
    }
    errors.extend(one_of(container, "terminationMessagePolicy", &TERMINATION_POLICIES, path));
    errors.extend(ports(list(container, "ports"), &path.child("ports")));
    for (index, variable) in list(container, "env").iter().enumerate() {
        errors.extend(environment_variable(variable, &path.child("env").index(index)));
    }
    errors.extend(mounts(list(container, "volumeMounts"), volumes, &path.child("volumeMounts")));
    errors.extend(one_of(container, "imagePullPolicy", &PULL_POLICIES, path));
    errors
}

/// What is wrong with the probes of a container.
pub(super) fn probes(container: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for field in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = get(container, field) else { continue };
        let path = path.child(field);
        errors.extend(handler(probe, &path));
        let numbers = [
            "initialDelaySeconds",
            "timeoutSeconds",
            "periodSeconds",
            "successThreshold",
            "failureThreshold",
        ];
        for number in numbers {
            errors.extend(not_negative(probe, number, &path));
        }
        if field != "readinessProbe"
            && let Some(threshold) = integer(probe, "successThreshold").filter(|threshold| *threshold != 1)
        {
            errors.push(Error::invalid(&path.child("successThreshold"), threshold, "must be 1"));
        }
    }
    errors
}

fn handler(probe: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut given = HANDLERS.into_iter().filter(|handler| get(probe, handler).is_some());
    let Some(first) = given.next() else {
        return vec![Error::required(path, "must specify a handler type")];
    };
    if first == "exec" && get(probe, first).is_some_and(|exec| list(exec, "command").is_empty()) {
        errors.push(Error::required(&path.child("exec").child("command"), ""));
    }
    let why = "may not specify more than 1 handler type";
    errors.extend(given.map(|another| Error::forbidden(&path.child(another), why)));
    errors
}

fn ports(ports: &[Value], path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut names = HashSet::new();
    for (index, port) in ports.iter().enumerate() {
        let path = path.index(index);
        let (at, this) = (path.child("name"), text(port, "name"));
        if !this.is_empty() {
            let complaints = port_name(this);
            if complaints.is_empty() && !names.insert(this) {
                errors.push(Error::duplicate(&at, this));
            }
            errors.extend(complaints.into_iter().map(|why| Error::invalid(&at, this, why)));
        }
        match integer(port, "containerPort").unwrap_or_default() {
            0 => errors.push(Error::required(&path.child("containerPort"), "")),
            number => errors.extend(port_number(number, &path.child("containerPort"))),
        }
        let host = integer(port, "hostPort").filter(|port| *port != 0);
        errors.extend(host.and_then(|number| port_number(number, &path.child("hostPort"))));
        errors.extend(one_of(port, "protocol", &PROTOCOLS, &path));
    }
    errors
}

fn environment_variable(variable: &Value, path: &Path) -> Vec<Error> {
    let this = text(variable, "name");
    let mut errors = Vec::new();
    let at = path.child("name");
    if this.is_empty() {
        errors.push(Error::required(&at, ""));
    } else if this.bytes().any(|b| !(b' '..=b'~').contains(&b) || b == b'=') {
        let why = "a valid environment variable name must consist only of printable ASCII characters other than '='";
        errors.push(Error::invalid(&at, this, why));
    }
    if let Some(source) = get(variable, "valueFrom") {
        let given =
            source.as_object().map_or(0, |source| source.values().filter(|value| !value.is_null()).count());
        let why = match (text(variable, "value").is_empty(), given) {
            (false, 1..) => "may not be specified when `value` is not empty",
            (true, 2..) => "may not have more than one field specified at a time",
            _ => return errors,
        };
        errors.push(Error::invalid(&path.child("valueFrom"), "", why));
    }
    errors
}

fn mounts(mounts: &[Value], volumes: &HashSet<&str>, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut places = HashSet::new();
    for (index, mount) in mounts.iter().enumerate() {
        let path = path.index(index);
        let (volume, place) = (text(mount, "name"), text(mount, "mountPath"));
        if volume.is_empty() {
            errors.push(Error::required(&path.child("name"), ""));
        }
        if !volumes.contains(volume) {
            errors.push(Error::not_found(&path.child("name"), volume));
        }
        if place.is_empty() {
            errors.push(Error::required(&path.child("mountPath"), ""));
        }
        if !places.insert(place) {
            errors.push(Error::invalid(&path.child("mountPath"), place, "must be unique"));
        }
    }
    errors
}
