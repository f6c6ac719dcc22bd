//! The rows of tables of the kind ServiceCIDR.

use json_tree::Value;

use crate::printing::row::{Row, strings};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = r#"Name||name||@name
CIDRs||||CIDRs defines the IP blocks in CIDR notation (e.g. "192.168.0.0/24" or "2001:db8::/64") from which to assign service cluster IPs. Max of two CIDRs is allowed, one of each IP family. This field is immutable.
Age||||@created"#;

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), strings(row.object, "/spec/cidrs").join(",").into(), row.age()]
}
