//! The containers of a pod.

use std::collections::{HashMap, HashSet};

use json_tree::Value;

use crate::core::pod::annotations::{APP_ARMOR, SECCOMP_OF_CONTAINER};
use crate::defaults::profile;
use crate::validation::warnings::{annotations, fractional, integer, list};
use field::{Path, quote};

const APP_ARMOR_MESSAGE: &str = "deprecated since v1.30; use the \"appArmorProfile\" field instead";

/// The containers with their places.
fn visit<'a>(pod: &'a Value, path: &Path) -> Vec<(&'a Value, Path)> {
    let at = path.child("spec");
    ["initContainers", "containers", "ephemeralContainers"]
        .into_iter()
        .flat_map(|field| {
            let at = at.child(field);
            list(&pod["spec"], field).iter().enumerate().map(move |(index, one)| (one, at.index(index)))
        })
        .collect()
}

fn is_annotated(pod: &Value, key: &str) -> bool {
    pod["metadata"]["annotations"].get(key).is_some()
}

/// Profiles that a new pod has by annotation: those that became the container's own, and those that mean nothing.
pub(super) fn app_armor(pod: &Value) -> Vec<String> {
    let path = Path::default();
    if pod["spec"]["os"].text("name") == "windows" {
        return Vec::new();
    }
    let own = |holder: &Value| holder["securityContext"]["appArmorProfile"].clone();
    let mut warnings = Vec::new();
    for (container, _) in visit(pod, &path) {
        let key = format!("{APP_ARMOR}{}", container.text("name"));
        let Some(annotation) = pod["metadata"]["annotations"].get(&key).and_then(Value::as_str) else {
            continue;
        };
        let counts = match profile(annotation) {
            Some(profile) => own(container) == profile && own(&pod["spec"]) != profile,
            None => own(container).is_null(),
        };
        if counts {
            warnings.push(format!("{}: {APP_ARMOR_MESSAGE}", annotations(&path).key(&key)));
        }
    }
    warnings
}

pub(super) fn all(pod: &Value, path: &Path, is_template: bool) -> Vec<String> {
    let containers = visit(pod, path);
    let profile = |holder: &Value, name: &str| !holder["securityContext"][name].is_null();
    let mut warnings = Vec::new();
    for (container, at) in &containers {
        let name = container.text("name");
        let key = format!("{SECCOMP_OF_CONTAINER}{name}");
        if !profile(container, "seccompProfile") && is_annotated(pod, &key) {
            let at = annotations(path).key(&key);
            warnings
                .push(format!("{at}: non-functional in v1.27+; use the \"seccompProfile\" field instead"));
        }
        let key = format!("{APP_ARMOR}{name}");
        let has_field = profile(container, "appArmorProfile") || profile(&pod["spec"], "appArmorProfile");
        if is_template && !has_field && is_annotated(pod, &key) {
            warnings.push(format!("{}: {APP_ARMOR_MESSAGE}", annotations(path).key(&key)));
        }
        for name in ["memory", "ephemeral-storage"] {
            for kind in ["limits", "requests"] {
                let at = at.child("resources").child(kind);
                warnings.extend(fractional(&container["resources"][kind], name, &at));
            }
        }
        warnings.extend(environment(list(container, "env"), &at.child("env")));
    }
    warnings.extend(ports(&containers));
    warnings.extend(port_names(&containers));
    warnings
}

/// Variables that are set twice, unless the second is made from the first.
fn environment(variables: &[Value], path: &Path) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut warnings = Vec::new();
    for (index, variable) in variables.iter().enumerate() {
        let (name, value) = (variable.text("name"), variable.text("value"));
        if seen.insert(name) {
            continue;
        }
        let reference = format!("$({name})");
        if variable.get("valueFrom").is_some() || value == reference || !value.contains(&reference) {
            warnings.push(format!(
                "{}: hides previous definition of {}, which may be dropped when using apply",
                path.index(index),
                quote(name)
            ));
        }
    }
    warnings
}

/// Ports that several containers, or one twice, say they listen on.
fn ports(containers: &[(&Value, Path)]) -> Vec<String> {
    let mut seen: HashMap<(i64, &str), Vec<(&Value, Path)>> = HashMap::new();
    let mut warnings = Vec::new();
    for (container, at) in containers {
        for (index, port) in list(container, "ports").iter().enumerate() {
            let at = at.child("ports").index(index);
            if !port.text("hostIP").is_empty() && integer(port, "hostPort") == 0 {
                warnings.push(format!(
                    "{at}: hostIP set without hostPort: {{Name:{} HostPort:0 ContainerPort:{} Protocol:{} HostIP:{}}}",
                    port.text("name"),
                    integer(port, "containerPort"),
                    port.text("protocol"),
                    port.text("hostIP")
                ));
            }
            let others = seen.entry((integer(port, "containerPort"), port.text("protocol"))).or_default();
            for (other, place) in others.iter() {
                let host = |port: &Value| integer(port, "hostPort");
                let (own_ip, other_ip) = (port.text("hostIP"), other.text("hostIP"));
                if own_ip == other_ip && host(port) == host(other) {
                    warnings.push(format!("{at}: duplicate port definition with {place}"));
                } else if host(port) == 0 || host(other) == 0 {
                    warnings.push(format!("{at}: overlapping port definition with {place}"));
                } else if host(port) == host(other) && own_ip.is_empty() != other_ip.is_empty() {
                    warnings.push(format!("{at}: dangerously ambiguous port definition with {place}"));
                }
            }
            others.push((port, at));
        }
    }
    warnings
}

/// Names of ports that several containers give, of which the first counts.
fn port_names(containers: &[(&Value, Path)]) -> Vec<String> {
    let mut seen: HashMap<&str, Path> = HashMap::new();
    let mut warnings = Vec::new();
    for (container, at) in containers {
        for (index, port) in list(container, "ports").iter().enumerate() {
            let (name, at) = (port.text("name"), at.child("ports").index(index));
            match seen.get(name) {
                Some(first) => warnings.push(format!(
                    "{at}: duplicate port name {} with {first}, services and probes that select ports by name will use \
                     {first}",
                    quote(name)
                )),
                None if name.is_empty() => {}
                None => {
                    seen.insert(name, at);
                }
            }
        }
    }
    warnings
}
