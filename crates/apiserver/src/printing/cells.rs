//! Cells that the tables of several kinds have.

use json_tree::{Map, Value};

use super::row::{Row, get, strings, text};

/// The columns: name, type, format, priority and description.
pub(crate) const NAMED_COLUMNS: &str = "Name||name||@name
Age||||@created";

pub(crate) fn entries(row: &Row<'_>, path: &str) -> usize {
    get(row.object, path).and_then(Value::as_object).map_or(0, Map::len)
}

/// A name and an age.
pub(crate) fn named(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), row.age()]
}

/// How many hosts, ports or endpoints are shown.
pub(crate) const SHOWN: usize = 3;

/// The addresses of the load balancers, or their host names, each once and in order.
pub(crate) fn balancers<'a>(row: &Row<'a>) -> Vec<&'a str> {
    let mut addresses: Vec<_> = row
        .list("/status/loadBalancer/ingress")
        .iter()
        .map(|ingress| match text(ingress, "/ip") {
            "" => text(ingress, "/hostname"),
            ip => ip,
        })
        .filter(|address| !address.is_empty())
        .collect();
    schema::sort_once(&mut addresses);
    addresses
}

/// Access modes with their short names, in the order they are shown in.
pub(crate) const ACCESS_MODES: [(&str, &str); 4] = [
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
];

pub(crate) const CLASS_ANNOTATION: &str = "/metadata/annotations/volume.beta.kubernetes.io~1storage-class";

pub(crate) fn phase<'a>(row: &Row<'a>) -> &'a str {
    if row.is_terminating() { "Terminating" } else { row.text("/status/phase") }
}

/// The storage class, by the annotation that was once the field.
pub(crate) fn class<'a>(row: &Row<'a>) -> &'a str {
    let annotation = get(row.object, CLASS_ANNOTATION).and_then(Value::as_str);
    annotation.unwrap_or_else(|| row.text("/spec/storageClassName"))
}

/// `RWO,ROX`
pub(crate) fn access_modes(row: &Row<'_>, path: &str) -> String {
    let modes = strings(row.object, path);
    let shown = ACCESS_MODES.iter().filter(|(mode, _)| modes.contains(mode)).map(|(_, short)| *short);
    shown.collect::<Vec<_>>().join(",")
}
