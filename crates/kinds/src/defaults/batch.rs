//! Jobs. Those that a CronJob makes get their defaults when they are made, not in its template.

use super::core::{default_labels, template_labels};
use apimachinery::typed_object::TypedObject;

/// See <https://kubernetes.io/docs/concepts/workloads/controllers/job/>.
pub(super) fn job(job: &mut TypedObject<'_>) {
    if let Some(mut spec) = job.ensure("spec") {
        if !spec.is_set("completions") && !spec.is_set("parallelism") {
            spec.set("completions", 1);
        }
        spec.default("parallelism", 1);
        let retries = if spec.is_set("backoffLimitPerIndex") { i32::MAX } else { 6 };
        spec.default("backoffLimit", retries);
        spec.default("completionMode", "NonIndexed");
        spec.default("suspend", false);
        let replacement = if spec.is_set("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
        spec.default("podReplacementPolicy", replacement);
        spec.default("manualSelector", false);
    }
    let labels = template_labels(job);
    default_labels(job, labels);
}
