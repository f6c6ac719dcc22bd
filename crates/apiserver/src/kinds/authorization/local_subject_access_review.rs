//! The kind LocalSubjectAccessReview.

use crate::kind::{Action, Kind, Subresource};
use field::Error;
use json_tree::Value;

/// The kind LocalSubjectAccessReview.
pub(crate) struct LocalSubjectAccessReview;

impl Kind for LocalSubjectAccessReview {
    const GROUP: &'static str = "authorization.k8s.io";
    const RESOURCE: &'static str = "localsubjectaccessreviews";
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::SubjectAccessReview))];

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::authorization::review::local_subject(object)
    }
}
