//! Anchors, tags and directives.

use super::{Kind, Scanner};
use crate::yaml::Error;

impl Scanner<'_> {
    pub(super) fn scan_anchor(&mut self) -> Result<(), Error> {
        let (mark, is_alias) = (self.cursor.mark, self.cursor.byte(0) == b'*');
        self.cursor.skip();
        let name = self.name();
        let ends = self.cursor.is_white(0) || b"?:,]}%@`".contains(&self.cursor.byte(0));
        if name.is_empty() || !ends {
            return Err(self.error("did not find expected alphabetic or numeric character"));
        }
        self.push(mark, if is_alias { Kind::Alias(name) } else { Kind::Anchor(name) });
        Ok(())
    }

    /// `!<uri>`, `!handle!suffix`, `!suffix` or `!`.
    pub(super) fn scan_tag(&mut self) -> Result<(), Error> {
        let mark = self.cursor.mark;
        let (mut handle, mut suffix) = (String::new(), Vec::new());
        if self.cursor.byte(1) == b'<' {
            self.cursor.skip();
            self.cursor.skip();
            self.scan_uri(false, &mut suffix)?;
            if self.cursor.byte(0) != b'>' {
                return Err(self.error("did not find the expected '>'"));
            }
            self.cursor.skip();
        } else {
            handle = self.scan_handle(false)?;
            if handle.len() > 1 && handle.ends_with('!') {
                self.scan_uri(false, &mut suffix)?;
            } else {
                // It was no handle, but the beginning of the suffix.
                suffix.extend_from_slice(&handle.as_bytes()[1..]);
                self.scan_uri(true, &mut suffix)?;
                handle.truncate(1);
                if suffix.is_empty() {
                    suffix = std::mem::take(&mut handle).into_bytes();
                }
            }
        }
        if !self.cursor.is_white(0) {
            return Err(self.error("did not find expected whitespace or line break"));
        }
        self.push(mark, Kind::Tag { handle, suffix });
        Ok(())
    }

    pub(super) fn scan_directive(&mut self) -> Result<(), Error> {
        let mark = self.cursor.mark;
        self.cursor.skip();
        let name = self.name();
        if name.is_empty() {
            return Err(self.error("could not find expected directive name"));
        }
        if !self.cursor.is_white(0) {
            return Err(self.error("found unexpected non-alphabetical character"));
        }
        let kind = match name.as_str() {
            "YAML" => {
                self.cursor.skip_blanks();
                let major = self.version_number()?;
                if self.cursor.byte(0) != b'.' {
                    return Err(self.error("did not find expected digit or '.' character"));
                }
                self.cursor.skip();
                Kind::Version(major, self.version_number()?)
            }
            "TAG" => {
                self.cursor.skip_blanks();
                let handle = self.scan_handle(true)?;
                if !self.cursor.is_blank() {
                    return Err(self.error("did not find expected whitespace"));
                }
                self.cursor.skip_blanks();
                let mut prefix = Vec::new();
                self.scan_uri(false, &mut prefix)?;
                if !self.cursor.is_white(0) {
                    return Err(self.error("did not find expected whitespace or line break"));
                }
                Kind::TagDirective { handle, prefix }
            }
            _ => return Err(self.error("found unknown directive name")),
        };
        self.cursor.skip_blanks();
        self.cursor.skip_comment();
        if !self.cursor.is_break_or_end() {
            return Err(self.error("did not find expected comment or line break"));
        }
        self.cursor.skip_line();
        self.push(mark, kind);
        Ok(())
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while self.cursor.is_alphanumeric() {
            self.cursor.read(&mut name);
        }
        name
    }

    fn version_number(&mut self) -> Result<u8, Error> {
        let (mut number, mut digits) = (0, 0);
        while let digit @ b'0'..=b'9' = self.cursor.byte(0) {
            digits += 1;
            if digits > 2 {
                return Err(self.error("found extremely long version number"));
            }
            number = number * 10 + (digit - b'0');
            self.cursor.skip();
        }
        if digits == 0 {
            return Err(self.error("did not find expected version number"));
        }
        Ok(number)
    }

    /// `!`, `!!` or `!name!`; for a tag also `!` and the name after it, which then is none of a handle.
    fn scan_handle(&mut self, for_directive: bool) -> Result<String, Error> {
        const NO_MARK: &str = "did not find expected '!'";
        if self.cursor.byte(0) != b'!' {
            return Err(self.error(NO_MARK));
        }
        self.cursor.skip();
        let mut handle = ["!", &self.name()].concat();
        if self.cursor.byte(0) == b'!' {
            self.cursor.read(&mut handle);
        } else if for_directive && handle != "!" {
            return Err(self.error(NO_MARK));
        }
        Ok(handle)
    }

    /// A part of a URI, which may only be empty where something comes before it.
    fn scan_uri(&mut self, may_be_empty: bool, uri: &mut Vec<u8>) -> Result<(), Error> {
        let mut is_empty = !may_be_empty;
        loop {
            match self.cursor.byte(0) {
                b'%' => self.scan_escapes(uri)?,
                byte if self.cursor.is_alphanumeric() || b";/?:@&=+$,.!~*'()[]".contains(&byte) => {
                    uri.push(byte);
                    self.cursor.skip();
                }
                _ => break,
            }
            is_empty = false;
        }
        if is_empty { Err(self.error("did not find expected tag URI")) } else { Ok(()) }
    }

    /// The bytes of one character, each as `%` and two digits.
    fn scan_escapes(&mut self, uri: &mut Vec<u8>) -> Result<(), Error> {
        let mut missing = 0;
        loop {
            let digit = |ahead| char::from(self.cursor.byte(ahead)).to_digit(16);
            let (b'%', Some(high), Some(low)) = (self.cursor.byte(0), digit(1), digit(2)) else {
                return Err(self.error("did not find URI escaped octet"));
            };
            let octet = (high << 4 | low) as u8;
            if missing == 0 {
                missing = match octet {
                    0..0x80 => 1,
                    0xc0..0xe0 => 2,
                    0xe0..0xf0 => 3,
                    0xf0..0xf8 => 4,
                    _ => return Err(self.error("found an incorrect leading UTF-8 octet")),
                };
            } else if octet & 0xc0 != 0x80 {
                return Err(self.error("found an incorrect trailing UTF-8 octet"));
            }
            uri.push(octet);
            (0..3).for_each(|_| self.cursor.skip());
            missing -= 1;
            if missing == 0 {
                return Ok(());
            }
        }
    }
}
