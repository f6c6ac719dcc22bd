//! The position of a scanner in a text.

/// A place in the text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    /// In characters.
    pub(super) index: usize,
    /// Counted from zero.
    pub(super) line: usize,
    /// In characters of the line, counted from zero.
    pub(super) column: usize,
}

/// The rest of a text, character by character, with libyaml's names for what characters are. Behind the end there are
/// zeros, which stand nowhere else.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// In bytes.
    at: usize,
    pub(super) mark: Mark,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, mark: Mark::default() }
    }

    /// The byte that is so many bytes ahead.
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(text.as_bytes())
    }

    pub(super) fn is_end(&self) -> bool {
        self.byte(0) == 0
    }

    /// A space or a tab.
    pub(super) fn is_blank(&self) -> bool {
        matches!(self.byte(0), b' ' | b'\t')
    }

    /// How many bytes the line break is long that is so many bytes ahead; zero if there is none. YAML 1.1 has two more that
    /// are kept as they are.
    fn break_width(&self, ahead: usize) -> usize {
        match self.byte(ahead) {
            b'\r' if self.byte(ahead + 1) == b'\n' => 2,
            b'\r' | b'\n' => 1,
            0xe2 if self.byte(ahead + 1) == 0x80 && matches!(self.byte(ahead + 2), 0xa8 | 0xa9) => 3,
            _ => 0,
        }
    }

    pub(super) fn is_break(&self) -> bool {
        self.is_break_at(0)
    }

    pub(super) fn is_break_at(&self, ahead: usize) -> bool {
        self.break_width(ahead) > 0
    }

    pub(super) fn is_break_or_end(&self) -> bool {
        self.is_end() || self.is_break()
    }

    /// Reports whether a space, a tab, a line break or the end is so many bytes ahead.
    pub(super) fn is_white(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), 0 | b' ' | b'\t') || self.is_break_at(ahead)
    }

    /// A character of a name: of an anchor, of a directive, of a tag's handle.
    pub(super) fn is_alphanumeric(&self) -> bool {
        matches!(self.byte(0), b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-')
    }

    /// Reports whether `---` or `...` stands alone at the beginning of the line.
    pub(super) fn is_document_indicator(&self) -> bool {
        self.mark.column == 0 && (self.starts_with("---") || self.starts_with("...")) && self.is_white(3)
    }

    /// Goes over a character, which is no line break.
    pub(super) fn skip(&mut self) {
        let width = match self.byte(0) {
            0..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        self.at = (self.at + width).min(self.text.len());
        self.mark.index += 1;
        self.mark.column += 1;
    }

    /// Goes over a line break, if there is one.
    pub(super) fn skip_line(&mut self) {
        let width = self.break_width(0);
        if width > 0 {
            self.at += width;
            self.mark.index += 1 + usize::from(width == 2);
            self.mark.column = 0;
            self.mark.line += 1;
        }
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.is_blank() {
            self.skip();
        }
    }

    /// Goes over a comment, up to the end of its line.
    pub(super) fn skip_comment(&mut self) {
        if self.byte(0) == b'#' {
            while !self.is_break_or_end() {
                self.skip();
            }
        }
    }

    /// Takes over a character.
    pub(super) fn read(&mut self, into: &mut String) {
        let start = self.at;
        self.skip();
        into.push_str(self.text.get(start..self.at).unwrap_or_default());
    }

    /// Takes over the characters up to a space, a tab, a line break, the end, or one that `ends`.
    pub(super) fn read_run(&mut self, into: &mut String, ends: impl Fn(&Self) -> bool) {
        let start = self.at;
        while !self.is_white(0) && !ends(self) {
            self.skip();
        }
        into.push_str(self.text.get(start..self.at).unwrap_or_default());
    }

    /// Takes over a line break: as a line feed, but for those that are kept.
    pub(super) fn read_line(&mut self, into: &mut String) {
        let start = self.at;
        let width = self.break_width(0);
        self.skip_line();
        match width {
            0 => {}
            3 => into.push_str(self.text.get(start..self.at).unwrap_or_default()),
            _ => into.push('\n'),
        }
    }
}
