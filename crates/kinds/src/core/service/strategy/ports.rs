//! The ports of a service on every node.
//!
//! <https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport>

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use json_tree::Value;

use super::{Invalid, PREFIX, Taken, gets_node_ports, kind, needs_health_check};
use apimachinery::status::Status;
use apimachinery::typed_object::TypedObject;
use field::{Error, Path};

const RANGE: RangeInclusive<i64> = 30_000..=32_767;

/// The first port that is not left to those who ask for one, until there are no others.
const DYNAMIC: i64 = 30_086;

/// The field that says whether ports of a service with a load balancer get node ports.
const ALLOCATES: &str = "allocateLoadBalancerNodePorts";

/// The number that a dry run shows for a port that would be allocated.
const BEYOND: i64 = 32_769;

/// Takes over the stored ports, by the names of the service's ports, where the request leaves them out.
pub(super) fn keep(spec: &mut TypedObject<'_>, was: &Value) {
    if gets_node_ports(kind(was), was.get(ALLOCATES))
        && gets_node_ports(spec.text("type"), spec.get(ALLOCATES))
    {
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
    spec: &mut TypedObject<'_>,
    was: Option<&Value>,
    invalid: Invalid<'_>,
) -> Result<(), Box<Status>> {
    let balanced = spec.text("type") == "LoadBalancer";
    if !balanced && spec.text("type") != "NodePort" {
        return Ok(());
    }
    let automatic = gets_node_ports(spec.text("type"), spec.get(ALLOCATES));
    let own = was.map(node_ports).unwrap_or_default();
    let mut pool = Pool { taken: taken.ports(was.is_some()), own, dry_run: taken.dry_run, given: Vec::new() };
    let path = Path::new("spec");
    let asked: Vec<(i64, i64)> =
        spec.list("ports").iter().map(|port| (integer(port, "port"), integer(port, "nodePort"))).collect();
    // Ports of the same number, in several protocols, share a node port.
    let mut by_port: HashMap<i64, i64> = HashMap::new();
    let mut given = Vec::new();
    for (index, (port, own)) in asked.iter().copied().enumerate() {
        if own == 0 && !automatic {
            given.push(0);
            continue;
        }
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
            // Who changes a service may give one node port to ports of several protocols.
            (Some(wanted), _) if was.is_some() && given.contains(&wanted) => wanted,
            (Some(wanted), _) => {
                pool.take(wanted).map_err(|why| {
                    let at = path.child("ports").index(index).child("nodePort");
                    invalid(vec![Error::invalid(at, wanted, why)])
                })?;
                wanted
            }
            (None, _) => pool
                .next()
                .ok_or_else(|| Status::internal_error("failed to allocate a nodePort: range is full"))?,
        };
        if number != 0 {
            by_port.entry(port).or_insert(number);
        }
        given.push(number);
    }
    if was.is_some() {
        let protocols = spec.list("ports").iter().map(|port| port.text("protocol"));
        let mut seen = HashSet::new();
        let twice = std::iter::zip(protocols, &given).find(|pair| *pair.1 != 0 && !seen.insert(*pair));
        if let Some((protocol, number)) = twice {
            return Err(Status::unclassified(format!("duplicate nodePort: {{{protocol} {number}}}")));
        }
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

/// Allocates the port of the health check to a service that begins to need one; of one that has it already, validation
/// refuses another.
fn health_check(pool: &mut Pool, spec: &mut TypedObject<'_>, was: Option<&Value>) -> Result<(), Box<Status>> {
    if was.is_some_and(needs_health_check) {
        return Ok(());
    }
    let own = spec.number("healthCheckNodePort");
    if own == 0 {
        let why = "failed to allocate a HealthCheck NodePort 0: range is full";
        let next = pool.next().ok_or_else(|| Status::internal_error(why))?;
        set(spec, "healthCheckNodePort", next);
        return Ok(());
    }
    pool.take(own).map_err(|why| {
        Status::internal_error(format!("failed to allocate requested HealthCheck NodePort {own}: {why}"))
    })
}

fn set(spec: &mut TypedObject<'_>, field: &str, number: i64) {
    if number != 0 {
        spec.set(field, number);
    }
}

/// The node ports of the cluster.
struct Pool {
    /// The ports that other services hold, and those that were just taken.
    taken: HashSet<i64>,
    /// The ports that the service held before.
    own: HashSet<i64>,
    /// In a dry run, any port can be asked for, and what is given is only a number.
    dry_run: bool,
    /// The ports that were just given to the service.
    given: Vec<i64>,
}

impl Pool {
    fn take(&mut self, port: i64) -> Result<(), &'static str> {
        if self.own.contains(&port) {
            Ok(())
        } else if !self.dry_run && !RANGE.contains(&port) {
            Err("provided port is not in the valid range. The range of valid ports is 30000-32767")
        } else if self.taken.insert(port) {
            self.given.push(port);
            Ok(())
        } else {
            Err("provided port is already allocated")
        }
    }

    fn next(&mut self) -> Option<i64> {
        if self.dry_run {
            let next = self.given.iter().max().map_or(BEYOND, |port| port + 1);
            self.given.push(next);
            return Some(next);
        }
        let mut candidates = (DYNAMIC..=*RANGE.end()).chain(*RANGE.start()..DYNAMIC);
        let free = candidates.find(|port| !self.taken.contains(port) && !self.own.contains(port))?;
        self.taken.insert(free);
        self.given.push(free);
        Some(free)
    }
}

impl Taken<'_> {
    /// Returns the node ports that are held, without those of the service itself if it `is_stored`: a new one may have the name
    /// of another, which it is told only after its ports.
    fn ports(&self, is_stored: bool) -> HashSet<i64> {
        let mut taken = HashSet::new();
        self.objects.each(PREFIX, &mut |service| {
            let bound = !matches!(service.field("spec.type"), Some("ClusterIP" | "ExternalName"));
            if bound
                && !(is_stored && (service.namespace(), service.name()) == self.own)
                && let Some(spec) = service.tree().get("spec")
            {
                taken.extend(node_ports(spec));
                taken.extend(Some(integer(spec, "healthCheckNodePort")).filter(|port| *port != 0));
            }
        });
        taken
    }
}

/// Reports whether the service had all of its node ports before.
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
    port.text("name")
}

fn integer(value: &Value, field: &str) -> i64 {
    value.get(field).and_then(Value::as_i64).unwrap_or_default()
}
