//! The interface of a built-in kind: strategy, subresources, fields, validation, warnings and tables.
//!
//! A kind is an implementation of `Kind` in a file of its own; what it does not say is as it is for most kinds. Each aspect is read
//! through the lists of kinds in [this crate](crate), and alone: what asks for the strategy of a kind does not lead to the code of its
//! validation, which may be loaded later.

mod checks;
mod objects;
mod strategy;
mod subresource;

use std::cmp::Ordering;

use json_tree::Value;

use crate::printing::row::Row;
use crate::validation::name::NameRule;
use apimachinery::object::Object;
use apimachinery::selector::field::SelectableFields;

pub(crate) use checks::{Checks, Pass, passes};
pub use objects::{Found, Objects};
pub(crate) use strategy::{
    ADMISSION, ANSWERS_OBJECT, CREATES_ON_UPDATE, REQUIRES_VERSION, TRACKED, keep_metadata,
};
pub use strategy::{CUSTOM, CUSTOM_WITHOUT_STATUS, DEFAULT, Dependents, Generation, GoesWith, Strategy};
pub use subresource::{Action, Subresource};

/// A built-in kind.
pub(crate) trait Kind {
    /// The API group that its objects are stored in; empty for the core group.
    const GROUP: &'static str;
    /// The plural name in lower case.
    const RESOURCE: &'static str;

    /// The rules by which its objects are created, changed and deleted.
    const STRATEGY: Strategy = DEFAULT;
    /// The subresources but `status`, and how requests to them are answered. It names no functions: the list is in every
    /// program, and would lead to them. The empty name is the resource itself, where no objects of it are stored.
    const SUBRESOURCES: &'static [(&'static str, Subresource)] = &[];
    /// The prefix below `/registry` under which its objects are stored, where that is not its plural name.
    const STORAGE_PREFIX: Option<&'static str> = None;
    /// The fields by which its objects can be selected, beside name and namespace.
    const SELECTABLE_FIELDS: Option<&'static SelectableFields> = None;
    /// The fields that a write through a subresource (or the object itself, with an empty name) leaves alone, so that nobody
    /// comes to own them by it; where that is not the status for the object, and the spec for the status.
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[];
    /// The JSON pointer to the spec of the pods that are made from an object.
    const POD_SPEC: Option<&'static str> = None;

    /// The warning that every use of the kind earns, if all of its versions are deprecated.
    const DEPRECATION: Option<&'static str> = None;
    /// False if no admission policy is asked about its objects.
    const HAS_POLICIES: bool = true;

    /// The rule for the names of its objects.
    const NAME: NameRule = NameRule::Subdomain;
    /// True if the prefix that a name is generated from is checked by that rule, too.
    const CHECKS_GENERATE_NAME: bool = true;
    /// The annotation that is a field of the spec inside kube-apiserver, so that nobody sees it who asks for the metadata alone.
    const ANNOTATION_IN_SPEC: Option<AnnotationInSpec> = None;
    /// True if the replicas in the spec are a number inside kube-apiserver: 0 where a version may have none.
    const COUNTS_REPLICAS: bool = false;
    /// False if the metadata of new objects are checked by the rules for all kinds alone.
    const CHECKS_NEW_METADATA: bool = true;
    /// The checks that an update goes through, in their order.
    const UPDATE_PASSES: &'static [Pass] = passes::UPDATE;

    /// Drops the fields of features that are off from an object in place of the old one, if there is one.
    fn drop_disabled_fields(_object: &mut Object, _old: Option<&Object>) {}

    /// Returns the functions that validate its objects, beyond their metadata.
    fn checks() -> Checks {
        Checks::none()
    }

    /// Returns how the rows of its tables are made; `None` for a kind of which only name and age are shown.
    fn printer() -> Option<Printer> {
        None
    }
}

/// An annotation that is a field of the spec inside kube-apiserver.
#[derive(Clone, Copy)]
pub struct AnnotationInSpec {
    /// The annotation.
    pub name: &'static str,
    /// The value in an object of which nothing is set.
    pub in_empty: Option<&'static str>,
}

/// Paths of fields.
pub type Paths = &'static [&'static [&'static str]];

/// The columns of a kind's tables, and how the rows are made.
#[derive(Clone, Copy)]
pub struct Printer {
    /// The columns, one a line: `NAME|TYPE|FORMAT|PRIORITY|DESCRIPTION`, where the type `string`, an empty format and the
    /// priority 0 are left out, `@name` and `@created` stand for the descriptions that most kinds have, and `\n` for a line
    /// break.
    pub columns: &'static str,
    /// Returns the cells of a stored object, one for each column.
    pub cells: fn(&Row<'_>) -> Vec<Value>,
    /// Returns the conditions of the row, such as `Completed` for a pod.
    pub conditions: fn(&Row<'_>) -> Option<Value>,
    /// The order of the rows, if it is not that of the list.
    pub order: Option<fn(&Value, &Value) -> Ordering>,
}

impl Printer {
    /// These columns, and rows of these cells, without conditions, in the order of the list.
    pub(crate) fn of(columns: &'static str, cells: fn(&Row<'_>) -> Vec<Value>) -> Self {
        Self { columns, cells, conditions: |_| None, order: None }
    }
}
