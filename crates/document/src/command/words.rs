//! Splits a block into pipelines of commands, and these into words, as a shell does.

use super::Source;

/// The part of a pipeline between two bars.
#[derive(Clone, Debug, Default)]
pub(super) struct Simple {
    /// The words without quotes.
    pub(super) words: Vec<String>,
    /// The text that it reads as its standard input.
    pub(super) stdin: Option<Source>,
    /// The file that its output goes to.
    pub(super) into: Option<String>,
}

/// Commands that are connected by bars.
#[derive(Clone, Debug, Default)]
pub(super) struct Pipeline {
    /// The text as it stands in the block.
    pub(super) text: String,
    /// The commands from left to right; at least one.
    pub(super) parts: Vec<Simple>,
}

/// A here-document whose lines follow the command.
struct Here {
    delimiter: String,
    is_quoted: bool,
    strips_tabs: bool,
    part: usize,
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    prompted: bool,
    variables: Vec<(String, String)>,
}

/// Splits a block into its pipelines.
///
/// # Errors
/// Something stands in it that only a shell can carry out.
pub(super) fn pipelines(text: &str) -> Result<Vec<Pipeline>, String> {
    let mut scanner = Scanner { text, at: 0, prompted: is_prompted(text), variables: Vec::new() };
    let mut pipelines = Vec::new();
    while scanner.skip_to_statement() {
        let (pipeline, is_alternative) = scanner.pipeline()?;
        scanner.assign(&pipeline);
        pipelines.extend(Some(pipeline).filter(|pipeline| !pipeline.parts.is_empty()));
        if is_alternative {
            scanner.pipeline()?;
        }
    }
    Ok(pipelines)
}

/// Returns the first line that is neither empty nor a comment.
pub(super) fn first_line(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default()
}

/// Returns whether lines that are typed have a prompt, and the others are what is printed.
fn is_prompted(text: &str) -> bool {
    first_line(text).starts_with("$ ")
}

/// Splits `NAME=value`.
pub(super) fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name =
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_of_name);
    is_name.then_some((name, value))
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

