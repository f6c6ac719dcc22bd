//! The kind ResourceQuota.
//!
//! See <https://kubernetes.io/docs/concepts/policy/resource-quotas/>.

mod printer;
mod warnings;

use json_tree::{Value, json};

use crate::core::resource_names;
use crate::kind::{ANSWERS_OBJECT, Checks, Kind, Printer, Strategy};
use crate::validation::checks::{go_value, texts};
use crate::validation::metadata::immutable;
use crate::validation::read::{at, get, list, map, text};
use field::{AddError, Error, Path};

/// The kind ResourceQuota.
pub(crate) struct ResourceQuota;

impl Kind for ResourceQuota {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "resourcequotas";
    const STRATEGY: Strategy = ANSWERS_OBJECT;

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_update(update)
            .validate_part("status", update_status)
            .warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Which pods a scope can be said of.
const PODS: &[&str] =
    &["pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
/// Scopes, and the resources that they can narrow down.
const SCOPES: [(&str, &[&str]); 7] = [
    ("Terminating", PODS),
    ("NotTerminating", PODS),
    ("BestEffort", &["pods"]),
    ("NotBestEffort", PODS),
    ("PriorityClass", PODS),
    ("CrossNamespacePodAffinity", PODS),
    ("VolumeAttributesClass", &["persistentvolumeclaims", "requests.storage"]),
];
const CONFLICTING: [[&str; 2]; 2] = [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]];

/// Validates a ResourceQuota.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = amounts(spec, "hard", &path);
    let resources: Vec<&str> =
        map(spec, "hard").into_iter().flat_map(json_tree::Map::keys).map(String::as_str).collect();
    errors.extend(scopes(spec, &resources, &path.child("scopes")));
    if get(spec, "scopeSelector").is_some() {
        errors.extend(selector(spec, &resources, &path.child("scopeSelector").child("matchExpressions")));
    }
    errors
}

/// Validates an update of a ResourceQuota.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = create(object);
    let sorted = |object| {
        let mut scopes = texts(at(object, "/spec"), "scopes");
        schema::sort_once(&mut scopes);
        scopes
    };
    if sorted(object) != sorted(old) {
        let value = go_value(at(object, "/spec"), "scopes");
        errors.push(immutable(&Path::new("spec").child("scopes"), value));
    }
    errors
}

/// Validates the status of a ResourceQuota.
fn update_status(object: &Value, _: &Value) -> Vec<Error> {
    let (status, path) = (at(object, "/status"), Path::new("status"));
    let mut errors = amounts(status, "hard", &path);
    errors.extend(amounts(status, "used", &path));
    errors
}

fn amounts(value: &Value, field: &str, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for (resource, amount) in map(value, field).into_iter().flatten() {
        let path = path.named(field).key(resource);
        errors.extend(resource_names::of_quota(resource, &path));
        errors.extend(resource_names::amount(resource, amount, &path));
    }
    errors
}

fn scopes(spec: &Value, resources: &[&str], path: &Path) -> Vec<Error> {
    let scopes = texts(spec, "scopes");
    let invalid = |why: &str| Error::invalid(path, list(spec, "scopes").to_vec(), why);
    let mut errors = Vec::new();
    // Each error shows all scopes.
    let most = field::most_that_show(16 * scopes.len());
    for scope in &scopes {
        if errors.len() > most {
            break;
        }
        if allowed(scope).is_none() {
            errors.push(invalid("unsupported scope"));
        }
        let misfits = misfits(scope, resources).min(most);
        errors.extend((0..misfits).map(|_| invalid("unsupported scope applied to resource")));
    }
    errors.extend(conflicts(&scopes).map(|()| invalid("conflicting scopes")));
    errors
}

