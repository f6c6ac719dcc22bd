//! The inputs that fuzzing found, and the documents that it learnt from, are read once more. They are also read with
//! small changes, chosen by a random generator with a fixed seed.

#[path = "../../../fuzz/changes.rs"]
mod changes;
#[path = "../../../fuzz/readers.rs"]
mod readers;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often each document is changed.
const CHANGES: usize = 40;
/// How long a document may take: a hundred times what the slowest does.
const PATIENCE: Duration = Duration::from_secs(20);

fn documents(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let files = fs::read_dir(&folder).expect("the folder of the corpus");
    let mut all: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    all.sort();
    all.into_iter().map(|path| (path.clone(), fs::read(path).expect("a file"))).collect()
}

/// Xorshift.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }

    /// The document with up to four changes: bytes of its own, of another one or of any kind, gone, twice or elsewhere.
    fn change(&mut self, document: &[u8], other: &[u8]) -> Vec<u8> {
        let mut bytes = document.to_vec();
        for _ in 0..=self.roll(3) {
            let (at, from) = (self.roll(bytes.len() + 1), self.roll(bytes.len() + 1));
            let end = (from + self.roll(16)).min(bytes.len());
            match self.roll(6) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.roll(8),
                1 => bytes.insert(at, self.roll(256) as u8),
                2 => drop(bytes.drain(from..end)),
                3 => {
                    let copy = bytes[from..end].to_vec();
                    bytes.splice(at..at, copy);
                }
                4 => bytes.truncate(at),
                _ => {
                    let from = self.roll(other.len());
                    let end = (from + self.roll(24)).min(other.len());
                    bytes.splice(at..at, other[from..end].iter().copied());
                }
            }
        }
        bytes
    }
}

#[test]
fn whatever_was_found_is_read() {
    for (target, read) in readers::READERS.into_iter().chain(changes::CHANGES) {
        let documents = documents(target);
        assert!(documents.len() > 10, "{target}");
        for (path, bytes) in documents {
            let begin = Instant::now();
            let outcome = std::panic::catch_unwind(|| read(&bytes));
            assert!(outcome.is_ok() && begin.elapsed() < PATIENCE, "{}", path.display());
        }
    }
}

#[test]
fn whatever_is_changed_is_read() {
    for (target, read) in readers::READERS.into_iter().chain(changes::CHANGES) {
        let documents = documents(target);
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        for (path, bytes) in &documents {
            for _ in 0..CHANGES {
                let other = dice.roll(documents.len());
                let changed = dice.change(bytes, &documents[other].1);
                let begin = Instant::now();
                let outcome = std::panic::catch_unwind(|| read(&changed));
                assert!(outcome.is_ok() && begin.elapsed() < PATIENCE, "{}: {changed:02x?}", path.display());
            }
        }
    }
}
