//! cargo-nextest, which runs all tests of Rust in parallel over the crates.

use crate::shell::Shell;

/// Runs the tests of all crates, and prints those that fail.
pub(crate) const RUN: [&str; 10] = [
    "cargo",
    "nextest",
    "run",
    "--locked",
    "--workspace",
    "--no-fail-fast",
    "--status-level",
    "fail",
    "--final-status-level",
    "fail",
];

/// Reports whether it is installed.
pub(crate) fn is_there(shell: &Shell) -> bool {
    shell.output(&["cargo", "nextest", "--version"]).is_some()
}
