//! An in-memory Kubernetes API server: [`http::Request`] in, [`http::Response`] out.
#![deny(missing_docs)]

mod admission;
mod answer;
mod auth;
pub mod body;
mod bootstrap;

pub mod code;
mod content_encoding;
mod convert;
mod custom;
mod deadline;
mod decode;
pub mod defaults;
mod discovery;
mod document;
pub mod documents;
pub mod expressions;
mod field_management;
pub mod format;
mod handlers;
pub mod inspect;
mod negotiate;
mod notes;
mod openapi;
mod options;
pub mod partial;
mod policy;
mod present;
mod registry;
mod route;
pub use apimachinery::selector;
pub mod server;
mod small_map;
mod status;
mod storage;
pub mod table;
mod time;
pub mod validation;
mod warning;
mod watch_cache;

pub use ::clock;
pub use ::clock::{Clock, ManualClock, Random, SeededRandom};
pub use body::Body;
pub use format::{Formats, Gzip};
pub use handlers::Writes;
pub use server::{ApiServer, Config, Refusal, User};
pub use storage::Compaction;
pub use validation::Validation;
