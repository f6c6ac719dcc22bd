//! Runs programs.
//!
//! See <https://github.com/google/cel-spec/blob/master/doc/langdef.md#evaluation>. What it costs is counted as cel-go
//! counts it: a name or a field costs 1, a call what its overload says, a list 10, a map 30, what is constant nothing.

mod composition;
mod fold;
mod select;

use std::sync::Arc;

pub use composition::Composition;

use crate::{
    ast::{Expr, Id, Member},
    budget::Budget,
    checker::Reference,
    error::Error,
    function::{Overload, Price},
    program::Program,
    types::{Sig, Type},
    value::{Made, Map, Value},
};

/// A program that is running.
pub(crate) struct Run<'p, 'b> {
    program: &'p Program,
    variables: &'p [Value<'p>],
    budget: &'b mut Budget,
    /// The variables of comprehensions. One that could not be evaluated is an error for who looks at it.
    locals: Vec<Result<Value<'p>, Error>>,
    /// The values of other programs.
    composition: Option<&'b mut Composition<'p>>,
}

/// The result of an expression.
pub(super) type Outcome<'p> = Result<Value<'p>, Error>;

impl<'p, 'b> Run<'p, 'b> {
    pub(crate) fn new(
        program: &'p Program,
        variables: &'p [Value<'p>],
        budget: &'b mut Budget,
        composition: Option<&'b mut Composition<'p>>,
    ) -> Self {
        Self { program, variables, budget, locals: Vec::new(), composition }
    }

    pub(crate) fn eval(&mut self, id: Id) -> Outcome<'p> {
        if let Some(Some(value)) = self.program.constants.get(id as usize) {
            return Ok(value.clone());
        }
        match self.program.ast.expr(id) {
            Expr::Ident(_) => self.name(id),
            Expr::Select { .. } if !matches!(self.program.checked.reference(id), Reference::None) => {
                self.name(id)
            }
            Expr::Select { operand, field, test } => self.member(*operand, field, *test),
            Expr::Call { function, target, arguments } => self.call(id, function, *target, arguments),
            Expr::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    match (self.eval(item.value)?, item.optional) {
                        (Value::Optional(inner), true) => values.extend(inner.map(|inner| (*inner).clone())),
                        (value, _) => values.push(value),
                    }
                }
                self.budget.spend(10)?;
                Ok(Value::list(values))
            }
            Expr::Map(entries) => {
                let mut values = Vec::with_capacity(entries.len());
                for entry in entries {
                    let key = self.eval(entry.key)?;
                    match (self.eval(entry.value)?, entry.optional) {
                        (Value::Optional(inner), true) => {
                            values.extend(inner.map(|inner| (key, (*inner).clone())));
                        }
                        (value, _) => values.push((key, value)),
                    }
                }
                self.budget.spend(30)?;
                self.map_of(values)
            }
            Expr::Comprehension(fold) => self.fold(fold),
            Expr::Struct { fields, .. } => self.made(id, fields),
            Expr::Error | Expr::Literal(_) => Err(Error::new("unsupported expression")),
        }
    }

    /// An object of a type that has a name.
    fn made(&mut self, id: Id, fields: &'p [Member]) -> Outcome<'p> {
        let Reference::Type(Type::Object(kind)) = self.program.checked.reference(id) else {
            return Err(Error::new("unsupported expression"));
        };
        let mut values: Vec<(String, Value<'p>)> = Vec::with_capacity(fields.len());
        for field in fields {
            let value = match (self.eval(field.value)?, field.optional) {
                (Value::Optional(None), true) => continue,
                (Value::Optional(Some(inner)), true) => (*inner).clone(),
                (value, _) => value,
            };
            values.retain(|(name, _)| *name != field.name);
            values.push((field.name.clone(), value));
        }
        self.budget.spend(40)?;
        schema::sort_by(&mut values, |a, b| a.0.cmp(&b.0));
        Ok(Value::Made(Arc::new(Made { kind: kind.clone(), fields: values })))
    }

    /// A map of entries with keys of the types that keys may have.
    fn map_of(&mut self, entries: Vec<(Value<'p>, Value<'p>)>) -> Outcome<'p> {
        for (key, _) in &entries {
            if !matches!(
                key,
                Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_)
            ) {
                return Err(Error::new(["unsupported key type: ", key.kind().runtime_name()].concat()));
            }
        }
        Ok(Value::Map(Map::new(entries)))
    }

    fn name(&mut self, id: Id) -> Outcome<'p> {
        self.budget.spend(1)?;
        match self.program.checked.reference(id) {
            Reference::Variable(index) => match self.variables.get(*index as usize) {
                Some(value) => Ok(value.clone()),
                None => Err(Error::new("no such attribute(s)")),
            },
            Reference::Local(index) => match self.locals.get(*index as usize) {
                Some(value) => value.clone(),
                None => Err(Error::new("no such attribute(s)")),
            },
            Reference::Type(of) => Ok(Value::Type(of.clone())),
            _ => Err(Error::new("no such attribute(s)")),
        }
    }

    fn call(&mut self, id: Id, function: &str, target: Option<Id>, arguments: &'p [Id]) -> Outcome<'p> {
        match (function, arguments) {
            ("_&&_", [left, right]) => return self.logic(*left, *right, false),
            ("_||_", [left, right]) => return self.logic(*left, *right, true),
            ("_?:_" | "_?_:_", [condition, yes, no]) => {
                let Value::Bool(condition) = self.eval(*condition)? else {
                    return Err(Error::no_such_overload());
                };
                return self.branch(if condition { *yes } else { *no });
            }
            ("_[_]", [operand, index]) => return self.index(*operand, *index, false),
            ("_[?_]", [operand, index]) => return self.index(*operand, *index, true),
            ("_?._", [operand, field]) => return self.optional_member(*operand, *field),
            _ => {}
        }
        let qualified =
            matches!(self.program.checked.reference(id), Reference::Function { qualified: true, .. });
        let mut values = Vec::with_capacity(arguments.len() + 1);
        if let Some(target) = target.filter(|_| !qualified) {
            values.push(self.eval(target)?);
        }
        // Optionals have functions that look at their argument only if there is need to.
        if let (Some(Value::Optional(Some(inner))), "or" | "orValue") = (values.first(), function) {
            let found =
                if function == "or" { Value::Optional(Some(inner.clone())) } else { (**inner).clone() };
            self.budget.spend(1)?;
            return Ok(found);
        }
        for argument in arguments {
            values.push(self.eval(*argument)?);
        }
        self.apply(id, function, &values)
    }

    fn apply(&mut self, id: Id, function: &str, values: &[Value<'p>]) -> Outcome<'p> {
        self.budget.work(values)?;
        let overloads = self.program.checked.overloads(id);
        let overload = match overloads {
            [overload] if fits(overload, values) => Some(overload),
            _ => overloads.iter().find(|overload| fits(overload, values)),
        };
        let Some(overload) = overload else { return Err(Error::no_such_overload()) };
        let constant_list =
            |id: &Id| matches!(self.program.constants.get(*id as usize), Some(Some(Value::List(_))));
        let result = match (function, values) {
            ("matches", [Value::String(text), _]) => {
                match self.program.patterns.iter().find(|(at, _)| *at == id) {
                    Some((_, pattern)) => Ok(Value::Bool(pattern.is_match(text))),
                    None => (overload.call)(values),
                }
            }
            _ => (overload.call)(values),
        };
        let cost = match (&overload.price, &result) {
            // A list of constants is a set by the time that the program runs.
            _ if function == "@in" && self.arguments(id).get(1).is_some_and(constant_list) => 0,
            (Price::One, _) => 1,
            (Price::By { actual, .. }, Ok(result)) => actual(values, result),
            (Price::By { actual, .. }, Err(_)) => actual(values, &Value::Null),
        };
        self.budget.spend(cost)?;
        result
    }

    fn arguments(&self, id: Id) -> &'p [Id] {
        match self.program.ast.expr(id) {
            Expr::Call { arguments, .. } => arguments,
            _ => &[],
        }
    }

    /// A branch of a condition. A name is looked up as part of the condition, which costs nothing by itself.
    fn branch(&mut self, id: Id) -> Outcome<'p> {
        let spent = self.budget.spent();
        let outcome = self.eval(id);
        if self.program.is_attribute(id) && outcome.is_ok() && self.budget.spent() > spent {
            self.budget.refund();
        }
        outcome
    }

    /// `&&` and `||`: the side that decides counts, even if the other one is an error.
    fn logic(&mut self, left: Id, right: Id, decides: bool) -> Outcome<'p> {
        let first = match self.eval(left) {
            Ok(Value::Bool(value)) if value == decides => return Ok(Value::Bool(decides)),
            Ok(Value::Bool(_)) => None,
            Ok(_) => Some(Error::no_such_overload()),
            Err(Error::Budget) => return Err(Error::Budget),
            Err(error) => Some(error),
        };
        match (self.eval(right), first) {
            (Ok(Value::Bool(value)), _) if value == decides => Ok(Value::Bool(decides)),
            (Err(Error::Budget), _) => Err(Error::Budget),
            (_, Some(error)) | (Err(error), None) => Err(error),
            (Ok(Value::Bool(_)), None) => Ok(Value::Bool(!decides)),
            (Ok(_), None) => Err(Error::no_such_overload()),
        }
    }
}

