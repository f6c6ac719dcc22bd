//! How much a program may cost as it runs.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#cost-budgets>.

use crate::{
    error::Error,
    value::{List, Value},
};

/// The cost limit of one expression.
pub const CALL_LIMIT: u64 = 1_000_000;
/// The cost limit of all rules of an object together.
pub const OBJECT_LIMIT: u64 = 10_000_000;
/// The limit of the estimated cost of one rule.
pub const RULE_ESTIMATE_LIMIT: u64 = 10_000_000;
/// The limit of the estimated cost of all rules of a definition together.
pub const DEFINITION_ESTIMATE_LIMIT: u64 = 100_000_000;

/// How much may be done that costs do not tell of: copying lists, looking through strings. In steps of a few
/// nanoseconds.
const WORK_LIMIT: u64 = 50_000_000;

/// How much a program may cost, and how much it has cost.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: u64,
    spent: u64,
    work: u64,
}

impl Default for Budget {
    /// Returns the budget of one expression.
    fn default() -> Self {
        Self::new(CALL_LIMIT)
    }
}

impl Budget {
    /// At most `limit`.
    pub fn new(limit: u64) -> Self {
        Self { limit, spent: 0, work: 0 }
    }

    /// Returns the cost so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    pub(crate) fn spend(&mut self, cost: u64) -> Result<(), Error> {
        self.spent = self.spent.saturating_add(cost);
        if self.spent > self.limit { Err(Error::Budget) } else { Ok(()) }
    }

    /// Takes one back that was counted for a name.
    pub(crate) fn refund(&mut self) {
        self.spent = self.spent.saturating_sub(1);
    }

    /// Counts what is done with `values`, whatever it costs.
    pub(crate) fn work(&mut self, values: &[Value<'_>]) -> Result<(), Error> {
        for value in values {
            self.work = self.work.saturating_add(match value {
                Value::String(text) => text.len() as u64 / 16,
                Value::Bytes(bytes) => bytes.len() as u64 / 16,
                Value::List(List::Built(items)) => items.len() as u64,
                Value::List(list) => list.len() as u64 * 8,
                Value::Map(map) => map.len() as u64 * 8,
                _ => 1,
            });
        }
        if self.work > WORK_LIMIT { Err(Error::Budget) } else { Ok(()) }
    }
}
