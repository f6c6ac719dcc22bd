//! The devices that a driver says there are, what they are like, and what they take from counters; and how claims and
//! classes select and configure devices.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#resourceslice>.

use std::collections::HashSet;

use json_tree::Value;

use crate::resource::{capacity, selector};
use crate::validation::checks::{
    distinct, driver_name, duplicates, each, named, repeated, required_choice, required_name, texts,
};
use crate::validation::read::{get, is_true, list, map, same, text};
use crate::validation::{internal, name, node_selector};
use field::{AddError, Error, Path};

/// The Go package of the types.
pub(super) const PACKAGE: &str = "k8s.io/api/resource/v1";
/// The number of items that most lists of claims may have.
pub(super) const MAX_ITEMS: usize = 32;
const MAX_PARAMETERS: usize = 10 * 1024;
const MAX_POOL: usize = 253;
const MAX_PROPERTIES: usize = 32;
const MAX_ATTRIBUTE: usize = 64;
const MAX_IDENTIFIER: usize = 32;
const MAX_TAINTS: usize = 16;
const MAX_CONSUMED: usize = 2;
const MAX_COUNTERS: usize = 32;
const MAX_CONDITIONS: usize = 4;
/// The longest name of a property with its domain; longer ones are cut in paths.
const MAX_QUALIFIED: usize = 63 + 1 + MAX_IDENTIFIER;
/// The effects of taints of devices.
pub(super) const DEVICE_EFFECTS: [&str; 3] = ["NoExecute", "NoSchedule", "None"];
const IDENTIFIER: &str = "a valid C identifier must start with alphabetic character or '_', followed by a string of \
    alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is \
    '[A-Za-z_][A-Za-z0-9_]*')";

/// Validates a device, which replaces `old`. `own_nodes`: each device of the slice selects its own nodes.
pub(crate) fn device(of: &Value, old: Option<&Value>, own_nodes: bool, path: &Path) -> Vec<Error> {
    let mut errors = named(text(of, "name"), name::label, &path.child("name"));
    let count = ["attributes", "capacity"].map(|field| map(of, field).map_or(0, |map| map.len()));
    let count = count[0] + count[1];
    if count > MAX_PROPERTIES {
        let why = format!("the total number of attributes and capacities must not exceed {MAX_PROPERTIES}");
        errors.invalid(path, count, why);
    }
    errors.extend(properties(of, "attributes", attribute, path));
    let shared = is_true(of, "allowMultipleAllocations");
    let capacity = if shared { capacity::shared } else { capacity::whole };
    errors.extend(properties(of, "capacity", capacity, path));
    if old.is_none_or(|old| !same(get(of, "taints"), get(old, "taints"))) {
        errors.extend(each(list(of, "taints"), MAX_TAINTS, &path.child("taints"), taint));
    }
    let consumed = list(of, "consumesCounters");
    errors.extend(distinct(
        consumed,
        MAX_CONSUMED,
        "counterSet",
        &path.child("consumesCounters"),
        |set, path| {
            let mut errors = required_name(set, "counterSet", name::label, path);
            errors.extend(counters(set, path));
            errors
        },
    ));
    errors.extend(if own_nodes { nodes(of, path) } else { no_nodes(of, path).into_iter().collect() });
    errors.extend(binding_conditions(of, path));
    errors
}

/// Validates the properties under `field`. Errors of a name are at the map, errors of a value at the key.
fn properties(
    of: &Value,
    field: &'static str,
    check: fn(&Value, &Path) -> Vec<Error>,
    path: &Path,
) -> Vec<Error> {
    let path = path.child(field);
    let mut errors = Vec::new();
    for (key, value) in map(of, field).into_iter().flatten() {
        errors.extend(qualified_name(key, &path));
        errors.extend(check(value, &path.key(&cut(key, MAX_QUALIFIED))));
    }
    errors
}

