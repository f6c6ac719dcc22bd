//! Comprehensions.
//!
//! They are run by what they are for, but cost what the loops cost that cel-go makes of them: what is looked at in
//! each step, the accumulator as well.

use super::{Outcome, Run};
use crate::{
    ast::{Comprehension, Fold, Id},
    error::Error,
    value::{Map, Value},
};

impl<'p> Run<'p, '_> {
    pub(super) fn fold(&mut self, fold: &'p Comprehension) -> Outcome<'p> {
        let depth = self.locals.len();
        if matches!(fold.fold, Fold::Bind) {
            let value = self.eval(fold.init);
            if let Err(Error::Budget) = value {
                return Err(Error::Budget);
            }
            self.locals.push(value);
            let result = self.eval(fold.result);
            self.locals.truncate(depth);
            return result;
        }
        let range = self.eval(fold.range)?;
        self.locals.push(Ok(Value::Null));
        let outcome = self.each(fold, &range, depth + 1);
        self.locals.truncate(depth);
        outcome
    }

    fn each(&mut self, fold: &'p Comprehension, range: &Value<'p>, depth: usize) -> Outcome<'p> {
        let keys = match range {
            Value::Map(map) => map.keys(),
            Value::List(_) => Vec::new(),
            other => {
                let kind = other.kind();
                return Err(Error::new(["got '", kind.runtime_name(), "', expected iterable type"].concat()));
            }
        };
        let mut state = State::default();
        let count = match range {
            Value::List(list) => list.len(),
            _ => keys.len(),
        };
        for index in 0..count {
            self.locals.truncate(depth);
            let (first, second) = match range {
                Value::List(list) => {
                    let item = list.get(index).unwrap_or(Ok(Value::Null));
                    match fold.var2 {
                        Some(_) => (Ok(Value::Int(index as i64)), item),
                        None => (item, Ok(Value::Null)),
                    }
                }
                _ => {
                    let key = keys.get(index).cloned().unwrap_or(Value::Null);
                    let value = match (range, &fold.var2) {
                        (Value::Map(map), Some(_)) => map.member_or_get(&key),
                        _ => Ok(Value::Null),
                    };
                    (Ok(key), value)
                }
            };
            self.locals.push(first);
            if fold.var2.is_some() {
                self.locals.push(second);
            }
            if !self.step(fold.fold, &mut state)? {
                break;
            }
        }
        self.locals.truncate(depth);
        self.finish(fold.fold, state)
    }

    /// Looks at one item. Whether to go on.
    fn step(&mut self, fold: Fold, state: &mut State<'p>) -> Result<bool, Error> {
        match fold {
            Fold::All(test) => self.quantify(test, false, 2, state),
            Fold::Any(test) => self.quantify(test, true, 3, state),
            Fold::One(test) => {
                if self.passes(test)? {
                    self.budget.spend(2)?;
                    state.count += 1;
                }
                Ok(true)
            }
            Fold::List { filter, item } => {
                if self.passes_filter(filter)? {
                    let item_is_constant = matches!(self.program.constants.get(item as usize), Some(Some(_)));
                    let value = self.eval(item)?;
                    // The accumulator, a list of one, and both together.
                    self.budget.spend(if item_is_constant { 2 } else { 12 })?;
                    state.items.push(value);
                }
                Ok(true)
            }
            Fold::Map { filter, value, entries } => {
                if self.passes_filter(filter)? {
                    let value = self.eval(value)?;
                    if entries {
                        self.budget.spend(2)?;
                        let Value::Map(map) = value else { return Err(Error::no_such_overload()) };
                        self.budget.work(&[Value::Map(map.clone())])?;
                        for key in map.keys() {
                            let value = map.member_or_get(&key)?;
                            state.entries.push((key, value));
                        }
                    } else {
                        self.budget.spend(3)?;
                        let key =
                            match self.locals.len().checked_sub(2).and_then(|index| self.locals.get(index)) {
                                Some(key) => key.clone()?,
                                None => Value::Null,
                            };
                        state.entries.push((key, value));
                    }
                }
                Ok(true)
            }
            Fold::Bind => Ok(false),
        }
    }

    /// One step of `all` or `exists`. What decides ends it; an error counts if nothing does.
    fn quantify(
        &mut self,
        test: Id,
        decides: bool,
        condition: u64,
        state: &mut State<'p>,
    ) -> Result<bool, Error> {
        self.budget.spend(condition)?;
        if state.decided {
            return Ok(false);
        }
        self.budget.spend(1)?;
        match self.eval(test) {
            Ok(Value::Bool(value)) => state.decided = value == decides,
            Ok(_) => state.keep(Error::no_such_overload()),
            Err(Error::Budget) => return Err(Error::Budget),
            Err(error) => state.keep(error),
        }
        Ok(true)
    }

    fn passes_filter(&mut self, filter: Option<Id>) -> Result<bool, Error> {
        filter.map_or(Ok(true), |filter| self.passes(filter))
    }

    fn passes(&mut self, test: Id) -> Result<bool, Error> {
        match self.eval(test)? {
            Value::Bool(value) => Ok(value),
            _ => Err(Error::no_such_overload()),
        }
    }

    fn finish(&mut self, fold: Fold, state: State<'p>) -> Outcome<'p> {
        self.budget.spend(if matches!(fold, Fold::One(_)) { 2 } else { 1 })?;
        match (fold, state.error) {
            (Fold::All(_), _) if state.decided => Ok(Value::Bool(false)),
            (Fold::Any(_), _) if state.decided => Ok(Value::Bool(true)),
            (_, Some(error)) => Err(error),
            (Fold::All(_), None) => Ok(Value::Bool(true)),
            (Fold::One(_), None) => Ok(Value::Bool(state.count == 1)),
            (Fold::List { .. }, None) => Ok(Value::list(state.items)),
            (Fold::Map { .. }, None) => self.map_of(state.entries),
            (Fold::Any(_) | Fold::Bind, None) => Ok(Value::Bool(false)),
        }
    }
}

/// The state of a comprehension while it runs.
#[derive(Default)]
struct State<'p> {
    decided: bool,
    error: Option<Error>,
    count: u64,
    items: Vec<Value<'p>>,
    entries: Vec<(Value<'p>, Value<'p>)>,
}

impl State<'_> {
    /// The first error counts.
    fn keep(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }
}

impl<'a> Map<'a> {
    /// The value of one of the map's own keys.
    fn member_or_get(&self, key: &Value<'a>) -> Outcome<'a> {
        let found = match key {
            Value::String(name) => self.member(name),
            _ => self.get(key),
        };
        found.unwrap_or(Ok(Value::Null))
    }
}
