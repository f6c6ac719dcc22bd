//! The work of kube-apiserver's own controllers on definitions: they accept the names, say that the resource is
//! established, and take away the objects of a definition that is being deleted. Here that happens before anybody can
//! look.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/>

mod deletion;
mod naming;
mod registration;

use std::sync::Arc;

use json_tree::Value;
use store::{Guard, KeyRange};

use crate::api_services::{self, ApiService};
use crate::clock::Clock;
use crate::custom::Definition;
use crate::flow_schemas::dangling;
use crate::resource::{self, Resource};
use crate::resources::Resources;
use crate::storage::{Sources, Storage, Written, repairs};
use crate::stored::Stored;
use crate::{cluster_ips, field_management};
use apimachinery::object;
use apimachinery::object::Object;
use apimachinery::time;
use kinds::apiextensions::custom_resource_definition;
use kinds::apiextensions::custom_resource_definition::status::{
    STATUS_ORDER, conditions, has, set_condition,
};
use kinds::flowcontrol::initial;

/// The key prefix of stored definitions.
const DEFINITIONS: &str = "/registry/apiextensions.k8s.io/customresourcedefinitions/";
/// The key prefixes of what leads to aggregated API servers.
const BEHIND: [&str; 2] = ["/registry/services/specs/", "/registry/endpointslices/"];
/// Why a definition is established.
const INITIAL: &str = "the initial names have been accepted";
/// How often a definition can change by what was done about it.
const ROUNDS: usize = 8;

/// Does what the writes since the last time ask for, and serves what is defined now.
pub(crate) fn follow(storage: &mut Storage, sources: Sources<'_>) {
    let head = storage.store.revision();
    if storage.defined == head {
        return;
    }
    let aggregates = storage.resources.services.iter().any(|service| service.server.is_some());
    let (mut news, mut flows, mut cluster_ips) = (false, false, Vec::new());
    let written = storage.store.events(storage.defined).map(|events| {
        let mut groups = Vec::new();
        for event in events {
            news |= event.key.starts_with(api_services::PREFIX)
                || aggregates && BEHIND.iter().any(|prefix| event.key.starts_with(prefix));
            flows |= initial::concerns(event.key);
            if repairs::concerns(event.key) {
                cluster_ips.push(event.key.to_string());
            }
            if concerns(&storage.resources, event.key) {
                groups.push(group_of(event.key).to_owned());
            }
        }
        groups
    });
    if news || written.is_err() {
        storage.aggregation.changed = true;
        let waiting = storage.aggregation.waiting.take();
        storage.wake_later(waiting);
    }
    // What was written is unknown where it is compacted already. Cluster IPs are all looked at before long anyhow.
    flows |= written.is_err();
    let mut groups = written.ok();
    if flows || !cluster_ips.is_empty() || groups.as_ref().is_none_or(|groups| !groups.is_empty()) {
        if let Some(groups) = &mut groups {
            let leaving = storage.resources.definitions.iter().filter(|definition| definition.terminating);
            groups.extend(leaving.map(|definition| definition.group.clone()));
        }
        (storage.define)(storage, sources, &Written { groups, flows, cluster_ips });
    }
    storage.defined = storage.store.revision();
}

/// Serves the resources that are defined, updates the status of the definitions and of the FlowSchemas that were written, and repairs
/// cluster IPs.
pub(crate) fn define(storage: &mut Storage, sources: Sources<'_>, written: &Written) {
    if written.flows {
        dangling::follow(storage, sources.clock);
    }
    if !written.cluster_ips.is_empty() {
        cluster_ips::repair(storage, sources, &written.cluster_ips);
    }
    if written.groups.as_ref().is_some_and(Vec::is_empty) {
        return;
    }
    let Some(row) = row() else { return };
    for _ in 0..ROUNDS {
        let before = storage.store.revision();
        serve(storage);
        act(storage, row, sources.clock, written.groups.as_deref());
        registration::register(storage, sources);
        if storage.store.revision() == before {
            break;
        }
    }
}

/// The row of definitions themselves.
fn row() -> Option<&'static Arc<Resource>> {
    resource::find("apiextensions.k8s.io", "customresourcedefinitions")
}

