//! Adding, subtracting and their kin, of numbers, times, strings and lists.

use std::sync::Arc;

use super::{CHARACTER, function, priced};
use crate::{
    error::Error,
    function::{Function, Price, Size, scale},
    types::Sig,
    value::{Duration, Timestamp, Value, concat},
};

const INT: Sig = Sig::Int;
const UINT: Sig = Sig::Uint;
const DOUBLE: Sig = Sig::Double;
const TIME: Sig = Sig::Timestamp;
const SPAN: Sig = Sig::Duration;
const LIST: Sig = Sig::List(&Sig::A);

/// As much as it takes to copy both values.
const BOTH: Price = Price::By {
    estimate: |operands| {
        let size = operands.iter().fold(Size::default(), |sum, operand| sum.plus(operand.size()));
        (size.scaled(CHARACTER), Some(size))
    },
    actual: |values, _| scale(values.iter().map(Value::size).sum(), CHARACTER),
};
/// The same for lists, which are not copied.
const LISTS: Price = Price::By {
    estimate: |operands| {
        let size = operands.iter().fold(Size::default(), |sum, operand| sum.plus(operand.size()));
        (Size::exactly(1), Some(size))
    },
    actual: |_, _| 1,
};

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "_+_",
        overloads: &[
            priced("add_bytes", &[Sig::Bytes, Sig::Bytes], Sig::Bytes, add, BOTH),
            function("add_double", &[DOUBLE, DOUBLE], DOUBLE, add),
            function("add_duration_duration", &[SPAN, SPAN], SPAN, add),
            function("add_duration_timestamp", &[SPAN, TIME], TIME, add),
            function("add_timestamp_duration", &[TIME, SPAN], TIME, add),
            function("add_int64", &[INT, INT], INT, add),
            priced("add_list", &[LIST, LIST], LIST, add, LISTS),
            priced("add_string", &[Sig::String, Sig::String], Sig::String, add, BOTH),
            function("add_uint64", &[UINT, UINT], UINT, add),
        ],
    },
    Function {
        name: "_-_",
        overloads: &[
            function("subtract_double", &[DOUBLE, DOUBLE], DOUBLE, subtract),
            function("subtract_duration_duration", &[SPAN, SPAN], SPAN, subtract),
            function("subtract_int64", &[INT, INT], INT, subtract),
            function("subtract_timestamp_duration", &[TIME, SPAN], TIME, subtract),
            function("subtract_timestamp_timestamp", &[TIME, TIME], SPAN, subtract),
            function("subtract_uint64", &[UINT, UINT], UINT, subtract),
        ],
    },
    Function {
        name: "_*_",
        overloads: &[
            function("multiply_double", &[DOUBLE, DOUBLE], DOUBLE, multiply),
            function("multiply_int64", &[INT, INT], INT, multiply),
            function("multiply_uint64", &[UINT, UINT], UINT, multiply),
        ],
    },
    Function {
        name: "_/_",
        overloads: &[
            function("divide_double", &[DOUBLE, DOUBLE], DOUBLE, divide),
            function("divide_int64", &[INT, INT], INT, divide),
            function("divide_uint64", &[UINT, UINT], UINT, divide),
        ],
    },
    Function {
        name: "_%_",
        overloads: &[
            function("modulo_int64", &[INT, INT], INT, modulo),
            function("modulo_uint64", &[UINT, UINT], UINT, modulo),
        ],
    },
    Function {
        name: "-_",
        overloads: &[
            function("negate_double", &[DOUBLE], DOUBLE, negate),
            function("negate_int64", &[INT], INT, negate),
        ],
    },
];

fn int<'a>(result: Option<i64>) -> Result<Value<'a>, Error> {
    result.map(Value::Int).ok_or_else(Error::integer_overflow)
}

fn uint<'a>(result: Option<u64>) -> Result<Value<'a>, Error> {
    result.map(Value::Uint).ok_or_else(|| Error::new("unsigned integer overflow"))
}

fn time<'a>(result: Option<Timestamp>) -> Result<Value<'a>, Error> {
    result.map(Value::Timestamp).ok_or_else(|| Error::new("timestamp overflow"))
}

fn span<'a>(result: Option<Duration>) -> Result<Value<'a>, Error> {
    result.map(Value::Duration).ok_or_else(|| Error::new("duration overflow"))
}

fn add<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Int(a), Value::Int(b)] => int(a.checked_add(*b)),
        [Value::Uint(a), Value::Uint(b)] => uint(a.checked_add(*b)),
        [Value::Double(a), Value::Double(b)] => Ok(Value::Double(a + b)),
        [Value::String(a), Value::String(b)] => Ok(Value::string([&**a, &**b].concat())),
        [Value::Bytes(a), Value::Bytes(b)] => Ok(Value::Bytes(Arc::from([&**a, &**b].concat()))),
        [Value::List(a), Value::List(b)] => concat(a, b),
        [Value::Timestamp(at), Value::Duration(by)] | [Value::Duration(by), Value::Timestamp(at)] => {
            time(at.after(*by))
        }
        [Value::Duration(a), Value::Duration(b)] => span(a.0.checked_add(b.0).map(Duration)),
        _ => Err(Error::no_such_overload()),
    }
}

fn subtract<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Int(a), Value::Int(b)] => int(a.checked_sub(*b)),
        [Value::Uint(a), Value::Uint(b)] => uint(a.checked_sub(*b)),
        [Value::Double(a), Value::Double(b)] => Ok(Value::Double(a - b)),
        [Value::Timestamp(a), Value::Timestamp(b)] => span(a.since(*b)),
        [Value::Timestamp(at), Value::Duration(by)] => {
            time(by.0.checked_neg().and_then(|by| at.after(Duration(by))))
        }
        [Value::Duration(a), Value::Duration(b)] => span(a.0.checked_sub(b.0).map(Duration)),
        _ => Err(Error::no_such_overload()),
    }
}

fn multiply<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Int(a), Value::Int(b)] => int(a.checked_mul(*b)),
        [Value::Uint(a), Value::Uint(b)] => uint(a.checked_mul(*b)),
        [Value::Double(a), Value::Double(b)] => Ok(Value::Double(a * b)),
        _ => Err(Error::no_such_overload()),
    }
}

fn divide<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Err(Error::new("division by zero"))
        }
        [Value::Int(a), Value::Int(b)] => int(a.checked_div(*b)),
        [Value::Uint(a), Value::Uint(b)] => uint(a.checked_div(*b)),
        [Value::Double(a), Value::Double(b)] => Ok(Value::Double(a / b)),
        _ => Err(Error::no_such_overload()),
    }
}

fn modulo<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Err(Error::new("modulus by zero"))
        }
        [Value::Int(a), Value::Int(b)] => int(a.checked_rem(*b)),
        [Value::Uint(a), Value::Uint(b)] => uint(a.checked_rem(*b)),
        _ => Err(Error::no_such_overload()),
    }
}

fn negate<'a>(values: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match values {
        [Value::Int(value)] => int(value.checked_neg()),
        [Value::Double(value)] => Ok(Value::Double(-value)),
        _ => Err(Error::no_such_overload()),
    }
}
