//! Kubernetes' own vocabulary, for whoever speaks of requests and objects: selectors, the attributes of requests,
//! continue tokens, query parameters, manifests, references to images. Nothing here knows of a server.

pub mod attributes;
pub mod continue_token;
pub mod image;
pub mod manifest;
pub mod place;
pub mod query;
pub mod selector;
pub mod target;

pub use attributes::Attributes;
pub use continue_token::ContinueToken;
pub use image::ImageReference;
pub use place::Place;
pub use query::Query;
pub use selector::{FieldSelector, LabelSelector};
