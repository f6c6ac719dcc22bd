//! The checks of the level restricted.
//!
//! <https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted>

use json_tree::Value;

use super::baseline::{added, capability_list, wrong_seccomp};
use super::{Pod, found, is, is_profile, items, named, plural, sorted};

pub(super) fn privilege_escalation(pod: &Pod<'_>) -> Option<(String, String)> {
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

pub(super) fn dropped_capabilities(pod: &Pod<'_>) -> Option<(String, String)> {
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

pub(super) fn volumes(pod: &Pod<'_>) -> Option<(String, String)> {
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

pub(super) fn run_as_non_root(pod: &Pod<'_>) -> Option<(String, String)> {
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

pub(super) fn run_as_user(pod: &Pod<'_>) -> Option<(String, String)> {
    if pod.has_own_users() {
        return None;
    }
    let who =
        pod.setters(|context| context.get("runAsUser").and_then(Value::as_i64) == Some(0)).show(None)?;
    found("runAsUser=0", format!("{who} must not set runAsUser=0"))
}

pub(super) fn required_seccomp(pod: &Pod<'_>) -> Option<(String, String)> {
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
