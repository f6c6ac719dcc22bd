//! The kind SelfSubjectRulesReview.

use crate::kind::{Action, Kind, Subresource};

/// The kind SelfSubjectRulesReview.
pub(crate) struct SelfSubjectRulesReview;

impl Kind for SelfSubjectRulesReview {
    const GROUP: &'static str = "authorization.k8s.io";
    const RESOURCE: &'static str = "selfsubjectrulesreviews";
    const HAS_POLICIES: bool = false;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::SelfSubjectRulesReview))];
}
