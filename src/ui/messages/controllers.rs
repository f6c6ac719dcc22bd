//! The words about controllers: what is at work, what each waits for, and what led to a write.

use std::time::Duration;

pub(crate) const CONTROLLERS: &str = "Controllers";
pub(crate) const ABOUT: &str = "Controllers are clients of the API server. Each watches objects, compares what is there with what is wanted, and writes what is missing. With them a Deployment makes Pods, a Job comes to its end, and what nobody owns is deleted. A scheduler and three nodes come with them, whose kubelets pretend that Pods run. A scene shows in a few steps what they do.";
pub(crate) const SERVED: &str = "This server has no controllers. It has them if it is started with them: kubeglass serve --controllers='*' --nodes 3";
pub(crate) const START: &str = "Start controllers";
pub(crate) const STARTS: &str = "Starting …";
pub(crate) const STOP: &str = "Stop all";
pub(crate) const STOP_ABOUT: &str = "Ends the controllers. The objects that they have made stay.";
pub(crate) const PAUSE: &str = "Pause";
pub(crate) const PAUSE_ABOUT: &str =
    "They hear of changes and queue what they have to look at, and do nothing";
pub(crate) const RESUME: &str = "Resume";
pub(crate) const STEP: &str = "Next reconcile";
pub(crate) const STEP_ABOUT: &str = "Has one controller look at one object";
pub(crate) const UNTIL_QUIET: &str = "Until quiet";
pub(crate) const UNTIL_QUIET_ABOUT: &str =
    "Has all reconciles happen that are due, and those that come of these";
pub(crate) const ALL_PAUSED: &str = "All controllers are paused.";
pub(crate) const NAME: &str = "Controller";
pub(crate) const QUEUE: &str = "Queue";
pub(crate) const ALL_ABOUT: &str = "Those that have had nothing to do so far, too";
pub(crate) const RECONCILES: &str = "Runs";
pub(crate) const RECONCILES_ABOUT: &str = "Reconciles: how often it has looked at an object";
pub(crate) const FAILED: &str = "Failed";
pub(crate) const FAILED_ABOUT: &str = "How many of its reconciles have failed; each is tried again";
pub(crate) const MODE: &str = "Mode";
pub(crate) const MODE_ABOUT: &str = "Cut off: it hears of no change, and its requests fail. Slow: it rests for a second after each reconcile.";
pub(crate) const RUNNING: &str = "Running";
pub(crate) const PAUSED: &str = "Paused";
pub(crate) const SLOW: &str = "Slow";
pub(crate) const CUT_OFF: &str = "Cut off";
pub(crate) const STEP_ONE: &str = "Step";
pub(crate) const STEP_ONE_ABOUT: &str = "Has this controller look at one object";
pub(crate) const LATEST: &str = "Latest reconciles";
pub(crate) const NO_RECONCILES: &str = "None yet. Create a Deployment, or change one.";
pub(crate) const WROTE: &str = "wrote";
pub(crate) const SAW: &str = "saw";
pub(crate) const NOTHING_WRITTEN: &str = "wrote nothing";
pub(crate) const DUE_NOW: &str = "now";
pub(crate) const CONFLICT: &str = "409 Conflict";

pub(crate) const SCENE: &str = "Scene";
pub(crate) const BEGIN: &str = "Begin";
pub(crate) const BEGIN_ANEW: &str = "Begin anew";
pub(crate) const NEXT_STEP: &str = "Next step";
pub(crate) const STEPS: &str = "Steps of the scene";
pub(crate) const NO_CONTROLLERS: &str = "The controllers have not responded.";
pub(crate) const NO_RESPONSE: &str = "There was no response.";

pub(crate) const CAUSE_ABOUT: &str = "What led to this write, the last step first.";
pub(crate) const CAUSE_UNKNOWN: &str = "It is not known any more what led to this write.";

/// Returns the name of the button that shows all controllers.
pub(crate) fn all_controllers(count: usize) -> String {
    format!("Show all {count} controllers")
}

/// Returns how many keys more wait than are shown.
pub(crate) fn more(more: usize) -> String {
    format!("and {more} more")
}

/// Returns when a key is due, and how often it has failed.
pub(crate) fn due(wait: Duration, failures: u32) -> String {
    let when = if wait.is_zero() {
        DUE_NOW.to_owned()
    } else if wait < Duration::from_secs(1) {
        format!("in {} ms", wait.as_millis())
    } else {
        format!("in {} s", wait.as_secs())
    };
    match failures {
        0 => when,
        1 => format!("{when}, failed once"),
        _ => format!("{when}, failed {failures} times"),
    }
}

/// Returns what a reconcile came to, if it is to be done again. `pause` is the time from when it began.
pub(crate) fn again(why: &str, pause: Duration, conflict: bool) -> String {
    let when = due(pause, 0);
    match (conflict, why) {
        (true, _) => format!("{CONFLICT}: tries again {when}"),
        (false, "") => format!("tries again {when}"),
        (false, why) => format!("{why}: tries again {when}"),
    }
}

/// Returns that a reconcile looks at its object again after a time.
pub(crate) fn looks_again(pause: Duration) -> String {
    format!("looks again {}", due(pause, 0))
}

/// Returns who made a write; the change that the controller saw stands behind it, if there was one.
pub(crate) fn by_controller(name: &str, key: &str, saw: bool) -> String {
    let because = if saw { " because of change" } else { "" };
    ["by ", name, ", which looked at ", key, because].concat()
}

/// Returns that somebody in front of this page made a write.
pub(crate) fn by_own(request: &str) -> String {
    ["by your ", request].concat()
}

/// `actor` is empty if the request said nothing of who sent it.
pub(crate) fn by_request(actor: &str, request: &str) -> String {
    if actor.is_empty() { ["by ", request].concat() } else { ["by ", actor, ": ", request].concat() }
}

/// `actor` is empty if it is unknown.
pub(crate) fn by_actor(actor: &str) -> String {
    if actor.is_empty() { CAUSE_UNKNOWN.to_owned() } else { ["by ", actor].concat() }
}

/// Returns that a scene finds no name for its namespace. `count` are taken.
pub(crate) fn too_many(count: usize) -> String {
    format!("This scene has {count} namespaces already. Delete some of them.")
}

/// `why` is a sentence without its end.
pub(crate) fn trouble(why: &str) -> String {
    format!("Nothing was done: {why}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        for (millis, failures, expected) in
            [(0, 0, "now"), (40, 1, "in 40 ms, failed once"), (2500, 3, "in 2 s, failed 3 times")]
        {
            assert_eq!(due(Duration::from_millis(millis), failures), expected);
        }
    }
}
