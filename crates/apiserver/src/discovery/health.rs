//! `/healthz`, `/livez`, `/readyz`, and their checks one by one.
//!
//! <https://kubernetes.io/docs/reference/using-api/health-checks/>

use crate::answer::Answer;
use apimachinery::query::Query;

/// The checks, and at which of the paths each is made: a server that responds has done all of it.
const CHECKS: &[(&str, &[&str])] = &[
    ("ping", PATHS),
    ("log", PATHS),
    ("loopback-serving-certificate", LIVE),
    ("etcd", LIVE),
    ("informer-sync", READY),
    ("poststarthook/start-apiserver-admission-initializer", PATHS),
    ("poststarthook/generic-apiserver-start-informers", PATHS),
    ("poststarthook/priority-and-fairness-config-consumer", PATHS),
    ("poststarthook/priority-and-fairness-filter", PATHS),
    ("poststarthook/storage-object-count-tracker-hook", PATHS),
    ("poststarthook/start-apiextensions-informers", PATHS),
    ("poststarthook/start-apiextensions-controllers", PATHS),
    ("poststarthook/crd-informer-synced", PATHS),
    ("poststarthook/start-system-namespaces-controller", PATHS),
    ("poststarthook/peer-endpoint-reconciler-controller", PATHS),
    ("poststarthook/start-cluster-authentication-info-controller", PATHS),
    ("poststarthook/start-kube-apiserver-identity-lease-controller", PATHS),
    ("poststarthook/start-kube-apiserver-identity-lease-garbage-collector", PATHS),
    ("poststarthook/storage-readiness", PATHS),
    ("poststarthook/start-legacy-token-tracking-controller", PATHS),
    ("poststarthook/start-service-ip-repair-controllers", PATHS),
    ("poststarthook/rbac/bootstrap-roles", PATHS),
    ("poststarthook/scheduling/bootstrap-system-priority-classes", PATHS),
    ("poststarthook/priority-and-fairness-config-producer", PATHS),
    ("poststarthook/bootstrap-controller", PATHS),
    ("poststarthook/start-kubernetes-service-cidr-controller", PATHS),
    ("poststarthook/start-kube-aggregator-informers", PATHS),
    ("poststarthook/apiservice-status-local-available-controller", PATHS),
    ("poststarthook/apiservice-status-remote-available-controller", PATHS),
    ("poststarthook/apiservice-registration-controller", PATHS),
    ("poststarthook/apiservice-wait-for-first-sync", PATHS),
    ("poststarthook/apiservice-discovery-controller", PATHS),
    ("poststarthook/kube-apiserver-autoregistration", PATHS),
    ("autoregister-completion", PATHS),
    ("poststarthook/apiservice-openapi-controller", PATHS),
    ("poststarthook/apiservice-openapiv3-controller", PATHS),
    ("shutdown", READY),
];

const PATHS: &[&str] = &["healthz", "livez", "readyz"];
const LIVE: &[&str] = &["healthz", "livez"];
const READY: &[&str] = &["readyz"];

/// The names of the checks of `/healthz`, `/livez` or `/readyz`.
fn checks(path: &str) -> impl Iterator<Item = &'static str> {
    CHECKS.iter().filter(move |(_, paths)| paths.contains(&path)).map(|(name, _)| *name)
}

/// Every path.
pub(super) fn paths() -> Vec<String> {
    let mut all = Vec::new();
    for path in PATHS {
        all.push(["/", path].concat());
        all.extend(checks(path).map(|check| ["/", path, "/", check].concat()));
    }
    all
}

/// Reports whether a path is that of a single check.
pub(super) fn is_check(path: &str) -> bool {
    let parts = path.strip_prefix('/').and_then(|path| path.split_once('/'));
    parts.is_some_and(|(path, name)| checks(path).any(|check| check == name))
}

/// Returns the response about all checks, or about one.
pub(super) fn answer(path: &str, query: &Query) -> Answer {
    let name = path.trim_start_matches('/');
    if name.contains('/') {
        return Answer::text(200, "ok");
    }
    if query.get("verbose").is_none() {
        return text("ok".to_owned());
    }
    let mut excluded: Vec<&str> = Vec::new();
    for name in query.all("exclude") {
        if !excluded.contains(&name) {
            excluded.push(name);
        }
    }
    excluded.sort_unstable();
    let mut lines = String::new();
    for check in checks(name) {
        let listed = excluded.len();
        excluded.retain(|name| *name != check);
        let how = if excluded.len() < listed { " excluded: ok\n" } else { " ok\n" };
        lines += &["[+]", check, how].concat();
    }
    if !excluded.is_empty() {
        let quoted: Vec<String> = excluded.iter().map(|name| field::quote(name)).collect();
        let names = quoted.join(",");
        lines += &["warn: some health checks cannot be excluded: no matches for ", &names, "\n"].concat();
    }
    text([&lines, name, " check passed\n"].concat())
}

fn text(text: String) -> Answer {
    Answer::text(200, text).nosniff()
}
