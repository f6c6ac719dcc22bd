//! The kinds of the group autoscaling.

pub(crate) mod horizontal_pod_autoscaler;
pub(crate) mod scale;

pub(crate) use horizontal_pod_autoscaler::HorizontalPodAutoscaler;
pub(crate) use scale::Scale;
