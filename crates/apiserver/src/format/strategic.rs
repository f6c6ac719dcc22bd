//! Strategic Merge Patch, here or elsewhere: its code is large, and it is a function of an object, its type and a patch.
//!
//! <https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/>

use json_tree::{Value, json};
use patch::{Error, strategic};
use schema::{TypeId, Types};

use super::elsewhere::{Elsewhere, type_name};
use crate::validation::elsewhere::{of_json, to_json};

/// Puts a patch over an object of a type.
pub(crate) type Merge = fn(TypeId, Value, Value) -> Merged;

/// What became of a patch.
pub(crate) struct Merged {
    /// The object in the shape of its type, or why there is none.
    pub(crate) object: Result<Value, Unmerged>,
    /// The patch as errors show it: without the directives that were carried out.
    pub(crate) patch: Value,
}

/// Why a patch made no object.
pub(crate) enum Unmerged {
    /// It cannot be applied.
    Refused(Error),
    /// What it made is none of the type.
    Unfit(String),
}

/// By itself.
pub(super) fn here(ty: TypeId, original: Value, mut patch: Value) -> Merged {
    let types = Types::builtin();
    let merged = strategic::apply(types, ty, original, &mut patch).map_err(Unmerged::Refused);
    let object = merged.and_then(|merged| strategic::convert(types, ty, merged).map_err(Unmerged::Unfit));
    Merged { object, patch }
}

/// By `E`.
pub(super) fn ask<E: Elsewhere>(ty: TypeId, original: Value, patch: Value) -> Merged {
    let question = ["strategic", &type_name(Types::builtin(), ty)].concat();
    let asked = Value::Array(vec![original, patch]);
    let mut answer = match E::ask(&question, &to_json(&asked)).and_then(|answer| of_json(&answer)) {
        Ok(answer) => answer,
        Err(why) => {
            return Merged { object: Err(Unmerged::Refused(Error::Unclassified(why))), patch: Value::Null };
        }
    };
    let text = answer[1].as_str().unwrap_or_default().to_owned();
    let object = match answer[0].as_str().unwrap_or_default() {
        "merged" => Ok(answer[1].take()),
        "unfit" => Err(Unmerged::Unfit(text)),
        "bad" => Err(Unmerged::Refused(Error::BadRequest(text))),
        "unprocessable" => Err(Unmerged::Refused(Error::Unprocessable(text))),
        _ => Err(Unmerged::Refused(Error::Unclassified(text))),
    };
    Merged { object, patch: answer.get_mut(2).map(Value::take).unwrap_or_default() }
}

/// Answers the question `strategic PACKAGE NAME`.
pub(crate) fn answer(ty: TypeId, mut asked: Value) -> Value {
    let Merged { object, patch } = here(ty, asked[0].take(), asked[1].take());
    let (what, said) = match object {
        Ok(object) => ("merged", object),
        Err(Unmerged::Unfit(why)) => ("unfit", why.into()),
        Err(Unmerged::Refused(error)) => match error {
            Error::BadRequest(why) => ("bad", why.into()),
            Error::Unprocessable(why) => ("unprocessable", why.into()),
            Error::Unclassified(why) => ("unclassified", why.into()),
            error @ Error::TooManyOperations(_) => ("unclassified", error.to_string().into()),
        },
    };
    json!([what, said, patch])
}
