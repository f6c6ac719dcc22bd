//! Numbers: their ranges, and whether their type can hold them.

use field::Error;
use json_tree::Number;

use super::outcome::Outcome;
use super::place::At;
use crate::{Structural, Type};

/// Beyond this, floats are not sure to be what was written.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// Reports whether a float is an integer, within a tiny error.
pub(super) fn is_whole(float: f64) -> bool {
    if !float.is_finite() || float.abs() > MAX_SAFE {
        return false;
    }
    let rounded = float.round();
    float == rounded || (rounded != 0.0 && (float - rounded).abs() < 1e-9 * rounded.abs())
}

/// A number as Go has it.
#[derive(Clone, Copy)]
enum Go {
    Int(i64),
    Float(f64),
}

impl Go {
    fn float(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }

    /// As `%v` prints it.
    fn text(self) -> String {
        match self {
            Self::Int(int) => int.to_string(),
            Self::Float(float) => schema::go::show(&float.into()),
        }
    }

    fn json(self) -> json_tree::Value {
        match self {
            Self::Int(int) => int.into(),
            Self::Float(float) => float.into(),
        }
    }
}

struct Checks<'a> {
    /// The type, if there is exactly one.
    ty: Option<Type>,
    format: &'a str,
    at: &'a At<'a>,
}

pub(super) fn check(number: &Number, schema: &Structural, format: &str, at: &At<'_>, outcome: &mut Outcome) {
    let value = match number.as_i64() {
        Some(int) => Go::Int(int),
        None => Go::Float(number.as_f64().unwrap_or(f64::INFINITY)),
    };
    let ty = if schema.int_or_string { None } else { schema.ty };
    let checks = Checks { ty, format, at };
    outcome.errors.extend(checks.range(value, "Checked"));
    if let Some(factor) = schema.multiple_of {
        let range = checks.range(Go::Float(factor), "MultipleOf");
        let native = range.is_none();
        outcome.errors.extend(range);
        outcome.errors.extend(checks.multiple(value, factor, native));
    }
    let bounds = [
        (
            schema.minimum,
            schema.exclusive_minimum,
            "Minimum boundary",
            ["greater than or equal to", "greater than"],
        ),
        (
            schema.maximum,
            schema.exclusive_maximum,
            "Maximum boundary",
            ["less than or equal to", "less than"],
        ),
    ];
    for (index, (bound, exclusive, prefix, words)) in bounds.into_iter().enumerate() {
        let Some(bound) = bound else { continue };
        let range = checks.range(Go::Float(bound), prefix);
        let (value, bound) = match value {
            Go::Int(int) if range.is_none() => (Go::Int(int), Go::Int(bound as i64)),
            _ => (Go::Float(value.float()), Go::Float(bound)),
        };
        outcome.errors.extend(range);
        let (low, high) = if index == 0 { (bound, value) } else { (value, bound) };
        let (in_order, equal) = match (low, high) {
            (Go::Int(low), Go::Int(high)) => (low <= high, low == high),
            _ => (low.float() <= high.float(), low.float() == high.float()),
        };
        if !in_order || exclusive && equal {
            let why = format!("{at} in body should be {} {}", words[usize::from(exclusive)], bound.text());
            outcome.add(Error::invalid(at.path(), value.json(), why));
        }
    }
    outcome.count();
    outcome.count();
}

impl Checks<'_> {
    /// The error of a number that the schema's type and format cannot hold. It belongs to no field.
    fn range(&self, number: Go, prefix: &str) -> Option<Error> {
        let ty = self.ty?;
        let fits = match (ty, self.format, number) {
            (Type::Integer, "int32", Go::Int(int)) => i32::try_from(int).is_ok(),
            (Type::Integer, "int32", Go::Float(float)) => {
                float.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&float)
            }
            (Type::Integer, _, Go::Float(float)) => {
                float.fract() == 0.0 && (i64::MIN as f64..i64::MAX as f64).contains(&float)
            }
            (Type::Number, "float", number) => (number.float() as f32).is_finite(),
            _ => true,
        };
        let how = match self.format {
            "" => "(default format)".to_owned(),
            format => format!("with format {format}"),
        };
        let (name, at) = (ty.name(), self.at);
        (!fits).then(|| {
            Error::invalid(
                field::Path::default(),
                "",
                format!("{prefix} value must be of type {name} {how} in {at}"),
            )
        })
    }

    /// The error of a number that is no multiple. Integers are divided as such by what is `native` to their type.
    fn multiple(&self, value: Go, factor: f64, native: bool) -> Option<Error> {
        let (value, factor) = match value {
            Go::Int(int) if native && factor as i64 != 0 => (Go::Int(int), Go::Int(factor as i64)),
            _ => (Go::Float(value.float()), Go::Float(factor)),
        };
        let (at, path) = (self.at, self.at.path());
        if factor.float() < 0.0 {
            let text = factor.text();
            let why = format!("factor MultipleOf declared for {at} must be positive: {text}");
            return Some(Error::invalid(&path, factor.json(), why));
        }
        let multiple = match (value, factor) {
            (Go::Int(value), Go::Int(factor)) => value % factor == 0,
            _ if factor.float() < 1.0 => is_whole(1.0 / factor.float() * value.float()),
            _ => is_whole(value.float() / factor.float()),
        };
        (!multiple).then(|| {
            let why = format!("{at} in body should be a multiple of {}", factor.text());
            Error::invalid(&path, value.json(), why)
        })
    }
}
