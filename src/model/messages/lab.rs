//! The texts about API servers, races, traffic and faults.

use crate::model::lab::race::{Mode, Outcome, Step};

pub(crate) const ASIDE: &str = "Watches and controls";
pub(crate) const SERVERS: &str = "API servers";
pub(crate) const RACE: &str = "Race";
pub(crate) const ONLY_HERE: &str =
    "This is done to the cluster in this tab. Choose it at the top of the page, and it appears here.";

pub(crate) const PAUSE_TIME: &str = "Stop the time";
pub(crate) const RUN_TIME: &str = "Let the time go";
/// Steps of the time: seconds, what the button shows, and what it does.
pub(crate) const TIME_STEPS: &[(u64, &str, &str)] = &[
    (1, "+1 s", "+1 s: move the time on"),
    (10, "+10 s", "+10 s: move the time on"),
    (60, "+1 min", "+1 min: move the time on"),
];
pub(crate) const TIME_ABOUT: &str =
    "The time of the cluster, in UTC: caches that lag, bookmarks and compaction by age go by it";

pub(crate) const CUT: &str = "Cut";
pub(crate) const CUT_ABOUT: &str = "Break the connection, as a network would";
pub(crate) const CUT_HERE: &str = "cut here";
pub(crate) const STOP_ABOUT: &str = "Close the connection, as a client does that has seen enough";
pub(crate) const WAYS: &str = "Ways to go on";
pub(crate) const WAY_BOOKMARK: &str = "With its last bookmark";
pub(crate) const WAY_EVENT: &str = "Without bookmarks, from its last event";
pub(crate) const WAY_ONLY: &str = "From the last version that it saw";
pub(crate) const FILTERED_ABOUT: &str =
    "Filtered: events of its collection that its selectors have nothing to do with";

pub(crate) const SERVERS_ABOUT: &str = "API servers share one store, and each answers from watch caches of its own. A list with resourceVersion=0 gets whatever the cache has, at once; one that wants the most recent state waits until the cache has caught up.";
pub(crate) const ADD_SERVER: &str = "Add an API server";
pub(crate) const CUT_OFF: &str = "Cut it off from the store";
pub(crate) const DROP_WATCHES: &str = "Drop its watches";
pub(crate) const LAG: &str = "Lag";
pub(crate) const LAG_OF: &str = "of";
pub(crate) const LAG_ALL: &str = "all resources";
pub(crate) const REACHED: &str = "at";

pub(crate) const BACK: &str = "Back in time";
pub(crate) const BACK_SHOW: &str = "Show it";
pub(crate) const BACK_ABOUT: &str = "Why a read with resourceVersion=0 may be older than the one before it.";
pub(crate) const BACK_CUT: &str = "API server 1 is cut off from the store: its caches stand still.";
pub(crate) const BACK_WRITE: &str = "A client writes through API server 0:";
pub(crate) const BACK_WHY: &str = "For the client time has gone back. Any version was good enough for it, so neither API server did anything wrong:";
pub(crate) const BACK_MENDED: &str = "The connection is mended, and the client asks API server 1 for nothing older than it has seen. That response waits until the cache is there:";
pub(crate) const BACK_FAILED: &str =
    "The cluster has not played along: a request failed. Clear what is to fail, and show it again.";

pub(crate) const NEXT_SERVER: &str = "API server";
pub(crate) const NEXT_SERVER_ABOUT: &str =
    "The API server that the next request goes to. A watch stays where it was opened.";
pub(crate) const NEXT_IN_TURN: &str = "next in turn";
pub(crate) const FAULT: &str = "Inject failure";
pub(crate) const FAULT_ABOUT: &str = "How the next request that you send is answered. Requests of the page itself are not concerned; a conflict waits for a PUT, PATCH or DELETE of an object.";
pub(crate) const FAULT_NONE: &str = "none";
pub(crate) const FAULT_CUT: &str = "connection cut";
pub(crate) const FAULT_PENDING: &str = "1 request is to fail";
pub(crate) const FAULT_CLEAR: &str = "Let it pass";

pub(crate) const RACE_ABOUT: &str =
    "Alice and Bob change the same ConfigMap: each reads it, changes a copy of it, and writes that.";
