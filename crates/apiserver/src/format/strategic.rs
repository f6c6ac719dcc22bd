//! Strategic Merge Patch: a function of an object, its type and a patch.
//!
//! <https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/>

use json_tree::Value;
use patch::{Error, strategic};
use schema::{TypeId, Types};

/// Puts a patch over an object of a type.
pub(crate) type Merge = fn(TypeId, Value, Value) -> Merged;

/// The result of a patch.
pub(crate) struct Merged {
    /// The object in the shape of its type, or why there is none.
    pub(crate) object: Result<Value, Unmerged>,
    /// The patch as errors show it: without the directives that were carried out.
    pub(crate) patch: Value,
}

impl Merged {
    /// No object, for want of the code.
    pub(crate) fn failed(why: String) -> Self {
        Self { object: Err(Unmerged::Refused(Error::Unclassified(why))), patch: Value::Null }
    }
}

/// Why a patch made no object.
pub(crate) enum Unmerged {
    /// It cannot be applied.
    Refused(Error),
    /// The patched object does not fit the type.
    Unfit(String),
}

/// Puts a patch over an object of a type.
pub(crate) fn here(ty: TypeId, original: Value, mut patch: Value) -> Merged {
    let types = Types::builtin();
    let merged = strategic::apply(types, ty, original, &mut patch).map_err(Unmerged::Refused);
    let object = merged.and_then(|merged| strategic::convert(types, ty, merged).map_err(Unmerged::Unfit));
    Merged { object, patch }
}
