//! Explains why a request failed, and finds what a client does next, with the request for it.

pub(crate) mod action;
pub(crate) mod failure;
pub(crate) mod fields;
pub(crate) mod rules;
#[cfg(test)]
mod tests;
