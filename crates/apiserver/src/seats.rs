//! The seats of priority levels: how many requests of each are handled at once.
//!
//! <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#prioritylevelconfiguration>

use std::sync::Arc;

use json_tree::Value;
use store::{KeyRange, Store};

use crate::stored::Stored;
use kinds::flowcontrol::initial::LEVELS;

/// The requests that a server handles at once, as kube-apiserver's flags have it by default: 400 that read and 200 that write.
pub(crate) const SERVER: i64 = 600;

/// The seats of a priority level.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seats {
    pub(crate) level: String,
    /// The share of the server's seats that it has.
    pub(crate) nominal: i64,
    /// The seats that are left when others have borrowed all that it lends.
    pub(crate) lower: i64,
    /// The seats that it has when it has borrowed all that it may.
    pub(crate) upper: i64,
}

/// A priority level: its name and its spec.
pub(crate) type Spec = (String, Value);

/// Returns the stored levels, in the order of their names.
pub(crate) fn specs(store: &Store<Arc<Stored>>) -> Vec<Spec> {
    let entries = store.range(&KeyRange::prefix(LEVELS));
    let levels = entries.map(|entry| {
        let spec = entry.value.tree().get("spec").cloned().unwrap_or_default();
        (entry.value.name.clone(), spec)
    });
    levels.collect()
}

/// Shares the seats of a server out among levels.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "as Go computes it; shares are small"
)]
pub(crate) fn shared_out(levels: Vec<Spec>, server: i64) -> Vec<Seats> {
    let number = |spec: &Value, field: &str| {
        let part =
            ["limited", "exempt"].iter().find_map(|part| spec.get(part).filter(|part| !part.is_null()));
        part.and_then(|part| part.get(field)).and_then(Value::as_i64)
    };
    let shares = |spec: &Value| number(spec, "nominalConcurrencyShares").unwrap_or_default();
    let sum: i64 = levels.iter().map(|(_, spec)| shares(spec)).sum();
    let seats = |(level, spec): Spec| {
        let nominal = server as f64 * shares(&spec) as f64 / sum.max(1) as f64;
        let nominal = nominal.ceil() as i64;
        let percent = |percent: i64| (nominal as f64 * percent as f64 / 100.0).round() as i64;
        let borrowed = number(&spec, "borrowingLimitPercent").map_or(server, percent);
        let lent = percent(number(&spec, "lendablePercent").unwrap_or_default());
        Seats { level, nominal, lower: nominal - lent, upper: nominal.saturating_add(borrowed) }
    };
    levels.into_iter().map(seats).collect()
}

/// Returns the levels of a new cluster.
#[cfg(test)]
pub(crate) fn of_new_clusters() -> Vec<Spec> {
    let levels =
        kinds::flowcontrol::initial::objects().filter(|(plural, _)| *plural == "prioritylevelconfigurations");
    let mut levels: Vec<Spec> = levels
        .map(|(_, object)| {
            let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            (name, object["spec"].clone())
        })
        .collect();
    levels.sort_by(|a, b| a.0.cmp(&b.0));
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As kube-apiserver v1.36.2 has it.
    #[test]
    fn the_levels_of_a_new_cluster_share_the_seats() {
        let found = shared_out(of_new_clusters(), SERVER)
            .into_iter()
            .map(|seats| (seats.level, seats.nominal, seats.lower, seats.upper));
        let expected = [
            ("catch-all", 13, 13, 613),
            ("exempt", 0, 0, 600),
            ("global-default", 49, 24, 649),
            ("leader-election", 25, 25, 625),
            ("node-high", 98, 73, 698),
            ("system", 74, 50, 674),
            ("workload-high", 98, 49, 698),
            ("workload-low", 245, 24, 845),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected.map(|(level, a, b, c)| (level.to_owned(), a, b, c)));
    }
}
