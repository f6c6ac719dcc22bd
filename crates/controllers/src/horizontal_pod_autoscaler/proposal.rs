//! Proposals: the number of replicas that one metric comes to.

use apimachinery::selector::LabelSelector;
use json_tree::Value;
use schema::quantity::Quantity;

use crate::store::Shared;

/// The facts that are the same for all metrics of an autoscaler.
pub(super) struct Scaled<'a> {
    pub(super) autoscaler: &'a Value,
    pub(super) selector: &'a LabelSelector,
    /// The pods that are selected.
    pub(super) pods: &'a [Shared],
    /// The number of replicas that there are to be.
    pub(super) current: i64,
    /// The number of replicas that there are.
    pub(super) observed: i64,
}

/// The number that one metric comes to.
pub(super) struct Proposal {
    pub(super) replicas: i64,
    /// The metric in words.
    pub(super) name: String,
    /// The status of the metric.
    pub(super) status: Value,
}

/// A metric that cannot be had: what is said of it, and the same with its type.
pub(super) struct Invalid {
    pub(super) reason: &'static str,
    pub(super) why: String,
    pub(super) error: String,
}

/// Writes an amount of so many thousandths.
pub(super) fn decimal(thousandths: i64) -> String {
    Quantity::parse(&format!("{thousandths}m")).map(|amount| amount.to_string()).unwrap_or_default()
}

/// Writes an amount of a resource: that of memory in units of 1024, if it has no fraction.
pub(super) fn amount(resource: &str, thousandths: i64) -> String {
    let bytes = thousandths / 1000;
    if resource != "memory" || thousandths % 1000 != 0 || bytes.abs() < 1024 {
        return decimal(thousandths);
    }
    Quantity::parse(&format!("{}Ki", bytes / 1024))
        .ok()
        .filter(|_| bytes % 1024 == 0)
        .map_or_else(|| bytes.to_string(), |amount| amount.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(resource: &str, thousandths: i64, expected: &str) {
        assert_eq!(amount(resource, thousandths), expected, "{resource} {thousandths}");
    }

    #[test]
    fn amounts_are_written() {
        check("cpu", 90, "90m");
        check("cpu", 2000, "2");
        check("cpu", 1_024_000, "1024");
        check("memory", 1_023_000, "1023");
        check("memory", 1_024_000, "1Ki");
        check("memory", 1_025_000, "1025");
        check("memory", 9 << 20, "9437184m");
        check("memory", 1000 * (109 << 20), "109Mi");
        check("memory", 1_000_000_000, "1000000");
        check("memory", 0, "0");
        check("cpu", i64::MAX, "9223372036854775807m");
    }
}
