//! The status of a Job, which may be written by a controller other than Kubernetes' own.
//!
//! A rule holds only where what it speaks of has changed, so that a status that was accepted once does not block other
//! changes. See <https://kubernetes.io/docs/concepts/workloads/controllers/job/#delegation-of-managing-a-job-object-to-external-controller>.

use std::collections::HashSet;

use json_tree::Value;

use crate::batch::job::template::{has_condition, has_status};
use crate::batch::job::{BATCH, index, is_indexed};
use crate::core::workload::{invalid_struct, not_negatives, omitted};
use crate::validation::read::{at, get, integer, is_true, list, same, text};
use field::{AddError, Error, Path};

/// Validates an update of a Job's status.
pub(super) fn update(object: &Value, old: &Value) -> Vec<Error> {
    let change = Change { new: object, old, path: Path::new("status") };
    let mut errors = counts(at(object, "/status"), &change.path);
    change.end(&mut errors);
    change.times(&mut errors);
    change.finish(&mut errors);
    change.indexes(&mut errors);
    change.pods(&mut errors);
    change.success(&mut errors);
    change.history(&mut errors);
    errors
}

fn is_finished(job: &Value) -> bool {
    has_condition(job, "Complete") || has_condition(job, "Failed")
}

fn counts(status: &Value, path: &Path) -> Vec<Error> {
    let mut errors = not_negatives(status, &["active", "succeeded", "failed", "ready", "terminating"], path);
    let path = path.child("uncountedTerminatedPods");
    let uncounted = at(status, "/uncountedTerminatedPods");
    let mut seen: HashSet<&str> = HashSet::new();
    for field in ["succeeded", "failed"] {
        for (index, uid) in list(uncounted, field).iter().enumerate() {
            let (at, uid) = (path.child(field).index(index), uid.as_str().unwrap_or_default());
            if uid.is_empty() {
                errors.invalid(&at, uid, "must not be empty");
            } else if seen.contains(&uid) {
                errors.duplicate(&at, uid);
            } else {
                seen.insert(uid);
            }
        }
    }
    errors
}

struct Change<'a> {
    new: &'a Value,
    old: &'a Value,
    path: Path,
}

