//! Lines of a shell: what `curl` and `kubectl` in a block send, and what they print.
//!
//! Nothing is sent from here. A [`Running`] command says what to send next and is given the response, until it has printed.

mod curl;
mod jsonpath;
mod kubectl;
mod merge;
mod print;
mod shell;
mod words;

use apimachinery::manifest;
use json_tree::Value;

use crate::kinds::Kinds;
use crate::message::Request;

pub use curl::Curl;
pub use kubectl::Kubectl;
pub use manifest::{objects, split};
pub use shell::Running;

/// A line of a shell that was understood.
#[derive(Clone, Debug)]
pub struct Line {
    /// The text as it was written, with its continuation lines and its here-document.
    pub text: String,
    /// The command in it.
    pub command: Command,
}

/// A command that can be carried out.
#[derive(Clone, Debug)]
pub enum Command {
    /// A request by `curl`.
    Curl(Curl),
    /// A command of `kubectl`.
    Kubectl(Kubectl),
}

/// A manifest that a command reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The text of the manifest, which stands in the line.
    Inline(String),
    /// A path or a URL; the runner looks for it in the document.
    File(String),
}

/// The next thing that a command does.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends a request, and waits for the response.
    Send(Request),
    /// Ends.
    Done(Printed),
}

/// The output of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The text on both standard streams.
    pub text: String,
    /// True if the command ended with an error.
    pub failed: bool,
}

/// Commands that change nothing in the cluster and print nothing that matters.
const SKIPPED: &[&str] = &[
    "sleep", "cd", "mkdir", "export", "unset", "set", "clear", "true", "alias", "source", "rm", "echo",
    "printf", "cat",
];
/// Words that begin something of several commands.
const COMPOUND: &[&str] =
    &["for", "while", "until", "if", "case", "function", "select", "{", "!", "do", "done", "then", "fi"];

/// Reads the lines of a block.
///
/// # Errors
/// Why a line does not run, in a plain sentence.
pub fn read(text: &str) -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    let mut files: Vec<(String, String)> = Vec::new();
    for mut pipeline in words::pipelines(text)? {
        for part in &mut pipeline.parts {
            let assigned = part.words.iter().take_while(|word| words::assignment(word).is_some()).count();
            part.words.drain(..assigned);
        }
        pipeline.parts.retain(|part| !part.words.is_empty());
        let name = |part: &words::Simple| part.words.first().cloned().unwrap_or_default();
        let is_known = |part: &words::Simple| matches!(&*name(part), "curl" | "kubectl");
        let Some(at) = pipeline.parts.iter().position(is_known) else {
            for part in &pipeline.parts {
                let name = name(part);
                if COMPOUND.contains(&&*name) {
                    return Err(format!(
                        "`{name}` belongs to a script: only lines of kubectl and curl run here."
                    ));
                } else if !SKIPPED.contains(&&*name) {
                    return Err(format!("`{name}` does not run here: only kubectl and curl do."));
                }
                files.extend(part.into.clone().zip(written(part)));
            }
            continue;
        };
        if pipeline.parts.iter().filter(|part| is_known(part)).count() > 1 {
            return Err(
                "The output of one command is the input of another: only a shell does that.".to_owned()
            );
        }
        let before = at.checked_sub(1).and_then(|before| pipeline.parts.get(before));
        let piped =
            match before {
                Some(part) => Some(piped(part).ok_or_else(|| {
                    format!("`{}` does not run here: only kubectl and curl do.", name(part))
                })?),
                None => None,
            };
        let Some(part) = pipeline.parts.get(at) else { continue };
        let stdin = part.stdin.clone().or(piped);
        let arguments = part.words.get(1..).unwrap_or_default();
        let mut command = match &*name(part) {
            "curl" => Command::Curl(Curl::read(arguments, stdin.as_ref())?),
            _ => Command::Kubectl(Kubectl::read(arguments, stdin.as_ref())?),
        };
        let sources = match &mut command {
            Command::Curl(curl) => &mut curl.sources,
            Command::Kubectl(kubectl) => &mut kubectl.sources,
        };
        for source in sources {
            let Source::File(path) = source else { continue };
            let bare = |path: &str| path.strip_prefix("./").unwrap_or(path).to_owned();
            if let Some((_, text)) = files.iter().rev().find(|(known, _)| bare(known) == bare(path)) {
                *source = Source::Inline(text.clone());
            }
        }
        lines.push(Line { text: pipeline.text, command });
    }
    Ok(lines)
}

/// Returns what a command writes that prints its words or its input.
fn written(part: &words::Simple) -> Option<String> {
    let (name, words) = part.words.split_first()?;
    match (name.as_str(), &part.stdin) {
        ("cat", Some(Source::Inline(text))) => Some(text.clone()),
        ("echo" | "printf", _) => {
            let words: Vec<&str> =
                words.iter().map(String::as_str).filter(|word| !matches!(*word, "-e" | "-n")).collect();
            Some(words.join(" ").replace("\\n", "\n"))
        }
        _ => None,
    }
}

/// Returns what a command before a bar gives to the one behind it.
fn piped(part: &words::Simple) -> Option<Source> {
    match part.words.as_slice() {
        [cat, file] if cat == "cat" && file != "-" => Some(Source::File(file.clone())),
        _ => written(part).map(Source::Inline),
    }
}

/// Returns whether a text looks like lines of curl or kubectl.
pub fn is_shell(text: &str) -> bool {
    let first = words::first_line(text);
    let first = first.strip_prefix("$ ").unwrap_or(first).trim_start();
    let begins = |name: &str| {
        first.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\\']))
    };
    begins("kubectl") || begins("curl") || begins("cat") && first.contains("<<")
}

impl Line {
    /// Returns the manifests that it reads, in order.
    pub fn manifests(&self) -> &[Source] {
        match &self.command {
            Command::Curl(curl) => &curl.sources,
            Command::Kubectl(kubectl) => &kubectl.sources,
        }
    }

    /// Returns whether it makes the objects that it is about, so that they need not be there.
    pub fn creates(&self) -> bool {
        let makes = ["apply", "create", "replace", "run"];
        match &self.command {
            Command::Curl(_) => false,
            Command::Kubectl(kubectl) => {
                kubectl.words.first().is_some_and(|verb| makes.contains(&verb.as_str()))
            }
        }
    }

    /// Begins to carry it out. `objects` are those of its manifests, a list having been cut into its [`objects`]; what names
    /// no namespace is in `namespace`.
    ///
    /// # Errors
    /// Why the line does not run, in a plain sentence.
    pub fn begin(&self, kinds: &Kinds, namespace: &str, objects: Vec<Value>) -> Result<Running, String> {
        match &self.command {
            Command::Curl(curl) => curl.begin(&objects),
            Command::Kubectl(kubectl) => kubectl.begin(kinds, namespace, objects),
        }
    }
}

#[cfg(test)]
mod tests;
