//! The rows of tables of the kind MutatingAdmissionPolicy.

use json_tree::Value;

use crate::admissionregistration::printer::policy;
use crate::printing::row::Row;

/// The columns: name, type, format, priority and description.
pub(super) const COLUMNS: &str = "Name||name||@name
Mutations|integer|||Mutation indicates the number of mutations rules defined in this configuration
ParamKind||||ParamKind specifies the kind of resources used to parameterize this policy
Age||||@created";

pub(super) fn cells(row: &Row<'_>) -> Vec<Value> {
    policy(row, "/spec/mutations")
}
