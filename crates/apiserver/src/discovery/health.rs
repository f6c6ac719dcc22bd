//! `/healthz`, `/livez`, `/readyz`, and their checks one by one.
//!
//! <https://kubernetes.io/docs/reference/using-api/health-checks/>

use crate::answer::Answer;
use apimachinery::query::Query;

/// The checks, and at which of the paths each is made: a server that responds has done all of it.
const CHECKS: &[(&str, &[&str])] = &[
    ("ping", PATHS),
    ("log", PATHS),
    ("etcd", &["healthz", "livez"]),
    ("informer-sync", &["readyz"]),
    ("poststarthook/start-apiextensions-controllers", PATHS),
    ("poststarthook/crd-informer-synced", PATHS),
    ("poststarthook/start-system-namespaces-controller", PATHS),
    ("poststarthook/rbac/bootstrap-roles", PATHS),
    ("poststarthook/apiservice-openapi-controller", PATHS),
    ("poststarthook/apiservice-openapiv3-controller", PATHS),
    ("shutdown", &["readyz"]),
];

const PATHS: &[&str] = &["healthz", "livez", "readyz"];

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
    let mut lines = String::new();
    for check in checks(name) {
        let listed = excluded.len();
        excluded.retain(|name| *name != check);
        let how = if excluded.len() < listed { " excluded: ok\n" } else { " ok\n" };
        lines += &["[+]", check, how].concat();
    }
    if !excluded.is_empty() {
        let quoted: Vec<String> = excluded.iter().map(|name| field::quote(name)).collect();
        let names = quoted.join(", ");
        lines += &["warn: some health checks cannot be excluded: no matches for ", &names, "\n"].concat();
    }
    text([&lines, name, " check passed\n"].concat())
}

fn text(text: String) -> Answer {
    Answer::text(200, text).nosniff()
}