/// Reports whether a write of this key may ask for something to be done: a definition, an APIService, or one of the last objects
/// of a definition.
fn concerns(resources: &Resources, key: &str) -> bool {
    let leaving = |definition: &&Arc<Definition>| definition.terminating;
    [DEFINITIONS, api_services::PREFIX].iter().any(|prefix| key.starts_with(prefix))
        || resources.definitions.iter().filter(leaving).any(|one| key.starts_with(&deletion::prefix(one)))
}

/// The group that a definition's key, or name, ends with.
fn group_of(key: &str) -> &str {
    key.rsplit('/').next().and_then(|name| name.split_once('.')).map_or("", |(_, group)| group)
}

/// Reads the definitions and the APIServices, and begins and ends caches where they make a difference.
pub(crate) fn serve(storage: &mut Storage) {
    let last = Arc::clone(&storage.resources);
    let find = |name: &str| last.definitions.iter().find(|definition| definition.name == name);
    let entries = storage.store.range(&KeyRange::prefix(DEFINITIONS));
    let definitions: Vec<Arc<Definition>> =
        entries.map(|entry| read(&entry.value, find(&entry.value.name))).collect();
    let unchanged = definitions.len() == last.definitions.len()
        && definitions.iter().zip(&last.definitions).all(|(new, old)| Arc::ptr_eq(new, old));
    let services = services(storage);
    if unchanged && services == last.services {
        return;
    }
    let now = Arc::new(Resources::with(definitions, services));
    // A definition has one cache for all of its versions: the first row of each will do.
    let firsts = |resources: &Resources| {
        let served = resources.definitions.iter().filter(|definition| definition.is_served());
        served
            .map(|definition| (Arc::clone(definition), crate::resources::row(definition, 0)))
            .collect::<Vec<_>>()
    };
    let (before, after) = (firsts(&last), firsts(&now));
    let same = |all: &[(Arc<Definition>, Resource)], definition: &Definition| {
        all.iter().any(|(other, _)| other.name == definition.name && !other.differs(definition))
    };
    let mut wakers = Vec::new();
    for server in &mut storage.servers {
        for (definition, row) in &before {
            if !after.iter().any(|(other, _)| other.name == definition.name) {
                wakers.extend(server.caches.remove(row, &storage.store));
            }
        }
        for (definition, row) in &after {
            if !same(&before, definition) {
                wakers.extend(server.caches.restart(row, &storage.store));
            }
        }
    }
    storage.resources = now;
    storage.wake_later(wakers);
}

/// Reads the APIServices. A cluster that is restored may be from before there were any: then those of the built-in versions count as if
/// they were there.
fn services(storage: &Storage) -> Vec<Arc<ApiService>> {
    let last = &storage.resources.services;
    let read = |stored: &Stored| {
        let same = |one: &&Arc<ApiService>| one.name == stored.name && one.revision == stored.revision();
        let read = || Arc::new(ApiService::read(&stored.name, stored.revision(), &stored.tree()));
        last.iter().find(same).map_or_else(read, Arc::clone)
    };
    let entries = storage.store.range(&KeyRange::prefix(api_services::PREFIX));
    let mut services: Vec<Arc<ApiService>> = entries.map(|entry| read(&entry.value)).collect();
    let built_in = api_services::built_in();
    if !built_in.iter().any(|service| services.iter().any(|own| own.name == service.name)) {
        services.extend(built_in);
    }
    services
}

/// Reads a stored definition. `last` is the same definition as it was, if it was there.
fn read(stored: &Stored, last: Option<&Arc<Definition>>) -> Arc<Definition> {
    Definition::read((&stored.name, &stored.uid), stored.revision(), &stored.tree(), last)
}

/// Writes what has become of each definition into its status. Only those of `groups`, if they are known, can have been
/// accepted or refused by what was written, for they share names with no others.
fn act(storage: &mut Storage, row: &Arc<Resource>, clock: &dyn Clock, groups: Option<&[String]>) {
    let concerned = |stored: &Stored| {
        let written = |groups: &[String]| groups.iter().any(|group| group == group_of(&stored.name));
        stored.is_terminating() || groups.is_none_or(written)
    };
    let entries = storage.store.range(&KeyRange::prefix(DEFINITIONS));
    let all = entries.map(|entry| &entry.value).filter(|stored| concerned(stored));
    let all: Vec<Arc<Stored>> = all.map(Arc::clone).collect();
    let mut trees: Vec<Object> = all.iter().map(|stored| stored.tree()).collect();
    for (index, stored) in all.into_iter().enumerate() {
        let old = trees[index].clone();
        if stored.is_terminating() {
            deletion::act(storage, row, &stored, clock);
            continue;
        }
        if let Some(new) = accept(&old, &trees, &time::rfc3339(clock.now()))
            && let Some(stored) = write_status(storage, row, &stored, new, clock)
        {
            trees[index] = stored.tree();
        }
    }
}

