//! A look at a Job: the Job, its pods, and what follows from them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use json_tree::{Value, json};

use super::backoff::{Backoff, finish_time};
use super::conditions::{self, End};
use super::indexes::Indexes;
use super::policies::{self, Failure};
use super::{fields, pods};
use crate::store::Shared;
use crate::{object, pod};

/// The knowledge of a Job while it is looked at, and the status that is to be written.
pub(super) struct Round {
    /// The Job, with its status as it is to be.
    pub(super) job: Value,
    pub(super) pods: Vec<Shared>,
    pub(super) active_pods: Vec<Shared>,
    /// The uids of pods that are known to be counted, though the copies say that they are not.
    pub(super) counted: BTreeSet<String>,
    /// The uids of pods that are about to be counted, as the status had them.
    pub(super) uncounted: Uncounted,
    pub(super) now: Duration,
    pub(super) succeeded: i64,
    pub(super) failed: i64,
    pub(super) active: i64,
    pub(super) ready: i64,
    pub(super) terminating: i64,
    /// The indexes that have succeeded: as the status has them, and with those since.
    pub(super) known_indexes: Indexes,
    pub(super) succeeded_indexes: Indexes,
    /// The indexes that have failed, if each index may fail.
    pub(super) failed_indexes: Option<Indexes>,
    /// The failed pods that are kept until others take their places, by their indexes.
    kept: BTreeMap<String, Shared>,
    pub(super) backoff: Backoff,
    /// The end that the Job is to come to, or has come to.
    pub(super) end: Option<End>,
}

/// The uids of pods that are about to be counted.
#[derive(Clone, Default)]
pub(super) struct Uncounted {
    pub(super) succeeded: Vec<String>,
    pub(super) failed: Vec<String>,
}

impl Uncounted {
    /// Reads them in the status of a Job.
    pub(super) fn of(job: &Value) -> Self {
        let read = |pointer: &str| {
            object::list(job, pointer).iter().map(|uid| uid.as_text().to_owned()).collect::<Vec<_>>()
        };
        Self {
            succeeded: read("/status/uncountedTerminatedPods/succeeded"),
            failed: read("/status/uncountedTerminatedPods/failed"),
        }
    }

    /// Returns how many there are.
    pub(super) fn count(&self) -> usize {
        self.succeeded.len() + self.failed.len()
    }

    /// Writes them into the status of a Job.
    pub(super) fn write(&self, job: &mut Value) {
        let mut lists = json!({});
        for (key, uids) in [("succeeded", &self.succeeded), ("failed", &self.failed)] {
            if !uids.is_empty() {
                let uids = uids.iter().map(|uid| Value::from(uid.as_str())).collect();
                object::set(&mut lists, key, Value::Array(uids));
            }
        }
        object::set(object::child(job, "status"), "uncountedTerminatedPods", lists);
    }
}

fn count(pods: &[Shared], counts: &dyn Fn(&Value) -> bool) -> i64 {
    pods.iter().filter(|pod| counts(pod)).count() as i64
}

impl Round {
    /// Begins with a Job and its pods. `backoff` are the failures before.
    pub(super) fn new(
        mut job: Value,
        pods: Vec<Shared>,
        counted: BTreeSet<String>,
        backoff: Backoff,
        now: Duration,
    ) -> Self {
        let uncounted = Uncounted::of(&job);
        uncounted.write(&mut job);
        let active_pods: Vec<Shared> = pods.iter().filter(|pod| pod::is_active(pod)).cloned().collect();
        let mut round = Self {
            active: active_pods.len() as i64,
            ready: count(&active_pods, &pod::is_ready),
            terminating: count(&pods, &pod::is_terminating),
            succeeded: 0,
            failed: 0,
            known_indexes: Indexes::default(),
            succeeded_indexes: Indexes::default(),
            failed_indexes: None,
            kept: BTreeMap::new(),
            backoff,
            end: None,
            job,
            pods,
            active_pods,
            counted,
            uncounted,
            now,
        };
        round.count_ended();
        if round.job.pointer("/status/startTime").is_none_or(Value::is_null)
            && !fields::is_suspended(&round.job)
        {
            round.start();
        }
        round
    }

    /// Has the Job begin now.
    pub(super) fn start(&mut self) {
        let now = object::timestamp(self.now);
        object::set(object::child(&mut self.job, "status"), "startTime", now.into());
    }

