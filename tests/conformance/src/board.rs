//! The scoreboard: how many steps of every scenario are answered as they were recorded.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::compare::{self, StepReport};
use crate::replay::Replay;

/// How the steps of a scenario, an area or all compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// How many steps have a recorded answer.
    pub steps: usize,
    /// How many are answered alike.
    pub passed: usize,
    /// How many are answered alike, leaving `managedFields` out.
    pub without: usize,
    /// How many of these with their keys in the same order.
    pub ordered: usize,
}

impl Figures {
    /// The figures of a replay.
    pub fn of(replay: &Replay<'_>) -> Self {
        let passed = |reports: &[StepReport]| reports.iter().filter(|step| step.passed).count();
        let all = compare::steps(replay, &[]);
        let without = compare::steps(replay, &["managedFields"]);
        Self {
            steps: all.len(),
            passed: passed(&all),
            without: passed(&without),
            ordered: without.iter().filter(|step| step.same_order).count(),
        }
    }

    fn cells(self) -> String {
        format!("{} | {} | {} | {}", self.steps, self.passed, self.without, self.ordered)
    }

    /// Returns the figures of `self` that are less than they were.
    fn fell(self, before: Self) -> Vec<String> {
        let names = ["steps passed", "passed without managedFields", "same key order"];
        let pairs =
            [(before.passed, self.passed), (before.without, self.without), (before.ordered, self.ordered)];
        let fallen = names.iter().zip(pairs).filter(|(_, (before, now))| now < before);
        fallen.map(|(name, (before, now))| format!("{name} {before} -> {now}")).collect()
    }
}

impl std::ops::Add for Figures {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            steps: self.steps + other.steps,
            passed: self.passed + other.passed,
            without: self.without + other.without,
            ordered: self.ordered + other.ordered,
        }
    }
}

/// Why steps fail: area and scenario, step, and reason.
const REASONS: [(&str, &str, &str, &str); 3] = [
    (
        "crud",
        "trailing-slash",
        "GET /api/",
        "the response has the address that the server listens on, which is another one where it was recorded",
    ),
    (
        "crud",
        "trailing-slash",
        "GET /version/",
        "the response says which build answers: version, commit, compiler and platform are those of Kubeglass",
    ),
    (
        "media",
        "custom-resource-cbor",
        "list-cbor",
        "a byte string of CBOR that is not UTF-8 was sent for a text; it is stored as JSON here, which has no such bytes, \
         and kube-apiserver stores custom objects in CBOR",
    ),
];

/// The figures of every scenario, by area and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Board(pub BTreeMap<(String, String), Figures>);

/// How a board compares to an earlier one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The scenarios of which some figure is less than it was, or that are gone.
    pub fell: Vec<String>,
    /// True if no figure fell, but anything else has changed.
    pub rose: bool,
}

impl Board {
    /// The board of these replays.
    pub fn of(replays: &[Replay<'_>]) -> Self {
        let name = |replay: &Replay<'_>| (replay.scenario.area.clone(), replay.scenario.name.clone());
        Self(replays.iter().map(|replay| (name(replay), Figures::of(replay))).collect())
    }

    /// Returns the path of the committed board of this crate's recordings.
    pub fn path() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("SCOREBOARD.md")
    }

    /// The areas: how many scenarios each has, and their sum.
    pub fn areas(&self) -> BTreeMap<&str, (usize, Figures)> {
        let mut areas = BTreeMap::new();
        for ((area, _), figures) in &self.0 {
            let (count, sum) = areas.entry(area.as_str()).or_insert((0, Figures::default()));
            *count += 1;
            *sum = *sum + *figures;
        }
        areas
    }

    /// The table of the areas and their total, in Markdown.
    pub fn summary(&self) -> String {
        let mut out = String::from(
            "| area | scenarios | steps | passed | passed without `managedFields` | same key order |\n\
             | --- | ---: | ---: | ---: | ---: | ---: |\n",
        );
        let areas = self.areas();
        for (area, (count, sum)) in &areas {
            _ = writeln!(out, "| {area} | {count} | {} |", sum.cells());
        }
        let total = areas.values().fold(Figures::default(), |total, (_, sum)| total + *sum);
        _ = writeln!(out, "| total | {} | {} |", self.0.len(), total.cells());
        out
    }

    /// The whole board in Markdown.
    pub fn render(&self) -> String {
        let mut out = format!(
            "# Scoreboard\n\n\
             How many steps of the recorded conversations with kube-apiserver v1.36 are answered here as they were \
             there.\nWritten by `cargo xtask conformance`; what stands here may rise, but not fall. \
             `same key order` leaves\n`managedFields` out too.\n\n{}",
            self.summary()
        );
        for (index, (area, name, step, reason)) in REASONS.into_iter().enumerate() {
            if self.fails(area, name) {
                let head = if index == 0 { "\nThe steps that fail, and why:\n\n" } else { "" };
                _ = writeln!(out, "{head}- `{area}/{name}`, {step}: {reason}.");
            }
        }
        let mut last = None;
        for ((area, name), figures) in &self.0 {
            if last != Some(area) {
                last = Some(area);
                _ = write!(
                    out,
                    "\n## {area}\n\n\
                     | scenario | steps | passed | without `managedFields` | same key order |\n\
                     | --- | ---: | ---: | ---: | ---: |\n"
                );
            }
            _ = writeln!(out, "| {name} | {} |", figures.cells());
        }
        out
    }

