//! The Kubeglass page: a Kubernetes API server in a browser tab, and a view of what it does.
// The macro `component` makes everything `pub`.
#![allow(unreachable_pub)]

mod access;
mod app;
mod aside;
mod browse;
mod change;
mod chunks;
mod cluster;
mod explore;
mod kept;
mod lab;
mod learn;
mod manifest;
mod model;
mod policy;
mod request;
mod resources;
mod response;
mod shell;
mod state;
mod timeline;
mod tour;
mod ui;
mod watches;
mod why;
mod widgets;

fn main() {
    shell::crash::install();
    app::start();
}
