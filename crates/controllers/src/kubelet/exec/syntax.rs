//! The syntax of the shell: words, and how commands are joined. Functions, `case`, subshells and here-documents are not there.
//!
//! See <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html>.

mod tokens;

use std::iter::Peekable;
use std::vec::IntoIter;

use tokens::{Token, tokens, unexpected, unsupported};

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// The value of a variable. Outside of quotes, the blanks in it separate words.
    Variable(String, bool),
    /// The output of commands, and whether it stands in quotes.
    Output(List, bool),
    /// The value of an expression.
    Arithmetic(String),
}

/// A word. One with quotes is there even if it is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
    pub(super) is_quoted: bool,
}

impl Word {
    /// Returns its text, if it has no quotes and no variables.
    pub(super) fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Text(text)] if !self.is_quoted => Some(text),
            _ => None,
        }
    }
}

/// The place that a stream goes to, or comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Redirection {
    Input(Word),
    /// The number of the stream, the file, and whether it is written to at its end.
    Output(u8, Word, bool),
    /// The number of the stream, and that of the one whose place it takes.
    Copy(u8, u8),
}

/// A command of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) body: Body,
    pub(super) redirections: Vec<Redirection>,
}

/// The kinds of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// A command with its words.
    Simple(Vec<Word>),
    Group(List),
    /// Conditions with what is run on them, and what is run on none.
    If(Vec<(List, List)>, List),
    /// A loop that goes on while its condition succeeds, or with `true` until it does.
    While(bool, List, List),
    /// A variable, its values, and what is run with each.
    For(String, Vec<Word>, List),
}

/// The condition on which a command is run: how the one before it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// After `&&`.
    Succeeded,
    /// After `||`.
    Failed,
}

/// Commands whose output is the input of the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pipeline {
    /// True if it succeeds when the last command fails.
    pub(super) is_negated: bool,
    pub(super) stages: Vec<Stage>,
}

/// Pipelines, one after the other.
pub(super) type List = Vec<(When, Pipeline)>;

/// The words that are part of a command that another one has begun.
const INNER: [&str; 7] = ["then", "else", "elif", "fi", "do", "done", "}"];

/// The words that begin something that is not there.
const MISSING: [&str; 4] = ["case", "esac", "function", "select"];

/// The most commands that stand within each other.
const DEEPEST: usize = 16;
const TOO_DEEP: &str = "there are too many commands within each other";

/// Returns the name and the value of an assignment.
pub(super) fn assignment(word: &Word) -> Option<(String, Word)> {
    let Some(Part::Text(text)) = word.parts.first() else { return None };
    let (name, value) = text.split_once('=')?;
    if !is_name(name) {
        return None;
    }
    let mut parts = vec![Part::Text(value.to_owned())];
    // The blanks in what is assigned separate nothing.
    parts.extend(word.parts[1..].iter().map(|part| match part {
        Part::Variable(name, _) => Part::Variable(name.clone(), true),
        Part::Output(list, _) => Part::Output(list.clone(), true),
        part => part.clone(),
    }));
    Some((name.to_owned(), Word { parts, is_quoted: true }))
}

/// Parses a text.
///
/// # Errors
/// The reason why it cannot be understood.
pub(super) fn parse(text: &str) -> Result<List, String> {
    parse_within(text, 0)
}

/// Parses a text that stands so deep within others.
fn parse_within(text: &str, depth: usize) -> Result<List, String> {
    if depth > DEEPEST {
        return Err(TOO_DEEP.to_owned());
    }
    let mut parser = Parser { tokens: tokens(text, depth)?.into_iter().peekable(), depth };
    parser.list(&[])
}

/// The tokens that are left, and how deep they stand within commands.
struct Parser {
    tokens: Peekable<IntoIter<Token>>,
    depth: usize,
}

impl Parser {
    /// Returns the next word, if it is one without quotes and variables.
    fn word(&mut self) -> Option<&str> {
        match self.tokens.peek() {
            Some(Token::Word(word)) => word.plain(),
            _ => None,
        }
    }

    /// Takes a word that has to come.
    fn require(&mut self, word: &str) -> Result<(), String> {
        if self.word() == Some(word) {
            self.tokens.next();
            return Ok(());
        }
        Err(self.surprise())
    }

    /// Says that something else was expected than what comes.
    fn surprise(&mut self) -> String {
        match self.tokens.peek() {
            None => "syntax error: unexpected end of file".to_owned(),
            Some(Token::Word(word)) => unexpected(word.plain().unwrap_or("word")),
            Some(Token::End(When::Succeeded)) => unexpected("&&"),
            Some(Token::End(When::Failed)) => unexpected("||"),
            Some(Token::End(When::Always)) => unexpected(";"),
            Some(Token::Pipe) => unexpected("|"),
            Some(_) => unexpected("redirection"),
        }
    }

