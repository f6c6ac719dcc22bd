//! The outcome of programs.

use std::time::Duration;

/// A part of what a program does that others notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Piece {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    /// Time passes.
    Sleep(Duration),
}

/// The outcome of programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Ran {
    pub(in super::super) pieces: Vec<Piece>,
    /// The exit code.
    pub(in super::super) code: u8,
    /// True if the shell is left.
    pub(in super::super) has_exited: bool,
    /// True if the standard input was read.
    pub(in super::super) reads_stdin: bool,
}

impl Ran {
    pub(super) fn failed(words: &[&str], code: u8) -> Self {
        let mut ran = Self { code, ..Self::default() };
        ran.complain(words);
        ran
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        match self.pieces.last_mut() {
            Some(Piece::Stdout(before)) => before.extend_from_slice(bytes),
            _ if bytes.is_empty() => {}
            _ => self.pieces.push(Piece::Stdout(bytes.to_vec())),
        }
    }

    pub(super) fn complain(&mut self, words: &[&str]) {
        let line = [&words.concat(), "\n"].concat().into_bytes();
        match self.pieces.last_mut() {
            Some(Piece::Stderr(before)) => before.extend(line),
            _ => self.pieces.push(Piece::Stderr(line)),
        }
    }
}
