//! Fields of objects, entries of maps, items of lists, and whether they are there.

use super::{Outcome, Run};
use crate::{
    ast::Id,
    error::Error,
    value::{Text, Value},
};

impl<'p> Run<'p, '_> {
    /// `operand.field`, or whether it is there.
    pub(super) fn member(&mut self, operand: Id, field: &'p str, test: bool) -> Outcome<'p> {
        let attribute = self.program.is_attribute(operand);
        let of = self.eval(operand)?;
        // What is not the value of a name becomes part of one, which costs as much as a name.
        self.budget.spend(u64::from(!test) + u64::from(!attribute))?;
        if test {
            let inner = match &of {
                Value::Optional(Some(inner)) => inner,
                other => other,
            };
            let present = match (inner, &self.composition) {
                (Value::Composed, Some(composition)) => composition.has(field),
                (Value::Composed, None) => false,
                (inner, _) => present(inner, field),
            };
            return Ok(Value::Bool(present));
        }
        let field = Value::String(Text::Borrowed(field));
        self.select(&of, &field, true, false)
    }

    /// `operand.?field`.
    pub(super) fn optional_member(&mut self, operand: Id, field: Id) -> Outcome<'p> {
        let attribute = self.program.is_attribute(operand);
        let of = self.eval(operand)?;
        self.budget.spend(1 + u64::from(!attribute))?;
        let field = self.eval(field)?;
        self.select(&of, &field, true, true)
    }

    /// `operand[index]` or `operand[?index]`.
    pub(super) fn index(&mut self, operand: Id, index: Id, optional: bool) -> Outcome<'p> {
        let attribute = self.program.is_attribute(operand);
        let of = self.eval(operand)?;
        let key = self.eval(index)?;
        let cost = u64::from(!self.program.is_attribute(index)) + u64::from(!attribute);
        self.budget.spend(cost)?;
        self.select(&of, &key, false, optional)
    }

    /// Returns the value under `key`. If `of` is an optional, the result is one too, empty if there is no such value.
    fn select(&mut self, of: &Value<'p>, key: &Value<'p>, member: bool, optional: bool) -> Outcome<'p> {
        match of {
            Value::Optional(None) => return Ok(Value::Optional(None)),
            Value::Optional(Some(inner)) => return Ok(Value::optional(self.look_up(inner, key, member)?)),
            _ => {}
        }
        let found = self.look_up(of, key, member)?;
        match (found, optional) {
            (found, true) => Ok(Value::optional(found)),
            (Some(found), false) => Ok(found),
            (None, false) => Err(missing(of, key)),
        }
    }

    fn look_up(&mut self, of: &Value<'p>, key: &Value<'p>, member: bool) -> Result<Option<Value<'p>>, Error> {
        match (of, key, &mut self.composition) {
            (Value::Composed, Value::String(name), Some(composition)) => {
                composition.get(name, self.variables).transpose()
            }
            _ => look_up(of, key, member),
        }
    }
}

/// Returns whether a map has an entry that expressions reach by `.name`.
fn present(of: &Value<'_>, name: &str) -> bool {
    match of {
        Value::Map(map) => map.member(name).is_some(),
        Value::Made(made) => made.field(name).is_some(),
        _ => false,
    }
}

fn look_up<'a>(of: &Value<'a>, key: &Value<'a>, member: bool) -> Result<Option<Value<'a>>, Error> {
    match (of, key) {
        (Value::Map(map), Value::String(name)) if member => map.member(name).transpose(),
        (Value::Map(map), _) => map.get(key).transpose(),
        (Value::Made(made), Value::String(name)) => Ok(made.field(name).cloned()),
        (Value::List(list), _) => {
            let index = match key {
                Value::Int(index) => usize::try_from(*index).ok(),
                Value::Uint(index) => usize::try_from(*index).ok(),
                Value::Double(index) if index.fract() == 0.0 => {
                    Some(*index as usize).filter(|_| *index >= 0.0)
                }
                Value::Double(_) => {
                    return Err(Error::new(["unsupported index value ", &text_of(key), " in list"].concat()));
                }
                other => {
                    let name = other.kind();
                    return Err(Error::new(
                        ["unsupported index type '", name.runtime_name(), "' in list"].concat(),
                    ));
                }
            };
            index.and_then(|index| list.get(index)).transpose()
        }
        _ => Ok(None),
    }
}

fn missing(of: &Value<'_>, key: &Value<'_>) -> Error {
    let key = text_of(key);
    match of {
        Value::List(_) => Error::new(["index out of bounds: ", &key].concat()),
        _ => Error::no_such_key(&key),
    }
}

/// A key in an error text.
fn text_of(key: &Value<'_>) -> String {
    match crate::stdlib::to_text(key) {
        Some(text) => text,
        None => key.kind().runtime_name().to_owned(),
    }
}