    /// Reads pipelines up to one of some words, or to the end.
    fn list(&mut self, ends: &[&str]) -> Result<List, String> {
        let (mut list, mut when) = (List::new(), When::Always);
        loop {
            while self.tokens.next_if_eq(&Token::End(When::Always)).is_some() {}
            let is_over =
                self.tokens.peek().is_none() || self.word().is_some_and(|word| ends.contains(&word));
            if is_over || matches!(self.tokens.peek(), Some(Token::End(_))) {
                if is_over && when == When::Always && (ends.is_empty() || self.tokens.peek().is_some()) {
                    return Ok(list);
                }
                return Err(self.surprise());
            }
            list.push((when, self.pipeline()?));
            when = match self.tokens.next() {
                Some(Token::End(when)) => when,
                None => When::Always,
                Some(Token::Word(word)) => return Err(unexpected(word.plain().unwrap_or("word"))),
                Some(_) => return Err(unexpected("redirection")),
            };
        }
    }

    /// Reads a list that has to have something.
    fn some(&mut self, ends: &[&str]) -> Result<List, String> {
        let list = self.list(ends)?;
        if list.is_empty() { Err(self.surprise()) } else { Ok(list) }
    }

    fn pipeline(&mut self) -> Result<Pipeline, String> {
        let is_negated = self.word() == Some("!");
        if is_negated {
            self.tokens.next();
        }
        let mut stages = vec![self.stage()?];
        while self.tokens.next_if_eq(&Token::Pipe).is_some() {
            if matches!(self.tokens.peek(), None | Some(Token::Pipe | Token::End(_))) {
                return Err(unexpected("|"));
            }
            stages.push(self.stage()?);
        }
        Ok(Pipeline { is_negated, stages })
    }

    fn stage(&mut self) -> Result<Stage, String> {
        let body = match self.word().map(str::to_owned).as_deref() {
            Some(word) if INNER.contains(&word) => return Err(unexpected(word)),
            Some(word) if MISSING.contains(&word) => return Err(unsupported(word)),
            Some(word @ ("{" | "if" | "while" | "until" | "for")) => {
                if self.depth == DEEPEST {
                    return Err(TOO_DEEP.to_owned());
                }
                self.tokens.next();
                self.depth += 1;
                let body = self.compound(word)?;
                self.depth -= 1;
                body
            }
            _ => return self.simple(),
        };
        let mut redirections = Vec::new();
        while let Some(redirection) = self.redirection()? {
            redirections.push(redirection);
        }
        Ok(Stage { body, redirections })
    }

    /// Reads a command behind the word that begins it.
    fn compound(&mut self, word: &str) -> Result<Body, String> {
        match word {
            "{" => {
                let list = self.some(&["}"])?;
                self.require("}")?;
                Ok(Body::Group(list))
            }
            "if" => {
                let mut branches = Vec::new();
                loop {
                    let condition = self.some(&["then"])?;
                    self.require("then")?;
                    branches.push((condition, self.some(&["elif", "else", "fi"])?));
                    if self.word() != Some("elif") {
                        break;
                    }
                    self.tokens.next();
                }
                let mut otherwise = List::new();
                if self.word() == Some("else") {
                    self.tokens.next();
                    otherwise = self.some(&["fi"])?;
                }
                self.require("fi")?;
                Ok(Body::If(branches, otherwise))
            }
            "for" => {
                let name = self.word().filter(|name| is_name(name)).map(str::to_owned);
                let Some(name) = name else { return Err(self.surprise()) };
                self.tokens.next();
                let mut words = Vec::new();
                if self.word() == Some("in") {
                    self.tokens.next();
                    while let Some(Token::Word(word)) =
                        self.tokens.next_if(|token| matches!(token, Token::Word(_)))
                    {
                        words.push(word);
                    }
                }
                while self.tokens.next_if_eq(&Token::End(When::Always)).is_some() {}
                Ok(Body::For(name, words, self.loop_body()?))
            }
            word => {
                let condition = self.some(&["do"])?;
                Ok(Body::While(word == "until", condition, self.loop_body()?))
            }
        }
    }

    fn loop_body(&mut self) -> Result<List, String> {
        self.require("do")?;
        let body = self.some(&["done"])?;
        self.require("done")?;
        Ok(body)
    }

    fn simple(&mut self) -> Result<Stage, String> {
        let (mut words, mut redirections) = (Vec::new(), Vec::new());
        loop {
            if let Some(Token::Word(word)) = self.tokens.next_if(|token| matches!(token, Token::Word(_))) {
                words.push(word);
            } else if let Some(redirection) = self.redirection()? {
                redirections.push(redirection);
            } else if words.is_empty() && redirections.is_empty() {
                return Err(self.surprise());
            } else {
                return Ok(Stage { body: Body::Simple(words), redirections });
            }
        }
    }

    /// Reads a redirection, if one comes.
    fn redirection(&mut self) -> Result<Option<Redirection>, String> {
        let token =
            self.tokens.next_if(|token| matches!(token, Token::To(..) | Token::From | Token::Copy(..)));
        let mut file = || match self.tokens.next() {
            Some(Token::Word(file)) => Ok(file),
            _ => Err(unexpected("redirection")),
        };
        Ok(match token {
            Some(Token::To(stream, appends)) => Some(Redirection::Output(stream, file()?, appends)),
            Some(Token::From) => Some(Redirection::Input(file()?)),
            Some(Token::Copy(stream, to)) => Some(Redirection::Copy(stream, to)),
            _ => None,
        })
    }
}

/// Reports whether a text is the name of a variable.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|char: char| char.is_ascii_digit())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

#[cfg(test)]
mod tests;
