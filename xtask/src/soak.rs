//! `cargo xtask soak`: the tests with other random numbers each time, for some minutes.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::{
    counts::{self, Counts},
    minutes, nextest,
    shell::Shell,
    tools::{Tool, Tools},
};

/// How many minutes it takes if nobody says.
const MINUTES: u64 = 10;
/// The variables that say how many cases a property tries.
const CASES: [(&str, &str); 2] = [("PROPTEST_CASES", "1024"), ("KUBEGLASS_CASES", "400")];
/// Properties, and the models that servers and stores are compared with.
const PROPERTIES: &str = "binary(/propert|model|garbage|changes|patch|traced|map/) + test(/propert|random|anything|packet|float::|lod::|diff::|sort::|delta::|small_map::/)";

/// Runs the properties again and again, each time with another seed, for as many minutes as the argument says. What fails is
/// shown with the command that repeats it.
///
/// # Errors
/// An argument that is no number, or a property that failed.
pub(crate) fn run(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    let minutes = minutes(args, MINUTES)?;
    tools.ensure(&[Tool::Crates])?;
    if !nextest::is_there(shell) {
        return Err("It needs cargo-nextest: `cargo install --locked cargo-nextest`.".to_owned());
    }
    let begin = Instant::now();
    let first = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let mut total = Counts::default();
    let mut repeat = Vec::new();
    for seed in first.. {
        let mut env = vec![("PROPTEST_RNG_SEED", seed.to_string())];
        env.extend(CASES.map(|(name, value)| (name, value.to_owned())));
        let outcome = shell.watch(&[&nextest::RUN[..], &["-E", PROPERTIES]].concat(), &env)?;
        let counts = counts::of_runner(&outcome.lines, outcome.success)?;
        total = total + counts;
        if counts.failed > 0 {
            let failed = counts::failed(&outcome.lines);
            if failed.is_empty() {
                return Err("The tests could not be built or run.".to_owned());
            }
            repeat.push(command(seed, &failed));
        }
        if begin.elapsed() >= Duration::from_secs(minutes.saturating_mul(60)) {
            break;
        }
    }
    println!("\n{total}");
    if repeat.is_empty() { Ok(()) } else { Err(["To repeat what failed:\n", &repeat.join("\n")].concat()) }
}

/// Returns the command that repeats what failed with a seed.
fn command(seed: u64, failed: &[&str]) -> String {
    let cases = CASES.map(|(name, value)| format!("{name}={value}")).join(" ");
    let tests: Vec<String> = failed.iter().map(|name| format!("test(={name})")).collect();
    format!("PROPTEST_RNG_SEED={seed} {cases} cargo nextest run --workspace -E '{}'", tests.join(" + "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_can_be_repeated() {
        assert_eq!(
            command(7, &["random_operations"]),
            "PROPTEST_RNG_SEED=7 PROPTEST_CASES=1024 KUBEGLASS_CASES=400 cargo nextest run --workspace -E \
             'test(=random_operations)'"
        );
    }
}
