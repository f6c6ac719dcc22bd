//! The kinds of the group resource.k8s.io.

pub(crate) mod capacity;
mod claim;
pub(crate) mod device;
pub(crate) mod device_class;
pub(crate) mod resource_claim;
pub(crate) mod resource_claim_template;
pub(crate) mod resource_slice;
mod selector;

pub(crate) use device_class::DeviceClass;
pub(crate) use resource_claim::ResourceClaim;
pub(crate) use resource_claim_template::ResourceClaimTemplate;
pub(crate) use resource_slice::ResourceSlice;
