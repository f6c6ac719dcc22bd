//! The shapes that are drawn: plain shapes in pixels, sorted by their colours so that each colour is chosen once.

use glass::lod::KINDS;

use crate::model::watch::{HUES, hue};

/// A colour of the ribbon. The first ones are those of the kinds of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
    Filtered,
    Line,
    Edge,
    Quiet,
    Text,
    Accent,
    Panel,
    Bad,
    Lit,
    LitEdge,
    /// The colours of the letter on a mark, and of the letter on a mark of the kind `MODIFIED`.
    Letter,
    LetterModified,
    /// The hues of the watches: see [`hue`](crate::model::watch::hue).
    Watch0,
    Watch1,
    Watch2,
    Watch3,
    Watch4,
    Watch5,
}

/// How many there are.
pub(crate) const INKS: usize = 23;

impl Ink {
    /// Returns the ink of a watch.
    pub(crate) fn of_watch(id: u64) -> Self {
        const ALL: [Ink; HUES] =
            [Ink::Watch0, Ink::Watch1, Ink::Watch2, Ink::Watch3, Ink::Watch4, Ink::Watch5];
        ALL[hue(id)]
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stroke {
    Thin,
    Bold,
    Dashed,
    Dotted,
}

/// A filled rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A line from one point to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) from: (f64, f64),
    pub(crate) to: (f64, f64),
    pub(crate) ink: Ink,
    pub(crate) stroke: Stroke,
}

/// A write or an event, in the shape of its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mark {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Half of its width.
    pub(crate) radius: f64,
    /// True if there is room for its letter.
    pub(crate) lettered: bool,
}

/// A circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dot {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) radius: f64,
    pub(crate) ink: Ink,
    pub(crate) filled: bool,
}

/// The content of a text; put together only when it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Words {
    /// Words around a number.
    Count(&'static str, u64, &'static str),
    /// Words alone.
    Say(&'static str),
    /// Somebody else's words.
    Named(String),
}

/// The alignment of a text at its x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Middle,
    Right,
}

/// A text in one line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) x: f64,
    /// The y coordinate of its middle.
    pub(crate) y: f64,
    pub(crate) words: Words,
    pub(crate) ink: Ink,
    pub(crate) align: Align,
    /// The colour behind the text, so that it can be read on top of something else.
    pub(crate) ground: Option<Ink>,
}

/// A picture, from the bottom up. It is used again for the next one, so that its room is not asked for anew.
#[derive(Debug, Default)]
pub(crate) struct Scene {
    /// Bands, bars and cells, by their inks.
    pub(crate) rects: [Vec<Rect>; INKS],
    /// Lines beneath the marks.
    pub(crate) under: Vec<Line>,
    /// By their kinds.
    pub(crate) marks: [Vec<Mark>; KINDS],
    pub(crate) dots: Vec<Dot>,
    /// The x coordinate to the left of which revisions have been compacted.
    pub(crate) hatched: f64,
    /// The x coordinate to the right of which nothing has happened yet at the cursor's revision.
    pub(crate) veiled: Option<f64>,
    /// Lines over everything.
    pub(crate) over: Vec<Line>,
    pub(crate) texts: Vec<Text>,
}

impl Scene {
    /// Takes everything away.
    pub(crate) fn clear(&mut self) {
        self.rects.iter_mut().for_each(Vec::clear);
        self.marks.iter_mut().for_each(Vec::clear);
        self.under.clear();
        self.dots.clear();
        self.hatched = 0.0;
        self.veiled = None;
        self.over.clear();
        self.texts.clear();
    }

    /// Adds a rectangle.
    pub(crate) fn rect(&mut self, ink: Ink, x: f64, y: f64, width: f64, height: f64) {
        if let Some(rects) = self.rects.get_mut(ink as usize) {
            rects.push(Rect { x, y, width, height });
        }
    }

    /// Adds a level line beneath the marks.
    pub(crate) fn level(&mut self, ink: Ink, stroke: Stroke, from: f64, to: f64, y: f64) {
        if to > from {
            self.under.push(Line { from: (from, y), to: (to, y), ink, stroke });
        }
    }

    /// Adds an upright line over everything.
    pub(crate) fn upright(&mut self, ink: Ink, stroke: Stroke, x: f64, from: f64, to: f64) {
        self.over.push(Line { from: (x, from), to: (x, to), ink, stroke });
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, ink: Ink, align: Align, x: f64, y: f64, words: Words) {
        self.texts.push(Text { x, y, words, ink, align, ground: None });
    }

    /// How many shapes there are.
    #[cfg(test)]
    pub(crate) fn shapes(&self) -> usize {
        let rects: usize = self.rects.iter().map(Vec::len).sum();
        let marks: usize = self.marks.iter().map(Vec::len).sum();
        rects + marks + self.under.len() + self.dots.len() + self.over.len() + self.texts.len()
    }
}
