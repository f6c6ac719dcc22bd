//! The kind MutatingAdmissionPolicy.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/>.

mod printer;

use json_tree::Value;

use crate::admissionregistration::expression::{Gives, Scope};
use crate::admissionregistration::policy::common;
use crate::admissionregistration::rules::{REINVOCATION_POLICIES, compiled};
use crate::kind::{ADMISSION, Checks, Kind, Pass, Printer, Strategy, passes};
use crate::validation::checks::required_choice;
use crate::validation::read::{at, get, list, text};
use field::{AddError, Error, Path};

/// The kind MutatingAdmissionPolicy.
pub(crate) struct MutatingAdmissionPolicy;

impl Kind for MutatingAdmissionPolicy {
    const GROUP: &'static str = "admissionregistration.k8s.io";
    const RESOURCE: &'static str = "mutatingadmissionpolicies";
    const HAS_POLICIES: bool = false;
    const STRATEGY: Strategy = ADMISSION;
    const UPDATE_PASSES: &'static [Pass] = passes::CREATE;

    fn checks() -> Checks {
        Checks::none().validate(create)
    }

    fn printer() -> Option<Printer> {
        Some(Printer::of(printer::COLUMNS, printer::cells))
    }
}

const PATCH_TYPES: [&str; 2] = ["ApplyConfiguration", "JSONPatch"];

/// Validates a MutatingAdmissionPolicy.
fn create(object: &Value) -> Vec<Error> {
    let (spec, path) = (at(object, "/spec"), Path::new("spec"));
    let (mut errors, scope) = common(spec, true, &path);
    let mutations = list(spec, "mutations");
    if mutations.is_empty() {
        let why = "mutations must contain at least one item";
        errors.required(path.child("mutations"), why);
    }
    for (index, one) in mutations.iter().enumerate() {
        errors.extend(mutation(one, &scope, &path.child("mutations").index(index)));
    }
    errors.extend(required_choice(spec, "reinvocationPolicy", &REINVOCATION_POLICIES, &path));
    errors
}

fn mutation(of: &Value, scope: &Scope, path: &Path) -> Vec<Error> {
    let ty = text(of, "patchType");
    let (own, other, gives) = match ty {
        "ApplyConfiguration" => ("applyConfiguration", "jsonPatch", Gives::Configuration),
        "JSONPatch" => ("jsonPatch", "applyConfiguration", Gives::Patch),
        "" => return vec![Error::required(path.child("patchType"), "")],
        _ => return vec![Error::not_supported(path.child("patchType"), ty, &PATCH_TYPES)],
    };
    let mut errors = Vec::new();
    match get(of, own) {
        None => {
            let why = format!("must be specified when patchType is {ty}");
            errors.required(path.child(own), why);
        }
        Some(patch) => {
            let (expression, at) = (text(patch, "expression").trim(), path.child(own).child("expression"));
            if expression.is_empty() {
                errors.required(&at, "");
            } else {
                errors.extend(compiled(scope.compile(expression, gives), expression, &at));
            }
        }
    }
    if get(of, other).is_some() {
        let why = format!("must not be specified when patchType is {ty}");
        errors.invalid(path.child(other), ["{", other, "}"].concat(), why);
    }
    errors
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::admissionregistration::policy::tests::policy;
    use crate::validation::check;

    #[test]
    fn mutating_policies() {
        let is = |more: Value, expected: &str| check(&create(&policy(more)), expected);
        let constraints = json!({"matchPolicy": "Exact", "namespaceSelector": {}, "objectSelector": {}, "resourceRules": [
            {"operations": ["CREATE", "DELETE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}]});
        let configuration =
            json!({"expression": "Object{metadata: Object.metadata{labels: {'a': variables.b}}}"});
        let patch = json!({"expression": " [] "});
        is(
            json!({"mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": configuration}],
                "variables": [{"name": "b", "expression": "'c'"}], "reinvocationPolicy": "Never"}),
            "",
        );
        is(
            json!({"matchConstraints": constraints, "reinvocationPolicy": "Never", "mutations": [
                {"patchType": "JSONPatch", "jsonPatch": patch, "applyConfiguration": configuration},
                {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": " "}},
            ]}),
            "[spec.matchConstraints.resourceRules.operations: Unsupported value: \"DELETE\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"UPDATE\", \
             spec.mutations[0].jsonPatch.expression: Invalid value: \"[]\": must evaluate to list(JSONPatch) but got list(dyn), \
             spec.mutations[0].applyConfiguration: Invalid value: \"{applyConfiguration}\": must not be specified when patchType is JSONPatch, \
             spec.mutations[1].applyConfiguration.expression: Required value]",
        );
        is(
            json!({"mutations": [{"patchType": "Other"}, {"patchType": "JSONPatch"}]}),
            "[spec.mutations[0].patchType: Unsupported value: \"Other\": supported values: \"ApplyConfiguration\", \"JSONPatch\", \
             spec.mutations[1].jsonPatch: Required value: must be specified when patchType is JSONPatch, \
             spec.reinvocationPolicy: Required value]",
        );
    }
}
