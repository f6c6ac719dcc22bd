//! The kinds of the group policy.

pub(crate) mod pod_disruption_budget;

pub(crate) use pod_disruption_budget::PodDisruptionBudget;
