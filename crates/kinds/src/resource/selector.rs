//! The expressions that choose devices.
//!
//! See <https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/>.

use std::sync::{Arc, OnceLock};

use cel::{Declared, Env, Type};
use field::{AddError, Error, Path};

use crate::admissionregistration::expression::shown;

/// The longest expression, in bytes.
const MAX_LENGTH: usize = 10 * 1024;
/// The most that an expression may cost.
const MAX_COST: u64 = 1_000_000;
/// The most attributes of a device, and the most capacities.
const MAX_ENTRIES: i64 = 32;
/// The longest value of an attribute.
const MAX_VALUE: u64 = 64;
/// The longest name of a driver.
const MAX_DRIVER: u64 = 63;

/// Validates an expression at `path`.
pub(super) fn validate(expression: &str, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    if expression.len() > MAX_LENGTH {
        errors.too_long(path, MAX_LENGTH);
        return errors;
    }
    let env = Env::new().declared("device", device()).values_by_name();
    let program = match env.compile(expression) {
        Ok(program) => program,
        Err(issues) => {
            let why = ["compilation failed: ", &issues.to_text(expression)].concat();
            errors.invalid(path, expression, why);
            return errors;
        }
    };
    match program.kind() {
        Type::Bool | Type::Dyn => {}
        other => {
            let why = format!("must evaluate to bool or the unknown type, not {}", shown(other));
            errors.invalid(path, expression, why);
            return errors;
        }
    }
    if let Some(fault) = program.fault() {
        errors.internal(path, ["program instantiation failed: ", fault].concat());
    } else if program.estimate().max > MAX_COST {
        errors.forbidden(path, "too complex, exceeds cost limit");
    }
    errors
}

/// Returns the declared type of `device`.
fn device() -> Arc<Declared> {
    static DEVICE: OnceLock<Arc<Declared>> = OnceLock::new();
    let sized = |declared: Declared, max_elements| Declared { max_elements, ..declared };
    // By domain, and there by name.
    let by_name =
        |values: Declared| Declared::map(Declared::map(values, Some(MAX_ENTRIES)), Some(MAX_ENTRIES));
    let make = || {
        let driver = sized(Declared::string("", None, None), MAX_DRIVER);
        let attributes = by_name(sized(Declared::any(), MAX_VALUE));
        let capacity = by_name(sized(Declared::of_type(Type::Opaque("kubernetes.Quantity")), 0));
        let fields = [
            ("driver", driver),
            ("allowMultipleAllocations", sized(Declared::bool(), 1)),
            ("attributes", attributes),
            ("capacity", capacity),
        ];
        let fields = fields.map(|(name, declared)| (name.to_owned(), declared, true));
        Arc::new(Declared::object_called("kubernetes.DRADevice", Vec::from(fields)))
    };
    Arc::clone(DEVICE.get_or_init(make))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::check as check_errors;

    #[track_caller]
    fn check(expression: &str, expected: &str) {
        check_errors(&validate(expression, &Path::new("e")), expected);
    }

    #[test]
    fn devices_have_fields() {
        check("device.driver == 'x.y' && device.attributes['x.y'].a > 1", "");
        check("device.capacity['x.y'].m.isGreaterThan(quantity('1Gi'))", "");
        check("cel.bind(dra, device.attributes['x.y'], dra.one && dra.another)", "");
        check("device.allowMultipleAllocations", "");
        check("device.attributes['x.y'].a", "");
        check(
            "",
            "e: Invalid value: \"\": compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' \
             expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, \
             BYTES, IDENTIFIER}",
        );
        check(
            "device.nope == 'x'",
            "e: Invalid value: \"device.nope == 'x'\": compilation failed: ERROR: <input>:1:7: undefined field \
             'nope'\n | device.nope == 'x'\n | ......^",
        );
    }

    #[test]
    fn expressions_give_booleans() {
        check(
            "device.driver",
            "e: Invalid value: \"device.driver\": must evaluate to bool or the unknown type, not string",
        );
        check(
            "[device.driver]",
            "e: Invalid value: \"[device.driver]\": must evaluate to bool or the unknown type, not list(string)",
        );
    }

    #[test]
    fn expressions_are_short_and_cheap() {
        check(&" ".repeat(MAX_LENGTH + 1), "e: Too long: may not be more than 10240 bytes");
        check("device.attributes['x.y'].a.contains('b')", "");
        let each = "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, \
                    device.attributes.all(d, d == a))))";
        check(each, "e: Forbidden: too complex, exceeds cost limit");
    }
}
