//! Directives, anchors, aliases and tags.

use std::borrow::Cow;

use super::super::Error;
use super::{Scanner, Token, is_blank_or_end};

const NO_BLANK: &str = "did not find expected whitespace or line break";
const LONGEST_NUMBER: usize = 9;

impl<'a> Scanner<'a> {
    /// A line that begins with `%`.
    pub(super) fn directive(&mut self) -> Result<(), Error> {
        let line = self.mark.line;
        self.skip();
        let name = self.word();
        if name.is_empty() {
            return Err(self.error("could not find expected directive name"));
        }
        if !is_blank_or_end(self.char()) {
            return Err(self.error("found unexpected non-alphabetical character"));
        }
        self.skip_blanks();
        let token = match name {
            "YAML" => {
                let major = self.number()?;
                if self.char() != '.' {
                    return Err(self.error("did not find expected digit or '.' character"));
                }
                self.skip();
                Token::Version(self.number()? == "1" && major == "1")
            }
            "TAG" => {
                let handle = self.handle(true)?;
                if !matches!(self.char(), ' ' | '\t') {
                    return Err(self.error("did not find expected whitespace"));
                }
                self.skip_blanks();
                let prefix = self.uri("", true)?;
                if !is_blank_or_end(self.char()) {
                    return Err(self.error(NO_BLANK));
                }
                Token::TagDirective(handle, prefix)
            }
            _ => return Err(self.error("found unknown directive name")),
        };
        self.rest_of_line()?;
        self.push(line, token);
        Ok(())
    }

    /// What may stand after a directive and the head of a block: a comment.
    pub(super) fn rest_of_line(&mut self) -> Result<(), Error> {
        self.skip_blanks();
        self.skip_comment();
        if self.skip_break().is_empty() && !self.is_end() {
            return Err(self.error("did not find expected comment or line break"));
        }
        Ok(())
    }

    fn word(&mut self) -> &'a str {
        self.skip_while(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_'))
    }

    /// A part of a version, without the zeros that it begins with.
    fn number(&mut self) -> Result<&'a str, Error> {
        let digits = self.skip_while(|character| character.is_ascii_digit());
        match digits.len() {
            0 => Err(self.error("did not find expected version number")),
            1..=LONGEST_NUMBER => Ok(digits.trim_start_matches('0')),
            _ => Err(self.error("found extremely long version number")),
        }
    }

    pub(super) fn anchor(&mut self, alias: bool) -> Result<(), Error> {
        let line = self.mark.line;
        self.skip();
        let name = self.word();
        let next = self.char();
        let ends = is_blank_or_end(next) || matches!(next, '?' | ':' | ',' | ']' | '}' | '%' | '@' | '`');
        if name.is_empty() || !ends {
            return Err(self.error("did not find expected alphabetic or numeric character"));
        }
        self.push(line, if alias { Token::Alias(name) } else { Token::Anchor(name) });
        Ok(())
    }

    pub(super) fn tag(&mut self) -> Result<(), Error> {
        let line = self.mark.line;
        let (handle, name) = if self.char_at(1) == '<' {
            self.skip();
            self.skip();
            let name = self.uri("", true)?;
            if self.char() != '>' {
                return Err(self.error("did not find the expected '>'"));
            }
            self.skip();
            ("", name)
        } else {
            let handle = self.handle(false)?;
            if handle.len() > 1 && handle.ends_with('!') {
                (handle, self.uri("", true)?)
            } else {
                // What looked like a handle is the beginning of the name.
                match self.uri(&handle[1..], false)? {
                    name if name.is_empty() => ("", Cow::Borrowed("!")),
                    name => ("!", name),
                }
            }
        };
        if !is_blank_or_end(self.char()) {
            return Err(self.error(NO_BLANK));
        }
        self.push(line, Token::Tag(handle, name));
        Ok(())
    }

    /// `!`, `!!` or `!name!`; in tags also the beginning of a name without a second `!`.
    fn handle(&mut self, in_directive: bool) -> Result<&'a str, Error> {
        let from = self.mark.at;
        let missing = "did not find expected '!'";
        if self.char() != '!' {
            return Err(self.error(missing));
        }
        self.skip();
        let name = self.word();
        if self.char() == '!' {
            self.skip();
        } else if in_directive && !name.is_empty() {
            return Err(self.error(missing));
        }
        Ok(&self.text[from..self.mark.at])
    }

    /// The characters of a URI, after those that were read of it.
    fn uri(&mut self, head: &'a str, needed: bool) -> Result<Cow<'a, str>, Error> {
        let mut uri = Cow::Borrowed(head);
        loop {
            let part = self.skip_while(|character| {
                character.is_ascii_alphanumeric() || "-_;/?:@&=+$,.!~*'()[]".contains(character)
            });
            if uri.is_empty() {
                uri = Cow::Borrowed(part);
            } else if !part.is_empty() {
                uri.to_mut().push_str(part);
            }
            if self.char() != '%' {
                break;
            }
            let character = self.escaped_octets()?;
            uri.to_mut().push(character);
        }
        if uri.is_empty() && needed {
            return Err(self.error("did not find expected tag URI"));
        }
        Ok(uri)
    }

    /// A character as `%` and the digits of its octets in UTF-8.
    fn escaped_octets(&mut self) -> Result<char, Error> {
        let mut octets = Vec::with_capacity(4);
        let mut width = 1;
        while octets.len() < width {
            let digits = (self.char_at(1).to_digit(16), self.char_at(2).to_digit(16));
            let ('%', (Some(high), Some(low))) = (self.char(), digits) else {
                return Err(self.error("did not find URI escaped octet"));
            };
            let octet = (high * 16 + low) as u8;
            if octets.is_empty() {
                width = match octet {
                    0..=0x7f => 1,
                    0xc0..=0xdf => 2,
                    0xe0..=0xef => 3,
                    0xf0..=0xf7 => 4,
                    _ => return Err(self.error("found an incorrect leading UTF-8 octet")),
                };
            } else if octet & 0xc0 != 0x80 {
                return Err(self.error("found an incorrect trailing UTF-8 octet"));
            }
            octets.push(octet);
            (0..3).for_each(|_| self.skip());
        }
        Ok(String::from_utf8_lossy(&octets).chars().next().unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}
