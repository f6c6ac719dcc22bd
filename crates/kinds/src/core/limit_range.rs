//! The kind LimitRange.
//!
//! See <https://kubernetes.io/docs/concepts/policy/limit-range/>.

use std::collections::HashSet;

use json_tree::{Map, Value};
use schema::quantity::Quantity;

use crate::core::resource_names;
use crate::kind::{CREATES_ON_UPDATE, Checks, Kind, Pass, Strategy, passes};
use crate::validation::checks::named;
use crate::validation::name;
use crate::validation::read::{at, list, map, text};
use field::{AddError, Error, Path};
use golang::strconv::format_fixed;

/// The kind LimitRange.
pub(crate) struct LimitRange;

impl Kind for LimitRange {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "limitranges";
    const STRATEGY: Strategy = Strategy { named_by_uid: true, ..CREATES_ON_UPDATE };
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(create)
    }
}

const TYPES: [&str; 3] = ["Pod", "Container", "PersistentVolumeClaim"];
/// The fields of a limit in the order in which their resources are looked at.
const FIELDS: [&str; 5] = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];

/// A limit that another may not be greater than: the two fields, the one that the error is of and whose value it
/// shows, and what they are called.
struct Order {
    lower: &'static str,
    upper: &'static str,
    at: &'static str,
    shown: &'static str,
    words: [&'static str; 2],
}

#[rustfmt::skip]
const ORDERS: [Order; 6] = [
    Order { lower: "min", upper: "max", at: "min", shown: "min", words: ["min", "max"] },
    Order { lower: "min", upper: "defaultRequest", at: "defaultRequest", shown: "defaultRequest", words: ["min", "default request"] },
    Order { lower: "defaultRequest", upper: "max", at: "defaultRequest", shown: "defaultRequest", words: ["default request", "max"] },
    Order { lower: "defaultRequest", upper: "default", at: "defaultRequest", shown: "defaultRequest", words: ["default request", "default limit"] },
    Order { lower: "min", upper: "default", at: "default", shown: "min", words: ["min", "default"] },
    Order { lower: "default", upper: "max", at: "default", shown: "max", words: ["default", "max"] },
];

/// Validates a LimitRange.
fn create(object: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut types: HashSet<&str> = HashSet::new();
    for (index, limit) in list(at(object, "/spec"), "limits").iter().enumerate() {
        let path = Path::new("spec").child("limits").index(index);
        let (ty, at_type) = (text(limit, "type"), path.child("type"));
        let of_name = named(ty, name::qualified_name, &at_type);
        if of_name.is_empty() && !ty.contains('/') && !TYPES.contains(&ty) {
            let why = "must be a standard limit type or fully qualified";
            errors.invalid(&at_type, ty, why);
        }
        errors.extend(of_name);
        if types.contains(&ty) {
            errors.duplicate(&at_type, ty);
        }
        types.insert(ty);
        errors.extend(one(limit, ty, &path));
    }
    errors
}

fn one(limit: &Value, ty: &str, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut resources: Vec<&str> = Vec::new();
    let ignores = |field: &str| ty == "Pod" && field.starts_with("default");
    for field in FIELDS {
        if field == "maxLimitRequestRatio" && ty == "PersistentVolumeClaim" {
            let storage = ["min", "max"].iter().any(|field| amount(limit, field, "storage").is_some());
            if !storage {
                let why = "either minimum or maximum storage value is required, but neither was provided";
                errors.required(path.child("limits"), why);
            }
        }
        let amounts = map(limit, field);
        if ignores(field) {
            if amounts.is_some_and(|amounts| !amounts.is_empty()) {
                let why = "may not be specified when `type` is 'Pod'";
                errors.forbidden(path.child(field), why);
            }
            continue;
        }
        for resource in amounts.into_iter().flat_map(Map::keys) {
            let at = path.child(field).key(resource);
            errors.extend(match ty {
                "Pod" | "Container" => resource_names::of_container(resource, &at),
                _ => resource_names::any(resource, &at),
            });
            resources.push(resource);
        }
    }
    schema::sort_once(&mut resources);
    for resource in resources {
        let of = |field: &str| if ignores(field) { None } else { amount(limit, field, resource) };
        for order in &ORDERS {
            let (Some(lower), Some(upper)) = (of(order.lower), of(order.upper)) else { continue };
            if lower.1.exceeds(&upper.1) {
                let [a, b] = order.words;
                let why = format!("{a} value {} is greater than {b} value {}", lower.0, upper.0);
                let shown = of(order.shown).map_or("", |shown| shown.0);
                errors.invalid(path.child(order.at).key(resource), shown, why);
            }
        }
        if let Some(of_ratio) = of("maxLimitRequestRatio") {
            let at = path.child("maxLimitRequestRatio").key(resource);
            errors.extend(ratio(&of_ratio, of("min"), of("max"), &at));
        }
        if let (Some(limit), Some(request)) = (of("default"), of("defaultRequest"))
            && !resource_names::may_overcommit(resource)
            && limit.1 != request.1
        {
            let why = format!(
                "default value {} must equal to defaultRequest value {} in {resource}",
                limit.0, request.0
            );
            errors.invalid(path.child("defaultRequest").key(resource), request.0, why);
        }
    }
    errors
}

type Amount<'a> = (&'a str, Quantity);

