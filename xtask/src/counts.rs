//! How many tests passed and failed, as their runners tell.

use std::{fmt, ops::Add};

/// How many tests passed, and how many failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Counts {
    pub(crate) const PASSED: Self = Self { passed: 1, failed: 0 };
    pub(crate) const FAILED: Self = Self { passed: 0, failed: 1 };

    /// The counts that a line says, if it is as they are printed.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let (passed, failed) = line.strip_suffix(" failed")?.split_once(" passed, ")?;
        Some(Self { passed: passed.parse().ok()?, failed: failed.parse().ok()? })
    }
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} passed, {} failed", self.passed, self.failed))
    }
}

/// Sums up what a runner printed. One that fails without naming a failed test counts as one failure.
///
/// # Errors
/// When a runner succeeds, but ran no test: such a check would check nothing.
pub(crate) fn of_runner(lines: &[String], success: bool) -> Result<Counts, String> {
    // nextest shows what a failed test has printed, which ends with a result of its own: the summary has all of them.
    let summary = lines.iter().rfind(|line| line.trim_start().starts_with("Summary ["));
    let lines = summary.map_or(lines, std::slice::from_ref);
    let counts = lines.iter().map(|line| of_line(line)).fold(Counts::default(), Add::add);
    match counts {
        Counts { failed: 0, .. } if !success => Ok(counts + Counts::FAILED),
        Counts { passed: 0, failed: 0 } => Err("No test was run.".to_owned()),
        _ => Ok(counts),
    }
}

/// Returns the names of the tests that failed, as far as the runner tells them, each once and in order of the names: of nextest the
/// last word of lines such as `FAIL [ 1.024s] crate::file name`, or `SIGABRT [...`; of Playwright the lines `a.spec.mjs:3:1 › name`
/// below `1 failed`.
pub(crate) fn failed(lines: &[String]) -> Vec<&str> {
    const FINE: [&str; 4] = ["PASS", "SLOW", "LEAK", "START"];
    let nextest = lines.iter().filter_map(|line| {
        let (word, _) = line.trim_start().split_once(" [")?;
        let fails = !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'-');
        if fails && !FINE.contains(&word) { line.rsplit(' ').next() } else { None }
    });
    let begins = |line: &String| {
        line.trim().strip_suffix(" failed").is_some_and(|number| number.parse::<u64>().is_ok())
    };
    let below = lines.iter().skip_while(|line| !begins(line));
    let playwright = below.skip(1).map_while(|line| {
        let name = line.strip_prefix("    ")?;
        Some(name.trim_end_matches([' ', '─']))
    });
    let mut failed: Vec<&str> = nextest.chain(playwright).collect();
    failed.sort_unstable();
    failed.dedup();
    failed
}

/// The counts in a line of a summary; none in any other line.
///
/// cargo test: `test result: ok. 3 passed; 1 failed; 0 ignored; ...`, once per binary;
/// nextest: `Summary [ 0.1s] 4 tests run: 3 passed (1 slow), 1 failed, 0 skipped`;
/// Playwright: a line each of `3 passed (1.2s)`, `1 failed`, `1 did not run`;
/// Node's: `# pass 3`, `# fail 1`;
/// the replayer of recordings: `3 passed, 1 failed`.
fn of_line(line: &str) -> Counts {
    let line = line.trim();
    let number = |begin| line.strip_prefix(begin).and_then(|number| number.parse().ok());
    if let Some(passed) = number("# pass ") {
        return Counts { passed, failed: 0 };
    }
    if let Some(failed) = number("# fail ") {
        return Counts { passed: 0, failed };
    }
    let summary = if let Some(rest) = line.strip_prefix("test result:") {
        rest
    } else if line.starts_with("Summary [") {
        line.split_once("run:").map_or("", |(_, rest)| rest)
    } else if line.starts_with(|c: char| c.is_ascii_digit())
        && line.split_whitespace().nth(1).is_some_and(runner_word)
    {
        line
    } else {
        ""
    };
    let words: Vec<&str> =
        summary.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut counts = Counts::default();
    for pair in words.windows(2) {
        match (pair[0].parse::<u64>(), pair[1]) {
            (Ok(number), "passed") => counts.passed += number,
            // "timed out" and "did not run"
            (Ok(number), "failed" | "interrupted" | "timed" | "did" | "exec") => counts.failed += number,
            _ => {}
        }
    }
    counts
}

