//! Why a request failed, what a client does next, and the request that does it.

pub(crate) mod action;
pub(crate) mod failure;
pub(crate) mod fields;
pub(crate) mod rules;
#[cfg(test)]
mod tests;
