//! The warnings to writers of objects that several kinds share.

use json_tree::Value;

use crate::validation::address::cidr_warnings;
use crate::validation::warnings::{address, list};
use field::Path;

/// A function that returns the warnings about one value at its path.
pub(crate) type Look = fn(&Value, &Path) -> Vec<String>;

pub(crate) fn of_each(items: &[Value], path: &Path, look: Look) -> Vec<String> {
    items.iter().enumerate().flat_map(|(index, item)| look(item, &path.index(index))).collect()
}

pub(crate) fn of_ip(address: &Value, path: &Path) -> Vec<String> {
    address::warning(address.as_str().unwrap_or_default(), path).into_iter().collect()
}

pub(crate) fn of_cidr(block: &Value, path: &Path) -> Vec<String> {
    cidr_warnings(block.as_str().unwrap_or_default().trim(), path)
}

/// The warnings that a write of the status of what has a load balancer earns: of addresses in it.
pub(crate) fn load_balancer_status(object: &Value) -> Vec<String> {
    let path = Path::new("status").child("loadBalancer").child("ingress");
    let ingresses = list(&object["status"]["loadBalancer"], "ingress").iter().enumerate();
    ingresses.filter_map(|(index, item)| address::warning(item.text("ip"), &path.index(index))).collect()
}
