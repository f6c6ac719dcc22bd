//! The state of the pointers that are down on the ribbon.

/// The current gesture of the pointers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gesture {
    /// The pointers that are down: their numbers and places.
    pub(super) pointers: Vec<(i32, (f64, f64))>,
    /// True if the floor is being dragged.
    pub(super) floor: bool,
    /// True if the gesture is more than a click.
    pub(super) moved: bool,
    /// How far lanes have been dragged up or down, less than a lane.
    pub(super) lanes: f64,
}

impl Gesture {
    /// Returns how far two pointers are from each other, and the place between them.
    pub(super) fn distance(&self) -> Option<(f64, f64)> {
        match self.pointers.as_slice() {
            [(_, a), (_, b)] => Some(((a.0 - b.0).hypot(a.1 - b.1).max(1.0), f64::midpoint(a.0, b.0))),
            _ => None,
        }
    }
}
