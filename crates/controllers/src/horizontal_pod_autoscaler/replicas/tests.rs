use std::sync::Arc;

use json_tree::json;

use super::*;

const NOW: Duration = Duration::from_secs(10_000);

/// A pod: its phase, whether it is ready, the seconds since it was started and since that changed; and what it uses, if that is known.
type Pod = (&'static str, bool, u64, u64, Option<i64>);

const fn running(used: i64) -> Pod {
    ("Running", true, 1000, 990, Some(used))
}

const PENDING: Pod = ("Pending", false, 0, 0, None);
const UNKNOWN: Pod = ("Running", true, 1000, 990, None);

fn object((index, pod): (usize, &Pod)) -> Shared {
    let (phase, is_ready, start, changed, _) = *pod;
    let time = |ago: u64| object::timestamp(NOW - Duration::from_secs(ago));
    Arc::new(json!({
        "metadata": {"name": format!("web-{index}")},
        "spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": "100m", "memory": "100m"}}}]},
        "status": {
            "phase": phase,
            "startTime": time(start),
            "conditions": [{
                "type": "Ready",
                "status": if is_ready { "True" } else { "False" },
                "lastTransitionTime": time(changed)
            }]
        }
    }))
}

/// Compares what pods that request 100 thousandths each come to, which were measured 10 seconds ago, for 5 seconds.
#[track_caller]
fn check(
    resource: &str,
    target: Target,
    current: i64,
    pods: &[Pod],
    expected: Result<(i64, Option<i64>, i64), &str>,
) {
    let objects: Vec<Shared> = pods.iter().enumerate().map(object).collect();
    let sample = |value| Sample { at: NOW - Duration::from_secs(10), window: Duration::from_secs(5), value };
    let samples = pods.iter().enumerate();
    let samples = samples.filter_map(|(index, pod)| Some((format!("web-{index}"), sample(pod.4?))));
    let question = Question {
        pods: &objects,
        resource,
        container: "",
        target,
        tolerances: Tolerances { down: 0.1, up: 0.1 },
        current,
        now: NOW,
    };
    let found = calculate(&question, samples.collect());
    let found = found.map(|answer| (answer.replicas, answer.utilization, answer.average));
    assert_eq!(found, expected.map_err(str::to_owned), "{target:?} {pods:?}");
}

const HALF: Target = Target::Utilization(50);

#[test]
fn usage_is_compared_with_the_target() {
    check("cpu", HALF, 2, &[running(90), running(90)], Ok((4, Some(90), 90)));
    check("cpu", HALF, 2, &[running(10), running(11)], Ok((1, Some(10), 10)));
    check("cpu", HALF, 2, &[running(55), running(55)], Ok((2, Some(55), 55)));
    check("cpu", HALF, 2, &[running(56), running(56)], Ok((3, Some(56), 56)));
    check("cpu", HALF, 2, &[running(45), running(45)], Ok((2, Some(45), 45)));
    check("cpu", HALF, 2, &[running(0), running(0)], Ok((0, Some(0), 0)));
    check("cpu", Target::Average(30), 2, &[running(90), running(30)], Ok((4, None, 60)));
    check("memory", HALF, 1, &[running(100)], Ok((2, Some(100), 100)));
}

#[test]
fn pods_that_are_not_known_use_what_changes_least() {
    // As if they used nothing, where there would be more.
    check("cpu", HALF, 3, &[running(100), running(100), UNKNOWN], Ok((4, Some(100), 100)));
    check("cpu", HALF, 3, &[running(60), running(60), UNKNOWN], Ok((3, Some(60), 60)));
    // As if they used what they request, where there would be fewer.
    check("cpu", HALF, 3, &[running(1), running(1), UNKNOWN], Ok((3, Some(1), 1)));
    check(
        "cpu",
        Target::Utilization(90),
        4,
        &[running(1), running(1), running(1), UNKNOWN],
        Ok((2, Some(1), 1)),
    );
    check("cpu", Target::Average(50), 3, &[running(1), running(1), UNKNOWN], Ok((2, None, 1)));
}

#[test]
fn pods_that_are_not_ready_use_nothing_where_there_would_be_more() {
    check("cpu", HALF, 4, &[running(90), running(90), PENDING, PENDING], Ok((4, Some(90), 90)));
    check("cpu", HALF, 3, &[running(100), running(100), PENDING], Ok((4, Some(100), 100)));
    check("cpu", HALF, 3, &[running(10), running(10), PENDING], Ok((1, Some(10), 10)));
    // One that has never been ready.
    let never = ("Running", false, 1000, 980, Some(500));
    check("cpu", HALF, 2, &[running(50), never], Ok((2, Some(50), 50)));
    check("memory", HALF, 2, &[running(50), never], Ok((11, Some(275), 275)));
    // One that has been ready counts, and one that has just begun does not.
    check("cpu", HALF, 2, &[running(50), ("Running", false, 1000, 900, Some(150))], Ok((4, Some(100), 100)));
    check("cpu", HALF, 2, &[running(50), ("Running", true, 200, 12, Some(150))], Ok((2, Some(50), 50)));
    check("cpu", HALF, 2, &[running(50), ("Running", true, 200, 100, Some(150))], Ok((4, Some(100), 100)));
}

#[test]
fn what_is_not_known_is_told() {
    let none = "did not receive metrics for targeted pods (pods might be unready)";
    check("cpu", HALF, 1, &[], Err("no pods returned by selector while calculating replica count"));
    check("cpu", HALF, 1, &[PENDING], Err(none));
    check("cpu", HALF, 1, &[UNKNOWN], Err(none));
    check("cpu", HALF, 1, &[("Failed", true, 1000, 990, Some(5))], Err(none));
    check("gpu", HALF, 1, &[running(5)], Err("missing request for gpu in container app of Pod web-0"));
    check("gpu", Target::Average(5), 1, &[running(5)], Ok((1, None, 5)));
}

#[test]
fn no_amount_is_too_large() {
    let most = i64::from(i32::MAX);
    check(
        "cpu",
        HALF,
        1,
        &[running(i64::MAX), running(i64::MAX)],
        Ok((85_899_346, Some(most), i64::MAX / 2)),
    );
    check("cpu", Target::Average(1), 1, &[running(i64::MAX)], Ok((most, None, i64::MAX)));
    check("cpu", Target::Average(0), 1, &[running(5)], Ok((most, None, 5)));
    check("cpu", Target::Average(0), 1, &[running(0)], Ok((0, None, 0)));
    check("cpu", Target::Utilization(-1), 1, &[running(5)], Ok((-5, Some(5), 5)));
}
