//! The warnings to writers of objects of the kind Job.

use json_tree::Value;

use crate::core::pod::warnings as pod;
use crate::core::workload::warnings::{is_unchanged, new_name};
use crate::validation::warnings::integer;
use field::Path;

const COMPLETIONS: i64 = 100_000;
const PARALLELISM: i64 = 10_000;

pub(crate) fn warn(job: &Value, old: Option<&Value>) -> Vec<String> {
    let mut warnings = new_name(job, old);
    if !is_unchanged(job, old) {
        warnings.extend(job_spec(&job["spec"], &Path::new("spec")));
    }
    warnings
}

pub(crate) fn job_spec(spec: &Value, path: &Path) -> Vec<String> {
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
