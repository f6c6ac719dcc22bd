//! The warnings to writers of objects of the kind CSIDriver.

use json_tree::Value;

use crate::validation::warnings::list;

/// A driver that is given tokens where they may be logged, if there is something new about them.
pub(super) fn warn(driver: &Value, old: Option<&Value>) -> Vec<String> {
    let spec = &driver["spec"];
    let told = spec.get("serviceAccountTokenInSecrets").is_some_and(|told| !told.is_null());
    let kept = old.is_some_and(|old| list(&old["spec"], "tokenRequests") == list(spec, "tokenRequests"));
    if told || kept || list(spec, "tokenRequests").is_empty() {
        return Vec::new();
    }
    let warning = "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent \
                   possible logging of tokens in volume attributes";
    vec![warning.to_owned()]
}
