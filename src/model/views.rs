//! The views of the page: what the screen is about. Each gives its subject the room, and keeps some of the others as strips.
//! The style sheet lays them out by `data-view`; a narrow page shows one pane at a time instead.

use crate::model::panes::Pane;
use crate::ui::messages::views as words;

/// A view: the subject that the screen is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum View {
    /// A request and its response, side by side.
    #[default]
    Request,
    /// The contents of the cluster, and the part of them that the user looks at.
    Cluster,
    /// The watches, beside each other.
    Watches,
    /// The history.
    Timeline,
    /// The lab: actions on the cluster that are done on purpose, and their effects.
    Lab,
    /// The permissions: who may do what.
    Access,
    /// Documents whose examples run.
    Learn,
    /// Everything at once, for a large screen.
    Overview,
}

impl View {
    /// All of them, in the order of the rail.
    pub(crate) const ALL: [Self; 8] = [
        Self::Request,
        Self::Cluster,
        Self::Watches,
        Self::Timeline,
        Self::Lab,
        Self::Access,
        Self::Learn,
        Self::Overview,
    ];

    /// Returns its name in addresses and in the style sheet.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Cluster => "cluster",
            Self::Watches => "watches",
            Self::Timeline => "timeline",
            Self::Lab => "lab",
            Self::Access => "access",
            Self::Learn => "learn",
            Self::Overview => "overview",
        }
    }

    /// Returns what it is called, and what it is for.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Request => words::REQUEST,
            Self::Cluster => words::CLUSTER,
            Self::Watches => words::WATCHES,
            Self::Timeline => words::TIMELINE,
            Self::Lab => words::LAB,
            Self::Access => words::ACCESS,
            Self::Learn => words::LEARN,
            Self::Overview => words::OVERVIEW,
        }
    }

    /// Returns the one with this id.
    pub(crate) fn of(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.id() == id)
    }

    /// Returns the pane that it is about, if it is about one.
    pub(crate) fn pane(self) -> Option<Pane> {
        match self {
            Self::Request => Some(Pane::Request),
            Self::Cluster => Some(Pane::Resources),
            Self::Watches | Self::Lab => Some(Pane::Watches),
            Self::Timeline => Some(Pane::Timeline),
            Self::Access | Self::Learn | Self::Overview => None,
        }
    }

    /// Returns whether a pane is in it, be it as a strip.
    pub(crate) fn shows(self, pane: Pane) -> bool {
        match pane {
            Pane::Resources => matches!(self, Self::Cluster | Self::Overview),
            Pane::Request => matches!(self, Self::Request | Self::Overview),
            Pane::Answer => matches!(self, Self::Request | Self::Watches | Self::Learn | Self::Overview),
            Pane::Watches => self != Self::Timeline,
            Pane::Timeline => true,
        }
    }

    /// Returns the one that is left for `pane`, where this one does not show it.
    pub(crate) fn toward(self, pane: Pane) -> Self {
        if self.shows(pane) {
            return self;
        }
        match pane {
            Pane::Resources => Self::Cluster,
            Pane::Request | Pane::Answer => Self::Request,
            Pane::Watches => Self::Watches,
            Pane::Timeline => Self::Timeline,
        }
    }

    /// Returns whether it has the watches as a strip, a line each.
    pub(crate) fn has_strip(self) -> bool {
        matches!(self, Self::Request | Self::Cluster | Self::Access | Self::Learn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pane_is_in_some_view_and_no_view_leaves_what_it_shows() {
        for view in View::ALL {
            assert_eq!(View::of(view.id()), Some(view));
            for pane in Pane::ALL {
                let next = view.toward(pane);
                assert!(next.shows(pane), "{view:?} {pane:?}");
                assert!(!view.shows(pane) || next == view, "{view:?} {pane:?}");
            }
            assert!(view.pane().is_none_or(|pane| view.shows(pane)));
        }
    }
}
