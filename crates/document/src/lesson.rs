//! Lessons: documents with steps in which a reader does something, and with checks that tell whether it was done.
//!
//! A page is a lesson if its front matter has `lesson`. A step is a section with a [`Check`]; beside it there may be
//! [questions](Question), hints, solutions and wrong attempts. The cluster evaluates a check by CEL, over what a host has
//! [seen](Seen) since the step began. `docs/documents.md` describes the format.

mod check;
mod question;
mod seen;

use serde::Deserialize;

pub use check::{Check, Expectation, Verdict};
pub use question::{Choice, Question};
pub use seen::{Change, Exchange, Seen, Write};

use crate::block::{Block, Content, NotRun, Role};
use crate::words;

/// The part of the front matter that makes a page a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lesson {
    /// A sentence on what it is for.
    pub about: String,
    /// The part of the picture that it looks at.
    #[serde(default)]
    pub picture: Picture,
}

/// A part of the picture that the page draws of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Picture {
    /// The last response.
    #[default]
    Response,
    /// The revisions of the cluster.
    Timeline,
    /// The watches that are open.
    Watches,
}

/// The front matter of a page that is a lesson.
#[derive(Deserialize)]
struct FrontMatter {
    lesson: Lesson,
}

impl Lesson {
    /// Reads the front matter of a page; `None` if the page is no lesson.
    ///
    /// # Errors
    /// It is one, and its front matter cannot be read: the reason, with the line in the page.
    pub fn in_front_matter(yaml: &str) -> Result<Option<Self>, String> {
        if !is_in(yaml) {
            return Ok(None);
        }
        // The line before it is that of `---`.
        let front: FrontMatter =
            serde_yaml::from_str(&["\n", yaml].concat()).map_err(|error| error.to_string())?;
        Ok(Some(front.lesson))
    }
}

/// Returns whether a front matter is that of a lesson, be it one that can be read or not.
pub(crate) fn is_in(front_matter: &str) -> bool {
    front_matter.lines().any(|line| line.starts_with("lesson:"))
}

/// A step of a lesson. Blocks are told by their numbers in the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The text of its heading.
    pub title: String,
    /// The id of its heading in the page's HTML.
    pub id: String,
    /// The check.
    pub check: usize,
    /// All blocks of its section, from the first to the last.
    pub blocks: Vec<usize>,
    /// The questions.
    pub questions: Vec<usize>,
    /// The hints.
    pub hints: Vec<usize>,
    /// The blocks of the solution that can be run, in order: the check is fulfilled after the last one.
    pub solutions: Vec<usize>,
    /// The wrong attempts that can be run. The check refuses each of them.
    pub wrong: Vec<usize>,
    /// The examples that can be run.
    pub examples: Vec<usize>,
}

/// Something in a lesson that has to be mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line of the page.
    pub line: usize,
    /// The reason, in a sentence.
    pub text: String,
}

/// The least level of the heading of a step.
const LEAST: u8 = 2;

/// Returns the steps of a lesson: each section of the second level or deeper that has a check. A section ends at the next heading,
/// whatever its level.
pub fn steps(blocks: &[Block]) -> Vec<Step> {
    let mut steps = Vec::new();
    for section in sections(blocks) {
        let is_check =
            |number: &&usize| blocks.get(**number).is_some_and(|block| block.content == Content::Check);
        let Some(check) = section.iter().find(is_check).copied() else { continue };
        let Some(heading) = blocks.get(check).map(|block| &block.heading) else { continue };
        if heading.depth < LEAST {
            continue;
        }
        let all = |fits: fn(&Block) -> bool| {
            let of_sort = section.iter().filter(|number| blocks.get(**number).is_some_and(fits));
            of_sort.copied().collect::<Vec<_>>()
        };
        steps.push(Step {
            title: heading.text.clone(),
            id: heading.id.clone(),
            check,
            questions: all(|block| block.content == Content::Question),
            hints: all(|block| block.content == Content::Hint),
            solutions: all(|block| block.role == Role::Solution && block.can_run()),
            wrong: all(|block| block.role == Role::Wrong && block.can_run()),
            examples: all(Block::runs),
            blocks: section,
        });
    }
    steps
}

/// Returns the numbers of the blocks of each section.
fn sections(blocks: &[Block]) -> Vec<Vec<usize>> {
    let mut sections: Vec<Vec<usize>> = Vec::new();
    let mut last = None;
    for (number, block) in blocks.iter().enumerate() {
        match sections.last_mut() {
            Some(section) if last == Some(block.heading.number) => section.push(number),
            _ => sections.push(vec![number]),
        }
        last = Some(block.heading.number);
    }
    sections
}

/// Returns what is wrong with the front matter and the blocks of a page; nothing if it is no lesson. See [`problems`].
pub fn problems_of(front_matter: &str, blocks: &[Block]) -> Vec<Problem> {
    match Lesson::in_front_matter(front_matter) {
        Ok(None) => Vec::new(),
        Ok(Some(_)) => problems(blocks),
        Err(why) => {
            let front = Problem { line: 1, text: words::no_front_matter(&why) };
            std::iter::once(front).chain(problems(blocks)).collect()
        }
    }
}

/// Returns what is wrong with a lesson as far as its text tells, in the order of the lines. Of the expressions of checks only an
/// evaluation tells. `blocks` are those of a [`Runner`](crate::Runner), which knows whether commands can run.
pub fn problems(blocks: &[Block]) -> Vec<Problem> {
    let steps = steps(blocks);
    let mut problems = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let mut tell = |text: String| problems.push(Problem { line: block.line, text });
        let step = steps.iter().find(|step| step.blocks.contains(&number));
        match (&block.content, block.role) {
            (Content::Check, _) => {
                match step {
                    None => tell(words::NO_STEP.to_owned()),
                    Some(step) if step.check != number => tell(words::SECOND_CHECK.to_owned()),
                    Some(step) if step.solutions.is_empty() => tell(words::no_solution(&step.title)),
                    Some(_) => {}
                }
                problems.extend(Check::read(block).err());
            }
            (Content::Question, _) => problems.extend(Question::read(block).err()),
            (Content::Hint, _) => {
                if step.is_none() {
                    tell(words::outside("hint"));
                } else if block.text.trim().is_empty() {
                    tell(words::NO_HINT.to_owned());
                }
            }
            (_, Role::Example) | (Content::Text(Some(NotRun::File(_))), _) => {}
            (content, role) => {
                let name = if role == Role::Solution { "solution" } else { "wrong attempt" };
                match content {
                    _ if step.is_none() => tell(words::outside(name)),
                    Content::Text(Some(why)) => tell(words::does_not_run(name, &why.to_string())),
                    Content::Text(None) => tell(words::does_not_run(name, words::NOTHING_TO_RUN)),
                    Content::Response(_) => tell(words::does_not_run(name, words::IS_RESPONSE)),
                    _ => {}
                }
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests;
