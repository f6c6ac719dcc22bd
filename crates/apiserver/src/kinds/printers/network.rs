//! Services and what is behind and in front of them.
//!
//! <https://kubernetes.io/docs/concepts/services-networking/>

use json_tree::Value;

use crate::printing::row::{Row, get, list, number, some_of, strings, text};
use crate::printing::selector::{label_selector, labels};

/// How many hosts, ports or endpoints are shown.
const SHOWN: usize = 3;

pub(crate) fn service(row: &Row<'_>) -> Vec<Value> {
    let cluster_ips = strings(row.object, "/spec/clusterIPs");
    let ports: Vec<_> = row.list("/spec/ports").iter().map(service_port).collect();
    vec![
        row.name(),
        row.text("/spec/type").into(),
        cluster_ips.first().copied().unwrap_or("<none>").into(),
        external_ip(row).into(),
        if ports.is_empty() { "<none>".into() } else { ports.join(",").into() },
        row.age(),
        labels(get(row.object, "/spec/selector")).into(),
    ]
}

/// `80/TCP`, or `80:30080/TCP` with a node port.
fn service_port(port: &Value) -> String {
    let (protocol, number_of) = (text(port, "/protocol"), number(port, "/port"));
    match number(port, "/nodePort") {
        ..=0 => format!("{number_of}/{protocol}"),
        node_port => format!("{number_of}:{node_port}/{protocol}"),
    }
}

/// Returns the addresses at which a service is reached from outside the cluster.
fn external_ip(row: &Row<'_>) -> String {
    let own = strings(row.object, "/spec/externalIPs");
    let (mut addresses, none) = match row.text("/spec/type") {
        "ClusterIP" | "NodePort" => (Vec::new(), "<none>"),
        "LoadBalancer" => (balancers(row), "<pending>"),
        "ExternalName" => return row.text("/spec/externalName").to_owned(),
        _ => return "<unknown>".to_owned(),
    };
    addresses.extend(own);
    if addresses.is_empty() { none.to_owned() } else { addresses.join(",") }
}

/// The addresses of the load balancers, or their host names, each once and in order.
fn balancers<'a>(row: &Row<'a>) -> Vec<&'a str> {
    let mut addresses: Vec<_> = row
        .list("/status/loadBalancer/ingress")
        .iter()
        .map(|ingress| match text(ingress, "/ip") {
            "" => text(ingress, "/hostname"),
            ip => ip,
        })
        .filter(|address| !address.is_empty())
        .collect();
    schema::sort_once(&mut addresses);
    addresses
}

pub(crate) fn endpoints(row: &Row<'_>) -> Vec<Value> {
    let mut all = Vec::new();
    for subset in row.list("/subsets") {
        let addresses = list(subset, "/addresses").iter().map(|address| text(address, "/ip"));
        let ports = list(subset, "/ports");
        if ports.is_empty() {
            all.extend(addresses.clone().map(str::to_owned));
        }
        for port in ports {
            all.extend(addresses.clone().map(|ip| host_and_port(ip, number(port, "/port"))));
        }
    }
    let shown = match row.list("/subsets") {
        [] => "<none>".to_owned(),
        _ => some_of(all.iter().map(String::as_str), SHOWN).unwrap_or_default(),
    };
    vec![row.name(), shown.into(), row.age()]
}

/// `10.0.0.1:80`, or `[fd00::1]:80`.
fn host_and_port(ip: &str, port: i64) -> String {
    if ip.contains(':') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") }
}

pub(crate) fn endpoint_slice(row: &Row<'_>) -> Vec<Value> {
    let ports: Vec<_> = row
        .list("/ports")
        .iter()
        .map(|port| match get(port, "/port") {
            Some(number) => number.to_string(),
            None => get(port, "/name").and_then(Value::as_str).unwrap_or("*").to_owned(),
        })
        .collect();
    let addresses = row.list("/endpoints").iter().flat_map(|endpoint| strings(endpoint, "/addresses"));
    let unset = |shown: Option<String>| {
        shown.filter(|shown| !shown.is_empty()).unwrap_or_else(|| "<unset>".to_owned())
    };
    vec![
        row.name(),
        row.text("/addressType").into(),
        unset(some_of(ports.iter().map(String::as_str), SHOWN)).into(),
        unset(some_of(addresses, SHOWN)).into(),
        row.age(),
    ]
}

pub(crate) fn ingress(row: &Row<'_>) -> Vec<Value> {
    vec![
        row.name(),
        row.text_or("/spec/ingressClassName", "<none>"),
        hosts(row.list("/spec/rules")).into(),
        balancers(row).join(",").into(),
        if row.list("/spec/tls").is_empty() { "80" } else { "80, 443" }.into(),
        row.age(),
    ]
}

/// The hosts of the rules. Once enough of them are shown, the rest are counted by their rules.
fn hosts(rules: &[Value]) -> String {
    let mut shown = Vec::new();
    let mut more = false;
    for host in rules.iter().map(|rule| text(rule, "/host")) {
        more |= shown.len() == SHOWN;
        if !more && !host.is_empty() {
            shown.push(host);
        }
    }
    match shown.join(",") {
        _ if shown.is_empty() => "*".to_owned(),
        shown if more => format!("{shown} + {} more...", rules.len() - SHOWN),
        shown => shown,
    }
}

pub(crate) fn ingress_class(row: &Row<'_>) -> Vec<Value> {
    let parameters = get(row.object, "/spec/parameters").map_or_else(
        || "<none>".to_owned(),
        |parameters| {
            let mut kind = text(parameters, "/kind").to_owned();
            if let Some(group) = get(parameters, "/apiGroup").and_then(Value::as_str) {
                kind = format!("{kind}.{group}");
            }
            format!("{kind}/{}", text(parameters, "/name"))
        },
    );
    vec![row.name(), row.text("/spec/controller").into(), parameters.into(), row.age()]
}

pub(crate) fn network_policy(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), label_selector(get(row.object, "/spec/podSelector")).into(), row.age()]
}

pub(crate) fn service_cidr(row: &Row<'_>) -> Vec<Value> {
    vec![row.name(), strings(row.object, "/spec/cidrs").join(",").into(), row.age()]
}

/// One cell more than there are columns: kube-apiserver tells the age too.
pub(crate) fn ip_address(row: &Row<'_>) -> Vec<Value> {
    let parent = get(row.object, "/spec/parentRef").map_or_else(
        || "<none>".to_owned(),
        |parent| {
            let resource = [text(parent, "/resource"), text(parent, "/group")].join(".");
            let parts = [resource.trim_end_matches('.'), text(parent, "/namespace"), text(parent, "/name")];
            let [resource, namespace, name] = parts;
            let resource = resource.to_ascii_lowercase();
            match namespace {
                "" => format!("{resource}/{name}"),
                _ => format!("{resource}/{namespace}/{name}"),
            }
        },
    );
    vec![row.name(), parent.into(), row.age()]
}
