//! The cluster IP of a service.
//!
//! <https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/>

use std::collections::HashSet;
use std::net::Ipv4Addr;

use json_tree::{Value, json};

use super::ranges::{self, Range};
use super::{Invalid, PREFIX, Taken, has_address, list, texts};
use crate::validation::checks::named;
use crate::validation::name;
use apimachinery::object::{Object, metadata_text, set_metadata, with_name};
use apimachinery::status::Status;
use apimachinery::typed_object::TypedObject;
use field::{Error, Path};

pub(super) const HEADLESS: &str = "None";

/// The keys of IPAddresses begin with this.
const ADDRESSES: &str = "/registry/ipaddresses/";

/// Takes over the stored address, if the request leaves it out.
pub(super) fn keep(spec: &mut TypedObject<'_>, was: &Value) {
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

fn set(spec: &mut TypedObject<'_>, field: &str, value: Option<&Value>) {
    if let Some(value) = value {
        spec.set(field, value.clone());
    }
}

/// Makes the list of addresses follow the single one, if the request changes that alone.
pub(super) fn align(spec: &mut TypedObject<'_>, was: Option<&Value>) {
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
    spec: &mut TypedObject<'_>,
    was: Option<&Value>,
    invalid: Invalid<'_>,
) -> Result<(), Box<Status>> {
    let had = was.is_some_and(has_address);
    let asked = list(spec, "clusterIPs");
    if had || spec.text("type") == "ExternalName" || asked.first().is_some_and(|first| first == HEADLESS) {
        return Ok(());
    }
    let (others, ranges) = (taken.addresses(), ranges::ready(taken.objects));
    let Some(first) = asked.first() else {
        // A dry run tells only which range it is.
        let free = if taken.dry_run {
            ranges.first().map(Range::base)
        } else {
            ranges.iter().flat_map(Range::addresses).find(|address| !others.contains(address))
        };
        let Some(address) = free else {
            return Err(Status::internal_error("failed to allocate a serviceIP: range is full"));
        };
        let address = address.to_string();
        if let Some(why) = taken.refused(&address) {
            let why = format!("failed to allocate IP: {why}");
            return Err(invalid(vec![Error::invalid(Path::new("spec").child("clusterIPs"), vec![""], why)]));
        }
        spec.set("clusterIP", address.as_str());
        spec.set("clusterIPs", vec![address]);
        return Ok(());
    };
    let own = first.parse().ok();
    let range = own.and_then(|own| ranges.iter().find(|range| range.contains(own)));
    let range = range.or_else(|| ranges.first().filter(|_| taken.dry_run));
    let why = match (own, range) {
        (Some(own), Some(range)) if range.allows(own) => match taken.refused(first) {
            Some(why) => why,
            None if taken.dry_run || !others.contains(&own) => return Ok(()),
            None => "provided IP is already allocated".to_owned(),
        },
        (_, Some(range)) => format!(
            "the provided IP ({first}) is not in the valid range. The range of valid IPs is {}",
            range.cidr
        ),
        (_, None) => "the provided network does not match the current range".to_owned(),
    };
    let why = format!("failed to allocate IP {first}: {why}");
    Err(invalid(vec![Error::invalid(Path::new("spec").child("clusterIPs"), asked, why)]))
}

/// Returns the IPAddresses by which a service holds its cluster IPs.
///
/// <https://kubernetes.io/docs/reference/networking/virtual-ips/#ip-address-objects>
pub(super) fn held(service: &Object) -> Vec<Object> {
    let (namespace, name) = (metadata_text(service, "namespace"), metadata_text(service, "name"));
    let spec = service.get("spec").filter(|spec| has_address(spec));
    let held = spec.map(|spec| texts(spec, "clusterIPs")).unwrap_or_default().into_iter();
    held.filter(|address| address != HEADLESS).map(|address| ip_address(&address, namespace, name)).collect()
}

/// Returns the cluster IPs of a stored service, if it has an address of its own.
pub fn held_addresses(service: &Object) -> Vec<String> {
    let spec = service.get("spec").filter(|spec| !["", HEADLESS].contains(&spec.text("clusterIP")));
    spec.map(|spec| texts(spec, "clusterIPs")).unwrap_or_default()
}

/// Returns the IPAddress by which a service holds an address.
pub fn ip_address(address: &str, namespace: &str, name: &str) -> Object {
    let family = if address.contains(':') { "IPv6" } else { "IPv4" };
    let mut object = with_name(address);
    let labels = json!({
        "ipaddress.kubernetes.io/ip-family": family,
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
    });
    set_metadata(&mut object, "labels", labels);
    let parent = json!({ "resource": "services", "namespace": namespace, "name": name });
    object.insert("spec".to_owned(), json!({ "parentRef": parent }));
    object
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

    /// Returns the addresses that services hold, and those of which there is an IPAddress, whoever made it.
    fn addresses(&self) -> HashSet<Ipv4Addr> {
        let mut taken = HashSet::new();
        self.objects.each(PREFIX, &mut |service| {
            taken
                .extend(service.field("spec.clusterIP").and_then(|address| address.parse::<Ipv4Addr>().ok()));
        });
        self.objects.each(ADDRESSES, &mut |address| taken.extend(address.name().parse::<Ipv4Addr>().ok()));
        taken
    }
}
