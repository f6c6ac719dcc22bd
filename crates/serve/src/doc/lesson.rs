//! Playing lessons: whether each step's check refuses what is wrong, and is fulfilled by the solution.

use document::Runner;
use document::block::Role;
use document::lesson::{self, Check, Seen, Step, Verdict};
use document::run::{Outcome, Sent};

use super::cluster::Cluster;
use super::{Error, Play};

/// A step that was played.
#[derive(Debug, Default)]
pub(crate) struct Played {
    pub(crate) step: Step,
    /// The blocks that were tried, in order.
    pub(crate) tried: Vec<Tried>,
    /// The reasons why the step is not right; none if it is.
    pub(crate) faults: Vec<String>,
}

/// A solution or a wrong attempt that was tried.
#[derive(Debug)]
pub(crate) struct Tried {
    /// The line of the block.
    pub(crate) line: usize,
    pub(crate) role: Role,
    pub(crate) sent: Vec<Sent>,
}

impl Played {
    pub(crate) fn new(step: Step) -> Self {
        let no_solution = step.solutions.is_empty().then(|| "it has no solution".to_owned());
        Self { step, faults: no_solution.into_iter().collect(), ..Self::default() }
    }

    /// Returns whether the step is right.
    pub(crate) fn is_right(&self) -> bool {
        self.faults.is_empty()
    }
}

/// The step that is under way.
pub(crate) struct Underway {
    /// The number of the step.
    number: usize,
    /// The check; `None` if it cannot be read, which is told elsewhere.
    check: Option<Check>,
    seen: Seen,
    /// True once the reader, or an example, has done something that the check was not asked about.
    is_new: bool,
}

/// A lesson that is played, or a document without steps.
pub(crate) struct Playing {
    pub(crate) played: Vec<Played>,
    underway: Option<Underway>,
    /// True if this is played to try what is wrong: nothing is told of what comes before.
    is_silent: bool,
}

impl Playing {
    pub(crate) fn new(runner: &Runner, is_silent: bool) -> Self {
        let steps = lesson::steps(runner.blocks());
        Self { played: steps.into_iter().map(Played::new).collect(), underway: None, is_silent }
    }

    /// Begins the step that a block is the first one of, if it is, and ends the one before.
    pub(crate) async fn come_to(&mut self, number: usize, runner: &Runner, cluster: &Cluster) {
        if self.underway.as_ref().is_some_and(|step| !self.contains(step.number, number)) {
            self.underway = None;
        }
        let first = |played: &Played| played.step.blocks.first() == Some(&number);
        let Some(step) = self.played.iter().position(first) else { return };
        let check = self.played.get(step).and_then(|played| runner.blocks().get(played.step.check));
        let check = check.and_then(|block| Check::read(block).ok());
        cluster.begin_step();
        let is_read = check.is_some();
        self.underway = Some(Underway { number: step, check, seen: Seen::default(), is_new: false });
        if is_read {
            self.expect_open(cluster, "before anything was done").await;
        } else {
            self.tell("its check cannot be read".to_owned());
        }
    }

    fn contains(&self, step: usize, block: usize) -> bool {
        self.played.get(step).is_some_and(|played| played.step.blocks.contains(&block))
    }

    /// Takes note of what an example has done.
    pub(crate) fn saw(&mut self, sent: &[Sent]) {
        if let Some(step) = &mut self.underway {
            step.seen.exchanges.extend(sent.iter().map(lesson::Exchange::from));
            step.is_new = true;
        }
    }

