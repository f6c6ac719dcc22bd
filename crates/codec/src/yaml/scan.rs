//! Text to tokens, by the rules of YAML 1.1 as go-yaml has them.
//!
//! Whether a token is the key of a map shows only once the `:` after it has come: until then it waits, and may still get
//! a [`Token::Key`] put before it. <https://yaml.org/spec/1.1/#simple%20key/>

mod names;
mod scalars;

use std::borrow::Cow;

use super::analysis::is_break;
use super::{Error, MAX_DEPTH};

/// A token.
#[derive(Debug, Default)]
pub(super) enum Token<'a> {
    #[default]
    StreamEnd,
    /// `%YAML`: whether it is the version that is read here.
    Version(bool),
    /// `%TAG`: a handle, and what it stands for.
    TagDirective(&'a str, Cow<'a, str>),
    DocumentStart,
    DocumentEnd,
    BlockList,
    BlockMap,
    BlockEnd,
    FlowList,
    FlowListEnd,
    FlowMap,
    FlowMapEnd,
    /// `-`
    Item,
    /// `,`
    Comma,
    /// What follows is a key, whether a `?` says so or not.
    Key,
    /// `:`
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    /// A handle, and the name after it.
    Tag(&'a str, Cow<'a, str>),
    /// A text, and whether it stands without quotes and is no block.
    Scalar(Cow<'a, str>, bool),
}

pub(super) const TOO_DEEP: &str = "exceeded max depth of 10000";
/// A key is over after so many characters.
const LONGEST_KEY: usize = 1024;

/// Where the scanner is, or was. All are counted from zero, and in characters but for `at`.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// The byte of the text.
    at: usize,
    index: usize,
    line: usize,
    column: usize,
}

/// A token that may turn out to be a key.
#[derive(Clone, Copy)]
struct Candidate {
    possible: bool,
    /// In a block where a key is due: nothing else may stand there.
    required: bool,
    /// The number of the token, counted from the first of the text.
    number: usize,
    mark: Mark,
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    mark: Mark,
    /// The tokens that were found, each with its line; those before `next` have been taken.
    tokens: Vec<(usize, Token<'a>)>,
    next: usize,
    /// How many tokens there were before these.
    before: usize,
    /// The column of the innermost block, and of those around it. Outside of all it is -1.
    indent: isize,
    indents: Vec<isize>,
    /// The last candidate outside of `{}` and `[]`, and that inside of each of those that are open. Their numbers
    /// rise.
    candidates: Vec<Candidate>,
    /// Whether a key may begin here.
    key_allowed: bool,
    ended: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let candidate = Candidate { possible: false, required: false, number: 0, mark: Mark::default() };
        Self {
            text,
            mark: Mark::default(),
            tokens: Vec::new(),
            next: 0,
            before: 0,
            indent: -1,
            indents: Vec::new(),
            candidates: vec![candidate],
            key_allowed: true,
            ended: false,
        }
    }

    /// The next token and its line. After the end there are only ends.
    pub(super) fn peek(&mut self) -> Result<(usize, &Token<'a>), Error> {
        while !self.ended && (self.next == self.tokens.len() || self.may_be_key()?) {
            self.fetch()?;
        }
        static END: Token<'static> = Token::StreamEnd;
        Ok(self.tokens.get(self.next).map_or((self.mark.line, &END), |(line, token)| (*line, token)))
    }

