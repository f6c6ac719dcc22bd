//! Which values are equal, and which come first.
//!
//! See <https://github.com/google/cel-spec/blob/master/doc/langdef.md#equality>. Numbers are compared by what they
//! mean, whatever their types. Lists that are sets or maps by their schema are equal in any order.

use std::cmp::Ordering;

use json_tree::Value as Json;

use super::{List, Text, Value};
use crate::types::declared::{Declared, ListKind, Shape};

/// How deep values are compared. Objects are no deeper; what programs build can be, and is different then.
const DEPTH: u32 = 256;

impl Value<'_> {
    /// Returns whether this value is equal to `other`.
    pub fn equals(&self, other: &Value<'_>) -> bool {
        equal(self, other, DEPTH)
    }
}

fn equal(a: &Value<'_>, b: &Value<'_>, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::String(a), Value::String(b)) => **a == **b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::Timestamp(a), Value::Timestamp(b)) => a == b,
        (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::Type(a), Value::Type(b)) => a.runtime_name() == b.runtime_name(),
        (Value::Optional(a), Value::Optional(b)) => match (a, b) {
            (Some(a), Some(b)) => equal(a, b, depth),
            (None, None) => true,
            _ => false,
        },
        (Value::Opaque(a), Value::Opaque(b)) => a.type_name() == b.type_name() && a.equals(&**b),
        (Value::List(a), Value::List(b)) => lists_equal(a, b, depth),
        (Value::Made(a), Value::Made(b)) => {
            a.kind.name == b.kind.name
                && a.fields.len() == b.fields.len()
                && a.fields.iter().all(|(name, a)| b.field(name).is_some_and(|b| equal(a, b, depth)))
        }
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && a.keys().iter().all(|key| match (a.get(key), b.get(key)) {
                    (Some(Ok(a)), Some(Ok(b))) => equal(&a, &b, depth),
                    _ => false,
                })
        }
        _ => number_order(a, b) == Some(Ordering::Equal),
    }
}

fn lists_equal(a: &List<'_>, b: &List<'_>, depth: u32) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if let (Some(a), Some(b)) = (Keyed::of(a), Keyed::of(b)) {
        return a.keys.len() == b.keys.len()
            && a.keys.iter().zip(&b.keys).all(|((key, at), (other, there))| {
                key == other
                    && match (a.list.get(*at), b.list.get(*there)) {
                        (Some(Ok(a)), Some(Ok(b))) => equal(&a, &b, depth),
                        _ => false,
                    }
            });
    }
    a.iter().zip(b.iter()).all(|pair| match pair {
        (Ok(a), Ok(b)) => equal(&a, &b, depth),
        _ => false,
    })
}

/// A list whose items have keys: which item has which, sorted by the keys.
struct Keyed<'l, 'a> {
    list: &'l List<'a>,
    keys: Vec<(String, usize)>,
}

impl<'l, 'a> Keyed<'l, 'a> {
    /// The list with its keys, if its schema says that it is a set or a map.
    fn of(list: &'l List<'a>) -> Option<Self> {
        let List::Json(items, Declared { shape: Shape::List(_, kind), .. }) = list else { return None };
        let key_of = |item: &Json| match kind {
            ListKind::Atomic => None,
            ListKind::Set => Some(item.to_string()),
            ListKind::Map(names) => {
                let keys = names.iter().map(|name| item.get(name).map(Json::to_string).unwrap_or_default());
                Some(keys.collect::<Vec<_>>().join("\n"))
            }
        };
        let mut keys = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            keys.push((key_of(item)?, index));
        }
        if items.is_empty() && *kind == ListKind::Atomic {
            return None;
        }
        schema::sort_by(&mut keys, Ord::cmp);
        Some(Self { list, keys })
    }
}

