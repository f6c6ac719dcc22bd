//! The kind LocalSubjectAccessReview.

use json_tree::Value;

use crate::kind::{Action, Kind, Subresource};
use crate::kinds::authorization::review;
use field::Error;

/// The kind LocalSubjectAccessReview.
pub(crate) struct LocalSubjectAccessReview;

impl Kind for LocalSubjectAccessReview {
    const GROUP: &'static str = "authorization.k8s.io";
    const RESOURCE: &'static str = "localsubjectaccessreviews";
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::SubjectAccessReview))];

    fn validate(object: &Value) -> Vec<Error> {
        review::local_subject(object)
    }
}
