//! One program that a shell runs: its input, and its outcome.

use super::environment::Environment;
use super::ran::{Piece, Ran};
use super::shell::{DEEPEST, Shell, Stdin};

/// A program: it takes the words behind its name, and returns its exit code.
pub(super) type Program = fn(&mut Run<'_>, &[String]) -> u8;

/// Finds the program with a name.
pub(super) type Find = fn(&str) -> Option<Program>;

/// The surroundings of one program.
pub(super) struct Run<'a> {
    pub(super) shell: &'a mut Shell,
    pub(super) environment: Environment,
    pub(super) stdin: &'a mut Stdin,
    pub(super) ran: Ran,
}

impl Run<'_> {
    /// Takes the standard input.
    pub(super) fn read(&mut self) -> Vec<u8> {
        self.stdin.is_read = true;
        std::mem::take(&mut self.stdin.bytes)
    }

    /// Writes to the standard output.
    pub(super) fn print(&mut self, bytes: &[u8]) {
        let count = bytes.len().min(self.shell.budget);
        self.shell.budget -= count;
        self.shell.note_output();
        self.ran.write(&bytes[..count]);
    }

    /// Runs another program in the same surroundings.
    pub(super) fn start(&mut self, argv: &[String]) -> u8 {
        if self.shell.depth == DEEPEST {
            self.complain(&["sh: too many programs within each other"]);
            return 126;
        }
        self.shell.depth += 1;
        let ran = self.shell.start(argv, self.environment.clone(), self.stdin);
        self.shell.depth -= 1;
        self.ran.pieces.extend(ran.pieces);
        ran.code
    }

    /// Writes a line to the standard error.
    pub(super) fn complain(&mut self, words: &[&str]) {
        self.ran.complain(words);
    }

    /// Notes that the real program might do something else from here on.
    pub(super) fn guess(&mut self) {
        self.ran.pieces.push(Piece::Unknown);
    }

    /// Notes the same, unless it is known that there is nothing at a path that was not found.
    pub(super) fn guess_of(&mut self, path: &str) {
        if !self.shell.machine.files.is_known(path) {
            self.guess();
        }
    }
}