/// A text of which the middle is left out, if it is too long.
fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let kept = max - "...".len();
    let (start, end) =
        (text.floor_char_boundary(kept.div_ceil(2)), text.ceil_char_boundary(text.len() - kept / 2));
    [&text[..start], "...", &text[end..]].concat()
}

/// Validates the name of a property, which may have a domain.
pub(super) fn qualified_name(text: &str, path: &Path) -> Vec<Error> {
    let (domain, identifier) = match text.split_once('/') {
        None => return c_identifier(text, path),
        // So the API server does.
        Some((_, rest)) if rest.contains('/') => return Vec::new(),
        Some(parts) => parts,
    };
    let mut errors = match domain {
        "" => vec![Error::invalid(path, "", "the domain must not be empty")],
        _ => driver_name(domain, path),
    };
    errors.extend(match identifier {
        "" => vec![Error::invalid(path, "", "the name must not be empty")],
        _ => c_identifier(identifier, path),
    });
    errors
}

fn c_identifier(text: &str, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    if text.len() > MAX_IDENTIFIER {
        errors.too_long(path, MAX_IDENTIFIER);
    }
    let first = |c: char| c == '_' || c.is_ascii_alphabetic();
    if !text.starts_with(first) || !text.chars().all(|c| first(c) || c.is_ascii_digit()) {
        errors.invalid(path, text, IDENTIFIER);
    }
    errors
}

fn attribute(of: &Value, path: &Path) -> Vec<Error> {
    const ONE: &str = "exactly one value must be specified";
    let mut errors = Vec::new();
    if text(of, "string").len() > MAX_ATTRIBUTE {
        errors.too_long(path.child("string"), MAX_ATTRIBUTE);
    }
    if let Some(version) = get(of, "version").and_then(Value::as_str) {
        let at = path.child("version");
        if !is_version(version) {
            let why = "must be a string compatible with semver.org spec 2.0.0";
            errors.invalid(&at, version, why);
        }
        if version.len() > MAX_ATTRIBUTE {
            errors.too_long(&at, MAX_ATTRIBUTE);
        }
    }
    let given = ["bool", "int", "string", "version"].into_iter().filter(|field| get(of, field).is_some());
    match given.count() {
        0 => errors.invalid(path, "", ONE),
        1 => {}
        _ => errors.invalid(path, printed(of), ONE),
    }
    errors
}

/// An attribute as messages show it: `Int` is `IntValue` inside, and `Ints` is `IntValues`.
fn printed(attribute: &Value) -> Value {
    let form = internal::form(PACKAGE, "DeviceAttribute", attribute);
    let fields = form.as_object().into_iter().flatten().map(|(name, value)| {
        let one = name.strip_suffix('s').map(|one| format!("{one}Values"));
        (one.unwrap_or_else(|| format!("{name}Value")), value.clone())
    });
    Value::Object(fields.collect())
}

/// Returns whether a text is a semantic version.
fn is_version(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let number = |part: &str| digits(part) && (part == "0" || !part.starts_with('0'));
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte == b'-' || byte.is_ascii_alphanumeric())
    };
    let (front, build) = text.split_once('+').map_or((text, None), |(front, build)| (front, Some(build)));
    let (version, release) = front.split_once('-').map_or((front, None), |(front, rest)| (front, Some(rest)));
    version.split('.').count() == 3
        && version.split('.').all(number)
        && release.is_none_or(|release| {
            release.split('.').all(|part| word(part) && (!digits(part) || number(part)))
        })
        && build.is_none_or(|build| build.split('.').all(word))
}

fn taint(of: &Value, path: &Path) -> Vec<Error> {
    let mut errors = named(text(of, "key"), name::qualified_name, &path.child("key"));
    errors.extend(named(text(of, "value"), name::label_value, &path.child("value")));
    errors.extend(required_choice(of, "effect", &DEVICE_EFFECTS, path));
    errors
}

