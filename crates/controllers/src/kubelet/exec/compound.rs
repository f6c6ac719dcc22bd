//! Commands that consist of others: groups, conditions and loops.
//!
//! See <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_09_04>.

use super::ran::{Ran, Target};
use super::shell::{Leave, Shell, Stdin};
use super::syntax::{Body, List, Stage};

impl Shell {
    /// Runs a command of a pipeline.
    pub(super) fn run_stage(&mut self, stage: &Stage, stdin: &mut Stdin) -> Ran {
        if let Body::Simple(words) = &stage.body {
            return self.run_simple(stage, words, stdin);
        }
        let (mut out, mut err, mut input) = (Target::Stdout, Target::Stderr, None);
        for redirection in &stage.redirections {
            if let Err(why) = self.redirect(redirection, (&mut out, &mut err), &mut input) {
                return Ran::unknown(&["sh: ", &why], 1);
            }
        }
        let ran = self.run_body(&stage.body, input.as_mut().unwrap_or(stdin));
        self.route(ran, &out, &err)
    }

    fn run_body(&mut self, body: &Body, stdin: &mut Stdin) -> Ran {
        match body {
            Body::Simple(_) => Ran::default(),
            Body::Group(list) => self.run_list(list, stdin),
            Body::If(branches, otherwise) => self.run_if(branches, otherwise, stdin),
            Body::While(until, condition, body) => {
                let goes_on = |shell: &mut Self, all: &mut Ran, stdin: &mut Stdin| {
                    shell.adds(all, condition, stdin) && (all.code == 0) != *until
                };
                self.run_loop(stdin, goes_on, body)
            }
            Body::For(name, words, body) => {
                let values: Vec<String> = words.iter().flat_map(|word| self.expand(word)).collect();
                let mut pieces = std::mem::take(&mut self.aside.0);
                let mut values = values.into_iter();
                let goes_on = |shell: &mut Self, _: &mut Ran, _: &mut Stdin| {
                    let value = values.next();
                    let is_there = value.is_some();
                    value.into_iter().for_each(|value| shell.assign(name, value));
                    is_there
                };
                let ran = self.run_loop(stdin, goes_on, body);
                pieces.extend(ran.pieces);
                Ran { pieces, ..ran }
            }
        }
    }

    fn run_if(&mut self, branches: &[(List, List)], otherwise: &List, stdin: &mut Stdin) -> Ran {
        let mut all = Ran::default();
        for (condition, then) in branches {
            if !self.adds(&mut all, condition, stdin) {
                return all;
            }
            if all.code == 0 {
                self.adds(&mut all, then, stdin);
                return all;
            }
        }
        all.code = 0;
        self.code = 0;
        if !otherwise.is_empty() {
            self.adds(&mut all, otherwise, stdin);
        }
        all
    }

    /// Runs a body for as long as something says so.
    fn run_loop(
        &mut self,
        stdin: &mut Stdin,
        mut goes_on: impl FnMut(&mut Self, &mut Ran, &mut Stdin) -> bool,
        body: &List,
    ) -> Ran {
        let (mut all, mut code) = (Ran::default(), 0);
        self.loops += 1;
        while !self.is_over() && goes_on(self, &mut all, stdin) {
            self.charge();
            let goes_on = self.adds(&mut all, body, stdin);
            match self.leaving.take() {
                Some(Leave::Break) => {
                    code = 0;
                    break;
                }
                None if !goes_on => break,
                _ => code = all.code,
            }
        }
        if self.complains_of_budget(&mut all) {
            code = 1;
        }
        // The condition may have left it.
        self.leaving = None;
        self.loops -= 1;
        if !all.has_exited {
            all.code = code;
        }
        self.code = all.code;
        all
    }

    /// Runs pipelines, and adds what comes of that. Reports whether what is around them goes on: they leave neither the shell nor a loop.
    fn adds(&mut self, all: &mut Ran, list: &List, stdin: &mut Stdin) -> bool {
        let ran = self.run_list(list, stdin);
        all.pieces.extend(ran.pieces);
        (all.code, all.has_exited) = (ran.code, ran.has_exited);
        !ran.has_exited && self.leaving.is_none()
    }

    /// Leaves the loop within which a command is run.
    pub(super) fn leave(&mut self, way: Leave) -> Ran {
        self.leaving = Some(way);
        Ran::default()
    }
}
