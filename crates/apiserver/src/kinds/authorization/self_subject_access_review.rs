//! The kind SelfSubjectAccessReview.

use crate::kind::{Action, Kind, Subresource};
use field::Error;
use json_tree::Value;

/// The kind SelfSubjectAccessReview.
pub(crate) struct SelfSubjectAccessReview;

impl Kind for SelfSubjectAccessReview {
    const GROUP: &'static str = "authorization.k8s.io";
    const RESOURCE: &'static str = "selfsubjectaccessreviews";
    const SUBRESOURCES: &'static [(&'static str, Subresource)] =
        &[("", Subresource::Action(Action::SelfSubjectAccessReview))];

    fn validate(object: &Value) -> Vec<Error> {
        crate::kinds::authorization::review::own(object)
    }
}
