//! The kinds of the group admissionregistration.k8s.io.

pub(crate) mod printer;

pub mod expression;
pub(crate) mod mutating_admission_policy;
pub(crate) mod mutating_admission_policy_binding;
pub(crate) mod mutating_webhook_configuration;
pub(crate) mod policy;
pub(crate) mod rules;
pub(crate) mod validating_admission_policy;
pub(crate) mod validating_admission_policy_binding;
pub(crate) mod validating_webhook_configuration;
pub(crate) mod webhook;

pub(crate) use mutating_admission_policy::MutatingAdmissionPolicy;
pub(crate) use mutating_admission_policy_binding::MutatingAdmissionPolicyBinding;
pub(crate) use mutating_webhook_configuration::MutatingWebhookConfiguration;
pub(crate) use validating_admission_policy::ValidatingAdmissionPolicy;
pub(crate) use validating_admission_policy_binding::ValidatingAdmissionPolicyBinding;
pub(crate) use validating_webhook_configuration::ValidatingWebhookConfiguration;
