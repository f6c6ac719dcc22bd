//! The functions that make lists from lists: parts, other orders, ranges.
//!
//! See <https://pkg.go.dev/github.com/google/cel-go/ext#Lists>, of which Kubernetes has version 3.

use super::{
    global, member,
    prices::{
        CHARACTER, COPY, LIMIT, actual_size, allocation, may_compare_with_itself, self_comparison, size,
    },
};
use crate::{
    error::Error,
    function::{Function, Operand, Price, Size},
    types::{
        Sig::{A, Bool, Bytes, Double, Duration, Dyn, Int, List, String, Timestamp, Uint},
        Type,
    },
    value::{List as Items, Value, order},
};

/// How deep lists are flattened: no list is deeper.
const DEPTH: i64 = 256;

/// One overload of `sort` and one of what `sortBy` becomes, for a type that has an order.
macro_rules! sorts {
    ($sort:literal $sort_by:literal $of:expr) => {
        (
            member!($sort, [List(&$of)] => List(&$of), SORT, |Value::List(items)| sort(items, items)),
            member!($sort_by, [List(&A), List(&$of)] => List(&A), SORT_BY, |Value::List(items), Value::List(keys)| {
                sort(items, keys)
            }),
        )
    };
}

/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "slice",
        overloads: &[member!("list_slice", [List(&A), Int, Int] => List(&A), SLICE,
            |Value::List(items), Value::Int(from), Value::Int(to)| slice(items, *from, *to))],
    },
    Function {
        name: "flatten",
        overloads: &[
            member!("list_flatten", [List(&List(&A))] => List(&A), FLATTEN, |Value::List(items)| flat(items, 1)),
            member!("list_flatten_int", [List(&Dyn), Int] => List(&Dyn), FLATTEN, |Value::List(items), Value::Int(depth)| {
                flat(items, *depth)
            }),
        ],
    },
    Function {
        name: "sort",
        overloads: &[INT.0, UINT.0, DOUBLE.0, BOOL.0, DURATION.0, TIMESTAMP.0, STRING.0, BYTES.0],
    },
    Function {
        name: "@sortByAssociatedKeys",
        overloads: &[INT.1, UINT.1, DOUBLE.1, BOOL.1, DURATION.1, TIMESTAMP.1, STRING.1, BYTES.1],
    },
    Function {
        name: "lists.range",
        overloads: &[global!("lists_range", [Int] => List(&Int), RANGE, |Value::Int(end)| {
            if *end > LIMIT as i64 {
                return Err(Error::Budget);
            }
            Ok(Value::list((0..*end).map(Value::Int).collect()))
        })],
    },
    Function {
        name: "reverse",
        overloads: &[member!("list_reverse", [List(&A)] => List(&A), COPY, |Value::List(items)| {
            let mut items = items.to_vec()?;
            items.reverse();
            Ok(Value::list(items))
        })],
    },
    Function {
        name: "distinct",
        overloads: &[
            member!("list_distinct", [List(&A)] => List(&A), DISTINCT, |Value::List(items)| distinct(items)),
        ],
    },
];

type Sorts = (crate::function::Overload, crate::function::Overload);

const INT: Sorts = sorts!("list_int_sort" "list_int_sortByAssociatedKeys" Int);
const UINT: Sorts = sorts!("list_uint_sort" "list_uint_sortByAssociatedKeys" Uint);
const DOUBLE: Sorts = sorts!("list_double_sort" "list_double_sortByAssociatedKeys" Double);
const BOOL: Sorts = sorts!("list_bool_sort" "list_bool_sortByAssociatedKeys" Bool);
const DURATION: Sorts = sorts!("list_google.protobuf.Duration_sort" "list_google.protobuf.Duration_sortByAssociatedKeys" Duration);
const TIMESTAMP: Sorts = sorts!("list_google.protobuf.Timestamp_sort" "list_google.protobuf.Timestamp_sortByAssociatedKeys" Timestamp);
const STRING: Sorts = sorts!("list_string_sort" "list_string_sortByAssociatedKeys" String);
const BYTES: Sorts = sorts!("list_bytes_sort" "list_bytes_sortByAssociatedKeys" Bytes);

const SLICE: Price = Price::By {
    estimate: |operands| {
        let end = literal(operands, 2).unwrap_or(size(operands, 0).max);
        allocation(1.0, Size::exactly(end.saturating_sub(literal(operands, 1).unwrap_or(0))))
    },
    actual: |_, result| result.size().saturating_add(11),
};

const RANGE: Price = Price::By {
    estimate: |operands| allocation(1.0, Size::exactly(literal(operands, 0).unwrap_or(u64::MAX))),
    actual: |_, result| result.size().saturating_add(11),
};