    /// Tries a solution, and after the last one asks the check.
    pub(crate) async fn solve(&mut self, number: usize, runner: &mut Runner, cluster: &Cluster) {
        if self.underway.as_ref().is_some_and(|step| step.is_new) {
            self.expect_open(cluster, "by its examples").await;
        }
        let outcome = self.try_block(number, runner, cluster).await;
        if let Some(step) = &mut self.underway {
            step.is_new = false;
        }
        let Some(played) = self.underway.as_ref().and_then(|step| self.played.get(step.number)) else {
            return;
        };
        let is_last = played.step.solutions.last() == Some(&number);
        if let Some(why) = outcome.failed {
            self.tell(format!("its solution could not be run: {why}"));
        } else if is_last && !self.is_silent {
            match self.ask(cluster).await {
                Some(Ok(verdict @ Verdict::Open { .. })) => {
                    self.tell(["it is not fulfilled by its solution: ", &open(&verdict)].concat());
                }
                Some(Err(why)) => self.tell(why),
                Some(Ok(Verdict::Fulfilled)) | None => {}
            }
        }
    }

    /// Tries what is wrong in a cluster of its own, which has come as far as this one.
    pub(crate) async fn try_wrong(&mut self, number: usize, play: &Play<'_>) -> Result<(), Error> {
        if self.is_silent {
            return Ok(());
        }
        let (mut runner, cluster, mut apart) = play.until(number).await?;
        let outcome = apart.try_block(number, &mut runner, &cluster).await;
        apart.is_silent = false;
        let line = runner.blocks().get(number).map(|block| block.line).unwrap_or_default();
        match outcome.failed {
            Some(why) => apart.tell(format!("what is wrong in line {line} could not be run: {why}")),
            None => apart.expect_open(&cluster, &format!("by what is wrong in line {line}")).await,
        }
        let Some(step) = &self.underway else { return Ok(()) };
        let found = apart.played.into_iter().nth(step.number);
        if let (Some(found), Some(played)) = (found, self.played.get_mut(step.number)) {
            played.tried.extend(found.tried.into_iter().filter(|tried| tried.role == Role::Wrong));
            for fault in found.faults {
                if !played.faults.contains(&fault) {
                    played.faults.push(fault);
                }
            }
        }
        Ok(())
    }

    async fn try_block(&mut self, number: usize, runner: &mut Runner, cluster: &Cluster) -> Outcome {
        let outcome = runner.run(cluster, number).await;
        self.saw(&outcome.sent);
        if let (Some(step), Some(block)) = (&self.underway, runner.blocks().get(number))
            && let Some(played) = self.played.get_mut(step.number)
        {
            played.tried.push(Tried { line: block.line, role: block.role, sent: outcome.sent.clone() });
        }
        outcome
    }

    /// Asks the check of the step; `None` if there is none that can be read.
    async fn ask(&mut self, cluster: &Cluster) -> Option<Result<Verdict, String>> {
        let step = self.underway.as_mut()?;
        // The events of watches come when they come.
        for exchange in &mut step.seen.exchanges {
            exchange.body = document::Server::body(cluster, &exchange.response).await;
        }
        step.seen.writes = cluster.writes();
        Some(step.check.as_ref()?.check(cluster, &step.seen).await)
    }

    /// Tells it if the check is fulfilled too early.
    async fn expect_open(&mut self, cluster: &Cluster, when: &str) {
        if self.is_silent {
            return;
        }
        match self.ask(cluster).await {
            Some(Ok(Verdict::Fulfilled)) => self.tell(["it is fulfilled ", when].concat()),
            Some(Err(why)) => self.tell(why),
            Some(Ok(Verdict::Open { .. })) | None => {}
        }
    }

    fn tell(&mut self, fault: String) {
        let Some(step) = &self.underway else { return };
        if let Some(played) = self.played.get_mut(step.number)
            && !self.is_silent
            && !played.faults.contains(&fault)
        {
            played.faults.push(fault);
        }
    }
}

/// Tells which expectation is not fulfilled, and why.
fn open(verdict: &Verdict) -> String {
    let Verdict::Open { expression, failed, .. } = verdict else { return String::new() };
    let expression = expression.trim();
    match failed {
        Some(why) => format!("`{expression}`: {why}"),
        None => format!("`{expression}` is false"),
    }
}
