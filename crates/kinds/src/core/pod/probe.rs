//! Validation of probes, which check a container while it runs, and of hooks, which run when it starts and stops.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/pods/probes/> and
//! <https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/>.

use json_tree::Value;

use super::check::{Errors, child, choice, each, required, well_formed};
use crate::validation::name;
use crate::validation::read::{at, get, integer, text};
use crate::validation::values::{not_negative, port_number, port_number_or_name};
use field::{AddError, Error, Path};

const OF_PROBES: [&str; 4] = ["exec", "httpGet", "tcpSocket", "grpc"];
const OF_HOOKS: [&str; 4] = ["exec", "httpGet", "tcpSocket", "sleep"];
const SCHEMES: [&str; 2] = ["HTTP", "HTTPS"];
const NUMBERS: [&str; 5] =
    ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];

/// The hooks and probes of a container that goes on running; `grace` is how long its pod may take to end.
pub(super) fn all(container: &Value, grace: Option<i64>, path: &Path, errors: &mut Errors) {
    if let Some((lifecycle, path)) = child(container, "lifecycle", path) {
        for hook in ["postStart", "preStop"] {
            if let Some((handler, path)) = child(lifecycle, hook, &path) {
                self::handler(handler, &OF_HOOKS, grace, &path, errors);
            }
        }
    }
    for field in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some((probe, path)) = child(container, field, path) else { continue };
        handler(probe, &OF_PROBES, grace, &path, errors);
        for number in NUMBERS {
            errors.extend(not_negative(probe, number, &path));
        }
        let grace = integer(probe, "terminationGracePeriodSeconds");
        let at = || path.child("terminationGracePeriodSeconds");
        if let Some(grace) = grace.filter(|grace| *grace <= 0) {
            errors.invalid(at(), grace, "must be greater than 0");
        }
        if field == "readinessProbe" {
            if let Some(grace) = grace {
                errors.invalid(at(), grace, "must not be set for readinessProbes");
            }
        } else if let Some(threshold) = integer(probe, "successThreshold").filter(|threshold| *threshold != 1)
        {
            errors.invalid(path.child("successThreshold"), threshold, "must be 1");
        }
    }
}

/// The one way in which a container is asked or told something.
fn handler(handler: &Value, kinds: &[&'static str], grace: Option<i64>, path: &Path, errors: &mut Errors) {
    let mut given = kinds.iter().filter_map(|kind| Some((*kind, get(handler, kind)?, path.child(kind))));
    let Some((kind, action, at)) = given.next() else {
        errors.required(path, "must specify a handler type");
        return;
    };
    match kind {
        "exec" => required(action, &["command"], &at, errors),
        "httpGet" => http_get(action, &at, errors),
        "tcpSocket" => errors.extend(port_number_or_name(self::at(action, "/port"), &at.child("port"))),
        "grpc" => {
            errors.extend(port_number(integer(action, "port").unwrap_or_default(), &at.child("port")));
        }
        _ => {
            let seconds = integer(action, "seconds").unwrap_or_default();
            if let Some(grace) = grace.filter(|grace| seconds < 0 || seconds > *grace) {
                let why =
                    format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
                errors.invalid(&at, seconds, why);
            }
        }
    }
    let why = "may not specify more than 1 handler type";
    errors.extend(given.map(|(_, _, at)| Error::forbidden(&at, why)));
}

fn http_get(action: &Value, path: &Path, errors: &mut Errors) {
    required(action, &["path"], path, errors);
    errors.extend(port_number_or_name(at(action, "/port"), &path.child("port")));
    choice(action, "scheme", &SCHEMES, path, errors);
    for (header, _) in each(action, "httpHeaders", path) {
        well_formed(text(header, "name"), name::http_header, &path.child("httpHeaders"), errors);
    }
}
