//! Types and plain functions by subject, and the words about them. None of them knows the page.

pub(crate) mod access;
pub(crate) mod browse;
pub(crate) mod change;
pub(crate) mod explore;
pub(crate) mod lab;
pub(crate) mod manifest;
pub(crate) mod messages;
pub(crate) mod owners;
pub(crate) mod panes;
pub(crate) mod past;
pub(crate) mod policy;
pub(crate) mod request;
pub(crate) mod timeline;
pub(crate) mod views;
pub(crate) mod watch;
pub(crate) mod webhook;
pub(crate) mod why;
