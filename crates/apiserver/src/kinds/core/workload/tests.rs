use json_tree::json;

use super::*;
use crate::kinds::apps::{controller_revision, daemon_set, deployment, replica_set, stateful_set};
use crate::kinds::batch::cron_job;
use crate::kinds::core::replication_controller;
use crate::validation::check;

/// An object whose spec has a template, a selector for it, and more.
pub(super) fn workload(more: Value) -> Value {
    with(
        json!({"selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {"labels": {"app": "a"}},
        "spec": {"containers": [{"name": "c", "image": "busybox"}]}}}),
        more,
    )
}

/// An object with the spec and more.
pub(crate) fn with(mut spec: Value, more: Value) -> Value {
    if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
        spec.extend(more);
    }
    json!({"metadata": {"name": "a", "namespace": "default"}, "spec": spec})
}

type Create = fn(&Value) -> Vec<Error>;

const KINDS: [Create; 4] =
    [deployment::create, replica_set::create, stateful_set::create, daemon_set::create];

#[track_caller]
fn check_all(more: &Value, expected: [&str; 4]) {
    for (create, expected) in KINDS.iter().zip(expected) {
        check(&create(&workload(more.clone())), expected);
    }
}

#[test]
fn selectors() {
    check_all(&json!({}), [""; 4]);
    let mismatch = "spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`";
    let missing = format!("[spec.selector: Required value, {mismatch}]");
    check_all(&json!({"selector": null}), [&missing, &missing, &missing, mismatch]);
    check_all(&json!({"selector": {"matchLabels": {"app": "b"}}}), [mismatch; 4]);
    let empty = "spec.selector: Invalid value: {}: empty selector is invalid for";
    let [deployment, set, daemons] =
        ["deployment", "statefulset", "daemonset"].map(|kind| format!("{empty} {kind}"));
    check_all(&json!({"selector": {}}), [&deployment, &deployment, &set, &daemons]);
    let operator =
        "spec.selector.matchExpressions[0].operator: Invalid value: \"Like\": not a valid selector operator";
    let value = "{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"Like\"}]}";
    let invalid = format!("[{operator}, spec.selector: Invalid value: {value}: invalid label selector]");
    let set = format!("[{operator}, spec.selector: Invalid value: {value}]");
    check_all(
        &json!({"selector": {"matchExpressions": [{"key": "app", "operator": "Like"}]}}),
        [&invalid, &invalid, &set, operator],
    );
}

#[test]
fn templates() {
    let template = json!({"metadata": {"labels": {"app": "a"}}, "spec": {"restartPolicy": "Never",
        "activeDeadlineSeconds": 1, "containers": [{"name": "c", "image": "busybox"}]}});
    let expected = ["ReplicaSet", "ReplicaSet", "StatefulSet", "DaemonSet"].map(|kind| {
        format!(
            "[spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\", \
             spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in {kind} is not Supported]"
        )
    });
    check_all(&json!({ "template": template }), expected.each_ref().map(String::as_str));
}

#[test]
fn deployments() {
    let deployment = |more: Value, expected: &str| check(&deployment::create(&workload(more)), expected);
    deployment(
        json!({"template": null}),
        "[spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`, spec.template.spec.containers: Required value]",
    );
    deployment(
        json!({"strategy": {"type": "Blue"}}),
        "spec.strategy: Unsupported value: {\"Type\":\"Blue\",\"RollingUpdate\":null}: supported values: \"Recreate\", \"RollingUpdate\"",
    );
    deployment(
        json!({"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}}),
        "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    );
    deployment(
        json!({"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}}),
        "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
    );
    deployment(
        json!({"strategy": {"rollingUpdate": {"maxSurge": "lots", "maxUnavailable": "150%"}}}),
        "[spec.strategy.rollingUpdate.maxSurge: Invalid value: \"lots\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%'), \
         spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"150%\": must not be greater than 100%]",
    );
    deployment(
        json!({"replicas": -1, "revisionHistoryLimit": -5, "minReadySeconds": 5, "progressDeadlineSeconds": 5}),
        "[spec.replicas: Invalid value: -1: must be greater than or equal to 0, \
         spec.revisionHistoryLimit: Invalid value: -5: must be greater than or equal to 0, \
         spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds]",
    );
    let old = workload(json!({}));
    check(&deployment::update(&old, &old), "");
    let mut new = old.clone();
    new["spec"]["selector"] = json!({"matchLabels": {"app": "e"}});
    new["spec"]["template"]["metadata"]["labels"]["app"] = "e".into();
    for update in [deployment::update, replica_set::update, daemon_set::update] {
        let expected = "spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"e\"}}: field is immutable";
        check(&update(&new, &old), expected);
    }
}

#[test]
fn daemon_sets() {
    let strategy = |strategy: Value, expected: &str| {
        check(&daemon_set::create(&workload(json!({ "updateStrategy": strategy }))), expected);
    };
    strategy(json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}), "");
    strategy(json!({"type": "OnDelete"}), "");
    strategy(json!({"type": "RollingUpdate"}), "spec.updateStrategy.rollingUpdate: Required value");
    strategy(
        json!({"type": "Later"}),
        "spec.updateStrategy: Unsupported value: {\"Type\":\"Later\",\"RollingUpdate\":null}: supported values: \"RollingUpdate\", \"OnDelete\"",
    );
    strategy(
        json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%", "maxSurge": "200%"}}),
        "[spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: \"200%\": must not be greater than 100%, \
         spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: \"200%\": may not be set when maxUnavailable is non-zero]",
    );
    strategy(
        json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 0}}),
        "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
    );
}

