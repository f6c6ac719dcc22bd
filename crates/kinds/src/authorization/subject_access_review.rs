//! The kind SubjectAccessReview.

use crate::authorization::review;
use crate::kind::{Action, Checks, Kind, Subresource};

/// The kind SubjectAccessReview.
pub(crate) struct SubjectAccessReview;

impl Kind for SubjectAccessReview {
    const GROUP: &'static str = "authorization.k8s.io";
    const RESOURCE: &'static str = "subjectaccessreviews";
    const HAS_POLICIES: bool = false;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::SubjectAccessReview))];

    fn checks() -> Checks {
        Checks::none().validate(review::cluster_subject)
    }
}
