//! The kind StatefulSet.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/>.

mod printer;
mod warnings;

use json_tree::Value;

use crate::core::workload::status::{Rules, with_collisions};
use crate::core::workload::{
    APPS, amount, amounts, complete, invalid_struct, not_negatives, runs_always, selector, template_labels,
};
use crate::core::{persistent_volume_claim, pod};
use crate::kind::{Checks, Kind, Printer, Strategy, Subresource, TRACKED};
use crate::validation::name::NameRule;
use crate::validation::read::{at, get, list, same, text};
use crate::validation::{internal, label_selector, name};
use apimachinery::object::Object;
use field::{AddError, Error, Path};

/// The kind StatefulSet.
pub(crate) struct StatefulSet;

impl Kind for StatefulSet {
    const GROUP: &'static str = "apps";
    const RESOURCE: &'static str = "statefulsets";
    const STRATEGY: Strategy = Strategy { complete, ..TRACKED };
    const COUNTS_REPLICAS: bool = true;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] = &[("scale", Subresource::Scale)];
    const POD_SPEC: Option<&'static str> = Some("/spec/template/spec");
    const NAME: NameRule = NameRule::Label;

    fn drop_disabled_fields(object: &mut Object, old: Option<&Object>) {
        drop_max_unavailable(object, old.and_then(|old| old.get("spec")));
    }

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

/// `MaxUnavailableStatefulSet`: what the set had before may stay.
fn drop_max_unavailable(set: &mut Object, before: Option<&Value>) {
    const FIELD: &str = "maxUnavailable";
    let had = before.and_then(|spec| spec.pointer("/updateStrategy/rollingUpdate/maxUnavailable")).is_some();
    let rolling =
        set.get_mut("spec").and_then(|spec| spec.get_mut("updateStrategy")?.get_mut("rollingUpdate"));
    if let Some(Value::Object(rolling)) = rolling.filter(|_| !had) {
        rolling.shift_remove(FIELD);
    }
}

/// Fields that a StatefulSet may change in its spec.
const MUTABLE: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];

/// The checks that are made only in some cases.
#[derive(Clone, Copy)]
struct Scope {
    /// The claims and the name of the service, which cannot change.
    fixed: bool,
    template: bool,
}

/// Validates a new StatefulSet.
pub(crate) fn create(object: &Value) -> Vec<Error> {
    spec(at(object, "/spec"), Scope { fixed: true, template: true })
}

/// Validates an updated StatefulSet. The service and the claims that were accepted once are not checked again. Nor is the
/// template if the old spec is invalid: it was stored before it was checked.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    let (new, was) = (at(object, "/spec"), at(old, "/spec"));
    let valid = spec(was, Scope { fixed: false, template: true }).is_empty();
    let mut errors = spec(new, Scope { fixed: false, template: valid });
    if !kept(new, was) {
        let (last, others) = (MUTABLE[6], &MUTABLE[..6]);
        let why = format!(
            "updates to statefulset spec for fields other than '{}' and '{last}' are forbidden",
            others.join("', '")
        );
        errors.forbidden(Path::new("spec"), why);
    }
    errors
}

/// Returns whether all fields, except those that may change, are unchanged.
fn kept(new: &Value, old: &Value) -> bool {
    let holds = |a: &Value, b: &Value| {
        a.as_object()
            .into_iter()
            .flatten()
            .all(|(field, value)| MUTABLE.contains(&field.as_str()) || same(Some(value), get(b, field)))
    };
    holds(new, old) && holds(old, new)
}

fn spec(spec: &Value, scope: Scope) -> Vec<Error> {
    let path = Path::new("spec");
    let mut errors = Vec::new();
    let (policy, policy_at) = (text(spec, "podManagementPolicy"), path.child("podManagementPolicy"));
    if !matches!(policy, "" | "OrderedReady" | "Parallel") {
        errors.invalid(&policy_at, policy, "must be 'OrderedReady' or 'Parallel'");
    }
    errors.extend(strategy(at(spec, "/updateStrategy"), &path.child("updateStrategy")));
    errors.extend(retention(spec, &path));
    if scope.fixed {
        errors.extend(claims(spec, &path));
    }
    errors.extend(not_negatives(spec, &["replicas", "minReadySeconds"], &path));
    errors.extend(not_negatives(at(spec, "/ordinals"), &["start"], &path.child("ordinals")));
    let (service, service_at) = (text(spec, "serviceName"), path.child("serviceName"));
    if scope.fixed && !service.is_empty() {
        let complaints = name::label(service);
        errors.extend(complaints.into_iter().map(|why| Error::invalid(&service_at, service, why)));
    }
    let (of_selector, usable) = selector(spec, &path, "statefulset");
    errors.extend(of_selector);
    if usable {
        errors.extend(template(spec, &path, scope));
    } else {
        errors.invalid(path.child("selector"), at(spec, "/selector").clone(), "");
    }
    errors.extend(runs_always(spec, &path, "StatefulSet"));
    errors
}

