//! Zones: how many nodes each may lose at a time.
//!
//! See <https://kubernetes.io/docs/concepts/architecture/nodes/#rate-limits-on-eviction>.

use std::collections::BTreeMap;
use std::time::Duration;

use json_tree::Value;

use crate::node_affinity::ZONE;
use crate::object;
use crate::pace::{Bucket, Rate};

/// The rate of a zone in which most is well.
const USUAL: Rate = Rate { burst: 1, refill: Duration::from_secs(10) };

/// The rate of a large zone in which much is not.
const SLOW: Rate = Rate { burst: 1, refill: Duration::from_secs(100) };

/// The number of nodes up to which a zone is a small one.
const SMALL: usize = 50;

/// The labels of the zone and the region of a node, older ones first.
const ZONES: [&str; 2] = ["failure-domain.beta.kubernetes.io/zone", ZONE];
const REGIONS: [&str; 2] = ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"];

/// The state of a zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Initial,
    Normal,
    /// No node is ready.
    Full,
    /// Three nodes or more, and more than half of them, are not.
    Partial,
}

/// The turn of events for all zones at once.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    None,
    /// From now on no node of any zone is ready.
    Ends,
    /// From now on some are.
    Begins,
}

/// A zone: its state, its size, and its nodes that wait for a taint.
#[derive(Default)]
struct Zone {
    state: State,
    size: usize,
    /// True while no node of any zone is ready.
    is_stopped: bool,
    bucket: Bucket,
    waiting: Vec<String>,
}

impl Zone {
    fn rate(&self) -> Option<&'static Rate> {
        match self.state {
            _ if self.is_stopped => None,
            State::Partial if self.size > SMALL => Some(&SLOW),
            State::Partial => None,
            _ => Some(&USUAL),
        }
    }
}

/// All zones by their names.
#[derive(Default)]
pub(super) struct Zones(BTreeMap<String, Zone>);

impl Zones {
    /// Takes note of a zone.
    pub(super) fn note(&mut self, name: &str) {
        self.0.entry(name.to_owned()).or_default();
    }

    /// Has a node wait for a taint, unless it does. Reports whether that is new.
    pub(super) fn join(&mut self, zone: &str, node: &str) -> bool {
        let waiting = &mut self.0.entry(zone.to_owned()).or_default().waiting;
        let is_new = !waiting.iter().any(|own| own == node);
        if is_new {
            waiting.push(node.to_owned());
        }
        is_new
    }

    /// Has a node wait no longer.
    pub(super) fn leave(&mut self, zone: &str, node: &str) {
        if let Some(zone) = self.0.get_mut(zone) {
            zone.waiting.retain(|own| own != node);
        }
    }

    /// Returns the node that waits longest.
    pub(super) fn first(&self, zone: &str) -> Option<String> {
        self.0.get(zone)?.waiting.first().cloned()
    }

    /// Returns the zones in which nodes wait for a taint and may get it.
    pub(super) fn waiting(&self) -> Vec<String> {
        let zones = self.0.iter().filter(|(_, zone)| !zone.waiting.is_empty() && zone.rate().is_some());
        zones.map(|(name, _)| name.clone()).collect()
    }

    /// Takes a turn if the zone may have one now, and returns zero; else the time until it may. `None` if it may not for now.
    pub(super) fn take_turn(&mut self, name: &str, now: Duration) -> Option<Duration> {
        let zone = self.0.get_mut(name)?;
        let rate = zone.rate()?;
        if zone.bucket.try_take(rate, now) {
            return Some(Duration::ZERO);
        }
        let mut next = zone.bucket;
        Some(next.take(1, rate, now))
    }

