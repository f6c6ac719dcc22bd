//! The rows of tables of the kind Endpoints.

use golang::net::join_host_port;
use json_tree::Value;

use crate::printing::cells::SHOWN;
use crate::printing::row::{Row, list, number, some_of, text};

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Endpoints||||The set of all endpoints is the union of all subsets. Addresses are placed into subsets according to the IPs they share. A single address with multiple ports, some of which are ready and some of which are not (because they come from different containers) will result in the address being displayed in different subsets for the different ports. No address will appear in both Addresses and NotReadyAddresses in the same subset. Sets of addresses and ports that comprise a service.
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    let mut all = Vec::new();
    for subset in row.list("/subsets") {
        let addresses = list(subset, "/addresses").iter().map(|address| text(address, "/ip"));
        let ports = list(subset, "/ports");
        if ports.is_empty() {
            all.extend(addresses.clone().map(str::to_owned));
        }
        for port in ports {
            all.extend(addresses.clone().map(|ip| join_host_port(ip, number(port, "/port"))));
        }
    }
    let shown = match row.list("/subsets") {
        [] => "<none>".to_owned(),
        _ => some_of(all.iter().map(String::as_str), SHOWN).unwrap_or_default(),
    };
    vec![row.name(), shown.into(), row.age()]
}
