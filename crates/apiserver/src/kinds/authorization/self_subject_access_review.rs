//! The kind SelfSubjectAccessReview.

use json_tree::Value;

use crate::kind::{Action, Kind, Subresource};
use crate::kinds::authorization::review;
use field::Error;

/// The kind SelfSubjectAccessReview.
pub(crate) struct SelfSubjectAccessReview;

impl Kind for SelfSubjectAccessReview {
    const GROUP: &'static str = "authorization.k8s.io";
    const RESOURCE: &'static str = "selfsubjectaccessreviews";
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::SelfSubjectAccessReview))];

    fn validate(object: &Value) -> Vec<Error> {
        review::own(object)
    }
}
