//! Metrics of the parts of requests: admission, webhooks, and the store.
//!
//! <https://kubernetes.io/docs/reference/instrumentation/metrics/>

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{DURATIONS, Families, Histogram, labels};
use crate::measure::{Measure, Part, WebhookOutcome};

/// The bounds of the buckets of admission, in seconds.
const STEPS: &[f64] = &[0.005, 0.025, 0.1, 0.5, 1.0, 2.5];
/// The bounds of the buckets of webhooks, in seconds.
const CALLS: &[f64] = &[0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 25.0];
/// Codes above this one are counted as this one.
const HIGHEST_CODE: u16 = 600;
/// The code of a call that failed.
const FAILED: u16 = 500;

/// The metrics of parts of requests.
#[derive(Default)]
pub(crate) struct Parts(Mutex<Counts>);

/// Counts by the labels of a sample.
#[derive(Default)]
struct Counts {
    steps: BTreeMap<String, Histogram>,
    calls: BTreeMap<String, Histogram>,
    responses: BTreeMap<String, u64>,
    rejections: BTreeMap<String, u64>,
    failed_open: BTreeMap<String, u64>,
    store: BTreeMap<String, Histogram>,
}

impl Parts {
    /// Counts what was measured of a request.
    pub(crate) fn observe(&self, measures: Vec<Measure>) {
        if measures.is_empty() {
            return;
        }
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        measures.into_iter().for_each(|measure| counts.observe(&measure));
    }

    /// Counts requests to the store about a resource, each of which took so long.
    pub(crate) fn stored(&self, operation: &str, [group, resource]: [&str; 2], times: usize, took: Duration) {
        let labels = labels::line(&[("group", group), ("operation", operation), ("resource", resource)]);
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let histogram = counts.store.entry(labels).or_insert_with(|| Histogram::new(DURATIONS));
        (0..times).for_each(|_| histogram.observe(took.as_secs_f64()));
    }

    /// Adds the families of metrics.
    pub(crate) fn write(&self, families: &mut Families) {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, about, histograms) in [
            ("apiserver_admission_step_admission_duration_seconds", STEP, &counts.steps),
            ("apiserver_admission_webhook_admission_duration_seconds", CALL, &counts.calls),
            ("etcd_request_duration_seconds", STORE, &counts.store),
        ] {
            families.begin(name, "histogram", about);
            histograms.iter().for_each(|(labels, histogram)| histogram.write(families, labels, 0));
        }
        for (name, about, numbers) in [
            ("apiserver_admission_webhook_fail_open_count", FAILED_OPEN, &counts.failed_open),
            ("apiserver_admission_webhook_rejection_count", REJECTION, &counts.rejections),
            ("apiserver_admission_webhook_request_total", RESPONSE, &counts.responses),
        ] {
            families.begin(name, "counter", about);
            numbers.iter().for_each(|(labels, number)| families.sample("", labels, &number.to_string()));
        }
        families.begin("etcd_requests_total", "counter", STORED);
        for (labels, histogram) in &counts.store {
            families.sample("", labels, &histogram.count().to_string());
        }
    }
}