    /// Counts the pods that have ended.
    fn count_ended(&mut self) {
        let succeeded = self.valid_pods(&self.uncounted.succeeded, &|pod| pod::phase(pod) == "Succeeded");
        let failed = self.valid_pods(&self.uncounted.failed, &|pod| pods::has_failed(pod, &self.job));
        let counts = |pod: &Value| policies::judge(&self.job, pod) != Failure::Ignored;
        let sum = |field: &str, new: i64, uncounted: &[String]| {
            object::int(&self.job, field).saturating_add(new).saturating_add(uncounted.len() as i64)
        };
        let all_succeeded = sum("/status/succeeded", succeeded.len() as i64, &self.uncounted.succeeded);
        let all_failed = sum("/status/failed", count(&failed, &counts), &self.uncounted.failed);
        (self.succeeded, self.failed) = (all_succeeded, all_failed);
        self.backoff = self.backoff.with(&succeeded, &failed);
    }

    /// Reports whether a pod is not counted yet, as far as that is known.
    pub(super) fn is_tracked(&self, pod: &Value) -> bool {
        fields::is_tracked(pod) && !self.counted.contains(object::uid(pod))
    }

    /// Returns the pods that are neither counted nor about to be, have an index that makes sense if they need one, and pass a filter.
    fn valid_pods(&self, uncounted: &[String], passes: &dyn Fn(&Value) -> bool) -> Vec<Shared> {
        let is_indexed = fields::is_indexed(&self.job);
        let is_valid = |pod: &&Shared| {
            self.is_tracked(pod)
                && !uncounted.iter().any(|uid| uid == object::uid(pod))
                && (!is_indexed || pods::valid_index(pod, &self.job).is_some())
                && passes(pod)
        };
        self.pods.iter().filter(is_valid).cloned().collect()
    }

    /// Finds out whether the Job is to end: by what its status says already, or by failures. Pods that succeed are not looked at.
    pub(super) fn find_failure(&mut self) {
        let job = &self.job;
        self.end = if let Some(met) = conditions::find_true(job, conditions::SUCCESS_CRITERIA_MET) {
            Some(End::of(conditions::SUCCESS_CRITERIA_MET, met))
        } else if let Some(target) = conditions::find_true(job, conditions::FAILURE_TARGET) {
            Some(End::of(conditions::FAILED, target))
        } else if let Some(message) = self.failing_pod() {
            Some(failure(conditions::POD_FAILURE_POLICY, &message))
        } else if self.failed > object::int(job, "/spec/backoffLimit") || self.is_past_limit_of_restarts() {
            let message = "Job has reached the specified backoff limit";
            Some(failure(conditions::BACKOFF_LIMIT_EXCEEDED, message))
        } else if self.deadline().is_some_and(|deadline| deadline <= self.now) {
            Some(failure(conditions::DEADLINE_EXCEEDED, "Job was active longer than specified deadline"))
        } else {
            None
        };
    }

    /// Returns the message of the first pod by which the Job fails.
    fn failing_pod(&self) -> Option<String> {
        fields::failure_policy(&self.job)?;
        let mut failed = self.pods.iter().filter(|pod| pods::has_failed(pod, &self.job));
        failed.find_map(|pod| match policies::judge(&self.job, pod) {
            Failure::FailsJob(message) => Some(message),
            _ => None,
        })
    }

    /// Reports whether containers were started again too often, where that is what happens when they fail.
    fn is_past_limit_of_restarts(&self) -> bool {
        if self.job.text_at("/spec/template/spec/restartPolicy") != "OnFailure" {
            return false;
        }
        let mut restarts: i64 = 0;
        for pod in self.pods.iter().filter(|pod| ["Running", "Pending"].contains(&pod::phase(pod))) {
            for list in ["/status/initContainerStatuses", "/status/containerStatuses"] {
                for status in object::list(pod, list) {
                    restarts = restarts.saturating_add(object::int(status, "/restartCount"));
                }
            }
        }
        let limit = object::int(&self.job, "/spec/backoffLimit");
        if limit == 0 { restarts > 0 } else { restarts >= limit }
    }

