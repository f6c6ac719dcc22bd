//! The kind SelfSubjectReview.

use crate::kind::{Action, Kind, Subresource};

/// The kind SelfSubjectReview.
pub(crate) struct SelfSubjectReview;

impl Kind for SelfSubjectReview {
    const GROUP: &'static str = "authentication.k8s.io";
    const RESOURCE: &'static str = "selfsubjectreviews";
    const HAS_POLICIES: bool = false;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::SelfSubjectReview))];
}
