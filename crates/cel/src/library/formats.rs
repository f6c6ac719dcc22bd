//! The named formats of texts.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-format-library>.

use super::{
    global, member,
    names::FORMATS,
    opaque,
    prices::{CHARACTER, ONE, size},
    strings::list,
};
use crate::{
    error::Error,
    function::{Function, Price},
    types::Sig::{self, List, Opaque as Of, Optional, String},
    value::Value,
};

const NAME: &str = "kubernetes.NamedFormat";
const FORMAT: Sig = Of(NAME);

/// A format, by its place in the table of formats.
#[derive(Debug, PartialEq, Eq)]
struct Format(usize);

/// A function without arguments that gives the format with this place.
macro_rules! named {
    ($name:literal $at:literal) => {
        Function { name: $name, overloads: &[global!($name, [] => FORMAT, ONE, | | Ok(Value::opaque(Format($at))))] }
    };
}

/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[
    named!("format.dns1123Label" 0),
    named!("format.dns1123Subdomain" 1),
    named!("format.dns1035Label" 2),
    named!("format.qualifiedName" 3),
    named!("format.dns1123LabelPrefix" 4),
    named!("format.dns1123SubdomainPrefix" 5),
    named!("format.dns1035LabelPrefix" 6),
    named!("format.labelValue" 7),
    named!("format.uri" 8),
    named!("format.uuid" 9),
    named!("format.byte" 10),
    named!("format.date" 11),
    named!("format.datetime" 12),
    Function {
        name: "format.named",
        overloads: &[global!("format-named", [String] => Optional(&FORMAT), ONE, |Value::String(name)| {
            let found = FORMATS.iter().position(|(own, _)| **name == **own);
            Ok(Value::optional(found.map(|at| Value::opaque(Format(at)))))
        })],
    },
    Function {
        name: "validate",
        overloads: &[member!("format-validate", [FORMAT, String] => Optional(&List(&String)), VALIDATE,
        |format, Value::String(text)| {
            let Some((_, check)) = format.downcast::<Format>().and_then(|format| FORMATS.get(format.0)) else {
                return Err(Error::no_such_overload());
            };
            let complaints = check(text);
            Ok(Value::optional((!complaints.is_empty()).then(|| list(&complaints))))
        })],
    },
];

/// The cost of the longest pattern of a format, a quarter for each of its characters.
const LONGEST_PATTERN: f64 = 32.0;

/// Before it runs the longest pattern is expected; what it has cost is 1 at all times.
const VALIDATE: Price = Price::By {
    estimate: |operands| (size(operands, 1).scaled(CHARACTER).scaled(LONGEST_PATTERN), None),
    actual: |_, _| 1,
};

opaque!(Format, NAME);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_named_after_their_formats() {
        for (function, (name, _)) in FUNCTIONS.iter().zip(FORMATS) {
            assert_eq!(function.name, ["format.", name].concat());
        }
    }
}