    /// Sets the states of zones by which of their nodes are ready. One that may lose nodes again loses the first only after a while.
    pub(super) fn update(&mut self, nodes: &BTreeMap<String, Vec<bool>>, now: Duration) -> Turn {
        let states: BTreeMap<&str, State> =
            nodes.iter().map(|(name, ready)| (name.as_str(), state(ready))).collect();
        let ends = states.values().all(|state| *state == State::Full);
        self.0.retain(|name, _| nodes.contains_key(name));
        nodes.keys().for_each(|name| self.note(name));
        let ended = self.0.values().all(|zone| zone.state == State::Full);
        if ends && ended {
            return Turn::None;
        }
        for (name, zone) in &mut self.0 {
            let was_stopped = zone.rate().is_none();
            zone.size = nodes.get(name).map_or(0, Vec::len);
            zone.state = states.get(name.as_str()).copied().unwrap_or_default();
            zone.is_stopped = false;
            if let Some(rate) = zone.rate().filter(|_| was_stopped) {
                zone.bucket = Bucket::default();
                zone.bucket.take(1, rate, now);
            }
        }
        match (ends, ended) {
            (true, _) => Turn::Ends,
            (_, true) => Turn::Begins,
            _ => Turn::None,
        }
    }

    /// Has no zone lose another node.
    pub(super) fn stop(&mut self) {
        self.0.values_mut().for_each(|zone| zone.is_stopped = true);
    }
}

/// Returns the name of the zone of a node, with its region.
pub(super) fn of(node: &Value) -> String {
    let labels = object::meta(node, "labels");
    let label = |keys: [&str; 2]| keys.iter().find_map(|key| labels.get(key)).map_or("", Value::as_text);
    match (label(REGIONS), label(ZONES)) {
        ("", "") => String::new(),
        (region, zone) => [region, ":", zone].concat(),
    }
}

/// Returns the state of a zone by which of its nodes are ready.
fn state(ready: &[bool]) -> State {
    let lost = ready.iter().filter(|is_ready| !**is_ready).count();
    match ready.len() {
        count if lost == count && count > 0 => State::Full,
        // At least 55 in a hundred.
        count if lost > 2 && lost * 100 >= count * 55 => State::Partial,
        _ => State::Normal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(60);

    fn nodes(zones: &[(&str, &[bool])]) -> BTreeMap<String, Vec<bool>> {
        zones.iter().map(|(name, ready)| ((*name).to_owned(), ready.to_vec())).collect()
    }

    #[test]
    fn zones_lose_nodes_more_slowly_the_fewer_are_ready() {
        assert_eq!(state(&[true, false, false]), State::Normal);
        assert_eq!(state(&[true, false, false, false]), State::Partial);
        assert_eq!(state(&[true, true, true, false, false, false]), State::Normal);
        assert_eq!(state(&[false]), State::Full);
        assert_eq!(state(&[]), State::Normal);
    }

    #[test]
    fn nothing_is_given_up_where_nothing_is_ready() {
        let mut zones = Zones::default();
        assert_eq!(zones.update(&nodes(&[("a", &[true]), ("b", &[false])]), NOW), Turn::None);
        assert_eq!(zones.take_turn("b", Duration::ZERO), Some(Duration::ZERO));
        assert_eq!(zones.take_turn("b", Duration::ZERO), Some(Duration::from_secs(10)));
        assert_eq!(zones.update(&nodes(&[("a", &[false]), ("b", &[false])]), NOW), Turn::Ends);
        zones.stop();
        assert_eq!(zones.take_turn("b", Duration::from_secs(60)), None);
        assert_eq!(zones.update(&nodes(&[("a", &[false]), ("b", &[false])]), NOW), Turn::None);
        assert_eq!(zones.update(&nodes(&[("a", &[true]), ("b", &[false])]), NOW), Turn::Begins);
        assert_eq!(zones.take_turn("b", NOW), Some(Duration::from_secs(10)));
        assert_eq!(zones.take_turn("b", NOW + Duration::from_secs(10)), Some(Duration::ZERO));
    }

    #[test]
    fn large_zones_go_on_slowly() {
        let mut ready = vec![false; 40];
        ready.extend([true; 20]);
        let mut zones = Zones::default();
        zones.update(&nodes(&[("a", &ready)]), NOW);
        assert_eq!(zones.take_turn("a", Duration::ZERO), Some(Duration::ZERO));
        assert_eq!(zones.take_turn("a", Duration::ZERO), Some(Duration::from_secs(100)));
    }
}
