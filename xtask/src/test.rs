//! `cargo xtask test`: every check, one after the other but for what is built beside, and how many passed.

mod beside;
mod replayer;
mod work;

use std::time::{Duration, Instant};

use beside::Beside;

use crate::{
    attack,
    counts::{self, Counts},
    docs, modules, nextest, page, schema,
    shell::Shell,
    tools::{Tool, Tools},
};

/// One of the things that are checked.
struct Step {
    name: &'static str,
    needs: &'static [Tool],
    check: fn(&Shell, &mut Tools<'_>) -> Result<Verdict, String>,
}

/// The outcome of a step: the counts, and lines that say what failed.
struct Verdict {
    counts: Counts,
    why: String,
}

impl From<Counts> for Verdict {
    fn from(counts: Counts) -> Self {
        Self { counts, why: String::new() }
    }
}

/// Crates that have to compile for the page: those that clippy sees for its target too.
const CLIPPY_WASM: [&str; 19] = [
    "cargo",
    "clippy",
    "--locked",
    "--target",
    "wasm32-unknown-unknown",
    "-p",
    "kubeglass-page",
    "-p",
    "kubeglass-apiserver",
    "-p",
    "kubeglass-engine-web",
    "-p",
    "kubeglass-engine-package",
    "-p",
    "kubeglass-embed",
    "-p",
    "kubeglass-conformance-wasm",
    "--",
    "-Dwarnings",
];

/// Replays the recordings. Built as the tests are, so that no crate is compiled once more.
const CONFORMANCE: [&str; 7] =
    ["cargo", "run", "--quiet", "--locked", "--package", "kubeglass-conformance", "--"];

/// The steps that build for the browser. They take one core at most times, and no folder that the other checks build
/// in: they are made beside them. The browser tests, which come last, need them.
const BESIDE: [&str; 3] = ["page build", "page size", "replayer for the browser"];

const STEPS: [Step; 17] = [
    Step {
        name: "format",
        needs: &[Tool::Components],
        check: |shell, _| command(shell, &["cargo", "fmt", "--all", "--check"]),
    },
    Step {
        name: "clippy",
        needs: &[Tool::Crates, Tool::Components],
        check: |shell, _| {
            command(
                shell,
                &["cargo", "clippy", "--locked", "--workspace", "--all-targets", "--", "-Dwarnings"],
            )
        },
    },
    Step {
        name: "clippy for wasm",
        needs: &[Tool::Crates, Tool::Components, Tool::WasmTarget],
        check: |shell, _| command(shell, &CLIPPY_WASM),
    },
    Step {
        name: "licenses and sources",
        needs: &[Tool::Crates, Tool::Deny],
        check: |shell, _| {
            command(
                shell,
                &[
                    "cargo",
                    "deny",
                    "--offline",
                    "--log-level",
                    "error",
                    "check",
                    "licenses",
                    "bans",
                    "sources",
                ],
            )
        },
    },
    Step { name: "tests", needs: &[Tool::Crates], check: |shell, _| rust_tests(shell) },
    Step {
        name: "examples in the documentation",
        needs: &[Tool::Crates],
        check: |shell, _| {
            counted(shell, &["cargo", "test", "--locked", "--workspace", "--doc", "--no-fail-fast"], &[])
        },
    },
    Step { name: "modules", needs: &[], check: |shell, _| modules::check(shell).map(Verdict::from) },
    Step {
        name: "documentation",
        needs: &[Tool::Crates],
        check: |shell, _| docs::check(shell).map(Verdict::from),
    },
    Step {
        name: "conformance",
        needs: &[Tool::Crates],
        check: |shell, _| counted(shell, &[&CONFORMANCE[..], &["--check"]].concat(), &[]),
    },
    Step { name: "work", needs: &[Tool::Crates], check: |shell, _| work::check(shell).map(Verdict::from) },
    Step {
        name: "schema table",
        needs: &[Tool::Crates],
        check: |_, _| schema::run(true).map(|()| Counts::PASSED.into()),
    },
    Step {
        name: "page build",
        needs: &page::TOOLS,
        check: |shell, tools| page::release(shell, tools).map(|()| Counts::PASSED.into()),
    },
    Step {
        name: "page size",
        needs: &[],
        check: |shell, _| page::within_budget(shell).map(|()| Counts::PASSED.into()),
    },
    Step {
        name: "replayer for the browser",
        needs: &replayer::NEEDS,
        check: |shell, _| replayer::build(shell, &CONFORMANCE).map(|()| Counts::PASSED.into()),
    },
    Step {
        name: "package",
        needs: &[Tool::Node],
        check: |shell, _| {
            // The replayer's module has the package's functions, too.
            let made = "target/conformance/conformance_wasm";
            let (script, wasm) = (format!("{made}.js"), format!("{made}_bg.wasm"));
            page::package::put_together(shell, &script, &wasm, "target/package")?;
            counted(shell, &["node", "--test", "--test-reporter=tap", "tests/package/package.test.mjs"], &[])
        },
    },
    Step {
        name: "attack",
        needs: &[Tool::Crates],
        check: |shell, _| attack::briefly(shell).map(Verdict::from),
    },
    Step {
        name: "browser tests",
        needs: &[Tool::Node, Tool::NodePackages, Tool::Chromium],
        check: |shell, tools| {
            // The page looks at one, too.
            shell.run(&["cargo", "build", "--locked", "--package", "kubeglass-serve"])?;
            let server = shell.target()?.join("debug/kubeglass").to_string_lossy().into_owned();
            let chromium = tools.chromium().ok_or("There is no browser.")?;
            let playwright = ["playwright", "test", "--config", "tests/browser/playwright.config.mjs"];
            counted(shell, &playwright, &[("CHROMIUM", chromium), ("KUBEGLASS", server)])
        },
    },
];

/// `cargo xtask test`, of the steps whose names hold one of the words.
pub(crate) fn run(shell: &Shell, tools: &mut Tools<'_>, words: &[&str]) -> Result<(), String> {
    let chosen = |step: &&Step| words.is_empty() || words.iter().any(|word| step.name.contains(word));
    let steps: Vec<&Step> = STEPS.iter().filter(chosen).collect();
    if steps.is_empty() {
        let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        return Err(format!("No check is named so; there are: {}.", names.join(", ")));
    }
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let mut beside = (words.is_empty() && cores > 1).then(|| Beside::start(&BESIDE)).transpose()?;
    if beside.is_none() {
        forget_page(shell, &steps)?;
    }
    let mut total = Counts::default();
    let mut summary = String::new();
    let apart = beside.is_some();
    for step in steps {
        if apart && BESIDE.contains(&step.name) {
            if let Some(run) = beside.take() {
                let report = run.finish();
                println!("\n{}", report.printed);
                summary.push_str(&report.summary);
                total = total + report.counts;
            }
            continue;
        }
        println!("\n== {}", step.name);
        let begin = Instant::now();
        let outcome = tools.ensure(step.needs).and_then(|()| (step.check)(shell, tools));
        let Verdict { counts, why } = outcome.unwrap_or_else(|why| Verdict { counts: Counts::FAILED, why });
        let line = summary_line(step.name, counts, begin.elapsed());
        println!("{why}\n== {line}");
        summary.push_str(&format!("{line}\n"));
        summary.extend(why.lines().map(|line| format!("        {line}\n")));
        total = total + counts;
    }
    println!("\n{summary}\n{total}");
    // The counts are the last word.
    if total.failed == 0 { Ok(()) } else { Err(String::new()) }
}

/// `cargo xtask conformance`.
pub(crate) fn conformance(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    tools.ensure(&[Tool::Crates])?;
    shell.run(&[&CONFORMANCE, args].concat())
}

/// Removes an old page before a new one is built and looked at: what cannot be built must not pass.
fn forget_page(shell: &Shell, steps: &[&Step]) -> Result<(), String> {
    let dist = shell.root().join("dist");
    if steps.iter().any(|step| step.name == "page build") && dist.exists() {
        std::fs::remove_dir_all(dist).map_err(|error| format!("dist cannot be removed: {error}"))?;
    }
    Ok(())
}

/// Unit, property and integration tests, in parallel over all crates where nextest is there.
fn rust_tests(shell: &Shell) -> Result<Verdict, String> {
    if nextest::is_there(shell) {
        return counted(shell, &nextest::RUN, &[]);
    }
    let words = ["cargo", "test", "--lib", "--bins", "--tests", "--locked", "--workspace", "--no-fail-fast"];
    counted(shell, &words, &[])
}

/// A command that passes or fails as a whole.
fn command(shell: &Shell, words: &[&str]) -> Result<Verdict, String> {
    shell.run(words).map(|()| Counts::PASSED.into())
}

/// A test runner, which tells how many passed, and some of them which failed.
fn counted(shell: &Shell, words: &[&str], env: &[(&str, String)]) -> Result<Verdict, String> {
    let outcome = shell.watch(words, env)?;
    let counts = counts::of_runner(&outcome.lines, outcome.success)?;
    Ok(Verdict { counts, why: counts::failed(&outcome.lines).join("\n") })
}

fn summary_line(name: &str, counts: Counts, took: Duration) -> String {
    let word = if counts.failed == 0 { "ok" } else { "FAILED" };
    format!("{word:<6}  {name:<30} {counts:>22} {:>8.1} s", took.as_secs_f32())
}
