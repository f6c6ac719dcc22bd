//! The kinds of the group storage.k8s.io.

pub(crate) mod csi_driver;
pub(crate) mod csi_node;
pub(crate) mod csi_storage_capacity;
pub(crate) mod storage_class;
pub(crate) mod volume_attachment;
pub(crate) mod volume_attributes_class;

pub(crate) use csi_driver::CSIDriver;
pub(crate) use csi_node::CSINode;
pub(crate) use csi_storage_capacity::CSIStorageCapacity;
pub(crate) use storage_class::StorageClass;
pub(crate) use volume_attachment::VolumeAttachment;
pub(crate) use volume_attributes_class::VolumeAttributesClass;
