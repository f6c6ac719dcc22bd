//! Literals that no value can be made of: durations, times and patterns.
//!
//! See <https://pkg.go.dev/github.com/google/cel-go/cel#ASTValidator>.

use super::Checker;
use crate::{
    ast::{Expr, Id, Item, Literal},
    library::format,
    types::Type,
    value::{Duration, Timestamp},
};

/// A function, and which of its literals mean something.
type Validated = (&'static str, fn(&str) -> bool);

/// The functions whose literals are looked at.
const FUNCTIONS: [Validated; 3] = [
    ("duration", |text| Duration::parse(text).is_some()),
    ("timestamp", |text| Timestamp::parse(text).is_some()),
    ("matches", |text| regex_lite::Regex::new(text).is_ok()),
];

impl Checker<'_> {
    pub(super) fn validate(&mut self) {
        for id in 0..self.ast.nodes.len() as Id {
            let Expr::Call { function, target, arguments } = self.ast.expr(id) else { continue };
            if function == "format"
                && let (Some(target), [values]) = (*target, arguments.as_slice())
            {
                self.validate_format(id, target, *values);
                continue;
            }
            let Some((name, valid)) = FUNCTIONS.iter().find(|(name, _)| name == function) else { continue };
            let of_value = *name == "matches";
            let argument = match arguments.as_slice() {
                [argument] if target.is_some() == of_value => *argument,
                [_, argument] if of_value => *argument,
                _ => continue,
            };
            if let Expr::Literal(Literal::String(text)) = self.ast.expr(argument)
                && !valid(text)
            {
                self.report(argument, &["invalid ", name, " argument"]);
            }
        }
    }
    /// A text that values are put into: whether it fits them, as far as both are written out.
    fn validate_format(&mut self, call: Id, text: Id, values: Id) {
        let (Expr::Literal(Literal::String(literal)), Expr::List(items)) =
            (self.ast.expr(text), self.ast.expr(values))
        else {
            return;
        };
        let of = |item: &Item| self.types.get(item.value as usize).unwrap_or(&Type::Dyn);
        let kinds: Vec<Type> =
            items.iter().map(|item| self.substitutions.substitute(of(item), true)).collect();
        if let Some((at, why)) = format::check(literal, &kinds.iter().collect::<Vec<_>>()) {
            let at = at.and_then(|at| items.get(at)).map_or(call, |item| item.value);
            self.report(at, &[&why]);
        }
    }
}
