//! The warnings to writers of objects of the kind Endpoints.

use json_tree::Value;

use crate::validation::warnings::addresses::of_each;
use crate::validation::warnings::{address, list};
use field::Path;

pub(super) fn warn(endpoints: &Value, _: Option<&Value>) -> Vec<String> {
    of_each(list(endpoints, "subsets"), &Path::new("subsets"), |subset, path| {
        let of_group = |group: &str| {
            of_each(list(subset, group), &path.named(group), |address, path| {
                address::warning(address.text("ip"), &path.child("ip")).into_iter().collect()
            })
        };
        ["addresses", "notReadyAddresses"].into_iter().flat_map(of_group).collect()
    })
}