/// Validates the counters of a counter set, or the counters that a device consumes.
pub(super) fn counters(of: &Value, path: &Path) -> Vec<Error> {
    let path = path.child("counters");
    match map(of, "counters").filter(|counters| !counters.is_empty()) {
        None => vec![Error::required(&path, "")],
        Some(counters) if counters.len() > MAX_COUNTERS => {
            vec![Error::too_many(&path, counters.len(), MAX_COUNTERS)]
        }
        Some(counters) => counters.iter().flat_map(|(key, _)| named(key, name::label, &path)).collect(),
    }
}

fn nodes(of: &Value, path: &Path) -> Vec<Error> {
    const ONE: &str = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when \
        `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    let (mut errors, given) = node_fields(of, "must not be empty", false, path);
    errors.extend(match given.as_slice() {
        [] => Some(Error::required(path, ONE)),
        [_] => None,
        _ => Some(Error::invalid(path, format!("{{{}}}", given.join(", ")), ONE)),
    });
    errors
}

/// Validates the fields that select nodes. Also returns which of them are given.
pub(super) fn node_fields(
    of: &Value,
    not_empty: &str,
    one_term: bool,
    path: &Path,
) -> (Vec<Error>, Vec<&'static str>) {
    let (mut errors, mut given) = (Vec::new(), Vec::new());
    match get(of, "nodeName").and_then(Value::as_str) {
        None => {}
        Some("") => errors.invalid(path.child("nodeName"), "", not_empty),
        Some(node) => {
            given.push("`nodeName`");
            errors.extend(named(node, name::subdomain, &path.child("nodeName")));
        }
    }
    if let Some(selector) = get(of, "nodeSelector") {
        given.push("`nodeSelector`");
        let path = path.child("nodeSelector");
        errors.extend(node_selector::validate(selector, &path));
        let terms = list(selector, "nodeSelectorTerms");
        if one_term && terms.len() != 1 {
            let form = |term| internal::form(internal::CORE, "NodeSelectorTerm", term);
            let terms =
                get(selector, "nodeSelectorTerms").map(|_| terms.iter().map(form).collect::<Vec<Value>>());
            let why = "must have exactly one node selector term";
            errors.invalid(path.child("nodeSelectorTerms"), terms.map_or(Value::Null, Value::from), why);
        }
    }
    if is_true(of, "allNodes") {
        given.push("`allNodes`");
    } else if get(of, "allNodes").is_some() {
        let why = "must be either unset or set to true";
        errors.invalid(path.child("allNodes"), false, why);
    }
    (errors, given)
}

fn no_nodes(of: &Value, path: &Path) -> Option<Error> {
    let why = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in \
               the ResourceSlice spec";
    let given = ["nodeName", "nodeSelector", "allNodes"].into_iter().any(|field| get(of, field).is_some());
    given.then(|| Error::invalid(path, Value::Null, why))
}

/// Validates the binding conditions, which tell whether a device is ready for a pod.
pub(super) fn binding_conditions(of: &Value, path: &Path) -> Vec<Error> {
    const GOOD: &str = "bindingConditions";
    const BAD: &str = "bindingFailureConditions";
    let (good, bad) = (texts(of, GOOD), texts(of, BAD));
    let mut errors = Vec::new();
    for (items, field) in [(&good, GOOD), (&bad, BAD)] {
        let check = |item: &&str, path: &Path| named(item, name::qualified_name, path);
        errors.extend(each(items, MAX_CONDITIONS, &path.child(field), check));
    }
    errors.extend(duplicates(good.iter().copied(), &path.child(GOOD)));
    let both: HashSet<&str> = good.iter().copied().collect();
    for (index, (this, repeated)) in bad.iter().zip(repeated(&bad)).enumerate() {
        let at = path.child(BAD).index(index);
        if repeated {
            errors.duplicate(&at, *this);
        }
        if both.contains(this) {
            errors.invalid(&at, *this, "bindingFailureConditions must not overlap with bindingConditions");
        }
    }
    for (items, others, field, other) in [(&good, &bad, GOOD, BAD), (&bad, &good, BAD, GOOD)] {
        if items.is_empty() && !others.is_empty() {
            let why = format!("{field} are required to use {other}");
            let value = get(of, field).cloned().unwrap_or_default();
            errors.invalid(path.child(field), value, why);
        }
    }
    errors
}

/// Validates the selectors of devices.
pub(super) fn selectors(of: &Value, path: &Path) -> Vec<Error> {
    each(list(of, "selectors"), MAX_ITEMS, &path.child("selectors"), |selector, path| {
        let path = path.child("cel");
        let expression = get(selector, "cel").map(|cel| text(cel, "expression"));
        match expression {
            None => vec![Error::required(&path, "")],
            Some(expression) => selector::validate(expression, &path.child("expression")),
        }
    })
}

/// Validates the opaque configuration for a driver.
pub(super) fn configuration(of: &Value, path: &Path) -> Vec<Error> {
    let path = path.child("opaque");
    let Some(opaque) = get(of, "opaque") else { return vec![Error::required(&path, "")] };
    let mut errors = driver_name(text(opaque, "driver"), &path.child("driver"));
    errors.extend(object_of(get(opaque, "parameters"), MAX_PARAMETERS, &path.child("parameters")));
    errors
}

/// Returns the error of what should be a JSON object of so many bytes.
pub(super) fn object_of(value: Option<&Value>, max: usize, path: &Path) -> Option<Error> {
    match value {
        None => Some(Error::required(path, "")),
        Some(value) if codec::json::to_vec(value).len() > max => Some(Error::too_long(path, max)),
        Some(value) if value.is_object() => None,
        Some(_) => Some(Error::invalid(path, "<value omitted>", "must be a valid JSON object")),
    }
}

/// Validates the name of a pool of devices, whose parts are separated by slashes.
pub(super) fn pool_name(pool: &str, path: &Path) -> Vec<Error> {
    if pool.is_empty() {
        return vec![Error::required(path, "")];
    }
    let mut errors = Vec::new();
    if pool.len() > MAX_POOL {
        errors.too_long(path, MAX_POOL);
    }
    errors.extend(pool.split('/').flat_map(|part| named(part, name::subdomain, path)));
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check as check_errors;

    #[track_caller]
    fn check(more: impl Into<Value>, expected: &str) {
        let mut one = json!({"name": "a"});
        if let (Some(one), Value::Object(more)) = (one.as_object_mut(), more.into()) {
            one.extend(more);
        }
        check_errors(&device(&one, None, false, &Path::new("d")), expected);
    }

    #[test]
    fn attributes() {
        check(json!({"attributes": {"a": {"int": 1}, "b.io/c": {"version": "1.2.3-rc.1+x"}}}), "");
        check(
            json!({"attributes": {"a-b": {"version": "1.02.3"}, "/c": {}, "a/b": {"int": 1, "bool": true}}}),
            "[d.attributes: Invalid value: \"a-b\": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*'), \
             d.attributes[a-b].version: Invalid value: \"1.02.3\": must be a string compatible with semver.org spec 2.0.0, \
             d.attributes: Invalid value: \"\": the domain must not be empty, \
             d.attributes[/c]: Invalid value: \"\": exactly one value must be specified, \
             d.attributes[a/b]: Invalid value: {\"IntValue\":1,\"BoolValue\":true,\"StringValue\":null,\"VersionValue\":null,\"IntValues\":null,\"BoolValues\":null,\"StringValues\":null,\"VersionValues\":null}: exactly one value must be specified]",
        );
    }

    #[test]
    fn others() {
        check(
            json!({"taints": [{"key": "k"}], "consumesCounters": [{"counterSet": "s"}], "nodeName": "n",
                "bindingConditions": ["a"]}),
            "[d.taints[0].effect: Required value, d.consumesCounters[0].counters: Required value, \
             d: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec, \
             d.bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions]",
        );
    }
}
