//! The kind Node.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/nodes/>.

mod conversion;
mod printer;
mod warnings;

use std::collections::HashSet;

use json_tree::{Map, Value, json};

use super::pod::TAINT_EFFECTS;
use crate::core::resource_names;
use crate::kind::{Action, Checks, DEFAULT, Kind, Pass, Printer, Strategy, Subresource, passes};
use crate::validation::checks::{named, required_choice, required_name, texts};
use crate::validation::read::{at, get, integer, list, map, text};
use crate::validation::{address, internal, name};
use apimachinery::object::Object;
use apimachinery::selector::field::{SelectableFields, Source};
use field::{AddError, Error, Path, quote};

pub(crate) use conversion::align_ranges;

/// The kind Node.
pub(crate) struct Node;

impl Kind for Node {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "nodes";
    const STORAGE_PREFIX: Option<&'static str> = Some("minions");
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> = Some(&SelectableFields::of(
        false,
        &[("spec.unschedulable", Source::At("/spec/unschedulable", "false"))],
    ));
    const STRATEGY: Strategy = Strategy { status_at_creation: true, ..DEFAULT };
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("proxy", Subresource::Action(Action::ProxyNode))];
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn drop_disabled_fields(object: &mut Object, old: Option<&Object>) {
        drop_dynamic_configuration(object, old);
    }

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_update(update)
            .validate_part("status", update)
            .warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// `DynamicKubeletConfig`, which is no more: what the node had before may stay.
fn drop_dynamic_configuration(node: &mut Object, old: Option<&Object>) {
    for (part, field) in [("spec", "configSource"), ("status", "config")] {
        let had = old.and_then(|old| old.get(part)?.get(field)).is_some();
        if let Some(Value::Object(part)) = node.get_mut(part).filter(|_| !had) {
            part.shift_remove(field);
        }
    }
}

/// Validates a node.
fn create(object: &Value) -> Vec<Error> {
    let mut errors = taints(object);
    errors.extend(resources(object));
    errors.extend(swap(object));
    errors.extend(features(object));
    errors.extend(blocks(at(object, "/spec"), &Path::new("spec").child("podCIDRs")));
    errors
}

/// Validates the taints of a node. The messages place them in the metadata.
fn taints(object: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut seen = HashSet::new();
    for (index, taint) in list(at(object, "/spec"), "taints").iter().enumerate() {
        let path = Path::new("metadata").child("taints").index(index);
        let (key, value, effect) = (text(taint, "key"), text(taint, "value"), text(taint, "effect"));
        errors.extend(named(key, name::qualified_name, &path.child("key")));
        let complaints = name::label_value(value);
        if !complaints.is_empty() {
            errors.invalid(path.child("value"), value, complaints.join(";"));
        }
        errors.extend(required_choice(taint, "effect", &TAINT_EFFECTS, &path));
        if !seen.insert((key, effect)) {
            let value = json!({"Key": key, "Value": value, "Effect": effect,
                "TimeAdded": get(taint, "timeAdded").cloned().unwrap_or_default()});
            let mut error = Error::duplicate(&path, value);
            error.detail = "taints must be unique by key and effect pair".to_owned();
            errors.push(error);
        }
    }
    errors
}

/// Validates the resources that a node reports: its capacity and what is allocatable.
fn resources(object: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    for field in ["capacity", "allocatable"] {
        for (resource, amount) in map(at(object, "/status"), field).into_iter().flatten() {
            let path = Path::new("status").named(field).named(resource);
            errors.extend(resource_names::amount(resource, amount, &path));
        }
    }
    errors
}

/// The error of memory to swap to, which the messages place in the metadata.
fn swap(object: &Value) -> Option<Error> {
    let capacity =
        integer(at(object, "/status/nodeInfo/swap"), "capacity").filter(|capacity| *capacity <= 0)?;
    let path = Path::new("metadata").child("nodeSwapStatus").child("capacity");
    Some(Error::invalid(&path, capacity, "must be greater than zero"))
}

