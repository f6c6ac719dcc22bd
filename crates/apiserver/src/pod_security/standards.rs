//! The Pod Security Standards: what a pod may not do at a level.
//!
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/>

use json_tree::Value;

use super::{LISTS, Policy, Violation};

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
    baseline(0, app_armor),
    Check { replaced: 22, ..baseline(0, capabilities) },
    baseline(0, host_namespaces),
    Check { replaced: 0, ..baseline(0, host_paths) },
    baseline(0, host_ports),
    baseline(34, hosts),
    baseline(0, privileged),
    baseline(0, proc_mount),
    baseline(0, se_linux),
    Check { replaced: 19, ..baseline(0, seccomp) },
    baseline(0, sysctls),
    baseline(0, host_process),
    restricted(8, privilege_escalation),
    restricted(22, dropped_capabilities),
    restricted(0, volumes),
    restricted(0, run_as_non_root),
    restricted(23, run_as_user),
    restricted(19, required_seccomp),
];

/// Returns the pod's violations of `policy`.
pub(crate) fn violations(policy: Policy, metadata: &Value, spec: &Value) -> Vec<Violation> {
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

fn app_armor(pod: &Pod<'_>) -> Option<(String, String)> {
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

fn capabilities(pod: &Pod<'_>) -> Option<(String, String)> {
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
fn added(pod: &Pod<'_>, allowed: &[&str]) -> Option<String> {
    let of = |container| capability_list(container, "add").filter(|one| !allowed.contains(one));
    let containers = pod.bad(|container| of(container).next().is_some());
    if containers.is_empty() {
        return None;
    }
    let bad = sorted(pod.containers().flat_map(of).collect());
    let who = named("container", &containers);
    Some(format!("{who} must not include {} in securityContext.capabilities.add", quoted(&bad)))
}

fn capability_list<'a>(container: &'a Value, list: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    let none = &Value::Null;
    let capabilities = container.pointer("/securityContext/capabilities").unwrap_or(none);
    items(capabilities, list).filter_map(Value::as_str)
}

fn host_namespaces(pod: &Pod<'_>) -> Option<(String, String)> {
    let set = ["hostNetwork", "hostPID", "hostIPC"].into_iter().filter(|key| pod.spec[*key] == true);
    let set: Vec<String> = set.map(|key| format!("{key}=true")).collect();
    if set.is_empty() { None } else { found("host namespaces", set.join(", ")) }
}

fn host_paths(pod: &Pod<'_>) -> Option<(String, String)> {
    let volumes = items(pod.spec, "volumes").filter(|volume| volume["hostPath"].is_object());
    let names: Vec<&str> = volumes.map(|volume| volume.text_at("/name")).collect();
    if names.is_empty() { None } else { found("hostPath volumes", named("volume", &names)) }
}

fn host_ports(pod: &Pod<'_>) -> Option<(String, String)> {
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
fn hosts(pod: &Pod<'_>) -> Option<(String, String)> {
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

fn privileged(pod: &Pod<'_>) -> Option<(String, String)> {
    let containers = pod.bad(|container| is(container, "/securityContext/privileged", true));
    if containers.is_empty() {
        return None;
    }
    let who = named("container", &containers);
    found("privileged", format!("{who} must not set securityContext.privileged=true"))
}

fn proc_mount(pod: &Pod<'_>) -> Option<(String, String)> {
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

fn se_linux(pod: &Pod<'_>) -> Option<(String, String)> {
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
fn seccomp(pod: &Pod<'_>) -> Option<(String, String)> {
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

fn wrong_seccomp(pod: &Pod<'_>) -> Option<(String, String)> {
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

fn sysctls(pod: &Pod<'_>) -> Option<(String, String)> {
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

fn host_process(pod: &Pod<'_>) -> Option<(String, String)> {
    let who = pod.setters(|context| is(context, "/windowsOptions/hostProcess", true)).show(None)?;
    found("hostProcess", format!("{who} must not set securityContext.windowsOptions.hostProcess=true"))
}

fn privilege_escalation(pod: &Pod<'_>) -> Option<(String, String)> {
    if pod.is_spared() {
        return None;
    }
    let containers = pod.bad(|container| !is(container, "/securityContext/allowPrivilegeEscalation", false));
    if containers.is_empty() {
        return None;
    }
    let who = named("container", &containers);
    let detail = format!("{who} must set securityContext.allowPrivilegeEscalation=false");
    found("allowPrivilegeEscalation != false", detail)
}

fn dropped_capabilities(pod: &Pod<'_>) -> Option<(String, String)> {
    if pod.is_spared() {
        return None;
    }
    let containers = pod.bad(|container| !capability_list(container, "drop").any(|one| one == "ALL"));
    let missing = (!containers.is_empty()).then(|| {
        let who = named("container", &containers);
        format!("{who} must set securityContext.capabilities.drop=[\"ALL\"]")
    });
    let details: Vec<String> = [missing, added(pod, &["NET_BIND_SERVICE"])].into_iter().flatten().collect();
    if details.is_empty() { None } else { found("unrestricted capabilities", details.join("; ")) }
}

fn volumes(pod: &Pod<'_>) -> Option<(String, String)> {
    const ALLOWED: [&str; 8] = [
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "persistentVolumeClaim",
        "projected",
        "secret",
    ];
    const KNOWN: [&str; 20] = [
        "hostPath",
        "gcePersistentDisk",
        "awsElasticBlockStore",
        "gitRepo",
        "nfs",
        "iscsi",
        "glusterfs",
        "rbd",
        "flexVolume",
        "cinder",
        "cephfs",
        "flocker",
        "fc",
        "azureFile",
        "vsphereVolume",
        "quobyte",
        "azureDisk",
        "portworxVolume",
        "scaleIO",
        "storageos",
    ];
    let has = |volume: &Value, source: &&str| volume.get(*source).is_some_and(|source| !source.is_null());
    let bad = items(pod.spec, "volumes").filter(|volume| !ALLOWED.iter().any(|source| has(volume, source)));
    let bad: Vec<&Value> = bad.collect();
    if bad.is_empty() {
        return None;
    }
    let names: Vec<&str> = bad.iter().map(|volume| volume.text_at("/name")).collect();
    let source = |volume: &&Value| KNOWN.into_iter().find(|source| has(volume, source)).unwrap_or("unknown");
    let types = sorted(bad.iter().map(source).collect());
    let who = named("volume", &names);
    let use_ = plural("uses", "use", names.len());
    found("restricted volume types", format!("{who} {use_} {}", named("restricted volume type", &types)))
}

fn run_as_non_root(pod: &Pod<'_>) -> Option<(String, String)> {
    const REASON: &str = "runAsNonRoot != true";
    if pod.has_own_users() {
        return None;
    }
    let at = "/runAsNonRoot";
    if let Some(who) = pod.setters(|context| is(context, at, false)).show(None) {
        return found(REASON, format!("{who} must not set securityContext.runAsNonRoot=false"));
    }
    let set = |holder: &Value| is(holder, "/securityContext/runAsNonRoot", true);
    let containers = pod.bad(|container| !set(container));
    if set(pod.spec) || containers.is_empty() {
        return None;
    }
    let who = named("container", &containers);
    found(REASON, format!("pod or {who} must set securityContext.runAsNonRoot=true"))
}

fn run_as_user(pod: &Pod<'_>) -> Option<(String, String)> {
    if pod.has_own_users() {
        return None;
    }
    let who =
        pod.setters(|context| context.get("runAsUser").and_then(Value::as_i64) == Some(0)).show(None)?;
    found("runAsUser=0", format!("{who} must not set runAsUser=0"))
}

fn required_seccomp(pod: &Pod<'_>) -> Option<(String, String)> {
    if pod.is_spared() {
        return None;
    }
    if let Some(wrong) = wrong_seccomp(pod) {
        return Some(wrong);
    }
    let set = |holder: &Value| is_profile(holder.text_at("/securityContext/seccompProfile/type"));
    let containers = pod.bad(|container| !set(container));
    if set(pod.spec) || containers.is_empty() {
        return None;
    }
    let who = named("container", &containers);
    let detail = format!(
        "pod or {who} must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\""
    );
    found("seccompProfile", detail)
}
