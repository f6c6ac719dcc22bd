//! The kinds of the group authorization.k8s.io.

pub(crate) mod local_subject_access_review;
pub(crate) mod review;
pub(crate) mod self_subject_access_review;
pub(crate) mod self_subject_rules_review;
pub(crate) mod subject_access_review;

pub(crate) use local_subject_access_review::LocalSubjectAccessReview;
pub(crate) use self_subject_access_review::SelfSubjectAccessReview;
pub(crate) use self_subject_rules_review::SelfSubjectRulesReview;
pub(crate) use subject_access_review::SubjectAccessReview;
