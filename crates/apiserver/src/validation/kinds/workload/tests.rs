use super::*;
use crate::validation::kinds::check;

fn deployment(more: Value) -> Value {
    let mut spec = json!({"selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {"labels": {"app": "a"}},
        "spec": {"containers": [{"name": "c", "image": "busybox"}]}}});
    if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
        spec.extend(more);
    }
    json!({"spec": spec})
}

#[track_caller]
fn check_deployment(more: Value, expected: &str) {
    check(&create_deployment(&deployment(more)), expected);
}

#[test]
fn selectors() {
    check_deployment(json!({}), "");
    check_deployment(
        json!({"selector": null}),
        "[spec.selector: Required value, spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`]",
    );
    check_deployment(
        json!({"selector": {}}),
        "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
    );
    check_deployment(
        json!({"selector": {"matchLabels": {"app": "b"}}}),
        "spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`",
    );
    check_deployment(
        json!({"selector": {"matchExpressions": [{"key": "app", "operator": "Like", "values": ["a"]}]}}),
        "[spec.selector.matchExpressions[0].operator: Invalid value: \"Like\": not a valid selector operator, \
         spec.selector: Invalid value: {\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"Like\",\"values\":[\"a\"]}]}: invalid label selector]",
    );
    check_deployment(
        json!({"template": null}),
        "[spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`, spec.template.spec.containers: Required value]",
    );
    let old = deployment(json!({}));
    check(&update_deployment(&old, &old), "");
    let new = deployment(
        json!({"selector": {"matchLabels": {"app": "e"}}, "template": {"metadata": {"labels": {"app": "e"}},
        "spec": {"containers": [{"name": "c", "image": "busybox"}]}}}),
    );
    check(
        &update_deployment(&new, &old),
        "spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"e\"}}: field is immutable",
    );
}

#[test]
fn strategies() {
    check_deployment(
        json!({"strategy": {"type": "Blue"}}),
        "spec.strategy: Unsupported value: {\"Type\":\"Blue\",\"RollingUpdate\":null}: supported values: \"Recreate\", \"RollingUpdate\"",
    );
    check_deployment(
        json!({"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}}),
        "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    );
    check_deployment(
        json!({"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}}),
        "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
    );
    check_deployment(
        json!({"strategy": {"rollingUpdate": {"maxSurge": "lots", "maxUnavailable": "150%"}}}),
        "[spec.strategy.rollingUpdate.maxSurge: Invalid value: \"lots\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%'), \
         spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"150%\": must not be greater than 100%]",
    );
}

#[test]
fn numbers() {
    check_deployment(
        json!({"replicas": -1, "revisionHistoryLimit": -5}),
        "[spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.revisionHistoryLimit: Invalid value: -5: must be greater than or equal to 0]",
    );
}

#[test]
fn jobs() {
    let job = |more: Value| create_job(&deployment(more));
    let template = |policy: &str| {
        json!({"template": {"metadata": {"labels": {"app": "a"}},
        "spec": {"restartPolicy": policy, "containers": [{"name": "c", "image": "busybox"}]}}})
    };
    check(&job(template("Never")), "");
    check(
        &job(template("Always")),
        "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"",
    );
    let old = deployment(template("Never"));
    let mut new = old.clone();
    new["spec"]["completions"] = 5.into();
    check(&update_job(&new, &old), "spec.completions: Invalid value: 5: field is immutable");
}

#[test]
fn selectors_of_jobs_are_generated() {
    let mut job = deployment(json!({"template": {"metadata": {"labels": {"app": "a"}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox"}]}}}));
    job["metadata"] = json!({"uid": "u"});
    check(
        &create_job(&job),
        "spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"a\"}}: `selector` not auto-generated",
    );
    job["spec"]["manualSelector"] = true.into();
    check(&create_job(&job), "");
}

#[test]
fn cron_jobs() {
    let cron = |schedule: &str, policy: &str| {
        create_cron_job(
            &json!({"spec": {"schedule": schedule, "concurrencyPolicy": policy, "jobTemplate": {"spec": {"template":
            {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}}}),
        )
    };
    check(&cron("* * * * *", "Allow"), "");
    check(&cron("@hourly", ""), "");
    check(
        &cron("nope", "Nope"),
        "[spec.schedule: Invalid value: \"nope\": expected exactly 5 fields, found 1: [nope], \
         spec.concurrencyPolicy: Unsupported value: \"Nope\": supported values: \"Allow\", \"Forbid\", \"Replace\"]",
    );
    check(
        &cron("TZ=UTC 1 * * * *", "Allow"),
        "spec.schedule: Invalid value: \"TZ=UTC 1 * * * *\": cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
    );
}
