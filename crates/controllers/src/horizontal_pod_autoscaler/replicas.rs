//! As many replicas as pods would need, so that each uses as much of a resource as it is to.
//!
//! See <https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#algorithm-details>.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use json_tree::Value;

use super::metrics::{Sample, Samples};
use super::requests;
use crate::object::{self, list};
use crate::pod;
use crate::store::Shared;

/// The time after the start of a pod in which it may use more of the CPU than later.
const CPU_INITIALIZATION: Duration = Duration::from_secs(300);

/// The time after the start of a pod in which it may become unready without having been ready.
const READINESS_DELAY: Duration = Duration::from_secs(30);

/// The parts of the wanted usage by which it may be missed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerances {
    pub(super) down: f64,
    pub(super) up: f64,
}

impl Tolerances {
    /// Reports whether a ratio to the target is near enough.
    pub(super) fn allow(self, ratio: f64) -> bool {
        (1.0 - self.down..=1.0 + self.up).contains(&ratio)
    }
}

/// The usage that is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// So many percent of what is requested.
    Utilization(i64),
    /// So many thousandths for each pod.
    Average(i64),
}

/// The question how many replicas there are to be.
pub(super) struct Question<'a> {
    pub(super) pods: &'a [Shared],
    pub(super) resource: &'a str,
    /// The container that is meant; empty for all of them.
    pub(super) container: &'a str,
    pub(super) target: Target,
    pub(super) tolerances: Tolerances,
    pub(super) current: i64,
    pub(super) now: Duration,
}

/// The answer: how many replicas, and what the pods use that were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) replicas: i64,
    /// The percentage of what they request, if that is the target.
    pub(super) utilization: Option<i64>,
    /// The average in thousandths.
    pub(super) average: i64,
}

/// A measure: its ratio to the target, and what an [`Answer`] says of it.
struct Ratio {
    of_target: f64,
    utilization: Option<i64>,
    average: i64,
}

/// Calculates how many replicas are needed. The error says what is not known.
pub(super) fn calculate(question: &Question<'_>, mut samples: Samples) -> Result<Answer, String> {
    if question.pods.is_empty() {
        return Err("no pods returned by selector while calculating replica count".to_owned());
    }
    let groups = group(question, &samples);
    samples.retain(|name, _| !groups.ignored.contains(name) && !groups.unready.contains(name));
    if samples.is_empty() {
        return Err("did not receive metrics for targeted pods (pods might be unready)".to_owned());
    }
    let requests = match question.target {
        Target::Utilization(_) => requested(question)?,
        Target::Average(_) => BTreeMap::new(),
    };
    let found = ratio(question.target, &samples, &requests)?;
    let answer = |replicas| Answer { replicas, utilization: found.utilization, average: found.average };
    let (before, up) = (found.of_target, found.of_target > 1.0);
    let has_unready = up && !groups.unready.is_empty();
    if !has_unready && groups.missing.is_empty() {
        let is_near = question.tolerances.allow(before);
        return Ok(answer(if is_near { question.current } else { whole(before * groups.ready as f64) }));
    }
    // Who is not known uses as much as changes the least.
    if before < 1.0 {
        for name in &groups.missing {
            let value = match question.target {
                Target::Utilization(percent) => {
                    let request = requests.get(name).copied().unwrap_or_default();
                    request.saturating_mul(percent.max(100)) / 100
                }
                Target::Average(value) => value,
            };
            samples.insert(name.clone(), Sample { value, ..Sample::default() });
        }
    } else if up {
        let unready = groups.unready.iter().filter(|_| has_unready);
        samples.extend(groups.missing.iter().chain(unready).map(|name| (name.clone(), Sample::default())));
    }
    let after = ratio(question.target, &samples, &requests)?.of_target;
    let turns = (before < 1.0 && after > 1.0) || (up && after < 1.0);
    if question.tolerances.allow(after) || turns {
        return Ok(answer(question.current));
    }
    let replicas = whole(after * samples.len() as f64);
    let turns = (after < 1.0 && replicas > question.current) || (after > 1.0 && replicas < question.current);
    Ok(answer(if turns { question.current } else { replicas }))
}

/// Returns a number of replicas, rounded up.
pub(super) fn whole(replicas: f64) -> i64 {
    i64::from(replicas.ceil() as i32)
}

/// Returns what all pods request.
fn requested(question: &Question<'_>) -> Result<BTreeMap<String, i64>, String> {
    let request = |pod: &Shared| {
        let request = requests::of(pod, question.container, question.resource)?;
        Ok((object::name(pod).to_owned(), request))
    };
    question.pods.iter().map(request).collect()
}

/// Compares what pods use with what they are to use.
fn ratio(target: Target, samples: &Samples, requests: &BTreeMap<String, i64>) -> Result<Ratio, String> {
    let percent = match target {
        Target::Utilization(percent) => percent,
        Target::Average(target) => {
            let average = sum(samples.values().map(|sample| sample.value)) / count(samples.len());
            return Ok(Ratio { of_target: average as f64 / target as f64, utilization: None, average });
        }
    };
    let known: Vec<(i64, i64)> =
        samples.iter().filter_map(|(name, sample)| Some((sample.value, *requests.get(name)?))).collect();
    let (used, requested) = (sum(known.iter().map(|(used, _)| *used)), sum(known.iter().map(|(_, of)| *of)));
    if requested == 0 {
        return Err("no metrics returned matched known pods".to_owned());
    }
    let utilization = used.saturating_mul(100) / requested;
    let utilization = utilization.clamp(i32::MIN.into(), i32::MAX.into());
    Ok(Ratio {
        of_target: utilization as f64 / percent as f64,
        utilization: Some(utilization),
        average: used / count(known.len()),
    })
}

fn sum(values: impl Iterator<Item = i64>) -> i64 {
    values.fold(0, i64::saturating_add)
}

/// Returns a number to divide by.
fn count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX).max(1)
}

/// The pods by what is known of them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Groups {
    ready: usize,
    unready: BTreeSet<String>,
    missing: BTreeSet<String>,
    ignored: BTreeSet<String>,
}

fn group(question: &Question<'_>, samples: &Samples) -> Groups {
    let mut groups = Groups::default();
    for pod in question.pods {
        let name = object::name(pod);
        let sample = samples.get(name);
        let is_unready = |sample| question.resource == "cpu" && is_unready(pod, sample, question.now);
        let group = match (pod::phase(pod), sample) {
            (phase, _) if phase == "Failed" || object::is_being_deleted(pod) => &mut groups.ignored,
            ("Pending", _) => &mut groups.unready,
            (_, None) => &mut groups.missing,
            (_, Some(sample)) if is_unready(sample) => &mut groups.unready,
            _ => {
                groups.ready += 1;
                continue;
            }
        };
        group.insert(name.to_owned());
    }
    groups
}

/// Reports whether the CPU that a pod uses says nothing yet of what it will use.
fn is_unready(pod: &Value, sample: &Sample, now: Duration) -> bool {
    let conditions = list(pod, "/status/conditions");
    let ready = conditions.iter().find(|condition| condition.text("type") == "Ready");
    let start = pod.pointer("/status/startTime").and_then(object::time);
    let (Some(ready), Some(start)) = (ready, start) else { return true };
    let changed = ready.get("lastTransitionTime").and_then(object::time).unwrap_or_default();
    let is_false = ready.text("status") == "False";
    if start.saturating_add(CPU_INITIALIZATION) > now {
        return is_false || sample.at < changed.saturating_add(sample.window);
    }
    is_false && start.saturating_add(READINESS_DELAY) > changed
}

#[cfg(test)]
mod tests;
