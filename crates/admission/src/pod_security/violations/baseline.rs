//! The checks of the level baseline.
//!
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline>

use json_tree::Value;

use super::{Pod, found, is, is_profile, items, named, plural, quoted, sorted};

pub(super) fn app_armor(pod: &Pod<'_>) -> Option<(String, String)> {
    const ANNOTATION: &str = "container.apparmor.security.beta.kubernetes.io/";
    let bad = |context: &Value| {
        context
            .get("appArmorProfile")
            .is_some_and(|profile| profile.is_object() && !is_profile(profile.text_at("/type")))
    };
    let setters = pod.setters(bad);
    let mut values: Vec<String> =
        pod.values("/appArmorProfile/type", |ty| !is_profile(ty)).into_iter().map(str::to_owned).collect();
    let annotations = pod.metadata.get("annotations").and_then(Value::as_object).into_iter().flatten();
    let mut wrong: Vec<String> = annotations
        .filter_map(|(key, value)| Some((key, value.as_str()?)))
        .filter(|(key, value)| {
            let allowed = value.is_empty() || *value == "runtime/default" || value.starts_with("localhost/");
            key.starts_with(ANNOTATION) && !allowed
        })
        .map(|(key, value)| format!("{key}={}", field::quote(value)))
        .collect();
    schema::sort(&mut wrong);
    let annotated = (!wrong.is_empty()).then(|| plural("annotation", "annotations", wrong.len()).to_owned());
    values.extend(wrong);
    let who = setters.show(annotated)?;
    let reason = plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values.len());
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    found(reason, format!("{who} must not set AppArmor profile type to {}", quoted(&values)))
}

pub(super) fn capabilities(pod: &Pod<'_>) -> Option<(String, String)> {
    const ALLOWED: [&str; 13] = [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ];
    found("non-default capabilities", added(pod, &ALLOWED)?)
}

/// Which containers have capabilities besides those that are allowed.
pub(super) fn added(pod: &Pod<'_>, allowed: &[&str]) -> Option<String> {
    let of = |container| capability_list(container, "add").filter(|one| !allowed.contains(one));
    let containers = pod.bad(|container| of(container).next().is_some());
    if containers.is_empty() {
        return None;
    }
    let bad = sorted(pod.containers().flat_map(of).collect());
    let who = named("container", &containers);
    Some(format!("{who} must not include {} in securityContext.capabilities.add", quoted(&bad)))
}

pub(super) fn capability_list<'a>(
    container: &'a Value,
    list: &str,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let none = &Value::Null;
    let capabilities = container.pointer("/securityContext/capabilities").unwrap_or(none);
    items(capabilities, list).filter_map(Value::as_str)
}

pub(super) fn host_namespaces(pod: &Pod<'_>) -> Option<(String, String)> {
    let set = ["hostNetwork", "hostPID", "hostIPC"].into_iter().filter(|key| pod.spec[*key] == true);
    let set: Vec<String> = set.map(|key| format!("{key}=true")).collect();
    if set.is_empty() { None } else { found("host namespaces", set.join(", ")) }
}

pub(super) fn host_paths(pod: &Pod<'_>) -> Option<(String, String)> {
    let volumes = items(pod.spec, "volumes").filter(|volume| volume["hostPath"].is_object());
    let names: Vec<&str> = volumes.map(|volume| volume.text_at("/name")).collect();
    if names.is_empty() { None } else { found("hostPath volumes", named("volume", &names)) }
}

pub(super) fn host_ports(pod: &Pod<'_>) -> Option<(String, String)> {
    let ports = |container| {
        items(container, "ports").filter_map(|port| port["hostPort"].as_i64()).filter(|port| *port != 0)
    };
    let containers = pod.bad(|container| ports(container).next().is_some());
    if containers.is_empty() {
        return None;
    }
    let mut all: Vec<String> = pod.containers().flat_map(ports).map(|port| port.to_string()).collect();
    schema::sort_once(&mut all);
    let who = named("container", &containers);
    let use_ = plural("uses", "use", containers.len());
    let what = plural("hostPort", "hostPorts", all.len());
    found("hostPort", format!("{who} {use_} {what} {}", all.join(", ")))
}

/// Probes and handlers that call another host than the pod's own.
pub(super) fn hosts(pod: &Pod<'_>) -> Option<(String, String)> {
    const HANDLERS: [&str; 5] =
        ["/livenessProbe", "/readinessProbe", "/startupProbe", "/lifecycle/postStart", "/lifecycle/preStop"];
    let of = |container: &'_ Value| -> Vec<String> {
        let handlers = HANDLERS.iter().filter_map(|pointer| container.pointer(pointer));
        let called =
            handlers.flat_map(|handler| ["/httpGet/host", "/tcpSocket/host"].map(|at| handler.text_at(at)));
        called.filter(|host| !host.is_empty()).map(str::to_owned).collect()
    };
    let containers = sorted(pod.bad(|container| !of(container).is_empty()));
    if containers.is_empty() {
        return None;
    }
    let all: Vec<String> = pod.containers().flat_map(of).collect();
    let all = sorted(all.iter().map(String::as_str).collect());
    let who = named("container", &containers);
    let use_ = plural("uses", "use", containers.len());
    let what = plural("probe or lifecycle host", "probe or lifecycle hosts", all.len());
    found("probe or lifecycle host", format!("{who} {use_} {what} {}", quoted(&all)))
}

pub(super) fn privileged(pod: &Pod<'_>) -> Option<(String, String)> {
    let containers = pod.bad(|container| is(container, "/securityContext/privileged", true));
    if containers.is_empty() {
        return None;
    }
    let who = named("container", &containers);
    found("privileged", format!("{who} must not set securityContext.privileged=true"))
}

