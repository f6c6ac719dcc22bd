//! Expressions that others refer to by their names: the variables of an admission policy.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#variable-composition>. Each is
//! evaluated when it is first asked for, and once. What that costs is counted apart from the expression that asks.

use super::Run;
use crate::{budget::Budget, error::Error, program::Program, value::Value};

/// How high the trees of all programs may be that wait for each other.
const HEIGHT: u32 = 500;

/// Programs by their names, and their values as far as they are known.
#[derive(Debug)]
pub struct Composition<'p> {
    programs: &'p [(String, Result<Program, String>)],
    values: Vec<Option<Result<Value<'p>, Error>>>,
    cost: u64,
    height: u32,
}

impl<'p> Composition<'p> {
    /// Of these programs, all for the same variables; or why there is no program. Of several with the same name the
    /// last one counts.
    pub fn new(programs: &'p [(String, Result<Program, String>)]) -> Self {
        Self { programs, values: vec![None; programs.len()], cost: 0, height: 0 }
    }

    /// Returns the cost since this was asked last.
    pub fn take_cost(&mut self) -> u64 {
        std::mem::take(&mut self.cost)
    }

    /// The values of the programs, in their order, as far as somebody has asked for them.
    pub fn values(&self) -> &[Option<Result<Value<'p>, Error>>] {
        &self.values
    }

    /// Returns whether there is a program called `name`.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.programs.iter().any(|(known, _)| known == name)
    }

    /// The value of the program called `name`; none if there is no such program.
    pub(crate) fn get(&mut self, name: &str, variables: &'p [Value<'p>]) -> Option<Result<Value<'p>, Error>> {
        let index = self.programs.iter().rposition(|(known, _)| known == name)?;
        if let Some(Some(known)) = self.values.get(index) {
            return Some(known.clone());
        }
        let failed = |what: &str, why: &str| {
            Err(Error::new(["composited variable \"", name, "\" fails to ", what, ": ", why].concat()))
        };
        let value = match self.programs.get(index).map(|(_, program)| program)? {
            Err(why) => failed("compile", why),
            Ok(program) => {
                let height = u32::from(program.ast.height);
                if self.height + height > HEIGHT {
                    return Some(failed("evaluate", "it depends on too much"));
                }
                // Whoever asks for it meanwhile is part of it.
                self.keep(index, failed("evaluate", "it depends on itself"));
                self.height += height;
                let mut budget = Budget::default();
                let result = Run::new(program, variables, &mut budget, Some(self)).eval(program.ast.root);
                self.height -= height;
                self.cost = self.cost.saturating_add(budget.spent());
                result.or_else(|error| failed("evaluate", &error.to_string()))
            }
        };
        self.keep(index, value.clone());
        Some(value)
    }

    fn keep(&mut self, index: usize, value: Result<Value<'p>, Error>) {
        if let Some(known) = self.values.get_mut(index) {
            *known = Some(value);
        }
    }
}
