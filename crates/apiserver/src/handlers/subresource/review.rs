//! Reviews: questions on who somebody is, and on what they may do. They are answered and forgotten.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access>,
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review>

use serde_json::{Value, json};

use crate::auth::token::AUDIENCE;
use crate::defaults::object::Object as Fields;
use crate::handlers::create::subject_of;
use crate::handlers::{Outcome, as_value};
use crate::server::{Config, Exchange, User};
use crate::status::Status;
use crate::storage::{METADATA_ORDER, Object, metadata_mut, set_in_order};
use crate::validation::Change;
use crate::{auth, negotiate, time};

/// The group whose members may do everything.
const MASTERS: &str = "system:masters";

/// What is said of a token that nobody knows.
const UNKNOWN: &str = "invalid bearer token";

/// Finds the answer: what to put into the status.
type Judge = fn(&Exchange<'_>, &Object) -> Result<Value, Box<Status>>;

/// Answers with the question, and its status filled in.
fn answer(exchange: &Exchange<'_>, judge: Judge) -> Outcome {
    negotiate::untabled(exchange.formats(), exchange.output)?;
    let asked = exchange.question()?;
    let mut object = asked.object;
    let resource = &exchange.target.resource;
    let errors =
        as_value(&mut object, |object| exchange.validate(subject_of(resource), &Change::Question(object)));
    if !errors.is_empty() {
        return Err(Status::invalid(&resource.group, "", "", &errors).warned(asked.warnings));
    }
    let status = match judge(exchange, &object) {
        Ok(status) => status,
        Err(status) => return Err(status.warned(asked.warnings)),
    };
    if let Some(ty) = resource.ty {
        let types = schema::Types::builtin();
        Fields::new(types, types.get(ty), &mut object).set("status", status);
    }
    if resource.kind == "SelfSubjectReview" {
        let now = time::rfc3339(exchange.shared.config.clock.now());
        set_in_order(metadata_mut(&mut object), "creationTimestamp", now.into(), METADATA_ORDER);
    }
    Ok(exchange.answer_object(201, &codec::json::to_vec(&Value::Object(object)))?.warn(asked.warnings))
}

/// SelfSubjectReview: who one is.
pub(super) fn own(exchange: &Exchange<'_>) -> Outcome {
    answer(exchange, |exchange, _| Ok(json!({ "userInfo": info(&exchange.user()?) })))
}

/// TokenReview: whose a token is.
///
/// <https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-review-v1/>
pub(super) fn token(exchange: &Exchange<'_>) -> Outcome {
    answer(exchange, |exchange, review| {
        let token = spec(review, "token").and_then(Value::as_str).unwrap_or_default();
        if token.is_empty() {
            return Err(Status::bad_request("token is required for TokenReview in authentication"));
        }
        let listed = spec(review, "audiences").and_then(Value::as_array).into_iter().flatten();
        let mut audiences: Vec<String> = listed.filter_map(|one| Some(one.as_str()?.to_owned())).collect();
        if audiences.is_empty() {
            audiences.push(AUDIENCE.to_owned());
        }
        Ok(match auth::owner(exchange.shared, token, &audiences) {
            Some(Ok((user, audiences))) => {
                json!({ "authenticated": true, "user": info(&user), "audiences": audiences })
            }
            Some(Err(why)) => json!({ "user": {}, "error": format!("[{UNKNOWN}, {why}]") }),
            None => json!({ "user": {}, "error": UNKNOWN }),
        })
    })
}

/// SelfSubjectAccessReview: whether one may do something.
pub(super) fn own_access(exchange: &Exchange<'_>) -> Outcome {
    answer(exchange, |exchange, _| Ok(json!({ "allowed": may(&exchange.shared.config, &exchange.user()?) })))
}

/// SubjectAccessReview and LocalSubjectAccessReview: whether somebody may do something.
pub(super) fn access(exchange: &Exchange<'_>) -> Outcome {
    answer(exchange, |exchange, review| {
        let text = |key: &str| spec(review, key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let groups = spec(review, "groups").and_then(Value::as_array).into_iter().flatten();
        let groups = groups.filter_map(Value::as_str).map(str::to_owned).collect();
        let user = User { name: text("user"), uid: text("uid"), groups, ..User::default() };
        Ok(json!({ "allowed": may(&exchange.shared.config, &user) }))
    })
}

/// SelfSubjectRulesReview: what one may do in a namespace.
pub(super) fn own_rules(exchange: &Exchange<'_>) -> Outcome {
    answer(exchange, |exchange, review| {
        if spec(review, "namespace").and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(Status::bad_request("no namespace on request"));
        }
        let (resources, others) = if may(&exchange.shared.config, &exchange.user()?) {
            (
                json!([{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }]),
                json!([{ "verbs": ["*"], "nonResourceURLs": ["*"] }]),
            )
        } else {
            (json!([]), json!([]))
        };
        Ok(json!({ "resourceRules": resources, "nonResourceRules": others, "incomplete": false }))
    })
}

fn spec<'a>(review: &'a Object, key: &str) -> Option<&'a Value> {
    review.get("spec").and_then(|spec| spec.get(key))
}

/// A user as a `UserInfo`.
fn info(user: &User) -> Value {
    let mut info = Object::new();
    for (key, text) in [("username", &user.name), ("uid", &user.uid)] {
        if !text.is_empty() {
            info.insert(key.to_owned(), text.as_str().into());
        }
    }
    if !user.groups.is_empty() {
        info.insert("groups".to_owned(), user.groups.clone().into());
    }
    if !user.extra.is_empty() {
        let extra = user.extra.iter().map(|(key, values)| (key.clone(), values.clone().into()));
        info.insert("extra".to_owned(), Value::Object(extra.collect()));
    }
    Value::Object(info)
}

/// Whether `user` may do what they like: as long as there are no rules, who has a token may, and whoever is in the group
/// of the masters.
fn may(config: &Config, user: &User) -> bool {
    let known = match &config.tokens {
        Some(tokens) => tokens.iter().any(|(_, known)| known.name == user.name),
        None => user.name == "admin",
    };
    known || user.groups.iter().any(|group| group == MASTERS)
}
