//! Reviews: questions on who somebody is, and on what they may do. They are answered and forgotten.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access>,
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review>

use json_tree::{Value, json};

use crate::answer::Outcome;
use crate::context::RequestContext;
use crate::handlers::subject_of;
use crate::{auth, negotiate, rbac};
use apimachinery::object::{METADATA_ORDER, Object, as_value, metadata_mut, set_in_order};
use apimachinery::selector::field::FieldSelector;
use apimachinery::selector::label::LabelSelector;
use apimachinery::status::Status;
use apimachinery::time;
use apimachinery::typed_object::TypedObject;
use apimachinery::{Attributes, User};
use kinds::validation::Change;

/// The error for a token that nobody knows.
const UNKNOWN: &str = "invalid bearer token";

/// The error for a node that asks what it may do.
const NODE_RULES: &str = "node authorizer does not support user rule resolution";

/// Finds the answer: what to put into the status.
type Decide = fn(&RequestContext<'_>, &Object) -> Result<Value, Box<Status>>;

/// The object that a review is answered with.
enum Returned {
    /// The one that was sent.
    Sent,
    /// A new one, perhaps with the time of its creation.
    Anew(bool),
}

/// Answers a review, with the status filled in.
async fn answer(context: &RequestContext<'_>, returned: Returned, decide_by: Decide) -> Outcome {
    negotiate::untabled(context.formats(), context.output)?;
    let mut asked = context.question().await?;
    let mut object = asked.object;
    let resource = &context.target.resource;
    let errors =
        as_value(&mut object, |object| context.validate(subject_of(resource), &Change::Question(object)));
    if !errors.is_empty() {
        return Err(Status::invalid(&resource.group, "", "", &errors).warned(asked.warnings));
    }
    if let Err(status) = context.review_question(&object, asked.options.dry_run, &mut asked.warnings).await {
        return Err(status.warned(asked.warnings));
    }
    if let Some(user) = recognized(context, &object).await {
        let _ = context.notes.recognized.set(user);
    }
    let status = match decide_by(context, &object) {
        Ok(status) => status,
        Err(status) => return Err(status.warned(asked.warnings)),
    };
    if let Some(ty) = resource.ty() {
        let types = schema::Types::builtin();
        if let (Returned::Anew(created), Value::Object(zero)) = (returned, schema::zero(types, ty)) {
            object = zero;
            if created {
                let now = time::rfc3339(context.shared.config.clock.now());
                set_in_order(metadata_mut(&mut object), "creationTimestamp", now.into(), METADATA_ORDER);
            }
        }
        TypedObject::new(types, types.get(ty), &mut object).set("status", status);
    }
    Ok(context.answer_object(201, &codec::json::to_vec(&Value::Object(object)))?.warn(asked.warnings))
}

/// Returns the user of the token that a review asks for, if only somebody else knows them.
async fn recognized(context: &RequestContext<'_>, review: &Object) -> Option<User> {
    let token = spec(review, "token").and_then(Value::as_str).filter(|token| !token.is_empty())?;
    auth::recognize(context.shared, token).await
}

/// SelfSubjectReview: who one is.
pub(super) async fn own(context: &RequestContext<'_>) -> Outcome {
    let decide_by: Decide = |context, _| Ok(json!({ "userInfo": context.user.info() }));
    answer(context, Returned::Anew(true), decide_by).await
}

/// TokenReview: whose a token is.
///
/// <https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-review-v1/>
pub(super) async fn token(context: &RequestContext<'_>) -> Outcome {
    answer(context, Returned::Sent, |context, review| {
        let token = spec(review, "token").and_then(Value::as_str).unwrap_or_default();
        if token.is_empty() {
            return Err(Status::bad_request("token is required for TokenReview in authentication"));
        }
        let listed = spec(review, "audiences").and_then(Value::as_array).into_iter().flatten();
        let mut audiences: Vec<String> = listed.filter_map(|one| Some(one.as_str()?.to_owned())).collect();
        if audiences.is_empty() {
            audiences.push(context.shared.issuer().name().to_owned());
        }
        let mut used = None;
        let owner = auth::owner(context.shared, token, &audiences, &mut used);
        if let Some(used) = used {
            used.note(context.shared, context.notes.audit());
        }
        Ok(match owner {
            Some(Ok((user, audiences))) => {
                json!({ "authenticated": true, "user": user.info(), "audiences": audiences })
            }
            Some(Err(why)) => json!({ "user": {}, "error": format!("[{UNKNOWN}, {why}]") }),
            None => {
                let own = audiences.iter().find(|audience| *audience == context.shared.issuer().name());
                match context.notes.recognized.get().zip(own) {
                    Some((user, own)) => {
                        json!({ "authenticated": true, "user": user.info(), "audiences": [own] })
                    }
                    None => json!({ "user": {}, "error": UNKNOWN }),
                }
            }
        })
    })
    .await
}

/// SelfSubjectAccessReview: whether one may do something.
pub(super) async fn own_access(context: &RequestContext<'_>) -> Outcome {
    answer(context, Returned::Sent, |context, review| Ok(decide(context, review, context.user))).await
}

/// SubjectAccessReview and LocalSubjectAccessReview: whether somebody may do something.
pub(super) async fn access(context: &RequestContext<'_>) -> Outcome {
    answer(context, Returned::Sent, |context, review| {
        let text = |key: &str| spec(review, key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let groups = spec(review, "groups").and_then(Value::as_array).into_iter().flatten();
        let groups = groups.filter_map(Value::as_str).map(str::to_owned).collect();
        let user = User { name: text("user"), uid: text("uid"), groups, ..User::default() };
        Ok(decide(context, review, &user))
    })
    .await
}

/// Decides whether `user` may do what the review asks for, and returns the review's status.
fn decide(context: &RequestContext<'_>, review: &Object, user: &User) -> Value {
    let of_resource = spec(review, "resourceAttributes").filter(|asked| !asked.is_null());
    let asked = of_resource.or_else(|| spec(review, "nonResourceAttributes")).unwrap_or(&Value::Null);
    let attributes = Attributes::read(asked, of_resource.is_some());
    let rules = context.shared.rules();
    let decision = auth::decision(context.shared, &rules, user, &attributes);
    let mut status = Object::new();
    status.insert("allowed".to_owned(), decision.is_allowed().into());
    let errors: Vec<String> =
        [("fieldSelector", unread_fields(asked)), ("labelSelector", unread_labels(asked))]
            .into_iter()
            .filter(|(_, (_, wrong))| *wrong > 0)
            .map(|(field, (read, _))| {
                let partially = if read > 0 { "partially " } else { "" };
                format!("spec.resourceAttributes.{field} {partially}ignored due to parse error")
            })
            .collect();
    for (key, text) in [("reason", decision.reason()), ("evaluationError", errors.join("; "))] {
        if !text.is_empty() {
            status.insert(key.to_owned(), text.into());
        }
    }
    status.into()
}

/// How many requirements of the field selector can be read, and how many can not. No rule knows of selectors, so this is
/// all that is made of them.
fn unread_fields(asked: &Value) -> (usize, usize) {
    let Some(selector) = asked.get("fieldSelector") else { return (0, 0) };
    let good = |requirement: &Value| {
        let values = requirement.get("values").and_then(Value::as_array).map_or(0, Vec::len);
        matches!(requirement["operator"].as_str(), Some("In" | "NotIn")) && values == 1
    };
    unread(selector, |raw| FieldSelector::parse(raw).is_ok(), good)
}

/// The same of the label selector.
fn unread_labels(asked: &Value) -> (usize, usize) {
    let Some(selector) = asked.get("labelSelector") else { return (0, 0) };
    let good =
        |requirement: &Value| LabelSelector::of(&json!({ "matchExpressions": [requirement] })).is_some();
    unread(selector, |raw| LabelSelector::parse(raw).is_ok(), good)
}

fn unread(selector: &Value, raw: impl Fn(&str) -> bool, good: impl Fn(&Value) -> bool) -> (usize, usize) {
    let text = selector["rawSelector"].as_str().unwrap_or_default();
    let requirements = selector["requirements"].as_array().map(Vec::as_slice).unwrap_or_default();
    let read = requirements.iter().filter(|one| good(one)).count();
    let broken = usize::from(!text.is_empty() && !raw(text));
    (read, requirements.len() - read + broken)
}

/// SelfSubjectRulesReview: what one may do in a namespace.
pub(super) async fn own_rules(context: &RequestContext<'_>) -> Outcome {
    answer(context, Returned::Anew(false), |context, review| {
        let namespace = spec(review, "namespace").and_then(Value::as_str).unwrap_or_default();
        if namespace.is_empty() {
            return Err(Status::bad_request("no namespace on request"));
        }
        let rules = context.shared.rules();
        let (held, missing) = rules.held(context.user, namespace);
        let show = |lists: &[(&str, &Vec<String>)]| {
            let lists = lists.iter().filter(|(_, list)| !list.is_empty());
            Value::Object(lists.map(|(key, list)| ((*key).to_owned(), json!(list))).collect())
        };
        let resources = held.iter().filter(|rule| !rule.resources.is_empty()).map(|rule| {
            show(&[
                ("verbs", &rule.verbs),
                ("apiGroups", &rule.groups),
                ("resources", &rule.resources),
                ("resourceNames", &rule.names),
            ])
        });
        let all = || ["*"].map(str::to_owned).to_vec();
        let always = context.shared.config.always_allows;
        let all_resources =
            always.then(|| show(&[("verbs", &all()), ("apiGroups", &all()), ("resources", &all())]));
        let all_others = always.then(|| show(&[("verbs", &all()), ("nonResourceURLs", &all())]));
        let others = held.iter().filter(|rule| !rule.urls.is_empty());
        let others = others.map(|rule| show(&[("verbs", &rule.verbs), ("nonResourceURLs", &rule.urls)]));
        let mut status = Object::new();
        status.insert("resourceRules".to_owned(), resources.chain(all_resources).collect());
        status.insert("nonResourceRules".to_owned(), others.chain(all_others).collect());
        let is_node = rbac::is_node(context.user);
        status.insert("incomplete".to_owned(), is_node.into());
        let unknown = is_node.then(|| NODE_RULES.to_owned());
        let errors: Vec<String> =
            unknown.into_iter().chain(missing.into_iter().map(ToString::to_string)).collect();
        if !errors.is_empty() {
            status.insert("evaluationError".to_owned(), rbac::aggregate(&errors).into());
        }
        Ok(status.into())
    })
    .await
}

fn spec<'a>(review: &'a Object, key: &str) -> Option<&'a Value> {
    review.get("spec").and_then(|spec| spec.get(key))
}