/// The words after the number at the beginning of a summary.
fn runner_word(word: &str) -> bool {
    matches!(word.trim_end_matches(','), "passed" | "failed" | "interrupted" | "did")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(printed: &str, success: bool, expected: &str) {
        let lines: Vec<String> = printed.lines().map(str::to_owned).collect();
        let found = of_runner(&lines, success).map_or_else(|error| error, |counts| counts.to_string());
        assert_eq!(found, expected);
    }

    #[test]
    fn cargo_test() {
        let two = "running 2 tests\ntest a ... ok\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; \
                   0 filtered out; finished in 0.01s\ntest result: FAILED. 3 passed; 4 failed; 0 ignored\n";
        check(two, false, "5 passed, 4 failed");
        check("# tests 5\n# pass 4\n# fail 1\n", false, "4 passed, 1 failed");
        check("test result: ok. 0 passed; 0 failed; 0 ignored", true, "No test was run.");
        check("error: could not compile `x`", false, "0 passed, 1 failed");
    }

    #[test]
    fn nextest() {
        let shown = "    test a ... FAILED\n    test result: FAILED. 0 passed; 1 failed; 0 ignored\n     Summary [ 1.0s] 2 \
                     tests run: 1 passed, 1 failed, 0 skipped";
        check(shown, false, "1 passed, 1 failed");
        check("     Summary [   0.010s] 3 tests run: 3 passed, 0 skipped", true, "3 passed, 0 failed");
        let mixed =
            "     Summary [ 1.0s] 9/12 tests run: 5 passed (1 slow), 3 failed, 1 timed out, 2 skipped";
        check(mixed, false, "5 passed, 4 failed");
        check("        FAIL [ 0.1s] crate 3 passed", false, "0 passed, 1 failed");
    }

    #[track_caller]
    fn check_names(printed: &str, expected: &[&str]) {
        let lines: Vec<String> = printed.lines().map(str::to_owned).collect();
        assert_eq!(failed(&lines), expected);
    }

    #[test]
    fn names_of_failed_tests() {
        let nextest = "        FAIL [   1.024s] (3/9) kubeglass-store::model random_operations\n        \
                       PASS [   0.1s] kubeglass-store::model others\n        \
                       FAIL [   1.024s] (3/9) kubeglass-store::model random_operations\n     \
                       SIGABRT [   1.024s] (4/9) kubeglass-cel::properties deep\n     \
                       Summary [  68.737s] 9 tests run: 7 passed, 2 failed\n    error: test run failed";
        check_names(nextest, &["deep", "random_operations"]);
        let playwright = "  ✘  3 b.spec.mjs:3:1 › rows › go (1.2s)\n\n  2 failed\n    b.spec.mjs:3:1 › rows › go ────\n    \
                          a.spec.mjs:9:1 › b ─────\n  1 did not run\n  7 passed (1.2m)";
        check_names(playwright, &["a.spec.mjs:9:1 › b", "b.spec.mjs:3:1 › rows › go"]);
        check_names("  12 passed (3.4s)\n\n12 passed, 0 failed", &[]);
    }

    #[test]
    fn playwright() {
        check("  ✓  1 a.spec.mjs:3:1 › 2 passed\n\n  12 passed (3.4s)", true, "12 passed, 0 failed");
        check(
            "  1 failed\n    a.spec.mjs\n  2 did not run\n  1 skipped\n  7 passed (1.2m)",
            false,
            "7 passed, 3 failed",
        );
        check("Error: No tests found", false, "0 passed, 1 failed");
    }

    #[test]
    fn recordings() {
        check("540 passed, 0 failed", true, "540 passed, 0 failed");
        check("crud/a: 3 passed\n538 passed, 2 failed", false, "538 passed, 2 failed");
    }

    #[test]
    fn what_says_so_but_failed_does_not_pass() {
        check("test result: ok. 2 passed; 0 failed", false, "2 passed, 1 failed");
    }
}
