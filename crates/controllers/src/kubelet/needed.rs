//! ConfigMaps and Secrets without which a volume is not mounted, or a container is not created.
//!
//! See <https://kubernetes.io/docs/concepts/configuration/configmap/#using-configmaps-as-files-from-a-pod>.

use json_tree::Value;

use super::exec::{Objects, Reference};
use crate::object::{self, list};
use crate::pod;

/// A kind of objects with data.
struct Kind {
    reference: fn(&str) -> Reference,
    /// The fields of the source of a variable, of the source of all variables, and of a volume.
    of_key: &'static str,
    of_all: &'static str,
    of_volume: &'static str,
    /// The names that messages have for it.
    name: &'static str,
    title: &'static str,
    /// The message about a key that a volume asks for and that is not there, up to the key.
    no_item: &'static str,
}

const KINDS: [Kind; 2] = [
    Kind {
        reference: Reference::config_map,
        of_key: "configMapKeyRef",
        of_all: "configMapRef",
        of_volume: "configMap",
        name: "configmap",
        title: "ConfigMap",
        no_item: "configmap references non-existent config key: ",
    },
    Kind {
        reference: Reference::secret,
        of_key: "secretKeyRef",
        of_all: "secretRef",
        of_volume: "secret",
        name: "secret",
        title: "Secret",
        no_item: "references non-existent secret key: ",
    },
];

/// Returns the volumes of a pod that cannot be mounted, by their names, with the reasons: those that a container mounts.
pub(super) fn unmounted(pod: &Value, objects: &Objects) -> Vec<(String, String)> {
    let is_used = |volume: &&Value| {
        let uses = |mount: &Value| mount.text("name") == volume.text("name");
        pod::all_containers(pod).any(|container| list(container, "/volumeMounts").iter().any(uses))
    };
    let volumes = list(pod, "/spec/volumes").iter().filter(is_used);
    let failed = |volume: &Value| {
        let sources = list(volume, "/projected/sources");
        let errors: Vec<String> = match sources.is_empty() {
            true => no_volume(volume, objects).into_iter().collect(),
            false => sources.iter().filter_map(|source| no_volume(source, objects)).collect(),
        };
        let error = match errors.as_slice() {
            [] => return None,
            [error] => error.clone(),
            errors => ["[", &errors.join(", "), "]"].concat(),
        };
        Some((volume.text("name").to_owned(), error))
    };
    volumes.filter_map(failed).collect()
}

/// Returns why a volume, or a source of a projected one, has no files.
fn no_volume(volume: &Value, objects: &Objects) -> Option<String> {
    let (kind, source) = KINDS.iter().find_map(|kind| Some((kind, volume.get(kind.of_volume)?)))?;
    // A volume names its Secret by another field than all others do.
    let name = source.get("secretName").or_else(|| source.get("name")).map_or("", Value::as_text);
    let reference = (kind.reference)(name);
    if is_optional(source) {
        return None;
    }
    if objects.is_absent(&reference) {
        return Some(not_found(kind, name));
    }
    let object = objects.get(&reference)?;
    let is_there = |key: &str| ["data", "binaryData"].iter().any(|field| has_key(object, field, key));
    let mut keys = list(source, "/items").iter().map(|item| item.text("key"));
    keys.find(|key| !is_there(key)).map(|key| [kind.no_item, key].concat())
}

/// Returns why a container has no environment, and so is not created.
pub(super) fn unconfigured(pod: &Value, container: &Value, objects: &Objects) -> Option<String> {
    let no_source = |source: &Value| {
        let (kind, source) = KINDS.iter().find_map(|kind| Some((kind, source.get(kind.of_all)?)))?;
        let name = source.text("name");
        let is_missing = !is_optional(source) && objects.is_absent(&(kind.reference)(name));
        is_missing.then(|| not_found(kind, name))
    };
    let no_value = |variable: &Value| {
        let from = variable.get("valueFrom")?;
        let (kind, source) = KINDS.iter().find_map(|kind| Some((kind, from.get(kind.of_key)?)))?;
        let (name, key) = (source.text("name"), source.text("key"));
        let reference = (kind.reference)(name);
        if is_optional(source) {
            return None;
        }
        if objects.is_absent(&reference) {
            return Some(not_found(kind, name));
        }
        let is_missing = !has_key(objects.get(&reference)?, "data", key);
        let of = [kind.title, " ", object::namespace(pod), "/", name].concat();
        is_missing.then(|| format!("couldn't find key {key} in {of}"))
    };
    let sources = list(container, "/envFrom").iter().find_map(no_source);
    sources.or_else(|| list(container, "/env").iter().find_map(no_value))
}

