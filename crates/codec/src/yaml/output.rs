//! The text that is written, with the column that it has reached.

/// The text written so far, and the state that libyaml keeps of it.
pub(super) struct Output {
    pub(super) text: String,
    /// How many characters the line has.
    pub(super) column: usize,
    /// The line has nothing but indentation and the dashes of lists.
    pub(super) indented: bool,
    /// Nothing has to be put between what was written and a scalar.
    pub(super) spaced: bool,
}

impl Output {
    pub(super) fn new() -> Self {
        Self { text: String::with_capacity(1024), column: 0, indented: true, spaced: true }
    }

    pub(super) fn push(&mut self, character: char) {
        self.text.push(character);
        self.column += 1;
    }

    pub(super) fn line_break(&mut self) {
        self.text.push('\n');
        self.column = 0;
    }

    /// Goes to the given column, on a new line unless this one has only indentation so far.
    pub(super) fn start_line(&mut self, indent: usize) {
        let fits = self.indented && (self.column < indent || self.column == indent && self.spaced);
        if !fits {
            self.line_break();
        }
        while self.column < indent {
            self.push(' ');
        }
        self.spaced = true;
        self.indented = true;
    }

    pub(super) fn indicator(&mut self, indicator: &str, needs_space: bool, spaced: bool, indented: bool) {
        if needs_space && !self.spaced {
            self.push(' ');
        }
        for character in indicator.chars() {
            self.push(character);
        }
        self.spaced = spaced;
        self.indented &= indented;
    }
}