pub(super) fn proc_mount(pod: &Pod<'_>) -> Option<(String, String)> {
    if pod.has_own_users() {
        return None;
    }
    let at = "/securityContext/procMount";
    let containers = pod.bad(|container| !["", "Default"].contains(&container.text_at(at)));
    if containers.is_empty() {
        return None;
    }
    let values = sorted(pod.containers().map(|container| container.text_at(at)).collect());
    let values: Vec<&str> = values.into_iter().filter(|value| !["", "Default"].contains(value)).collect();
    let who = named("container", &containers);
    found("procMount", format!("{who} must not set securityContext.procMount to {}", quoted(&values)))
}

pub(super) fn se_linux(pod: &Pod<'_>) -> Option<(String, String)> {
    let types: &[&str] = match pod.minor {
        ..31 => &["", "container_t", "container_init_t", "container_kvm_t"],
        _ => &["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"],
    };
    let sets = |field: &'static str| move |context: &Value| !context.text_at(field).is_empty();
    let (user, role) = (sets("/seLinuxOptions/user"), sets("/seLinuxOptions/role"));
    let ty = "/seLinuxOptions/type";
    let bad = |context: &Value| !types.contains(&context.text_at(ty)) || user(context) || role(context);
    let who = pod.setters(bad).show(None)?;
    let bad_types = pod.values(ty, |ty| !types.contains(&ty));
    let mut data = Vec::new();
    // As kube-apiserver has it: users and roles are told of where a type is wrong too.
    if !bad_types.is_empty() {
        data.push(named("type", &bad_types));
        for (set, word) in [(pod.setters(user).show(None), "user"), (pod.setters(role).show(None), "role")] {
            data.extend(set.map(|_| format!("{word} may not be set")));
        }
    }
    found(
        "seLinuxOptions",
        format!("{who} set forbidden securityContext.seLinuxOptions: {}", data.join("; ")),
    )
}

/// Which seccomp profiles are set that may not be: by fields, and before 1.19 by annotations.
pub(super) fn seccomp(pod: &Pod<'_>) -> Option<(String, String)> {
    if pod.minor >= 19 {
        return wrong_seccomp(pod);
    }
    let allowed = |value: &str| {
        ["runtime/default", "docker/default"].contains(&value) || value.starts_with("localhost/")
    };
    let none = &Value::Null;
    let annotations = pod.metadata.get("annotations").unwrap_or(none);
    let names = pod.containers().map(|container| container.text_at("/name"));
    let keys = names.map(|name| format!("container.seccomp.security.alpha.kubernetes.io/{name}"));
    let keys = std::iter::once("seccomp.security.alpha.kubernetes.io/pod".to_owned()).chain(keys);
    let mut wrong: Vec<String> = keys
        .filter_map(|key| {
            let value = annotations.get(&key)?.as_str().filter(|value| !allowed(value))?;
            Some(format!("{key}={}", field::quote(value)))
        })
        .collect();
    schema::sort_once(&mut wrong);
    if wrong.is_empty() {
        return None;
    }
    let what = plural("annotation", "annotations", wrong.len());
    found("seccompProfile", format!("forbidden {what} {}", wrong.join(", ")))
}

pub(super) fn wrong_seccomp(pod: &Pod<'_>) -> Option<(String, String)> {
    let bad = |context: &Value| {
        context
            .get("seccompProfile")
            .is_some_and(|profile| profile.is_object() && !is_profile(profile.text_at("/type")))
    };
    let who = pod.setters(bad).show(None)?;
    let values = pod.values("/seccompProfile/type", |ty| !is_profile(ty));
    found(
        "seccompProfile",
        format!("{who} must not set securityContext.seccompProfile.type to {}", quoted(&values)),
    )
}

pub(super) fn sysctls(pod: &Pod<'_>) -> Option<(String, String)> {
    /// The sysctls that are safe, and since which minor version.
    const SAFE: [(&str, u32); 12] = [
        ("kernel.shm_rmid_forced", 0),
        ("net.ipv4.ip_local_port_range", 0),
        ("net.ipv4.tcp_syncookies", 0),
        ("net.ipv4.ping_group_range", 0),
        ("net.ipv4.ip_unprivileged_port_start", 0),
        ("net.ipv4.ip_local_reserved_ports", 27),
        ("net.ipv4.tcp_keepalive_time", 29),
        ("net.ipv4.tcp_fin_timeout", 29),
        ("net.ipv4.tcp_keepalive_intvl", 29),
        ("net.ipv4.tcp_keepalive_probes", 29),
        ("net.ipv4.tcp_rmem", 32),
        ("net.ipv4.tcp_wmem", 32),
    ];
    let none = &Value::Null;
    let context = pod.spec.get("securityContext").unwrap_or(none);
    let set = items(context, "sysctls").map(|sysctl| sysctl.text_at("/name"));
    let unsafe_: Vec<&str> =
        set.filter(|name| !SAFE.iter().any(|(safe, since)| safe == name && pod.minor >= *since)).collect();
    if unsafe_.is_empty() { None } else { found("forbidden sysctls", unsafe_.join(", ")) }
}

pub(super) fn host_process(pod: &Pod<'_>) -> Option<(String, String)> {
    let who = pod.setters(|context| is(context, "/windowsOptions/hostProcess", true)).show(None)?;
    found("hostProcess", format!("{who} must not set securityContext.windowsOptions.hostProcess=true"))
}
