//! IP addresses that are written in a way that not everybody understands.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation>

use crate::validation::address;
use field::{Path, quote};

/// Returns the warning about a valid IP address, if there is one.
pub(crate) fn warning(text: &str, path: &Path) -> Option<String> {
    let (preferred, is_wrong) = address::preferred(text)?;
    let (given, preferred) = (quote(text), quote(&preferred));
    Some(if is_wrong {
        format!(
            "{path}: non-standard IP address {given} will be considered invalid in a future Kubernetes release: use \
             {preferred}"
        )
    } else {
        format!("{path}: IPv6 address {given} should be in RFC 5952 canonical format ({preferred})")
    })
}