impl Counts {
    fn observe(&mut self, measure: &Measure) {
        let Measure { part, operation, rejected, took } = measure;
        let seconds = took.as_secs_f64();
        let is_rejected = if *rejected { "true" } else { "false" };
        let (name, kind, outcome) = match part {
            Part::Admit | Part::Validate => {
                let kind = if matches!(part, Part::Admit) { "admit" } else { "validate" };
                let labels = [("operation", *operation), ("rejected", is_rejected), ("type", kind)];
                let step = self.steps.entry(labels::line(&labels));
                step.or_insert_with(|| Histogram::new(STEPS)).observe(seconds);
                return;
            }
            Part::Webhook { name, mutating, outcome } => {
                (name.as_str(), if *mutating { "admit" } else { "validating" }, *outcome)
            }
        };
        let (code, error) = match outcome {
            WebhookOutcome::Allowed => (200, None),
            WebhookOutcome::Denied(code) => (code.min(HIGHEST_CODE), Some("no_error")),
            WebhookOutcome::Failed => (FAILED, Some("calling_webhook_error")),
            WebhookOutcome::Unasked => (0, Some("apiserver_internal_error")),
        };
        let code = code.to_string();
        let mut labels =
            vec![("name", name), ("operation", *operation), ("rejected", is_rejected), ("type", kind)];
        let call = self.calls.entry(labels::line(&labels));
        call.or_insert_with(|| Histogram::new(CALLS)).observe(seconds);
        labels.insert(0, ("code", &code));
        *self.responses.entry(labels::line(&labels)).or_default() += 1;
        match error {
            Some(error) if *rejected => {
                let labels = [
                    ("error_type", error),
                    ("name", name),
                    ("operation", *operation),
                    ("rejection_code", &code),
                    ("type", kind),
                ];
                *self.rejections.entry(labels::line(&labels)).or_default() += 1;
            }
            Some(_) => {
                let labels = [("name", name), ("type", kind)];
                *self.failed_open.entry(labels::line(&labels)).or_default() += 1;
            }
            None => {}
        }
    }
}

const STEP: &str = "[STABLE] Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).";
const CALL: &str = "[STABLE] Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).";
const FAILED_OPEN: &str = "[ALPHA] Admission webhook fail open count, identified by name and broken out for each admission type (validating or admit).";
const REJECTION: &str = "[ALPHA] Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.";
const RESPONSE: &str = "[ALPHA] Admission webhook request total, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.";
const STORE: &str = "[ALPHA] Etcd request latency in seconds for each operation and object type.";
const STORED: &str = "[ALPHA] Etcd request counts for each operation and object type.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhooks_are_counted_by_their_outcome() {
        let parts = Parts::default();
        let call = |outcome, rejected| {
            let part = Part::Webhook { name: "a.b.c".to_owned(), mutating: true, outcome };
            Measure { part, operation: "CREATE", rejected, took: Duration::from_millis(30) }
        };
        let outcomes = [
            (WebhookOutcome::Allowed, false),
            (WebhookOutcome::Denied(999), true),
            (WebhookOutcome::Failed, true),
            (WebhookOutcome::Failed, false),
            (WebhookOutcome::Unasked, true),
        ];
        parts.observe(outcomes.into_iter().map(|(outcome, rejected)| call(outcome, rejected)).collect());
        let mut families = Families::default();
        parts.write(&mut families);
        let text: String = families.finish().into_iter().map(|(_, text)| text).collect();
        let name = "name=\"a.b.c\",operation=\"CREATE\"";
        for sample in [
            format!(
                "webhook_admission_duration_seconds_bucket{{{name},rejected=\"false\",type=\"admit\",le=\"0.1\"}} 2"
            ),
            format!("webhook_request_total{{code=\"600\",{name},rejected=\"true\",type=\"admit\"}} 1"),
            format!("webhook_request_total{{code=\"500\",{name},rejected=\"false\",type=\"admit\"}} 1"),
            format!(
                "webhook_rejection_count{{error_type=\"no_error\",{name},rejection_code=\"600\",type=\"admit\"}} 1"
            ),
            format!(
                "webhook_rejection_count{{error_type=\"calling_webhook_error\",{name},rejection_code=\"500\",type=\"admit\"}} 1"
            ),
            format!(
                "webhook_rejection_count{{error_type=\"apiserver_internal_error\",{name},rejection_code=\"0\",type=\"admit\"}} 1"
            ),
            "webhook_fail_open_count{name=\"a.b.c\",type=\"admit\"} 1".to_owned(),
        ] {
            let sample = ["apiserver_admission_", &sample].concat();
            assert!(text.lines().any(|line| line == sample), "{sample}\n{text}");
        }
    }
}
