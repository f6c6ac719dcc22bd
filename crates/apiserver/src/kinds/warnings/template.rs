//! Whatever makes pods from a template. A change is looked at only if it makes a new generation.

use json_tree::Value;

use super::{pod, storage};
use crate::kinds::warnings::{integer, list, pod_names};
use field::Path;

const COMPLETIONS: i64 = 100_000;
const PARALLELISM: i64 = 10_000;

fn is_unchanged(object: &Value, old: Option<&Value>) -> bool {
    old.is_some_and(|old| object["metadata"]["generation"] == old["metadata"]["generation"])
}

pub(crate) fn pod_template(template: &Value, old: Option<&Value>) -> Vec<String> {
    if is_unchanged(template, old) {
        return Vec::new();
    }
    pod::template(&template["template"], &Path::new("template"))
}

/// A workload without a say in the hostnames of its pods.
pub(crate) fn workload(object: &Value, old: Option<&Value>) -> Vec<String> {
    if is_unchanged(object, old) {
        return Vec::new();
    }
    pod::template(&object["spec"]["template"], &Path::new("spec").child("template"))
}

pub(crate) fn named_workload(object: &Value, old: Option<&Value>) -> Vec<String> {
    let mut warnings = new_name(object, old);
    warnings.extend(workload(object, old));
    warnings
}

/// Names do not change, so that they are looked at once.
fn new_name(object: &Value, old: Option<&Value>) -> Vec<String> {
    if old.is_some() { Vec::new() } else { pod_names(object).into_iter().collect() }
}

pub(crate) fn stateful_set(set: &Value, old: Option<&Value>) -> Vec<String> {
    let (spec, path) = (&set["spec"], Path::new("spec"));
    let mut warnings = workload(set, old);
    if !is_unchanged(set, old) {
        let at = path.child("volumeClaimTemplates");
        for (index, claim) in list(spec, "volumeClaimTemplates").iter().enumerate() {
            warnings.extend(storage::claim_spec(&claim["spec"], &at.index(index).child("Spec")));
        }
    }
    if integer(spec, "revisionHistoryLimit") < 0 {
        warnings.push(format!(
            "{}: a negative value retains all historical revisions; a value >= 0 is recommended",
            path.child("revisionHistoryLimit")
        ));
    }
    warnings
}

pub(crate) fn job(job: &Value, old: Option<&Value>) -> Vec<String> {
    let mut warnings = new_name(job, old);
    if !is_unchanged(job, old) {
        warnings.extend(job_spec(&job["spec"], &Path::new("spec")));
    }
    warnings
}

pub(crate) fn cron_job(job: &Value, old: Option<&Value>) -> Vec<String> {
    let mut warnings = new_name(job, old);
    if !is_unchanged(job, old) {
        let path = Path::new("spec").child("jobTemplate").child("spec");
        warnings.extend(job_spec(&job["spec"]["jobTemplate"]["spec"], &path));
    }
    if old.is_some() && job["spec"].text("schedule").contains("TZ") {
        // So the API server spells the path.
        let warning = "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
                       https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
        warnings.push(warning.to_owned());
    }
    warnings
}

fn job_spec(spec: &Value, path: &Path) -> Vec<String> {
    let mut warnings = Vec::new();
    let many = integer(spec, "completions") > COMPLETIONS && integer(spec, "parallelism") > PARALLELISM;
    if many && spec.text("completionMode") == "Indexed" {
        warnings.push(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than \
             10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
        ));
    }
    warnings.extend(pod::template(&spec["template"], &path.child("template")));
    warnings
}
