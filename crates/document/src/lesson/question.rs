//! Questions: a text, choices of which some are right, and an explanation.

use super::Problem;
use crate::block::Block;
use crate::http;
use crate::words;

/// A question for the reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The question itself.
    pub text: String,
    /// The choices, in order.
    pub choices: Vec<Choice>,
    /// The explanation, which is for those who have chosen; may be empty.
    pub explanation: String,
}

/// A choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The text.
    pub text: String,
    /// True if it is right.
    pub right: bool,
}

/// The least number of choices.
const LEAST: usize = 2;

impl Question {
    /// Reads the question in a block: lines of text, a line for each choice (`- [ ]`, `- [x]` for a right one), lines of
    /// explanation. A choice goes on in lines that are indented.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(block: &Block) -> Result<Self, Problem> {
        let mut question = Self::default();
        let mut explanation: Vec<&str> = Vec::new();
        let mut text: Vec<&str> = Vec::new();
        for (number, line) in http::dedent(&block.text).into_iter().enumerate() {
            let problem = |text: &str| Problem { line: block.line + 1 + number, text: text.to_owned() };
            if let Some(choice) = choice(line) {
                if explanation.iter().any(|line| !line.is_empty()) {
                    return Err(problem(words::LATE_CHOICE));
                }
                if choice.text.is_empty() {
                    return Err(problem(words::EMPTY_CHOICE));
                }
                question.choices.push(choice);
                continue;
            }
            let goes_on = line.starts_with([' ', '\t']) && explanation.is_empty();
            match question.choices.last_mut() {
                None => text.push(line.trim()),
                Some(last) if goes_on => {
                    last.text.push(' ');
                    last.text.push_str(line.trim());
                }
                Some(_) => explanation.push(line.trim()),
            }
        }
        question.text = text.join("\n").trim().to_owned();
        question.explanation = explanation.join("\n").trim().to_owned();
        let problem = |text: &str| Err(Problem { line: block.line, text: text.to_owned() });
        if question.text.is_empty() {
            problem(words::NO_QUESTION)
        } else if question.choices.len() < LEAST {
            problem(words::FEW_CHOICES)
        } else if !question.choices.iter().any(|choice| choice.right) {
            problem(words::NO_RIGHT_CHOICE)
        } else {
            Ok(question)
        }
    }
}

/// Returns the choice in a line, if it is one.
fn choice(line: &str) -> Option<Choice> {
    let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?;
    let (mark, text) = rest.trim_start().strip_prefix('[')?.split_once(']')?;
    let right = match mark {
        "x" | "X" => true,
        " " | "" => false,
        _ => return None,
    };
    Some(Choice { text: text.trim().to_owned(), right })
}
