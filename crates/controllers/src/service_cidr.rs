//! The controller of ServiceCIDRs: one that addresses depend on does not go before they do.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/>.

use std::net::IpAddr;
use std::time::Duration;

use futures::FutureExt;
use golang::netip::{Prefix, parse_addr};
use json_tree::{Value, json};

use crate::change::Change;
use crate::client::{STRATEGIC_MERGE_PATCH, View};
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::events::EventType;
use crate::object::{self, list};
use crate::resource::{IP_ADDRESSES, Resource, SERVICE_CIDRS};
use crate::store::Store;

/// The source of its events, and the field manager of the conditions.
pub(crate) const NAME: &str = "service-cidr-controller";

const FINALIZER: &str = "networking.k8s.io/service-cidr-finalizer";

/// The label of addresses and its value that says that an API server has given them to a Service.
const MANAGED_BY: &str = "ipaddress.kubernetes.io~1managed-by";
const ALLOCATOR: &str = "ipallocator.k8s.io";

/// The time from a deletion until the finalizer goes: API servers have heard of it then, and give no address of the range any more.
const GRACE: Duration = Duration::from_secs(10);

const READY: &str = "Kubernetes Service CIDR is ready";
const BLOCKED: &str =
    "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR";

/// The controller. Its keys are the names of ServiceCIDRs.
pub(crate) struct ServiceCidrs;

impl Controller for ServiceCidrs {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(SERVICE_CIDRS, View::Whole), (IP_ADDRESSES, View::Whole)]
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        let Some(object) = change.object() else { return };
        let ranges = context.stores.of(&SERVICE_CIDRS);
        let mut keys: Vec<String> = Vec::new();
        if change.resource == SERVICE_CIDRS {
            keys.push(object::name(object).to_owned());
            if change.old.is_none() {
                let own: Vec<Prefix> = prefixes(object).collect();
                let overlaps = |other: Prefix| {
                    own.iter().any(|own| own.contains_prefix(other) || other.contains_prefix(*own))
                };
                keys.extend(names(ranges, overlaps));
            }
        } else if (change.old.is_none() || change.new.is_none())
            && let Some(address) = allocated(object)
        {
            keys.extend(names(ranges, |range| range.contains(address)));
        }
        keys.into_iter().for_each(|key| context.queue.add(key));
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        sync(key, context).boxed()
    }
}

async fn sync(name: &str, context: &mut Context<'_>) -> Result<Outcome, Error> {
    let Some(cidr) = context.stores.of(&SERVICE_CIDRS).get(name).cloned() else { return Ok(Outcome::Done) };
    let has_finalizer = object::finalizers(&cidr).any(|finalizer| finalizer == FINALIZER);
    if !object::is_being_deleted(&cidr) {
        if !has_finalizer {
            patch_metadata(name, "finalizers", context).await?;
        }
        let written = write_condition(&cidr, ("True", "", READY), context).await;
        if written.is_err() {
            let message = "The ServiceCIDR Status can not be set to Ready=True".to_owned();
            let reason = "KubernetesServiceCIDRError";
            context.recorder.report(&SERVICE_CIDRS, &cidr, EventType::Warning, reason, message);
        }
        return written.map(|()| Outcome::Done);
    }
    if !may_go(&cidr, context) {
        return write_condition(&cidr, ("False", "Terminating", BLOCKED), context)
            .await
            .map(|()| Outcome::Done);
    }
    let deleted = object::time(object::meta(&cidr, "deletionTimestamp")).unwrap_or_default();
    let due = deleted.saturating_add(GRACE);
    if due > context.now() {
        return Ok(Outcome::After(due - context.now()));
    }
    if has_finalizer {
        patch_metadata(name, "$deleteFromPrimitiveList/finalizers", context).await?;
    }
    Ok(Outcome::Done)
}

/// Patches the list of finalizers, by a directive.
async fn patch_metadata(name: &str, directive: &str, context: &Context<'_>) -> Result<(), Error> {
    let mut metadata = json!({});
    object::set(&mut metadata, directive, json!([FINALIZER]));
    let patch = json!({"metadata": metadata});
    match context.client.patch(&SERVICE_CIDRS, ("", name), STRATEGIC_MERGE_PATCH, &patch, View::Whole).await {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}

/// Writes the condition `Ready`, unless it is the same.
async fn write_condition(
    cidr: &Value,
    (status, reason, message): (&str, &str, &str),
    context: &Context<'_>,
) -> Result<(), Error> {
    let known = list(cidr, "/status/conditions").iter().find(|condition| condition.text("type") == "Ready");
    let told = [("status", status), ("reason", reason), ("message", message)];
    if known.is_some_and(|known| told.iter().all(|(field, text)| known.text(field) == *text)) {
        return Ok(());
    }
    let condition = json!({
        "type": "Ready", "status": status, "reason": reason, "message": message,
        "lastTransitionTime": object::timestamp(context.now())
    });
    let name = object::name(cidr);
    let applied = json!({"metadata": {"name": name}, "status": {"conditions": [condition]}});
    context.client.apply_status(&SERVICE_CIDRS, ("", name), NAME, &applied).await
}

/// Reports whether no address is left without a range when a ServiceCIDR goes.
fn may_go(cidr: &Value, context: &Context<'_>) -> bool {
    let ranges = context.stores.of(&SERVICE_CIDRS);
    let own = object::name(cidr);
    let is_within_another =
        |prefix: Prefix| names(ranges, |range| range.contains_prefix(prefix)).iter().any(|name| name != own);
    if prefixes(cidr).all(is_within_another) {
        return true;
    }
    let depends = |address: IpAddr| {
        let within = names(ranges, |range| range.contains(address));
        matches!(within.as_slice(), [only] if only == own)
    };
    let addresses = context.stores.of(&IP_ADDRESSES);
    !addresses.iter().filter_map(|(_, object)| allocated(object)).any(depends)
}

/// Returns the address of an IPAddress, if an API server has given it to a Service.
fn allocated(object: &Value) -> Option<IpAddr> {
    let is_allocated = object.text_at(&["/metadata/labels/", MANAGED_BY].concat()) == ALLOCATOR;
    let address = parse_addr(object::name(object)).ok().filter(|_| is_allocated)?;
    Some(address.address)
}

/// Returns the ranges of a ServiceCIDR.
fn prefixes(cidr: &Value) -> impl Iterator<Item = Prefix> {
    list(cidr, "/spec/cidrs").iter().filter_map(|cidr| Prefix::parse(cidr.as_text()).ok())
}

/// Returns the names of the ServiceCIDRs of which a range is as asked for.
fn names(ranges: &Store, is_meant: impl Fn(Prefix) -> bool) -> Vec<String> {
    let of =
        |(name, cidr): (&String, &crate::store::Shared)| prefixes(cidr).any(&is_meant).then(|| name.clone());
    ranges.iter().filter_map(of).collect()
}