    fn fails(&self, area: &str, name: &str) -> bool {
        let figures = self.0.get(&(area.to_owned(), name.to_owned()));
        figures.is_some_and(|figures| figures.passed < figures.steps)
    }

    /// Returns the scenarios of which more steps fail than there are reasons for.
    pub fn unexplained(&self) -> Vec<String> {
        let reasons = |area: &str, name: &str| {
            REASONS.iter().filter(|known| (known.0, known.1) == (area, name)).count()
        };
        let more = |((area, name), figures): &(&(String, String), &Figures)| {
            figures.steps - figures.passed > reasons(area, name)
        };
        self.0.iter().filter(more).map(|((area, name), _)| format!("{area}/{name}")).collect()
    }

    /// Reads what [`Board::render`] wrote.
    ///
    /// # Errors
    /// A row of a scenario that is not a name and four numbers.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut board = BTreeMap::new();
        let mut area = None;
        for (index, line) in text.lines().enumerate() {
            if let Some(name) = line.strip_prefix("## ") {
                area = Some(name);
            }
            let Some(area) = area.filter(|_| line.starts_with('|')) else { continue };
            if line.starts_with("| scenario |") || line.starts_with("| --- |") {
                continue;
            }
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let numbers: Option<Vec<usize>> = cells.iter().skip(1).map(|cell| cell.parse().ok()).collect();
            let Some(&[steps, passed, without, ordered]) = numbers.as_deref() else {
                return Err(format!("line {}: not a scenario and four numbers: {line}", index + 1));
            };
            let name = (area.to_owned(), cells[0].to_owned());
            board.insert(name, Figures { steps, passed, without, ordered });
        }
        Ok(Self(board))
    }

    /// Returns what has changed since `before`.
    pub fn since(&self, before: &Self) -> Change {
        let mut change = Change { fell: Vec::new(), rose: self != before };
        for ((area, name), old) in &before.0 {
            let fell = match self.0.get(&(area.clone(), name.clone())) {
                None => vec!["is gone".to_owned()],
                Some(now) => now.fell(*old),
            };
            if !fell.is_empty() {
                change.fell.push(format!("{area}/{name}: {}", fell.join(", ")));
            }
        }
        change.rose &= change.fell.is_empty();
        change
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(rows: &[(&str, &str, [usize; 4])]) -> Board {
        let row = |(area, name, [steps, passed, without, ordered]): &(&str, &str, [usize; 4])| {
            let figures = Figures { steps: *steps, passed: *passed, without: *without, ordered: *ordered };
            (((*area).to_owned(), (*name).to_owned()), figures)
        };
        Board(rows.iter().map(row).collect())
    }

    #[test]
    fn what_is_written_can_be_read() {
        let board =
            board(&[("crud", "a", [9, 1, 2, 3]), ("crud", "b", [5, 5, 5, 5]), ("rv", "a", [3, 0, 0, 0])]);
        let text = board.render();
        assert_eq!(Board::parse(&text), Ok(board));
        for row in
            ["| crud | 2 | 14 | 6 | 7 | 8 |", "| rv | 1 | 3 | 0 | 0 | 0 |", "| total | 3 | 17 | 6 | 7 | 8 |"]
        {
            assert!(text.contains(row), "{row} is not in\n{text}");
        }
    }

    #[test]
    fn a_row_that_is_none() {
        assert_eq!(
            Board::parse("## crud\n\n| a | 1 | 2 |\n"),
            Err("line 3: not a scenario and four numbers: | a | 1 | 2 |".to_owned())
        );
    }

    #[track_caller]
    fn check(
        before: &[(&str, &str, [usize; 4])],
        now: &[(&str, &str, [usize; 4])],
        fell: &[&str],
        rose: bool,
    ) {
        let change = board(now).since(&board(before));
        assert_eq!(
            (change.fell.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), change.rose),
            (fell, rose)
        );
    }

    #[test]
    fn changes() {
        let old = ("crud", "a", [9, 3, 4, 4]);
        check(&[old], &[old], &[], false);
        check(&[old], &[("crud", "a", [9, 4, 4, 4])], &[], true);
        check(&[old], &[old, ("crud", "b", [1, 0, 0, 0])], &[], true);
        check(&[old], &[], &["crud/a: is gone"], false);
        check(&[old], &[("crud", "a", [9, 2, 5, 4])], &["crud/a: steps passed 3 -> 2"], false);
        check(
            &[old],
            &[("crud", "a", [9, 9, 3, 3])],
            &["crud/a: passed without managedFields 4 -> 3, same key order 4 -> 3"],
            false,
        );
    }
}