fn amount<'a>(limit: &'a Value, field: &str, resource: &str) -> Option<Amount<'a>> {
    let text = map(limit, field)?.get(resource)?.as_str()?;
    Some((text, Quantity::parse(text).ok()?))
}

/// The errors of how many times a request its limit may be.
fn ratio(ratio: &Amount<'_>, min: Option<Amount<'_>>, max: Option<Amount<'_>>, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    if Quantity::count(1).exceeds(&ratio.1) {
        errors.invalid(path, ratio.0, format!("ratio {} is less than 1", ratio.0));
    }
    if let (Some(min), Some(max)) = (min, max) {
        let most = max.1.ratio(&min.1);
        if ratio.1.ratio(&Quantity::count(1)) > most {
            let most = format_fixed(most, 6);
            let why = format!("ratio {} is greater than max/min = {most}", ratio.0);
            errors.invalid(path, ratio.0, why);
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check as check_errors;

    #[track_caller]
    fn check(limit: impl Into<Value>, expected: &str) {
        check_errors(&create(&json!({"spec": {"limits": [limit.into()]}})), expected);
    }

    #[test]
    fn types() {
        check(json!({"type": "Container", "max": {"cpu": "1"}}), "");
        check(json!({"type": "a.io/b", "max": {"a.io/c": "1"}}), "");
        check(
            json!({"type": "Bucket", "max": {"cpu": "1"}}),
            "spec.limits[0].type: Invalid value: \"Bucket\": must be a standard limit type or fully qualified",
        );
        check(
            json!({"type": "Pod", "default": {"cpu": "1"}, "max": {"storage": "1"}}),
            "[spec.limits[0].max[storage]: Invalid value: \"storage\": must be a standard resource for containers, \
             spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod']",
        );
        check(
            json!({"type": "PersistentVolumeClaim"}),
            "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
        );
    }

    #[test]
    fn amounts() {
        check(
            json!({"type": "Container", "min": {"cpu": "2"}, "max": {"cpu": "1"}, "default": {"cpu": "3"}, "defaultRequest": {"cpu": "3"}}),
            "[spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max value 1, \
             spec.limits[0].defaultRequest[cpu]: Invalid value: \"3\": default request value 3 is greater than max value 1, \
             spec.limits[0].default[cpu]: Invalid value: \"1\": default value 3 is greater than max value 1]",
        );
        check(
            json!({"type": "Container", "min": {"cpu": "2"}, "max": {"cpu": "3"}, "maxLimitRequestRatio": {"cpu": "2"}}),
            "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"2\": ratio 2 is greater than max/min = 1.500000",
        );
        check(
            json!({"type": "Container", "default": {"a.io/b": "2"}, "defaultRequest": {"a.io/b": "1"}}),
            "spec.limits[0].defaultRequest[a.io/b]: Invalid value: \"1\": default value 2 must equal to defaultRequest value 1 in a.io/b",
        );
    }
}