/// Validates the claims that the StatefulSet creates for its pods.
fn claims(spec: &Value, path: &Path) -> Vec<Error> {
    let (check, path) = (persistent_volume_claim::create, path.child("volumeClaimTemplates"));
    let mut errors = Vec::new();
    for (index, claim) in list(spec, "volumeClaimTemplates").iter().enumerate() {
        let of_claim = check(claim).into_iter();
        let path = path.index(index);
        errors.extend(of_claim.map(|error| Error { field: format!("{path}.{}", error.field), ..error }));
    }
    errors
}

/// Validates the pod template. Its metadata is checked twice, as in kube-apiserver.
fn template(spec: &Value, path: &Path, scope: Scope) -> Vec<Error> {
    let mut errors = Vec::new();
    if !get(spec, "selector").is_some_and(label_selector::is_empty) {
        errors.extend(template_labels(spec, path));
    }
    let (template, path) = (of_pods(spec), path.child("template"));
    if scope.template {
        errors.extend(pod::template(&template, &path));
    }
    errors.extend(pod::template_metadata(&template, &path));
    errors
}

/// The template as the set uses it: without the names that every pod gets from the set, and with a volume for every claim
/// that it makes. Those come before other volumes, and instead of those of the same name.
fn of_pods(spec: &Value) -> Value {
    let mut template = at(spec, "/template").clone();
    let Some(pods) = template.get_mut("spec").and_then(Value::as_object_mut) else { return template };
    pods.shift_remove("hostname");
    pods.shift_remove("subdomain");
    let claims = list(spec, "volumeClaimTemplates");
    if claims.is_empty() {
        return template;
    }
    let mut volumes: Vec<Value> = Vec::new();
    let has = |volumes: &[Value], name: &str| volumes.iter().any(|volume| text(volume, "name") == name);
    for claim in claims {
        let name = text(at(claim, "/metadata"), "name");
        if !has(&volumes, name) {
            let source = json_tree::json!({"claimName": name});
            volumes.push(json_tree::json!({"name": name, "persistentVolumeClaim": source}));
        }
    }
    let claimed = volumes.len();
    for volume in list(at(spec, "/template/spec"), "volumes") {
        if !has(&volumes[..claimed], text(volume, "name")) {
            volumes.push(volume.clone());
        }
    }
    pods.insert("volumes".to_owned(), volumes.into());
    template
}

fn strategy(strategy: &Value, path: &Path) -> Vec<Error> {
    let (rolling, at_rolling) = (get(strategy, "rollingUpdate"), path.child("rollingUpdate"));
    match (text(strategy, "type"), rolling) {
        ("" | "RollingUpdate", rolling) => {
            rolling.map(|rolling| rolling_update(rolling, &at_rolling)).unwrap_or_default()
        }
        ("OnDelete", None) => Vec::new(),
        ("OnDelete", Some(rolling)) => {
            let ty = (APPS, "RollingUpdateStatefulSetStrategy");
            let why = "only allowed for updateStrategy 'RollingUpdate'";
            vec![invalid_struct(&at_rolling, ty, rolling, why)]
        }
        _ => {
            let value = internal::form(APPS, "StatefulSetUpdateStrategy", strategy);
            vec![Error::invalid(path, value, "must be 'RollingUpdate' or 'OnDelete'")]
        }
    }
}

