//! The plan: which slices are to be created, updated and deleted.

use std::collections::BTreeMap;

use json_tree::Value;

use super::endpoint::{self, Group, Groups};
use super::slice;
use crate::object::{self, list};
use crate::store::Shared;

/// The most endpoints of a slice.
const MOST: usize = 100;

/// The changes that bring the slices of one type of address to what they are to be.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) create: Vec<Value>,
    pub(super) update: Vec<Value>,
    pub(super) delete: Vec<Shared>,
}

/// A slice that is there: what it is to be, unless it is to go or to stay as it is.
struct Known {
    slice: Shared,
    endpoints: Vec<Value>,
    fate: Fate,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Unchanged,
    Update,
    Delete,
}

impl Plan {
    /// Plans the slices of a Service. Where there are no endpoints, one slice without any says so.
    pub(super) fn new(service: &Value, family: &str, groups: Groups, existing: &[Shared]) -> Self {
        let mut plan = Self::default();
        let mut by_ports: BTreeMap<String, Vec<Shared>> = BTreeMap::new();
        for slice in existing {
            if slice::is_owned_by(slice, service) {
                by_ports.entry(endpoint::ports_key(list(slice, "/ports"))).or_default().push(slice.clone());
            } else {
                plan.delete.push(slice.clone());
            }
        }
        for (ports, group) in groups {
            plan.add_group(service, family, group, by_ports.remove(&ports).unwrap_or_default());
        }
        // Nobody has these ports any more.
        plan.delete.extend(by_ports.into_values().flatten());
        if existing.len() == plan.delete.len() && plan.create.is_empty() {
            let placeholder = slice::new(service, family, &[]);
            match plan.delete.as_slice() {
                [only] if is_placeholder(only, &placeholder) => plan.delete.clear(),
                _ => plan.create.push(placeholder),
            }
        }
        plan
    }

    /// Distributes the endpoints with the same ports over slices: each stays where it is, the fullest of those that change anyway are
    /// filled first, then one that has room for all others.
    fn add_group(&mut self, service: &Value, family: &str, group: Group, existing: Vec<Shared>) {
        let Group { ports, mut endpoints } = group;
        let mut known: Vec<Known> =
            existing.into_iter().map(|slice| keep(slice, service, &mut endpoints)).collect();
        let mut order: Vec<usize> = (0..known.len()).filter(|at| known[*at].fate == Fate::Update).collect();
        json_tree::sort_by(&mut order, |a, b| known[*b].endpoints.len().cmp(&known[*a].endpoints.len()));
        for at in order {
            fill(&mut known[at].endpoints, &mut endpoints);
        }
        while !endpoints.is_empty() {
            match closest(&known, endpoints.len()).and_then(|at| known.get_mut(at)) {
                Some(one) => {
                    fill(&mut one.endpoints, &mut endpoints);
                    one.fate = Fate::Update;
                }
                None => {
                    let mut all = Vec::new();
                    fill(&mut all, &mut endpoints);
                    let mut slice = slice::new(service, family, &ports);
                    object::set(&mut slice, "endpoints", Value::Array(all));
                    self.create.push(slice);
                }
            }
        }
        for Known { slice, endpoints, fate } in known {
            match fate {
                Fate::Unchanged => {}
                Fate::Delete => self.delete.push(slice),
                Fate::Update => {
                    let mut slice = Value::clone(&slice);
                    object::set(&mut slice, "endpoints", Value::Array(endpoints));
                    object::set(object::child(&mut slice, "metadata"), "labels", slice::labels(service));
                    self.update.push(slice);
                }
            }
        }
    }

    /// Updates slices that would be deleted to those that would be created.
    pub(super) fn reuse(&mut self, service: &Value) {
        let mut at = 0;
        while let (Some(old), Some(new)) = (self.delete.get(at), self.create.last()) {
            if old.text("addressType") != new.text("addressType") || !slice::is_owned_by(old, service) {
                at += 1;
                continue;
            }
            let name = object::name(old).to_owned();
            if let Some(mut slice) = self.create.pop() {
                object::set(object::child(&mut slice, "metadata"), "name", name.into());
                self.update.push(slice);
            }
            self.delete.remove(at);
        }
    }
}

/// Takes those endpoints that are in a slice out of the ones that are wanted.
fn keep(slice: Shared, service: &Value, wanted: &mut BTreeMap<String, Value>) -> Known {
    let there = list(&slice, "/endpoints");
    let (mut endpoints, mut has_changed) = (Vec::new(), false);
    for known in there {
        if let Some(endpoint) = wanted.remove(&endpoint::key(known)) {
            has_changed |= !endpoint::says_the_same(&endpoint, known);
            endpoints.push(endpoint);
        }
    }
    has_changed |= endpoints.len() != there.len();
    let fate = match has_changed {
        true if endpoints.is_empty() => Fate::Delete,
        false if slice::has_labels_of(&slice, service) => Fate::Unchanged,
        _ => Fate::Update,
    };
    Known { slice, endpoints, fate }
}

/// Fills a slice with endpoints, as far as it has room.
fn fill(slice: &mut Vec<Value>, endpoints: &mut BTreeMap<String, Value>) {
    while slice.len() < MOST
        && let Some((_, endpoint)) = endpoints.pop_first()
    {
        slice.push(endpoint);
    }
}

/// Returns which of the unchanged slices would be fullest with so many endpoints more; `None` if none has room.
fn closest(known: &[Known], count: usize) -> Option<usize> {
    let room = |one: &Known| MOST.checked_sub(one.endpoints.len() + count);
    let fitting = known.iter().enumerate().filter(|(_, one)| count < MOST && one.fate == Fate::Unchanged);
    let fitting = fitting.filter_map(|(at, one)| Some((room(one).filter(|room| *room < MOST)?, at)));
    fitting.min().map(|(_, at)| at)
}

/// Reports whether a slice says already that there are no endpoints.
fn is_placeholder(slice: &Value, placeholder: &Value) -> bool {
    let labels = |slice: &Value| object::meta(slice, "labels").clone();
    list(slice, "/endpoints").is_empty()
        && list(slice, "/ports").is_empty()
        && slice.text("addressType") == placeholder.text("addressType")
        && labels(slice) == labels(placeholder)
}
