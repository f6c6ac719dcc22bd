//! Operations on a value by its shape.

mod compare;
mod fields;
mod items;
mod merge;
mod named;
mod remove;
mod validate;

use json_tree::Value;
use schema::Types;

use crate::set::{Node, Set};
use crate::shape::{Atom, List, Map, Scalar, Shape};

pub use compare::Comparison;
pub use validate::ValidationError;

/// A value and its shape.
#[derive(Clone, Copy, Debug)]
pub struct Typed<'a> {
    /// The table of the shape's types.
    pub types: &'a Types,
    /// The shape.
    pub shape: Shape<'a>,
    /// The value.
    pub value: &'a Value,
}

impl<'a> Typed<'a> {
    /// Validates the value: reports fields that do not exist, scalars of another kind, and items that cannot be told
    /// apart. Of a struct only the first error that is found is reported, as in Go.
    ///
    /// # Errors
    /// All that was found.
    pub fn validate(&self) -> Result<(), Vec<ValidationError>> {
        let mut errors = Vec::new();
        validate::validate(self.types, self.shape, self.value, &mut errors);
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// The fields that the value has: its leaves, items of lists and keys of maps, but not structs.
    pub fn to_set(&self) -> Set {
        let mut node = Node::default();
        fields::collect(self.types, self.shape, self.value, &mut node);
        node.children
    }

    /// How `self` became `newer`.
    pub fn compare(&self, newer: &Value) -> Comparison {
        compare::compare(self.types, self.shape, self.value, newer)
    }

    /// `self` with what `config` has over it.
    pub fn merge(&self, config: &Value) -> Value {
        let mut merged = self.value.clone();
        merge::merge_into(self.types, self.shape, &mut merged, config);
        merged
    }

    /// `self` without the fields of a set.
    pub fn remove(&self, fields: &Set) -> Value {
        remove::remove(self.types, self.shape, self.value, fields, false)
    }

    /// Of `self` only the fields of a set.
    pub fn extract(&self, fields: &Set) -> Value {
        remove::remove(self.types, self.shape, self.value, fields, true)
    }
}

/// The kind that a value is treated as.
enum Kind<'a> {
    Map(Map<'a>),
    Scalar(Scalar),
    List(List<'a>),
}

impl<'a> Atom<'a> {
    /// Restricts the possible kinds to the kind of the value, if the value may be of that kind.
    fn deduce(self, value: Option<&Value>) -> Self {
        let one = match value {
            None | Some(Value::Null) => return self,
            Some(Value::Array(_)) => Self { list: self.list, ..Self::default() },
            Some(Value::Object(_)) => Self { map: self.map, ..Self::default() },
            Some(_) => Self { scalar: self.scalar, ..Self::default() },
        };
        if one.kinds() == Self::default().kinds() { self } else { one }
    }

    /// Returns the kind that a value is treated as, if it may be of several.
    fn kind(self) -> Option<Kind<'a>> {
        match self {
            Self { map: Some(map), .. } => Some(Kind::Map(map)),
            Self { scalar: Some(scalar), .. } => Some(Kind::Scalar(scalar)),
            Self { list: Some(list), .. } => Some(Kind::List(list)),
            _ => None,
        }
    }

    fn kinds(&self) -> (bool, bool, bool) {
        (self.map.is_some(), self.scalar.is_some(), self.list.is_some())
    }
}

/// The kinds that two values, one in the place of the other, are taken for: one, or that of each where they differ.
fn kinds_of_both<'a>(
    types: &'a Types,
    shape: Shape<'a>,
    (left, right): (Option<&Value>, Option<&Value>),
) -> [Option<Kind<'a>>; 2] {
    let atom = shape.resolve(types);
    let (of_left, of_right) = (atom.deduce(left), atom.deduce(right));
    match (left, right) {
        (_, None) => [of_left.kind(), None],
        (None, _) => [of_right.kind(), None],
        _ if of_left.kinds() == of_right.kinds() => [of_right.kind(), None],
        _ => [of_left.kind(), of_right.kind()],
    }
}

/// The items of a list; none, if it is not one.
fn items_of(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The entries of a map; `None` if it has none or is not one.
fn entries_of(value: Option<&Value>) -> Option<&json_tree::Map<String, Value>> {
    value.and_then(Value::as_object).filter(|map| !map.is_empty())
}

#[cfg(test)]
mod tests;
