//! The kinds of the group networking.k8s.io.

pub mod ingress;
pub(crate) mod ingress_class;
pub(crate) mod ip_address;
pub(crate) mod network_policy;
pub(crate) mod service_cidr;

pub(crate) use ingress::Ingress;
pub(crate) use ingress_class::IngressClass;
pub(crate) use ip_address::IPAddress;
pub(crate) use network_policy::NetworkPolicy;
pub(crate) use service_cidr::ServiceCIDR;
