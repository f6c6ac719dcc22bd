//! The controller that checks the expressions of ValidatingAdmissionPolicies against the types of what they match, and says in their status
//! what does not fit.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking>.

use std::collections::BTreeSet;
use std::sync::Arc;

use cel::Declared;
use futures::FutureExt;
use json_tree::{Value, json};
use kinds::admissionregistration::expression::{ObjectTypes, Scope};

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::discovery::Discovery;
use crate::error::Error;
use crate::object::{self, list};
use crate::openapi;
use crate::resource::{Resource, VALIDATING_ADMISSION_POLICIES};

/// The name of the controller, and the field manager of the status.
pub(crate) const NAME: &str = "validatingadmissionpolicy-status-controller";
const MANAGER: &str = "validatingadmissionpolicy-status";

/// The most kinds that one rule of a policy is checked against.
const MOST_TYPES: usize = 10;

/// The group, version and kind of objects.
type Kind = (String, String, String);

/// The controller. Its keys are the names of policies.
pub(crate) struct ValidatingAdmissionPolicyStatus;

impl Controller for ValidatingAdmissionPolicyStatus {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(VALIDATING_ADMISSION_POLICIES, View::Whole)]
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        if let Some(policy) = &change.new {
            context.queue.add(object::name(policy));
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        look(key, context).boxed()
    }
}

/// Checks a policy that has changed since it was last looked at.
async fn look(name: &str, context: &Context<'_>) -> Result<Outcome, Error> {
    let Some(policy) = context.stores.of(&VALIDATING_ADMISSION_POLICIES).get(name) else {
        return Ok(Outcome::Done);
    };
    let generation = object::generation(policy);
    if generation <= object::int(policy, "/status/observedGeneration") {
        return Ok(Outcome::Done);
    }
    let warnings = check(policy, context).await?;
    let checking = if warnings.is_empty() { json!({}) } else { json!({"expressionWarnings": warnings}) };
    let status = json!({"observedGeneration": generation, "typeChecking": checking});
    let applied = json!({"metadata": {"name": name}, "status": status});
    let client = context.client;
    client.apply_status(&VALIDATING_ADMISSION_POLICIES, ("", name), MANAGER, &applied).await?;
    Ok(Outcome::Done)
}

/// Returns the warnings about a policy's expressions.
async fn check(policy: &Value, context: &Context<'_>) -> Result<Vec<Value>, Error> {
    let mut types = Types { context, documents: Vec::new() };
    let mut matched = Vec::new();
    for kind in kinds_of(policy, &Discovery::ask(context.client).await?) {
        if let Some(declared) = types.of(&kind).await? {
            matched.push((kind, declared));
        }
    }
    let parameters = parameters_of(policy);
    let params = match &parameters {
        Some(kind) => types.of(kind).await?.flatten(),
        None => None,
    };
    let scopes: Vec<(String, Scope)> = matched
        .into_iter()
        .map(|((group, version, kind), object)| {
            let types = ObjectTypes { object, params: params.clone() };
            let mut scope = Scope::typed(parameters.is_some(), types);
            for variable in list(policy, "/spec/variables") {
                // One that is wrong is of any type.
                let _ = scope.variable(variable.text("name"), variable.text("expression"));
            }
            ([&group, "/", &version, ", Kind=", &kind].concat(), scope)
        })
        .collect();
    let mut warnings = Vec::new();
    for (index, validation) in list(policy, "/spec/validations").iter().enumerate() {
        for field in ["expression", "messageExpression"] {
            let text = validation.text(field);
            if text.is_empty() && field == "messageExpression" {
                continue;
            }
            let issues = scopes.iter().filter_map(|(kind, scope)| {
                scope.issues(text).map(|issues| [kind, ": ", &issues, "\n"].concat())
            });
            let issues: Vec<String> = issues.collect();
            if !issues.is_empty() {
                let reference = format!("spec.validations[{index}].{field}");
                warnings.push(json!({"fieldRef": reference, "warning": issues.join("\n")}));
            }
        }
    }
    Ok(warnings)
}

/// Returns the kind of a policy's parameters.
fn parameters_of(policy: &Value) -> Option<Kind> {
    let kind = policy.pointer("/spec/paramKind").filter(|kind| !kind.is_null())?;
    let version = kind.text("apiVersion");
    let (group, version) = version.split_once('/').unwrap_or(("", version));
    Some((group.to_owned(), version.to_owned(), kind.text("kind").to_owned()))
}

/// Returns the kinds that a policy matches by name, sorted. A rule with a wildcard matches what nobody knows.
fn kinds_of(policy: &Value, served: &Discovery) -> BTreeSet<Kind> {
    let mut kinds = BTreeSet::new();
    for rule in list(policy, "/spec/matchConstraints/resourceRules") {
        let named = |field: &str| {
            let all = rule.get(field).and_then(Value::as_array).into_iter().flatten();
            let mut all: Vec<&str> = all.map(Value::as_text).collect();
            all.sort_unstable();
            all
        };
        let (groups, versions, mut resources) =
            (named("apiGroups"), named("apiVersions"), named("resources"));
        resources.retain(|name| !name.contains(['*', '/']));
        if groups.iter().chain(&versions).any(|name| name.contains('*')) {
            continue;
        }
        let (versions, resources) = (&versions, &resources);
        let of_version = |group, version| {
            resources.iter().flat_map(move |resource| served.kinds_of(group, version, resource))
        };
        let all = groups
            .into_iter()
            .flat_map(move |group| versions.iter().flat_map(move |version| of_version(group, *version)));
        let found: Vec<Kind> = all.take(MOST_TYPES).collect();
        let is_all = found.len() < MOST_TYPES;
        kinds.extend(found);
        if !is_all {
            break;
        }
    }
    kinds
}

/// The types of kinds, by the documents of their versions.
struct Types<'a> {
    context: &'a Context<'a>,
    /// The documents that were asked for: the path of each, and its content if there is one.
    documents: Vec<(String, Option<Value>)>,
}

impl Types<'_> {
    /// Returns the type of a kind: `None` if there is no such kind, `Some(None)` if it may be anything.
    async fn of(&mut self, (group, version, kind): &Kind) -> Result<Option<Option<Arc<Declared>>>, Error> {
        let path = if group.is_empty() {
            ["/openapi/v3/api/", version].concat()
        } else {
            ["/openapi/v3/apis/", group, "/", version].concat()
        };
        let known = self.documents.iter().position(|(other, _)| *other == path);
        let at = match known {
            Some(at) => at,
            None => {
                let document = match self.context.client.read(&path).await {
                    Ok(document) => Some(document),
                    Err(error) if error.is_not_found() => None,
                    Err(error) => return Err(error),
                };
                self.documents.push((path, document));
                self.documents.len() - 1
            }
        };
        let Some((_, Some(document))) = self.documents.get(at) else { return Ok(None) };
        let declared = openapi::declared(document, (group, version, kind));
        Ok(declared.map(|declared| {
            // kube-apiserver's checker tells types of the same kind apart by the time.
            let name = format!("{kind}{}", self.context.now().subsec_nanos());
            declared.map(|declared| Arc::new(declared.named(&name)))
        }))
    }
}
