//! Replays recorded conversations with kube-apiserver v1.36 against a server in this process, and tells how far
//! its answers are the same.
//!
//! A recording is one [`Scenario`]: requests, watches and waits in order, each with the answer that kube-apiserver
//! gave. [`replay()`] sends them to a [`Server`] whose clock it holds, so that no wait takes real time; the answers
//! are [normalised](normalise()) as those of the recording were, and [compared](compare) step by step.
//! `README.md` in this crate describes the format of a recording.
#![deny(missing_docs)]
// Tables of values read better without an ampersand before each.
#![cfg_attr(test, allow(clippy::needless_pass_by_value))]

pub mod board;
pub mod compare;
pub mod decode;
pub mod executor;
mod frames;
pub mod normalise;
mod panics;
pub mod replay;
pub mod report;
mod request;
mod run;
pub mod scenario;
pub mod substitute;
mod watch;

pub use board::{Board, Figures};
pub use compare::StepReport;
pub use normalise::normalise;
pub use replay::{Replay, in_new_cluster, replay, replay_all};
pub use report::Report;
pub use request::{Answering, Server};
pub use scenario::{Scenario, Step};
