//! The kind SubjectAccessReview.

use crate::kind::{Action, Kind, Subresource};
use field::Error;
use json_tree::Value;

/// The kind SubjectAccessReview.
pub(crate) struct SubjectAccessReview;

impl Kind for SubjectAccessReview {
    const GROUP: &'static str = "authorization.k8s.io";
    const RESOURCE: &'static str = "subjectaccessreviews";
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::SubjectAccessReview))];

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::authorization::review::cluster_subject(object)
    }
}
