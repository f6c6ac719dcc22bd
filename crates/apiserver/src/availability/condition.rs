//! The condition `Available` of an APIService.

use std::borrow::Cow;
use std::sync::Arc;

use field::quote;
use json_tree::{Value, json};
use store::Guard;

use crate::api_services::{ApiService, GROUP, PREFIX};
use crate::context::Shared;
use crate::field_management;
use crate::resource;
use crate::services;
use crate::stored::Stored;
use apimachinery::object::Object;
use apimachinery::time;
use kinds::kind::Objects;

/// The reason of a server that does not respond as it has to.
pub(super) const FAILED_DISCOVERY: &str = "FailedDiscoveryCheck";
/// The condition of a server that is well: reason and message.
pub(super) const PASSED: (&str, &str) = ("Passed", "all checks passed");

/// The condition, but for its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    is_available: bool,
    pub(super) reason: &'static str,
    message: Cow<'static, str>,
}

impl From<(&'static str, &'static str)> for Condition {
    fn from((reason, message): (&'static str, &'static str)) -> Self {
        Self { is_available: true, reason, message: Cow::Borrowed(message) }
    }
}

impl Condition {
    /// Returns the condition of a server that does not respond as it has to.
    pub(super) fn failed_discovery(why: String) -> Self {
        Self::unavailable(FAILED_DISCOVERY, why)
    }

    fn unavailable(reason: &'static str, message: String) -> Self {
        Self { is_available: false, reason, message: Cow::Owned(message) }
    }
}

/// Checks whether there is something behind the service of an APIService.
///
/// # Errors
/// The condition that says that there is not.
pub(super) fn of_service(service: &ApiService, objects: &dyn Objects) -> Result<(), Condition> {
    let Some(server) = &service.server else { return Ok(()) };
    let (namespace, name) = (server.namespace.as_str(), server.service.as_str());
    let named = format!("service/{name} in {}", quote(namespace));
    let Ok(found) = services::find(objects, namespace, name) else {
        return Err(Condition::unavailable("ServiceNotFound", format!("{named} is not present")));
    };
    let spec = found.get("spec").unwrap_or(&Value::Null);
    if spec["type"] != "ClusterIP" {
        return Ok(());
    }
    let ports = spec["ports"].as_array();
    let Some(port) = ports.into_iter().flatten().find(|port| port["port"] == server.port) else {
        let why = format!("{named} is not listening on port {}", server.port);
        return Err(Condition::unavailable("ServicePortError", why));
    };
    let slices = services::endpoint_slices(objects, namespace, name);
    if slices.is_empty() {
        let why = format!("cannot find endpointslices for {named}");
        return Err(Condition::unavailable("EndpointsNotFound", why));
    }
    let port_name = port["name"].as_str().unwrap_or_default();
    let has = |slice: &Object, key: &str, fits: &dyn Fn(&Value) -> bool| {
        slice.get(key).and_then(Value::as_array).is_some_and(|list| list.iter().any(fits))
    };
    let is_there = |slice: &Object| {
        has(slice, "endpoints", &|endpoint| endpoint["conditions"]["ready"] != false)
            && has(slice, "ports", &|port| port["name"] == port_name && port["port"].is_number())
    };
    if slices.iter().any(is_there) {
        return Ok(());
    }
    let why = format!("endpointslices for {named} have no addresses with port name {}", quote(port_name));
    Err(Condition::unavailable("MissingEndpoints", why))
}

/// Writes the condition into the status of an APIService, unless it says so already.
pub(super) fn write(shared: &Shared, service: &ApiService, condition: Condition) {
    let Some(row) = resource::find(GROUP, "apiservices") else { return };
    let key = [PREFIX, &service.name].concat();
    {
        let mut storage = shared.storage();
        let Some(stored) = storage.store.get(&key).map(|entry| Arc::clone(&entry.value)) else { return };
        if stored.revision() != service.revision {
            // It is another one now, and is looked at again.
            return;
        }
        let old = stored.tree();
        let mut new = old.clone();
        set(&mut new, condition, &time::rfc3339(shared.config.clock.now()));
        if new == old {
            return;
        }
        field_management::track_own_status(row, shared.config.clock.as_ref(), &old, &mut new);
        let guard = Guard::ModRevision(stored.revision());
        // The lock is held: nobody else has written it.
        let _ = storage.store.put(&key, guard, |revision| Arc::new(Stored::new(row, new, revision)));
    }
    shared.announce();
}

/// Sets the condition of an APIService; its time changes with its status.
fn set(service: &mut Object, condition: Condition, now: &str) {
    let Condition { is_available, reason, message } = condition;
    let status = if is_available { "True" } else { "False" };
    if !service.get("status").is_some_and(Value::is_object) {
        service.insert("status".to_owned(), json!({}));
    }
    let Some(Value::Object(own)) = service.get_mut("status") else { return };
    let conditions = own.entry("conditions".to_owned()).or_insert_with(|| json!([]));
    if conditions.is_null() {
        *conditions = json!([]);
    }
    let Value::Array(conditions) = conditions else { return };
    match conditions.iter_mut().find(|one| one["type"] == "Available").and_then(Value::as_object_mut) {
        Some(known) => {
            if known.get("status").is_none_or(|known| *known != status) {
                known.insert("status".to_owned(), status.into());
                known.insert("lastTransitionTime".to_owned(), now.into());
            }
            known.insert("reason".to_owned(), reason.into());
            known.insert("message".to_owned(), message.as_ref().into());
        }
        None => conditions.push(json!({
            "type": "Available",
            "status": status,
            "lastTransitionTime": now,
            "reason": reason,
            "message": message.as_ref(),
        })),
    }
}
