//! The ports of a service on every node.
//!
//! <https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport>

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use json_tree::Value;
use store::KeyRange;

use super::{Taken, has_node_ports, kind, needs_health_check};
use crate::defaults::object::Object as Fields;
use field::{Error, Path};

const RANGE: RangeInclusive<i64> = 30_000..=32_767;

/// The first port that is not left to those who ask for one, until there are no others.
const DYNAMIC: i64 = 30_086;

/// Takes over the stored ports, by the names of the service's ports, where the request leaves them out.
pub(super) fn keep(spec: &mut Fields<'_>, was: &Value) {
    if has_node_ports(was) && matches!(spec.text("type"), "NodePort" | "LoadBalancer") {
        let before = node_ports(was);
        let mut used: HashSet<i64> =
            numbers(spec.list("ports")).filter(|port| before.contains(port)).collect();
        let by_name: HashMap<&str, i64> =
            ports(was).map(|port| (name(port), integer(port, "nodePort"))).collect();
        spec.for_each("ports", |port| {
            let old = by_name.get(port.text("name")).copied().unwrap_or_default();
            if port.number("nodePort") == 0 && old != 0 && used.insert(old) {
                port.set("nodePort", old);
            }
        });
    }
    let checks = spec.text("type") == "LoadBalancer" && spec.text("externalTrafficPolicy") == "Local";
    if needs_health_check(was) && checks && spec.number("healthCheckNodePort") == 0 {
        set(spec, "healthCheckNodePort", integer(was, "healthCheckNodePort"));
    }
}

/// Allocates the node ports that the service asks for, and others for those of its ports that have none.
pub(super) fn allocate(
    taken: &Taken<'_>,
    spec: &mut Fields<'_>,
    was: Option<&Value>,
) -> Result<(), Vec<Error>> {
    let balanced = spec.text("type") == "LoadBalancer";
    if !balanced && spec.text("type") != "NodePort" {
        return Ok(());
    }
    let automatic = !balanced || spec.get("allocateLoadBalancerNodePorts") != Some(&Value::Bool(false));
    let own = was.map(node_ports).unwrap_or_default();
    let mut pool = Pool { taken: taken.ports(), own, dry_run: taken.dry_run };
    let path = Path::new("spec");
    let asked: Vec<(i64, i64)> =
        spec.list("ports").iter().map(|port| (integer(port, "port"), integer(port, "nodePort"))).collect();
    // Ports of the same number, in several protocols, share a node port.
    let mut by_port: HashMap<i64, i64> = HashMap::new();
    let mut given = Vec::new();
    for (index, (port, own)) in asked.iter().copied().enumerate() {
        let shared = by_port.get(&port).copied().filter(|_| was.is_none());
        let wanted = match own {
            0 if was.is_none() => {
                asked.iter().find(|(same, own)| *same == port && *own != 0).map(|(_, own)| *own)
            }
            0 => None,
            own => Some(own),
        };
        let number = match (wanted, shared) {
            (_, Some(shared)) if own == 0 || own == shared => shared,
            (Some(wanted), _) => {
                pool.take(wanted).map_err(|why| {
                    vec![Error::invalid(path.child("ports").index(index).child("nodePort"), wanted, why)]
                })?;
                wanted
            }
            (None, _) if !automatic => 0,
            (None, _) => pool.next().ok_or_else(|| full("ports"))?,
        };
        if number != 0 {
            by_port.entry(port).or_insert(number);
        }
        given.push(number);
    }
    let mut given = given.into_iter();
    spec.for_each("ports", |port| {
        if let Some(number) = given.next().filter(|number| *number != 0) {
            port.set("nodePort", number);
        }
    });
    if balanced && spec.text("externalTrafficPolicy") == "Local" {
        health_check(&mut pool, spec, was)?;
    }
    Ok(())
}

fn health_check(pool: &mut Pool, spec: &mut Fields<'_>, was: Option<&Value>) -> Result<(), Vec<Error>> {
    let own = spec.number("healthCheckNodePort");
    if own != 0 && was.is_some_and(|was| integer(was, "healthCheckNodePort") == own) {
        return Ok(());
    }
    if own == 0 {
        let next = pool.next().ok_or_else(|| full("healthCheckNodePort"))?;
        set(spec, "healthCheckNodePort", next);
        return Ok(());
    }
    let at = Path::new("spec").child("healthCheckNodePort");
    pool.take(own).map_err(|why| vec![Error::invalid(&at, own, why)])
}

fn full(field: &str) -> Vec<Error> {
    vec![Error::internal(Path::new("spec").named(field), "range is full")]
}

fn set(spec: &mut Fields<'_>, field: &str, number: i64) {
    if number != 0 {
        spec.set(field, number);
    }
}

/// The node ports of the cluster.
struct Pool {
    /// What others hold, and what was just taken.
    taken: HashSet<i64>,
    /// What the service held before.
    own: HashSet<i64>,
    /// In a dry run, any port can be asked for.
    dry_run: bool,
}

impl Pool {
    fn take(&mut self, port: i64) -> Result<(), &'static str> {
        if self.own.contains(&port) {
            Ok(())
        } else if !self.dry_run && !RANGE.contains(&port) {
            Err("provided port is not in the valid range. The range of valid ports is 30000-32767")
        } else if self.taken.insert(port) {
            Ok(())
        } else {
            Err("provided port is already allocated")
        }
    }

    fn next(&mut self) -> Option<i64> {
        let mut candidates = (DYNAMIC..=*RANGE.end()).chain(*RANGE.start()..DYNAMIC);
        let free = candidates.find(|port| !self.taken.contains(port) && !self.own.contains(port))?;
        self.taken.insert(free);
        Some(free)
    }
}

impl Taken<'_> {
    fn ports(&self) -> HashSet<i64> {
        let mut taken = HashSet::new();
        for entry in self.storage.store.range(&KeyRange::prefix("/registry/services/specs/")) {
            let stored = &entry.value;
            let bound = !matches!(stored.field("spec.type"), Some("ClusterIP" | "ExternalName"));
            if bound
                && (stored.namespace.as_str(), stored.name.as_str()) != self.own
                && let Some(spec) = stored.tree().get("spec")
            {
                taken.extend(node_ports(spec));
                taken.extend(Some(integer(spec, "healthCheckNodePort")).filter(|port| *port != 0));
            }
        }
        taken
    }
}

/// Whether all node ports of a service were its own before.
pub(super) fn adds_none(spec: &Value, was: &Value) -> bool {
    node_ports(spec).is_subset(&node_ports(was))
}

fn node_ports(spec: &Value) -> HashSet<i64> {
    if kind(spec) == "ExternalName" {
        return HashSet::new();
    }
    let list = spec.get("ports").and_then(Value::as_array).map(Vec::as_slice);
    numbers(list.unwrap_or_default()).collect()
}

fn numbers(ports: &[Value]) -> impl Iterator<Item = i64> {
    ports.iter().map(|port| integer(port, "nodePort")).filter(|port| *port != 0)
}

fn ports(spec: &Value) -> impl Iterator<Item = &Value> {
    spec.get("ports").and_then(Value::as_array).into_iter().flatten()
}

fn name(port: &Value) -> &str {
    super::text(port, "name")
}

fn integer(value: &Value, field: &str) -> i64 {
    value.get(field).and_then(Value::as_i64).unwrap_or_default()
}
