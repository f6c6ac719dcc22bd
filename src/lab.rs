//! Experiments with the embedded cluster: its time, API servers that lag, requests that fail, two clients who race,
//! traffic.

mod back;
pub(crate) mod controllers;
pub(crate) mod faults;
pub(crate) mod origin;
pub(crate) mod race;
pub(crate) mod servers;
pub(crate) mod traffic;
