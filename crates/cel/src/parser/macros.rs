//! The macros, which look like calls and are more: `has`, `all`, `map` and their kin.
//!
//! See <https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros>. Each becomes the loop that cel-go makes
//! of it, which is what is checked and whose cost is estimated.

use super::Parser;
use crate::ast::{ACCUMULATOR, Comprehension, Expr, Fold, Id, Item, Literal, UNUSED};

/// The macros, by what they are expanded to.
#[derive(Clone, Copy)]
enum Kind {
    Has,
    All,
    Any,
    One,
    Map,
    Filter,
    TransformMap,
    TransformMapEntry,
    Bind,
    OptMap,
    OptFlatMap,
    SortBy,
}

/// The macros: the name, whether it is called on a value, how many arguments it has, of which how many are variables.
const MACROS: [(&str, bool, std::ops::RangeInclusive<usize>, usize, Kind); 18] = [
    ("has", false, 1..=1, 0, Kind::Has),
    ("all", true, 2..=2, 1, Kind::All),
    ("exists", true, 2..=2, 1, Kind::Any),
    ("exists_one", true, 2..=2, 1, Kind::One),
    ("existsOne", true, 2..=2, 1, Kind::One),
    ("map", true, 2..=3, 1, Kind::Map),
    ("filter", true, 2..=2, 1, Kind::Filter),
    ("all", true, 3..=3, 2, Kind::All),
    ("exists", true, 3..=3, 2, Kind::Any),
    ("exists_one", true, 3..=3, 2, Kind::One),
    ("existsOne", true, 3..=3, 2, Kind::One),
    ("transformList", true, 3..=4, 2, Kind::Map),
    ("transformMap", true, 3..=4, 2, Kind::TransformMap),
    ("transformMapEntry", true, 3..=4, 2, Kind::TransformMapEntry),
    ("bind", true, 3..=3, 1, Kind::Bind),
    ("optMap", true, 2..=2, 1, Kind::OptMap),
    ("optFlatMap", true, 2..=2, 1, Kind::OptFlatMap),
    ("sortBy", true, 2..=2, 1, Kind::SortBy),
];

/// The variable that holds the value of an optional while it is looked at.
const HELD: &str = "@held";
/// The variable that holds a list while it is sorted.
const SORTED: &str = "@__sortBy_input__";

/// A loop, without its variables and what it goes over.
struct Loop {
    init: Id,
    condition: Id,
    step: Id,
    result: Id,
    fold: Fold,
}