/// Validates the names of the features that a node declares: they are sorted, and each occurs once.
///
/// <https://kubernetes.io/docs/concepts/scheduling-eviction/node-declared-features/>
fn features(object: &Value) -> Vec<Error> {
    let all = texts(at(object, "/status"), "declaredFeatures");
    let path = Path::new("status").child("declaredFeatures");
    let mut errors = Vec::new();
    for (index, feature) in all.iter().enumerate() {
        if let Some(why) = feature_name(feature) {
            let why = format!("invalid feature name {}: {why}", quote(feature));
            errors.invalid(path.index(index), *feature, why);
        }
        let at = path.index(index + 1);
        match all.get(index + 1) {
            Some(next) if next == feature => errors.duplicate(&at, *next),
            Some(next) if next < feature => {
                errors.invalid(&at, *next, "list must be sorted alphabetically");
            }
            _ => {}
        }
    }
    errors
}

fn feature_name(feature: &str) -> Option<&'static str> {
    let starts = |part: &str| part.starts_with(|c: char| c.is_ascii_alphabetic());
    let named = |part: &str| starts(part) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if feature.len() > 253 {
        return Some("must be no more than 253 characters");
    }
    let fine = feature.starts_with(|c: char| c.is_ascii_uppercase()) && feature.split('/').all(named);
    (!fine).then_some(
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or \
         MyFeature/mySubFeature), and contain only alphanumeric characters and slashes",
    )
}

/// Validates the CIDRs that the node's pods get addresses from: one for each IP family.
fn blocks(spec: &Value, path: &Path) -> Vec<Error> {
    let blocks = texts(spec, "podCIDRs");
    let each = blocks.iter().enumerate();
    let mut errors: Vec<Error> =
        each.filter_map(|(index, block)| address::cidr(block, &path.index(index))).collect();
    if blocks.len() < 2 {
        return errors;
    }
    let parsed: Vec<bool> = blocks
        .iter()
        .filter_map(|block| address::parse_cidr(block))
        .map(|block| block.address.is_ipv4())
        .collect();
    if let Some(bad) = blocks.iter().find(|block| address::parse_cidr(block).is_none()) {
        let why = format!(
            "invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR address: {bad}"
        );
        errors.internal(path, why);
    }
    let both = parsed.len() == blocks.len() && parsed.contains(&true) && parsed.contains(&false);
    if !both || blocks.len() > 2 {
        let why = "may specify no more than one CIDR for each IP family";
        errors.invalid(path, blocks.clone(), why);
    }
    errors
}

/// Validates an update of a node.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let (spec, was, path) = (at(object, "/spec"), at(old, "/spec"), Path::new("spec"));
    let mut errors = resources(object);
    errors.extend(features(object));
    errors.extend(addresses(object));
    let (blocks, before) = (texts(spec, "podCIDRs"), texts(was, "podCIDRs"));
    let changes = match before.len() {
        0 => 0,
        count if count != blocks.len() => 1,
        _ => std::iter::zip(&blocks, &before).filter(|(new, old)| new != old).count(),
    };
    for _ in 0..changes {
        let why = "node updates may not change podCIDR except from \"\" to valid";
        errors.forbidden(path.child("podCIDRs"), why);
    }
    let provider = text(was, "providerID");
    if !provider.is_empty() && provider != text(spec, "providerID") {
        let why = "node updates may not change providerID except from \"\" to valid";
        errors.forbidden(path.child("providerID"), why);
    }
    if let Some(source) = get(spec, "configSource") {
        errors.extend(config_source(source, true, &path.child("configSource")));
    }
    for field in ["assigned", "active", "lastKnownGood"] {
        if let Some(source) = get(at(object, "/status/config"), field) {
            let path = Path::new("status").child("config").child(field);
            errors.extend(config_source(source, false, &path));
        }
    }
    errors.extend(taints(object));
    if text(spec, "externalID") != text(was, "externalID") {
        errors.forbidden(path.child("externalID"), "may not be updated");
    }
    errors
}

fn addresses(object: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut seen = HashSet::new();
    for (index, one) in list(at(object, "/status"), "addresses").iter().enumerate() {
        let (ty, address) = (text(one, "type"), text(one, "address"));
        if !seen.insert((ty, address)) {
            let path = Path::new("status").child("addresses").index(index);
            errors.duplicate(&path, json!({"Type": ty, "Address": address}));
        }
    }
    errors
}

