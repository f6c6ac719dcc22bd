//! Runs documents. This code is loaded when a document is opened.

use std::collections::HashMap;
use std::rc::Rc;

use document::block::Content;
use document::lesson::{self, Lesson, Picture, Problem};
use document::markdown::Page as Document;
use document::run::Outcome;
use document::{Runner, Scene};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::host::Host;
use super::outcome;
use super::reader::{Ran, Reader, Running, Stands};
use crate::ui::messages::learn as words;

impl Running {
    /// All of them.
    pub(crate) const HERE: Self =
        Self { begin, run, show: outcome::show, show_folded: outcome::show_folded, write, solve, problems };
}

fn begin(reader: Reader) {
    let page = reader.page;
    let document = reader.document.get_value();
    let scene = match Scene::in_front_matter(&document.front_matter) {
        Ok(scene) => scene.unwrap_or_default(),
        Err(why) => {
            reader.failed.set(Some(words::no_scene(&why)));
            Scene::default()
        }
    };
    match Lesson::in_front_matter(&document.front_matter) {
        Ok(lesson) => reader.picture.set(lesson.map_or("", |lesson| match lesson.picture {
            Picture::Response => "response",
            Picture::Timeline => "timeline",
            Picture::Watches => "watches",
        })),
        Err(why) => reader.failed.set(Some(words::no_lesson(&why))),
    }
    let mut runner = Runner::new(document.blocks.clone(), scene);
    let blocks = runner.blocks().iter().zip(&document.blocks).enumerate();
    let refused = blocks.filter(|(_, (now, before))| before.runs() && !now.runs());
    let why = |content: &Content| match content {
        Content::Text(Some(why)) => why.to_string(),
        _ => String::new(),
    };
    let refused: HashMap<usize, String> =
        refused.map(|(number, (now, _))| (number, why(&now.content))).collect();
    reader.refused.set(refused);
    page.begin_for_document(runner.first_revision());
    let turn = reader.turn.get_value();
    spawn_local(async move {
        let made = runner.begin(&Host::of(reader)).await;
        if !goes_on(reader, turn) {
            return;
        }
        reader.begin_step(0, reader.now());
        reader.stands.set(Stands::Quiet);
        match made {
            Ok(()) => {
                reader.runner.set_value(Some(Box::new(runner)));
                // What was wanted before it was known which blocks run.
                let wanted = reader.wanted.try_update_value(std::mem::take).unwrap_or_default();
                let refused = |number: &usize| reader.refused.with_untracked(|all| all.contains_key(number));
                run(reader, wanted.into_iter().filter(|number| !refused(number)).collect());
            }
            Err(why) => reader.failed.set(Some(why)),
        }
    });
}

/// Returns whether the cluster is still the one that was begun at a turn.
fn goes_on(reader: Reader, turn: u64) -> bool {
    reader.turn.try_get_value() == Some(turn)
}

/// Something that is to be run.
enum What {
    /// A block, by its number. What came of it is shown there.
    Block(usize),
    /// A text that the reader has written, and the block at which what came is shown.
    Written(usize, String),
    /// The solution of a step, and the block at which what came of its last part is shown.
    Solution(usize, Vec<usize>),
}

impl What {
    /// Returns the number of the block at which what came is shown.
    fn shown_at(&self) -> usize {
        match self {
            Self::Block(number) | Self::Written(number, _) | Self::Solution(number, _) => *number,
        }
    }
}

fn run(reader: Reader, blocks: Vec<usize>) {
    run_all(reader, blocks.into_iter().map(What::Block).collect());
}

/// Runs what the reader has written.
fn write(reader: Reader, shown_at: usize, text: String) {
    run_all(reader, vec![What::Written(shown_at, text)]);
}

/// Runs the solution of a step, after the examples before it that have not run: a solution may need what came of them.
fn solve(reader: Reader, shown_at: usize, blocks: Vec<usize>) {
    let examples = untrack(|| reader.runnable(blocks.first().copied()));
    let not_run = |number: &usize| reader.ran.with_untracked(|ran| !ran.contains_key(number));
    let examples = examples.into_iter().filter(not_run).map(What::Block);
    run_all(reader, examples.chain([What::Solution(shown_at, blocks)]).collect());
}

/// Returns what of a document cannot be read.
fn problems(document: Document) -> Vec<Problem> {
    match Scene::in_front_matter(&document.front_matter) {
        Ok(scene) => {
            let runner = Runner::new(document.blocks, scene.unwrap_or_default());
            lesson::problems_of(&document.front_matter, runner.blocks())
        }
        Err(why) => vec![Problem { line: 1, text: words::no_scene(&why) }],
    }
}

/// Runs one thing after the other, unless something runs.
fn run_all(reader: Reader, all: Vec<What>) {
    let Some(first) = all.first().map(What::shown_at) else { return };
    let runner = reader.runner.try_update_value(Option::take).flatten();
    let Some(Ok(mut runner)) = runner.map(|runner| runner.downcast::<Runner>()) else { return };
    reader.stands.set(Stands::Running(first));
    let turn = reader.turn.get_value();
    spawn_local(async move {
        let host = Host::of(reader);
        for what in all {
            let number = what.shown_at();
            reader.stands.set(Stands::Running(number));
            reader.exchanges.set(Vec::new());
            let outcome = match what {
                What::Block(number) => runner.run(&host, number).await,
                What::Written(_, text) => runner.run_written(&host, &text).await,
                What::Solution(_, blocks) => {
                    let mut whole = Outcome::default();
                    for number in blocks {
                        whole.add(runner.run(&host, number).await);
                        if whole.failed.is_some() {
                            break;
                        }
                    }
                    whole
                }
            };
            if !goes_on(reader, turn) {
                return;
            }
            let same = outcome.is_as_documented();
            reader.page.say(&words::ran(same));
            let ran = Ran { outcome: Rc::new(outcome), exchanges: reader.exchanges.get_untracked(), same };
            reader.ran.update(|all| {
                all.insert(number, ran);
            });
        }
        reader.runner.set_value(Some(runner));
        reader.stands.set(Stands::Quiet);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_cannot_be_read() {
        let lines = |text: &str| {
            let document = document::markdown::read(text, "").expect("it is short");
            problems(document).into_iter().map(|problem| problem.line).collect::<Vec<_>>()
        };
        assert_eq!(lines("# A page\n\n```http\nGET /api\n```\n"), [0; 0]);
        assert_eq!(lines("---\nscene: {revision: a}\n---\n"), [1]);
        let lesson = "---\nlesson: {about: b}\n---\n## A step\n\n```check\nexpect: []\n```\n";
        assert_eq!(lines(lesson), [6, 6]);
    }
}
