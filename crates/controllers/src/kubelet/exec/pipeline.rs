//! Pipelines: commands one after the other, and with the output of each as the input of the next.
//!
//! See <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_09_02>.

use super::ran::{Piece, Ran};
use super::shell::{Shell, Stdin};
use super::syntax::{List, Pipeline, When};

impl Shell {
    /// Runs pipelines, one after the other.
    pub(super) fn run_list(&mut self, list: &List, stdin: &mut Stdin) -> Ran {
        let mut all = Ran { code: self.code, ..Ran::default() };
        for (when, pipeline) in list {
            let is_due = match when {
                When::Always => true,
                When::Succeeded => self.code == 0,
                When::Failed => self.code != 0,
            };
            if !is_due {
                continue;
            }
            if self.is_over() {
                if self.complains_of_budget(&mut all) {
                    self.code = 1;
                }
                break;
            }
            let ran = self.run_pipeline(pipeline, stdin);
            self.code = ran.code;
            self.is_late |= self.halts && ran.pieces.contains(&Piece::Unknown);
            all.pieces.extend(ran.pieces);
            all.has_exited = ran.has_exited;
            if ran.has_exited || self.leaving.is_some() {
                break;
            }
        }
        all.code = self.code;
        all
    }

    fn run_pipeline(&mut self, pipeline: &Pipeline, stdin: &mut Stdin) -> Ran {
        let Some((last, others)) = pipeline.stages.split_last() else { return Ran::default() };
        let mut seen = Vec::new();
        let mut piped: Option<Stdin> = None;
        for stage in others {
            let input = piped.as_mut().unwrap_or(stdin);
            // What a command changes in a pipeline is gone with it.
            let mut shell = self.within();
            let ran = if self.is_over() { Ran::default() } else { shell.run_stage(stage, input) };
            self.take_back(shell);
            let (bytes, others) = ran.parts();
            if others.iter().any(|piece| matches!(piece, Piece::Sleep(_))) {
                // Here all of it goes through the pipe at once.
                seen.push(Piece::Unknown);
            }
            seen.extend(others);
            piped = Some(Stdin { bytes, is_read: false });
        }
        let mut ran = self.run_stage(last, piped.as_mut().unwrap_or(stdin));
        if pipeline.is_negated && !ran.has_exited {
            ran.code = u8::from(ran.code == 0);
        }
        seen.append(&mut ran.pieces);
        Ran { pieces: seen, ..ran }
    }
}
