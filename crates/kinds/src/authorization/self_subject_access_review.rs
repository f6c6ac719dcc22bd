//! The kind SelfSubjectAccessReview.

use crate::authorization::review;
use crate::kind::{Action, Checks, Kind, Subresource};

/// The kind SelfSubjectAccessReview.
pub(crate) struct SelfSubjectAccessReview;

impl Kind for SelfSubjectAccessReview {
    const GROUP: &'static str = "authorization.k8s.io";
    const RESOURCE: &'static str = "selfsubjectaccessreviews";
    const HAS_POLICIES: bool = false;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::SelfSubjectAccessReview))];

    fn checks() -> Checks {
        Checks::none().validate(review::own)
    }
}
