//! Events, which are stored as those of the core group.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/>

use apimachinery::object::Object;
use apimachinery::typed_object::renamed;

/// The fields of an event: in `events.k8s.io`, and in the core group.
const FIELDS: &[(&str, &str)] = &[
    ("metadata", "metadata"),
    ("eventTime", "eventTime"),
    ("series", "series"),
    ("reportingController", "reportingComponent"),
    ("reportingInstance", "reportingInstance"),
    ("action", "action"),
    ("reason", "reason"),
    ("regarding", "involvedObject"),
    ("related", "related"),
    ("note", "message"),
    ("type", "type"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

pub(crate) fn to_storage(event: &mut Object) {
    let pairs = FIELDS.iter().map(|(own, core)| (*core, *own));
    *event = renamed("k8s.io/api/core/v1", "Event", event, pairs);
}

pub(crate) fn from_storage(event: &mut Object) {
    *event = renamed("k8s.io/api/events/v1", "Event", event, FIELDS.iter().copied());
}
