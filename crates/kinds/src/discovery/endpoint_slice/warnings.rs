//! The warnings to writers of objects of the kind EndpointSlice.

use json_tree::Value;

use crate::validation::warnings::addresses::{of_each, of_ip};
use crate::validation::warnings::list;
use field::Path;

pub(super) fn warn(slice: &Value, _: Option<&Value>) -> Vec<String> {
    if slice.text("addressType") == "FQDN" {
        return Vec::new();
    }
    of_each(list(slice, "endpoints"), &Path::new("endpoints"), |endpoint, path| {
        of_each(list(endpoint, "addresses"), &path.child("addresses"), of_ip)
    })
}
