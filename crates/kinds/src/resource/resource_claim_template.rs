//! The kind ResourceClaimTemplate.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#resourceclaims-templates>.

use json_tree::Value;

use crate::kind::{Checks, Kind, Pass, Printer, Strategy, passes};
use crate::printing::cells;
use crate::resource::claim::{devices, spec_changed};
use crate::resource::resource_claim::strategy;
use crate::validation::metadata;
use crate::validation::read::at;
use field::{Error, Path};

/// The kind ResourceClaimTemplate.
pub(crate) struct ResourceClaimTemplate;

impl Kind for ResourceClaimTemplate {
    const GROUP: &'static str = "resource.k8s.io";
    const RESOURCE: &'static str = "resourceclaimtemplates";
    const STRATEGY: Strategy = strategy::TEMPLATE;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE_UPDATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_update(update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(cells::NAMED_COLUMNS, cells::named))
    }
}

/// Validates a ResourceClaimTemplate.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let mut errors = metadata::of_template(at(spec, "/metadata"), &path.child("metadata"));
    errors.extend(devices(at(spec, "/spec/devices"), &path.child("spec").child("devices")));
    errors
}

/// Validates an update of a ResourceClaimTemplate: its spec is immutable.
fn update(object: &Value, old: &Value) -> Vec<Error> {
    spec_changed(object, old, "ResourceClaimTemplateSpec").into_iter().collect()
}
