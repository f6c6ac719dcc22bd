//! The programs of containers: a small shell, and what it needs to be of use. There is no image and no network: files are those that a pod
//! mounts, and those that were [written](super::volumes).
//!
//! See <https://kubernetes.io/docs/tasks/debug/debug-application/get-shell-running-container/>.

mod arithmetic;
mod beside;
mod builtins;
mod commands;
mod compound;
mod conditions;
mod environment;
mod expansion;
mod fields;
mod file_programs;
mod files;
mod images;
mod links;
mod looks;
mod objects;
mod options;
mod pipeline;
mod places;
mod printing;
mod ran;
mod redirect;
mod server;
mod serving;
mod shell;
mod syntax;
mod terminal;
#[cfg(test)]
mod tests;
mod variables;
mod words;

use std::sync::Arc;
use std::time::Duration;

use json_tree::Value;

use crate::object;

pub(super) use beside::Seen;
pub(super) use files::{Files, Written};
pub(super) use images::command_of_image;
pub(super) use links::links;
pub(super) use objects::{Objects, Reference, references};
pub(super) use places::{Place, of_container, of_pod, place_of};
pub(super) use ran::{Piece, Ran};
pub(super) use server::{Request, Response};
pub(super) use shell::{Command, Shell};
pub(super) use terminal::{Event, Terminal, to_terminal};
pub(super) use variables::Environment;

/// The surroundings of programs.
#[derive(Clone, Debug)]
struct Machine {
    hostname: String,
    environment: Environment,
    files: Files,
    /// The places of what is written.
    places: Arc<[Place]>,
    /// The time since the epoch.
    now: Duration,
}

/// Makes a shell in a container.
pub(super) fn shell(pod: &Value, container: &Value, objects: &Objects, now: Duration) -> Shell {
    let environment = environment::environment(pod, container, objects);
    let mut image = Files::default();
    images::add_files(&mut image, container.text("image"));
    let mut files = files::files(image, pod, container, objects, &environment);
    files.settle();
    let machine = Machine {
        hostname: hostname(pod).to_owned(),
        files,
        places: places::places(pod, container, objects, &environment).into(),
        environment,
        now,
    };
    Shell::new(machine, commands::find)
}

/// Tells a shell the addresses of its pod and of its node.
pub(super) fn tell_addresses(shell: &mut Shell, pod: &Value, container: &Value) {
    environment::set_addresses(&mut shell.machine.environment, pod, container);
    files::add_hosts(&mut shell.machine.files, pod);
    shell.settle();
}

/// Replaces each `$(NAME)` in a word of a command by the value of a variable that programs see.
pub(super) fn expanded(shell: &Shell, word: &str) -> String {
    expansion::expand(word, &shell.machine.environment)
}

/// Returns the name of the host that a pod believes to be on.
fn hostname(pod: &Value) -> &str {
    match pod.text_at("/spec/hostname") {
        "" => object::name(pod),
        hostname => hostname,
    }
}
