//! The kinds of the group authentication.k8s.io.

pub(crate) mod self_subject_review;
pub(crate) mod token_review;

pub(crate) use self_subject_review::SelfSubjectReview;
pub(crate) use token_review::TokenReview;
