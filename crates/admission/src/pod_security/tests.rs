use json_tree::{Value, json};

use super::{LEVELS, Policy, details, minor, policies, violations};

fn policy(text: &str) -> Policy {
    let (level, version) = text.split_once(':').unwrap();
    Policy { level: LEVELS.iter().position(|one| *one == level).unwrap(), minor: minor(version) }
}

/// Checks the violations that are reported of a pod at a level.
#[track_caller]
fn check(level: &str, pod: &Value, expected: &str) {
    let none = Value::Null;
    let metadata = pod.get("metadata").unwrap_or(&none);
    assert_eq!(details(&violations(policy(level), metadata, &pod["spec"])), expected, "{level}");
}

const BARE: &str = "allowPrivilegeEscalation != false (container \"c\" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container \"c\" must set securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true (pod or container \"c\" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container \"c\" must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")";

#[test]
fn levels_differ() {
    let bare = json!({ "spec": { "containers": [{ "name": "c" }] } });
    check("privileged:latest", &bare, "");
    check("baseline:latest", &bare, "");
    check("restricted:latest", &bare, BARE);
    check(
        "restricted:v1.7",
        &bare,
        "runAsNonRoot != true (pod or container \"c\" must set securityContext.runAsNonRoot=true)",
    );
    let safe = json!({ "spec": {
        "securityContext": { "runAsNonRoot": true, "seccompProfile": { "type": "RuntimeDefault" } },
        "containers": [{ "name": "c", "securityContext": {
            "allowPrivilegeEscalation": false, "capabilities": { "drop": ["ALL"], "add": ["NET_BIND_SERVICE"] },
        } }],
    } });
    check("restricted:latest", &safe, "");
}

#[test]
fn baseline_checks_come_in_order() {
    let pod = json!({
        "metadata": { "annotations": { "container.apparmor.security.beta.kubernetes.io/a": "unconfined" } },
        "spec": {
            "hostNetwork": true, "hostIPC": true,
            "volumes": [{ "name": "v", "hostPath": { "path": "/" } }, { "name": "w", "hostPath": { "path": "/" } }],
            "securityContext": {
                "seLinuxOptions": { "type": "t", "user": "u" },
                "seccompProfile": { "type": "Unconfined" },
                "sysctls": [{ "name": "kernel.msgmax" }, { "name": "net.ipv4.tcp_rmem" }],
                "windowsOptions": { "hostProcess": true },
            },
            "initContainers": [{ "name": "i", "ports": [{ "hostPort": 80 }, { "hostPort": 443 }] }],
            "containers": [{ "name": "a",
                "ports": [{ "hostPort": 80 }],
                "livenessProbe": { "httpGet": { "host": "h" } },
                "securityContext": { "privileged": true, "procMount": "Unmasked", "capabilities": { "add": ["SYS_TIME", "CHOWN"] } },
            }],
        },
    });
    check(
        "baseline:latest",
        &pod,
        "forbidden AppArmor profile (annotation must not set AppArmor profile type to \"container.apparmor.security.beta.kubernetes.io/a=\\\"unconfined\\\"\"), non-default capabilities (container \"a\" must not include \"SYS_TIME\" in securityContext.capabilities.add), host namespaces (hostNetwork=true, hostIPC=true), hostPath volumes (volumes \"v\", \"w\"), hostPort (containers \"i\", \"a\" use hostPorts 443, 80), probe or lifecycle host (container \"a\" uses probe or lifecycle host \"h\"), privileged (container \"a\" must not set securityContext.privileged=true), procMount (container \"a\" must not set securityContext.procMount to \"Unmasked\"), seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type \"t\"; user may not be set), seccompProfile (pod must not set securityContext.seccompProfile.type to \"Unconfined\"), forbidden sysctls (kernel.msgmax), hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)",
    );
}

#[test]
fn versions_differ() {
    let sysctl =
        json!({ "spec": { "securityContext": { "sysctls": [{ "name": "net.ipv4.tcp_fin_timeout" }] } } });
    check("baseline:v1.28", &sysctl, "forbidden sysctls (net.ipv4.tcp_fin_timeout)");
    check("baseline:v1.29", &sysctl, "");
    let probe = json!({ "spec": { "containers": [{ "name": "c", "readinessProbe": { "tcpSocket": { "host": "h" } } }] } });
    check("baseline:v1.33", &probe, "");
    check(
        "baseline:v1.34",
        &probe,
        "probe or lifecycle host (container \"c\" uses probe or lifecycle host \"h\")",
    );
    let seccomp = json!({
        "metadata": { "annotations": { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" } },
        "spec": {},
    });
    check(
        "baseline:v1.18",
        &seccomp,
        "seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod=\"unconfined\")",
    );
    check("baseline:v1.19", &seccomp, "");
}

#[test]
fn what_is_only_restricted() {
    let windows = json!({ "spec": { "os": { "name": "windows" }, "securityContext": { "runAsNonRoot": true },
        "containers": [{ "name": "c" }] } });
    check("restricted:latest", &windows, "");
    let root = json!({ "spec": {
        "volumes": [{ "name": "n", "nfs": {} }, { "name": "h", "hostPath": {} }, { "name": "e", "emptyDir": {} }, { "name": "x" }],
        "os": { "name": "windows" },
        "securityContext": { "runAsUser": 0, "runAsNonRoot": false },
        "containers": [{ "name": "a", "securityContext": { "runAsUser": 0 } }, { "name": "b", "securityContext": { "runAsUser": 0 } }],
    } });
    check(
        "restricted:latest",
        &root,
        "restricted volume types (volumes \"n\", \"h\", \"x\" use restricted volume types \"hostPath\", \"nfs\", \"unknown\"), runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod and containers \"a\", \"b\" must not set runAsUser=0)",
    );
}

#[test]
fn labels_of_a_namespace() {
    let read = |labels: Value| {
        let namespace = json!({ "metadata": { "labels": labels } });
        let (policies, errors) = policies(namespace.as_object().unwrap());
        let errors: Vec<String> = errors.iter().map(|error| error.to_string()).collect();
        (policies.map(Policy::show).join(" "), errors)
    };
    let none: Vec<String> = Vec::new();
    assert_eq!(
        read(json!({})),
        ("privileged:latest privileged:latest privileged:latest".to_owned(), none.clone())
    );
    let labels = json!({
        "pod-security.kubernetes.io/enforce": "baseline",
        "pod-security.kubernetes.io/enforce-version": "v1.30",
        "pod-security.kubernetes.io/warn": "restricted",
        "pod-security.kubernetes.io/warn-version": "latest",
    });
    assert_eq!(read(labels), ("baseline:v1.30 privileged:latest restricted:latest".to_owned(), none));
    let labels = json!({
        "pod-security.kubernetes.io/enforce": "safe",
        "pod-security.kubernetes.io/audit-version": "v1.030",
    });
    assert_eq!(
        read(labels).1,
        [
            "metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"safe\": must be one of privileged, baseline, restricted",
            "metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: \"v1.030\": must be \"latest\" or \"v1.x\"",
        ]
    );
}
