//! Jobs: what is made for one is not made for another.
//!
//! <https://kubernetes.io/docs/concepts/workloads/controllers/job/>

use json_tree::Value;

use crate::kind::{Dependents, Strategy, TRACKED};
use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, set_in_order};

/// A Job's pods outlive it unless the request says otherwise, as they did before there was a choice.
pub(super) const STRATEGY: Strategy = Strategy {
    dependents: Dependents::Orphan,
    deletion_warning: Some(
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them \
         or set propagationPolicy=Orphan to suppress this warning",
    ),
    read_back: default_labels,
    ..TRACKED
};

/// A Job without labels has those of its template, also those that its template got only when it was created.
fn default_labels(job: &mut Object) -> bool {
    let template = job.get("spec").and_then(|spec| spec.get("template"));
    let labels = template.and_then(|template| template.get("metadata")?.get("labels")).cloned();
    let is_empty =
        |labels: Option<&Value>| labels.and_then(Value::as_object).is_none_or(json_tree::Map::is_empty);
    let metadata = metadata_mut(job);
    let labels = labels.filter(|labels| !is_empty(Some(labels)) && is_empty(metadata.get("labels")));
    let has_labels = labels.is_some();
    if let Some(labels) = labels {
        set_in_order(metadata, "labels", labels, METADATA_ORDER);
    }
    has_labels
}
