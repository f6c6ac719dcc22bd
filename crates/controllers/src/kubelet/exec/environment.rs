//! The environment of a container.
//!
//! See <https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/>.

use golang::base64;
use json_tree::{Value, json};

use super::expansion::expand;
use super::objects::Reference;
use super::variables::{Environment, MOST_VARIABLES, set};
use super::{Objects, fields, hostname, links};
use crate::object::list;

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Returns the variables of a container, the later ones in place of earlier ones of the same name. Those whose value is in no object are
/// left out. They are made of the objects as they are now, also if the container was started before.
pub(super) fn environment(pod: &Value, container: &Value, objects: &Objects) -> Environment {
    let mut variables = Vec::new();
    set(&mut variables, "PATH", PATH.to_owned());
    set(&mut variables, "HOSTNAME", hostname(pod).to_owned());
    // The Service of the API server, which the variables of every container have.
    let port = json!({"name": "https", "port": 443, "protocol": "TCP"});
    let spec = json!({"clusterIP": objects.services.api_server().to_string(), "ports": [port]});
    links::add(&mut variables, &json!({"metadata": {"name": "kubernetes"}, "spec": spec}));
    for (name, value) in objects.links.iter() {
        set(&mut variables, name, value.clone());
    }
    for source in list(container, "/envFrom") {
        let of = |pointer: &str, reference: fn(&str) -> Reference| {
            objects.get(&reference(source.text_at(pointer)))
        };
        let object = of("/configMapRef/name", Reference::config_map)
            .or_else(|| of("/secretRef/name", Reference::secret));
        for (key, bytes) in object.map(data).unwrap_or_default() {
            let name = [source.text("prefix"), &key].concat();
            if variables.len() < MOST_VARIABLES && !name.contains('=') {
                set(&mut variables, &name, text(bytes));
            }
        }
    }
    for variable in list(container, "/env").iter().take(MOST_VARIABLES) {
        let value = match variable.get("valueFrom") {
            Some(source) => value_from(pod, container, source, objects),
            None => Some(expand(variable.text("value"), &variables)),
        };
        if let Some(value) = value {
            set(&mut variables, variable.text("name"), value);
        }
    }
    if !variables.iter().any(|(name, _)| name == "HOME") {
        set(&mut variables, "HOME", "/root".to_owned());
    }
    variables
}

/// Sets the variables of a container that have addresses of its pod, or of its node, which are not known before it is started.
pub(super) fn set_addresses(variables: &mut Environment, pod: &Value, container: &Value) {
    for variable in list(container, "/env") {
        if let Some(source) = variable.get("valueFrom").filter(|source| fields::is_address(source))
            && let Some(value) = fields::value(pod, container, source)
        {
            set(variables, variable.text("name"), value);
        }
    }
}

fn value_from(pod: &Value, container: &Value, source: &Value, objects: &Objects) -> Option<String> {
    for (field, reference) in [
        ("configMapKeyRef", Reference::config_map as fn(&str) -> Reference),
        ("secretKeyRef", Reference::secret),
    ] {
        if let Some(key) = source.get(field) {
            let object = objects.get(&reference(key.text("name")))?;
            return value_of(object, key.text("key")).map(text);
        }
    }
    fields::value(pod, container, source)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Returns the bytes that a ConfigMap or a Secret has for a key.
fn value_of(object: &Value, key: &str) -> Option<Vec<u8>> {
    let find = |field: &str| object.get(field)?.get(key)?.as_str();
    if let Some(value) = find("binaryData") {
        return base64::decode(value).ok();
    }
    let value = find("data")?;
    let is_secret = object.text("kind") == "Secret" || object.get("type").is_some();
    if is_secret { base64::decode(value).ok() } else { Some(value.as_bytes().to_vec()) }
}

/// Returns the data of a ConfigMap or a Secret in the order of its keys.
pub(super) fn data(object: &Value) -> Vec<(String, Vec<u8>)> {
    let fields = ["data", "binaryData"].into_iter();
    let keys = fields.filter_map(|field| object.get(field)?.as_object()).flatten().map(|(key, _)| key);
    let mut data: Vec<_> = keys.filter_map(|key| Some((key.clone(), value_of(object, key)?))).collect();
    data.sort();
    data
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn variables() {
        let objects = Objects::from([
            (Reference::config_map("c"), json!({"data": {"a": "1", "b": "2"}, "binaryData": {"z": "eg=="}})),
            (Reference::secret("s"), json!({"type": "Opaque", "data": {"password": "c2VjcmV0"}})),
        ]);
        let pod = json!({"metadata": {"name": "p"}, "spec": {"nodeName": "n"}});
        let container = json!({
            "envFrom": [
                {"configMapRef": {"name": "c"}, "prefix": "C_"},
                {"secretRef": {"name": "s"}},
                {"configMapRef": {"name": "missing", "optional": true}}
            ],
            "env": [
                {"name": "PLAIN", "value": "x"},
                {"name": "BOTH", "value": "$(PLAIN)-$(C_a)-$(LATER)-$$(PLAIN)"},
                {"name": "LATER", "value": "y"},
                {"name": "C_b", "value": "over"},
                {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "password"}}},
                {"name": "KEY", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "a"}}},
                {"name": "NO_KEY", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "no", "optional": true}}},
                {"name": "NO_MAP", "valueFrom": {"configMapKeyRef": {"name": "no", "key": "no", "optional": true}}},
                {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
                {"name": "EMPTY"}
            ]
        });
        let found = environment(&pod, &container, &objects);
        let own: Vec<String> =
            found.iter().skip(10).map(|(name, value)| [name.as_str(), "=", value].concat()).collect();
        let expected = "C_a=1 C_b=over C_z=z password=secret PLAIN=x BOTH=x-1-$(LATER)-$(PLAIN) LATER=y PASSWORD=secret KEY=1 \
                        NODE=n EMPTY= HOME=/root";
        assert_eq!(own.join(" "), expected);
        assert_eq!(found[1], ("HOSTNAME".to_owned(), "p".to_owned()));
        let objects = Objects::new("10.0.0.0/24".parse().expect("a range"));
        let found = environment(&pod, &container, &objects);
        assert_eq!(found[2], ("KUBERNETES_SERVICE_HOST".to_owned(), "10.0.0.1".to_owned()));
        assert_eq!(found[5].1, "tcp://10.0.0.1:443");
    }
}