/// The definition with the names that it gets, or established once they are all accepted. `None`: there is nothing to
/// do. `all` are the definitions that there are.
fn accept(definition: &Object, all: &[Object], now: &str) -> Option<Object> {
    let mut new = definition.clone();
    set_approval(&mut new, now);
    if new != *definition {
        return Some(new);
    }
    let (names, accepted) = naming::accept_names(definition, all);
    if let Some(Value::Object(status)) = new.get_mut("status") {
        object::set_in_order(status, "acceptedNames", Value::Object(names), STATUS_ORDER);
    }
    set_condition(&mut new, now, ["NamesAccepted", accepted.status(), accepted.reason, &accepted.message]);
    let known = conditions(definition).iter().any(|one| one["type"] == "Established");
    let waits = accepted.all && !has(definition, "Established");
    if new != *definition {
        if waits {
            set_condition(&mut new, now, ["Established", "False", "Installing", INITIAL]);
        } else if !known {
            set_condition(
                &mut new,
                now,
                ["Established", "False", "NotAccepted", "not all names are accepted"],
            );
        }
        return Some(new);
    }
    if waits {
        let established = match is_convertible(definition) {
            true => ["Established", "True", "InitialNamesAccepted", INITIAL],
            false => {
                ["Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid"]
            }
        };
        set_condition(&mut new, now, established);
    }
    (new != *definition).then_some(new)
}

/// Reports whether the certificates of the webhook that converts the objects can be read, if there are any.
fn is_convertible(definition: &Object) -> bool {
    let conversion = definition.get("spec").and_then(|spec| spec.get("conversion"));
    let bundle = conversion.and_then(|conversion| conversion.pointer("/webhook/clientConfig/caBundle"));
    bundle.and_then(Value::as_str).is_none_or(custom_resource_definition::is_certificate_bundle)
}

/// Says of a definition in a group of the Kubernetes community whether it was approved. Validation has seen to it that
/// the annotation says so, or why not.
///
/// <https://kubernetes.io/docs/reference/labels-annotations-taints/#api-approved-kubernetes-io>
fn set_approval(definition: &mut Object, now: &str) {
    let group = definition.get("spec").and_then(|spec| spec["group"].as_str()).unwrap_or_default();
    if !custom_resource_definition::is_protected_group(group) {
        return;
    }
    let annotations = object::metadata(definition, "annotations");
    let annotation =
        annotations.and_then(|all| all.get(custom_resource_definition::APPROVAL)).and_then(Value::as_str);
    let condition = match annotation.unwrap_or_default() {
        "" => return,
        why if why.starts_with("unapproved") => {
            ["False", "UnapprovedAnnotation", &format!("not approved: {}", field::quote(why))]
                .map(str::to_owned)
        }
        place => ["True", "ApprovedAnnotation", &format!("approved in {place}")].map(str::to_owned),
    };
    let [status, reason, message] = &condition;
    set_condition(definition, now, ["KubernetesAPIApprovalPolicyConformant", status, reason, message]);
}

/// Writes `new` over a stored definition, as the server's own write of its status.
fn write_status(
    storage: &mut Storage,
    row: &Resource,
    stored: &Stored,
    mut new: Object,
    clock: &dyn Clock,
) -> Option<Arc<Stored>> {
    let old = stored.tree();
    field_management::track_own_status(row, clock, &old, &mut new);
    let key = [DEFINITIONS, &stored.name].concat();
    let put = storage.store.put(&key, Guard::ModRevision(stored.revision()), |revision| {
        Arc::new(Stored::new(row, new, revision))
    });
    put.ok().map(|entry| Arc::clone(&entry.value))
}
