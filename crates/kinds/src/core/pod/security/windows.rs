//! Pods for Windows, and what pods for one system have no use for.
//!
//! See <https://kubernetes.io/docs/concepts/windows/intro/> and
//! <https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/>.

use json_tree::Value;

use super::super::all_containers;
use super::super::check::{Errors, child, is_blank};
use crate::validation::name;
use crate::validation::read::{at, get, is_true, text};
use field::{AddError, Error, Path};

const MAX_SPEC: usize = 64 * 1024;
const MAX_DOMAIN: usize = 256;
const MAX_USER: usize = 104;

/// Fields that a Windows pod must not have: in its security context if the flag is set, or else in its spec.
const NOT_ON_WINDOWS: [(&str, bool); 15] = [
    ("appArmorProfile", true),
    ("seLinuxOptions", true),
    ("hostUsers", false),
    ("hostPID", false),
    ("hostIPC", false),
    ("seccompProfile", true),
    ("fsGroup", true),
    ("fsGroupChangePolicy", true),
    ("sysctls", true),
    ("shareProcessNamespace", false),
    ("runAsUser", true),
    ("runAsGroup", true),
    ("supplementalGroups", true),
    ("supplementalGroupsPolicy", true),
    ("seLinuxChangePolicy", true),
];
/// Fields that the security context of a Windows pod's container must not have.
const NOT_IN_CONTAINERS: [&str; 10] = [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
];

/// The options for Windows in a security context.
pub(super) fn options(context: &Value, path: &Path, errors: &mut Errors) {
    let Some((options, path)) = child(context, "windowsOptions", path) else { return };
    let given = |field: &str| get(options, field).and_then(Value::as_str);
    if let Some(spec) = given("gmsaCredentialSpecName") {
        let at = path.child("gmsaCredentialSpecName");
        errors.extend(name::subdomain(spec).into_iter().map(|why| Error::invalid(&at, spec, why)));
    }
    if let Some(spec) = given("gmsaCredentialSpec") {
        let at = path.child("gmsaCredentialSpec");
        if spec.is_empty() {
            errors.invalid(&at, spec, "gmsaCredentialSpec cannot be an empty string");
        } else if spec.len() > MAX_SPEC {
            errors.invalid(&at, spec, "gmsaCredentialSpec size must be under 64 KiB");
        }
    }
    if let Some(user) = given("runAsUserName") {
        let at = path.child("runAsUserName");
        errors.extend(user_name(user).into_iter().map(|why| Error::invalid(&at, user, why)));
    }
}

/// Validates a user name such as `DOMAIN\user`.
fn user_name(name: &str) -> Vec<&'static str> {
    if name.is_empty() {
        return vec!["runAsUserName cannot be an empty string"];
    }
    if name.chars().any(|c| c.is_ascii_control()) {
        return vec!["runAsUserName cannot contain control characters"];
    }
    let (domain, user) = name.split_once('\\').map_or((None, name), |(domain, user)| (Some(domain), user));
    if user.contains('\\') {
        return vec!["runAsUserName cannot contain more than one backslash"];
    }
    let mut complaints = Vec::new();
    let mut complain = |wrong: bool, why| {
        if wrong {
            complaints.push(why);
        }
    };
    let too_long = domain.is_some_and(|domain| domain.len() >= MAX_DOMAIN);
    complain(too_long, "runAsUserName's Domain length must be under 256 characters");
    let unknown = domain.is_some_and(|domain| !is_net_bios(domain) && !is_dns(domain));
    complain(unknown, "runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    complain(user.is_empty(), "runAsUserName's User cannot be empty");
    complain(user.len() > MAX_USER, "runAsUserName's User length must not be longer than 104 characters");
    complain(
        !user.is_empty() && user.chars().all(|c| matches!(c, '.' | ' ')),
        "runAsUserName's User cannot contain only periods or spaces",
    );
    complain(
        user.contains(|c| r#""/\:;|=,+*?<>@[]"#.contains(c)),
        r#"runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[]"#,
    );
    complaints
}

fn is_net_bios(domain: &str) -> bool {
    (1..=15).contains(&domain.chars().count())
        && !domain.starts_with('.')
        && !domain.contains(['\\', '/', ':', '*', '?', '"', '<', '>', '|'])
}

fn is_dns(domain: &str) -> bool {
    domain.split('.').all(|label| {
        let ends = |c: char| c.is_ascii_alphanumeric();
        (1..=63).contains(&label.len())
            && label.starts_with(ends)
            && label.ends_with(ends)
            && label.chars().all(|c| ends(c) || c == '-')
    })
}

/// Containers that are processes of the host are so together.
pub(in super::super) fn host_process(spec: &Value, path: &Path, errors: &mut Errors) {
    let said = |holder: &Value| at(holder, "/securityContext/windowsOptions/hostProcess").as_bool();
    let of_pod = said(spec);
    let (mut all, mut of_host) = (0, 0);
    for (container, path) in all_containers(spec, path) {
        all += 1;
        let own = said(container);
        if let (Some(pod), Some(own)) = (of_pod, own)
            && pod != own
        {
            let at = path.child("securityContext").child("windowsOptions").child("hostProcess");
            let why = format!("pod hostProcess value must be identical if both are specified, was {pod}");
            errors.invalid(&at, own, why);
        }
        of_host += usize::from(own.or(of_pod).unwrap_or_default());
    }
    if of_host == 0 {
        return;
    }
    if of_host != all {
        let why =
            "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        errors.invalid(path, "", why);
    }
    if !is_true(spec, "hostNetwork") {
        let why = "hostNetwork must be true if pod contains any hostProcess containers";
        errors.invalid(path.child("hostNetwork"), false, why);
    }
    errors.forbidden(path, "hostProcess containers are disallowed by cluster policy");
}

/// The system that the pod is for, and what it has no use for there.
pub(in super::super) fn os(spec: &Value, path: &Path, errors: &mut Errors) {
    let Some(os) = get(spec, "os") else { return };
    let at = path.child("os");
    match text(os, "name") {
        "" => errors.required(at.child("name"), ""),
        "linux" => not_for_linux(spec, path, errors),
        "windows" => not_for_windows(spec, path, errors),
        other => errors.not_supported(&at, other, &["linux", "windows"]),
    }
}

fn not_for_linux(spec: &Value, path: &Path, errors: &mut Errors) {
    let holders = std::iter::once((spec, path.clone())).chain(all_containers(spec, path));
    for (holder, path) in holders {
        if !at(holder, "/securityContext/windowsOptions").is_null() {
            let at = path.child("securityContext").child("windowsOptions");
            errors.forbidden(&at, "windows options cannot be set for a linux pod");
        }
    }
}

fn not_for_windows(spec: &Value, path: &Path, errors: &mut Errors) {
    let why = "cannot be set for a windows pod";
    let context = at(spec, "/securityContext");
    for (field, in_context) in NOT_ON_WINDOWS {
        let holder = if in_context { context } else { spec };
        // Only these two are no pointers.
        let is_set = match field {
            "hostPID" | "hostIPC" => is_true(holder, field),
            _ => get(holder, field).is_some() && !(field == "sysctls" && is_blank(holder, field)),
        };
        if is_set {
            let at = if in_context { path.child("securityContext") } else { path.clone() };
            errors.forbidden(at.child(field), why);
        }
    }
    for (container, path) in all_containers(spec, path) {
        let Some((context, path)) = child(container, "securityContext", &path) else { continue };
        let given = NOT_IN_CONTAINERS.into_iter().filter(|field| get(context, field).is_some());
        errors.extend(given.map(|field| Error::forbidden(path.child(field), why)));
    }
}
