//! Replays the recorded conversations: writes or checks the scoreboard, or shows where answers differ.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use conformance::scenario::{load, recordings};
use conformance::{Board, Report, Scenario, compare, replay_all};

const USAGE: &str = "\
usage: kubeglass-conformance                 replay all recordings, write SCOREBOARD.md
       kubeglass-conformance --check         replay all recordings, fail if less passes than SCOREBOARD.md says
       kubeglass-conformance --report FILE   replay all recordings, write what came of each as JSON
       kubeglass-conformance [--area AREA] [--scenario NAME] [--without KEY]... [-v]
                                             show where answers differ: the first three places of each, all with -v
";
/// How many differences of a step are shown unless all are wanted.
const FIRST: usize = 3;

#[derive(Default)]
struct Options {
    check: bool,
    report: Option<PathBuf>,
    verbose: bool,
    area: Option<String>,
    scenario: Option<String>,
    without: Vec<String>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--check" => options.check = true,
                "--report" => options.report = Some(value()?.into()),
                "-v" | "--verbose" => options.verbose = true,
                "--area" => options.area = Some(value()?),
                "--scenario" => options.scenario = Some(value()?),
                "--without" => options.without.push(value()?),
                _ => return Err(format!("unknown argument {argument}")),
            }
        }
        let alone = [("--check", options.check), ("--report", options.report.is_some())];
        let chosen: Vec<&str> = alone.iter().filter(|(_, chosen)| *chosen).map(|(name, _)| *name).collect();
        if let [name, others @ ..] = chosen.as_slice()
            && (!others.is_empty() || options.show())
        {
            return Err(format!("{name} goes with no other argument"));
        }
        Ok(options)
    }

    fn show(&self) -> bool {
        self.verbose || self.area.is_some() || self.scenario.is_some() || !self.without.is_empty()
    }

    fn wants(&self, scenario: &Scenario) -> bool {
        self.area.as_ref().is_none_or(|area| *area == scenario.area)
            && self.scenario.as_ref().is_none_or(|name| *name == scenario.name)
    }
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprint!("{error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let done = load(&recordings()).and_then(|scenarios| match &options {
        Options { check: true, .. } => check(&scenarios),
        Options { report: Some(file), .. } => report(&scenarios, file),
        options if options.show() => show(scenarios, options),
        _ => write(&scenarios),
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn write(scenarios: &[Scenario]) -> Result<bool, String> {
    let board = Board::of(&replay_all(scenarios));
    let path = Board::path();
    std::fs::write(&path, board.render()).map_err(|error| format!("{}: {error}", path.display()))?;
    print!("{}", board.summary());
    Ok(true)
}

fn check(scenarios: &[Scenario]) -> Result<bool, String> {
    let path = Board::path();
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let committed = Board::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let board = Board::of(&replay_all(scenarios));
    let change = board.since(&committed);
    print!("{}", board.summary());
    for fell in &change.fell {
        println!("fell: {fell}");
    }
    if change.rose {
        println!("more passes than SCOREBOARD.md says: `cargo xtask conformance` writes it down");
    }
    let unexplained = board.unexplained();
    for scenario in &unexplained {
        println!("more steps of {scenario} fail than board.rs has reasons for");
    }
    let all = board.0.keys().chain(committed.0.keys()).collect::<std::collections::BTreeSet<_>>().len();
    let failed = change.fell.len() + unexplained.len();
    println!("{} passed, {failed} failed", all.saturating_sub(failed));
    Ok(failed == 0)
}

fn report(scenarios: &[Scenario], file: &Path) -> Result<bool, String> {
    let wrap = |error: &dyn Display| format!("{}: {error}", file.display());
    let replays = replay_all(scenarios);
    let reports: Vec<_> = replays.iter().map(Report::of).collect();
    let text = serde_json::to_string(&reports).map_err(|error| wrap(&error))?;
    std::fs::write(file, text).map_err(|error| wrap(&error))?;
    Ok(true)
}

fn show(mut scenarios: Vec<Scenario>, options: &Options) -> Result<bool, String> {
    scenarios.retain(|scenario| options.wants(scenario));
    if scenarios.is_empty() {
        return Err("there is no such scenario".to_owned());
    }
    let without: Vec<&str> = options.without.iter().map(String::as_str).collect();
    let (mut steps, mut passed, mut ordered, mut whole) = (0, 0, 0, 0);
    for replay in replay_all(&scenarios) {
        let reports = compare::steps(&replay, &without);
        let bad: Vec<_> = reports.iter().filter(|step| !step.passed).collect();
        steps += reports.len();
        passed += reports.len() - bad.len();
        ordered += reports.iter().filter(|step| step.same_order).count();
        whole += usize::from(bad.is_empty());
        if let Some(why) = &replay.broke_off {
            println!("{}/{} broke off: {why}", replay.scenario.area, replay.scenario.name);
        }
        for step in bad.into_iter().filter(|step| !step.differences.is_empty()) {
            println!("{}/{}: {}: {}", replay.scenario.area, replay.scenario.name, step.id, step.line);
            let shown = if options.verbose { step.differences.len() } else { FIRST };
            for difference in step.differences.iter().take(shown) {
                println!("    {difference}");
            }
            if step.differences.len() > shown {
                println!("    and {} more", step.differences.len() - shown);
            }
        }
    }
    println!(
        "steps with the same key order: {ordered} of {steps}; whole scenarios: {whole} of {}",
        scenarios.len()
    );
    println!("{passed} passed, {} failed", steps - passed);
    Ok(passed == steps)
}
