//! Kubernetes' own vocabulary, for whoever speaks of requests and objects: `Status`, users, the metadata of objects, selectors, the
//! attributes of requests, continue tokens, query parameters, manifests, references to images, schedules, storage classes, what pods ask
//! for, what quotas count. Nothing here knows of a server.

pub mod amounts;
pub mod attributes;
pub mod continue_token;
pub mod cron;
pub mod delete_options;
pub mod finalizers;
pub mod image;
pub mod manifest;
pub mod object;
pub mod place;
pub mod pod;
pub mod query;
pub mod quota;
pub mod selector;
pub mod small_map;
pub mod status;
pub mod storage_class;
pub mod target;
pub mod time;
pub mod typed_object;
pub mod user;

pub use attributes::Attributes;
pub use continue_token::ContinueToken;
pub use delete_options::DeleteOptions;
pub use image::ImageReference;
pub use place::Place;
pub use query::Query;
pub use selector::{FieldSelector, LabelSelector};
pub use user::User;
