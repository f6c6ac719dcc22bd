//! Counting how the work of the server grows with its input (`tests/work`).

use crate::counts::Counts;
use crate::shell::Shell;

/// The compiler flags for counting: each branch calls a function.
const COUNTING: [&str; 3] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=3",
    "-Cllvm-args=-sanitizer-coverage-trace-pc",
];

/// Builds the program so that it counts, apart from all else that is built, and runs it.
pub(super) fn check(shell: &Shell) -> Result<Counts, String> {
    let version = shell.output(&["rustc", "-vV"]).unwrap_or_default();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    // With a target, what runs while it is built (scripts, macros) is built as ever.
    let host = host.ok_or("rustc does not tell for which machine it compiles")?;
    let run = ["cargo", "run", "--quiet", "--locked", "--package", "kubeglass-work", "--profile", "work"];
    let words = [&run[..], &["--target", host, "--target-dir", "target/work"]].concat();
    shell.run_with(&words, &[("RUSTFLAGS", COUNTING.join(" "))]).map(|()| Counts::PASSED)
}
