//! The texts of the page about the API resources that are served.

pub(crate) use crate::ui::messages::explore::*;

use crate::model::explore::served::Kind;

/// The name of a kind's row, for screen readers.
pub(crate) fn kind(kind: &Kind) -> String {
    format!("{}, {}", kind.resource, kind.kind)
}

/// Describes a kind in a line.
pub(crate) fn facts(kind: &Kind) -> String {
    let mut facts = vec![kind.kind.clone()];
    facts.push(if kind.namespaced { "in namespaces" } else { "in the whole cluster" }.to_owned());
    for (names, word) in [(&kind.short_names, "short"), (&kind.categories, "in category")] {
        if !names.is_empty() {
            facts.push(format!("{word} {}", names.join(", ")));
        }
    }
    facts.join(" · ")
}

pub(crate) fn served(kind: &Kind) -> String {
    format!("{} is served now, as {} in {}.", kind.kind, kind.resource, kind.api_version())
}
