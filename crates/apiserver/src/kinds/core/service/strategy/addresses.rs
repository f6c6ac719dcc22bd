//! The cluster IP of a service.
//!
//! <https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/>

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr};

use json_tree::Value;

use super::{Invalid, PREFIX, Taken, has_address, list, texts};
use crate::defaults::object::Object as Fields;
use crate::status::Status;
use crate::validation::checks::named;
use crate::validation::name;
use field::{Error, Path};

pub(super) const HEADLESS: &str = "None";

/// The range of addresses, 10.96.0.0/16, as its first two bytes.
const NETWORK: [u8; 2] = [10, 96];

/// The number of addresses at the low end that are left to those who ask for one, until there are no others.
const RESERVED: u16 = 256;

/// The address of the service `default/kubernetes`, which every cluster has.
const API_SERVER: u16 = 1;

/// The last address is for broadcasts, and the first is the network's.
const LAST: u16 = u16::MAX - 1;

/// Takes over the stored address, if the request leaves it out.
pub(super) fn keep(spec: &mut Fields<'_>, was: &Value) {
    if !has_address(was) || spec.text("type") == "ExternalName" {
        return;
    }
    if spec.text("clusterIP").is_empty() {
        set(spec, "clusterIP", was.get("clusterIP"));
    }
    if spec.list("clusterIPs").is_empty() {
        set(spec, "clusterIPs", was.get("clusterIPs"));
    }
}

fn set(spec: &mut Fields<'_>, field: &str, value: Option<&Value>) {
    if let Some(value) = value {
        spec.set(field, value.clone());
    }
}

/// Makes the list of addresses follow the single one, if the request changes that alone.
pub(super) fn align(spec: &mut Fields<'_>, was: Option<&Value>) {
    let single = spec.text("clusterIP").to_owned();
    let plural = list(spec, "clusterIPs");
    let Some(was) = was else {
        if !single.is_empty() && plural.is_empty() {
            spec.set("clusterIPs", vec![single]);
        }
        return;
    };
    if single != was.text("clusterIP") && plural == texts(was, "clusterIPs") {
        if single.is_empty() {
            spec.remove("clusterIPs");
        } else {
            spec.set("clusterIPs", vec![single]);
        }
    }
}

/// Allocates the address that a new service asks for, or if it does not ask any; likewise for one that had a type
/// without address.
pub(super) fn allocate(
    taken: &Taken<'_>,
    spec: &mut Fields<'_>,
    was: Option<&Value>,
    invalid: Invalid<'_>,
) -> Result<(), Box<Status>> {
    let had = was.is_some_and(has_address);
    let asked = list(spec, "clusterIPs");
    if had || spec.text("type") == "ExternalName" || asked.first().is_some_and(|first| first == HEADLESS) {
        return Ok(());
    }
    let others = taken.addresses();
    let Some(first) = asked.first() else {
        // A dry run tells only which range it is.
        let mut free = (RESERVED..=LAST).chain(1..RESERVED).filter(|offset| !others.contains(offset));
        let free = if taken.dry_run { Some(0) } else { free.next() };
        let Some(offset) = free else {
            return Err(Status::internal_error("failed to allocate a serviceIP: range is full"));
        };
        let [high, low] = offset.to_be_bytes();
        let address = Ipv4Addr::from([NETWORK[0], NETWORK[1], high, low]).to_string();
        if let Some(why) = taken.refused(&address) {
            let why = format!("failed to allocate IP: {why}");
            return Err(invalid(vec![Error::invalid(Path::new("spec").child("clusterIPs"), vec![""], why)]));
        }
        spec.set("clusterIP", address.as_str());
        spec.set("clusterIPs", vec![address]);
        return Ok(());
    };
    let why = match offset_of(first) {
        None if !taken.dry_run => "the provided network does not match the current range".to_owned(),
        Some(offset) if (1..=LAST).contains(&offset) => match taken.refused(first) {
            Some(why) => why,
            None if taken.dry_run || !others.contains(&offset) => return Ok(()),
            None => "provided IP is already allocated".to_owned(),
        },
        _ => format!(
            "the provided IP ({first}) is not in the valid range. The range of valid IPs is 10.96.0.0/16"
        ),
    };
    let why = format!("failed to allocate IP {first}: {why}");
    Err(invalid(vec![Error::invalid(Path::new("spec").child("clusterIPs"), asked, why)]))
}

/// Which of the range's addresses it is.
fn offset_of(address: &str) -> Option<u16> {
    match address.parse() {
        Ok(IpAddr::V4(address)) => {
            let [a, b, high, low] = address.octets();
            ([a, b] == NETWORK).then_some(u16::from_be_bytes([high, low]))
        }
        _ => None,
    }
}

impl Taken<'_> {
    /// Returns the error of the IPAddress that is made for an address: it has to have the service as its parent.
    fn refused(&self, address: &str) -> Option<String> {
        let path = Path::new("spec").child("parentRef").child("name");
        let errors = match self.own.1 {
            "" => vec![Error::required(&path, "")],
            name => named(name, name::path_segment, &path),
        };
        let refused = || Status::invalid("networking.k8s.io", "IPAddress", address, &errors).message;
        (!errors.is_empty() && !self.dry_run).then(refused)
    }

    fn addresses(&self) -> HashSet<u16> {
        let mut taken = HashSet::from([API_SERVER]);
        self.objects.each(PREFIX, &mut |service| {
            taken.extend(service.field("spec.clusterIP").and_then(offset_of));
        });
        taken
    }
}
