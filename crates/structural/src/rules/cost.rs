//! The limits on the estimated cost of rules.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions>.

use cel::{DEFINITION_ESTIMATE_LIMIT, Declared, RULE_ESTIMATE_LIMIT};
use field::{AddError, Error, Path};

use crate::{AdditionalProperties, Structural, Type};

/// The largest request, in bytes.
const REQUEST: u64 = 3 * 1024 * 1024;
/// How many expressions are told to be the most expensive ones.
const MOST_EXPENSIVE: usize = 4;

/// The estimated cost of all rules of a schema, and the most expensive ones.
#[derive(Default)]
pub(super) struct Total {
    sum: u64,
    expensive: Vec<(Path, u64)>,
}

impl Total {
    /// Adds an expression. The error is that of one which may cost too much by itself.
    pub(super) fn add(&mut self, path: Path, what: &str, cost: u64) -> Option<Error> {
        self.sum = self.sum.saturating_add(cost);
        let error = (cost > RULE_ESTIMATE_LIMIT).then(|| {
            Error::forbidden(
                &path,
                too_much(&["estimated ", what, " cost"].concat(), cost, RULE_ESTIMATE_LIMIT),
            )
        });
        if cost >= DEFINITION_ESTIMATE_LIMIT / 100 {
            let place = self.expensive.iter().position(|(_, other)| *other < cost);
            self.expensive.insert(place.unwrap_or(self.expensive.len()), (path, cost));
            self.expensive.truncate(MOST_EXPENSIVE);
        }
        error
    }

    /// The errors of a schema whose rules may cost too much together.
    pub(super) fn errors(&self, schema: &Path) -> Vec<Error> {
        if self.sum <= DEFINITION_ESTIMATE_LIMIT {
            return Vec::new();
        }
        let contributed =
            "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
        let total = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let mut errors: Vec<Error> =
            self.expensive.iter().map(|(path, _)| Error::forbidden(path, contributed)).collect();
        errors.forbidden(schema, too_much(total, self.sum, DEFINITION_ESTIMATE_LIMIT));
        errors
    }
}

fn too_much(what: &str, cost: u64, limit: u64) -> String {
    let factor = if u128::from(cost) > 100 * u128::from(limit) {
        "more than 100x".to_owned()
    } else if u128::from(cost) * 2 < u128::from(limit) * 3 {
        decimal(cost, limit, 6)
    } else {
        decimal(cost, limit, 1)
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, \
         and maxLength where arrays, maps, and strings are declared)"
    )
}

/// `cost` divided by `limit`, with so many decimals.
fn decimal(cost: u64, limit: u64, decimals: usize) -> String {
    let scale = 10_u128.pow(decimals as u32);
    let scaled = (u128::from(cost) * scale + u128::from(limit) / 2) / u128::from(limit);
    format!("{}.{:0decimals$}x", scaled / scale, scaled % scale)
}

/// How often a node can stand in an object, if something limits that: all maps and lists around it say how much there
/// may be in them.
#[derive(Clone, Copy)]
pub(super) struct Cardinality(Option<u64>);

impl Cardinality {
    pub(super) const ROOT: Self = Self(Some(1));

    /// That of what is in a node of this schema.
    pub(super) fn within(self, schema: &Structural) -> Self {
        let most = |limit: Option<i64>| limit.map(|limit| u64::try_from(limit).unwrap_or(0));
        let factor = match (schema.ty, &schema.additional_properties) {
            (Some(Type::Object), Some(AdditionalProperties::Any(_) | AdditionalProperties::Schema(_))) => {
                most(schema.max_properties)
            }
            (Some(Type::Array), _) => most(schema.max_items),
            _ => Some(1),
        };
        Self(self.0.zip(factor).map(|(count, factor)| count.saturating_mul(factor)))
    }

    /// Returns the cost of an expression for all values of a node.
    pub(super) fn times(self, cost: u64, declared: &Declared) -> u64 {
        cost.saturating_mul(self.0.unwrap_or(REQUEST / (declared.min_size + 1)))
    }
}
