//! The kind SubjectAccessReview.

use json_tree::Value;

use crate::kind::{Action, Kind, Subresource};
use crate::kinds::authorization::review;
use field::Error;

/// The kind SubjectAccessReview.
pub(crate) struct SubjectAccessReview;

impl Kind for SubjectAccessReview {
    const GROUP: &'static str = "authorization.k8s.io";
    const RESOURCE: &'static str = "subjectaccessreviews";
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::SubjectAccessReview))];

    fn validate(object: &Value) -> Vec<Error> {
        review::cluster_subject(object)
    }
}
