//! Subsets of Endpoints in the form that kube-controller-manager gives them: addresses with the same ports together, all in a fixed order.

use std::collections::BTreeMap;

use json_tree::{Value, json};

use crate::hash::fnv_128;
use crate::object::{self, list};

/// The address of a host, and whose it is: two pods on a node may have the same.
type Key = (String, String);

/// The addresses of a port: true for one that is ready.
type Addresses = BTreeMap<Key, bool>;

/// Ports or subsets with their hashes, by which they are sorted.
type Hashed = (u128, Value);

/// Returns subsets, in which each port with the same addresses stands once. One that is ready and is not, is not.
pub(crate) fn repack(subsets: &[Value]) -> Vec<Value> {
    let mut known: BTreeMap<Key, &Value> = BTreeMap::new();
    // By the texts of the ports, the first of which stands for those that have none.
    let mut by_port: BTreeMap<String, (Option<&Value>, Addresses)> = BTreeMap::new();
    for subset in subsets {
        let ports = list(subset, "/ports");
        let ports: Vec<Option<&Value>> =
            if ports.is_empty() { vec![None] } else { ports.iter().map(Some).collect() };
        for port in ports {
            let text = port.map(port_text).unwrap_or_default();
            let (_, addresses) = by_port.entry(text).or_insert_with(|| (port, Addresses::new()));
            for (field, is_ready) in [("/addresses", true), ("/notReadyAddresses", false)] {
                for address in list(subset, field) {
                    let key = (address.text("ip").to_owned(), address.text_at("/targetRef/uid").to_owned());
                    known.entry(key.clone()).or_insert(address);
                    let ready = addresses.entry(key).or_insert(true);
                    *ready &= is_ready;
                }
            }
        }
    }
    let mut by_addresses: BTreeMap<Vec<(Key, bool)>, Vec<Hashed>> = BTreeMap::new();
    for (text, (port, addresses)) in by_port {
        let ports = by_addresses.entry(addresses.into_iter().collect()).or_default();
        // A port below 1 stands for none.
        if let Some(port) = port.filter(|port| object::int(port, "/port") > 0) {
            ports.push((fnv_128(&["(v1.EndpointPort)", &text].concat()), port.clone()));
        }
    }
    let mut packed: Vec<Hashed> =
        by_addresses.into_iter().map(|(addresses, ports)| subset(&addresses, ports, &known)).collect();
    packed.sort_by_key(|(hash, _)| *hash);
    packed.into_iter().map(|(_, subset)| subset).collect()
}

/// Makes a subset, and its hash.
fn subset(addresses: &[(Key, bool)], mut ports: Vec<Hashed>, known: &BTreeMap<Key, &Value>) -> Hashed {
    ports.sort_by_key(|(hash, _)| *hash);
    let ports: Vec<Value> = ports.into_iter().map(|(_, port)| port).collect();
    let those = |wanted: bool| {
        let those = addresses.iter().filter(|(_, is_ready)| *is_ready == wanted);
        those.filter_map(|(key, _)| known.get(key)).map(|address| Value::clone(address)).collect::<Vec<_>>()
    };
    let (ready, not_ready) = (those(true), those(false));
    let list = |kind: &str, texts: Vec<String>| {
        if texts.is_empty() { format!("({kind})<nil>") } else { format!("({kind})[{}]", texts.join(" ")) }
    };
    let of = |addresses: &[Value]| list("[]v1.EndpointAddress", addresses.iter().map(address_text).collect());
    let text = format!(
        "(v1.EndpointSubset){{Addresses:{} NotReadyAddresses:{} Ports:{}}}",
        of(&ready),
        of(&not_ready),
        list("[]v1.EndpointPort", ports.iter().map(port_text).collect())
    );
    let mut subset = json!({});
    for (field, values) in [("addresses", ready), ("notReadyAddresses", not_ready), ("ports", ports)] {
        if !values.is_empty() {
            object::set(&mut subset, field, Value::Array(values));
        }
    }
    (fnv_128(&text), subset)
}

/// Returns a port as Go prints its struct, without the type.
fn port_text(port: &Value) -> String {
    format!(
        "{{Name:(string){} Port:(int32){} Protocol:(v1.Protocol){} AppProtocol:(*string){}}}",
        port.text("name"),
        object::int(port, "/port"),
        port.text("protocol"),
        pointer(port, "appProtocol")
    )
}

/// Returns an address as Go prints its struct, without the type.
fn address_text(address: &Value) -> String {
    let target = match address.get("targetRef").filter(|target| target.is_object()) {
        None => "<nil>".to_owned(),
        Some(target) => {
            let fields = [
                ("Kind:(string)", "kind"),
                ("Namespace:(string)", "namespace"),
                ("Name:(string)", "name"),
                ("UID:(types.UID)", "uid"),
                ("APIVersion:(string)", "apiVersion"),
                ("ResourceVersion:(string)", "resourceVersion"),
                ("FieldPath:(string)", "fieldPath"),
            ];
            let fields = fields.map(|(name, field)| [name, target.text(field)].concat());
            ["{", &fields.join(" "), "}"].concat()
        }
    };
    format!(
        "{{IP:(string){} Hostname:(string){} NodeName:(*string){} TargetRef:(*v1.ObjectReference){target}}}",
        address.text("ip"),
        address.text("hostname"),
        pointer(address, "nodeName")
    )
}

/// Returns the text that a field points to, as Go prints it.
fn pointer<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or("<nil>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_the_same_ports_are_together() {
        let address = |ip: &str| json!({"ip": ip});
        let port = |number: i64| json!({"port": number, "protocol": "TCP"});
        let packed = repack(&[
            json!({"addresses": [address("10.0.0.2")], "ports": [port(80)]}),
            json!({"addresses": [address("10.0.0.1")], "ports": [port(80)]}),
            json!({"addresses": [address("10.0.0.1"), address("10.0.0.2")], "ports": [port(81)]}),
            json!({"notReadyAddresses": [address("10.0.0.2")], "ports": [port(80), port(81)]}),
        ]);
        let [one] = packed.as_slice() else { panic!("{packed:?}") };
        assert_eq!(one["addresses"], json!([{"ip": "10.0.0.1"}]));
        assert_eq!(one["notReadyAddresses"], json!([{"ip": "10.0.0.2"}]));
        assert_eq!(one["ports"].as_array().unwrap().len(), 2);
        assert_eq!(repack(&packed), packed);
    }

    #[test]
    fn addresses_without_ports_stay() {
        let subset = json!({"addresses": [{"ip": "10.0.0.1"}]});
        assert_eq!(repack(std::slice::from_ref(&subset)), [subset]);
        assert_eq!(repack(&[]), Vec::<Value>::new());
    }
}
