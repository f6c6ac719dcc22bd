//! The places of what a container writes: its own files, and the volumes that outlive it.
//!
//! See <https://kubernetes.io/docs/concepts/storage/volumes/#volume-types>.

use json_tree::Value;

use super::Objects;
use super::files::{OF_OBJECTS, Written, is_within, part, resolve};
use super::objects::Reference;
use super::variables::Environment;
use crate::object::{self, list};

/// A directory whose files are kept somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Place {
    /// The path in the container; empty for all of it.
    pub(in super::super) path: String,
    /// The name of the store of the files.
    pub(in super::super) store: String,
    /// The directory in the store; empty for all of it.
    pub(in super::super) part: String,
}

impl Place {
    /// Returns the path in the store of a path in the container that is below this place.
    fn in_store(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix(&self.path).filter(|rest| rest.starts_with('/'))?;
        Some([&self.part, rest].concat())
    }

    /// Returns a change in the store as one in the container.
    pub(in super::super) fn written_in_container(&self, written: &Written) -> Option<Written> {
        Some(Written { path: self.in_container(&written.path)?, ..written.clone() })
    }

    /// Returns the path in the container of a path in the store.
    fn in_container(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix(&self.part).filter(|rest| rest.starts_with('/'))?;
        Some([&self.path, rest].concat())
    }
}

/// Returns the beginning of the names of the stores of a pod.
pub(in super::super) fn of_pod(uid: &str) -> String {
    ["pods/", uid, "/"].concat()
}

/// Returns the name of the store of a container's own files.
pub(in super::super) fn of_container(uid: &str, container: &str) -> String {
    [&of_pod(uid), "containers/", container].concat()
}

/// Returns the places of a container, its own files first.
pub(super) fn places(
    pod: &Value,
    container: &Value,
    objects: &Objects,
    environment: &Environment,
) -> Vec<Place> {
    let store = of_container(object::uid(pod), container.text("name"));
    let own = Place { path: String::new(), store, part: String::new() };
    let volumes = list(container, "/volumeMounts").iter().filter_map(|mount| {
        let volume = list(pod, "/spec/volumes").iter().find(|own| own.text("name") == mount.text("name"))?;
        let (store, directory) = store_of(pod, volume, objects)?;
        let path = resolve("", mount.text("mountPath"));
        Some(Place { path, store, part: resolve(&directory, &part(mount, environment)) })
    });
    std::iter::once(own).chain(volumes).collect()
}

/// Returns the name of the store of a volume, and the directory in it. `None` for a volume that is made of objects.
fn store_of(pod: &Value, volume: &Value, objects: &Objects) -> Option<(String, String)> {
    if OF_OBJECTS.iter().any(|kind| volume.get(*kind).is_some()) {
        return None;
    }
    if let Some(host) = volume.get("hostPath") {
        let node = pod.text_at("/spec/nodeName");
        return Some((["nodes/", node].concat(), resolve("", host.text("path"))));
    }
    let claim = Reference::claim(pod, volume).and_then(|claim| objects.get(&claim));
    let store = match claim {
        Some(claim) => ["claims/", object::uid(claim)].concat(),
        None => [&of_pod(object::uid(pod)), "volumes/", volume.text("name")].concat(),
    };
    Some((store, String::new()))
}

/// Returns the place of a path in a container, and the path in its store. `None` for the place itself.
pub(in super::super) fn place_of<'a>(places: &'a [Place], path: &str) -> Option<(&'a str, String)> {
    let all = places.iter().filter(|place| is_within(path, &place.path));
    let place = all.max_by_key(|place| place.path.len())?;
    Some((&place.store, place.in_store(path)?))
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn places_of_paths() {
        let pod = json!({
            "metadata": {"uid": "u", "name": "p"},
            "spec": {"nodeName": "n", "volumes": [
                {"name": "empty", "emptyDir": {}}, {"name": "host", "hostPath": {"path": "/var/x"}},
                {"name": "claimed", "persistentVolumeClaim": {"claimName": "c"}}, {"name": "own", "ephemeral": {}},
                {"name": "map", "configMap": {"name": "c"}}
            ]}
        });
        let mount = |name: &str, part: &str| json!({"name": name, "mountPath": (["/", name].concat()), "subPath": part});
        let container = json!({"name": "main", "volumeMounts": [
            mount("empty", ""), mount("host", "a"), {"name": "claimed", "mountPath": "/claimed", "subPathExpr": "$(DIR)/c"}, mount("own", ""), mount("map", "")
        ]});
        let claim = |name: &str| Reference { resource: "persistentvolumeclaims", name: name.to_owned() };
        let objects = Objects::from([
            (claim("c"), json!({"metadata": {"uid": "v"}})),
            (claim("p-own"), json!({"metadata": {"uid": "w"}})),
        ]);
        let environment = Environment::from([("DIR".to_owned(), "b".to_owned())]);
        let places = places(&pod, &container, &objects, &environment);
        for (path, expected) in [
            ("/etc/x", Some("pods/u/containers/main:/etc/x")),
            ("/empty", None),
            ("/emptyness", Some("pods/u/containers/main:/emptyness")),
            ("/empty/a/b", Some("pods/u/volumes/empty:/a/b")),
            ("/host/b", Some("nodes/n:/var/x/a/b")),
            ("/claimed/d", Some("claims/v:/b/c/d")),
            ("/own/d", Some("claims/w:/d")),
        ] {
            let found = place_of(&places, path).map(|(store, path)| [store, ":", &path].concat());
            assert_eq!(found.as_deref(), expected, "{path}");
        }
        assert_eq!(places[3].in_container("/b/c/d").as_deref(), Some("/claimed/d"));
        assert_eq!(places[3].in_container("/b/cd"), None);
    }
}
