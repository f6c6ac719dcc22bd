//! `allOf`, `anyOf`, `oneOf` and `not`.
//!
//! Their errors about a value as a whole belong to no field. Nothing in them is tolerated for being unchanged.

use field::{Error, Path};
use json_tree::Value;

use super::outcome::Outcome;
use super::place::At;
use super::validate_at;
use crate::Structural;

pub(super) fn check(value: &Value, schema: &Structural, at: &At<'_>, outcome: &mut Outcome) {
    let whole = |why: &str| {
        let place = field::quote(&at.to_string());
        Error::invalid(Path::default(), "", format!("{place} must {why}"))
    };
    let by = |schema: &Structural| validate_at(value, None, schema, at);
    if !schema.any_of.is_empty() {
        let mut best = Best::default();
        for schema in &schema.any_of {
            if best.take(by(schema)) {
                break;
            }
        }
        if best.valid == 0 {
            outcome.add(whole("validate at least one schema (anyOf)"));
        }
        outcome.merge(best.kept.unwrap_or_default());
    }
    if !schema.one_of.is_empty() {
        let mut best = Best::default();
        for schema in &schema.one_of {
            best.take(by(schema));
        }
        match best.valid {
            1 => outcome.merge(best.kept.unwrap_or_default()),
            0 => {
                outcome.add(whole("validate one and only one schema (oneOf). Found none valid"));
                outcome.merge(best.kept.unwrap_or_default());
            }
            count => {
                let why =
                    format!("validate one and only one schema (oneOf). Found {count} valid alternatives");
                outcome.add(whole(&why));
            }
        }
    }
    if !schema.all_of.is_empty() {
        let mut valid = 0;
        for schema in &schema.all_of {
            let found = by(schema);
            valid += usize::from(found.is_valid());
            outcome.merge(found);
        }
        if valid == 0 {
            outcome.add(whole("validate all the schemas (allOf). None validated"));
        } else if valid < schema.all_of.len() {
            outcome.add(whole("validate all the schemas (allOf)"));
        }
    }
    if schema.not.as_deref().is_some_and(|schema| by(schema).is_valid()) {
        outcome.add(whole("not validate the schema (not)"));
    }
    outcome.count();
}

/// The first success of several alternatives, or until there is one the failure that has passed most checks.
#[derive(Default)]
struct Best {
    valid: usize,
    kept: Option<Outcome>,
}

impl Best {
    /// Looks at one more alternative, and says whether it succeeded.
    fn take(&mut self, outcome: Outcome) -> bool {
        let valid = outcome.is_valid();
        let better = match &self.kept {
            _ if self.valid > 0 => false,
            Some(kept) => valid || outcome.passed > kept.passed,
            None => true,
        };
        self.valid += usize::from(valid);
        if better {
            self.kept = Some(outcome);
        }
        valid
    }
}
