//! Validation of audit policies.
//!
//! <https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-PolicyRule>

use field::{Error, Path};
use json_tree::Value;

use super::{Level, Stage, list, texts};

/// Returns the errors in a policy.
pub(super) fn policy(policy: &Value) -> Vec<Error> {
    let mut errors = stages(&policy["omitStages"], &Path::new("omitStages"));
    let path = Path::new("rules");
    for (index, one) in list(&policy["rules"]).enumerate() {
        errors.extend(rule(one, &path.index(index)));
    }
    errors
}

fn rule(rule: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::from_iter(level(rule["level"].as_str().unwrap_or_default(), &path.child("level")));
    let urls = texts(&rule["nonResourceURLs"]);
    let urls_path = path.child("nonResourceURLs");
    for (index, url) in urls.iter().enumerate().filter(|(_, url)| *url != "*") {
        let path = urls_path.index(index);
        if !url.starts_with('/') {
            let why = "non-resource URL rules must begin with a '/' character";
            errors.push(Error::invalid(&path, url.as_str(), why));
        }
        if url.find('*').is_some_and(|at| at + 1 < url.len()) {
            let why = "non-resource URL wildcards '*' must be the final character of the rule";
            errors.push(Error::invalid(&path, url.as_str(), why));
        }
    }
    errors.extend(resources(&rule["resources"], &path.child("resources")));
    errors.extend(stages(&rule["omitStages"], &path.child("omitStages")));
    let has = |key: &str| list(&rule[key]).next().is_some();
    if !urls.is_empty() && (has("resources") || has("namespaces")) {
        let why = "rules cannot apply to both regular resources and non-resource URLs";
        errors.push(Error::invalid(&urls_path, urls, why));
    }
    errors
}

fn level(level: &str, path: &Path) -> Option<Error> {
    match level {
        "" => Some(Error::required(path, "")),
        level if Level::of(level).is_some() => None,
        level => Some(Error::not_supported(path, level, &Level::ALL.map(Level::name))),
    }
}

/// They are all told at the place of the list.
fn resources(resources: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for one in list(resources) {
        let group = one["group"].as_str().unwrap_or_default();
        if !group.is_empty() && group != "*" {
            let why = field::name::subdomain(group).join(",");
            if !why.is_empty() {
                errors.push(Error::invalid(path.child("group"), group, why));
            }
        }
        let names = texts(&one["resourceNames"]);
        if !names.is_empty() && list(&one["resources"]).next().is_none() {
            let why = "using resourceNames requires at least one resource";
            errors.push(Error::invalid(path.child("resourceNames"), names, why));
        }
    }
    errors
}

fn stages(stages: &Value, path: &Path) -> Vec<Error> {
    let unknown = texts(stages).into_iter().enumerate().filter(|(_, stage)| Stage::of(stage).is_none());
    let known = Stage::ALL.map(Stage::name).join(",");
    unknown
        .map(|(index, stage)| {
            Error::invalid(path.index(index), stage, ["allowed stages are ", &known].concat())
        })
        .collect()
}
