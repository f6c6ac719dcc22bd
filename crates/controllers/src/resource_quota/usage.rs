//! How much of what a quota limits is used in its namespace.

use std::collections::BTreeSet;

use apimachinery::amounts::Amounts;
use apimachinery::quota::{scopes, usage};
use json_tree::Value;
use schema::quantity::Quantity;

use crate::controller::Context;
use crate::object;
use crate::resource::Resource;

/// Reports whether objects of a resource use what a quota limits by a name.
pub(super) fn covers(resource: &Resource, name: &str) -> bool {
    match schema::resource(&resource.group, &resource.plural) {
        Some(row) => usage::covers(row, name),
        None => name == count_name(resource),
    }
}

/// Returns the name by which quotas limit the number of objects of a custom resource.
fn count_name(resource: &Resource) -> String {
    ["count/", &resource.plural, ".", &resource.group].concat()
}

/// Returns what the objects of the quota's namespace use, of what it limits and they can use.
pub(super) fn of(
    quota: &Value,
    hard: &Amounts,
    resources: &BTreeSet<Resource>,
    context: &Context<'_>,
) -> Amounts {
    let mut all = Amounts::new();
    for resource in resources {
        let names: Vec<&String> = hard.keys().filter(|name| covers(resource, name)).collect();
        if names.is_empty() {
            continue;
        }
        let mut used = Amounts::new();
        used.extend(names.iter().map(|name| ((*name).clone(), Quantity::count(0))));
        for object in context.stores.of(resource).in_namespace(object::namespace(quota)) {
            for (name, amount) in of_object(quota, resource, object, context).entries() {
                if let Some(sum) = used.get_mut(name) {
                    *sum = sum.plus(amount);
                }
            }
        }
        for (name, amount) in used.into_entries() {
            let sum = all.get(&name).map(|sum| sum.plus(&amount));
            all.insert(name, sum.unwrap_or(amount));
        }
    }
    all
}

/// Returns what an object uses that a quota counts; nothing if it is not in its scopes.
fn of_object(quota: &Value, resource: &Resource, object: &Value, context: &Context<'_>) -> Amounts {
    let (Some(quota), Some(object)) = (quota.as_object(), object.as_object()) else { return Amounts::new() };
    match schema::resource(&resource.group, &resource.plural) {
        Some(row) if scopes::match_all(quota, row, object) => usage::of(row, object, context.now()),
        None if !scopes::has_any(quota) => {
            let mut one = Amounts::new();
            one.insert(count_name(resource), Quantity::count(1));
            one
        }
        _ => Amounts::new(),
    }
}