impl<'a> Change<'a> {
    fn status(&self) -> &'a Value {
        at(self.new, "/status")
    }

    fn spec(&self) -> &'a Value {
        at(self.new, "/spec")
    }

    fn is(&self, condition: &str) -> bool {
        has_condition(self.new, condition)
    }

    fn was(&self, condition: &str) -> bool {
        has_condition(self.old, condition)
    }

    fn turned(&self, condition: &str) -> bool {
        self.is(condition) != self.was(condition)
    }

    fn finished_turned(&self) -> bool {
        is_finished(self.new) != is_finished(self.old)
    }

    fn changed(&self, field: &str) -> bool {
        !same(get(self.status(), field), get(at(self.old, "/status"), field))
    }

    fn value(&self, field: &str) -> Option<&'a Value> {
        get(self.status(), field)
    }

    fn number(&self, field: &str) -> i64 {
        integer(self.status(), field).unwrap_or_default()
    }

    fn conditions(&self, why: &str) -> Error {
        omitted(&self.path.child("conditions"), why)
    }

    fn invalid(&self, field: &str, why: &str) -> Error {
        let value = self.value(field).cloned().unwrap_or_default();
        Error::invalid(self.path.named(field), value, why)
    }

    /// A Job ends in one way.
    fn end(&self, errors: &mut Vec<Error>) {
        if (self.turned("Complete") || self.turned("Failed")) && self.is("Complete") && self.is("Failed") {
            errors.push(self.conditions("cannot set Complete=True and Failed=true conditions"));
        }
        if (self.turned("Complete") || self.turned("FailureTarget"))
            && self.is("Complete")
            && self.is("FailureTarget")
        {
            errors.push(self.conditions("cannot set Complete=True and FailureTarget=true conditions"));
        }
    }

    fn times(&self, errors: &mut Vec<Error>) {
        let (start, end) = (self.value("startTime"), self.value("completionTime"));
        let end_changed = self.changed("completionTime");
        if self.turned("Complete") || end_changed {
            if end.is_some() && !self.is("Complete") {
                let why = "cannot set completionTime when there is no Complete=True condition";
                errors.push(self.invalid("completionTime", why));
            }
            if end.is_none() && self.is("Complete") {
                let why = "completionTime is required for Complete jobs";
                errors.required(self.path.child("completionTime"), why);
            }
        }
        if (self.changed("startTime") || end_changed)
            && let (Some(start), Some(end)) = (start.and_then(Value::as_str), end.and_then(Value::as_str))
            && end < start
        {
            errors.push(self.invalid("completionTime", "must be equal to or after `startTime`"));
        }
    }

    /// Validates a finished Job: what it must have before it finishes, and what it must not have any more.
    fn finish(&self, errors: &mut Vec<Error>) {
        if (self.turned("Failed") || self.changed("failedIndexes"))
            && self.is("Failed")
            && !self.is("FailureTarget")
        {
            let why = "cannot set Failed=True condition without the FailureTarget=true condition";
            errors.push(self.conditions(why));
        }
        if (self.turned("Complete") || self.turned("SuccessCriteriaMet"))
            && self.is("Complete")
            && !self.is("SuccessCriteriaMet")
        {
            let why = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition";
            errors.push(self.conditions(why));
        }
        if !is_finished(self.new) {
            return;
        }
        let ended = self.finished_turned();
        if (ended || self.changed("active")) && self.number("active") > 0 {
            errors.push(self.invalid("active", "active>0 is invalid for finished job"));
        }
        let nothing_to_do = is_true(self.spec(), "suspend") && integer(self.spec(), "completions") == Some(0);
        if (ended || self.changed("startTime")) && !nothing_to_do && self.value("startTime").is_none() {
            let why = "startTime is required for finished job";
            errors.required(self.path.child("startTime"), why);
        }
        let field = "uncountedTerminatedPods";
        let uncounted = at(self.status(), "/uncountedTerminatedPods");
        let any = ["failed", "succeeded"].iter().any(|field| !list(uncounted, field).is_empty());
        if (ended || self.changed(field)) && any {
            let why = "must be empty for finished job";
            errors.push(invalid_struct(
                &self.path.child(field),
                (BATCH, "UncountedTerminatedPods"),
                uncounted,
                why,
            ));
        }
    }

    fn indexes(&self, errors: &mut Vec<Error>) {
        let completions = integer(self.spec(), "completions");
        let retries = integer(self.spec(), "backoffLimitPerIndex");
        let completed = text(self.status(), "completedIndexes");
        let failed = self.value("failedIndexes").and_then(Value::as_str);
        let completed_changed = text(at(self.old, "/status"), "completedIndexes") != completed;
        let failed_changed = get(at(self.old, "/status"), "failedIndexes") != self.value("failedIndexes");
        if let Some(completions) = completions {
            if completed_changed && let Err(why) = index::count(completed, completions) {
                errors.push(
                    self.invalid("completedIndexes", &format!("error parsing completedIndexes: {why}")),
                );
            }
            if failed_changed
                && retries.is_some()
                && let Some(failed) = failed
                && let Err(why) = index::count(failed, completions)
            {
                errors.push(self.invalid("failedIndexes", &format!("error parsing failedIndexes: {why}")));
            }
        }
        if completed_changed && !completed.is_empty() && !is_indexed(self.spec()) {
            let why = "cannot set non-empty completedIndexes when non-indexed completion mode";
            errors.push(self.invalid("completedIndexes", why));
        }
        if failed_changed && retries.is_none() && failed.is_some() {
            let why = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
            errors.push(self.invalid("failedIndexes", why));
        }
        if (completed_changed || failed_changed)
            && let (Some(completions), Some(failed)) = (completions, failed)
            && let Some(index) = index::overlap(completed, failed, completions)
        {
            let why = format!("failedIndexes and completedIndexes overlap at index: {index}");
            errors.push(self.invalid("failedIndexes", &why));
        }
    }

    fn pods(&self, errors: &mut Vec<Error>) {
        if (self.finished_turned() || self.changed("terminating"))
            && is_finished(self.new)
            && self.number("terminating") > 0
        {
            errors.push(self.invalid("terminating", "terminating>0 is invalid for finished job"));
        }
        if (self.changed("ready") || self.changed("active")) && self.number("ready") > self.number("active") {
            errors.push(self.invalid("ready", "cannot set more ready pods than active"));
        }
    }

    fn success(&self, errors: &mut Vec<Error>) {
        let met = self.is("SuccessCriteriaMet");
        if met && self.is("Failed") {
            errors.push(self.conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions"));
        }
        if met && self.is("FailureTarget") {
            errors.push(
                self.conditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"),
            );
        }
        if get(self.spec(), "successPolicy").is_some() && !met && self.is("Complete") {
            let why = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True";
            errors.push(self.conditions(why));
        }
    }

    /// Validates that what the status has recorded does not change back: conditions, counters and times.
    fn history(&self, errors: &mut Vec<Error>) {
        for condition in ["Failed", "Complete", "FailureTarget"] {
            if self.was(condition) && !self.is(condition) {
                errors.push(
                    self.conditions(&format!("cannot disable the terminal {condition}=True condition")),
                );
            }
        }
        let spec = self.spec();
        let scales = is_indexed(spec) && same(get(spec, "completions"), get(spec, "parallelism"));
        for (field, holds) in [("failed", true), ("succeeded", !scales)] {
            let before = integer(at(self.old, "/status"), field).unwrap_or_default();
            if holds && self.number(field) < before {
                let (at, why) = (self.path.child(field), format!("cannot decrease the {field} counter"));
                errors.invalid(&at, self.number(field), why);
            }
        }
        let before = |field: &str| get(at(self.old, "/status"), field).is_some();
        let (end, start) = ("completionTime", "startTime");
        if self.value(end).is_some() && before(end) && self.changed(end) {
            errors.push(self.invalid(end, "field is immutable"));
        }
        let resumes = self.was("Suspended") && has_status(self.new, "Suspended", "False");
        if before(start) && self.changed(start) && !is_true(spec, "suspend") && !resumes {
            errors.push(self.invalid(start, "field is immutable for unsuspended job once set"));
        }
        let (met, was_met) = (self.is("SuccessCriteriaMet"), self.was("SuccessCriteriaMet"));
        if was_met && !met {
            errors.push(self.conditions("cannot disable the SuccessCriteriaMet=True condition"));
        }
        if self.was("Complete") && !was_met && met {
            let why = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
            errors.push(self.conditions(why));
        }
    }
}
