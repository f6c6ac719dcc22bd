//! Programs that answer questions about texts, numbers and files.
//!
//! See <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/test.html>.

use super::files::resolve;
use super::shell::Run;

/// Does what `test` does with the words up to a bracket.
pub(super) fn bracketed(run: &mut Run<'_>, words: &[String], bracket: &str) -> u8 {
    match words.split_last() {
        Some((last, words)) if last == bracket => test(run, words),
        _ => {
            run.guess();
            run.complain(&["sh: missing ", bracket]);
            2
        }
    }
}

/// Answers a question about texts, numbers or a file.
pub(super) fn test(run: &mut Run<'_>, words: &[String]) -> u8 {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let files = &run.shell.machine.files;
    let absolute = |path: &str| resolve(&run.shell.directory, path);
    let is_directory = |path: &str| files.is_directory(&absolute(path));
    let is_file = |path: &str| files.read(&absolute(path)).is_some();
    let (words, negated) = match words.as_slice() {
        ["!", rest @ ..] => (rest, true),
        words => (words, false),
    };
    let is_true = match words {
        [] => false,
        [text] => !text.is_empty(),
        ["-n", text] => !text.is_empty(),
        ["-z", text] => text.is_empty(),
        ["-f", path] => is_file(path),
        ["-d", path] => is_directory(path),
        ["-e" | "-r" | "-w" | "-x", path] => is_file(path) || is_directory(path),
        ["-s", path] => {
            is_directory(path) || files.read(&absolute(path)).is_some_and(|bytes| !bytes.is_empty())
        }
        [a, "=" | "==", b] => a == b,
        [a, "!=", b] => a != b,
        [a, operator @ ("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"), b] => match compare(a, operator, b) {
            Some(is_true) => is_true,
            None => {
                run.complain(&["sh: bad number"]);
                return 2;
            }
        },
        _ => {
            run.guess();
            run.complain(&["sh: test: this is not supported here"]);
            return 2;
        }
    };
    // An image may have what is not mounted.
    if let ["-f" | "-d" | "-e" | "-r" | "-w" | "-x" | "-s", path] = words
        && !is_true
    {
        run.guess_of(&absolute(path));
    }
    u8::from(is_true == negated)
}

/// Compares two numbers as `test` does; `None` if they are none.
fn compare(a: &str, operator: &str, b: &str) -> Option<bool> {
    let (a, b): (i64, i64) = (a.trim().parse().ok()?, b.trim().parse().ok()?);
    Some(match operator {
        "-eq" => a == b,
        "-ne" => a != b,
        "-lt" => a < b,
        "-le" => a <= b,
        "-gt" => a > b,
        _ => a >= b,
    })
}

/// Returns the value of an expression of two numbers or texts and an operator: `expr 3 % 2`.
///
/// See <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/expr.html>.
pub(super) fn expr(run: &mut Run<'_>, words: &[String]) -> u8 {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let value = match words[..] {
        [value] => value.to_owned(),
        ["length", text] => text.chars().count().to_string(),
        [a, operator @ ("=" | "==" | "!=" | "<" | "<=" | ">" | ">="), b] => {
            let order = match (a.parse::<i64>(), b.parse::<i64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                _ => a.cmp(b),
            };
            let is_true = match operator {
                "=" | "==" => order.is_eq(),
                "!=" => order.is_ne(),
                "<" => order.is_lt(),
                "<=" => order.is_le(),
                ">" => order.is_gt(),
                _ => order.is_ge(),
            };
            u8::from(is_true).to_string()
        }
        [a, operator @ ("+" | "-" | "*" | "/" | "%"), b] => {
            let (Ok(a), Ok(b)) = (a.parse::<i64>(), b.parse::<i64>()) else {
                run.complain(&["expr: non-integer argument"]);
                return 2;
            };
            if b == 0 && matches!(operator, "/" | "%") {
                run.complain(&["expr: division by zero"]);
                return 2;
            }
            match operator {
                "+" => a.wrapping_add(b),
                "-" => a.wrapping_sub(b),
                "*" => a.wrapping_mul(b),
                "/" => a.wrapping_div(b),
                _ => a.wrapping_rem(b),
            }
            .to_string()
        }
        _ => {
            run.guess();
            run.complain(&["expr: this is not supported here"]);
            return 2;
        }
    };
    run.print([&value, "\n"].concat().as_bytes());
    u8::from(value.is_empty() || value == "0")
}
