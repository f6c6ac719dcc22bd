//! The kind TokenReview.

use crate::kind::{Action, Kind, Subresource};

/// The kind TokenReview.
pub(crate) struct TokenReview;

impl Kind for TokenReview {
    const GROUP: &'static str = "authentication.k8s.io";
    const RESOURCE: &'static str = "tokenreviews";
    const HAS_POLICIES: bool = false;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::TokenReview))];
}
