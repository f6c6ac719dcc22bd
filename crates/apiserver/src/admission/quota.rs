//! ResourceQuotas: what is created in a namespace is counted, and what would be too much is refused.
//!
//! A quota counts by its status, which a controller fills in first; until then it refuses nothing. The same
//! controller takes back what is deleted.
//!
//! <https://kubernetes.io/docs/concepts/policy/resource-quotas/>

mod devices;

use std::cell::LazyCell;
use std::sync::Arc;
use std::time::Duration;

use apimachinery::amounts::{self, Amounts};
use apimachinery::quota::{scopes, usage};
use json_tree::{Map, Value};
use schema::Resource;
use store::{Guard, KeyRange};

use self::devices::Claims;
use super::forbidden;
use crate::clock::Clock;
use crate::defaults::object::Object as Fields;
use crate::field_management;
use crate::object::Object;
use crate::status::Status;
use crate::storage::Storage;
use crate::stored::Stored;
use schema::quantity::Quantity;

/// A quota that counts the object, and what it comes to.
struct Charge {
    key: String,
    revision: u64,
    quota: Object,
    used: Amounts,
}

/// The changes that can use more or less of a quota: the group, the resource, and by which part of it.
const CHANGING: [(&str, &str, &str); 4] = [
    ("", "persistentvolumeclaims", ""),
    ("", "pods", "resize"),
    ("", "services", ""),
    ("resource.k8s.io", "resourceclaims", ""),
];

/// A write that quotas are to know of.
pub(crate) struct Counted<'a> {
    pub(crate) resource: &'a Resource,
    /// By which part of the object it is written; empty for the object itself.
    pub(crate) subresource: &'a str,
    pub(crate) namespace: &'a str,
    /// The object that is written, and the one that it replaces.
    pub(crate) object: &'a Object,
    pub(crate) old: Option<&'a Object>,
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

/// Counts a new object against the quotas of its namespace, or what a change of one makes of it. Nothing is written in a
/// dry run.
pub(crate) fn charge(
    storage: &mut Storage,
    counted: &Counted<'_>,
    dry_run: bool,
    clock: &dyn Clock,
) -> Result<(), Box<Status>> {
    if !counted.resource.namespaced || !counted.counts() {
        return Ok(());
    }
    let charges = charges(storage, counted, clock.now())?;
    if !dry_run {
        charges.into_iter().for_each(|charge| charge.write(storage, clock));
    }
    Ok(())
}

impl Charge {
    /// Writes it to the quota.
    fn write(self, storage: &mut Storage, clock: &dyn Clock) {
        let Some(row) = schema::resource("", "resourcequotas") else { return };
        let (before, mut quota) = (self.quota.clone(), self.quota);
        if let Some(mut fields) = Fields::builtin("k8s.io/api/core/v1", "ResourceQuota", &mut quota)
            && let Some(mut status) = fields.ensure("status")
        {
            let used = self.used.into_entries().into_iter();
            let used: Map<String, Value> =
                used.map(|(name, amount)| (name, amount.to_string().into())).collect();
            status.set("used", used);
        }
        field_management::track_own_status(row, clock, &before, &mut quota);
        let next = |revision| Arc::new(Stored::new(row, quota, revision));
        // The lock is held since the quota was read: nobody else has written it.
        let _ = storage.store.put(&self.key, Guard::ModRevision(self.revision), next);
    }
}

fn charges(storage: &Storage, counted: &Counted<'_>, now: Duration) -> Result<Vec<Charge>, Box<Status>> {
    let Counted { resource, namespace, object, .. } = *counted;
    let prefix = format!("/registry/resourcequotas/{namespace}/");
    // Both are looked for if there is a quota, and once for all of them.
    let claims = LazyCell::new(|| {
        let is_claim = usage::is_claim_of_devices(resource);
        is_claim.then(|| Claims::new(storage, namespace, now))
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
    let mut interesting = Vec::new();
    for entry in storage.store.range(&KeyRange::prefix(&prefix)) {
        let quota = entry.value.tree();
        let hard = amounts(&quota, "hard");
        let covers = |name: &&str| {
            usage::covers(resource, name) || claims.as_ref().is_some_and(|claims| claims.covers(name))
        };
        let restricted: Vec<&str> = hard.keys().map(String::as_str).filter(covers).collect();
        if restricted.is_empty() || !scopes::match_all(&quota, resource, object) {
            continue;
        }
        let name = &entry.value.name;
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
        interesting.push((format!("{prefix}{name}"), entry.mod_revision, name, quota, hard, used));
    }
    let mut charges = Vec::new();
    for (key, revision, name, quota, hard, mut used) in interesting {
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
            charges.push(Charge { key, revision, quota, used });
        }
    }
    Ok(charges)
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
