//! Validation of security contexts: what a pod and its containers may do to the node that they run on.
//!
//! See <https://kubernetes.io/docs/tasks/configure-pod-container/security-context/>.

mod windows;

pub(super) use windows::{host_process, os};

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use json_tree::Value;

use super::check::{Errors, child, choice, descending_path, each, in_range};
use crate::validation::internal;
use crate::validation::read::{at, get, is_true, list, text};
use field::{AddError, Error, Path};

/// The range of users and groups.
pub(super) const IDS: (i64, i64) = (0, i32::MAX as i64);
const PROFILES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];
const MAX_PROFILE: usize = 4095;
const SYSCTL: &str = "must have at most 253 characters and match regex \
    ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
/// Which settings belong to which of the host's namespaces: of the network, if the flag is set, or else of the
/// communication between processes. A name that ends with a dot is a prefix.
const SYSCTLS: [(&str, bool); 5] = [
    ("kernel.sem", false),
    ("kernel.shm", false),
    ("kernel.msg", false),
    ("fs.mqueue.", false),
    ("net.", true),
];

/// True if containers may be privileged. It is for the whole process, as with kube-apiserver.
static ALLOWS_PRIVILEGED: AtomicBool = AtomicBool::new(false);

/// Lets containers be privileged, on all servers of this process: `--allow-privileged` of kube-apiserver.
///
/// See <https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/>.
pub fn allow_privileged() {
    ALLOWS_PRIVILEGED.store(true, Ordering::Relaxed);
}

/// The security context of a container; `host_users` says whether its users are those of the host.
pub(super) fn of_container(context: &Value, host_users: bool, path: &Path, errors: &mut Errors) {
    let privileged = is_true(context, "privileged");
    if privileged && !ALLOWS_PRIVILEGED.load(Ordering::Relaxed) {
        errors.forbidden(path.child("privileged"), "disallowed by cluster policy");
    }
    in_range(context, "runAsUser", IDS, path, errors);
    in_range(context, "runAsGroup", IDS, path, errors);
    choice(context, "procMount", &["Default", "Unmasked"], path, errors);
    if host_users && text(context, "procMount") == "Unmasked" {
        let why = "`hostUsers` must be false to use `Unmasked`";
        errors.invalid(path.child("procMount"), "Unmasked", why);
    }
    seccomp(context, path, errors);
    if get(context, "allowPrivilegeEscalation") == Some(&Value::Bool(false)) {
        let printed = || internal::form(internal::CORE, "SecurityContext", context);
        if privileged {
            let why = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
            errors.invalid(path, printed(), why);
        }
        let added = list(at(context, "/capabilities"), "add").iter();
        errors.extend(added.filter(|capability| *capability == "CAP_SYS_ADMIN").map(|_| {
            let why = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
            Error::invalid(path, printed(), why)
        }));
    }
    windows::options(context, path, errors);
    app_armor(context, path, errors);
}

/// The security context of a pod.
pub(super) fn of_pod(spec: &Value, path: &Path, errors: &mut Errors) {
    let Some((context, path)) = child(spec, "securityContext", path) else { return };
    for field in ["fsGroup", "runAsUser", "runAsGroup"] {
        in_range(context, field, IDS, &path, errors);
    }
    let at_groups = path.child("supplementalGroups");
    for (index, group) in list(context, "supplementalGroups").iter().enumerate() {
        if !group.as_i64().is_some_and(|group| (IDS.0..=IDS.1).contains(&group)) {
            let why = "must be between 0 and 2147483647, inclusive";
            errors.invalid(at_groups.index(index), group.clone(), why);
        }
    }
    if is_true(spec, "shareProcessNamespace") && is_true(spec, "hostPID") {
        let why = "ShareProcessNamespace and HostPID cannot both be enabled";
        errors.invalid(path.child("shareProcessNamespace"), true, why);
    }
    sysctls(spec, context, &path, errors);
    choice(context, "fsGroupChangePolicy", &["Always", "OnRootMismatch"], &path, errors);
    seccomp(context, &path, errors);
    windows::options(context, &path, errors);
    app_armor(context, &path, errors);
    choice(context, "supplementalGroupsPolicy", &["Merge", "Strict"], &path, errors);
    choice(context, "seLinuxChangePolicy", &["Recursive"], &path, errors);
}

