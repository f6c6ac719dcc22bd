//! Checks that are made beside the others: a second `cargo xtask test`, of some of the steps, whose words are kept until
//! they can be shown whole.

use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};

use crate::counts::Counts;

/// The second run.
pub(super) struct Beside(JoinHandle<String>);

/// The result of the second run.
pub(super) struct Report {
    /// All that was printed, errors too.
    pub(super) printed: String,
    /// The line of each step, and why it failed.
    pub(super) summary: String,
    pub(super) counts: Counts,
}

impl Beside {
    /// Begins with the steps of these names.
    ///
    /// # Errors
    /// When this very program cannot be run once more.
    pub(super) fn start(names: &[&str]) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("{} cannot be run beside: {error}", names.join(", "));
        let (read, write) = std::io::pipe().map_err(failed)?;
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command.arg("test").args(names).stdin(Stdio::null());
        command.stdout(write.try_clone().map_err(failed)?).stderr(write);
        let mut child = command.spawn().map_err(failed)?;
        // What is written comes to its end when nobody has the other end any more: not this program either.
        drop(command);
        Ok(Self(thread::spawn(move || {
            let printed = std::io::read_to_string(read).unwrap_or_default();
            // How it ended stands in what it printed.
            let _ = child.wait();
            printed
        })))
    }

    /// Waits for its end.
    pub(super) fn finish(self) -> Report {
        let printed = self.0.join().unwrap_or_default();
        let (summary, counts) = read(&printed);
        Report { printed, summary, counts }
    }
}

/// The lines of the steps, and their sum, which is the last line. A run that did not come to that counts as one failure.
fn read(printed: &str) -> (String, Counts) {
    let mut lines = printed.trim_end().lines().rev();
    let counts = lines.next().and_then(Counts::read);
    let Some(counts) = counts else { return (String::new(), Counts::FAILED) };
    let mut summary: Vec<_> = lines
        .skip_while(|line| line.is_empty())
        .take_while(|line| ["ok ", "FAILED ", "        "].iter().any(|begin| line.starts_with(begin)))
        .map(|line| format!("{line}\n"))
        .collect();
    summary.reverse();
    (summary.concat(), counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(printed: &str, summary: &str, counts: &str) {
        let (lines, sum) = read(printed);
        assert_eq!((lines.as_str(), sum.to_string().as_str()), (summary, counts));
    }

    #[test]
    fn the_last_lines_are_read() {
        let run = "== page build\n== ok page build\n\nok      page build  1 passed\nFAILED  page size  0 passed\n        too large\n\n\n1 passed, 1 failed\n";
        check(
            run,
            "ok      page build  1 passed\nFAILED  page size  0 passed\n        too large\n",
            "1 passed, 1 failed",
        );
        check("error: something else\n", "", "0 passed, 1 failed");
        check("", "", "0 passed, 1 failed");
        check("12 passed of them\n", "", "0 passed, 1 failed");
    }
}