    /// Takes the token that was seen last.
    pub(super) fn take(&mut self) -> Token<'a> {
        let Some((_, token)) = self.tokens.get_mut(self.next) else { return Token::StreamEnd };
        let token = std::mem::take(token);
        self.next += 1;
        if self.next == self.tokens.len() {
            self.before += self.next;
            self.next = 0;
            self.tokens.clear();
        }
        token
    }

    /// Whether the next token may still turn out to be a key.
    fn may_be_key(&mut self) -> Result<bool, Error> {
        let number = self.before + self.next;
        let place = self.candidates.partition_point(|candidate| candidate.number < number);
        match self.candidates.get(place) {
            Some(candidate) if candidate.number == number => self.is_possible(place),
            _ => Ok(false),
        }
    }

    /// Whether a candidate may still be a key: it has to be short, and on one line.
    fn is_possible(&mut self, place: usize) -> Result<bool, Error> {
        let Candidate { possible, required, mark, .. } = self.candidates[place];
        if possible && (mark.line < self.mark.line || mark.index + LONGEST_KEY < self.mark.index) {
            self.candidates[place].possible = false;
            return if required { Err(self.no_colon()) } else { Ok(false) };
        }
        Ok(possible)
    }

    fn no_colon(&self) -> Error {
        self.error("could not find expected ':'")
    }

    fn error(&self, problem: &'static str) -> Error {
        Error::scanner(self.mark.line, problem)
    }

    fn push(&mut self, line: usize, token: Token<'a>) {
        self.tokens.push((line, token));
    }

    /// The character that is so far away, or NUL after the end. The text has none.
    fn char_at(&self, distance: usize) -> char {
        self.text[self.mark.at..].chars().nth(distance).unwrap_or('\0')
    }

    fn char(&self) -> char {
        self.char_at(0)
    }

    fn is_end(&self) -> bool {
        self.mark.at == self.text.len()
    }

    /// Goes to the next character, of the same line.
    fn skip(&mut self) {
        self.mark.at += self.char().len_utf8();
        self.mark.index += 1;
        self.mark.column += 1;
    }

    fn skip_while(&mut self, test: impl Fn(char) -> bool) -> &'a str {
        let from = self.mark.at;
        while !self.is_end() && test(self.char()) {
            self.skip();
        }
        &self.text[from..self.mark.at]
    }

    fn skip_blanks(&mut self) {
        self.skip_while(is_blank);
    }

    fn skip_comment(&mut self) {
        if self.char() == '#' {
            self.skip_while(|character| !is_break(character));
        }
    }

    /// Goes to the next line, if this one ends here; gives how its end reads.
    fn skip_break(&mut self) -> &'a str {
        let from = self.mark.at;
        let character = self.char();
        if !is_break(character) {
            return "";
        }
        let is_pair = character == '\r' && self.char_at(1) == '\n';
        self.skip();
        if is_pair {
            self.skip();
        }
        self.mark.line += 1;
        self.mark.column = 0;
        if matches!(character, '\r' | '\n') { "\n" } else { &self.text[from..self.mark.at] }
    }

    /// Whether a line with `---` or `...` begins here.
    fn is_document_indicator(&self) -> bool {
        let rest = &self.text[self.mark.at..];
        self.mark.column == 0
            && (rest.starts_with("---") || rest.starts_with("..."))
            && is_blank_or_end(self.char_at(3))
    }

    fn in_flow(&self) -> bool {
        self.candidates.len() > 1
    }

    /// Finds the next token, or several.
    fn fetch(&mut self) -> Result<(), Error> {
        self.skip_to_token();
        self.close_blocks(self.mark.column as isize);
        if self.is_end() {
            return self.fetch_end();
        }
        let (character, in_flow) = (self.char(), self.in_flow());
        let blank_follows = is_blank_or_end(self.char_at(1));
        match character {
            '%' if self.mark.column == 0 => {
                self.leave_document()?;
                self.directive()
            }
            '-' | '.' if self.is_document_indicator() => {
                self.leave_document()?;
                let token = if character == '-' { Token::DocumentStart } else { Token::DocumentEnd };
                self.push(self.mark.line, token);
                (0..3).for_each(|_| self.skip());
                Ok(())
            }
            '[' => self.open(Token::FlowList),
            '{' => self.open(Token::FlowMap),
            ']' => self.close(Token::FlowListEnd),
            '}' => self.close(Token::FlowMapEnd),
            ',' => self.indicator(Token::Comma, true),
            '-' if blank_follows => {
                self.begin_block(Token::BlockList, "block sequence entries are not allowed in this context")?;
                self.indicator(Token::Item, true)
            }
            '?' if in_flow || blank_follows => {
                self.begin_block(Token::BlockMap, "mapping keys are not allowed in this context")?;
                self.indicator(Token::Key, !in_flow)
            }
            ':' if in_flow || blank_follows => self.value(),
            '*' | '&' | '!' => {
                self.may_begin_key()?;
                self.key_allowed = false;
                if character == '!' { self.tag() } else { self.anchor(character == '*') }
            }
            '|' | '>' if !in_flow => {
                self.no_key()?;
                self.key_allowed = true;
                self.block_scalar(character == '|')
            }
            '\'' | '"' => {
                self.may_begin_key()?;
                self.key_allowed = false;
                self.quoted_scalar(character)
            }
            '#' | '|' | '>' | '%' | '@' | '`' | '\t' => {
                Err(self.error("found character that cannot start any token"))
            }
            _ => {
                self.may_begin_key()?;
                self.key_allowed = false;
                self.plain_scalar()
            }
        }
    }

    fn skip_to_token(&mut self) {
        loop {
            let tabs = self.in_flow() || !self.key_allowed;
            self.skip_while(|character| character == ' ' || tabs && character == '\t');
            self.skip_comment();
            if self.skip_break().is_empty() {
                return;
            }
            self.key_allowed |= !self.in_flow();
        }
    }

    /// The end is on a line of its own.
    fn fetch_end(&mut self) -> Result<(), Error> {
        self.mark.line += usize::from(self.mark.column > 0);
        self.mark.column = 0;
        self.leave_document()?;
        self.push(self.mark.line, Token::StreamEnd);
        self.ended = true;
        Ok(())
    }

    /// Ends all blocks.
    fn leave_document(&mut self) -> Result<(), Error> {
        self.close_blocks(-1);
        self.no_key()?;
        self.key_allowed = false;
        Ok(())
    }

    /// Ends the blocks whose column is greater.
    fn close_blocks(&mut self, column: isize) {
        while !self.in_flow() && self.indent > column {
            self.push(self.mark.line, Token::BlockEnd);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    /// Begins a block in this column, unless the innermost one has it, or none may begin here.
    fn begin_block(&mut self, token: Token<'a>, problem: &'static str) -> Result<(), Error> {
        if self.in_flow() {
            return Ok(());
        }
        if !self.key_allowed {
            return Err(self.error(problem));
        }
        self.indent(self.mark, self.tokens.len(), token)
    }

    /// Begins a block in the column of `mark`, unless the innermost one has it.
    fn indent(&mut self, mark: Mark, place: usize, token: Token<'a>) -> Result<(), Error> {
        let column = mark.column as isize;
        if !self.in_flow() && self.indent < column {
            self.indents.push(self.indent);
            self.indent = column;
            if self.indents.len() > MAX_DEPTH {
                return Err(self.error(TOO_DEEP));
            }
            self.tokens.insert(place, (mark.line, token));
        }
        Ok(())
    }

    /// A token of one character, which ends what may have been a key.
    fn indicator(&mut self, token: Token<'a>, key_follows: bool) -> Result<(), Error> {
        self.no_key()?;
        self.key_allowed = key_follows;
        self.push(self.mark.line, token);
        self.skip();
        Ok(())
    }

    /// The next token may be a key, if one may stand here.
    fn may_begin_key(&mut self) -> Result<(), Error> {
        if self.key_allowed {
            self.no_key()?;
            let required = !self.in_flow() && self.indent == self.mark.column as isize;
            let number = self.before + self.tokens.len();
            if let Some(last) = self.candidates.last_mut() {
                *last = Candidate { possible: true, required, number, mark: self.mark };
            }
        }
        Ok(())
    }

    /// The last candidate is no key.
    fn no_key(&mut self) -> Result<(), Error> {
        match self.candidates.last_mut() {
            Some(Candidate { possible: true, required: true, .. }) => Err(self.no_colon()),
            Some(last) => {
                last.possible = false;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn open(&mut self, token: Token<'a>) -> Result<(), Error> {
        self.may_begin_key()?;
        // The token after this one is the first that may be a key inside.
        let number = self.before + self.tokens.len() + 1;
        self.candidates.push(Candidate { possible: false, required: false, number, mark: self.mark });
        if self.candidates.len() > MAX_DEPTH + 1 {
            return Err(self.error(TOO_DEEP));
        }
        self.key_allowed = true;
        self.push(self.mark.line, token);
        self.skip();
        Ok(())
    }

    fn close(&mut self, token: Token<'a>) -> Result<(), Error> {
        self.no_key()?;
        if self.in_flow() {
            self.candidates.pop();
        }
        self.indicator_after(token)
    }

    /// A token of one character that says nothing of what was before it.
    fn indicator_after(&mut self, token: Token<'a>) -> Result<(), Error> {
        self.key_allowed = false;
        self.push(self.mark.line, token);
        self.skip();
        Ok(())
    }

    /// A `:`, which makes the last candidate a key.
    fn value(&mut self) -> Result<(), Error> {
        let last = self.candidates.len() - 1;
        if self.is_possible(last)? {
            let Candidate { number, mark, .. } = self.candidates[last];
            self.candidates[last].possible = false;
            let place = number - self.before;
            self.tokens.insert(place, (mark.line, Token::Key));
            self.indent(mark, place, Token::BlockMap)?;
            return self.indicator_after(Token::Value);
        }
        self.begin_block(Token::BlockMap, "mapping values are not allowed in this context")?;
        self.indicator(Token::Value, !self.in_flow())
    }
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

/// Whether a character ends a word. NUL stands for the end of the text.
fn is_blank_or_end(character: char) -> bool {
    character == '\0' || is_blank(character) || is_break(character)
}