impl Program {
    /// Runs the program with these values of the environment's variables, in their order.
    pub fn eval<'a>(&'a self, variables: &'a [Value<'a>], budget: &mut Budget) -> Result<Value<'a>, Error> {
        Run::new(self, variables, budget, None).eval(self.ast.root)
    }

    /// The same, where one of the values is [`Value::Composed`], and this is what it stands for.
    pub fn eval_composed<'a>(
        &'a self,
        variables: &'a [Value<'a>],
        composition: &mut Composition<'a>,
        budget: &mut Budget,
    ) -> Result<Value<'a>, Error> {
        Run::new(self, variables, budget, Some(composition)).eval(self.ast.root)
    }

    /// Returns whether a node is a name, or a selection from one. The cost of a whole chain of selections counts once.
    pub(crate) fn is_attribute(&self, id: Id) -> bool {
        match self.ast.expr(id) {
            Expr::Ident(_) => true,
            Expr::Select { test, .. } => !test,
            Expr::Call { function, .. } => matches!(&**function, "_[_]" | "_[?_]" | "_?._"),
            _ => false,
        }
    }
}

/// Returns whether an overload is for these values.
fn fits(overload: &Overload, values: &[Value<'_>]) -> bool {
    overload.params.len() == values.len()
        && overload.params.iter().zip(values).all(|(place, value)| place.takes(value))
}

impl Sig {
    /// Returns whether a value is of this type, whatever is inside of it.
    fn takes(self, value: &Value<'_>) -> bool {
        match (self, value) {
            (Self::Dyn | Self::A | Self::B, _)
            | (Self::Null, Value::Null)
            | (Self::Bool, Value::Bool(_))
            | (Self::Int, Value::Int(_))
            | (Self::Uint, Value::Uint(_))
            | (Self::Double, Value::Double(_))
            | (Self::String, Value::String(_))
            | (Self::Bytes, Value::Bytes(_))
            | (Self::Timestamp, Value::Timestamp(_))
            | (Self::Duration, Value::Duration(_))
            | (Self::List(_), Value::List(_))
            | (Self::Map(..), Value::Map(_))
            | (Self::Optional(_), Value::Optional(_))
            | (Self::Type(_), Value::Type(_)) => true,
            (Self::Opaque(name), Value::Opaque(value)) => value.type_name() == name,
            _ => false,
        }
    }
}