pub(crate) const RACE_MODE: &str = "They write by";
pub(crate) const RACE_BEGIN: &str = "Begin";
pub(crate) const RACE_ANEW: &str = "Begin anew";
pub(crate) const RACE_PLAY: &str = "Play";
pub(crate) const RACE_STOP: &str = "Stop playing";
pub(crate) const RACE_TRUTH: &str = "The server has";
pub(crate) const RACE_NONE: &str = "no such object";
pub(crate) const RACE_NO_DATA: &str = "no data";
pub(crate) const RACE_UNREAD: &str = "Has read nothing yet.";
pub(crate) const RACE_HAS: &str = "Has";
pub(crate) const RACE_AGAIN: &str = "Read again and retry";
pub(crate) const RACE_FORCE: &str = "Apply with force";
pub(crate) const RACE_NO_ANSWER: &str = "No response came";
pub(crate) const RACE_SENT: &str = "Sent with the version that was read:";
pub(crate) const RACERS: [&str; 2] = ["Alice", "Bob"];

pub(crate) const TRAFFIC: &str = "Traffic";
pub(crate) const TRAFFIC_ABOUT: &str =
    "Writes to ConfigMaps in the namespace traffic, by the manager traffic. They are not among the requests.";
pub(crate) const RATE: &str = "Writes";
pub(crate) const SIZE: &str = "Objects";
pub(crate) const FILL: &str = "Create them";
pub(crate) const FILL_ABOUT: &str = "Creates ConfigMaps in the namespace traffic until there are as many";

pub(crate) const COMPARE: &str = "Compare with the server";
pub(crate) const COMPARE_NAME: &str = "Name";
pub(crate) const COMPARE_COPY: &str = "Copy";
pub(crate) const COMPARE_SERVER: &str = "Server";
pub(crate) const COMPARE_MISSING: &str = "new at the server";
pub(crate) const COMPARE_OLDER: &str = "older";
pub(crate) const COMPARE_GONE: &str = "gone at the server";

pub(crate) fn compare_more(more: usize) -> String {
    format!("and {more} more")
}

/// Describes the events that a watch would have to go through if it went on.
pub(crate) fn replay(gone: bool, events: usize, sent: usize, objects: usize) -> String {
    if gone {
        let objects = if objects == 1 { "1 object".to_owned() } else { format!("{objects} objects") };
        return format!("410 Gone: list again, {objects}");
    }
    match events {
        0 => "0 events to go through".to_owned(),
        1 if sent == 1 => "1 event, for this watch".to_owned(),
        1 => "1 event, not for this watch".to_owned(),
        _ => format!("{events} events, {sent} of them for this watch"),
    }
}

pub(crate) fn resume_unmarked(version: &str) -> String {
    format!("Resume without the bookmark, from {version}")
}

/// How many events a watch was sent, and how many not.
pub(crate) fn sent(received: u64, filtered: u64) -> String {
    format!("{received} sent, {filtered} filtered")
}

pub(crate) fn show_rows(rest: usize) -> String {
    format!("Show {rest} older")
}

pub(crate) fn server(number: usize) -> String {
    format!("API server {number}")
}

/// How an API server stands to the store.
pub(crate) fn standing(stopped: bool, behind: u64) -> String {
    let behind = match behind {
        0 => "as new as the store".to_owned(),
        1 => "1 revision behind the store".to_owned(),
        _ => format!("{behind} revisions behind the store"),
    };
    if stopped { format!("cut off, {behind}") } else { behind }
}

pub(crate) fn serves(watches: usize) -> String {
    if watches == 1 { "1 watch".to_owned() } else { format!("{watches} watches") }
}

pub(crate) fn lag(seconds: u64) -> String {
    if seconds == 0 { "none".to_owned() } else { format!("{seconds} s") }
}

/// Caches by their resources, of which some are not named.
pub(crate) fn caches(named: &[String], more: usize) -> String {
    let named = named.join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

pub(crate) fn back_read(server: usize, objects: usize) -> String {
    format!(
        "The client lists with resourceVersion=0 at API server {server}, and gets {objects} objects, as of"
    )
}

/// A way to write.
pub(crate) fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Update => "PUT with resourceVersion",
        Mode::Overwrite => "PUT without resourceVersion",
        Mode::Patch => "PATCH",
        Mode::Apply => "apply",
    }
}

