//! The fields of a pod, and the resources of its containers, as its containers see them.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/downward-api/>.

use golang::strconv::quote;
use json_tree::Value;
use schema::quantity::Quantity;

use crate::kubelet::node::RESOURCES;
use crate::object::list;
use crate::pod;

/// Returns the value that a `fieldRef` or a `resourceFieldRef` stands for.
pub(super) fn value(pod: &Value, container: &Value, source: &Value) -> Option<String> {
    match source.pointer("/fieldRef/fieldPath").and_then(Value::as_str) {
        Some(path) => field(pod, path),
        None => resource(pod, container, source.get("resourceFieldRef")?),
    }
}

/// Reports whether a source of a variable is an address.
pub(super) fn is_address(source: &Value) -> bool {
    let path = source.text_at("/fieldRef/fieldPath");
    ["status.podIP", "status.podIPs", "status.hostIP", "status.hostIPs"].contains(&path)
}

/// Returns the value of a field of a pod: texts, addresses, labels and annotations.
fn field(pod: &Value, path: &str) -> Option<String> {
    if let Some((map, key)) = path.strip_suffix("']").and_then(|path| path.split_once("['")) {
        let map = pod.pointer(&["/", &map.replace('.', "/")].concat())?;
        return Some(map.text(key).to_owned());
    }
    let value = pod.pointer(&["/", &path.replace('.', "/")].concat());
    Some(match value {
        Some(Value::Object(map)) => {
            let mut lines: Vec<_> = map.iter().collect();
            lines.sort_by_key(|(key, _)| *key);
            let line = |(key, value): (&String, &Value)| [key, "=", &quote(value.as_text())].concat();
            lines.into_iter().map(line).collect::<Vec<_>>().join("\n")
        }
        Some(Value::Array(addresses)) => {
            addresses.iter().map(|own| own.text("ip")).collect::<Vec<_>>().join(",")
        }
        Some(value) => value.as_text().to_owned(),
        None => String::new(),
    })
}

/// Returns the amount of a resource of a container in units of the divisor, rounded up. A limit that is not set is what the node has, and a
/// request that is not set is nothing.
fn resource(pod: &Value, container: &Value, source: &Value) -> Option<String> {
    let named = source.text("containerName");
    let container = if named.is_empty() {
        container
    } else {
        pod::all_containers(pod).find(|own| own.text("name") == named)?
    };
    let (kind, name) = source.text("resource").split_once('.')?;
    let own = container.pointer(&["/resources/", kind, "/", name].concat()).and_then(Quantity::of);
    let of_node =
        || RESOURCES.iter().find(|(own, _)| kind == "limits" && *own == name).map_or("0", |(_, all)| all);
    let amount = own.or_else(|| Quantity::parse(of_node()).ok())?;
    let divisor = source.get("divisor").and_then(Quantity::of);
    let in_units = |quantity: Quantity| if name == "cpu" { quantity.thousandths() } else { quantity.value() };
    let unit = if name == "cpu" { 1000 } else { 1 };
    let divisor = divisor.map(in_units).filter(|divisor| *divisor > 0).unwrap_or(unit);
    let amount = in_units(amount);
    Some((amount / divisor + i64::from(amount % divisor > 0)).to_string())
}

/// Writes the items of a volume of the downward API: a path, and the bytes of the file.
pub(super) fn items(pod: &Value, container: &Value, volume: &Value) -> Vec<(String, Vec<u8>)> {
    let items = list(volume, "/items").iter();
    items
        .filter_map(|item| Some((item.text("path").to_owned(), value(pod, container, item)?.into_bytes())))
        .collect()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn values() {
        let pod = json!({
            "metadata": {"name": "p", "labels": {"b": "2", "a": "\"1\""}, "annotations": {"x/y.z": "v"}},
            "spec": {"nodeName": "n", "containers": [{"name": "c", "resources": {"limits": {"cpu": "1500m"}}}]},
            "status": {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}]}
        });
        let container = json!({"resources": {"requests": {"cpu": "250m", "memory": "1500Ki"}}});
        let field = |path: &str| json!({"fieldRef": {"fieldPath": path}});
        let resource = |resource: &str, divisor: &str| json!({"resourceFieldRef": {"resource": resource, "divisor": divisor}});
        for (source, expected) in [
            (field("metadata.name"), Some("p")),
            (field("spec.nodeName"), Some("n")),
            (field("status.podIP"), Some("10.0.0.1")),
            (field("status.podIPs"), Some("10.0.0.1,fd00::1")),
            (field("metadata.labels"), Some("a=\"\\\"1\\\"\"\nb=\"2\"")),
            (field("metadata.labels['b']"), Some("2")),
            (field("metadata.annotations['x/y.z']"), Some("v")),
            (field("metadata.labels['c']"), Some("")),
            (field("status.hostIP"), Some("")),
            (resource("requests.cpu", "0"), Some("1")),
            (resource("requests.cpu", "1m"), Some("250")),
            (resource("requests.memory", "1Mi"), Some("2")),
            (resource("requests.memory", "0"), Some("1536000")),
            (resource("limits.cpu", "0"), Some("4")),
            (resource("limits.memory", "1Gi"), Some("8")),
            (resource("requests.ephemeral-storage", "1"), Some("0")),
            (
                json!({"resourceFieldRef": {"resource": "limits.cpu", "containerName": "c", "divisor": "1m"}}),
                Some("1500"),
            ),
            (json!({}), None),
        ] {
            assert_eq!(value(&pod, &container, &source).as_deref(), expected, "{source}");
        }
    }
}
