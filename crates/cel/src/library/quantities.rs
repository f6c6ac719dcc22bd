//! Quantities.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-quantity-library>.

use schema::quantity::Quantity;

use super::{
    global, member, opaque,
    prices::{ONE, READ},
};
use crate::{
    error::Error,
    function::Function,
    types::Sig::{self, Bool, Double, Int, Opaque as Of, String},
    value::Value,
};

const NAME: &str = "kubernetes.Quantity";
const QUANTITY: Sig = Of(NAME);

/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "quantity",
        overloads: &[global!("string_to_quantity", [String] => QUANTITY, READ, |Value::String(text)| {
            Quantity::parse(text).map(Value::opaque).map_err(Error::new)
        })],
    },
    Function {
        name: "isQuantity",
        overloads: &[global!("is_quantity_string", [String] => Bool, READ, |Value::String(text)| {
            Ok(Value::Bool(Quantity::parse(text).is_ok()))
        })],
    },
    Function {
        name: "sign",
        overloads: &[global!("quantity_sign", [QUANTITY] => Int, ONE, |quantity| {
            of(quantity, |quantity| Ok(Value::Int(quantity.sign())))
        })],
    },
    Function {
        name: "isGreaterThan",
        overloads: &[member!("quantity_is_greater_than", [QUANTITY, QUANTITY] => Bool, ONE, |a, b| {
            of_both(a, b, |a, b| Value::Bool(a.compare(b).is_gt()))
        })],
    },
    Function {
        name: "isLessThan",
        overloads: &[member!("quantity_is_less_than", [QUANTITY, QUANTITY] => Bool, ONE, |a, b| {
            of_both(a, b, |a, b| Value::Bool(a.compare(b).is_lt()))
        })],
    },
    Function {
        name: "compareTo",
        overloads: &[member!("quantity_compare_to", [QUANTITY, QUANTITY] => Int, ONE, |a, b| {
            of_both(a, b, |a, b| Value::Int(a.compare(b) as i64))
        })],
    },
    Function {
        name: "asApproximateFloat",
        overloads: &[member!("quantity_get_float", [QUANTITY] => Double, ONE, |quantity| {
            of(quantity, |quantity| Ok(Value::Double(quantity.as_float())))
        })],
    },
    Function {
        name: "asInteger",
        overloads: &[member!("quantity_get_int", [QUANTITY] => Int, ONE, |quantity| {
            of(quantity, |quantity| match quantity.as_integer() {
                Some(number) => Ok(Value::Int(number)),
                None => Err(Error::new("cannot convert value to integer")),
            })
        })],
    },
    Function {
        name: "isInteger",
        overloads: &[member!("quantity_is_integer", [QUANTITY] => Bool, ONE, |quantity| {
            of(quantity, |quantity| Ok(Value::Bool(quantity.as_integer().is_some())))
        })],
    },
    Function {
        name: "add",
        overloads: &[
            member!("quantity_add", [QUANTITY, QUANTITY] => QUANTITY, ONE, |a, b| {
                of_both(a, b, |a, b| Value::opaque(a.plus(b)))
            }),
            member!("quantity_add_int", [QUANTITY, Int] => QUANTITY, ONE, |a, Value::Int(b)| {
                of(a, |a| Ok(Value::opaque(a.plus(&Quantity::count(*b)))))
            }),
        ],
    },
    Function {
        name: "sub",
        overloads: &[
            member!("quantity_sub", [QUANTITY, QUANTITY] => QUANTITY, ONE, |a, b| {
                of_both(a, b, |a, b| Value::opaque(a.minus(b)))
            }),
            member!("quantity_sub_int", [QUANTITY, Int] => QUANTITY, ONE, |a, Value::Int(b)| {
                of(a, |a| Ok(Value::opaque(a.minus(&Quantity::count(*b)))))
            }),
        ],
    },
];

fn of<'a>(
    quantity: &Value<'a>,
    f: impl Fn(&Quantity) -> Result<Value<'a>, Error>,
) -> Result<Value<'a>, Error> {
    quantity.downcast().map_or_else(|| Err(Error::no_such_overload()), f)
}

fn of_both<'a>(
    a: &Value<'a>,
    b: &Value<'a>,
    f: fn(&Quantity, &Quantity) -> Value<'a>,
) -> Result<Value<'a>, Error> {
    match (a.downcast(), b.downcast()) {
        (Some(a), Some(b)) => Ok(f(a, b)),
        _ => Err(Error::no_such_overload()),
    }
}

opaque!(Quantity, NAME);