impl Parser<'_> {
    /// Expands the macro `name`; none if there is no such macro, and it is a call.
    pub(super) fn expand(
        &mut self,
        offset: u32,
        name: &str,
        target: Option<Id>,
        arguments: &[Id],
    ) -> Option<Id> {
        let (.., variables, kind) = MACROS.iter().find(|(named, member, count, ..)| {
            *named == name && *member == target.is_some() && count.contains(&arguments.len())
        })?;
        let range = match (kind, target) {
            (Kind::Has, _) => return Some(self.has(offset, arguments)),
            (Kind::Bind, Some(target)) if !matches!(self.ast.expr(target), Expr::Ident(name) if name == "cel") =>
            {
                return None;
            }
            (_, target) => target?,
        };
        let names = match self.variables(offset, *kind, arguments.get(..*variables)?) {
            Ok(names) => names,
            Err(reported) => return Some(reported),
        };
        let mut names = names.into_iter();
        let (var, var2) = (names.next()?, names.next());
        let rest = arguments.get(*variables..)?;
        let (last, filter) = (*rest.last()?, if rest.len() == 2 { rest.first().copied() } else { None });
        let Loop { init, condition, step, result, fold } = match kind {
            Kind::Has => return None,
            Kind::All => self.all(offset, last),
            Kind::Any => self.any(offset, last),
            Kind::One => self.one(offset, last),
            Kind::Map => self.list_of(offset, last, filter),
            Kind::Filter => self.list_of(offset, arguments.first().copied()?, Some(last)),
            Kind::TransformMap => self.map_of(offset, Some(&var), last, filter),
            Kind::TransformMapEntry => self.map_of(offset, None, last, filter),
            Kind::Bind => {
                let value = *rest.first()?;
                return Some(self.bind(offset, var, value, last));
            }
            Kind::OptMap | Kind::OptFlatMap => {
                let flat = matches!(kind, Kind::OptFlatMap);
                return Some(self.optional_map(offset, range, var, last, flat));
            }
            Kind::SortBy => return Some(self.sort_by(offset, range, var, last)),
        };
        let accumulator = ACCUMULATOR.to_owned();
        let fold = Comprehension { range, var, var2, accumulator, init, condition, step, result, fold };
        Some(self.ast.add(offset, Expr::Comprehension(Box::new(fold))))
    }

    /// Returns the names of a macro's variables, or the error that is reported about them.
    fn variables(&mut self, offset: u32, kind: Kind, arguments: &[Id]) -> Result<Vec<String>, Id> {
        let mut names = Vec::with_capacity(2);
        for argument in arguments {
            match self.ast.expr(*argument) {
                Expr::Ident(name) if name == ACCUMULATOR => {}
                Expr::Ident(name) if !name.starts_with('.') => {
                    if names.contains(name) {
                        let message = ["duplicate variable name: ", name].concat();
                        return Err(self.report(offset, message));
                    }
                    names.push(name.clone());
                    continue;
                }
                _ => {}
            }
            let message = match kind {
                Kind::Map | Kind::Filter | Kind::SortBy if arguments.len() == 1 => {
                    "argument is not an identifier"
                }
                Kind::Bind => "cel.bind() variable names must be simple identifiers",
                Kind::OptMap => "optMap() variable name must be a simple identifier",
                Kind::OptFlatMap => "optFlatMap() variable name must be a simple identifier",
                _ => "argument must be a simple name",
            };
            let place = self.ast.node(*argument).offset;
            return Err(self.report(place, message));
        }
        Ok(names)
    }

    /// The loop of `all`, which ends at the first item of which `last` is false.
    fn all(&mut self, offset: u32, last: Id) -> Loop {
        let condition = self.accumulated(offset);
        let condition = self.call(offset, "@not_strictly_false", vec![condition]);
        let before = self.accumulated(offset);
        let step = self.call(offset, "_&&_", vec![before, last]);
        let init = self.boolean(offset, true);
        Loop { init, condition, step, result: self.accumulated(offset), fold: Fold::All(last) }
    }

    /// The loop of `exists`, which ends at the first item of which `last` is true.
    fn any(&mut self, offset: u32, last: Id) -> Loop {
        let condition = self.accumulated(offset);
        let condition = self.call(offset, "!_", vec![condition]);
        let condition = self.call(offset, "@not_strictly_false", vec![condition]);
        let before = self.accumulated(offset);
        let step = self.call(offset, "_||_", vec![before, last]);
        let init = self.boolean(offset, false);
        Loop { init, condition, step, result: self.accumulated(offset), fold: Fold::Any(last) }
    }

    /// The loop of `exists_one`, which counts the items of which `last` is true.
    fn one(&mut self, offset: u32, last: Id) -> Loop {
        let (before, one) = (self.accumulated(offset), self.integer(offset, 1));
        let more = self.call(offset, "_+_", vec![before, one]);
        let before = self.accumulated(offset);
        let step = self.call(offset, "_?_:_", vec![last, more, before]);
        let (after, one) = (self.accumulated(offset), self.integer(offset, 1));
        let result = self.call(offset, "_==_", vec![after, one]);
        let init = self.integer(offset, 0);
        Loop { init, condition: self.boolean(offset, true), step, result, fold: Fold::One(last) }
    }

    /// The loop of `map` and `filter`, which makes a list of `item`.
    fn list_of(&mut self, offset: u32, item: Id, filter: Option<Id>) -> Loop {
        let one = self.ast.add(offset, Expr::List(vec![Item { value: item, optional: false }]));
        let before = self.accumulated(offset);
        let more = self.call(offset, "_+_", vec![before, one]);
        let step = self.filtered(offset, filter, more);
        let init = self.ast.add(offset, Expr::List(Vec::new()));
        let condition = self.boolean(offset, true);
        Loop { init, condition, step, result: self.accumulated(offset), fold: Fold::List { filter, item } }
    }

    /// The loop of `transformMap`, which makes a map from the values of `key` to `value`; without `key`, of the entries
    /// that `value` is.
    fn map_of(&mut self, offset: u32, key: Option<&str>, value: Id, filter: Option<Id>) -> Loop {
        let before = self.accumulated(offset);
        let more = match key {
            None => vec![before, value],
            Some(key) => {
                let key = self.ast.add(offset, Expr::Ident(key.to_owned()));
                vec![before, key, value]
            }
        };
        let more = self.call(offset, "cel.@mapInsert", more);
        let step = self.filtered(offset, filter, more);
        let init = self.ast.add(offset, Expr::Map(Vec::new()));
        let fold = Fold::Map { filter, value, entries: key.is_none() };
        Loop { init, condition: self.boolean(offset, true), step, result: self.accumulated(offset), fold }
    }

    fn has(&mut self, offset: u32, arguments: &[Id]) -> Id {
        let argument = arguments.first().copied().unwrap_or_default();
        match self.ast.expr(argument) {
            Expr::Select { operand, field, test: false } => {
                let (operand, field) = (*operand, field.clone());
                self.ast.add(offset, Expr::Select { operand, field, test: true })
            }
            Expr::Error => argument,
            _ => {
                let place = self.ast.node(argument).offset;
                self.report(place, "invalid argument to has() macro")
            }
        }
    }

    /// `result`, in which `var` is a name for `value`.
    fn bind(&mut self, offset: u32, var: String, value: Id, result: Id) -> Id {
        let range = self.ast.add(offset, Expr::List(Vec::new()));
        let condition = self.boolean(offset, false);
        let step = self.ast.add(offset, Expr::Ident(var.clone()));
        let bind = Comprehension {
            range,
            var: UNUSED.to_owned(),
            var2: None,
            accumulator: var,
            init: value,
            condition,
            step,
            result,
            fold: Fold::Bind,
        };
        self.ast.add(offset, Expr::Comprehension(Box::new(bind)))
    }

    /// Builds the application of `result` to the value of an optional, if it has one. The optional is evaluated once.
    fn optional_map(&mut self, offset: u32, optional: Id, var: String, result: Id, flat: bool) -> Id {
        let member = |parser: &mut Self, function: &'static str| {
            let target = Some(parser.ast.add(offset, Expr::Ident(HELD.to_owned())));
            let function = std::borrow::Cow::Borrowed(function);
            parser.ast.add(offset, Expr::Call { function, target, arguments: Vec::new() })
        };
        let (has, value) = (member(self, "hasValue"), member(self, "value"));
        let mapped = self.bind(offset, var, value, result);
        let mapped = if flat { mapped } else { self.call(offset, "optional.of", vec![mapped]) };
        let none = self.call(offset, "optional.none", Vec::new());
        let choice = self.call(offset, "_?_:_", vec![has, mapped, none]);
        self.bind(offset, HELD.to_owned(), optional, choice)
    }

    /// A list in the order of what `key` makes of its items. The list is evaluated once.
    fn sort_by(&mut self, offset: u32, list: Id, var: String, key: Id) -> Id {
        if matches!(self.ast.expr(list), Expr::Literal(_) | Expr::Map(_) | Expr::Struct { .. }) {
            let place = self.ast.node(list).offset;
            let message =
                "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
            return self.report(place, message);
        }
        let range = self.ast.add(offset, Expr::Ident(SORTED.to_owned()));
        let one = self.ast.add(offset, Expr::List(vec![Item { value: key, optional: false }]));
        let before = self.accumulated(offset);
        let step = self.call(offset, "_+_", vec![before, one]);
        let keys = Comprehension {
            range,
            var,
            var2: None,
            accumulator: ACCUMULATOR.to_owned(),
            init: self.ast.add(offset, Expr::List(Vec::new())),
            condition: self.boolean(offset, true),
            step,
            result: self.accumulated(offset),
            fold: Fold::List { filter: None, item: key },
        };
        let keys = self.ast.add(offset, Expr::Comprehension(Box::new(keys)));
        let target = Some(self.ast.add(offset, Expr::Ident(SORTED.to_owned())));
        let function = std::borrow::Cow::Borrowed("@sortByAssociatedKeys");
        let sorted = self.ast.add(offset, Expr::Call { function, target, arguments: vec![keys] });
        self.bind(offset, SORTED.to_owned(), list, sorted)
    }

    fn filtered(&mut self, offset: u32, filter: Option<Id>, step: Id) -> Id {
        let Some(filter) = filter else { return step };
        let before = self.accumulated(offset);
        self.call(offset, "_?_:_", vec![filter, step, before])
    }

    fn accumulated(&mut self, offset: u32) -> Id {
        self.ast.add(offset, Expr::Ident(ACCUMULATOR.to_owned()))
    }

    fn boolean(&mut self, offset: u32, value: bool) -> Id {
        self.ast.add(offset, Expr::Literal(Literal::Bool(value)))
    }

    fn integer(&mut self, offset: u32, value: i64) -> Id {
        self.ast.add(offset, Expr::Literal(Literal::Int(value)))
    }
}
