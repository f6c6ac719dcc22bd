//! The words of presentations.

pub(crate) const PRESENT: &str = "Present";
pub(crate) const PRESENT_ABOUT: &str = "One section at a time, in large type, by the keys of a clicker";
pub(crate) const BAR: &str = "Presentation";
pub(crate) const BACK: &str = "‹ Back";
pub(crate) const BACK_ABOUT: &str = "The section before (Page Up, ←, p)";
pub(crate) const NEXT: &str = "Next ›";
pub(crate) const NEXT_ABOUT: &str = "The next section (Page Down, →, n)";
pub(crate) const HIDE: &str = "Hide responses";
pub(crate) const HIDE_ABOUT: &str = "Hide what came until the room has guessed (h)";
pub(crate) const LIGHT: &str = "Light";
pub(crate) const LIGHT_ABOUT: &str = "Light what the pointer is at (l)";
pub(crate) const BLANK: &str = "Blank";
pub(crate) const BLANK_ABOUT: &str = "Make the screen dark (b)";
pub(crate) const LEAVE: &str = "Leave";
pub(crate) const LEAVE_ABOUT: &str = "Show the page as before (Esc)";

pub(crate) fn section(number: usize, all: usize) -> String {
    format!("{number} / {all}")
}

/// Tells how much time has passed.
pub(crate) fn clock(seconds: u32) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
