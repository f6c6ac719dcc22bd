//! The text of scalars: in blocks, in quotes, and without.

use super::cursor::Mark;
use super::{Kind, Scanner};
use crate::yaml::Error;

/// The white space between two words, and how it is folded: one line break becomes a space, and of more the first is left
/// out.
#[derive(Default)]
struct Gap {
    blanks: String,
    /// The first line break.
    first: String,
    /// The others.
    more: String,
    /// True if the words are on different lines.
    breaks: bool,
}

impl Gap {
    fn is_empty(&self) -> bool {
        !self.breaks && self.blanks.is_empty()
    }

    fn fold_into(&mut self, text: &mut String) {
        if !self.breaks {
            text.push_str(&self.blanks);
        } else if self.first.starts_with('\n') {
            text.push_str(if self.more.is_empty() { " " } else { &self.more });
        } else {
            // What is no line feed is kept.
            text.push_str(&self.first);
            text.push_str(&self.more);
        }
        *self = Self::default();
    }
}

/// The treatment of the line breaks at the end of a block.
#[derive(Clone, Copy, PartialEq)]
enum Chomping {
    /// All are left out: `-`.
    Strip,
    /// One is kept.
    Clip,
    /// All are kept: `+`.
    Keep,
}

impl Scanner<'_> {
    fn push_scalar(&mut self, mark: Mark, text: String, plain: bool) {
        self.push(mark, Kind::Scalar { text, plain });
    }

    /// Takes over white space; of what is before the words of later lines only the line breaks.
    fn read_gap(&mut self, gap: &mut Gap, check: impl Fn(&Self) -> Result<(), Error>) -> Result<(), Error> {
        loop {
            if self.cursor.is_blank() {
                if gap.breaks {
                    check(self)?;
                    self.cursor.skip();
                } else {
                    self.cursor.read(&mut gap.blanks);
                }
            } else if !self.cursor.is_break() {
                return Ok(());
            } else if gap.breaks {
                self.cursor.read_line(&mut gap.more);
            } else {
                gap.blanks.clear();
                self.cursor.read_line(&mut gap.first);
                gap.breaks = true;
            }
        }
    }

    pub(super) fn scan_plain(&mut self) -> Result<(), Error> {
        let (mark, indent) = (self.cursor.mark, self.indent + 1);
        let is_flow = self.flow_level > 0;
        let (mut text, mut gap) = (String::new(), Gap::default());
        while !self.cursor.is_document_indicator() && self.cursor.byte(0) != b'#' {
            let ends = |cursor: &super::Cursor<'_>| match cursor.byte(0) {
                b':' => cursor.is_white(1),
                b',' | b'?' | b'[' | b']' | b'{' | b'}' => is_flow,
                _ => false,
            };
            if !self.cursor.is_white(0) && !ends(&self.cursor) {
                if !gap.is_empty() {
                    gap.fold_into(&mut text);
                }
                self.cursor.read_run(&mut text, ends);
            }
            if !self.cursor.is_blank() && !self.cursor.is_break() {
                break;
            }
            self.read_gap(&mut gap, |scanner| {
                let outside = (scanner.cursor.mark.column as isize) < indent;
                if outside && scanner.cursor.byte(0) == b'\t' {
                    return Err(scanner.error("found a tab character that violates indentation"));
                }
                Ok(())
            })?;
            if !is_flow && (self.cursor.mark.column as isize) < indent {
                break;
            }
        }
        self.push_scalar(mark, text, true);
        if gap.breaks {
            self.key_allowed = true;
        }
        Ok(())
    }

    pub(super) fn scan_quoted(&mut self, quote: u8) -> Result<(), Error> {
        let mark = self.cursor.mark;
        self.cursor.skip();
        let mut text = String::new();
        loop {
            if self.cursor.is_document_indicator() {
                return Err(self.error("found unexpected document indicator"));
            }
            if self.cursor.is_end() {
                return Err(self.error("found unexpected end of stream"));
            }
            let mut gap = Gap::default();
            while !self.cursor.is_white(0) {
                match self.cursor.byte(0) {
                    b'\'' if quote == b'\'' && self.cursor.byte(1) == b'\'' => {
                        text.push('\'');
                        self.cursor.skip();
                        self.cursor.skip();
                    }
                    byte if byte == quote => break,
                    b'\\' if quote == b'"' && self.cursor.is_break_at(1) => {
                        self.cursor.skip();
                        self.cursor.skip_line();
                        gap.breaks = true;
                        break;
                    }
                    b'\\' if quote == b'"' => self.scan_escape(&mut text)?,
                    _ => {
                        let ends =
                            |cursor: &super::Cursor<'_>| matches!(cursor.byte(0), b'\'' | b'"' | b'\\');
                        self.cursor.read(&mut text);
                        self.cursor.read_run(&mut text, ends);
                    }
                }
            }
            if self.cursor.byte(0) == quote {
                break;
            }
            self.read_gap(&mut gap, |_| Ok(()))?;
            if gap.breaks && gap.first.is_empty() {
                // The line break was escaped.
                text.push_str(&gap.more);
            } else {
                gap.fold_into(&mut text);
            }
        }
        self.cursor.skip();
        self.push_scalar(mark, text, false);
        Ok(())
    }

    fn scan_escape(&mut self, text: &mut String) -> Result<(), Error> {
        let digits = match self.cursor.byte(1) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            byte => {
                text.push(match byte {
                    b'0' => '\0',
                    b'a' => '\x07',
                    b'b' => '\x08',
                    b't' | b'\t' => '\t',
                    b'n' => '\n',
                    b'v' => '\x0b',
                    b'f' => '\x0c',
                    b'r' => '\r',
                    b'e' => '\x1b',
                    b' ' | b'"' | b'\'' | b'\\' => char::from(byte),
                    b'N' => '\u{85}',
                    b'_' => '\u{a0}',
                    b'L' => '\u{2028}',
                    b'P' => '\u{2029}',
                    _ => return Err(self.error("found unknown escape character")),
                });
                self.cursor.skip();
                self.cursor.skip();
                return Ok(());
            }
        };
        self.cursor.skip();
        self.cursor.skip();
        let mut code = 0_u32;
        for ahead in 0..digits {
            // Spelled as libyaml spells it.
            let digit = char::from(self.cursor.byte(ahead)).to_digit(16);
            let digit = digit.ok_or_else(|| self.error("did not find expected hexdecimal number"))?;
            code = code << 4 | digit;
        }
        let character = char::from_u32(code);
        text.push(character.ok_or_else(|| self.error("found invalid Unicode character escape code"))?);
        (0..digits).for_each(|_| self.cursor.skip());
        Ok(())
    }

    /// `|` keeps the lines, `>` folds them.
    pub(super) fn scan_block_scalar(&mut self, literal: bool) -> Result<(), Error> {
        let mark = self.cursor.mark;
        self.cursor.skip();
        let mut chomping = self.chomping();
        let mut indent = 0;
        if let digit @ b'0'..=b'9' = self.cursor.byte(0) {
            if digit == b'0' {
                return Err(self.error("found an indentation indicator equal to 0"));
            }
            indent = self.indent.max(0) + isize::from(digit - b'0');
            self.cursor.skip();
            chomping = chomping.or_else(|| self.chomping());
        }
        let chomping = chomping.unwrap_or(Chomping::Clip);
        self.cursor.skip_blanks();
        self.cursor.skip_comment();
        if !self.cursor.is_break_or_end() {
            return Err(self.error("did not find expected comment or line break"));
        }
        self.cursor.skip_line();

        let (mut text, mut first, mut more) = (String::new(), String::new(), String::new());
        self.scan_block_breaks(&mut indent, &mut more)?;
        let mut indented = false;
        while self.cursor.mark.column as isize == indent && !self.cursor.is_end() {
            let more_indented = self.cursor.is_blank();
            if !literal && first.starts_with('\n') && !indented && !more_indented {
                if more.is_empty() {
                    text.push(' ');
                }
            } else {
                text.push_str(&first);
            }
            text.push_str(&more);
            first.clear();
            more.clear();
            indented = more_indented;
            while !self.cursor.is_break_or_end() {
                self.cursor.read(&mut text);
            }
            self.cursor.read_line(&mut first);
            self.scan_block_breaks(&mut indent, &mut more)?;
        }
        if chomping != Chomping::Strip {
            text.push_str(&first);
        }
        if chomping == Chomping::Keep {
            text.push_str(&more);
        }
        self.push_scalar(mark, text, false);
        Ok(())
    }

    fn chomping(&mut self) -> Option<Chomping> {
        let chomping = match self.cursor.byte(0) {
            b'+' => Chomping::Keep,
            b'-' => Chomping::Strip,
            _ => return None,
        };
        self.cursor.skip();
        Some(chomping)
    }

    /// Goes over the indentation of the next line that has something, and takes over the line breaks before it. An
    /// indentation of zero is not known yet: the first line tells it.
    fn scan_block_breaks(&mut self, indent: &mut isize, breaks: &mut String) -> Result<(), Error> {
        let mut deepest = 0;
        loop {
            let is_before =
                |scanner: &Self, indent: isize| indent == 0 || (scanner.cursor.mark.column as isize) < indent;
            while is_before(self, *indent) && self.cursor.byte(0) == b' ' {
                self.cursor.skip();
            }
            deepest = deepest.max(self.cursor.mark.column as isize);
            if is_before(self, *indent) && self.cursor.byte(0) == b'\t' {
                return Err(self.error("found a tab character where an indentation space is expected"));
            }
            if !self.cursor.is_break() {
                break;
            }
            self.cursor.read_line(breaks);
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(())
    }
}
