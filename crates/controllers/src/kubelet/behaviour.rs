//! Behaviours: what the containers of a pod do, as an annotation of the pod says. There is no program that would do anything else.
//!
//! The statements of an annotation are on lines of their own, or separated by semicolons. One that begins with the name of a container
//! and a colon is about that one, one that begins with an index is about the pods of that index of an indexed Job, others are about all:
//!
//! ```text
//! exit 1 after 5s
//! app: ready after 10s
//! app: never ready
//! index 1: exit 1
//! ignore TERM
//! log a line
//! log GET / 200 after 2s every 500ms
//! ```
//!
//! An init container of which no end is told exits at once with 0, unless it is a sidecar.

use std::time::Duration;

use golang::strconv::quote;
use golang::time::parse_duration;
use json_tree::Value;

use crate::object;
use crate::pod::{self, COMPLETION_INDEX};

/// The annotation.
pub(super) const ANNOTATION: &str = "kubeglass.dev/behaviour";

/// The time at which a container is ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Readiness {
    #[default]
    AtOnce,
    After(Duration),
    Never,
}

/// The behaviour of one container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Behaviour {
    /// The exit code, and how long after its start it exits; `None` if nothing is said.
    pub(super) exit: Option<(i64, Duration)>,
    pub(super) readiness: Readiness,
    /// True if it runs on until it is killed.
    pub(super) ignores_term: bool,
    /// The lines that it writes to its log.
    pub(super) writes: Vec<Writing>,
}

/// A line that a container writes to its log: so long after its start, and again in an interval, if there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Writing {
    pub(super) text: String,
    pub(super) after: Duration,
    pub(super) every: Option<Duration>,
    /// True for the last one if it has no end.
    pub(super) is_open: bool,
}

/// The shortest interval of a line.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

enum Statement {
    Exit(i64, Duration),
    Ready(Readiness),
    IgnoreTerm,
    Log(Writing),
}

/// The containers that a statement is about.
enum About<'a> {
    All,
    Container(&'a str),
    /// Those of a pod with this index.
    Index(&'a str),
}

/// Returns the behaviour of each container of a pod, those of `initContainers` first. If the annotation cannot be read, all do the
/// default, and the text says what is wrong.
pub(super) fn of_pod(pod: &Value) -> (Vec<Behaviour>, Option<String>) {
    let names = names(pod);
    let text = object::annotation(pod, ANNOTATION).unwrap_or_default();
    match read(text, &names, object::annotation(pod, COMPLETION_INDEX)) {
        Ok(behaviours) => (behaviours, None),
        Err(error) => (vec![Behaviour::default(); names.len()], Some(error)),
    }
}

/// Returns the names of the containers of a pod, those of `initContainers` first.
fn names(pod: &Value) -> Vec<&str> {
    pod::all_containers(pod).map(|container| container.text("name")).collect()
}

/// Reads an annotation of a pod, given the names of its containers, and its index if it has one.
fn read(text: &str, names: &[&str], index: Option<&str>) -> Result<Vec<Behaviour>, String> {
    let mut behaviours = vec![Behaviour::default(); names.len()];
    for statement in object::statements(text) {
        let fail = |why: &str| [&quote(statement), ": ", why].concat();
        let (about, words) = match statement.split_once(':') {
            Some((name, rest)) if !name.contains(' ') => (About::Container(name), rest),
            Some((about, rest)) if about.starts_with("index ") => {
                (About::Index(about["index ".len()..].trim()), rest)
            }
            _ => (About::All, statement),
        };
        match about {
            About::Container(name) if !names.contains(&name) => {
                return Err(fail(&["there is no container ", &quote(name)].concat()));
            }
            About::Index(of) if of.parse::<u32>().is_err() => {
                return Err(fail("an index is a number from 0"));
            }
            _ => {}
        }
        let words: Vec<&str> = words.split_whitespace().collect();
        let parsed = parse(&words).map_err(fail)?;
        let is_meant = |own: &str| match about {
            About::All => true,
            About::Container(name) => name == own,
            About::Index(of) => index == Some(of),
        };
        for (behaviour, _) in behaviours.iter_mut().zip(names).filter(|(_, own)| is_meant(own)) {
            match &parsed {
                Statement::Exit(code, after) => behaviour.exit = Some((*code, *after)),
                Statement::Ready(readiness) => behaviour.readiness = *readiness,
                Statement::IgnoreTerm => behaviour.ignores_term = true,
                Statement::Log(writing) => behaviour.writes.push(writing.clone()),
            }
        }
    }
    Ok(behaviours)
}

fn parse(words: &[&str]) -> Result<Statement, &'static str> {
    match words {
        ["exit", code] => Ok(Statement::Exit(exit_code(code)?, Duration::ZERO)),
        ["exit", code, "after", time] => Ok(Statement::Exit(exit_code(code)?, duration(time)?)),
        ["ready", "after", time] => Ok(Statement::Ready(Readiness::After(duration(time)?))),
        ["never", "ready"] => Ok(Statement::Ready(Readiness::Never)),
        ["ignore", "TERM"] => Ok(Statement::IgnoreTerm),
        ["log", line @ ..] => writing(line).map(Statement::Log),
        _ => Err("it is none of: exit CODE [after TIME], ready after TIME, never ready, ignore TERM, \
                  log TEXT [after TIME] [every TIME]"),
    }
}