fn selector(spec: &Value, resources: &[&str], path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut scopes = Vec::new();
    let expressions = list(at(spec, "/scopeSelector"), "matchExpressions");
    // Some errors show all of them.
    let most = field::most_that_show(64 * expressions.len());
    for expression in expressions {
        let (scope, operator) = (text(expression, "scopeName"), text(expression, "operator"));
        if allowed(scope).is_none() {
            errors.invalid(path.child("scopeName"), scope, "unsupported scope");
        }
        let room = most.saturating_sub(errors.len());
        for _ in 0..misfits(scope, resources).min(room) {
            errors.invalid(path, go_selector(expressions), "unsupported scope applied to resource");
        }
        let at_operator = path.child("operator");
        if operator != "Exists"
            && SCOPES[..6].iter().any(|(name, _)| *name == scope)
            && scope != "PriorityClass"
        {
            let why = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
                ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or \
                ResourceQuotaScopeCrossNamespacePodAffinity";
            errors.invalid(&at_operator, operator, why);
        }
        let values = list(expression, "values");
        match operator {
            "In" | "NotIn" if values.is_empty() => {
                let why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
                errors.required(path.child("values"), why);
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
                errors.invalid(path.child("values"), values.to_vec(), why);
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => errors.invalid(&at_operator, other, "not a valid selector operator"),
        }
        scopes.push(scope);
    }
    let value = go_value(spec, "scopes");
    errors.extend(conflicts(&scopes).map(|()| Error::invalid(path, value.clone(), "conflicting scopes")));
    errors
}

fn allowed(scope: &str) -> Option<&'static [&'static str]> {
    SCOPES.iter().find(|(name, _)| *name == scope).map(|(_, allowed)| *allowed)
}

/// Returns how many of the resources a scope does not go with.
fn misfits(scope: &str, resources: &[&str]) -> usize {
    let Some(allowed) = allowed(scope) else { return 0 };
    let unfit = |resource: &&&str| resource_names::is_for_quota(resource) && !allowed.contains(resource);
    resources.iter().filter(unfit).count()
}

fn conflicts(scopes: &[&str]) -> impl Iterator<Item = ()> {
    CONFLICTING.iter().filter(|pair| pair.iter().all(|scope| scopes.contains(scope))).map(|_| ())
}

/// A selector as Go's internal types print it.
fn go_selector(expressions: &[Value]) -> Value {
    let items: Vec<Value> = expressions
        .iter()
        .map(|expression| {
            json!({"ScopeName": text(expression, "scopeName"), "Operator": text(expression, "operator"),
                "Values": go_value(expression, "values")})
        })
        .collect();
    json!({ "MatchExpressions": items })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::check as check_errors;

    #[track_caller]
    fn check(spec: impl Into<Value>, expected: &str) {
        check_errors(&create(&json!({"spec": spec.into()})), expected);
    }

    #[test]
    fn resources() {
        check(
            json!({"hard": {"pods": "1", "cpu": "500m", "count/widgets.a.io": "2", "requests.a.io/b": "1"}}),
            "",
        );
        check(
            json!({"hard": {"beans": "-1"}, "scopes": ["Nope"]}),
            "[spec.hard[beans]: Invalid value: \"beans\": must be a standard resource type or fully qualified, \
             spec.hard[beans]: Invalid value: \"beans\": must be a standard resource for quota, \
             spec.hard[beans]: Invalid value: \"-1\": must be greater than or equal to 0, \
             spec.scopes: Invalid value: [\"Nope\"]: unsupported scope]",
        );
        check(
            json!({"hard": {"pods": "1500m"}}),
            "spec.hard[pods]: Invalid value: \"1500m\": must be an integer",
        );
    }

    #[test]
    fn scopes_of_pods() {
        check(json!({"hard": {"pods": "1"}, "scopes": ["BestEffort"]}), "");
        check(
            json!({"hard": {"services": "1"}, "scopes": ["BestEffort", "NotBestEffort"]}),
            "[spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\"]: unsupported scope applied to resource, \
             spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\"]: conflicting scopes]",
        );
        check_errors(
            &update(&json!({"spec": {"scopes": ["BestEffort"]}}), &json!({"spec": {}})),
            "spec.scopes: Invalid value: [\"BestEffort\"]: field is immutable",
        );
    }

    #[test]
    fn selectors() {
        let select = |scope: &str, operator: &str, values: Value| json!({"scopeSelector": {"matchExpressions": [{"scopeName": scope, "operator": operator, "values": values}]}});
        check(select("PriorityClass", "In", json!(["high"])), "");
        check(
            select("BestEffort", "In", json!([])),
            "[spec.scopeSelector.matchExpressions.operator: Invalid value: \"In\": must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity, \
             spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector]",
        );
    }
}
