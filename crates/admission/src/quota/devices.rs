//! Devices that count as extended resources too: a claim uses what its classes stand for.
//!
//! <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#extended-resource>

use std::time::Duration;

use apimachinery::amounts::Amounts;
use apimachinery::quota::usage::{self, DEVICE_CLASS};
use apimachinery::small_map::SmallMap;
use json_tree::Value;
use kinds::kind::Objects;

use apimachinery::object::{self, Object, metadata_text};

/// The prefix of what quotas limit of extended resources.
const REQUESTS: &str = "requests.";
/// The prefix of the extended resource that each class is, whatever it says.
const OF_CLASS: &str = "deviceclass.resource.kubernetes.io/";
/// The annotation of the claims that the scheduler makes for pods which ask for extended resources.
const MADE_FOR_POD: &str = "resource.kubernetes.io/extended-resource-claim";

/// The objects by which the claims of a namespace count as extended resources.
pub(super) struct Claims<'a> {
    objects: &'a dyn Objects,
    namespace: &'a str,
    now: Duration,
    /// The extended resource of each class; empty for a class that names none.
    classes: SmallMap<String, String>,
}

impl<'a> Claims<'a> {
    /// Reads the classes of devices as they are `now`.
    pub(super) fn new(objects: &'a dyn Objects, namespace: &'a str, now: Duration) -> Self {
        let mut classes = SmallMap::new();
        for (name, class) in all(objects, "/registry/deviceclasses/") {
            let resource = object::at_pointer(&class, "/spec/extendedResourceName").and_then(Value::as_str);
            classes.insert(name, resource.unwrap_or_default().to_owned());
        }
        Self { objects, namespace, now, classes }
    }

    /// Reports whether `name` limits an extended resource that a class of devices stands for.
    pub(super) fn covers(&self, name: &str) -> bool {
        let Some(resource) = name.strip_prefix(REQUESTS) else { return false };
        match resource.strip_prefix(OF_CLASS) {
            Some(class) => self.classes.contains_key(class),
            None => {
                resource.contains('/') && self.classes.entries().iter().any(|(_, named)| named == resource)
            }
        }
    }

    /// Adds the extended resources that a claim uses, less what its pod is counted for. The claim may be new: all others
    /// were there before it.
    pub(super) fn add_extended(&self, claim: &Object, is_new: bool, amounts: &mut Amounts) {
        let counted = self.counted_for_pod(claim, is_new).unwrap_or_default();
        let mut extended = Amounts::new();
        for (name, amount) in amounts.entries() {
            let Some(class) = name.strip_suffix(DEVICE_CLASS).filter(|class| !class.is_empty()) else {
                continue;
            };
            extended.insert([REQUESTS, OF_CLASS, class].concat(), amount.clone());
            if let Some(resource) = self.classes.get(class).filter(|name| !name.is_empty()) {
                extended.insert([REQUESTS, resource].concat(), amount.clone());
            }
        }
        for (name, amount) in extended.into_entries() {
            let rest = counted.get(&name).map_or_else(|| amount.clone(), |counted| amount.minus(counted));
            if rest.is_positive() {
                amounts.insert(name, rest);
            }
        }
    }

    /// Returns what the pod is counted for that a claim was made for by the scheduler. It is counted for one claim: the one
    /// that it names, or else its first.
    fn counted_for_pod(&self, claim: &Object, is_new: bool) -> Option<Amounts> {
        let (name, owner) = (metadata_text(claim, "name"), owner(claim)?);
        let row = schema::resource("", "pods")?;
        let key = ["/registry/pods/", self.namespace, "/", owner["name"].as_str()?].concat();
        let pod = self.objects.get(&key)?;
        if owner["uid"] != metadata_text(&pod, "uid") {
            return None;
        }
        let named = object::at_pointer(&pod, "/status/extendedResourceClaimStatus");
        let is_counted = match named.filter(|status| !status.is_null()) {
            Some(status) => status["resourceClaimName"] == name,
            None => {
                let age = |claim: &Object| metadata_text(claim, "creationTimestamp").to_owned();
                let own = (age(claim), name.to_owned());
                let before = |other: &(String, Object)| {
                    let is_owned = self::owner(&other.1).is_some_and(|other| other["uid"] == owner["uid"]);
                    is_owned && (is_new || (age(&other.1), other.0.clone()) < own)
                };
                let claims = all(self.objects, &["/registry/resourceclaims/", self.namespace, "/"].concat());
                !claims.iter().any(before)
            }
        };
        is_counted.then(|| usage::of(row, &pod, self.now))
    }
}

/// Returns the reference to the pod that a claim was made for by the scheduler.
fn owner(claim: &Object) -> Option<&Value> {
    let made = object::metadata(claim, "annotations")?.get(MADE_FOR_POD)?;
    let owners = object::metadata(claim, "ownerReferences")?.as_array()?;
    let owner = owners.iter().find(|owner| owner["controller"] == true)?;
    (made == "true" && owner["kind"] == "Pod" && owner["apiVersion"] == "v1").then_some(owner)
}

/// Returns all objects whose keys begin with a prefix, each with its name.
fn all(objects: &dyn Objects, prefix: &str) -> Vec<(String, Object)> {
    let mut all = Vec::new();
    objects.each(prefix, &mut |found| all.push((found.name().to_owned(), found.tree())));
    all
}
