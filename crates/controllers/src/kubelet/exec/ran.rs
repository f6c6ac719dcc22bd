//! The outcome of programs.

use std::time::Duration;

/// A part of what a program does that others notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Piece {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    /// Time passes.
    Sleep(Duration),
    /// From here on, a real container might do something else: a program or a file is missing, or something is not understood.
    Unknown,
}

/// The place that a stream goes to.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Stdout,
    Stderr,
    File(String),
    Nowhere,
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

impl Piece {
    /// Returns the bytes that were written, to whichever output.
    pub(in super::super) fn into_output(self) -> Option<Vec<u8>> {
        match self {
            Self::Stdout(bytes) | Self::Stderr(bytes) => Some(bytes),
            Self::Sleep(_) | Self::Unknown => None,
        }
    }
}

impl Ran {
    pub(super) fn failed(words: &[&str], code: u8) -> Self {
        let mut ran = Self { code, ..Self::default() };
        ran.complain(words);
        ran
    }

    /// Makes the outcome of what a real container might do otherwise.
    pub(super) fn unknown(words: &[&str], code: u8) -> Self {
        let mut ran = Self { pieces: vec![Piece::Unknown], code, ..Self::default() };
        ran.complain(words);
        ran
    }

    /// Separates the standard output from all else.
    pub(super) fn parts(self) -> (Vec<u8>, Vec<Piece>) {
        let (mut bytes, mut others) = (Vec::new(), Vec::new());
        for piece in self.pieces {
            match piece {
                Piece::Stdout(more) => bytes.extend(more),
                piece => others.push(piece),
            }
        }
        (bytes, others)
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
