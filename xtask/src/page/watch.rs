//! Noticing that a file has changed of which the page is made.

use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

/// The files and folders that the page is made of.
const SOURCES: [&str; 9] = [
    "Cargo.lock",
    "Cargo.toml",
    "build.rs",
    "crates",
    "index.html",
    "package-lock.json",
    "src",
    "static",
    "web",
];

/// The time between two looks at the files.
const BEAT: Duration = Duration::from_millis(500);

/// How the files are: how many there are, and when the last of them was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    files: usize,
    changed: SystemTime,
}

/// Looks at the files below the root of the repository.
pub(super) fn state(root: &Path) -> State {
    let mut state = State { files: 0, changed: SystemTime::UNIX_EPOCH };
    SOURCES.iter().for_each(|source| look(&root.join(source), &mut state));
    state
}

/// Waits until the files are not as they were `seen`, and have stayed so for a beat. Returns nothing when `going` says no.
pub(super) fn wait(root: &Path, seen: State, mut going: impl FnMut() -> bool) -> Option<State> {
    let mut before = seen;
    while going() {
        thread::sleep(BEAT);
        let now = state(root);
        if now != seen && now == before {
            return Some(now);
        }
        before = now;
    }
    None
}

/// Takes in a file, or all that is in a folder. What vanishes meanwhile is not there.
fn look(path: &Path, state: &mut State) {
    if let Ok(entries) = std::fs::read_dir(path) {
        entries.flatten().for_each(|entry| look(&entry.path(), state));
    } else if let Ok(changed) = path.metadata().and_then(|metadata| metadata.modified()) {
        state.files += 1;
        state.changed = state.changed.max(changed);
    }
}
