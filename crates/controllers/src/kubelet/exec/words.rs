//! Words: what becomes of them before a command is run.
//!
//! See <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_06>.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::ran::Piece;
use super::shell::{LONGEST_WORDS, Shell, Stdin};
use super::syntax::{List, Part, Word};

impl Shell {
    /// Returns the value of a variable; empty if there is none.
    pub(super) fn variable(&mut self, name: &str) -> String {
        match name {
            "RANDOM" => self.random().to_string(),
            "?" => self.code.to_string(),
            "$" => "1".to_owned(),
            "#" => "0".to_owned(),
            "PWD" if self.directory.is_empty() => "/".to_owned(),
            "PWD" => self.directory.clone(),
            _ => {
                let mut all = self.own.iter().chain(&self.machine.environment);
                all.find(|(own, _)| own == name).map(|(_, value)| value.clone()).unwrap_or_default()
            }
        }
    }

    /// Returns a number below 32,768 that nobody expects. It follows from the time and the name of the host, so that a command that is looked
    /// at twice does the same.
    fn random(&mut self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.machine.hostname, self.machine.now, self.randoms).hash(&mut hasher);
        self.randoms += 1;
        hasher.finish() % 32_768
    }

    /// Returns the words that a word becomes.
    pub(super) fn expand(&mut self, word: &Word) -> Vec<String> {
        let (mut words, mut length) = (vec![String::new()], 0);
        for part in &word.parts {
            // Whoever wants the words finds that they are too long.
            if length > LONGEST_WORDS {
                break;
            }
            let value = match part {
                Part::Text(text) => text.clone(),
                Part::Variable(name, _) => self.variable(name),
                Part::Output(list, _) => self.output(list),
                Part::Arithmetic(text) => self.evaluate(text),
            };
            length += value.len();
            let splits = matches!(part, Part::Variable(_, false) | Part::Output(_, false));
            let mut pieces = value.split(|char: char| splits && char.is_ascii_whitespace());
            if let (Some(first), Some(last)) = (pieces.next(), words.last_mut()) {
                last.push_str(first);
            }
            words.extend(pieces.map(str::to_owned));
        }
        if !word.is_quoted {
            words.retain(|word| !word.is_empty());
        }
        words
    }

    /// Runs commands whose output is part of a word, and returns that without the ends of lines behind it.
    fn output(&mut self, list: &List) -> String {
        let mut shell = self.within();
        let ran = shell.run_list(list, &mut Stdin::default());
        self.take_back(shell);
        let code = ran.code;
        let (bytes, others) = ran.parts();
        self.aside.0.extend(others);
        self.aside.1 = Some(code);
        let text = String::from_utf8_lossy(&bytes);
        text.trim_end_matches('\n').to_owned()
    }

    /// Returns the value of an expression; nothing if it has none.
    fn evaluate(&mut self, text: &str) -> String {
        match super::arithmetic::evaluate(self, text) {
            Ok(value) => value.to_string(),
            Err(why) => {
                let line = ["sh: arithmetic: ", why, "\n"].concat();
                self.aside.0.extend([Piece::Unknown, Piece::Stderr(line.into_bytes())]);
                String::new()
            }
        }
    }
}
