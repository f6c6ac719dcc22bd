//! The rows of tables that several kinds share.

use json_tree::Value;

use crate::printing::row::{Row, get, list, text};

pub(crate) fn replicas(row: &Row<'_>, selector: String) -> Vec<Value> {
    let [names, images] = containers(row, "/spec/template");
    vec![
        row.name(),
        row.count("/spec/replicas"),
        row.count("/status/replicas"),
        row.count("/status/readyReplicas"),
        row.age(),
        names,
        images,
        selector.into(),
    ]
}

/// The names and the images of a pod template's containers.
pub(crate) fn containers(row: &Row<'_>, template: &str) -> [Value; 2] {
    let containers = get(row.object, template).map(|template| list(template, "/spec/containers"));
    ["/name", "/image"].map(|field| {
        let texts: Vec<_> =
            containers.unwrap_or_default().iter().map(|container| text(container, field)).collect();
        texts.join(",").into()
    })
}
