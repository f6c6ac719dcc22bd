//! Kubernetes' functions on lists: their order, their sum, the least and the greatest, where an item is.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library>.

use std::cmp::Ordering;

use super::{member, prices::TRAVERSE};
use crate::{
    error::Error,
    function::{Function, Overload},
    types::Sig::{A, Bool, Bytes, Double, Duration, Int, List, String, Timestamp, Uint},
    value::{Duration as Span, List as Items, Value, order},
};

/// The overloads of `min` or `max`, one for each type that has an order.
macro_rules! extremes {
    ($which:ident $int:literal $uint:literal $double:literal $bool:literal $duration:literal $timestamp:literal
        $string:literal $bytes:literal) => {
        [
            member!($int, [List(&Int)] => Int, TRAVERSE, |Value::List(items)| $which(items)),
            member!($uint, [List(&Uint)] => Uint, TRAVERSE, |Value::List(items)| $which(items)),
            member!($double, [List(&Double)] => Double, TRAVERSE, |Value::List(items)| $which(items)),
            member!($bool, [List(&Bool)] => Bool, TRAVERSE, |Value::List(items)| $which(items)),
            member!($duration, [List(&Duration)] => Duration, TRAVERSE, |Value::List(items)| $which(items)),
            member!($timestamp, [List(&Timestamp)] => Timestamp, TRAVERSE, |Value::List(items)| $which(items)),
            member!($string, [List(&String)] => String, TRAVERSE, |Value::List(items)| $which(items)),
            member!($bytes, [List(&Bytes)] => Bytes, TRAVERSE, |Value::List(items)| $which(items)),
        ]
    };
}
/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "isSorted",
        overloads: &[
            is_sorted("list_int_is_sorted_bool", &[List(&Int)]),
            is_sorted("list_uint_is_sorted_bool", &[List(&Uint)]),
            is_sorted("list_double_is_sorted_bool", &[List(&Double)]),
            is_sorted("list_bool_is_sorted_bool", &[List(&Bool)]),
            is_sorted("list_duration_is_sorted_bool", &[List(&Duration)]),
            is_sorted("list_timestamp_is_sorted_bool", &[List(&Timestamp)]),
            is_sorted("list_string_is_sorted_bool", &[List(&String)]),
            is_sorted("list_bytes_is_sorted_bool", &[List(&Bytes)]),
        ],
    },
    Function {
        name: "sum",
        overloads: &[
            member!("list_int_sum_int", [List(&Int)] => Int, TRAVERSE, |Value::List(items)| sum(items, Value::Int(0))),
            member!("list_uint_sum_uint", [List(&Uint)] => Uint, TRAVERSE, |Value::List(items)| {
                sum(items, Value::Uint(0))
            }),
            member!("list_double_sum_double", [List(&Double)] => Double, TRAVERSE, |Value::List(items)| {
                sum(items, Value::Double(0.0))
            }),
            member!("list_duration_sum_duration", [List(&Duration)] => Duration, TRAVERSE, |Value::List(items)| {
                sum(items, Value::Duration(Span(0)))
            }),
        ],
    },
    Function {
        name: "max",
        overloads: &extremes!(max "list_int_max_int" "list_uint_max_uint" "list_double_max_double"
        "list_bool_max_bool" "list_duration_max_duration" "list_timestamp_max_timestamp" "list_string_max_string"
        "list_bytes_max_bytes"),
    },
    Function {
        name: "min",
        overloads: &extremes!(min "list_int_min_int" "list_uint_min_uint" "list_double_min_double"
        "list_bool_min_bool" "list_duration_min_duration" "list_timestamp_min_timestamp" "list_string_min_string"
        "list_bytes_min_bytes"),
    },
    Function {
        name: "indexOf",
        overloads: &[
            member!("list_a_index_of_int", [List(&A), A] => Int, TRAVERSE, |Value::List(items), item| {
                index(items, item, false)
            }),
        ],
    },
    Function {
        name: "lastIndexOf",
        overloads: &[
            member!("list_a_last_index_of_int", [List(&A), A] => Int, TRAVERSE, |Value::List(items), item| {
                index(items, item, true)
            }),
        ],
    },
];

const fn is_sorted(id: &'static str, params: &'static [crate::types::Sig]) -> Overload {
    let call: crate::function::Call = super::call!(|Value::List(items)| {
        let items = items.to_vec()?;
        Ok(Value::Bool(items.windows(2).all(|pair| order(&pair[0], &pair[1]) != Some(Ordering::Greater))))
    });
    Overload { id, member: true, params, result: Bool, call, price: TRAVERSE }
}

/// Both together, as `+` has it.
fn add<'a>(a: &Value<'a>, b: &Value<'a>) -> Result<Value<'a>, Error> {
    let (sum, overflow) = match (a, b) {
        (Value::Int(a), Value::Int(b)) => (a.checked_add(*b).map(Value::Int), "integer overflow"),
        (Value::Uint(a), Value::Uint(b)) => (a.checked_add(*b).map(Value::Uint), "unsigned integer overflow"),
        (Value::Double(a), Value::Double(b)) => (Some(Value::Double(a + b)), ""),
        (Value::Duration(a), Value::Duration(b)) => {
            (a.0.checked_add(b.0).map(|sum| Value::Duration(Span(sum))), "duration overflow")
        }
        _ => return Err(Error::no_such_overload()),
    };
    sum.ok_or_else(|| Error::new(overflow))
}

fn sum<'a>(items: &Items<'a>, zero: Value<'a>) -> Result<Value<'a>, Error> {
    let mut sum = zero;
    for item in items.iter() {
        sum = add(&sum, &item?)?;
    }
    Ok(sum)
}

fn max<'a>(items: &Items<'a>) -> Result<Value<'a>, Error> {
    extreme(items, Ordering::Less, "max called on empty list")
}

fn min<'a>(items: &Items<'a>) -> Result<Value<'a>, Error> {
    extreme(items, Ordering::Greater, "min called on empty list")
}

/// The item that no other one replaces: one does if the item that is held compares with it as told.
fn extreme<'a>(items: &Items<'a>, replaced: Ordering, empty: &str) -> Result<Value<'a>, Error> {
    let mut held: Option<Value<'a>> = None;
    for item in items.iter() {
        let item = item?;
        if held.as_ref().is_none_or(|held| order(held, &item) == Some(replaced)) {
            held = Some(item);
        }
    }
    held.ok_or_else(|| Error::new(empty))
}

fn index<'a>(items: &Items<'a>, sought: &Value<'a>, from_the_end: bool) -> Result<Value<'a>, Error> {
    let mut found = -1;
    for (at, item) in items.iter().enumerate() {
        if item?.equals(sought) {
            found = at as i64;
            if !from_the_end {
                break;
            }
        }
    }
    Ok(Value::Int(found))
}
