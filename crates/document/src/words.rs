//! The sentences that documents tell people, in English.

use std::fmt;

use crate::block::NotRun;
use crate::compare::{Difference, Why};
use crate::names::Named;
use crate::outcome::Note;

pub(crate) fn not_served(kind: &str, api_version: &str) -> String {
    format!("no kind {kind:?} of {api_version:?} is served")
}

pub(crate) fn scene_refused(method: &str, target: &str, message: &str) -> String {
    format!("the scene cannot be made: {method} {target}: {message}")
}

pub(crate) fn no_file(path: &str) -> String {
    format!("it needs the file {path}, which is not in this document")
}

pub(crate) const NO_EXAMPLE: &str = "its body is only described, and there is no example of this kind";

pub(crate) const IS_RESPONSE: &str = "It is a response, and no request.";

pub(crate) const NOTHING_TO_RUN: &str = "It is no request, no line of kubectl or curl, and no manifest.";

pub(crate) const NO_STEP: &str = "A check stands below a heading of the second level, or of a deeper one.";
pub(crate) const SECOND_CHECK: &str = "A step has one check, and this is another one. It is not looked at.";
pub(crate) const NO_HINT: &str = "The hint is empty.";
pub(crate) const NO_QUESTION: &str = "The question has no text before its choices.";
pub(crate) const FEW_CHOICES: &str = "A question has two choices at least. A choice begins with `- [ ]`.";
pub(crate) const NO_RIGHT_CHOICE: &str =
    "No choice of the question is right. A right one begins with `- [x]`.";
pub(crate) const LATE_CHOICE: &str = "All choices stand before the explanation.";
pub(crate) const EMPTY_CHOICE: &str = "The choice has no text.";

pub(crate) fn no_check(why: &str) -> String {
    format!("The check cannot be read: {why}.")
}

pub(crate) fn no_front_matter(why: &str) -> String {
    format!("The front matter cannot be read: {why}.")
}

pub(crate) fn not_valid(expression: &str, why: &str) -> String {
    format!("The expression `{}` is not valid: {why}", expression.trim())
}

pub(crate) fn no_solution(title: &str) -> String {
    format!("The step {title:?} has no solution.")
}

pub(crate) fn outside(name: &str) -> String {
    format!("The {name} belongs to no step: there is no check in its section.")
}

pub(crate) fn does_not_run(name: &str, why: &str) -> String {
    format!("The {name} does not run: {why}")
}

impl fmt::Display for NotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Excerpt => f.write_str("It is an excerpt of an object."),
            Self::File(file) => write!(f, "It is the file {file} that the next command reads."),
            Self::Body => f.write_str("It is the body of another request."),
            Self::Returned => f.write_str("It shows an object as a server returns it."),
            Self::Placeholder(word) => write!(f, "{word} stands for something else."),
            Self::Other(why) => f.write_str(why),
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Created => {
                "An object that is created is answered with 201 Created. The document is not exact here."
            }
            Self::NoTableAskedFor => {
                "A table comes only if Accept asks for one: application/json;as=Table;g=meta.k8s.io;v=v1."
            }
            Self::NotServed => "Kubernetes v1.36 does not serve this.",
            Self::Columns => "The columns of a resource that defines none are Name and Age.",
            Self::NotCompressed => {
                "A server within a page compresses nothing: the browser would undo it at once."
            }
            Self::Count => "It depends on how many objects there are, and earlier examples made some.",
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| if text.is_empty() { "nothing".to_owned() } else { text.to_owned() };
        let Self { at, documented, came, why } = self;
        write!(f, "{at}: documented {}, came {}", shown(documented), shown(came))?;
        why.iter().try_for_each(|why| write!(f, ". {why}"))
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {} here.", self.documented, self.came)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filled => f.write_str("The document describes the body. This is an example of it."),
            Self::Media(media_type) => write!(f, "It was written in {media_type} before it was sent."),
            Self::Named(named) => named.fmt(f),
            Self::Version(version) => write!(f, "metadata.resourceVersion is {version} here."),
            Self::Made(path) => write!(f, "Made first: {path}"),
            Self::Meanwhile(what) => write!(f, "Done while the watch was open: {what}"),
            Self::Waited(seconds) => write!(f, "{seconds} seconds passed, for a bookmark to come."),
            Self::Added(part) => write!(f, "The document leaves out {part}. It was added."),
        }
    }
}
