//! The texts about changing objects.

pub(crate) use crate::ui::messages::change::*;

use crate::model::change::difference::Fate;

/// Returns the sign and the words for what becomes of a field.
pub(crate) fn fate(fate: Fate) -> (&'static str, &'static str) {
    match fate {
        Fate::Added => ("+", "Added"),
        Fate::Removed => ("−", "Removed"),
        Fate::Changed => ("~", "Changed"),
        Fate::Passed => ("⇄", "Owner changes"),
    }
}