/// Both lists together. Of lists that are sets or maps by their schema, what the second one has replaces what the first
/// one has under the same key, in its place, and the rest comes after it.
pub(crate) fn concat<'a>(a: &List<'a>, b: &List<'a>) -> Result<Value<'a>, crate::error::Error> {
    let mut items = a.to_vec()?;
    match (Keyed::of(a), Keyed::of(b)) {
        (Some(first), Some(second)) => {
            let mut rest = Vec::new();
            for (key, at) in &second.keys {
                let Some(item) = b.get(*at) else { continue };
                match first
                    .keys
                    .binary_search_by(|entry| entry.0.cmp(key))
                    .ok()
                    .and_then(|index| first.keys.get(index))
                {
                    Some((_, place)) => items[*place] = item?,
                    None => rest.push((*at, item?)),
                }
            }
            schema::sort_by(&mut rest, |a, b| a.0.cmp(&b.0));
            items.extend(rest.into_iter().map(|(_, item)| item));
        }
        _ => items.extend(b.to_vec()?),
    }
    Ok(Value::list(items))
}

/// Which of two values comes first; none for values that have no order.
pub fn order(a: &Value<'_>, b: &Value<'_>) -> Option<Ordering> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.cmp(b)),
        (Value::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
        _ => number_order(a, b),
    }
}

fn number_order(a: &Value<'_>, b: &Value<'_>) -> Option<Ordering> {
    let whole = |value: &Value<'_>| match value {
        Value::Int(number) => Some(i128::from(*number)),
        Value::Uint(number) => Some(i128::from(*number)),
        _ => None,
    };
    match (a, b) {
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Double(a), b) => order_of_float(*a, whole(b)?),
        (a, Value::Double(b)) => order_of_float(*b, whole(a)?).map(Ordering::reverse),
        (a, b) => Some(whole(a)?.cmp(&whole(b)?)),
    }
}

/// How a float compares with an integer of at most 65 bits, exactly.
fn order_of_float(float: f64, whole: i128) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    // A float this large is no integer of 64 bits, and the conversion stops at the ends of i128.
    let floor = float.floor();
    Some((floor as i128).cmp(&whole).then(if float > floor { Ordering::Greater } else { Ordering::Equal }))
}

/// The order of keys in a map: booleans, numbers, strings, and whatever else.
pub(crate) fn key_order(a: &Value<'_>, b: &Value<'_>) -> Ordering {
    let rank = |value: &Value<'_>| match value {
        Value::Bool(_) => 0,
        Value::Int(_) | Value::Uint(_) | Value::Double(_) => 1,
        Value::String(_) => 2,
        _ => 3,
    };
    rank(a).cmp(&rank(b)).then_with(|| order(a, b).unwrap_or(Ordering::Equal))
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Map;

    #[test]
    fn numbers_are_compared_by_what_they_mean() {
        let two = [Value::Int(2), Value::Uint(2), Value::Double(2.0)];
        for a in &two {
            for b in &two {
                assert!(a.equals(b));
            }
            assert_eq!(order(a, &Value::Double(2.5)), Some(Ordering::Less));
            assert_eq!(order(&Value::Double(-0.5), a), Some(Ordering::Less));
            assert_eq!(order(a, &Value::Double(f64::NAN)), None);
        }
        assert_eq!(order(&Value::Int(-1), &Value::Uint(u64::MAX)), Some(Ordering::Less));
        assert_eq!(order(&Value::Double(1e300), &Value::Uint(u64::MAX)), Some(Ordering::Greater));
        assert_eq!(
            order(&Value::Int(i64::MAX), &Value::Double(9_223_372_036_854_775_808.0)),
            Some(Ordering::Less)
        );
    }

    #[test]
    fn of_equal_keys_the_last_one_counts() {
        let key = |text| Value::String(Text::Borrowed(text));
        let map =
            Map::new(vec![(key("b"), Value::Int(1)), (key("a"), Value::Int(2)), (key("b"), Value::Int(3))]);
        assert_eq!(map.len(), 2);
        assert!(
            map.get(&key("b")).is_some_and(|value| value.is_ok_and(|value| value.equals(&Value::Int(3))))
        );
        assert!(map.get(&Value::Int(1)).is_none());
    }
}