/// Validates the source of a kubelet's configuration. Only a status names the exact object: its uid and resource version.
fn config_source(source: &Value, in_spec: bool, path: &Path) -> Vec<Error> {
    let Some(of) = get(source, "configMap") else {
        let value = internal::form(internal::CORE, "NodeConfigSource", &Value::Object(Map::new()));
        return vec![Error::invalid(path, value, "exactly one reference subfield must be non-nil")];
    };
    let path = path.child("configMap");
    let mut errors = Vec::new();
    for field in ["uid", "resourceVersion"] {
        let at = path.child(field);
        match (in_spec, text(of, field).is_empty()) {
            (true, false) => errors.forbidden(&at, format!("{field} must not be set in spec")),
            (false, true) => errors.required(&at, ""),
            _ => {}
        }
    }
    let rules = [
        ("namespace", name::label as fn(&str) -> Vec<String>),
        ("name", name::subdomain),
        ("kubeletConfigKey", name::config_key),
    ];
    for (field, rule) in rules {
        errors.extend(required_name(of, field, rule, &path));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::check;

    #[test]
    fn taints() {
        let node = |taints: Value| json!({"spec": {"taints": taints}});
        check(&create(&node(json!([{"key": "k", "effect": "NoSchedule"}]))), "");
        check(
            &create(&node(json!([{"key": "k", "effect": "Bogus"}]))),
            "metadata.taints[0].effect: Unsupported value: \"Bogus\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"",
        );
        check(
            &create(&node(
                json!([{"key": "k", "effect": "NoSchedule"}, {"key": "k", "effect": "NoSchedule"}]),
            )),
            "metadata.taints[1]: Duplicate value: {\"Key\":\"k\",\"Value\":\"\",\"Effect\":\"NoSchedule\",\"TimeAdded\":null}: taints must be unique by key and effect pair",
        );
        check(
            &update(&json!({"spec": {"providerID": "x://2"}}), &json!({"spec": {"providerID": "x://1"}})),
            "spec.providerID: Forbidden: node updates may not change providerID except from \"\" to valid",
        );
    }

    #[test]
    fn blocks_of_pods() {
        let node = |blocks: Value| json!({"spec": {"podCIDRs": blocks}});
        check(&create(&node(json!(["10.0.0.0/24", "2001:db8::/64"]))), "");
        check(
            &create(&node(json!(["10.0.0.0/24", "10.0.0.0/24"]))),
            "spec.podCIDRs: Invalid value: [\"10.0.0.0/24\",\"10.0.0.0/24\"]: may specify no more than one CIDR for each IP family",
        );
        check(
            &update(&node(json!(["10.1.0.0/24"])), &node(json!(["10.0.0.0/24"]))),
            "spec.podCIDRs: Forbidden: node updates may not change podCIDR except from \"\" to valid",
        );
    }

    #[test]
    fn what_a_node_says_of_itself() {
        let node = |status: Value| json!({ "status": status });
        let right = node(json!({"declaredFeatures": ["A", "B/c"], "nodeInfo": {"swap": {"capacity": 1}}}));
        check(&create(&right), "");
        let name = "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
        let of_features = format!(
            "status.declaredFeatures[1]: Invalid value: \"A\": list must be sorted alphabetically, \
             status.declaredFeatures[2]: Duplicate value: \"A\", \
             status.declaredFeatures[3]: Invalid value: \"b\": invalid feature name \"b\": {name}"
        );
        let wrong =
            node(json!({"declaredFeatures": ["B", "A", "A", "b"], "nodeInfo": {"swap": {"capacity": 0}}}));
        check(
            &create(&wrong),
            &format!(
                "[metadata.nodeSwapStatus.capacity: Invalid value: 0: must be greater than zero, {of_features}]"
            ),
        );
        check(&update(&wrong, &right), &format!("[{of_features}]"));
    }

    #[test]
    fn configuration() {
        let node = |source: Value| json!({"spec": {"configSource": source}});
        check(
            &update(&node(json!({"configMap": {"uid": "u", "name": "n", "namespace": "s"}})), &json!({})),
            "[spec.configSource.configMap.uid: Forbidden: uid must not be set in spec, \
             spec.configSource.configMap.kubeletConfigKey: Required value]",
        );
        check(
            &update(&node(json!({})), &json!({})),
            "spec.configSource: Invalid value: {\"ConfigMap\":null}: exactly one reference subfield must be non-nil",
        );
    }

    #[test]
    fn what_a_node_has() {
        check(
            &create(&json!({"status": {"capacity": {"cpu": "-1", "pods": "1500m"}}})),
            "[status.capacity.cpu: Invalid value: \"-1\": must be greater than or equal to 0, \
             status.capacity.pods: Invalid value: \"1500m\": must be an integer]",
        );
    }
}