fn rolling_update(rolling: &Value, path: &Path) -> Vec<Error> {
    let mut errors = not_negatives(rolling, &["partition"], path);
    if let Some(unavailable) = get(rolling, "maxUnavailable") {
        let mut of_amount = amounts(rolling, &["maxUnavailable"], path);
        if amount(unavailable) == 0 {
            of_amount.invalid(path.child("maxUnavailable"), unavailable.clone(), "cannot be 0");
        }
        errors.extend(of_amount);
    }
    errors
}

/// Validates the policy that decides whether claims are kept when a StatefulSet is deleted or scaled down.
fn retention(spec: &Value, path: &Path) -> Vec<Error> {
    let field = "persistentVolumeClaimRetentionPolicy";
    let (Some(policy), path) = (get(spec, field), path.child(field)) else { return Vec::new() };
    ["whenDeleted", "whenScaled"]
        .into_iter()
        .filter(|field| !matches!(text(policy, field), "Retain" | "Delete"))
        .map(|field| Error::not_supported(path.child(field), text(policy, field), &["Retain", "Delete"]))
        .collect()
}

/// The numbers in the status.
const STATUS: Rules = Rules {
    counts: &[
        "replicas",
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
        "observedGeneration",
        "collisionCount",
    ],
    within: &["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
    ready: "status.readyReplicas",
};

/// Validates the status of a StatefulSet.
fn update_status(object: &Value, old: &Value) -> Vec<Error> {
    with_collisions(STATUS.check(object), object, old)
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::core::workload::tests::{with, workload};
    use crate::validation::check;

    #[test]
    fn stateful_sets() {
        let set = |more: Value, expected: &str| check(&create(&workload(more)), expected);
        set(
            json!({"podManagementPolicy": "Any", "updateStrategy": {"type": "Later"}, "replicas": -1,
                "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Keep", "whenScaled": "Retain"},
                "ordinals": {"start": -1}, "serviceName": "A"}),
            "[spec.podManagementPolicy: Invalid value: \"Any\": must be 'OrderedReady' or 'Parallel', \
             spec.updateStrategy: Invalid value: {\"Type\":\"Later\",\"RollingUpdate\":null}: must be 'RollingUpdate' or 'OnDelete', \
             spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: \"Keep\": supported values: \"Retain\", \"Delete\", \
             spec.replicas: Invalid value: -1: must be greater than or equal to 0, \
             spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0, \
             spec.serviceName: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')]",
        );
        set(
            json!({"updateStrategy": {"type": "OnDelete", "rollingUpdate": {"partition": 1}}}),
            "spec.updateStrategy.rollingUpdate: Invalid value: {\"Partition\":1,\"MaxUnavailable\":null}: only allowed for updateStrategy 'RollingUpdate'",
        );
        set(
            json!({"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": -1, "maxUnavailable": 0}}}),
            "[spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0, \
             spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0]",
        );
        let change = |more: Value, expected: &str| {
            let old = workload(json!({"serviceName": "s"}));
            check(
                &update(&workload(with(json!({"serviceName": "s"}), more)["spec"].clone()), &old),
                expected,
            );
        };
        change(
            json!({"replicas": 2, "revisionHistoryLimit": 3, "minReadySeconds": 1, "ordinals": {"start": 1}}),
            "",
        );
        let forbidden = "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
        change(json!({"serviceName": "t"}), forbidden);
        change(json!({"podManagementPolicy": "Parallel"}), forbidden);
    }

    #[test]
    fn claims_of_stateful_sets_are_volumes() {
        let mut set = workload(json!({"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]}));
        set["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] =
            json!([{"name": "data", "mountPath": "/data"}]);
        let pods = &mut set["spec"]["template"]["spec"];
        pods["hostname"] = "Any".into();
        pods["subdomain"] = "Any".into();
        pods["volumes"] = json!([{"name": "data", "hostPath": {"path": ""}}]);
        check(&create(&set), "");
        set["spec"]["template"]["spec"]["volumes"] = json!([{"name": "other", "hostPath": {"path": ""}}]);
        check(&create(&set), "spec.template.spec.volumes[1].hostPath.path: Required value");
    }

    #[test]
    fn metadata_of_the_template_of_a_stateful_set_are_wrong_twice() {
        let mut set = workload(json!({}));
        set["spec"]["template"]["metadata"]["labels"]["b"] = "/".into();
        let errors = create(&set);
        let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["spec.template.labels"; 2]);
    }
}