const FLATTEN: Price = Price::By {
    estimate: |operands| {
        let depth = if operands.len() > 1 { literal(operands, 1).unwrap_or(u64::MAX) } else { 1 };
        allocation(depth as f64, size(operands, 0))
    },
    actual: |values, _| {
        let depth = match values.get(1) {
            Some(Value::Int(depth)) => *depth as f64,
            _ => 1.0,
        };
        ((actual_size(values, 0) as f64 * depth) as u64).saturating_add(11)
    },
};

const DISTINCT: Price = Price::By {
    estimate: |operands| allocation(2.0, size(operands, 0).times(size(operands, 0))),
    actual: |values, _| self_comparison(values, 0),
};

const SORT: Price = Price::By {
    estimate: |operands| sorting(operands.first()),
    actual: |values, _| self_comparison(values, 0),
};

const SORT_BY: Price = Price::By {
    estimate: |operands| sorting(operands.get(1)),
    actual: |values, _| self_comparison(values, 1),
};

/// An argument that is a number, if it is written as such.
fn literal(operands: &[Operand<'_>], at: usize) -> Option<u64> {
    operands.get(at)?.literal
}

fn sorting(keys: Option<&Operand<'_>>) -> (Size, Option<Size>) {
    let size = keys.map_or(Size::UNKNOWN, Operand::size);
    let reads = keys.is_some_and(|keys| match keys.kind {
        Type::List(of) => matches!(**of, Type::String | Type::Bytes),
        _ => false,
    });
    allocation(if reads { 2.0 + CHARACTER } else { 2.0 }, size.times(size))
}

fn slice<'a>(items: &Items<'a>, from: i64, to: i64) -> Result<Value<'a>, Error> {
    let wrong = |why: &str| Err(Error::new(format!("cannot slice({from}, {to}), {why}")));
    let (Ok(start), Ok(end)) = (usize::try_from(from), usize::try_from(to)) else {
        return wrong("negative indexes not supported");
    };
    if start > end {
        return wrong("start index must be less than or equal to end index");
    }
    if items.len() < end {
        return wrong(&format!("list is length {}", items.len()));
    }
    let items = (start..end).filter_map(|at| items.get(at)).collect::<Result<_, _>>()?;
    Ok(Value::list(items))
}

fn flat<'a>(items: &Items<'a>, depth: i64) -> Result<Value<'a>, Error> {
    if depth < 0 {
        return Err(Error::new("level must be non-negative"));
    }
    let mut flat = Vec::new();
    flatten(items, depth.min(DEPTH), &mut flat)?;
    Ok(Value::list(flat))
}

fn flatten<'a>(items: &Items<'a>, depth: i64, flat: &mut Vec<Value<'a>>) -> Result<(), Error> {
    for item in items.iter() {
        if flat.len() as u64 > LIMIT {
            return Err(Error::Budget);
        }
        match item? {
            Value::List(items) if depth > 0 => flatten(&items, depth - 1, flat)?,
            item => flat.push(item),
        }
    }
    Ok(())
}

fn sort<'a>(items: &Items<'a>, keys: &Items<'a>) -> Result<Value<'a>, Error> {
    if items.len() != keys.len() {
        return Err(Error::new(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            items.len(),
            keys.len()
        )));
    }
    if !may_compare_with_itself(keys) {
        return Err(Error::Budget);
    }
    let keys = keys.to_vec()?;
    let Some(first) = keys.first() else { return Ok(Value::list(Vec::new())) };
    if matches!(
        first,
        Value::Null
            | Value::List(_)
            | Value::Map(_)
            | Value::Made(_)
            | Value::Composed
            | Value::Type(_)
            | Value::Optional(_)
            | Value::Opaque(_)
    ) {
        return Err(Error::new("list elements must be comparable"));
    }
    if keys.iter().any(|key| std::mem::discriminant(key) != std::mem::discriminant(first)) {
        return Err(Error::new("list elements must have the same type"));
    }
    let mut pairs: Vec<(Value<'a>, Value<'a>)> = keys.into_iter().zip(items.to_vec()?).collect();
    schema::sort_by(&mut pairs, |a, b| order(&a.0, &b.0).unwrap_or(std::cmp::Ordering::Equal));
    Ok(Value::list(pairs.into_iter().map(|(_, item)| item).collect()))
}

fn distinct<'a>(items: &Items<'a>) -> Result<Value<'a>, Error> {
    if !may_compare_with_itself(items) {
        return Err(Error::Budget);
    }
    let mut kept: Vec<Value<'a>> = Vec::new();
    for item in items.iter() {
        let item = item?;
        if !kept.iter().any(|own| own.equals(&item)) {
            kept.push(item);
        }
    }
    Ok(Value::list(kept))
}