/// And what that means.
pub(crate) fn mode_about(mode: Mode) -> &'static str {
    match mode {
        Mode::Update => {
            "Each adds 1 to the counter. The server takes a PUT only if the object still has the version that it names."
        }
        Mode::Overwrite => {
            "Each adds 1 to the counter. A PUT that names no version replaces the object, whatever it is by then."
        }
        Mode::Patch => {
            "Each sets a key of their own. A patch says only what is to change, and needs no version."
        }
        Mode::Apply => {
            "Each says what the counter is to be. The server knows who has set a field, and lets nobody else set it without force."
        }
    }
}

/// A step, as its button says.
pub(crate) fn step(step: Step, mode: Mode) -> &'static str {
    match (step, mode) {
        (Step::Read, _) => "Read",
        (Step::Change, _) => "Change",
        (Step::Write, Mode::Patch) => "Patch",
        (Step::Write, Mode::Apply) => "Apply",
        (Step::Write, _) => "Write",
        (Step::Force, _) => RACE_FORCE,
    }
}

/// Before the version that a step came to.
pub(crate) fn reached(step: Step) -> &'static str {
    if step == Step::Read { "read" } else { "written as" }
}

pub(crate) fn changed(value: u32) -> String {
    format!(" → {value}")
}

/// Describes the outcome of a race.
pub(crate) fn outcome(outcome: Outcome) -> String {
    let name = |who: usize| RACERS[who];
    match outcome {
        Outcome::Conflict(who) => format!(
            "{0} was late: the object has changed since {0} read it, and the server says so. Nothing is lost; {0} reads again and retries.",
            name(who)
        ),
        Outcome::Lost(who) => format!(
            "{0}’s change is lost: {1} has overwritten it without having seen it, and nobody was told. Both have added 1, and the counter is 1.",
            name(who),
            name(1 - who)
        ),
        Outcome::Owned(who) => format!(
            "{0} owns the field. {1} may give in, agree with {0} on a value, or take the field with force.",
            name(who),
            name(1 - who)
        ),
        Outcome::Taken(who) => {
            format!("{} has taken the field: {} owns it no longer.", name(who), name(1 - who))
        }
        Outcome::Both => "Both changes are there.".to_owned(),
    }
}

/// Returns the name of the outcome for tests and styles.
pub(crate) fn outcome_name(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        None => "",
        Some(Outcome::Conflict(_)) => "conflict",
        Some(Outcome::Lost(_)) => "lost",
        Some(Outcome::Owned(_)) => "owned",
        Some(Outcome::Taken(_)) => "taken",
        Some(Outcome::Both) => "both",
    }
}

pub(crate) fn rate(rate: u32) -> String {
    match rate {
        0 => "off".to_owned(),
        _ => format!("{} a second", crate::ui::messages::thousands(rate as usize)),
    }
}

pub(crate) fn burst(count: u32) -> String {
    format!("Write {} at once", crate::ui::messages::thousands(count as usize))
}

pub(crate) fn burst_at((done, asked): (u32, u32)) -> String {
    format!(
        "{} of {}",
        crate::ui::messages::thousands(done as usize),
        crate::ui::messages::thousands(asked as usize)
    )
}

pub(crate) fn burst_done(count: u32) -> String {
    format!("{} writes have been made", crate::ui::messages::thousands(count as usize))
}

pub(crate) fn size(objects: usize) -> String {
    crate::ui::messages::thousands(objects)
}

pub(crate) fn crowd(count: usize, open: usize) -> String {
    if open > 0 { format!("Close the {open} watches") } else { format!("Open {count} watches on it") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replays_are_told() {
        assert_eq!(replay(true, 0, 0, 12), "410 Gone: list again, 12 objects");
        assert_eq!(replay(false, 0, 0, 12), "0 events to go through");
        assert_eq!(replay(false, 5, 0, 12), "5 events, 0 of them for this watch");
    }

    #[test]
    fn servers_stand_somewhere() {
        assert_eq!(standing(false, 0), "as new as the store");
        assert_eq!(standing(true, 3), "cut off, 3 revisions behind the store");
        assert_eq!(caches(&["pods".to_owned(), "nodes".to_owned()], 7), "pods, nodes and 7 more");
    }

    #[test]
    fn numbers_have_commas() {
        assert_eq!([7, 1000, 12_034].map(crate::ui::messages::thousands), ["7", "1,000", "12,034"]);
    }
}
