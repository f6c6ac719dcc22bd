//! The mirror of Endpoints: which slices are to be created, updated and deleted. Each has all addresses of one family with the same ports.

use std::collections::BTreeMap;

use golang::net::parse_ip_sloppy;
use json_tree::{Map, Value, json};

use crate::endpoint_slices::{MANAGED_BY, SERVICE_NAME, TRIGGER, endpoint_key, ports_key, says_the_same};
use crate::endpoints::repack;
use crate::object::{self, list};
use crate::store::Shared;

/// The name by which the controller calls itself.
pub(super) const MANAGER: &str = "endpointslicemirroring-controller.k8s.io";

/// The annotation of `kubectl apply`.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The most addresses of a subset that are mirrored.
pub(super) const MOST: usize = 1000;

/// The changes that make a mirror of Endpoints.
#[derive(Default)]
pub(super) struct Mirror {
    pub(super) create: Vec<Value>,
    pub(super) update: Vec<Value>,
    pub(super) delete: Vec<Shared>,
    /// The slices that stay as they are.
    pub(super) kept: Vec<Shared>,
    /// The number of addresses that are none, and of all that are left out.
    pub(super) invalid: usize,
    pub(super) skipped: usize,
}

/// The endpoints of one family with the same ports, by what makes them others.
#[derive(Default)]
struct Group {
    ports: Vec<Value>,
    endpoints: BTreeMap<String, Value>,
}