    /// Returns the time until which the Job may be active, if that is limited.
    pub(super) fn deadline(&self) -> Option<Duration> {
        let seconds = fields::number(&self.job, "/spec/activeDeadlineSeconds")?;
        let start = self.job.pointer("/status/startTime").and_then(object::time)?;
        (!fields::is_suspended(&self.job)).then(|| start.saturating_add(pod::seconds(seconds)))
    }

    /// Finds out which indexes have succeeded and failed, and whether the Job is to end by that.
    pub(super) fn look_at_indexes(&mut self) {
        if !fields::is_indexed(&self.job) {
            return;
        }
        let job = &self.job;
        let completions = fields::completions(job).unwrap_or_default();
        self.known_indexes = Indexes::parse(job.text_at("/status/completedIndexes"), completions);
        let has_succeeded = |pod: &Value| pod::phase(pod) == "Succeeded";
        self.succeeded_indexes = self.known_indexes.union(&self.indexes_of_tracked(&has_succeeded));
        self.succeeded = self.succeeded_indexes.count();
        if fields::backoff_limit_per_index(job).is_some() {
            let known = Indexes::parse(job.text_at("/status/failedIndexes"), completions);
            let failed = known.union(&self.indexes_of_tracked(&|pod| pods::fails_index(pod, job)));
            if self.end.is_none() {
                self.end = failure_of_indexes(job, failed.count(), self.succeeded);
            }
            self.failed_indexes = Some(failed);
            self.kept = self.find_kept();
        }
        if self.end.is_none()
            && let Some(message) = policies::success(&self.job, completions, &self.succeeded_indexes)
        {
            self.end = Some(End::new(conditions::SUCCESS_CRITERIA_MET, "SuccessPolicy", &message));
        }
    }

    /// Returns the indexes of pods with the finalizer that pass a filter.
    fn indexes_of_tracked(&self, passes: &dyn Fn(&Value) -> bool) -> Indexes {
        let tracked = self.pods.iter().filter(|pod| fields::is_tracked(pod) && passes(pod));
        Indexes::of(tracked.filter_map(|pod| pods::valid_index(pod, &self.job)).collect())
    }

    /// Finds the last failed pod of each index that is to have another one.
    fn find_kept(&self) -> BTreeMap<String, Shared> {
        let active = self.active_pods.iter().filter_map(|pod| pods::index(pod)).collect();
        let mut done = self.succeeded_indexes.union(&Indexes::of(active));
        if let Some(failed) = &self.failed_indexes {
            done = done.union(failed);
        }
        let mut kept: BTreeMap<String, Shared> = BTreeMap::new();
        for pod in self.valid_pods(&[], &|pod| pods::has_failed(pod, &self.job)) {
            let Some(index) = pods::index(&pod) else { continue };
            if done.has(index) {
                continue;
            }
            let index = index.to_string();
            let is_later = kept.get(&index).is_none_or(|known| {
                pods::failures_before(known) <= pods::failures_before(&pod)
                    && finish_time(&pod) >= finish_time(known)
            });
            if is_later {
                kept.insert(index, pod);
            }
        }
        kept
    }

    /// Returns the failed pod of an index that is kept until another one takes its place.
    pub(super) fn kept(&self, index: i64) -> Option<&Shared> {
        self.kept.get(&index.to_string())
    }

    /// Reports whether as many pods have succeeded as are to, and none is left.
    pub(super) fn is_complete(&self) -> bool {
        let is_enough = match fields::completions(&self.job) {
            None => self.succeeded > 0,
            Some(completions) => self.succeeded >= completions,
        };
        is_enough && self.active == 0
    }
}

fn failure(reason: &str, message: &str) -> End {
    End::new(conditions::FAILURE_TARGET, reason, message)
}

/// Returns the end of a Job of which too many indexes have failed.
fn failure_of_indexes(job: &Value, failed: i64, succeeded: i64) -> Option<End> {
    if fields::number(job, "/spec/maxFailedIndexes").is_some_and(|most| failed > most) {
        let message = "Job has exceeded the specified maximal number of failed indexes";
        Some(failure(conditions::MAX_FAILED_INDEXES_EXCEEDED, message))
    } else if failed > 0 && failed.saturating_add(succeeded) >= fields::completions(job).unwrap_or_default() {
        Some(failure(conditions::FAILED_INDEXES, "Job has failed indexes"))
    } else {
        None
    }
}
