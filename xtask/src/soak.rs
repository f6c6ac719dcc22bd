//! `cargo xtask soak`: the tests with other random numbers each time, for some minutes.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::{
    counts::{self, Counts},
    shell::Shell,
    tools::{Tool, Tools},
};

/// How many minutes it takes if nobody says.
const MINUTES: u64 = 10;
/// How many cases a property tries: some times as many as in `cargo xtask test`.
const CASES: [(&str, &str); 2] = [("PROPTEST_CASES", "1024"), ("KUBEGLASS_CASES", "400")];
/// Properties, and the models that servers and stores are compared with.
const PROPERTIES: &str = "binary(/propert|model|garbage|changes|patch|traced|map/) + test(/propert|random|anything|packet|float|lod|diff|sort/)";

/// Runs the properties again and again, each time with another seed, for as many minutes as the argument says. What fails is
/// shown with the command that repeats it.
///
/// # Errors
/// An argument that is no number, or a property that failed.
pub(crate) fn run(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    let minutes = match args {
        [] => MINUTES,
        [minutes] => minutes.parse().map_err(|_| "MINUTES is a whole number.")?,
        _ => return Err("MINUTES is the only argument there is.".to_owned()),
    };
    tools.ensure(&[Tool::Crates])?;
    let begin = Instant::now();
    let first = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let mut total = Counts::default();
    let mut repeat = Vec::new();
    for seed in first.. {
        let words = ["cargo", "nextest", "run", "--locked", "--workspace", "--no-fail-fast"];
        let quietly = ["--status-level", "fail", "--final-status-level", "fail", "-E", PROPERTIES];
        let mut env = vec![("PROPTEST_RNG_SEED", seed.to_string())];
        env.extend(CASES.map(|(name, value)| (name, value.to_owned())));
        let outcome = shell.watch(&[&words[..], &quietly].concat(), &env)?;
        let counts = counts::of_runner(&outcome.lines, outcome.success)?;
        if counts.failed > 0 {
            repeat.push(command(seed, &outcome.lines));
        }
        total = total + counts;
        if begin.elapsed() >= Duration::from_secs(minutes.saturating_mul(60)) {
            break;
        }
    }
    println!("\n{total}");
    if repeat.is_empty() { Ok(()) } else { Err(["To repeat what failed:\n", &repeat.join("\n")].concat()) }
}

/// Returns the command that repeats what failed with a seed.
fn command(seed: u64, lines: &[String]) -> String {
    let mut failed: Vec<&str> = lines
        .iter()
        .filter(|line| line.trim_start().starts_with("FAIL ["))
        .filter_map(|line| line.rsplit(' ').next())
        .collect();
    failed.sort_unstable();
    failed.dedup();
    let cases = CASES.map(|(name, value)| format!("{name}={value}")).join(" ");
    let tests: Vec<String> = failed.iter().map(|name| format!("test(={name})")).collect();
    format!("PROPTEST_RNG_SEED={seed} {cases} cargo nextest run --workspace -E '{}'", tests.join(" + "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_can_be_repeated() {
        let lines = [
            "        FAIL [   1.024s] (3/9) kubeglass-store::model random_operations",
            "        PASS [   0.1s] kubeglass-store::model others",
            "        FAIL [   1.024s] (3/9) kubeglass-store::model random_operations",
        ]
        .map(str::to_owned);
        assert_eq!(
            command(7, &lines),
            "PROPTEST_RNG_SEED=7 PROPTEST_CASES=1024 KUBEGLASS_CASES=400 cargo nextest run --workspace -E \
             'test(=random_operations)'"
        );
    }
}