const SUBSTITUTION: &str = "`$(…)` is replaced by what a command prints: only a shell does that.";

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let is = self.rest().starts_with(text);
        self.at += if is { text.len() } else { 0 };
        is
    }

    fn eat_while(&mut self, keep: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = rest.get(..rest.find(|c| !keep(c)).unwrap_or(rest.len())).unwrap_or_default();
        self.at += taken.len();
        taken
    }

    fn line(&mut self) -> &'t str {
        let line = self.rest().split_inclusive('\n').next().unwrap_or_default();
        self.at += line.len();
        line.trim_end_matches('\n').trim_end_matches('\r')
    }

    /// Skips what is no command; returns whether there is one.
    fn skip_to_statement(&mut self) -> bool {
        loop {
            let is_new_line =
                self.at == 0 || self.text.get(..self.at).is_some_and(|text| text.ends_with('\n'));
            self.eat_while(|c| c == ' ' || c == '\t' || c == '\r');
            let rest = self.rest();
            if rest.is_empty() {
                return false;
            } else if rest.starts_with(['\n', ';']) {
                self.take();
            } else if rest.starts_with('#') || self.prompted && is_new_line && !rest.starts_with("$ ") {
                self.line();
            } else if rest.starts_with("$ ") && is_new_line {
                self.at += 2;
            } else {
                return true;
            }
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            self.eat_while(|c| c == ' ' || c == '\t' || c == '\r');
            if !self.eat("\\\n") && !self.eat("\\\r\n") {
                return;
            }
        }
    }

    /// Reads up to the end of a pipeline; returns too whether the next one would run only if this fails.
    fn pipeline(&mut self) -> Result<(Pipeline, bool), String> {
        let start = self.at;
        let (mut parts, mut heres) = (vec![Simple::default()], Vec::new());
        let (mut is_alternative, mut end) = (false, None);
        loop {
            self.skip_blanks();
            let before = self.at;
            let index = parts.len() - 1;
            let Some(part) = parts.last_mut() else { break };
            let Some(c) = self.peek() else { break };
            match c {
                '\n' => break,
                '#' => {
                    self.eat_while(|c| c != '\n');
                    end = Some(before);
                    break;
                }
                ';' => {
                    self.take();
                    end = Some(before);
                    break;
                }
                '|' => {
                    self.take();
                    if self.eat("|") {
                        (is_alternative, end) = (true, Some(before));
                        break;
                    }
                    self.eat("&");
                    // The line may go on behind a bar.
                    self.eat_while(char::is_whitespace);
                    parts.push(Simple::default());
                }
                '&' => {
                    self.take();
                    if self.peek() != Some('>') {
                        self.eat("&");
                        end = Some(before);
                        break;
                    }
                }
                '(' | ')' => {
                    return Err("Parentheses start a shell of their own: only a shell does that.".to_owned());
                }
                '<' => self.input(part, index, &mut heres)?,
                '>' => part.into = self.output()?,
                _ => {
                    let word = self.word()?;
                    if self.peek() == Some('>') && matches!(&*word, "1" | "2") {
                        self.output()?;
                    } else {
                        part.words.push(word);
                    }
                }
            }
        }
        if !heres.is_empty() {
            self.line();
            end = None;
        }
        for here in heres {
            let body = self.body(&here);
            if let Some(part) = parts.get_mut(here.part) {
                part.stdin = Some(Source::Inline(body));
            }
        }
        let text = self.text.get(start..end.unwrap_or(self.at)).unwrap_or_default().trim_end().to_owned();
        parts.retain(|part| !part.words.is_empty());
        Ok((Pipeline { text, parts }, is_alternative))
    }

    /// Reads `< file`, `<<EOF` and `<<<text`.
    fn input(&mut self, part: &mut Simple, index: usize, heres: &mut Vec<Here>) -> Result<(), String> {
        let rest = self.rest();
        let placeholder = rest.split_once('>').map_or("", |(inside, _)| inside);
        let inside = placeholder.strip_prefix('<').unwrap_or_default();
        if inside.starts_with(char::is_alphabetic) && !inside.contains(['\n', '/', '|']) {
            return Err(format!("`{placeholder}>` stands for something that has to be filled in."));
        }
        if self.eat("<<<") {
            self.skip_blanks();
            part.stdin = Some(Source::Inline(self.word()? + "\n"));
        } else if self.eat("<<") {
            let strips_tabs = self.eat("-");
            self.skip_blanks();
            let is_quoted = self.peek().is_some_and(|c| "'\"\\".contains(c));
            heres.push(Here { delimiter: self.word()?, is_quoted, strips_tabs, part: index });
        } else if rest.starts_with("<(") {
            return Err(SUBSTITUTION.to_owned());
        } else {
            self.take();
            self.skip_blanks();
            part.stdin = Some(Source::File(self.word()?));
        }
        Ok(())
    }

    /// Reads `> file`; `None` for `>&1`.
    fn output(&mut self) -> Result<Option<String>, String> {
        self.eat_while(|c| c == '>');
        let is_copy = self.eat("&");
        self.skip_blanks();
        let word = self.word()?;
        Ok(Some(word).filter(|_| !is_copy))
    }

    /// Reads the lines of a here-document.
    fn body(&mut self, here: &Here) -> String {
        let mut body = String::new();
        while !self.rest().is_empty() {
            let line = self.line();
            let line = if here.strips_tabs { line.trim_start_matches('\t') } else { line };
            if line == here.delimiter {
                break;
            }
            if here.is_quoted {
                body.push_str(line);
            } else {
                body.push_str(&self.expanded(line));
            }
            body.push('\n');
        }
        body
    }

    fn expanded(&self, line: &str) -> String {
        let mut inner = Scanner { text: line, at: 0, prompted: false, variables: self.variables.clone() };
        let mut text = String::new();
        while let Some(c) = inner.take() {
            match c {
                '$' => inner.variable(&mut text),
                '\\' if inner.peek().is_some_and(|c| "$`\\".contains(c)) => text.extend(inner.take()),
                c => text.push(c),
            }
        }
        text
    }

    /// Reads a word, without its quotes.
    fn word(&mut self) -> Result<String, String> {
        let mut word = String::new();
        while let Some(c) = self.peek() {
            if c.is_whitespace() || ";|&<>()".contains(c) {
                break;
            }
            self.take();
            match c {
                '\'' => {
                    word.push_str(self.eat_while(|c| c != '\''));
                    self.closed("'")?;
                }
                '"' => self.quoted(&mut word)?,
                '$' if self.eat("'") => self.escaped(&mut word)?,
                '$' if self.rest().starts_with('(') => return Err(SUBSTITUTION.to_owned()),
                '`' => return Err(SUBSTITUTION.to_owned()),
                '$' => self.variable(&mut word),
                '\\' if self.eat("\n") || self.eat("\r\n") => break,
                '\\' => word.extend(self.take()),
                c => word.push(c),
            }
        }
        Ok(word)
    }

    fn closed(&mut self, quote: &str) -> Result<(), String> {
        if self.eat(quote) { Ok(()) } else { Err(format!("A quotation mark {quote} is never closed.")) }
    }

    fn quoted(&mut self, word: &mut String) -> Result<(), String> {
        while let Some(c) = self.peek().filter(|c| *c != '"') {
            self.take();
            match c {
                '\\' if self.eat("\n") => {}
                '\\' if self.peek().is_some_and(|c| "\"\\$`".contains(c)) => word.extend(self.take()),
                '$' if self.rest().starts_with('(') => return Err(SUBSTITUTION.to_owned()),
                '`' => return Err(SUBSTITUTION.to_owned()),
                '$' => self.variable(word),
                c => word.push(c),
            }
        }
        self.closed("\"")
    }

    /// Reads `$'…'`, behind its quotation mark.
    fn escaped(&mut self, word: &mut String) -> Result<(), String> {
        while let Some(c) = self.peek().filter(|c| *c != '\'') {
            self.take();
            let c = if c == '\\' { self.take().unwrap_or(c).to_string() } else { [c].iter().collect() };
            let is_escape = self.text.get(..self.at).is_some_and(|text| text.ends_with(&["\\", &c].concat()));
            word.push_str(match (&*c, is_escape) {
                ("n", true) => "\n",
                ("t", true) => "\t",
                (c, _) => c,
            });
        }
        self.closed("'")
    }

    /// Puts the value of a variable behind `$`; of one that is not known its name stays.
    fn variable(&mut self, word: &mut String) {
        let start = self.at;
        let is_braced = self.eat("{");
        let name = self.eat_while(is_of_name);
        let is_whole = !is_braced || self.eat("}");
        match self.variables.iter().rev().find(|(known, _)| is_whole && known == name) {
            Some((_, value)) => word.push_str(value),
            None => {
                word.push('$');
                word.push_str(self.text.get(start..self.at).unwrap_or_default());
            }
        }
    }

    /// Notes the variables that a pipeline sets.
    fn assign(&mut self, pipeline: &Pipeline) {
        let [part] = pipeline.parts.as_slice() else { return };
        let words = part.words.iter().skip_while(|word| *word == "export");
        let pairs: Vec<_> = words.map(|word| assignment(word)).collect();
        if pairs.iter().all(Option::is_some) {
            self.variables
                .extend(pairs.into_iter().flatten().map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&[&[&str]]]) {
        let found = pipelines(text).unwrap();
        let found: Vec<Vec<Vec<&str>>> = found
            .iter()
            .map(|one| one.parts.iter().map(|part| part.words.iter().map(String::as_str).collect()).collect())
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words_are_split_as_a_shell_does() {
        check("a b  'c d' \"e\\\"f\" g\\ h", &[&[&["a", "b", "c d", "e\"f", "g h"]]]);
        check("a \\\n  b\nc # d\n# e\n", &[&[&["a", "b"]], &[&["c"]]]);
        check("a && b; c & d", &[&[&["a"]], &[&["b"]], &[&["c"]], &[&["d"]]]);
        check("a | b -x |\n c > f 2>&1", &[&[&["a"], &["b", "-x"], &["c"]]]);
        check("$ a\nprinted\n$ b \\\n c\nprinted", &[&[&["a"]], &[&["b", "c"]]]);
        check(
            "X=http://h\na $X/b ${X}c $Y",
            &[&[&["X=http://h"]], &[&["a", "http://h/b", "http://hc", "$Y"]]],
        );
        check("a $'x\\ny\\'' || b", &[&[&["a", "x\ny'"]]]);
        check("a#b", &[&[&["a#b"]]]);
    }

    #[test]
    fn here_documents_are_read() {
        let found = pipelines("cat <<EOF | k -f -\na: $X\nEOF\nk2 <<-'E'\n\tb\n\tE\nlast").unwrap();
        assert_eq!(found[0].parts[0].stdin, Some(Source::Inline("a: $X\n".to_owned())));
        assert_eq!(found[0].text, "cat <<EOF | k -f -\na: $X\nEOF");
        assert_eq!(found[1].parts[0].stdin, Some(Source::Inline("b\n".to_owned())));
        assert_eq!(found[2].text, "last");
    }

    #[test]
    fn what_only_a_shell_does_is_refused() {
        for text in ["a $(b)", "a \"$(b)\"", "a `b`", "(a)", "a 'b", "a \"b", "a <name>", "a <(b)"] {
            assert!(pipelines(text).is_err(), "{text}");
        }
    }
}
