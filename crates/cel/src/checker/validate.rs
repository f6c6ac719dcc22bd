//! Literals that no value can be made of: durations, times and patterns.
//!
//! See <https://pkg.go.dev/github.com/google/cel-go/cel#ASTValidator>.

use super::Checker;
use crate::{
    ast::{Expr, Id, Literal},
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
}