fn is_optional(source: &Value) -> bool {
    source.get("optional") == Some(&Value::Bool(true))
}

fn not_found(kind: &Kind, name: &str) -> String {
    format!("{} {name:?} not found", kind.name)
}

fn has_key(object: &Value, field: &str, key: &str) -> bool {
    object.get(field).is_some_and(|data| data.get(key).is_some())
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn objects() -> Objects {
        let mut objects = Objects::from([
            (Reference::config_map("c"), json!({"data": {"a": "1"}, "binaryData": {"b": "eg=="}})),
            (Reference::secret("s"), json!({"data": {"password": "c2VjcmV0"}})),
        ]);
        objects.insert_absent(Reference::config_map("no"));
        objects.insert_absent(Reference::secret("no"));
        objects
    }

    #[test]
    fn environments() {
        let check = |container: Value, expected: Option<&str>| {
            let pod = json!({"metadata": {"namespace": "default"}});
            let found = unconfigured(&pod, &container, &objects());
            assert_eq!(found.as_deref(), expected, "{container}");
        };
        let from = |source: Value| json!({"envFrom": [source]});
        let value =
            |source: Value| json!({"env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": source}]});
        check(from(json!({"configMapRef": {"name": "c"}})), None);
        check(from(json!({"configMapRef": {"name": "no"}})), Some("configmap \"no\" not found"));
        check(from(json!({"configMapRef": {"name": "no", "optional": true}})), None);
        check(from(json!({"secretRef": {"name": "no"}})), Some("secret \"no\" not found"));
        check(value(json!({"configMapKeyRef": {"name": "c", "key": "a"}})), None);
        check(
            value(json!({"configMapKeyRef": {"name": "no", "key": "a"}})),
            Some("configmap \"no\" not found"),
        );
        let no_key = "couldn't find key b in ConfigMap default/c";
        check(value(json!({"configMapKeyRef": {"name": "c", "key": "b"}})), Some(no_key));
        let no_key = "couldn't find key user in Secret default/s";
        check(value(json!({"secretKeyRef": {"name": "s", "key": "user"}})), Some(no_key));
        check(value(json!({"secretKeyRef": {"name": "s", "key": "user", "optional": true}})), None);
        check(value(json!({"fieldRef": {"fieldPath": "metadata.name"}})), None);
        // What was not read is not known to be missing.
        check(from(json!({"configMapRef": {"name": "unread"}})), None);
    }

    #[test]
    fn volumes() {
        let check = |volume: Value, expected: &[&str]| {
            let mut volume = volume;
            object::set(&mut volume, "name", "v".into());
            let container = json!({"volumeMounts": [{"name": "v"}]});
            let unused = json!({"name": "other", "configMap": {"name": "no"}});
            let pod = json!({"spec": {"containers": [container], "volumes": [volume, unused]}});
            let found = unmounted(&pod, &objects());
            let found: Vec<&str> = found.iter().map(|(_, why)| why.as_str()).collect();
            assert_eq!(found, expected, "{pod}");
        };
        let items = |key: &str| json!([{"key": key, "path": "file"}]);
        check(json!({"configMap": {"name": "c"}}), &[]);
        check(json!({"configMap": {"name": "no"}}), &["configmap \"no\" not found"]);
        check(json!({"configMap": {"name": "no", "optional": true}}), &[]);
        check(json!({"configMap": {"name": "c", "items": items("b")}}), &[]);
        let no_key = "configmap references non-existent config key: x";
        check(json!({"configMap": {"name": "c", "items": items("x")}}), &[no_key]);
        check(json!({"secret": {"secretName": "no"}}), &["secret \"no\" not found"]);
        let no_key = "references non-existent secret key: x";
        check(json!({"secret": {"secretName": "s", "items": items("x")}}), &[no_key]);
        check(json!({"projected": {"sources": [{"secret": {"name": "no"}}]}}), &["secret \"no\" not found"]);
        let both = "[configmap \"no\" not found, secret \"no\" not found]";
        let sources =
            json!([{"configMap": {"name": "no"}}, {"secret": {"name": "no"}}, {"serviceAccountToken": {}}]);
        check(json!({"projected": {"sources": sources}}), &[both]);
        check(json!({"emptyDir": {}}), &[]);
    }
}
