//! Equality, order, membership, and what the checker has to know of logic. The evaluator does logic and selection
//! itself.

use std::cmp::Ordering;

use super::{CHARACTER, SMALLER, function, priced, smaller};
use crate::{
    error::Error,
    function::{Function, Overload, Price, Size, scale},
    library::prices::equality,
    types::Sig,
    value::{Value, order},
};

const A: Sig = Sig::A;
const BOOL: Sig = Sig::Bool;
const LIST: Sig = Sig::List(&Sig::A);
const MAP: Sig = Sig::Map(&Sig::A, &Sig::B);

pub(super) const FUNCTIONS: &[Function] = &[
    Function { name: "_&&_", overloads: &[function("logical_and", &[BOOL, BOOL], BOOL, evaluated)] },
    Function { name: "_||_", overloads: &[function("logical_or", &[BOOL, BOOL], BOOL, evaluated)] },
    Function { name: "_?_:_", overloads: &[function("conditional", &[BOOL, A, A], A, evaluated)] },
    Function { name: "!_", overloads: &[function("logical_not", &[BOOL], BOOL, not)] },
    Function {
        name: "@not_strictly_false",
        overloads: &[function("not_strictly_false", &[BOOL], BOOL, evaluated)],
    },
    Function {
        name: "cel.@mapInsert",
        overloads: &[
            function("@mapInsert_map_key_value", &[MAP, A, Sig::B], MAP, evaluated),
            function("@mapInsert_map_map", &[MAP, MAP], MAP, evaluated),
        ],
    },
    Function { name: "_==_", overloads: &[priced("equals", &[A, A], BOOL, equals, EQUAL)] },
    Function { name: "_!=_", overloads: &[priced("not_equals", &[A, A], BOOL, not_equals, SMALLER)] },
    Function {
        name: "_[_]",
        overloads: &[
            function("index_list", &[LIST, Sig::Int], A, evaluated),
            function("index_map", &[MAP, A], Sig::B, evaluated),
            function(
                "optional_list_index_int",
                &[Sig::Optional(&LIST), Sig::Int],
                Sig::Optional(&A),
                evaluated,
            ),
            function(
                "optional_map_index_value",
                &[Sig::Optional(&MAP), A],
                Sig::Optional(&Sig::B),
                evaluated,
            ),
        ],
    },
    Function {
        name: "_[?_]",
        overloads: &[
            function("list_optindex_optional_int", &[LIST, Sig::Int], Sig::Optional(&A), evaluated),
            function(
                "optional_list_optindex_optional_int",
                &[Sig::Optional(&LIST), Sig::Int],
                Sig::Optional(&A),
                evaluated,
            ),
            function("map_optindex_optional_value", &[MAP, A], Sig::Optional(&Sig::B), evaluated),
            function(
                "optional_map_optindex_optional_value",
                &[Sig::Optional(&MAP), A],
                Sig::Optional(&Sig::B),
                evaluated,
            ),
        ],
    },
    Function {
        name: "@in",
        overloads: &[
            priced(
                "in_list",
                &[A, LIST],
                BOOL,
                contains,
                Price::By {
                    estimate: |operands| (operands.get(1).map_or(Size::UNKNOWN, |list| list.size()), None),
                    actual: |values, _| values.get(1).map_or(1, Value::size),
                },
            ),
            function("in_map", &[A, MAP], BOOL, contains),
        ],
    },
    Function { name: "_<_", overloads: LESS },
    Function { name: "_<=_", overloads: LESS_EQUALS },
    Function { name: "_>_", overloads: GREATER },
    Function { name: "_>=_", overloads: GREATER_EQUALS },
];

/// The smaller of both is read, but that the libraries know better of what is theirs.
const EQUAL: Price = Price::By {
    estimate: |operands| match equality(operands) {
        Some(cost) => (cost, None),
        None => smaller(operands),
    },
    actual: |values, _| scale(values.iter().map(|value| value.size()).min().unwrap_or(0), CHARACTER),
};

/// The overloads of an operator that orders two values.
macro_rules! ordering {
    ($name:ident, $prefix:literal, $call:expr) => {
        const $name: &[Overload] = &[
            function(concat!($prefix, "_bool"), &[BOOL, BOOL], BOOL, $call),
            function(concat!($prefix, "_int64"), &[Sig::Int, Sig::Int], BOOL, $call),
            function(concat!($prefix, "_int64_double"), &[Sig::Int, Sig::Double], BOOL, $call),
            function(concat!($prefix, "_int64_uint64"), &[Sig::Int, Sig::Uint], BOOL, $call),
            function(concat!($prefix, "_uint64"), &[Sig::Uint, Sig::Uint], BOOL, $call),
            function(concat!($prefix, "_uint64_double"), &[Sig::Uint, Sig::Double], BOOL, $call),
            function(concat!($prefix, "_uint64_int64"), &[Sig::Uint, Sig::Int], BOOL, $call),
            function(concat!($prefix, "_double"), &[Sig::Double, Sig::Double], BOOL, $call),
            function(concat!($prefix, "_double_int64"), &[Sig::Double, Sig::Int], BOOL, $call),
            function(concat!($prefix, "_double_uint64"), &[Sig::Double, Sig::Uint], BOOL, $call),
            priced(concat!($prefix, "_string"), &[Sig::String, Sig::String], BOOL, $call, SMALLER),
            priced(concat!($prefix, "_bytes"), &[Sig::Bytes, Sig::Bytes], BOOL, $call, SMALLER),
            function(concat!($prefix, "_timestamp"), &[Sig::Timestamp, Sig::Timestamp], BOOL, $call),
            function(concat!($prefix, "_duration"), &[Sig::Duration, Sig::Duration], BOOL, $call),
        ];
    };
}

ordering!(LESS, "less", |values| ordered(values, Ordering::is_lt));
ordering!(LESS_EQUALS, "less_equals", |values| ordered(values, Ordering::is_le));
ordering!(GREATER, "greater", |values| ordered(values, Ordering::is_gt));
ordering!(GREATER_EQUALS, "greater_equals", |values| ordered(values, Ordering::is_ge));

fn ordered<'a>(values: &[Value<'a>], test: fn(Ordering) -> bool) -> Result<Value<'a>, Error> {
    let [a, b] = values else { return Err(Error::no_such_overload()) };
    // What is no number is neither less nor greater.
    Ok(Value::Bool(order(a, b).is_some_and(test)))
}

/// Returns an error: it stands for the overloads that the evaluator evaluates without a call.
fn evaluated<'a>(_: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Err(Error::no_such_overload())
}

fn not<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Bool(value)] => Ok(Value::Bool(!value)),
        _ => Err(Error::no_such_overload()),
    }
}

fn equals<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [a, b] => Ok(Value::Bool(a.equals(b))),
        _ => Err(Error::no_such_overload()),
    }
}

fn not_equals<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [a, b] => Ok(Value::Bool(!a.equals(b))),
        _ => Err(Error::no_such_overload()),
    }
}

fn contains<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [value, Value::List(list)] => {
            for item in list.iter() {
                if item?.equals(value) {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        [key, Value::Map(map)] => Ok(Value::Bool(map.get(key).is_some())),
        _ => Err(Error::no_such_overload()),
    }
}
