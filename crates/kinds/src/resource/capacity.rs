//! Capacities of devices: how much a device has of something, and how much of it one request may get.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#consumable-capacity>.

use json_tree::Value;
use schema::quantity::Quantity;

use crate::validation::checks::{duplicates, each, texts};
use crate::validation::read::get;
use field::{AddError, Error, Path};

const MAX_OPTIONS: usize = 10;

/// Validates a capacity of a device, if one request gets all of it.
pub(super) fn whole(of: &Value, path: &Path) -> Vec<Error> {
    let forbidden = || Error::forbidden(path.child("requestPolicy"), "allowMultipleAllocations must be true");
    get(of, "requestPolicy").map(|_| forbidden()).into_iter().collect()
}

/// Validates a capacity of a device, if requests get parts of it.
pub(crate) fn shared(of: &Value, path: &Path) -> Vec<Error> {
    let Some(policy) = get(of, "requestPolicy") else { return Vec::new() };
    let path = path.child("requestPolicy");
    let (Some(most), default) = (quantity(of, "value"), quantity(policy, "default")) else {
        return Vec::new();
    };
    let (values, range) = (texts(policy, "validValues"), get(policy, "validRange"));
    match (values.is_empty(), range, default) {
        (false, Some(_), _) => {
            let why = "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at \
                       the same time";
            vec![Error::forbidden(&path, why)]
        }
        (false, None, None) => {
            vec![Error::required(path.child("default"), "required when validValues is defined")]
        }
        (true, Some(_), None) => {
            vec![Error::required(path.child("default"), "required when validRange is defined")]
        }
        (false, None, Some(default)) => {
            let values: Vec<Quantity> =
                values.into_iter().filter_map(|text| Quantity::parse(text).ok()).collect();
            options(&values, &default, &most, &path.child("validValues"))
        }
        (true, Some(range), Some(default)) => between(range, &default, &most, &path.child("validRange")),
        (true, None, _) => Vec::new(),
    }
}

fn quantity(of: &Value, field: &str) -> Option<Quantity> {
    get(of, field).and_then(Quantity::of)
}

fn options(values: &[Quantity], default: &Quantity, most: &Quantity, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    for (index, pair) in values.windows(2).enumerate() {
        if pair[0].exceeds(&pair[1]) {
            let why = "values must be sorted in ascending order";
            errors.invalid(path.index(index + 1), pair[1].to_string(), why);
        }
    }
    errors.extend(each(values, MAX_OPTIONS, path, |value, path| {
        let why = || format!("option is larger than capacity value: {most}");
        value.exceeds(most).then(|| Error::invalid(path, value.to_string(), why())).into_iter().collect()
    }));
    // Nothing is looked for among too many.
    let looked_at = if values.len() > MAX_OPTIONS { &[] } else { values };
    let keys: Vec<String> = looked_at.iter().map(|value| value.value().to_string()).collect();
    errors.extend(duplicates(keys.iter().map(String::as_str), path));
    if !looked_at.iter().any(|value| value == default) {
        let why = "default value is not valid according to the requestPolicy";
        errors.invalid(path, default.to_string(), why);
    }
    errors
}

fn between(range: &Value, default: &Quantity, most: &Quantity, path: &Path) -> Vec<Error> {
    let Some(min) = quantity(range, "min") else {
        return vec![Error::required(path.child("min"), "required when validRange is defined")];
    };
    let mut errors = Vec::new();
    let mut not_above =
        |field: &'static str, low: &Quantity, high: &Quantity, bad: &Quantity, why: &str, than: &Quantity| {
            if low.exceeds(high) {
                let why = format!("{why}: {than}");
                errors.invalid(path.child(field), bad.to_string(), why);
            }
        };
    not_above("min", &min, most, &min, "min is larger than capacity value", most);
    not_above("min", &min, default, default, "default is less than min", &min);
    let max = quantity(range, "max");
    if let Some(max) = &max {
        not_above("max", &min, max, &min, "min is larger than max", max);
        not_above("max", max, most, max, "max is larger than capacity value", most);
        not_above("max", default, max, default, "default is more than max", max);
    }
    let Some(step) = quantity(range, "step") else { return errors };
    let at = path.child("step");
    let first = min.plus(&step);
    if first.exceeds(most) {
        let why = format!("one step {first} is larger than capacity value: {most}");
        errors.invalid(&at, step.to_string(), why);
    }
    for value in [Some(default), max.as_ref()].into_iter().flatten() {
        let above = value.value().wrapping_sub(min.value());
        if above.checked_rem(step.value()) != Some(0) {
            let why = format!("value is not a multiple of a given step ({step}) from ({min})");
            errors.invalid(&at, value.to_string(), why);
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
    fn check(policy: impl Into<Value>, expected: &str) {
        let capacity = json!({"value": "10Gi", "requestPolicy": policy.into()});
        check_errors(&shared(&capacity, &Path::new("m")), expected);
    }

    #[test]
    fn capacities() {
        check(json!({"default": "1Gi", "validValues": ["1Gi", "2Gi"]}), "");
        check(json!({"default": "1Gi", "validRange": {"min": "1Gi", "max": "5Gi", "step": "1Gi"}}), "");
        check(
            json!({"default": "1Gi", "validValues": ["20Gi", "2Gi"]}),
            "[m.requestPolicy.validValues[1]: Invalid value: \"2Gi\": values must be sorted in ascending order, \
             m.requestPolicy.validValues[0]: Invalid value: \"20Gi\": option is larger than capacity value: 10Gi, \
             m.requestPolicy.validValues: Invalid value: \"1Gi\": default value is not valid according to the requestPolicy]",
        );
        check(
            json!({"default": "1Gi", "validRange": {"min": "2Gi", "max": "5Gi", "step": "2Gi"}}),
            "[m.requestPolicy.validRange.min: Invalid value: \"1Gi\": default is less than min: 2Gi, \
             m.requestPolicy.validRange.step: Invalid value: \"1Gi\": value is not a multiple of a given step (2Gi) from (2Gi), \
             m.requestPolicy.validRange.step: Invalid value: \"5Gi\": value is not a multiple of a given step (2Gi) from (2Gi)]",
        );
        check_errors(
            &whole(&json!({"value": "1", "requestPolicy": {}}), &Path::new("m")),
            "m.requestPolicy: Forbidden: allowMultipleAllocations must be true",
        );
    }
}
