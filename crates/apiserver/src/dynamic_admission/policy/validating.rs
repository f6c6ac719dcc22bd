//! ValidatingAdmissionPolicies at work.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/>.

use admission::Plugin;
use json_tree::{Value, json};

use super::audit::{self, Published};
use super::hook::{Bound, Misconfigured};
use super::request::{Attributes, Request};
use super::snapshot::Hook;
use crate::auth;
use crate::context::RequestContext;
use apimachinery::Attributes as AuthorizerAttributes;
use apimachinery::User;
use apimachinery::status::{Cause, Reason, Status, Subject};
use protocol::trace::Judgement;

/// The key prefixes of the stored policies and of their bindings.
pub(super) const VALIDATING: [&str; 2] =
    ["/registry/validatingadmissionpolicies/", "/registry/validatingadmissionpolicybindings/"];

/// How often a policy may ask who may do what.
const ROUNDS: usize = 64;

/// Why a request is denied.
struct Denial {
    policy: String,
    /// Empty, if it is the policy itself that cannot be used.
    binding: String,
    message: String,
    reason: String,
}

impl Hook {
    /// Returns the denial of a request because of what cannot be used; none if failures are to be ignored.
    fn denial(&self, Misconfigured { binding, why }: Misconfigured<'_>) -> Option<Denial> {
        (self.spec["failurePolicy"] != "Ignore").then(|| Denial {
            policy: self.name.clone(),
            binding: binding.to_owned(),
            message: why,
            reason: String::new(),
        })
    }
}

impl RequestContext<'_> {
    /// Asks the policies whether this may be done, without the lock: each may take as long as its cost allows. Whoever asks
    /// for it is told `warnings`.
    ///
    /// # Errors
    /// The denial by the first policy that denies it.
    pub(in crate::dynamic_admission) async fn apply_validating_policies(
        &self,
        attributes: &Attributes<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<(), Box<Status>> {
        let Some(snapshot) = self.policies(Plugin::ValidatingAdmissionPolicy, VALIDATING, attributes.name)?
        else {
            return Ok(());
        };
        let request = Request::new(self, &snapshot, attributes);
        let mut denials = Vec::new();
        for hook in &snapshot.hooks {
            let mut published = Published::default();
            for bound in request.bound(hook) {
                let Bound { binding: (name, binding), row, params } = match bound {
                    Ok(bound) => bound,
                    Err(misconfigured) => {
                        denials.extend(hook.denial(misconfigured));
                        continue;
                    }
                };
                if let Err(why) = request.convert(&row).await {
                    let why =
                        ["failed to configure binding: failed to convert object version: ", &why].concat();
                    denials.extend(hook.denial(Misconfigured { binding: name, why }));
                    continue;
                }
                for params in params {
                    self.give_way().await?;
                    let question = request.question(&hook.spec, &row, &params)?;
                    let answer = request.ask(question);
                    request.note_asked(hook, name, &params, &answer);
                    self.carry_out(hook, (name, binding), &answer, (&mut denials, &mut published), warnings);
                }
            }
            published.publish(&hook.name, self.notes.audit());
        }
        for denial in &denials {
            self.note(&denial.policy, &denial.binding, "Deny", &denial.message);
        }
        match denials.first() {
            Some(denial) => Err(self.denied(attributes, denial)),
            None => Ok(()),
        }
    }

    /// Does what a binding says about the answer of its policy.
    fn carry_out(
        &self,
        hook: &Hook,
        (name, binding): (&str, &Value),
        answer: &Value,
        (denials, published): (&mut Vec<Denial>, &mut Published),
        warnings: &mut Vec<String>,
    ) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let denial = |message: String, reason: String| Denial {
            policy: hook.name.clone(),
            binding: name.to_owned(),
            message,
            reason,
        };
        // Each with the place of its expression.
        let mut found: Vec<(u64, Denial)> = Vec::new();
        if let Some(why) = answer["error"].as_str().filter(|_| hook.spec["failurePolicy"] != "Ignore") {
            found.push((0, denial(why.to_owned(), String::new())));
        }
        let listed = answer["denials"].as_array().into_iter().flatten();
        let place = |one: &Value| one[0].as_u64().unwrap_or_default();
        found.extend(listed.map(|one| (place(one), denial(text(&one[1]), text(&one[2])))));
        let actions =
            || binding["validationActions"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for (place, one) in found {
            if let Some(audit) = self.notes.audit().filter(|_| actions().any(|action| action == "Audit")) {
                let actions = &binding["validationActions"];
                audit::failure(audit, (&hook.name, name, actions), place, &one.message);
            }
            for action in actions().filter(|action| *action != "Deny") {
                if action == "Warn" {
                    warnings.push(format!(
                        "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{name}': {}",
                        hook.name, one.message
                    ));
                }
                self.note(&hook.name, name, action, &one.message);
            }
            if actions().any(|action| action == "Deny") {
                denials.push(one);
            }
        }
        for annotation in answer["annotations"].as_array().into_iter().flatten() {
            match annotation[0].as_str() {
                Some(key) => {
                    published.add(key, &text(&annotation[1]));
                    let message = [&hook.name, "/", key, ": ", &text(&annotation[1])].concat();
                    self.note(&hook.name, name, "Audit", &message);
                }
                None => denials.push(denial(text(&annotation[1]), String::new())),
            }
        }
    }

    /// The failure of a request that is denied.
    fn denied(&self, attributes: &Attributes<'_>, denial: &Denial) -> Box<Status> {
        let binding = match denial.binding.as_str() {
            "" => String::new(),
            binding => [" with binding '", binding, "'"].concat(),
        };
        let parts = [
            "ValidatingAdmissionPolicy '",
            &denial.policy,
            "'",
            &binding,
            " denied request: ",
            &denial.message,
        ];
        let message = parts.concat();
        let mut status = Status::forbidden(self.subject(&attributes.object_name()), &message);
        let reason = match denial.reason.as_str() {
            "Forbidden" => Reason::Forbidden,
            "Unauthorized" => Reason::Unauthorized,
            "RequestEntityTooLarge" => Reason::RequestEntityTooLarge,
            _ => Reason::Invalid,
        };
        status.reason = reason;
        status.code = reason.code();
        let cause = Cause { reason: String::new(), message, field: String::new() };
        status.details.get_or_insert_default().causes.push(cause);
        status
    }

    /// Notes what a policy did.
    pub(in crate::dynamic_admission) fn note(
        &self,
        policy: &str,
        binding: &str,
        action: &str,
        message: &str,
    ) {
        self.notes.judgements().push(Judgement {
            policy: policy.to_owned(),
            binding: binding.to_owned(),
            action: action.to_owned(),
            message: message.to_owned(),
        });
    }
}

