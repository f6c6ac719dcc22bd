//! Service links: the variables by which containers find the Services of their namespace.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables>.

use golang::net::join_host_port;
use json_tree::Value;

use super::variables::{Environment, MOST_VARIABLES, set};
use crate::object::{self, list};

/// Returns the variables of the Services that there are when a container of a pod is started, as far as there is room.
pub(in super::super) fn links<'a>(pod: &Value, services: impl Iterator<Item = &'a Value>) -> Environment {
    let mut links = Environment::new();
    if pod.pointer("/spec/enableServiceLinks") != Some(&Value::Bool(false)) {
        for service in services {
            if links.len() < MOST_VARIABLES {
                add(&mut links, service);
            }
        }
    }
    links
}

/// Adds the variables of a Service, if it has an address of its own.
pub(super) fn add(variables: &mut Environment, service: &Value) {
    let address = service.text_at("/spec/clusterIP");
    let ports = list(service, "/spec/ports");
    let Some(first) = ports.first().filter(|_| !matches!(address, "" | "None")) else { return };
    let name = in_variable(object::name(service));
    let mut add =
        |parts: &[&str], value: String| set(variables, &[&[&*name], parts].concat().concat(), value);
    let number = |port: &Value| object::int(port, "/port").to_string();
    add(&["_SERVICE_HOST"], address.to_owned());
    add(&["_SERVICE_PORT"], number(first));
    for port in ports.iter().filter(|port| !port.text("name").is_empty()) {
        add(&["_SERVICE_PORT_", &in_variable(port.text("name"))], number(port));
    }
    for (place, port) in ports.iter().enumerate() {
        let protocol = Some(port.text("protocol")).filter(|own| !own.is_empty()).unwrap_or("TCP");
        let (lower, upper) = (protocol.to_lowercase(), protocol.to_uppercase());
        let target = [&lower, "://", &join_host_port(address, number(port))].concat();
        if place == 0 {
            add(&["_PORT"], target.clone());
        }
        let of_port = ["_PORT_", &number(port), "_", &upper].concat();
        add(&[&of_port], target);
        add(&[&of_port, "_PROTO"], lower);
        add(&[&of_port, "_PORT"], number(port));
        add(&[&of_port, "_ADDR"], address.to_owned());
    }
}

/// Returns a name as it stands in those of variables.
fn in_variable(name: &str) -> String {
    name.replace('-', "_").to_uppercase()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn variables_of_services() {
        let service = |name: &str, address: &str, ports: Value| json!({"metadata": {"name": name}, "spec": {"clusterIP": address, "ports": ports}});
        let services = [
            service("headless", "None", json!([{"port": 80}])),
            service("external", "", json!([])),
            service("redis-primary", "10.0.0.11", json!([{"port": 6379, "protocol": "TCP"}])),
            service(
                "dns",
                "fd00::1",
                json!([{"name": "dns-udp", "port": 53, "protocol": "UDP"}, {"name": "tcp", "port": 53, "protocol": "TCP"}]),
            ),
        ];
        let shown = |pod: &Value| -> Vec<String> {
            let links = links(pod, services.iter());
            links.into_iter().map(|(name, value)| [name, "=".to_owned(), value].concat()).collect()
        };
        let expected = [
            "REDIS_PRIMARY_SERVICE_HOST=10.0.0.11",
            "REDIS_PRIMARY_SERVICE_PORT=6379",
            "REDIS_PRIMARY_PORT=tcp://10.0.0.11:6379",
            "REDIS_PRIMARY_PORT_6379_TCP=tcp://10.0.0.11:6379",
            "REDIS_PRIMARY_PORT_6379_TCP_PROTO=tcp",
            "REDIS_PRIMARY_PORT_6379_TCP_PORT=6379",
            "REDIS_PRIMARY_PORT_6379_TCP_ADDR=10.0.0.11",
            "DNS_SERVICE_HOST=fd00::1",
            "DNS_SERVICE_PORT=53",
            "DNS_SERVICE_PORT_DNS_UDP=53",
            "DNS_SERVICE_PORT_TCP=53",
            "DNS_PORT=udp://[fd00::1]:53",
            "DNS_PORT_53_UDP=udp://[fd00::1]:53",
            "DNS_PORT_53_UDP_PROTO=udp",
            "DNS_PORT_53_UDP_PORT=53",
            "DNS_PORT_53_UDP_ADDR=fd00::1",
            "DNS_PORT_53_TCP=tcp://[fd00::1]:53",
            "DNS_PORT_53_TCP_PROTO=tcp",
            "DNS_PORT_53_TCP_PORT=53",
            "DNS_PORT_53_TCP_ADDR=fd00::1",
        ];
        assert_eq!(shown(&json!({})), expected);
        assert_eq!(shown(&json!({"spec": {"enableServiceLinks": false}})), [""; 0]);
    }
}
