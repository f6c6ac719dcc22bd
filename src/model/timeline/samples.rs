//! Histories to test with.

use glass::History;
use protocol::trace::ObjectKey;

use crate::model::watch::EventType;

/// A ConfigMap.
pub(crate) fn configmap(name: &str) -> ObjectKey {
    ObjectKey {
        group: String::new(),
        resource: "configmaps".to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
    }
}

/// A history of these writes to ConfigMaps.
pub(crate) fn history(writes: &[(u64, EventType, &str)]) -> History {
    let mut history = History::default();
    for (revision, change, name) in writes {
        history.push(*revision, *change, configmap(name));
    }
    history
}
