use json_tree::json;

use super::*;
use crate::batch::job::status;
use crate::core::workload::tests::with;
use crate::validation::check;

fn job(more: Value) -> Value {
    with(
        json!({"manualSelector": true, "selector": {"matchLabels": {"app": "a"}}, "template": {
            "metadata": {"labels": {"app": "a"}},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox"}]}}}),
        more,
    )
}

#[track_caller]
fn check_job(more: Value, expected: &str) {
    check(&create(&job(more)), expected);
}

#[test]
fn templates_end() {
    let template = |policy: &str| {
        json!({"template": {"metadata": {"labels": {"app": "a"}},
            "spec": {"restartPolicy": policy, "containers": [{"name": "c", "image": "busybox"}]}}})
    };
    check_job(template("Never"), "");
    check_job(
        template("Always"),
        "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"",
    );
    let mut failing = template("OnFailure");
    failing["podFailurePolicy"] = json!({"rules": []});
    check_job(
        failing,
        "spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is supported when podFailurePolicy is specified",
    );
}

#[test]
fn selectors_are_generated() {
    let mut job = job(json!({"manualSelector": false}));
    job["metadata"]["uid"] = "u".into();
    check(
        &create(&job),
        "[spec.template.metadata.labels[controller-uid]: Required value: must be 'u', \
         spec.template.metadata.labels[job-name]: Required value: must be 'a', \
         spec.template.metadata.labels[batch.kubernetes.io/controller-uid]: Required value: must be 'u', \
         spec.template.metadata.labels[batch.kubernetes.io/job-name]: Required value: must be 'a', \
         spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"a\"}}: `selector` not auto-generated]",
    );
    job["spec"]["selector"] = json!({"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}});
    let labels = json!({"batch.kubernetes.io/controller-uid": "u", "batch.kubernetes.io/job-name": "b",
        "controller-uid": "u", "job-name": "a"});
    job["spec"]["template"]["metadata"]["labels"] = labels.clone();
    check(
        &create(&job),
        &format!(
            "spec.template.metadata.labels[batch.kubernetes.io/job-name]: Invalid value: {labels}: must be 'a'"
        ),
    );
}

#[test]
fn indexes() {
    let indexed = |more: Value, expected: &str| {
        check_job(with(json!({"completionMode": "Indexed"}), more)["spec"].clone(), expected);
    };
    indexed(json!({"completions": 5}), "");
    indexed(json!({}), "spec.completions: Required value: when completion mode is Indexed");
    indexed(
        json!({"completions": 1, "parallelism": 100_001, "backoffLimitPerIndex": 1, "maxFailedIndexes": 100_002}),
        "[spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed, \
         spec.maxFailedIndexes: Invalid value: 100002: must be less than or equal to completions, \
         spec.maxFailedIndexes: Invalid value: 100002: must be less than or equal to 100000]",
    );
    indexed(
        json!({"completions": 100_001, "parallelism": 10_001, "backoffLimitPerIndex": 1}),
        "[spec.maxFailedIndexes: Required value: must be specified when completions is above 100000, \
         spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index]",
    );
    check_job(
        json!({"backoffLimitPerIndex": 1, "maxFailedIndexes": 1}),
        "[spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode, \
         spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode]",
    );
    check_job(
        json!({"completionMode": "Random", "maxFailedIndexes": 1}),
        "[spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified, \
         spec.completionMode: Unsupported value: \"Random\": supported values: \"NonIndexed\", \"Indexed\"]",
    );
    let mut long = job(json!({"completionMode": "Indexed", "completions": 11}));
    long["metadata"]["name"] = "j".repeat(61).into();
    let name = "j".repeat(61);
    check(
        &create(&long),
        &format!(
            "metadata.name: Invalid value: \"{name}\": will not able to create pod with invalid DNS label: {name}-10"
        ),
    );
}

#[test]
fn managers() {
    let manager = |name: &str, expected: &str| check_job(json!({ "managedBy": name }), expected);
    manager("example.com/mine", "");
    manager("", "spec.managedBy: Required value");
    manager(
        "mine",
        "spec.managedBy: Invalid value: \"mine\": must be a domain-prefixed path (such as \"acme.io/foo\")",
    );
    manager(
        "a.io/x y",
        "spec.managedBy: Invalid value: \"x y\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
    );
    manager(&format!("a.io/{}", "x".repeat(60)), "spec.managedBy: Too long: may not be more than 63 bytes");
}

#[test]
fn failure_policies() {
    let rule =
        |rule: Value, expected: &str| check_job(json!({"podFailurePolicy": {"rules": [rule]}}), expected);
    rule(json!({"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 2]}}), "");
    rule(
        json!({}),
        "[spec.podFailurePolicy.rules[0].action: Required value: valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"], \
         spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required]",
    );
    rule(
        json!({"action": "Explode", "onExitCodes": {"operator": "In", "containerName": "d", "values": [2, 0, 2]},
            "onPodConditions": [{"type": "a b", "status": "Maybe"}]}),
        "[spec.podFailurePolicy.rules[0].action: Unsupported value: \"Explode\": supported values: \"Count\", \"FailIndex\", \"FailJob\", \"Ignore\", \
         spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: \"d\": must be one of the container or initContainer names in the pod template, \
         spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator, \
         spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 2, \
         spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,0,2]: must be ordered, \
         spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), \
         spec.podFailurePolicy.rules[0].onPodConditions[0].status: Unsupported value: \"Maybe\": supported values: \"False\", \"True\", \"Unknown\", \
         spec.podFailurePolicy.rules[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported]",
    );
    rule(
        json!({"action": "FailIndex", "onExitCodes": {"values": []}}),
        "[spec.podFailurePolicy.rules[0].action: Invalid value: \"FailIndex\": requires the backoffLimitPerIndex to be set, \
         spec.podFailurePolicy.rules[0].onExitCodes.operator: Required value: valid values: [\"In\" \"NotIn\"], \
         spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is required]",
    );
    check_job(
        json!({"podFailurePolicy": {"rules": []}, "podReplacementPolicy": "TerminatingOrFailed"}),
        "spec.podReplacementPolicy: Unsupported value: \"TerminatingOrFailed\": supported values: \"Failed\"",
    );
}

#[test]
fn success_policies() {
    let policy = |policy: Value, expected: &str| {
        check_job(json!({"completionMode": "Indexed", "completions": 5, "successPolicy": policy}), expected);
    };
    policy(json!({"rules": [{"succeededIndexes": "0,2-4", "succeededCount": 4}]}), "");
    policy(
        json!({"rules": []}),
        "spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified",
    );
    policy(
        json!({"rules": [{}, {"succeededIndexes": "0,5"}, {"succeededIndexes": "1", "succeededCount": 6}]}),
        "[spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified, \
         spec.successPolicy.rules[1].succeededIndexes: Invalid value: \"0,5\": error parsing succeededIndexes: too large index: \"5\", \
         spec.successPolicy.rules[2].succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified completions), \
         spec.successPolicy.rules[2].succeededCount: Invalid value: 6: must be less than or equal to 1 (the number of indexes in the specified succeededIndexes field)]",
    );
    check_job(
        json!({"successPolicy": {"rules": [{"succeededCount": 1}]}}),
        "spec.successPolicy: Invalid value: {\"Rules\":[{\"SucceededIndexes\":null,\"SucceededCount\":1}]}: requires indexed completion mode",
    );
}

#[test]
fn changes() {
    let old = job(json!({"completions": 1, "completionMode": "NonIndexed"}));
    let change = |field: &str, value: Value, expected: &str| {
        let mut new = old.clone();
        new["spec"][field] = value;
        check(&update(&new, &old), expected);
    };
    change("completions", 5.into(), "spec.completions: Invalid value: 5: field is immutable");
    change("managedBy", "a.io/b".into(), "spec.managedBy: Invalid value: \"a.io/b\": field is immutable");
    change(
        "podFailurePolicy",
        json!({"rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [1]}}]}),
        "spec.podFailurePolicy: Invalid value: {\"Rules\":[{\"Action\":\"Ignore\",\"OnExitCodes\":{\"ContainerName\":null,\"Operator\":\"In\",\"Values\":[1]},\"OnPodConditions\":null}]}: field is immutable",
    );
    let old = job(json!({"completions": 1, "parallelism": 1, "completionMode": "Indexed"}));
    let mut new = old.clone();
    new["spec"]["completions"] = 3.into();
    check(
        &update(&new, &old),
        "spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism",
    );
    new["spec"]["parallelism"] = 3.into();
    check(&update(&new, &old), "");
}

#[test]
fn suspended_jobs_can_be_placed_elsewhere() {
    let mut old = job(json!({"suspend": true}));
    let mut new = old.clone();
    new["spec"]["template"]["metadata"]["labels"]["x"] = "y".into();
    let pods = &mut new["spec"]["template"]["spec"];
    pods["nodeSelector"] = json!({"zone": "a"});
    pods["affinity"] = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}});
    pods["containers"][0]["resources"] = json!({"requests": {"cpu": "2"}});
    let fields = |new: &Value, old: &Value| -> Vec<String> {
        template::update(new, old).into_iter().map(|error| error.field).collect()
    };
    assert_eq!(fields(&new, &old), Vec::<String>::new());
    let mut other = new.clone();
    other["spec"]["template"]["spec"]["containers"][0]["image"] = "other".into();
    assert_eq!(fields(&other, &old), ["spec.template.spec"]);
    old["status"] = json!({"startTime": "t"});
    assert_eq!(fields(&new, &old), ["spec.template"]);
    old["status"]["conditions"] = json!([{"type": "Suspended", "status": "True"}]);
    assert_eq!(fields(&new, &old), Vec::<String>::new());
    old["status"]["active"] = 1.into();
    assert_eq!(fields(&new, &old), ["spec.template"]);
}

#[track_caller]
fn check_status(spec: &Value, old: Value, new: Value, expected: &str) {
    let job = |status: Value| json!({"spec": spec, "status": status});
    check(&status::update(&job(new), &job(old)), expected);
}

fn condition(kinds: &[&str]) -> Value {
    kinds.iter().map(|kind| json!({"type": kind, "status": "True"})).collect()
}

#[test]
fn statuses() {
    check_status(
        &json!({}),
        json!({}),
        json!({"active": -1, "ready": -1, "uncountedTerminatedPods": {"succeeded": ["", "a"], "failed": ["a"]}}),
        "[status.active: Invalid value: -1: must be greater than or equal to 0, \
         status.ready: Invalid value: -1: must be greater than or equal to 0, \
         status.uncountedTerminatedPods.succeeded[0]: Invalid value: \"\": must not be empty, \
         status.uncountedTerminatedPods.failed[0]: Duplicate value: \"a\"]",
    );
    check_status(
        &json!({}),
        json!({}),
        json!({"conditions": condition(&["SuccessCriteriaMet", "Complete"]), "startTime": "2026-01-01T00:00:00Z",
            "completionTime": "2026-01-01T00:00:01Z", "succeeded": 1}),
        "",
    );
    check_status(
        &json!({}),
        json!({}),
        json!({"conditions": condition(&["Complete", "Failed"]), "active": 1, "ready": 2}),
        "[status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions, \
         status.completionTime: Required value: completionTime is required for Complete jobs, \
         status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition, \
         status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition, \
         status.active: Invalid value: 1: active>0 is invalid for finished job, \
         status.startTime: Required value: startTime is required for finished job, \
         status.ready: Invalid value: 2: cannot set more ready pods than active]",
    );
    check_status(
        &json!({"completions": 3, "backoffLimitPerIndex": 1, "completionMode": "Indexed"}),
        json!({}),
        json!({"completedIndexes": "0-1", "failedIndexes": "1,3"}),
        "[status.failedIndexes: Invalid value: \"1,3\": error parsing failedIndexes: too large index: \"3\", \
         status.failedIndexes: Invalid value: \"1,3\": failedIndexes and completedIndexes overlap at index: 1]",
    );
    check_status(
        &json!({}),
        json!({}),
        json!({"completedIndexes": "0", "failedIndexes": ""}),
        "[status.completedIndexes: Invalid value: \"0\": cannot set non-empty completedIndexes when non-indexed completion mode, \
         status.failedIndexes: Invalid value: \"\": cannot set non-null failedIndexes when backoffLimitPerIndex is null]",
    );
    check_status(
        &json!({}),
        json!({"conditions": condition(&["FailureTarget"]), "failed": 2, "succeeded": 2, "startTime": "t"}),
        json!({"failed": 1, "succeeded": 1}),
        "[status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition, \
         status.failed: Invalid value: 1: cannot decrease the failed counter, \
         status.succeeded: Invalid value: 1: cannot decrease the succeeded counter, \
         status.startTime: Invalid value: null: field is immutable for unsuspended job once set]",
    );
}

#[test]
fn times_of_jobs() {
    let (first, later) = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z");
    check_status(
        &json!({}),
        json!({"startTime": first}),
        json!({"startTime": later}),
        "status.startTime: Invalid value: \"2026-01-01T00:00:01Z\": field is immutable for unsuspended job once set",
    );
    check_status(
        &json!({}),
        json!({"startTime": first, "conditions": condition(&["Suspended"])}),
        json!({"startTime": later, "conditions": [{"type": "Suspended", "status": "False"}]}),
        "",
    );
    let complete = condition(&["SuccessCriteriaMet", "Complete"]);
    check_status(
        &json!({}),
        json!({"startTime": later}),
        json!({"startTime": later, "completionTime": first, "conditions": complete}),
        "status.completionTime: Invalid value: \"2026-01-01T00:00:00Z\": must be equal to or after `startTime`",
    );
    check_status(
        &json!({}),
        json!({"startTime": first, "completionTime": first, "conditions": complete}),
        json!({"startTime": first, "completionTime": later, "conditions": complete, "uncountedTerminatedPods": {"failed": ["a"]}}),
        "[status.uncountedTerminatedPods: Invalid value: {\"Succeeded\":null,\"Failed\":[\"a\"]}: must be empty for finished job, \
         status.completionTime: Invalid value: \"2026-01-01T00:00:01Z\": field is immutable]",
    );
}
