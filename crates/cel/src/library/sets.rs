//! Lists as sets.
//!
//! See <https://pkg.go.dev/github.com/google/cel-go/ext#Sets>.

use super::{
    global,
    prices::{LIMIT, actual_size, size},
};
use crate::{
    error::Error,
    function::{Function, Price, Size},
    types::Sig::{self, A, Bool, List},
    value::{List as Items, Value},
};

const SET: Sig = List(&A);

/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "sets.contains",
        overloads: &[
            global!("sets_contains_list_list", [SET, SET] => Bool, ONCE, |Value::List(a), Value::List(b)| {
                contains(a, b).map(Value::Bool)
            }),
        ],
    },
    Function {
        name: "sets.equivalent",
        overloads: &[
            global!("sets_equivalent_list_list", [SET, SET] => Bool, TWICE, |Value::List(a), Value::List(b)| {
                Ok(Value::Bool(contains(a, b)? && contains(b, a)?))
            }),
        ],
    },
    Function {
        name: "sets.intersects",
        overloads: &[
            global!("sets_intersects_list_list", [SET, SET] => Bool, ONCE, |Value::List(a), Value::List(b)| {
                let (a, b) = both(a, b)?;
                Ok(Value::Bool(a.iter().any(|item| is_in(item, &b))))
            }),
        ],
    },
];

/// Each item of one list is compared with each of the other.
const ONCE: Price = Price::By {
    estimate: |operands| (pairs(1, size(operands, 0), size(operands, 1)), None),
    actual: |values, _| actual(values, 1),
};

/// Both ways.
const TWICE: Price = Price::By {
    estimate: |operands| (pairs(2, size(operands, 0), size(operands, 1)), None),
    actual: |values, _| actual(values, 2),
};

fn pairs(times: u64, a: Size, b: Size) -> Size {
    a.times(b).times(Size::exactly(times)).plus(Size::exactly(1))
}

fn actual(values: &[Value<'_>], times: u64) -> u64 {
    pairs(times, Size::exactly(actual_size(values, 0)), Size::exactly(actual_size(values, 1))).max
}

/// The items of two lists, if to compare them all is within what a program may cost.
fn both<'a>(a: &Items<'a>, b: &Items<'a>) -> Result<(Vec<Value<'a>>, Vec<Value<'a>>), Error> {
    if (a.len() as u64).saturating_mul(b.len() as u64) > LIMIT {
        return Err(Error::Budget);
    }
    Ok((a.to_vec()?, b.to_vec()?))
}

fn is_in<'a>(item: &Value<'a>, items: &[Value<'a>]) -> bool {
    items.iter().any(|own| own.equals(item))
}

/// Returns whether the first list has all items of the second.
fn contains<'a>(a: &Items<'a>, b: &Items<'a>) -> Result<bool, Error> {
    let (a, b) = both(a, b)?;
    Ok(b.iter().all(|item| is_in(item, &a)))
}
