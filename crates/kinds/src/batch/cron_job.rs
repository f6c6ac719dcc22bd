//! The kind CronJob.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/>.

mod printer;
mod warnings;

use apimachinery::cron::Schedule;
use golang::time::Zone;
use json_tree::Value;

use crate::batch::job;
use crate::core::workload::not_negatives;
use crate::kind::{Checks, Kind, Printer, Strategy, TRACKED};
use crate::validation::read::{at, get, is_true, same, text};
use crate::validation::values::one_of;
use field::{AddError, Error, Path};

/// The kind CronJob.
pub(crate) struct CronJob;

impl Kind for CronJob {
    const GROUP: &'static str = "batch";
    const RESOURCE: &'static str = "cronjobs";
    const STRATEGY: Strategy = TRACKED;
    const POD_SPEC: Option<&'static str> = Some("/spec/jobTemplate/spec/template/spec");

    fn checks() -> Checks {
        Checks::none()
            .validate(create)
            .validate_new(only_new)
            .validate_update(update)
            .validate_part_alone("status", |_, _| Vec::new())
            .warn(warnings::warn)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// A Job gets the name of its CronJob and a suffix of eleven characters.
const NAME_LENGTH: usize = 52;

/// Validates a new CronJob.
fn create(object: &Value) -> Vec<Error> {
    spec(at(object, "/spec"), None)
}

/// Validates an updated CronJob.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    spec(at(object, "/spec"), Some(at(old, "/spec")))
}

/// The name leaves room for the suffix of its jobs.
fn only_new(object: &Value) -> Vec<Error> {
    let name = text(at(object, "/metadata"), "name");
    if name.len() <= NAME_LENGTH {
        return Vec::new();
    }
    vec![Error::invalid(Path::new("metadata").child("name"), name, "must be no more than 52 characters")]
}

fn spec(spec: &Value, old: Option<&Value>) -> Vec<Error> {
    let path = Path::new("spec");
    let zone = get(spec, "timeZone").and_then(Value::as_str);
    let mut errors = when(spec, old, zone, &path.child("schedule"));
    errors.extend(not_negatives(spec, &["startingDeadlineSeconds"], &path));
    let kept = old.is_some_and(|old| same(get(spec, "timeZone"), get(old, "timeZone")));
    if let Some(zone) = zone.filter(|_| !kept) {
        errors.extend(time_zone(zone, &path.child("timeZone")));
    }
    errors.extend(one_of(spec, "concurrencyPolicy", &["Allow", "Forbid", "Replace"], &path));
    let (template, at) = (at(spec, "/jobTemplate/spec"), path.child("jobTemplate").child("spec"));
    errors.extend(job::spec(template, &at));
    if let Some(selector) = get(template, "selector") {
        let why = "`selector` will be auto-generated";
        errors.invalid(at.child("selector"), selector.clone(), why);
    }
    if is_true(template, "manualSelector") {
        errors.not_supported(at.child("manualSelector"), true, &["nil", "false"]);
    }
    errors.extend(not_negatives(spec, &["successfulJobsHistoryLimit", "failedJobsHistoryLimit"], &path));
    errors
}

/// Validates the schedule. An update may keep a time zone in it if the old schedule has one.
fn when(spec: &Value, old: Option<&Value>, zone: Option<&str>, path: &Path) -> Vec<Error> {
    let schedule = text(spec, "schedule");
    if schedule.is_empty() {
        return vec![Error::required(path, "")];
    }
    let mut errors = Vec::new();
    if let Err(why) = Schedule::parse(schedule) {
        errors.invalid(path, schedule, why);
    }
    if schedule.contains("TZ") {
        if !old.is_some_and(|old| text(old, "schedule").contains("TZ")) {
            let why = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
            errors.invalid(path, schedule, why);
        } else if zone.is_some() {
            let why = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
            errors.invalid(path, schedule, why);
        }
    }
    errors
}

/// Validates the time zone.
fn time_zone(zone: &str, path: &Path) -> Vec<Error> {
    if zone.is_empty() {
        return vec![Error::invalid(path, zone, "timeZone must be nil or non-empty string")];
    }
    let valid = |part: &str| {
        let known = |b: u8| b.is_ascii_alphanumeric() || b".-_+".contains(&b);
        !matches!(part, "." | "..")
            && !part.starts_with('-')
            && (1..=14).contains(&part.len())
            && part.bytes().all(known)
    };
    if !zone.split('/').all(valid) {
        return vec![Error::invalid(path, zone, format!("unknown time zone {zone}"))];
    }
    let mut errors = Vec::new();
    if zone.eq_ignore_ascii_case("local") {
        let why = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        errors.invalid(path, zone, why);
    }
    if let Err(why) = Zone::load(zone) {
        errors.invalid(path, zone, why);
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::core::workload::tests::with;
    use crate::validation::check;

    #[test]
    fn cron_jobs() {
        let cron = |more: Value| {
            let template = json!({"spec": {"template": {"spec": {"restartPolicy": "Never",
                "containers": [{"name": "c", "image": "i"}]}}}});
            with(json!({"schedule": "* * * * *", "jobTemplate": template}), more)
        };
        let check_new = |more: Value, expected: &str| check(&create(&cron(more)), expected);
        check_new(json!({"concurrencyPolicy": "Allow", "timeZone": "Europe/Berlin"}), "");
        check_new(
            json!({"schedule": "nope", "concurrencyPolicy": "Nope", "timeZone": "", "failedJobsHistoryLimit": -1}),
            "[spec.schedule: Invalid value: \"nope\": expected exactly 5 fields, found 1: [nope], \
             spec.timeZone: Invalid value: \"\": timeZone must be nil or non-empty string, \
             spec.concurrencyPolicy: Unsupported value: \"Nope\": supported values: \"Allow\", \"Forbid\", \"Replace\", \
             spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0]",
        );
        check_new(json!({"schedule": ""}), "spec.schedule: Required value");
        check_new(
            json!({"timeZone": "Mars/Base one"}),
            "spec.timeZone: Invalid value: \"Mars/Base one\": unknown time zone Mars/Base one",
        );
        check_new(
            json!({"timeZone": "local"}),
            "[spec.timeZone: Invalid value: \"local\": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones, \
             spec.timeZone: Invalid value: \"local\": unknown time zone local]",
        );
        let zoned = json!({"schedule": "TZ=UTC 1 * * * *"});
        check_new(
            zoned.clone(),
            "spec.schedule: Invalid value: \"TZ=UTC 1 * * * *\": cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
        );
        check(&update(&cron(zoned.clone()), &cron(zoned.clone())), "");
        let both = cron(json!({"schedule": "TZ=UTC 1 * * * *", "timeZone": "Etc/UTC"}));
        check(
            &update(&both, &cron(zoned)),
            "spec.schedule: Invalid value: \"TZ=UTC 1 * * * *\": cannot use both timeZone field and TZ or CRON_TZ in schedule",
        );
        let mut selecting = cron(json!({}));
        selecting["spec"]["jobTemplate"]["spec"]["selector"] = json!({});
        selecting["spec"]["jobTemplate"]["spec"]["manualSelector"] = true.into();
        check(
            &create(&selecting),
            "[spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated, \
             spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: \"nil\", \"false\"]",
        );
        let mut long = cron(json!({}));
        long["metadata"]["name"] = "c".repeat(53).into();
        check(
            &only_new(&long),
            &format!(
                "metadata.name: Invalid value: \"{}\": must be no more than 52 characters",
                "c".repeat(53)
            ),
        );
    }
}
