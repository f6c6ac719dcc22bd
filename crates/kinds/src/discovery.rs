//! The kinds of the group discovery.k8s.io.

pub(crate) mod endpoint_slice;

pub(crate) use endpoint_slice::EndpointSlice;