impl Request<'_> {
    /// Returns the input of a policy whose rules have matched `row`.
    pub(in crate::dynamic_admission) fn question(
        &self,
        policy: &Value,
        row: &crate::resource::Resource,
        params: &Value,
    ) -> Result<Value, Box<Status>> {
        let namespace = self
            .namespace_object()
            .map_err(|name| Status::not_found(Subject { group: "", resource: "namespaces", name: &name }))?;
        let target = self.context.target;
        Ok(json!({
            "policy": policy,
            "mutation": null,
            "object": self.object(row),
            "oldObject": self.old_object(row),
            "params": params,
            "namespace": namespace,
            "request": self.request(row),
            "resource": {
                "group": target.resource.group,
                "resource": target.resource.name,
                "subresource": target.subresource,
                "namespace": self.namespace,
                "name": self.attributes.name,
            },
            "decisions": [],
            "explain": self.explains(),
        }))
    }

    /// Puts a question until everything is known that it takes to answer it.
    pub(in crate::dynamic_admission) fn ask(&self, mut question: Value) -> Value {
        for _ in 0..ROUNDS {
            let mut answer = (self.context.shared.config.validation.policy)(&question);
            if !answer.is_object() {
                break;
            }
            let asks = match answer["asks"].take() {
                Value::Array(asks) if !asks.is_empty() => asks,
                _ => return answer,
            };
            if let Some(known) = question["decisions"].as_array_mut() {
                for check in asks {
                    let decision = self.decide(&check);
                    known.push(json!([check, decision]));
                }
            }
        }
        json!({ "error": "the policy cannot be evaluated" })
    }

    /// Returns the authorizer's decision on a check.
    fn decide(&self, check: &Value) -> Value {
        let account = check["account"][0].as_str().zip(check["account"][1].as_str());
        let user = match account {
            None => self.context.user.clone(),
            Some((namespace, name)) => User::service_account(namespace, name),
        };
        let attributes = AuthorizerAttributes::read(check, check["isResource"] == true);
        let shared = self.context.shared;
        let rules = self.snapshot.rules(shared);
        let decision = auth::decision(shared, rules, &user, &attributes);
        json!({ "allowed": decision.is_allowed(), "reason": decision.reason() })
    }
}
