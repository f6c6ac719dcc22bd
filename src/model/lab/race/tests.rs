//! The race, against a server.

use std::time::Duration;

use crate::cluster::embedded::in_process::InProcess;
use crate::cluster::{Body, Transport};
use crate::model::lab::race::*;

fn send(cluster: &InProcess, request: Request) -> (u16, Value) {
    let answer = futures::executor::block_on(cluster.send(request)).unwrap();
    let Body::Bytes(body) = answer.body else { panic!("a stream") };
    (answer.status, serde_json::from_slice(&body).unwrap())
}

/// Runs these steps, and gives the race, the status codes, and the data that the server has at the end.
#[track_caller]
fn run(mode: Mode, steps: &[(usize, Step)]) -> (Race, Vec<u16>, Vec<(String, String)>) {
    let cluster = InProcess::new(Duration::from_secs(1_800_000_000), 1);
    let mut race = Race::new(mode, "default");
    for request in race.start() {
        send(&cluster, request);
    }
    let mut codes = Vec::new();
    for (who, step) in steps {
        assert!(race.can(*who, *step), "{who} {step:?} {race:?}");
        if *step == Step::Change {
            race.change(*who);
            continue;
        }
        let (code, body) = send(&cluster, race.request(*who, *step).unwrap());
        codes.push(code);
        race.answered(*who, *step, code, &body);
    }
    let (_, truth) = send(&cluster, Request::get(&race.path()));
    (race, codes, Copy::of(&truth).unwrap().data)
}

#[track_caller]
fn check(mode: Mode, codes: &[u16], outcome: Outcome, data: &[(&str, &str)]) {
    let (race, answered, truth) = run(mode, &Race::script(mode));
    let truth: Vec<(&str, &str)> = truth.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(
        (answered.as_slice(), race.outcome, truth.as_slice()),
        (codes, Some(outcome), data),
        "{mode:?}"
    );
}

#[test]
fn a_late_update_conflicts_and_succeeds_when_it_is_made_again() {
    check(Mode::Update, &[200, 200, 200, 409, 200, 200], Outcome::Both, &[("counter", "2")]);
    let (race, _, _) = run(Mode::Update, &Race::script(Mode::Update)[..6]);
    assert_eq!(race.outcome, Some(Outcome::Conflict(1)));
    assert!(race.clients[1].refused() && !race.can(1, Step::Write) && race.can(1, Step::Read));
    let told = race.clients[1].told.as_ref().unwrap();
    assert!(told.message.contains("the object has been modified"), "{told:?}");
}

#[test]
fn an_update_without_a_version_loses_what_it_has_not_seen() {
    check(Mode::Overwrite, &[200, 200, 200, 200], Outcome::Lost(0), &[("counter", "1")]);
}

#[test]
fn patches_of_different_keys_both_stay() {
    check(Mode::Patch, &[200, 200, 200, 200], Outcome::Both, &[("alice", "1"), ("bob", "1")]);
}

#[test]
fn whoever_applies_what_somebody_else_owns_has_to_force_it() {
    check(Mode::Apply, &[200, 200, 200, 409, 200], Outcome::Taken(1), &[("counter", "20")]);
    let (race, _, _) = run(Mode::Apply, &Race::script(Mode::Apply)[..6]);
    assert_eq!(race.outcome, Some(Outcome::Owned(0)));
    assert!(race.can(1, Step::Force) && !race.can(1, Step::Write));
}

#[test]
fn one_after_the_other_is_no_race() {
    let turn = |who| [(who, Step::Read), (who, Step::Change), (who, Step::Write)];
    for mode in [Mode::Update, Mode::Overwrite] {
        let (race, codes, data) = run(mode, &[turn(0), turn(1)].concat());
        assert_eq!((codes, race.outcome), (vec![200; 4], Some(Outcome::Both)), "{mode:?}");
        assert_eq!(data, [("counter".to_owned(), "2".to_owned())]);
    }
}

#[test]
fn nothing_can_be_done_before_it_has_begun_or_while_one_waits() {
    let mut race = Race::default();
    assert!(!race.can(0, Step::Read));
    race = Race::new(Mode::Update, "default");
    assert!(race.can(0, Step::Read) && !race.can(0, Step::Change) && !race.can(0, Step::Write));
    race.clients[0].waits = true;
    assert!(!race.can(0, Step::Read) && race.can(1, Step::Read));
    assert_eq!(race.request(0, Step::Write), None);
    race.answered(0, Step::Read, 404, &json!({"kind": "Status", "message": "not found"}));
    assert_eq!((race.clients[0].copy.as_ref(), race.clients[0].waits), (None, false));
}
