//! An in-memory Kubernetes API server: [`http::Request`] in, [`http::Response`] out.
#![deny(missing_docs)]

pub mod body;
pub mod clock;
pub mod field;
pub mod inspect;
pub mod selector;
pub mod server;
pub mod validation;

pub use body::Body;
pub use clock::{Clock, ManualClock, Random, SeededRandom};
pub use server::{ApiServer, Config, User};
