//! The kind LocalSubjectAccessReview.

use crate::authorization::review;
use crate::kind::{Action, Checks, Kind, Subresource};

/// The kind LocalSubjectAccessReview.
pub(crate) struct LocalSubjectAccessReview;

impl Kind for LocalSubjectAccessReview {
    const GROUP: &'static str = "authorization.k8s.io";
    const RESOURCE: &'static str = "localsubjectaccessreviews";
    const HAS_POLICIES: bool = false;
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::SubjectAccessReview))];

    fn checks() -> Checks {
        Checks::none().validate(review::local_subject)
    }
}
