//! `token` of a service account: a token that proves who one is, for a while, to those that it is meant for.
//!
//! <https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/>

use std::time::Duration;

use json_tree::{Value, json};
use schema::Types;

use crate::answer::Outcome;
use crate::auth::token::{Claims, issue};
use crate::context::RequestContext;
use crate::resource;
use crate::{negotiate, stored};
use apimachinery::object::{METADATA_ORDER, Object, metadata_mut, metadata_text, set_in_order};
use apimachinery::status::{Status, Subject};
use apimachinery::time;
use apimachinery::typed_object::TypedObject;
use field::Path;

/// How long a token is good at least, in seconds.
const SHORTEST: i64 = 600;

/// How long a token is good at most, in seconds.
const LONGEST: i64 = 1 << 32;

/// The objects that a token can be bound to: kind, plural, and the claim's name.
const BOUND: [(&str, &str, &str); 3] =
    [("Node", "nodes", "node"), ("Pod", "pods", "pod"), ("Secret", "secrets", "secret")];

/// The objects that a token is bound to, as its claims say it.
type Bound = Vec<(&'static str, String, String)>;

/// Makes a token. Nothing is stored: whoever has it has the only copy.
pub(super) async fn request(context: &RequestContext<'_>) -> Outcome {
    negotiate::untabled(context.formats(), context.output)?;
    let mut asked = context.question().await?;
    let mut object = asked.object;
    match make(context, &mut object, asked.options.dry_run, &mut asked.warnings).await {
        Ok(()) => {
            let json = codec::json::to_vec(&Value::Object(object));
            Ok(context.answer_kind(201, &json)?.warn(asked.warnings))
        }
        Err(status) => Err(status.warned(asked.warnings)),
    }
}

async fn make(
    context: &RequestContext<'_>,
    object: &mut Object,
    dry_run: bool,
    warnings: &mut Vec<String>,
) -> Result<(), Box<Status>> {
    let (group, kind) = ("authentication.k8s.io", "TokenRequest");
    let (name, namespace) = (context.target.name.as_str(), context.target.namespace.as_str());
    let sent = metadata_text(object, "name");
    if !sent.is_empty() && sent != name {
        let why = "must match the service account name if specified";
        let error = field::Error::invalid(Path::new("metadata").child("name"), sent, why);
        return Err(Status::invalid(group, kind, name, &[error]));
    }
    let account = context.read_parent()?;
    let now = context.shared.config.clock.now();
    for (key, value) in [
        ("name", name.to_owned()),
        ("namespace", namespace.to_owned()),
        ("uid", account.uid.clone()),
        ("creationTimestamp", time::rfc3339(now)),
    ] {
        set_in_order(metadata_mut(object), key, value.into(), METADATA_ORDER);
    }
    let spec = object.get("spec").unwrap_or(&Value::Null);
    let seconds = spec.get("expirationSeconds").and_then(Value::as_i64).unwrap_or_default();
    if let Some(why) = wrong_duration(seconds) {
        let error = field::Error::invalid(Path::new("spec").child("expirationSeconds"), seconds, why);
        return Err(Status::invalid(group, kind, "", &[error]));
    }
    let listed = spec.get("audiences").and_then(Value::as_array).into_iter().flatten();
    let mut audiences: Vec<String> = listed.filter_map(|one| Some(one.as_str()?.to_owned())).collect();
    if audiences.is_empty() {
        audiences.push(context.shared.issuer().name().to_owned());
    }
    context.review_question(object, dry_run, warnings).await?;
    let bound = match spec.get("boundObjectRef") {
        Some(reference) if reference.is_object() => bound_to(context, reference)?,
        _ => Bound::new(),
    };
    let id = context.shared.uid();
    let claims = Claims {
        namespace,
        account: (name, &account.uid),
        bound,
        audiences: &audiences,
        id: &id,
        valid: (now.as_secs(), now.as_secs().saturating_add_signed(seconds)),
    };
    let token = issue(context.shared.issuer().as_ref(), &claims);
    if let Some(audit) = context.notes.audit() {
        audit.annotate("authentication.kubernetes.io/issued-credential-id", &["JTI=", &id].concat());
    }
    let token = token.ok_or_else(|| Status::internal_error("failed to sign the token"))?;
    let end = now.saturating_add(Duration::from_secs(seconds.unsigned_abs()));
    let status = json!({ "token": token, "expirationTimestamp": time::rfc3339(end) });
    let types = Types::builtin();
    if let Some(ty) = context.kind().ty() {
        let mut fields = TypedObject::new(types, types.get(ty), object);
        if let Some(mut spec) = fields.ensure("spec") {
            spec.set("audiences", audiences);
        }
        fields.set("status", status);
    }
    Ok(())
}

/// Returns the error in the requested lifetime of a token, if there is one.
fn wrong_duration(seconds: i64) -> Option<&'static str> {
    match seconds {
        ..SHORTEST => Some("may not specify a duration less than 10 minutes"),
        SHORTEST..=LONGEST => None,
        _ => Some("may not specify a duration larger than 2^32 seconds"),
    }
}

/// Looks for what a token is to be bound to.
fn bound_to(context: &RequestContext<'_>, reference: &Value) -> Result<Bound, Box<Status>> {
    let text = |key: &str| reference.get(key).and_then(Value::as_str).unwrap_or_default();
    let (version, kind, name) = (text("apiVersion"), text("kind"), text("name"));
    let (group, version) = version.split_once('/').unwrap_or(("", version));
    let Some((_, plural, claim)) = BOUND.iter().find(|row| group.is_empty() && row.0 == kind) else {
        let ty = format!("{group}/{version}, Kind={kind}");
        return Err(Status::bad_request(format!("cannot bind token to object of type {ty}")));
    };
    let find = |plural: &str, name: &str| {
        let row = resource::find("", plural)?;
        let namespace = if row.namespaced { context.target.namespace.as_str() } else { "" };
        context.shared.find(&stored::object_key(row, namespace, name))
    };
    let found = find(plural, name);
    let found = found.ok_or_else(|| Status::not_found(Subject { group: "", resource: plural, name }))?;
    let mut bound = vec![(*claim, name.to_owned(), found.uid.clone())];
    if kind == "Pod" {
        let pod = found.tree();
        let spec = |key: &str| pod.get("spec").and_then(|spec| spec.get(key)?.as_str()).unwrap_or_default();
        let account = &context.target.name;
        if spec("serviceAccountName") != account {
            let account = field::quote(account);
            return Err(Status::bad_request(format!(
                "cannot bind token for serviceaccount {account} to pod running with different serviceaccount name."
            )));
        }
        let node = spec("nodeName");
        if !node.is_empty() {
            let uid = find("nodes", node).map(|node| node.uid.clone()).unwrap_or_default();
            bound.push(("node", node.to_owned(), uid));
        }
    }
    let uid = text("uid");
    if !uid.is_empty() && uid != found.uid {
        let why = format!(
            "the UID in the bound object reference ({uid}) does not match the UID in record. The object might have been deleted and then recreated"
        );
        return Err(Status::conflict(Subject { group: "", resource: kind, name }, &why));
    }
    Ok(bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_a_token_may_be_good() {
        let short = Some("may not specify a duration less than 10 minutes");
        let long = Some("may not specify a duration larger than 2^32 seconds");
        for (seconds, expected) in
            [(i64::MIN, short), (0, short), (599, short), (600, None), (1 << 32, None), ((1 << 32) + 1, long)]
        {
            assert_eq!(wrong_duration(seconds), expected, "{seconds}");
        }
    }
}
