//! A text as tokens, as libyaml makes them, with its rules for what may be a key.
//!
//! A key that stands without `?` is only known for one when its `:` comes, on the same line and at most 1,024 characters
//! later. So what may be one is noted, and the tokens from there on wait until it is clear. Blocks begin and end where the
//! indentation grows and shrinks.

mod cursor;
mod property;
mod scalar;

use std::collections::VecDeque;

use super::reader::Text;
use super::{Error, MAX_NESTING, TOO_DEEP};
use cursor::{Cursor, Mark};

/// A part of the text.
#[derive(Debug)]
pub(super) struct Token {
    /// The line that it begins on, counted from zero.
    pub(super) line: usize,
    pub(super) kind: Kind,
}

/// The kind of a token.
#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    StreamEnd,
    /// `%YAML` with major and minor version.
    Version(u8, u8),
    /// `%TAG`
    TagDirective {
        handle: String,
        prefix: Vec<u8>,
    },
    DocumentStart,
    DocumentEnd,
    BlockListStart,
    BlockMapStart,
    BlockEnd,
    FlowListStart,
    FlowListEnd,
    FlowMapStart,
    FlowMapEnd,
    /// `-`
    BlockEntry,
    /// `,`
    FlowEntry,
    /// `?`, or what stands before a key without it.
    Key,
    /// `:`
    Value,
    Alias(String),
    Anchor(String),
    Tag {
        handle: String,
        suffix: Vec<u8>,
    },
    Scalar {
        text: String,
        plain: bool,
    },
}

/// A token that may turn out to be a key.
#[derive(Clone, Copy, Debug, Default)]
struct MaybeKey {
    possible: bool,
    /// It stands where the block has its keys.
    required: bool,
    /// The number of its token, counted from the first of the text.
    token: usize,
    mark: Mark,
}

