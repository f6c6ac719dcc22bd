//! The panes of the page: how large they are on a wide page, and which one a narrow page shows.

use serde::{Deserialize, Serialize};

use crate::ui::{dom, messages};

/// `static/boot.js` reads it too, for the frame.
pub(crate) const KEY: &str = "kubeglass.panes";

/// A pane, as a narrow page shows one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pane {
    Resources,
    Request,
    Answer,
    Watches,
    Timeline,
}

impl Pane {
    /// All of them, in the order of the bar.
    pub(crate) const ALL: [Self; 5] =
        [Self::Resources, Self::Request, Self::Answer, Self::Watches, Self::Timeline];

    /// Returns the id of the pane's element.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Resources => "resources",
            Self::Request => "request",
            Self::Answer => "answer",
            Self::Watches => "watches",
            Self::Timeline => "timeline",
        }
    }

    /// Returns the name of the pane.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Resources => messages::RESOURCES,
            Self::Request => messages::REQUEST,
            Self::Answer => messages::ANSWER,
            Self::Watches => messages::WATCHES,
            Self::Timeline => messages::TIMELINE,
        }
    }
}

/// A size that can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The width of the resources.
    Left,
    /// The width of the watches.
    Right,
    /// The height of the request.
    Request,
    /// The height of the timeline.
    Bottom,
    /// The width of what stands beside the ribbon.
    Details,
}

impl Side {
    /// The least and the most, in pixels.
    pub(crate) fn range(self) -> (f64, f64) {
        match self {
            Self::Left => (160.0, 480.0),
            Self::Right => (240.0, 720.0),
            Self::Request => (150.0, 700.0),
            Self::Bottom => (110.0, 700.0),
            Self::Details => (260.0, 1200.0),
        }
    }

    /// Returns its name in the style sheet.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Request => "request",
            Self::Bottom => "bottom",
            Self::Details => "details",
        }
    }

    /// Reports whether its size is a width.
    pub(crate) fn vertical(self) -> bool {
        matches!(self, Self::Left | Self::Right | Self::Details)
    }

    /// 1 where moving the separator right or down makes the pane larger, else -1.
    pub(crate) fn sign(self) -> f64 {
        match self {
            Self::Left | Self::Request => 1.0,
            Self::Right | Self::Bottom | Self::Details => -1.0,
        }
    }

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Left => messages::SIZE_LEFT,
            Self::Right => messages::SIZE_RIGHT,
            Self::Request => messages::SIZE_REQUEST,
            Self::Bottom => messages::SIZE_BOTTOM,
            Self::Details => messages::SIZE_DETAILS,
        }
    }
}

/// The sizes of the panes in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Sizes {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) request: f64,
    pub(crate) bottom: f64,
    pub(crate) details: f64,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { left: 232.0, right: 372.0, request: 440.0, bottom: 320.0, details: 560.0 }
    }
}

impl Sizes {
    /// As they were left.
    pub(crate) fn remembered() -> Self {
        dom::remembered(KEY).map(|text| Self::read(&text)).unwrap_or_default()
    }

    fn read(text: &str) -> Self {
        let mut sizes: Self = serde_json::from_str(text).unwrap_or_default();
        for side in [Side::Left, Side::Right, Side::Request, Side::Bottom, Side::Details] {
            sizes.set(side, sizes.get(side));
        }
        sizes
    }

    /// One of them.
    pub(crate) fn get(&self, side: Side) -> f64 {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
            Side::Request => self.request,
            Side::Bottom => self.bottom,
            Side::Details => self.details,
        }
    }

    /// Sets one of them, as far as its range allows.
    pub(crate) fn set(&mut self, side: Side, size: f64) {
        let (least, most) = side.range();
        let size = size.clamp(least, most).round();
        match side {
            Side::Left => self.left = size,
            Side::Right => self.right = size,
            Side::Request => self.request = size,
            Side::Bottom => self.bottom = size,
            Side::Details => self.details = size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_stay_in_their_range() {
        let mut sizes = Sizes::default();
        sizes.set(Side::Left, 1.0);
        sizes.set(Side::Bottom, 9000.0);
        assert_eq!((sizes.left, sizes.bottom), (160.0, 700.0));
    }

    #[test]
    fn reads_what_it_remembers_and_survives_what_it_does_not_know() {
        let sizes = Sizes { left: 300.0, ..Sizes::default() };
        assert_eq!(Sizes::read(&serde_json::to_string(&sizes).unwrap()), sizes);
        assert_eq!(Sizes::read("{\"left\":300}"), sizes);
        assert_eq!(Sizes::read("{\"left\":3}").left, 160.0);
        assert_eq!(Sizes::read("nonsense"), Sizes::default());
    }
}
