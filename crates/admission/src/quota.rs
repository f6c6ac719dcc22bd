//! ResourceQuotas: what is created in a namespace is counted, and what would be too much is refused.
//!
//! A quota counts by its status, which a controller fills in first; until then it refuses nothing. The same
//! controller takes back what is deleted.
//!
//! <https://kubernetes.io/docs/concepts/policy/resource-quotas/>

mod devices;

use std::cell::LazyCell;
use std::time::Duration;

use apimachinery::amounts::{self, Amounts};
use apimachinery::quota::{scopes, usage};
use json_tree::{Map, Value};
use kinds::kind::Objects;
use schema::Resource;

use self::devices::Claims;
use super::forbidden;
use apimachinery::object::Object;
use apimachinery::status::Status;
use apimachinery::typed_object::TypedObject;
use schema::quantity::Quantity;

/// A quota that counts the object.
#[derive(Clone, Debug)]
pub struct Charge {
    /// The key of the quota in the store.
    pub key: String,
    /// The quota as it is.
    pub before: Object,
    /// The quota with the object in its `status.used`.
    pub quota: Object,
}

/// The changes that can use more or less of a quota: the group, the resource, and by which part of it.
const CHANGING: [(&str, &str, &str); 4] = [
    ("", "persistentvolumeclaims", ""),
    ("", "pods", "resize"),
    ("", "services", ""),
    ("resource.k8s.io", "resourceclaims", ""),
];

/// A write that quotas are to know of.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    /// The resource of the object.
    pub resource: &'a Resource,
    /// The part of the object by which it is written; empty for the object itself.
    pub subresource: &'a str,
    /// The namespace of the object.
    pub namespace: &'a str,
    /// The object that is written.
    pub object: &'a Object,
    /// The object that it replaces, if it does.
    pub old: Option<&'a Object>,
}

impl Counted<'_> {
    /// Reports whether quotas are asked: about each new object, and about the changes that can make a difference to them.
    fn counts(&self) -> bool {
        let Some(old) = self.old else { return true };
        let stored = &self.resource.storage;
        let change = (stored.group.as_str(), stored.resource.as_str(), self.subresource);
        let terminating = |pod: &Object| pod.get("spec").is_some_and(scopes::is_terminating);
        CHANGING.contains(&change)
            || change == ("", "pods", "") && terminating(self.object) != terminating(old)
    }
}

/// Counts a new object against the quotas of its namespace, or what a change of one makes of it. Whoever stores the object has to store
/// the quotas with it: nothing may come between.
///
/// # Errors
/// The 403 of the quota that the object exceeds.
pub fn charges(
    objects: &dyn Objects,
    counted: &Counted<'_>,
    now: Duration,
) -> Result<Vec<Charge>, Box<Status>> {
    if !counted.resource.namespaced || !counted.counts() {
        return Ok(Vec::new());
    }
    let Counted { resource, namespace, object, .. } = *counted;
    let prefix = format!("/registry/resourcequotas/{namespace}/");
    // Both are looked for if there is a quota, and once for all of them.
    let claims = LazyCell::new(|| {
        let is_claim = usage::is_claim_of_devices(resource);
        is_claim.then(|| Claims::new(objects, namespace, now))
    });
    let usage = |object: &Object| {
        let mut all = usage::of(resource, object, now);
        if let Some(claims) = claims.as_ref() {
            claims.add_extended(object, counted.old.is_none(), &mut all);
        }
        all
    };
    let whole = LazyCell::new(|| usage(object));
    let more =
        LazyCell::new(|| counted.old.map_or_else(|| whole.clone(), |old| exceeding(&whole, &usage(old))));
    let mut quotas = Vec::new();
    objects.each(&prefix, &mut |found| quotas.push((found.name().to_owned(), found.tree())));
    let mut interesting = Vec::new();
    for (name, quota) in quotas {
        let hard = amounts(&quota, "hard");
        let covers = |name: &&str| {
            usage::covers(resource, name) || claims.as_ref().is_some_and(|claims| claims.covers(name))
        };
        let restricted: Vec<&str> = hard.keys().map(String::as_str).filter(covers).collect();
        if restricted.is_empty() || !scopes::match_all(&quota, resource, object) {
            continue;
        }
        if let Some(missing) = usage::missing(resource, object, &restricted) {
            return Err(forbidden(
                resource,
                object,
                &format!("failed quota: {name}: must specify {missing}"),
            ));
        }
        let used = amounts(&quota, "used");
        if restricted.iter().any(|resource| !used.contains_key(*resource)) {
            let why = format!("status unknown for quota: {name}, resources: {}", restricted.join(","));
            return Err(forbidden(resource, object, &why));
        }
        interesting.push((name, quota, hard, used));
    }
    let mut charges = Vec::new();
    for (name, quota, hard, mut used) in interesting {
        // A quota that has not counted the old object counts all of the new one.
        let counted_before = counted.old.is_some_and(|old| scopes::match_all(&quota, resource, old));
        let mut own = if counted_before { more.clone() } else { whole.clone() };
        own.retain(|(name, amount)| !amount.is_zero() && hard.contains_key(name));
        let before = used.clone();
        for (name, amount) in own.entries() {
            let sum = used.get(name).map_or_else(|| amount.clone(), |used| used.plus(amount));
            used.insert(name.clone(), sum);
        }
        let exceeded: Vec<&String> = own
            .keys()
            .filter(|name| {
                used.get(*name).zip(hard.get(*name)).is_some_and(|(used, hard)| used.exceeds(hard))
            })
            .collect();
        if !exceeded.is_empty() {
            let print = |amounts: &Amounts| {
                let one = |name: &&String| amounts.get(*name).map(|amount| format!("{name}={amount}"));
                exceeded.iter().filter_map(one).collect::<Vec<_>>().join(",")
            };
            let why = format!(
                "exceeded quota: {name}, requested: {}, used: {}, limited: {}",
                print(&own),
                print(&before),
                print(&hard)
            );
            return Err(forbidden(resource, object, &why));
        }
        if !own.entries().is_empty() {
            charges.push(Charge {
                key: prefix.clone() + &name,
                quota: with_used(&quota, used),
                before: quota,
            });
        }
    }
    Ok(charges)
}

/// Returns a quota with what is used of it.
fn with_used(quota: &Object, used: Amounts) -> Object {
    let mut quota = quota.clone();
    if let Some(mut fields) = TypedObject::builtin("k8s.io/api/core/v1", "ResourceQuota", &mut quota)
        && let Some(mut status) = fields.ensure("status")
    {
        let used = used.into_entries().into_iter();
        let used: Map<String, Value> = used.map(|(name, amount)| (name, amount.to_string().into())).collect();
        status.set("used", used);
    }
    quota
}

/// Returns by how much an object uses more than the one that it replaces. Where it uses less, nothing is taken back.
fn exceeding(whole: &Amounts, old: &Amounts) -> Amounts {
    let mut more = whole.clone();
    for (name, amount) in old.entries() {
        let Some(now) = whole.get(name) else { continue };
        let zero = Quantity::count(0);
        let rest = now.minus(amount);
        more.insert(name.clone(), if zero.exceeds(&rest) { zero } else { rest });
    }
    more
}

fn amounts(quota: &Object, field: &str) -> Amounts {
    amounts::amounts(quota.get("status").and_then(|status| status.get(field)))
}

#[cfg(test)]
mod tests;
