//! `||` and `&&`: as many as there are in a row become a tree that is as flat as it can be.

use super::{Parsed, Parser, Set};
use crate::{ast::Id, lexer::Kind};

impl Parser<'_> {
    pub(super) fn or(&mut self) -> Parsed {
        self.row(Kind::Or, "_||_", Self::and)
    }

    fn and(&mut self) -> Parsed {
        self.row(Kind::And, "_&&_", |parser| parser.binary(1))
    }

    fn row(&mut self, operator: Kind, name: &'static str, term: fn(&mut Self) -> Parsed) -> Parsed {
        let follow = Set::of(&[operator]);
        let mut terms = vec![self.within(follow, term)?];
        let mut operators = Vec::new();
        while self.token().kind == operator {
            operators.push(self.advance().offset);
            terms.push(self.within(follow, term)?);
        }
        Ok(self.balanced(name, &terms, &operators))
    }

    /// The tree of `terms` with one operator after each of them but the last. It is as deep as its logarithm.
    fn balanced(&mut self, name: &'static str, terms: &[Id], operators: &[u32]) -> Id {
        let middle = operators.len() / 2;
        let (Some(operator), Some((left, right))) =
            (operators.get(middle), terms.split_at_checked(middle + 1))
        else {
            return terms.first().copied().unwrap_or_default();
        };
        let left = self.balanced(name, left, operators.get(..middle).unwrap_or_default());
        let right = self.balanced(name, right, operators.get(middle + 1..).unwrap_or_default());
        self.call(*operator, name, vec![left, right])
    }
}