/// <https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/>
fn sysctls(spec: &Value, context: &Value, path: &Path, errors: &mut Errors) {
    let mut seen: HashSet<&str> = HashSet::new();
    for (sysctl, path) in each(context, "sysctls", path) {
        let (this, at) = (text(sysctl, "name"), path.child("name"));
        if this.is_empty() {
            errors.required(&at, "");
        } else if !is_sysctl(this) {
            errors.invalid(&at, this, SYSCTL);
        } else if seen.contains(&this) {
            errors.duplicate(&at, this);
        }
        seen.insert(this);
        let dotted = dotted(this);
        let namespace = SYSCTLS.iter().find(|(prefix, _)| dotted.starts_with(prefix)).map(|row| row.1);
        let why = match namespace {
            Some(true) if is_true(spec, "hostNetwork") => "may not be specified when 'hostNetwork' is true",
            Some(false) if is_true(spec, "hostIPC") => "may not be specified when 'hostIPC' is true",
            _ => continue,
        };
        errors.invalid(&at, this, why);
    }
}

fn is_sysctl(name: &str) -> bool {
    let ends = |byte: Option<u8>| byte.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= 253
        && name.split(['.', '/']).all(|part| {
            ends(part.bytes().next())
                && ends(part.bytes().last())
                && part.bytes().all(|b| ends(Some(b)) || matches!(b, b'-' | b'_'))
        })
}

/// The name of a setting whose parts are set apart by dots. In one where the first mark is a slash, slashes and dots are
/// exchanged.
fn dotted(name: &str) -> String {
    match name.find(['.', '/']) {
        Some(first) if name[first..].starts_with('/') => {
            let exchange = |c| match c {
                '/' => '.',
                '.' => '/',
                other => other,
            };
            name.chars().map(exchange).collect()
        }
        _ => name.to_owned(),
    }
}

/// <https://kubernetes.io/docs/tutorials/security/seccomp/>
fn seccomp(context: &Value, path: &Path, errors: &mut Errors) {
    let Some((profile, path)) = child(context, "seccompProfile", path) else { return };
    kind(profile, "type is required when seccompProfile is set", &path, errors);
    let at = path.child("localhostProfile");
    let place = get(profile, "localhostProfile").and_then(Value::as_str);
    match (text(profile, "type"), place) {
        ("Localhost", None) => {
            errors.required(&at, "must be set when seccomp type is Localhost");
        }
        ("Localhost", Some(place)) => descending_path(place, &at, errors),
        (_, Some(_)) => {
            let value = internal::form(internal::CORE, "SeccompProfile", profile);
            errors.invalid(&at, value, "can only be set when seccomp type is Localhost");
        }
        (_, None) => {}
    }
}

fn kind(profile: &Value, missing: &str, path: &Path, errors: &mut Errors) {
    let (kind, path) = (text(profile, "type"), path.child("type"));
    if kind.is_empty() {
        errors.required(&path, missing);
    } else if !PROFILES.contains(&kind) {
        errors.not_supported(&path, kind, &PROFILES);
    }
}

/// <https://kubernetes.io/docs/tutorials/security/apparmor/>
fn app_armor(context: &Value, path: &Path, errors: &mut Errors) {
    let Some((profile, path)) = child(context, "appArmorProfile", path) else { return };
    let at = path.child("localhostProfile");
    let place = get(profile, "localhostProfile").and_then(Value::as_str);
    let missing = "must be set when AppArmor type is Localhost";
    match (text(profile, "type"), place) {
        ("Localhost", None) => errors.required(&at, missing),
        ("Localhost", Some(place)) => {
            if place.trim() != place {
                errors.invalid(&at, place, "must not be padded with whitespace");
            } else if place.is_empty() {
                errors.required(&at, missing);
            }
            if place.len() > MAX_PROFILE {
                errors.too_long(&at, MAX_PROFILE);
            }
        }
        ("RuntimeDefault" | "Unconfined", Some(place)) => {
            errors.invalid(&at, place, "can only be set when AppArmor type is Localhost");
        }
        _ => kind(profile, "type is required when appArmorProfile is set", &path, errors),
    }
}