/// Groups by their families and ports.
type Groups = BTreeMap<(&'static str, String), Group>;

const FAMILIES: [&str; 2] = ["IPv4", "IPv6"];

impl Mirror {
    /// Finds out what is to be changed of the slices that are there.
    pub(super) fn new(endpoints: &Value, existing: &[Shared]) -> Self {
        let mut mirror = Self::default();
        let groups = mirror.groups(endpoints);
        let mut known: BTreeMap<(String, String), Vec<Shared>> = BTreeMap::new();
        for slice in existing {
            let key = (slice.text("addressType").to_owned(), ports_key(list(slice, "/ports")));
            known.entry(key).or_default().push(slice.clone());
        }
        for ((family, ports), group) in groups {
            let known = known.remove(&(family.to_owned(), ports)).unwrap_or_default();
            mirror.add_group(endpoints, family, group, known);
        }
        mirror.delete.extend(known.into_values().flatten());
        mirror.reuse();
        mirror
    }

    /// Groups the addresses.
    fn groups(&mut self, endpoints: &Value) -> Groups {
        let mut groups = Groups::new();
        for subset in repack(list(endpoints, "/subsets")) {
            let ports: Vec<Value> = list(&subset, "/ports").iter().map(port).collect();
            let key = ports_key(&ports);
            for family in FAMILIES {
                groups.entry((family, key.clone())).or_default().ports.clone_from(&ports);
            }
            let (mut added, mut total) = (0, 0);
            for (field, is_ready) in [("/addresses", true), ("/notReadyAddresses", false)] {
                let addresses = list(&subset, field);
                total += addresses.len();
                for address in addresses {
                    if added >= MOST {
                        break;
                    }
                    let Some((family, endpoint)) = endpoint(address, is_ready) else {
                        self.invalid += 1;
                        continue;
                    };
                    added += 1;
                    let group = groups.entry((family, key.clone())).or_default();
                    group.endpoints.insert(endpoint_key(&endpoint), endpoint);
                }
            }
            self.skipped += total - added;
        }
        groups
    }

    /// Plans the slice of a group: one of those that are there, or a new one.
    fn add_group(&mut self, endpoints: &Value, family: &str, group: Group, known: Vec<Shared>) {
        let mut known = known.into_iter();
        if group.endpoints.is_empty() {
            self.delete.extend(known);
            return;
        }
        let first = known.next();
        self.delete.extend(known);
        match first {
            Some(first) if is_current(endpoints, &group, &first) => self.kept.push(first),
            Some(first) => self.update.push(slice(endpoints, family, group, object::name(&first))),
            None => self.create.push(slice(endpoints, family, group, "")),
        }
    }

    /// Updates slices that would be deleted to those that would be created.
    fn reuse(&mut self) {
        for mut new in std::mem::take(&mut self.create) {
            let family = new.text("addressType").to_owned();
            let Some(at) = self.delete.iter().position(|old| old.text("addressType") == family) else {
                self.create.push(new);
                continue;
            };
            let old = self.delete.remove(at);
            object::set(object::child(&mut new, "metadata"), "name", object::name(&old).into());
            self.update.push(new);
        }
    }
}

/// Returns a port as slices have it.
fn port(port: &Value) -> Value {
    let mut own = json!({
        "name": port.text("name"),
        "port": object::int(port, "/port"),
        "protocol": port.text("protocol")
    });
    if let Some(protocol) = port.get("appProtocol").filter(|protocol| protocol.is_string()) {
        object::set(&mut own, "appProtocol", protocol.clone());
    }
    own
}

/// Returns the family of an address, and its endpoint. `None` if it is none.
fn endpoint(address: &Value, is_ready: bool) -> Option<(&'static str, Value)> {
    let ip = parse_ip_sloppy(address.text("ip"))?;
    let mut endpoint = json!({"addresses": [ip.to_string()], "conditions": {"ready": is_ready}});
    for field in ["hostname", "nodeName", "targetRef"] {
        if let Some(value) = address.get(field).filter(|value| !value.is_null()) {
            object::set(&mut endpoint, field, value.clone());
        }
    }
    Some((if ip.is_ipv6() { "IPv6" } else { "IPv4" }, endpoint))
}

/// Returns labels or annotations without those of some keys.
fn without(object: &Value, field: &str, keys: [&str; 2]) -> Map<String, Value> {
    let mut map = object::meta(object, field).as_object().cloned().unwrap_or_default();
    map.retain(|key, _| !keys.contains(&key.as_str()));
    map
}

/// Reports whether a slice says already what it is to say.
fn is_current(endpoints: &Value, group: &Group, slice: &Value) -> bool {
    let there = list(slice, "/endpoints");
    let is_wanted = |known: &Value| {
        group.endpoints.get(&endpoint_key(known)).is_some_and(|wanted| says_the_same(wanted, known))
    };
    let is_of_another = object::owners(slice).iter().any(|owner| {
        owner.text("kind") == "Endpoints"
            && owner.text("name") == object::name(endpoints)
            && owner.text("uid") != object::uid(endpoints)
    });
    there.len() == group.endpoints.len()
        && there.iter().all(is_wanted)
        && without(endpoints, "labels", ["", ""]) == without(slice, "labels", [MANAGED_BY, SERVICE_NAME])
        && without(endpoints, "annotations", [TRIGGER, LAST_APPLIED])
            == without(slice, "annotations", ["", ""])
        && !is_of_another
}

/// Makes a slice of Endpoints. Without a name it gets one when it is created.
fn slice(endpoints: &Value, family: &str, group: Group, name: &str) -> Value {
    let mut labels = without(endpoints, "labels", ["", ""]);
    labels.insert(SERVICE_NAME.to_owned(), object::name(endpoints).into());
    labels.insert(MANAGED_BY.to_owned(), MANAGER.into());
    let owner = object::controller_reference(endpoints, "v1", "Endpoints");
    let mut metadata = json!({
        "namespace": object::namespace(endpoints),
        "labels": labels,
        "annotations": without(endpoints, "annotations", [TRIGGER, LAST_APPLIED]),
        "ownerReferences": [owner]
    });
    match name {
        "" => object::set(&mut metadata, "generateName", [object::name(endpoints), "-"].concat().into()),
        name => object::set(&mut metadata, "name", name.into()),
    }
    json!({
        "metadata": metadata,
        "addressType": family,
        "endpoints": group.endpoints.into_values().take(MOST).collect::<Vec<_>>(),
        "ports": group.ports
    })
}