#[test]
fn stateful_sets() {
    let set = |more: Value, expected: &str| check(&stateful_set::create(&workload(more)), expected);
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
            &stateful_set::update(&workload(with(json!({"serviceName": "s"}), more)["spec"].clone()), &old),
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
    check(&stateful_set::create(&set), "");
    set["spec"]["template"]["spec"]["volumes"] = json!([{"name": "other", "hostPath": {"path": ""}}]);
    check(&stateful_set::create(&set), "spec.template.spec.volumes[1].hostPath.path: Required value");
}

#[test]
fn metadata_of_the_template_of_a_stateful_set_are_wrong_twice() {
    let mut set = workload(json!({}));
    set["spec"]["template"]["metadata"]["labels"]["b"] = "/".into();
    let errors = stateful_set::create(&set);
    let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
    assert_eq!(fields, ["spec.template.labels"; 2]);
}

#[test]
fn the_selector_of_a_daemon_set_comes_first() {
    let (old, mut new) = (workload(json!({})), workload(json!({"minReadySeconds": -1})));
    new["spec"]["selector"]["matchLabels"] = json!({"app": "a", "b": "c"});
    new["spec"]["template"]["metadata"]["labels"]["b"] = "c".into();
    check(
        &daemon_set::update(&new, &old),
        "[spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"a\",\"b\":\"c\"}}: field is immutable, \
         spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0]",
    );
}

#[test]
fn replication_controllers() {
    let controller = |more: Value, expected: &str| {
        let spec = with(workload(json!({"selector": {"app": "a"}}))["spec"].clone(), more);
        check(&replication_controller::create(&spec), expected);
    };
    controller(json!({}), "");
    controller(
        json!({"selector": null, "template": null, "replicas": -1, "minReadySeconds": -1}),
        "[spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0, spec.selector: Required value, \
         spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.template: Required value]",
    );
    controller(
        json!({"selector": {"app": "b"}}),
        "spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`",
    );
}

#[test]
fn controller_revisions() {
    let revision = |data: Value, revision: i64| json!({"metadata": {"name": "a", "namespace": "b"}, "data": data, "revision": revision});
    check(
        &controller_revision::create(&revision(json!({"a": 1}), -1)),
        "revision: Invalid value: -1: must be greater than or equal to 0",
    );
    let data =
        |data: Value, expected: &str| check(&controller_revision::only_new(&revision(data, 1)), expected);
    data(json!({"a": 1}), "");
    data(Value::Null, "data: Required value: data is mandatory");
    data(json!([1]), "data: Required value: data must be a valid JSON object");
    check(
        &controller_revision::update(&revision(json!({"b": {"a": 1}}), 2), &revision(json!({}), 1)),
        "data: Invalid value: {\"b\":{\"a\":1}}: field is immutable",
    );
}

#[test]
fn cron_jobs() {
    let cron = |more: Value| {
        let template = json!({"spec": {"template": {"spec": {"restartPolicy": "Never",
            "containers": [{"name": "c", "image": "i"}]}}}});
        with(json!({"schedule": "* * * * *", "jobTemplate": template}), more)
    };
    let create = |more: Value, expected: &str| check(&cron_job::create(&cron(more)), expected);
    create(json!({"concurrencyPolicy": "Allow", "timeZone": "Europe/Berlin"}), "");
    create(
        json!({"schedule": "nope", "concurrencyPolicy": "Nope", "timeZone": "", "failedJobsHistoryLimit": -1}),
        "[spec.schedule: Invalid value: \"nope\": expected exactly 5 fields, found 1: [nope], \
         spec.timeZone: Invalid value: \"\": timeZone must be nil or non-empty string, \
         spec.concurrencyPolicy: Unsupported value: \"Nope\": supported values: \"Allow\", \"Forbid\", \"Replace\", \
         spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0]",
    );
    create(json!({"schedule": ""}), "spec.schedule: Required value");
    create(
        json!({"timeZone": "Mars/Base one"}),
        "spec.timeZone: Invalid value: \"Mars/Base one\": unknown time zone Mars/Base one",
    );
    create(
        json!({"timeZone": "local"}),
        "[spec.timeZone: Invalid value: \"local\": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones, \
         spec.timeZone: Invalid value: \"local\": unknown time zone local]",
    );
    let zoned = json!({"schedule": "TZ=UTC 1 * * * *"});
    create(
        zoned.clone(),
        "spec.schedule: Invalid value: \"TZ=UTC 1 * * * *\": cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
    );
    check(&cron_job::update(&cron(zoned.clone()), &cron(zoned.clone())), "");
    let both = cron(json!({"schedule": "TZ=UTC 1 * * * *", "timeZone": "Etc/UTC"}));
    check(
        &cron_job::update(&both, &cron(zoned)),
        "spec.schedule: Invalid value: \"TZ=UTC 1 * * * *\": cannot use both timeZone field and TZ or CRON_TZ in schedule",
    );
    let mut selecting = cron(json!({}));
    selecting["spec"]["jobTemplate"]["spec"]["selector"] = json!({});
    selecting["spec"]["jobTemplate"]["spec"]["manualSelector"] = true.into();
    check(
        &cron_job::create(&selecting),
        "[spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated, \
         spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: \"nil\", \"false\"]",
    );
    let mut long = cron(json!({}));
    long["metadata"]["name"] = "c".repeat(53).into();
    check(
        &cron_job::only_new(&long),
        &format!("metadata.name: Invalid value: \"{}\": must be no more than 52 characters", "c".repeat(53)),
    );
}
