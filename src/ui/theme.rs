//! Light, dark, or as the system has it.

use leptos::prelude::*;

use crate::ui::{dom, messages};

/// `static/boot.js` reads it too, for the frame.
const KEY: &str = "kubeglass.theme";

/// Which colours the page wears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// All of them, in the order in which the button goes through them.
    const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// In attributes and storage.
    fn id(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The one that comes after it.
    pub(crate) fn next(self) -> Self {
        let at = Self::ALL.iter().position(|theme| *theme == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// Returns the name of the theme.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::System => messages::THEME_SYSTEM,
            Self::Light => messages::THEME_LIGHT,
            Self::Dark => messages::THEME_DARK,
        }
    }

    /// The one that was chosen last.
    pub(crate) fn remembered() -> Self {
        let chosen = dom::remembered(KEY).unwrap_or_default();
        Self::ALL.into_iter().find(|theme| theme.id() == chosen).unwrap_or_default()
    }
}

/// Wears what the signal says, and remembers it.
pub(crate) fn wear(theme: RwSignal<Theme>) {
    Effect::new(move || {
        let id = theme.get().id();
        if let Some(root) = dom::document().document_element() {
            let _ = root.set_attribute("data-theme", id);
        }
        dom::remember(KEY, id);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_round() {
        let mut theme = Theme::System;
        for expected in [Theme::Light, Theme::Dark, Theme::System] {
            theme = theme.next();
            assert_eq!(theme, expected);
        }
    }
}