/// Reads tokens from a text.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    cursor: Cursor<'a>,
    waiting: VecDeque<Token>,
    /// How many tokens were taken.
    taken: usize,
    /// The column of the block; -1 outside of all.
    indent: isize,
    outer_indents: Vec<isize>,
    /// In how many `[` and `{` the cursor is.
    flow_level: usize,
    key_allowed: bool,
    /// One for what is outside of `[` and `{`, and one for each of these.
    keys: Vec<MaybeKey>,
    /// The numbers of the tokens that may be keys, in their order, and the levels that they are at.
    levels: Vec<(usize, usize)>,
    ended: bool,
    /// The error in the bytes after the text.
    then: Option<Error>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a Text<'_>) -> Self {
        Self {
            cursor: Cursor::new(&text.text),
            waiting: VecDeque::new(),
            taken: 0,
            indent: -1,
            outer_indents: Vec::new(),
            flow_level: 0,
            key_allowed: true,
            keys: vec![MaybeKey::default()],
            levels: Vec::new(),
            ended: false,
            then: text.then.clone(),
        }
    }

    /// The next token, which stays the next. After the end of the stream it comes again.
    pub(super) fn peek(&mut self) -> Result<&Token, Error> {
        while self.needs_more()? && !self.ended {
            let fetched = self.fetch();
            if self.cursor.is_end()
                && let Some(error) = self.then.take()
            {
                return Err(error);
            }
            fetched?;
        }
        Ok(self.waiting.front().unwrap_or(&END))
    }

    /// Takes the token that [`Scanner::peek`] has shown.
    pub(super) fn take(&mut self) -> Token {
        self.taken += 1;
        self.waiting.pop_front().unwrap_or(END)
    }

    /// Reports whether there is no token, or whether the next one may still be a key.
    fn needs_more(&mut self) -> Result<bool, Error> {
        if self.waiting.is_empty() {
            return Ok(true);
        }
        match self.levels.binary_search_by_key(&self.taken, |(token, _)| *token) {
            Ok(found) => {
                let level = self.levels[found].1;
                self.is_still_possible(level)
            }
            Err(_) => Ok(false),
        }
    }

    fn error(&self, problem: &'static str) -> Error {
        Error::scanner(self.cursor.mark.line, problem)
    }

    fn push(&mut self, mark: Mark, kind: Kind) {
        self.waiting.push_back(Token { line: mark.line, kind });
    }

    /// Puts a token before the one of a number; at the end if that was taken already.
    fn insert(&mut self, number: usize, mark: Mark, kind: Kind) {
        let token = Token { line: mark.line, kind };
        match number.checked_sub(self.taken) {
            Some(at) if at <= self.waiting.len() => self.waiting.insert(at, token),
            _ => self.waiting.push_back(token),
        }
    }

    /// Reads one more token, and what begins or ends with it.
    fn fetch(&mut self) -> Result<(), Error> {
        self.skip_to_token();
        self.unroll_indent(self.cursor.mark.column as isize);
        let (first, is_flow) = (self.cursor.byte(0), self.flow_level > 0);
        let opens = |scanner: &Self| is_flow || scanner.cursor.is_white(1);
        match first {
            0 => self.end(),
            b'%' if self.cursor.mark.column == 0 => {
                self.leave_blocks()?;
                self.scan_directive()
            }
            b'-' | b'.' if self.cursor.is_document_indicator() => {
                self.leave_blocks()?;
                let kind = if first == b'-' { Kind::DocumentStart } else { Kind::DocumentEnd };
                self.indicator(3, kind);
                Ok(())
            }
            b'[' => self.open(Kind::FlowListStart),
            b'{' => self.open(Kind::FlowMapStart),
            b']' => self.close(Kind::FlowListEnd),
            b'}' => self.close(Kind::FlowMapEnd),
            b',' => {
                self.forget_key()?;
                self.key_allowed = true;
                self.indicator(1, Kind::FlowEntry);
                Ok(())
            }
            b'-' if self.cursor.is_white(1) => self.block_entry(),
            b'?' if opens(self) => self.key(),
            b':' if opens(self) => self.value(),
            b'*' | b'&' => {
                self.note_key()?;
                self.key_allowed = false;
                self.scan_anchor()
            }
            b'!' => {
                self.note_key()?;
                self.key_allowed = false;
                self.scan_tag()
            }
            b'|' | b'>' if !is_flow => {
                self.forget_key()?;
                self.key_allowed = true;
                self.scan_block_scalar(first == b'|')
            }
            b'\'' | b'"' => {
                self.note_key()?;
                self.key_allowed = false;
                self.scan_quoted(first)
            }
            _ if self.begins_plain(first) => {
                self.note_key()?;
                self.key_allowed = false;
                self.scan_plain()
            }
            _ => Err(self.error("found character that cannot start any token")),
        }
    }

    /// Reports whether a scalar without quotes may begin with this: with no indicator, or with one that
    /// means nothing where it is.
    fn begins_plain(&self, first: u8) -> bool {
        match first {
            b'-' => !matches!(self.cursor.byte(1), b' ' | b'\t'),
            b'?' | b':' => self.flow_level == 0 && !self.cursor.is_white(1),
            _ => !self.cursor.is_white(0) && !b",[]{}#&*!|>'\"%@`".contains(&first),
        }
    }

    /// Goes over spaces, comments and line breaks. A tab is a space only where no key of a block may stand.
    fn skip_to_token(&mut self) {
        loop {
            while self.cursor.byte(0) == b' '
                || self.cursor.byte(0) == b'\t' && (self.flow_level > 0 || !self.key_allowed)
            {
                self.cursor.skip();
            }
            self.cursor.skip_comment();
            if !self.cursor.is_break() {
                return;
            }
            self.cursor.skip_line();
            if self.flow_level == 0 {
                self.key_allowed = true;
            }
        }
    }

    /// A token of so many characters.
    fn indicator(&mut self, width: usize, kind: Kind) {
        self.push(self.cursor.mark, kind);
        for _ in 0..width {
            self.cursor.skip();
        }
    }

    fn end(&mut self) -> Result<(), Error> {
        // The last line ends.
        if self.cursor.mark.column != 0 {
            self.cursor.mark.column = 0;
            self.cursor.mark.line += 1;
        }
        self.leave_blocks()?;
        self.push(self.cursor.mark, Kind::StreamEnd);
        self.ended = true;
        Ok(())
    }

    fn leave_blocks(&mut self) -> Result<(), Error> {
        self.unroll_indent(-1);
        self.forget_key()?;
        self.key_allowed = false;
        Ok(())
    }

    fn open(&mut self, kind: Kind) -> Result<(), Error> {
        self.note_key()?;
        let token = self.taken + self.waiting.len();
        self.keys.push(MaybeKey { token, mark: self.cursor.mark, ..MaybeKey::default() });
        self.flow_level += 1;
        if self.flow_level > MAX_NESTING {
            return Err(self.error(TOO_DEEP));
        }
        self.key_allowed = true;
        self.indicator(1, kind);
        Ok(())
    }

    fn close(&mut self, kind: Kind) -> Result<(), Error> {
        self.forget_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            // Of an empty list or map this is the number of its own token, which is no key any more for whom it waits.
            if let Some(inside) = self.keys.pop() {
                self.forget_level(inside.token);
            }
        }
        self.key_allowed = false;
        self.indicator(1, kind);
        Ok(())
    }

    fn block_entry(&mut self) -> Result<(), Error> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                return Err(self.error("block sequence entries are not allowed in this context"));
            }
            self.roll_indent(self.cursor.mark, None, Kind::BlockListStart)?;
        }
        self.forget_key()?;
        self.key_allowed = true;
        self.indicator(1, Kind::BlockEntry);
        Ok(())
    }

    fn key(&mut self) -> Result<(), Error> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                return Err(self.error("mapping keys are not allowed in this context"));
            }
            self.roll_indent(self.cursor.mark, None, Kind::BlockMapStart)?;
        }
        self.forget_key()?;
        self.key_allowed = self.flow_level == 0;
        self.indicator(1, Kind::Key);
        Ok(())
    }

    fn value(&mut self) -> Result<(), Error> {
        let level = self.keys.len() - 1;
        if self.is_still_possible(level)? {
            let key = self.keys[level];
            self.insert(key.token, key.mark, Kind::Key);
            self.roll_indent(key.mark, Some(key.token), Kind::BlockMapStart)?;
            self.keys[level].possible = false;
            self.forget_level(key.token);
            self.key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.key_allowed {
                    return Err(self.error("mapping values are not allowed in this context"));
                }
                self.roll_indent(self.cursor.mark, None, Kind::BlockMapStart)?;
            }
            self.key_allowed = self.flow_level == 0;
        }
        self.indicator(1, Kind::Value);
        Ok(())
    }

    /// Begins a block, if a token is further in than the block that it is in. `before` is the number of the token that it
    /// begins before.
    fn roll_indent(&mut self, mark: Mark, before: Option<usize>, kind: Kind) -> Result<(), Error> {
        let column = mark.column as isize;
        if self.flow_level > 0 || self.indent >= column {
            return Ok(());
        }
        self.outer_indents.push(std::mem::replace(&mut self.indent, column));
        if self.outer_indents.len() > MAX_NESTING {
            return Err(self.error(TOO_DEEP));
        }
        match before {
            Some(number) => self.insert(number, mark, kind),
            None => self.push(mark, kind),
        }
        Ok(())
    }

    /// Ends the blocks that are further in.
    fn unroll_indent(&mut self, column: isize) {
        while self.flow_level == 0 && self.indent > column {
            self.push(self.cursor.mark, Kind::BlockEnd);
            self.indent = self.outer_indents.pop().unwrap_or(-1);
        }
    }

    /// Notes that the token which comes now may be a key.
    fn note_key(&mut self) -> Result<(), Error> {
        if self.key_allowed {
            let mark = self.cursor.mark;
            let required = self.flow_level == 0 && self.indent == mark.column as isize;
            let token = self.taken + self.waiting.len();
            self.forget_key()?;
            let level = self.keys.len() - 1;
            self.keys[level] = MaybeKey { possible: true, required, token, mark };
            self.levels.push((token, level));
        }
        Ok(())
    }

    /// Drops the possible key on this level, for it is none.
    fn forget_key(&mut self) -> Result<(), Error> {
        let level = self.keys.len() - 1;
        let key = self.keys[level];
        if key.possible {
            if key.required {
                return Err(self.error(NO_COLON));
            }
            self.keys[level].possible = false;
            self.forget_level(key.token);
        }
        Ok(())
    }

    fn forget_level(&mut self, token: usize) {
        if let Ok(found) = self.levels.binary_search_by_key(&token, |(own, _)| *own) {
            self.levels.remove(found);
        }
    }

    /// Reports whether the possible key on a level can still be one. It cannot on another line, or far away.
    fn is_still_possible(&mut self, level: usize) -> Result<bool, Error> {
        let (now, key) = (self.cursor.mark, self.keys.get(level).copied().unwrap_or_default());
        if !key.possible {
            return Ok(false);
        }
        if key.mark.line < now.line || key.mark.index + MAX_KEY < now.index {
            if key.required {
                return Err(self.error(NO_COLON));
            }
            self.keys[level].possible = false;
            return Ok(false);
        }
        Ok(true)
    }
}

/// How many characters a key without `?` may have.
const MAX_KEY: usize = 1024;
const NO_COLON: &str = "could not find expected ':'";
const END: Token = Token { line: 0, kind: Kind::StreamEnd };
