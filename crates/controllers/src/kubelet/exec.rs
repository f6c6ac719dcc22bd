//! The programs of containers that somebody runs: a small shell, and what it needs to be of use. There is no file system and no network:
//! files are those that a pod mounts, and what is written is gone with the session.
//!
//! See <https://kubernetes.io/docs/tasks/debug/debug-application/get-shell-running-container/>.

mod commands;
mod environment;
mod expansion;
mod fields;
mod files;
mod objects;
mod shell;
mod syntax;
mod terminal;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use json_tree::Value;

use crate::object;

pub(super) use files::Files;
pub(super) use objects::{Reference, references};
pub(super) use shell::{Command, Piece, Ran, Shell, command};
pub(super) use terminal::{Event, Terminal, to_terminal};

/// The objects that a container refers to.
pub(super) type Objects = BTreeMap<Reference, Value>;

/// The surroundings of programs.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) hostname: String,
    pub(super) environment: Vec<(String, String)>,
    pub(super) files: Files,
    /// The time since the epoch.
    pub(super) now: Duration,
}

/// Makes the surroundings of the programs of a container.
pub(super) fn machine(pod: &Value, container: &Value, objects: &Objects, now: Duration) -> Machine {
    Machine {
        hostname: hostname(pod).to_owned(),
        environment: environment::environment(pod, container, objects),
        files: files::files(pod, container, objects),
        now,
    }
}

/// Returns the name of the host that a pod believes to be on.
fn hostname(pod: &Value) -> &str {
    match pod.text_at("/spec/hostname") {
        "" => object::name(pod),
        hostname => hostname,
    }
}
