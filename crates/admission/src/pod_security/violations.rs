//! The Pod Security Standards: what a pod may not do at a level.
//!
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

mod baseline;
mod restricted;

use json_tree::Value;

use super::standards::{LISTS, Policy, Violation};

/// Since when the latest version counts: any that is newer than every check.
const LATEST: u32 = u32::MAX;

/// Looks for one thing that is not allowed; gives why, and the details.
type Look = fn(&Pod<'_>) -> Option<(String, String)>;

/// A row of the standards.
struct Check {
    /// An index into the levels: 1 is baseline, 2 restricted.
    level: usize,
    /// The minor version that it came with.
    since: u32,
    /// The minor version from which on a stricter check takes its place at the restricted level.
    replaced: u32,
    look: Look,
}

const fn baseline(since: u32, look: Look) -> Check {
    Check { level: 1, since, replaced: LATEST, look }
}

const fn restricted(since: u32, look: Look) -> Check {
    Check { level: 2, since, replaced: LATEST, look }
}

/// All checks, in the order in which they are told.
const CHECKS: &[Check] = &[
    baseline(0, baseline::app_armor),
    Check { replaced: 22, ..baseline(0, baseline::capabilities) },
    baseline(0, baseline::host_namespaces),
    Check { replaced: 0, ..baseline(0, baseline::host_paths) },
    baseline(0, baseline::host_ports),
    baseline(34, baseline::hosts),
    baseline(0, baseline::privileged),
    baseline(0, baseline::proc_mount),
    baseline(0, baseline::se_linux),
    Check { replaced: 19, ..baseline(0, baseline::seccomp) },
    baseline(0, baseline::sysctls),
    baseline(0, baseline::host_process),
    restricted(8, restricted::privilege_escalation),
    restricted(22, restricted::dropped_capabilities),
    restricted(0, restricted::volumes),
    restricted(0, restricted::run_as_non_root),
    restricted(23, restricted::run_as_user),
    restricted(19, restricted::required_seccomp),
];

/// Returns the pod's violations of `policy`.
pub fn violations(policy: Policy, metadata: &Value, spec: &Value) -> Vec<Violation> {
    let pod = Pod { metadata, spec, minor: policy.minor.unwrap_or(LATEST) };
    let due = |check: &&Check| {
        let replaced =
            policy.level == 2 && check.level == 1 && pod.minor >= check.replaced && check.replaced != LATEST;
        check.level <= policy.level && pod.minor >= check.since && !replaced
    };
    let found = CHECKS.iter().filter(due).filter_map(|check| (check.look)(&pod));
    found.map(|(reason, detail)| Violation { reason, detail }).collect()
}

/// A pod, and the version that it is looked at by.
struct Pod<'a> {
    metadata: &'a Value,
    spec: &'a Value,
    minor: u32,
}

impl<'a> Pod<'a> {
    fn containers(&self) -> impl Iterator<Item = &'a Value> {
        let spec = self.spec;
        LISTS.into_iter().flat_map(move |list| items(spec, list))
    }

    /// The names of the containers for which `bad` is true.
    fn bad(&self, bad: impl Fn(&'a Value) -> bool) -> Vec<&'a str> {
        self.containers()
            .filter(|container| bad(container))
            .map(|container| container.text_at("/name"))
            .collect()
    }

    /// Reports whether the pod is for Windows: since 1.25, such a pod is exempt from what is about Linux.
    fn is_spared(&self) -> bool {
        self.minor >= 25 && self.spec.text_at("/os/name") == "windows"
    }

    /// Reports whether the pod has a user namespace of its own, in which it may run as root since 1.35.
    fn has_own_users(&self) -> bool {
        self.minor >= 35 && self.spec.get("hostUsers") == Some(&Value::Bool(false))
    }

    /// Returns whether something is set in the security context of the pod, and the containers that set it in theirs.
    fn setters(&self, bad: impl Fn(&'a Value) -> bool) -> Setters<'a> {
        let context = |holder: &'a Value| holder.get("securityContext").is_some_and(&bad);
        Setters { pod: context(self.spec), containers: self.bad(context) }
    }

    /// The values at `pointer` in the security contexts for which `bad` is true, sorted and each once.
    fn values(&self, pointer: &str, bad: impl Fn(&str) -> bool) -> Vec<&'a str> {
        let holders = std::iter::once(self.spec).chain(self.containers());
        let contexts = holders.filter_map(|holder| holder.get("securityContext"));
        let found = contexts.filter_map(|context| context.pointer(pointer)?.as_str());
        sorted(found.filter(|value| bad(value)).collect())
    }
}

/// The pod and the containers whose security contexts set something.
struct Setters<'a> {
    pod: bool,
    containers: Vec<&'a str>,
}

impl Setters<'_> {
    fn show(&self, more: Option<String>) -> Option<String> {
        let pod = self.pod.then(|| "pod".to_owned());
        let containers = (!self.containers.is_empty()).then(|| named("container", &self.containers));
        let all: Vec<String> = [pod, containers, more].into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join(" and "))
    }
}

fn items<'a>(value: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(list).and_then(Value::as_array).into_iter().flatten()
}

fn is(value: &Value, pointer: &str, expected: bool) -> bool {
    value.pointer(pointer).and_then(Value::as_bool) == Some(expected)
}

fn sorted(mut texts: Vec<&str>) -> Vec<&str> {
    schema::sort_once(&mut texts);
    texts
}

fn quoted(texts: &[&str]) -> String {
    texts.iter().map(|text| field::quote(text)).collect::<Vec<_>>().join(", ")
}

fn plural<'a>(one: &'a str, many: &'a str, count: usize) -> &'a str {
    if count == 1 { one } else { many }
}

/// `container "a"`, `containers "a", "b"`.
fn named(what: &str, names: &[&str]) -> String {
    format!("{what}{} {}", plural("", "s", names.len()), quoted(names))
}

fn found(reason: &str, detail: String) -> Option<(String, String)> {
    Some((reason.to_owned(), detail))
}

/// The profile types of seccomp and AppArmor that keep what the runtime has.
fn is_profile(ty: &str) -> bool {
    ["RuntimeDefault", "Localhost"].contains(&ty)
}
