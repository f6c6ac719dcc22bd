//! The kind Binding.

use crate::kind::{Action, Kind, Subresource};

/// The kind Binding.
pub(crate) struct Binding;

impl Kind for Binding {
    const GROUP: &'static str = "";
    const RESOURCE: &'static str = "bindings";
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::Binding))];
}
