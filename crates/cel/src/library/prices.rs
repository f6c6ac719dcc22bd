//! The costs of calls, as `k8s.io/apiserver/pkg/cel/library` and cel-go count them.

use crate::{
    function::{Operand, Price, Size, scale},
    types::Type,
    value::{List, Value},
};

/// The cost of reading a character.
pub(super) const CHARACTER: f64 = 0.1;
/// The cost of a character of a regular expression.
const PATTERN_CHARACTER: f64 = 0.25;
/// The cost of a call that makes a list, without that of its items.
const NEW_LIST: u64 = 11;
/// The cost limit of one program. A call that would cost more need not be made.
pub(super) const LIMIT: u64 = 1_000_000;

/// The longest name of a format, as far as costs go.
const LONGEST_FORMAT: u64 = 64;

/// 1.
pub(super) const ONE: Price = Price::One;

/// The first argument is read.
pub(super) const READ: Price = Price::By {
    estimate: |operands| (size(operands, 0).scaled(CHARACTER), None),
    actual: |values, _| read(values, 0),
};

/// The first argument is read, and the result is no longer than it.
pub(super) const READ_AND_SHORTEN: Price = Price::By {
    estimate: |operands| (size(operands, 0).scaled(CHARACTER), Some(size(operands, 0))),
    actual: |values, _| read(values, 0),
};

/// The first argument is read twice.
pub(super) const READ_TWICE: Price = Price::By {
    estimate: |operands| (size(operands, 0).scaled(2.0 * CHARACTER), None),
    actual: |values, _| scale(actual_size(values, 0), 2.0 * CHARACTER),
};

/// A regular expression is looked for in a text.
pub(super) const SEARCH: Price = Price::By {
    estimate: |operands| {
        let text = size(operands, 0);
        let cost = text.plus(Size::exactly(1)).scaled(CHARACTER);
        (cost.times(size(operands, 1).scaled(PATTERN_CHARACTER)), Some(Size::new(0, text.max)))
    },
    actual: |values, _| {
        let text = scale(actual_size(values, 0).saturating_add(1), CHARACTER);
        text.saturating_mul(scale(actual_size(values, 1), PATTERN_CHARACTER))
    },
};

/// All items of a list are looked at, or all characters of a text.
pub(super) const TRAVERSE: Price = Price::By {
    estimate: |operands| {
        let target = size(operands, 0);
        let cost = match operands.first() {
            Some(Operand { kind: Type::List(items), .. }) => {
                let reads = matches!(**items, Type::String | Type::Bytes);
                let items = operands.first().map_or(Size::UNKNOWN, Operand::items).scaled(CHARACTER);
                target.times(Size::exactly(1).plus(if reads { items } else { Size::default() }))
            }
            _ => target.scaled(CHARACTER),
        };
        (cost, None)
    },
    actual: |values, _| values.first().map_or(0, |value| traversal(value, 0)),
};

/// A list as long as the first argument is made.
pub(super) const COPY: Price = Price::By {
    estimate: |operands| allocation(1.0, size(operands, 0)),
    actual: |_, result| result.size().saturating_add(NEW_LIST),
};

/// Estimates the cost of comparing two values of the same library; none for others.
pub(crate) fn equality(operands: &[Operand<'_>]) -> Option<Size> {
    let [Operand { kind: Type::Opaque(kind), .. }, Operand { kind: Type::Opaque(other), size, .. }] =
        operands
    else {
        return None;
    };
    let most = match *kind {
        "kubernetes.URL" => size.map_or(1, |size| size.max),
        "kubernetes.NamedFormat" => LONGEST_FORMAT,
        _ => 1,
    };
    (kind == other).then(|| Size::new(1, most).scaled(CHARACTER))
}

/// Returns the size of an argument, as far as it is known.
pub(super) fn size(operands: &[Operand<'_>], at: usize) -> Size {
    operands.get(at).map_or(Size::UNKNOWN, Operand::size)
}

/// Estimates the cost of a call that makes a list of this size, and the size of its result.
pub(super) fn allocation(factor: f64, size: Size) -> (Size, Option<Size>) {
    (size.scaled(factor).plus(Size::exactly(NEW_LIST)), Some(size))
}

/// Returns the actual cost of a call that compared all items of a list with each other.
pub(super) fn self_comparison(values: &[Value<'_>], at: usize) -> u64 {
    let Some(Value::List(list)) = values.get(at) else { return NEW_LIST };
    let reads = matches!(list.get(0), Some(Ok(Value::String(_) | Value::Bytes(_))));
    let pairs = (list.len() as u64).saturating_mul(list.len() as u64);
    let factor = if reads { 2.0 + CHARACTER } else { 2.0 };
    ((pairs as f64 * factor) as u64).saturating_add(NEW_LIST)
}

/// Returns whether comparing all items of a list with each other is within the cost limit of a program.
pub(super) fn may_compare_with_itself(list: &List<'_>) -> bool {
    (list.len() as u64).saturating_mul(list.len() as u64) <= LIMIT / 2
}

/// The size of an argument.
pub(super) fn actual_size(values: &[Value<'_>], at: usize) -> u64 {
    values.get(at).map_or(1, Value::size)
}

/// Returns the actual cost of reading an argument.
pub(super) fn read(values: &[Value<'_>], at: usize) -> u64 {
    scale(actual_size(values, at), CHARACTER)
}

/// How deep values are looked into.
const DEPTH: u32 = 256;

/// Returns the actual cost of looking at all of a value.
fn traversal(value: &Value<'_>, depth: u32) -> u64 {
    if depth > DEPTH {
        return 1;
    }
    let inside = |value: Option<Result<Value<'_>, _>>| match value {
        Some(Ok(value)) => traversal(&value, depth + 1),
        _ => 1,
    };
    match value {
        Value::String(text) => (text.len() as f64 * CHARACTER) as u64,
        Value::Bytes(bytes) => (bytes.len() as f64 * CHARACTER) as u64,
        Value::List(list) => (0..list.len()).map(|at| inside(list.get(at))).sum(),
        Value::Map(map) => {
            map.keys().iter().map(|key| traversal(key, depth + 1) + inside(map.get(key))).sum()
        }
        _ => 1,
    }
}