/// Reads what is said of a line. Only words at the end that are followed by times tell when it is written.
fn writing(mut words: &[&str]) -> Result<Writing, &'static str> {
    let (mut after, mut every) = (None, None);
    while let [line @ .., word, time] = words {
        let place = match *word {
            "after" => &mut after,
            "every" => &mut every,
            _ => break,
        };
        let Ok(time) = duration(time) else { break };
        if place.replace(time).is_some() {
            return Err("a time is told twice");
        }
        words = line;
    }
    if every.is_some_and(|every| every < SHORTEST_INTERVAL) {
        return Err("a line can be written every 10ms, and not more often");
    }
    Ok(Writing { text: words.join(" "), after: after.unwrap_or_default(), every, is_open: false })
}

fn exit_code(text: &str) -> Result<i64, &'static str> {
    text.parse::<u8>().map(i64::from).map_err(|_| "an exit code is a number from 0 to 255")
}

fn duration(text: &str) -> Result<Duration, &'static str> {
    let nanos = parse_duration(text).ok().and_then(|nanos| u64::try_from(nanos).ok());
    nanos.map(Duration::from_nanos).ok_or("a time is a number and a unit, as 500ms, 5s or 1m30s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<[Behaviour; 2], &str>) {
        let found = read(text, &["init", "app"], Some("1"));
        assert_eq!(found, expected.map(Vec::from).map_err(str::to_owned), "{text}");
    }

    #[test]
    fn statements_are_read() {
        let default = Behaviour::default;
        check("", Ok([default(), default()]));
        let exits = |code, after| Behaviour { exit: Some((code, Duration::from_millis(after))), ..default() };
        check("exit 0", Ok([exits(0, 0), exits(0, 0)]));
        check("init: exit 3 after 1m0.5s", Ok([exits(3, 60_500), default()]));
        let never = Behaviour { readiness: Readiness::Never, ignores_term: true, ..exits(1, 2000) };
        check("app: never ready; app: ignore TERM\n\n app:exit 1 after 2s", Ok([default(), never]));
        let after = Behaviour { readiness: Readiness::After(Duration::from_secs(5)), ..default() };
        check("ready after 5s", Ok([after.clone(), after]));
        check("index 1: exit 1", Ok([exits(1, 0), exits(1, 0)]));
        check("index 0: exit 1; index 2: never ready", Ok([default(), default()]));
    }

    #[test]
    fn lines_are_read() {
        #[track_caller]
        fn check_line(text: &str, expected: &str, after: u64, every: Option<u64>) {
            let every = every.map(Duration::from_millis);
            let writing = Writing {
                text: expected.to_owned(),
                after: Duration::from_millis(after),
                every,
                is_open: false,
            };
            let app = Behaviour { writes: vec![writing], ..Behaviour::default() };
            check(&["app: ", text].concat(), Ok([Behaviour::default(), app]));
        }

        check_line("log a: b", "a: b", 0, None);
        check_line("log GET  / every 500ms after 2s", "GET /", 2000, Some(500));
        check_line("log it waits after 1s every 1s", "it waits", 1000, Some(1000));
        check_line("log day after day", "day after day", 0, None);
        check_line("log after 1s", "", 1000, None);
        check_line("log", "", 0, None);
    }

    #[test]
    fn mistakes_are_told() {
        check(
            "log a every 1ms",
            Err("\"log a every 1ms\": a line can be written every 10ms, and not more often"),
        );
        check("log a after 1s after 2s", Err("\"log a after 1s after 2s\": a time is told twice"));
        check("web: exit 1", Err("\"web: exit 1\": there is no container \"web\""));
        check("index x: exit 1", Err("\"index x: exit 1\": an index is a number from 0"));
        check("exit 256", Err("\"exit 256\": an exit code is a number from 0 to 255"));
        check(
            "exit 1 after soon",
            Err("\"exit 1 after soon\": a time is a number and a unit, as 500ms, 5s or 1m30s"),
        );
        check(
            "crash",
            Err(
                "\"crash\": it is none of: exit CODE [after TIME], ready after TIME, never ready, ignore TERM, \
                 log TEXT [after TIME] [every TIME]",
            ),
        );
    }
}
