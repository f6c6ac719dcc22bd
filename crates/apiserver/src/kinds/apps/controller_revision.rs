//! ControllerRevision.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/>.

mod printer;

use json_tree::Value;

use crate::kind::{Checks, Kind, Pass, Printer};
use crate::kinds::core::workload::{not_negatives, unchanged};
use crate::validation::read::get;
use field::{Error, Path};

/// The kind ControllerRevision.
pub(crate) struct ControllerRevision;

impl Kind for ControllerRevision {
    const GROUP: &'static str = "apps";
    const RESOURCE: &'static str = "controllerrevisions";
    const UPDATE_PASSES: &'static [Pass] = &[Pass::MetadataUpdate, Pass::Create, Pass::Change];

    fn checks() -> Checks {
        Checks::none().validate(create).validate_new(only_new).validate_update(update)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

/// Validates a ControllerRevision, new or changed.
pub(crate) fn create(object: &Value) -> Vec<Error> {
    not_negatives(object, &["revision"], &Path::default())
}

/// Validates the data of a new ControllerRevision.
pub(crate) fn only_new(object: &Value) -> Vec<Error> {
    let why = match get(object, "data") {
        Some(Value::Object(_)) => return Vec::new(),
        Some(_) => "data must be a valid JSON object",
        None => "data is mandatory",
    };
    vec![Error::required(Path::new("data"), why)]
}

/// Validates an update of a ControllerRevision. Its data is immutable.
pub(crate) fn update(object: &Value, old: &Value) -> Vec<Error> {
    unchanged(object, old, "data", &Path::default()).into_iter().collect()
}
