//! The kind PriorityLevelConfiguration: how many requests a priority level handles at a time, and how others wait.
//!
//! See <https://kubernetes.io/docs/concepts/cluster-administration/flow-control/>.

mod printer;

use json_tree::Value;

use crate::flowcontrol::common::{not_as_fixed, update_status};
use crate::kind::{Checks, Kind, Pass, Paths, Printer, Strategy, TRACKED, keep_metadata, passes};
use crate::validation::checks::supported;
use crate::validation::read::{at, get, integer, text};
use field::{AddError, Error, Path};

/// The kind PriorityLevelConfiguration.
pub(crate) struct PriorityLevelConfiguration;

impl Kind for PriorityLevelConfiguration {
    const GROUP: &'static str = "flowcontrol.apiserver.k8s.io";
    const RESOURCE: &'static str = "prioritylevelconfigurations";
    const STRATEGY: Strategy = Strategy { prepare_for_status_update: keep_metadata, ..TRACKED };
    const RESET_FIELDS: &'static [(&'static str, Paths)] = &[("status", &[&["spec"], &["metadata"]])];
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(create).validate_part_alone("status", update_status)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const LEVELS: [&str; 2] = ["Exempt", "Limited"];
const RESPONSES: [&str; 2] = ["Queue", "Reject"];
const MAX_QUEUES: i64 = 10_000_000;
/// The number of bits of hash that there are to deal hands of queues by.
const HASH_BITS: u32 = 60;

/// Validates a PriorityLevelConfiguration.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let ty = text(spec, "type");
    let mut errors = Vec::new();
    if (text(at(object, "/metadata"), "name") == "exempt") != (ty == "Exempt") {
        let why = "must be 'Exempt' if and only if `name` is 'exempt'";
        errors.invalid(path.child("type"), ty, why);
    }
    let (limited, exempt) = (get(spec, "limited"), get(spec, "exempt"));
    match ty {
        "Exempt" => {
            if limited.is_some() {
                let why = "must be nil if the type is not Limited";
                errors.forbidden(path.child("limited"), why);
            }
            if let Some(exempt) = exempt {
                errors.extend(shares(exempt, &path.child("exempt")));
                errors.extend(lending(exempt, &path.child("exempt")));
            }
        }
        "Limited" => {
            if exempt.is_some() {
                let why = "must be nil if the type is Limited";
                errors.forbidden(path.child("exempt"), why);
            }
            let path = path.child("limited");
            match limited {
                None => errors.required(&path, "must not be empty when type is Limited"),
                Some(limited) => {
                    errors.extend(shares(limited, &path));
                    let response = at(limited, "/limitResponse");
                    errors.extend(limit_response(response, &path.child("limitResponse")));
                    errors.extend(lending(limited, &path));
                }
            }
        }
        _ => errors.extend(supported(spec, "type", &LEVELS, &path)),
    }
    errors.extend(not_as_fixed(object, "prioritylevelconfigurations"));
    errors.extend(update_status(object, &Value::Null));
    errors
}

fn shares(of: &Value, path: &Path) -> Option<Error> {
    let count = integer(of, "nominalConcurrencyShares").filter(|count| *count < 0)?;
    let at = path.child("nominalConcurrencyShares");
    Some(Error::invalid(&at, count, "must be a non-negative integer"))
}

fn lending(of: &Value, path: &Path) -> Vec<Error> {
    let mut errors = Vec::new();
    if let Some(percent) = integer(of, "lendablePercent").filter(|percent| !(0..=100).contains(percent)) {
        let why = "must be between 0 and 100, inclusive";
        errors.invalid(path.child("lendablePercent"), percent, why);
    }
    if let Some(percent) = integer(of, "borrowingLimitPercent").filter(|percent| *percent < 0) {
        let at = path.child("borrowingLimitPercent");
        errors.invalid(&at, percent, "if specified, must be a non-negative integer");
    }
    errors
}

fn limit_response(of: &Value, path: &Path) -> Vec<Error> {
    let (queuing, at) = (get(of, "queuing"), path.child("queuing"));
    match (text(of, "type"), queuing) {
        ("Reject", Some(_)) => {
            vec![Error::forbidden(&at, "must be nil if limited.limitResponse.type is not Limited")]
        }
        ("Queue", None) => {
            vec![Error::required(&at, "must not be empty if limited.limitResponse.type is Limited")]
        }
        ("Queue", Some(queuing)) => queues(queuing, &at),
        _ => supported(of, "type", &RESPONSES, path).into_iter().collect(),
    }
}

fn queues(of: &Value, path: &Path) -> Vec<Error> {
    let number = |field: &str| integer(of, field).unwrap_or_default();
    let mut errors = Vec::new();
    let mut wrong = |field: &str, why: &str| {
        errors.invalid(path.named(field), number(field), why);
    };
    if number("queueLengthLimit") <= 0 {
        wrong("queueLengthLimit", "must be positive");
    }
    let (count, hand) = (number("queues"), number("handSize"));
    if count <= 0 {
        wrong("queues", "must be positive");
    } else if count > MAX_QUEUES {
        wrong("queues", &format!("must not be greater than {MAX_QUEUES}"));
    }
    if hand <= 0 {
        wrong("handSize", "must be positive");
    } else if hand > count {
        wrong("handSize", &format!("should not be greater than queues ({count})"));
    } else if entropy(count, hand) > HASH_BITS {
        let why = format!(
            "required entropy bits of deckSize {count} and handSize {hand} should not be greater than {HASH_BITS}"
        );
        wrong("handSize", &why);
    }
    errors
}

/// Returns how many bits it takes to deal a hand out of so many queues.
fn entropy(queues: i64, hand: i64) -> u32 {
    ((queues as f64).log2() * hand as f64).ceil() as u32
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::validation::check;

    #[test]
    fn levels() {
        let level = |spec: Value| create(&json!({"metadata": {"name": "l"}, "spec": spec}));
        let queue = |queues: i64, hand: i64| {
            json!({"type": "Limited", "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Queue",
                "queuing": {"queues": queues, "handSize": hand, "queueLengthLimit": 50}}}})
        };
        check(&level(queue(64, 8)), "");
        check(
            &level(queue(4, 8)),
            "spec.limited.limitResponse.queuing.handSize: Invalid value: 8: should not be greater than queues (4)",
        );
        check(
            &level(queue(128, 10)),
            "spec.limited.limitResponse.queuing.handSize: Invalid value: 10: required entropy bits of deckSize 128 and handSize 10 should not be greater than 60",
        );
        let fixed = |spec: Value| create(&json!({"metadata": {"name": "exempt"}, "spec": spec}));
        check(&fixed(json!({"type": "Exempt", "exempt": {"lendablePercent": 5}})), "");
        check(
            &fixed(json!({"type": "Exempt", "limited": {}})),
            "[spec.limited: Forbidden: must be nil if the type is not Limited, \
             spec: Invalid value: {\"Type\":\"Exempt\",\"Limited\":{\"NominalConcurrencyShares\":null,\"LimitResponse\":{\"Type\":\"\",\"Queuing\":null},\"LendablePercent\":null,\"BorrowingLimitPercent\":null},\"Exempt\":null}: spec of 'exempt' except the 'spec.exempt' field must equal the fixed value]",
        );
        check(
            &level(json!({"type": "Exempt", "limited": {}})),
            "[spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt', \
             spec.limited: Forbidden: must be nil if the type is not Limited]",
        );
    }
}
