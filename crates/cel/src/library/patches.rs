//! The functions for expressions that make patches.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/#patch-type-json-patch>.

use super::{global, prices::READ_AND_SHORTEN};
use crate::{function::Function, types::Sig::String, value::Value};

/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "jsonpatch.escapeKey",
    overloads: &[
        global!("string_jsonpatch_escapeKey_string", [String] => String, READ_AND_SHORTEN, |Value::String(key)| {
            Ok(Value::string(key.replace('~', "~0").replace('/', "~1")))
        }),
    ],
}];
