//! Termination messages: what a container leaves to say why it has ended.
//!
//! See <https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/>.

use std::time::Duration;

use json_tree::Value;

use super::behaviour::Behaviour;
use super::exec::Written;
use super::logs;

/// The most bytes of a message, and of one that is the end of a log; and the most lines of that.
const MOST_BYTES: usize = 4096;
const MOST_BYTES_OF_LOG: usize = 2048;
const MOST_LINES: usize = 80;

/// Returns the message of a container that has ended with an exit code: the end of the file that it has written for that, or of its log,
/// if it has failed and its policy says so.
pub(super) fn message(
    container: &Value,
    code: i64,
    written: &[Written],
    (behaviour, started, finished): (&Behaviour, Duration, Duration),
) -> String {
    let path = container.text("terminationMessagePath");
    let file = written.iter().find(|written| !path.is_empty() && written.path == path);
    let bytes = file.and_then(|written| written.entry.as_ref()?.as_deref());
    let message = end_of(bytes.map_or(&[], Vec::as_slice), MOST_BYTES);
    let falls_back = container.text("terminationMessagePolicy") == "FallbackToLogsOnError" && code != 0;
    if !message.is_empty() || !falls_back {
        return message;
    }
    let lines = logs::lines(&behaviour.writes, started, (None, finished));
    let is_open = behaviour.writes.last().is_some_and(|last| last.is_open);
    let mut log = String::new();
    for line in &lines[lines.len().saturating_sub(MOST_LINES)..] {
        log.extend([&line.text, "\n"]);
    }
    if is_open {
        log.pop();
    }
    end_of(log.as_bytes(), MOST_BYTES_OF_LOG)
}

/// Returns the last bytes of a text, as many as there may be.
fn end_of(bytes: &[u8], most: usize) -> String {
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(most)..]).into_owned()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::kubelet::exec::Objects;
    use crate::kubelet::program::{Doing, doings};

    #[track_caller]
    fn check(script: &str, policy: &str, expected: &str) {
        let container = json!({
            "name": "c", "command": ["sh", "-c", script], "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": policy,
        });
        let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [container.clone()]}});
        let Doing::Runs(program) = doings(&pod, &Objects::default()).0.remove(0) else {
            panic!("no program")
        };
        let behaviour = program.behaviour(None);
        let (code, after) = behaviour.exit.expect("an end");
        let found = message(&container, code, &program.written(after), (&behaviour, Duration::ZERO, after));
        assert_eq!(found, expected, "{script}");
    }

    #[test]
    fn messages() {
        check("echo log; sleep 10 && echo Sleep expired > /dev/termination-log", "File", "Sleep expired\n");
        check("echo log; exit 1", "File", "");
        check("echo log; exit 1", "FallbackToLogsOnError", "log\n");
        check("echo -n log; exit 1", "FallbackToLogsOnError", "log");
        check("echo log; exit 0", "FallbackToLogsOnError", "");
        check("echo log; echo why > /dev/termination-log; exit 1", "FallbackToLogsOnError", "why\n");
        check(
            "seq 100; exit 1",
            "FallbackToLogsOnError",
            &(21..=100).map(|n| format!("{n}\n")).collect::<String>(),
        );
    }
}
