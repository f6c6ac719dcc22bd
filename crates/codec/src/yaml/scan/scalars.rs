//! Scalars: plain, in quotes, and as blocks.

use std::borrow::Cow;

use super::super::Error;
use super::super::analysis::is_break;
use super::{Scanner, Token, is_blank, is_blank_or_end};

/// A text that is put together of pieces of the source. As long as there is one, nothing is copied.
struct Pieces<'a> {
    text: &'a str,
    copied: String,
    /// Where the piece begins that is not copied yet.
    from: usize,
}

impl<'a> Pieces<'a> {
    fn new(text: &'a str, from: usize) -> Self {
        Self { text, copied: String::new(), from }
    }

    /// Takes the piece that ends at `to`, and the text after it, and begins another piece.
    fn put(&mut self, to: usize, after: &str, from: usize) {
        self.copied.push_str(&self.text[self.from..to]);
        self.copied.push_str(after);
        self.from = from;
    }

    fn finish(mut self, to: usize) -> Cow<'a, str> {
        let last = &self.text[self.from..to];
        if self.copied.is_empty() {
            return Cow::Borrowed(last);
        }
        self.copied.push_str(last);
        Cow::Owned(self.copied)
    }
}

impl Scanner<'_> {
    /// The ends of lines and the blanks around them, as they read within a scalar: one end is a space, of more the
    /// first is left out. Nothing if the line goes on. No tab may stand before the column `indent`.
    fn fold(&mut self, indent: isize) -> Result<Option<String>, Error> {
        self.skip_blanks();
        let first = self.skip_break();
        if first.is_empty() {
            return Ok(None);
        }
        let rest = self.further_breaks(indent)?;
        Ok(Some(match (first, rest.as_str()) {
            ("\n", "") => " ".to_owned(),
            ("\n", _) => rest,
            _ => [first, &rest].concat(),
        }))
    }

    /// The ends of empty lines.
    fn further_breaks(&mut self, indent: isize) -> Result<String, Error> {
        let mut breaks = String::new();
        loop {
            while is_blank(self.char()) {
                if self.char() == '\t' && (self.mark.column as isize) < indent {
                    return Err(self.error("found a tab character that violates indentation"));
                }
                self.skip();
            }
            match self.skip_break() {
                "" => return Ok(breaks),
                end => breaks.push_str(end),
            }
        }
    }

    pub(super) fn plain_scalar(&mut self) -> Result<(), Error> {
        let (line, in_flow) = (self.mark.line, self.in_flow());
        let mut pieces = Pieces::new(self.text, self.mark.at);
        let mut end = self.mark.at;
        let mut folded: Option<String> = None;
        while !self.is_document_indicator() && self.char() != '#' {
            let from = self.mark.at;
            while !is_blank_or_end(self.char()) && !self.ends_plain(in_flow) {
                self.skip();
            }
            if self.mark.at > from {
                if let Some(folded) = folded.take() {
                    pieces.put(end, &folded, from);
                }
                end = self.mark.at;
            }
            let next = self.char();
            if !is_blank(next) && !is_break(next) {
                break;
            }
            folded = self.fold(self.indent + 1)?;
            if !in_flow && folded.is_some() && (self.mark.column as isize) <= self.indent {
                break;
            }
        }
        self.key_allowed |= folded.is_some();
        self.push(line, Token::Scalar(pieces.finish(end), true));
        Ok(())
    }

    fn ends_plain(&self, in_flow: bool) -> bool {
        match self.char() {
            ':' => is_blank_or_end(self.char_at(1)),
            ',' | '?' | '[' | ']' | '{' | '}' => in_flow,
            _ => false,
        }
    }

    pub(super) fn quoted_scalar(&mut self, quote: char) -> Result<(), Error> {
        let line = self.mark.line;
        self.skip();
        let mut pieces = Pieces::new(self.text, self.mark.at);
        loop {
            if self.is_document_indicator() {
                return Err(self.error("found unexpected document indicator"));
            }
            if self.is_end() {
                return Err(self.error("found unexpected end of stream"));
            }
            let (from, next) = (self.mark.at, self.char());
            if next == quote {
                self.skip();
                if quote == '"' || self.char() != quote {
                    self.push(line, Token::Scalar(pieces.finish(from), false));
                    return Ok(());
                }
                pieces.put(from, "'", self.mark.at + 1);
                self.skip();
            } else if next == '\\' && quote == '"' {
                let mut buffer = [0; 4];
                let after = match self.escape()? {
                    Some(character) => Cow::Borrowed(&*character.encode_utf8(&mut buffer)),
                    None => Cow::Owned(self.further_breaks(0)?),
                };
                pieces.put(from, &after, self.mark.at);
            } else if is_blank(next) || is_break(next) {
                if let Some(folded) = self.fold(0)? {
                    pieces.put(from, &folded, self.mark.at);
                }
            } else {
                self.skip();
            }
        }
    }

    /// What a backslash and what follows it stand for. The end of a line stands for nothing.
    fn escape(&mut self) -> Result<Option<char>, Error> {
        let name = self.char_at(1);
        let digits = match name {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let simple = match name {
            '0' => '\0',
            'a' => '\x07',
            'b' => '\x08',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\x0b',
            'f' => '\x0c',
            'r' => '\r',
            'e' => '\x1b',
            ' ' | '"' | '\'' | '\\' => name,
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            'x' | 'u' | 'U' => '\0',
            _ if is_break(name) => {
                self.skip();
                self.skip_break();
                return Ok(None);
            }
            _ => return Err(self.error("found unknown escape character")),
        };
        self.skip();
        self.skip();
        if digits == 0 {
            return Ok(Some(simple));
        }
        let mut code = 0u32;
        for _ in 0..digits {
            let Some(digit) = self.char().to_digit(16) else {
                return Err(self.error("did not find expected hexdecimal number"));
            };
            // What does not fit is no character either.
            code = if code >> 28 == 0 { code * 16 + digit } else { u32::MAX };
            self.skip();
        }
        match char::from_u32(code) {
            None => Err(self.error("found invalid Unicode character escape code")),
            character => Ok(character),
        }
    }

    pub(super) fn block_scalar(&mut self, literal: bool) -> Result<(), Error> {
        let line = self.mark.line;
        self.skip();
        let (mut keep, mut indent) = (None, None);
        for _ in 0..2 {
            match self.char() {
                sign @ ('+' | '-') if keep.is_none() => keep = Some(sign == '+'),
                '0' if indent.is_none() => {
                    return Err(self.error("found an indentation indicator equal to 0"));
                }
                digit @ '1'..='9' if indent.is_none() => {
                    indent = Some(self.indent.max(0) as usize + digit as usize - '0' as usize);
                }
                _ => break,
            }
            self.skip();
        }
        self.rest_of_line()?;
        let (indent, mut breaks) = self.block_breaks(indent)?;
        let (mut text, mut end, mut was_indented) = (String::new(), "", false);
        while self.mark.column == indent && !self.is_end() {
            let is_indented = is_blank(self.char());
            if literal || was_indented || is_indented || end != "\n" {
                text.push_str(end);
            } else if breaks.is_empty() {
                text.push(' ');
            }
            text.push_str(&breaks);
            was_indented = is_indented;
            text.push_str(self.skip_while(|character| !is_break(character)));
            end = self.skip_break();
            (_, breaks) = self.block_breaks(Some(indent))?;
        }
        if keep != Some(false) {
            text.push_str(end);
        }
        if keep == Some(true) {
            text.push_str(&breaks);
        }
        self.push(line, Token::Scalar(text.into(), false));
        Ok(())
    }

    /// The indentation of a block's next line, and the ends of the empty lines before it. If it is not known yet, the
    /// longest of these lines tells it.
    fn block_breaks(&mut self, indent: Option<usize>) -> Result<(usize, String), Error> {
        let (mut longest, mut breaks) = (0, String::new());
        loop {
            let within = |column| indent.is_none_or(|indent| column < indent);
            while within(self.mark.column) && self.char() == ' ' {
                self.skip();
            }
            longest = longest.max(self.mark.column);
            if within(self.mark.column) && self.char() == '\t' {
                return Err(self.error("found a tab character where an indentation space is expected"));
            }
            match self.skip_break() {
                "" => break,
                end => breaks.push_str(end),
            }
        }
        let least = (self.indent + 1).max(1) as usize;
        Ok((indent.unwrap_or_else(|| longest.max(least)), breaks))
    }
}
