//! Tokens of service accounts: made for whoever asks, and recognised when they come back.
//!
//! A token is a JSON Web Token with the claims that kube-apiserver writes. The [`Issuer`] of the cluster signs it.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens>

mod secret;

use golang::base64::decode_url;
use golang::strconv::quote_all;
use json_tree::{Value, json};

use crate::context::Shared;
use crate::issuer::{Issuer, Unverified};
use apimachinery::User;

pub(crate) use secret::SecretToken;

/// The claims of a token.
pub(crate) struct Claims<'a> {
    pub(crate) namespace: &'a str,
    /// Name and uid of the service account.
    pub(crate) account: (&'a str, &'a str),
    /// Kind, name and uid of what the token is bound to; a pod may come with its node.
    pub(crate) bound: Vec<(&'static str, String, String)>,
    pub(crate) audiences: &'a [String],
    /// The token's own name.
    pub(crate) id: &'a str,
    /// When it begins and when it ends, in seconds since the Unix epoch.
    pub(crate) valid: (u64, u64),
}

/// Makes a token; `None` if it cannot be signed.
pub(crate) fn issue(issuer: &dyn Issuer, claims: &Claims<'_>) -> Option<String> {
    let reference = |name: &str, uid: &str| json!({ "name": name, "uid": uid });
    let mut own = json!({
        "namespace": claims.namespace,
        "serviceaccount": reference(claims.account.0, claims.account.1),
    });
    for (kind, name, uid) in &claims.bound {
        if let Some(own) = own.as_object_mut() {
            own.insert((*kind).to_owned(), reference(name, uid));
        }
    }
    let payload = json!({
        "aud": claims.audiences,
        "exp": claims.valid.1,
        "iat": claims.valid.0,
        "iss": issuer.name(),
        "jti": claims.id,
        "kubernetes.io": own,
        "nbf": claims.valid.0,
        "sub": User::service_account(claims.namespace, claims.account.0).name,
    });
    issuer.token(&payload)
}

/// Whose token it is, if it is meant for one of `audiences`, and which of them; `None` for what is no token of this
/// cluster. One that a Secret has goes to `used`.
///
/// # Errors
/// Why a token of this cluster is not good: it has ended, it is meant for others, or what it speaks for is gone.
pub(crate) fn owner(
    shared: &Shared,
    token: &str,
    audiences: &[String],
    used: &mut Option<SecretToken>,
) -> Option<Result<(User, Vec<String>), String>> {
    let claims = match read(shared.issuer().as_ref(), token)? {
        Ok(claims) => claims,
        Err(why) => return Some(Err(why.to_string())),
    };
    if secret::is_issuer(&claims) {
        return Some(secret::check(shared, token, &claims, audiences, used));
    }
    Some(check_claims(shared, &claims, audiences))
}

/// Returns the claims of a token that names an issuer; `None` for what is no such token.
///
/// # Errors
/// It was not signed by the issuer.
fn read(issuer: &dyn Issuer, token: &str) -> Option<Result<Value, Unverified>> {
    let (signed, signature) = token.rsplit_once('.')?;
    let (header, payload) = signed.split_once('.')?;
    let part = |text: &str| serde_json::from_slice::<Value>(&decode_url(text)?).ok();
    let (header, claims, signature) = (part(header)?, part(payload)?, decode_url(signature)?);
    let by = claims.get("iss").and_then(Value::as_str).unwrap_or_default();
    let is_own = by == issuer.name() || issuer.former_names().iter().any(|name| name == by);
    let is_named = is_own || secret::is_issuer(&claims);
    is_named.then(|| issuer.verify(&header, signed.as_bytes(), &signature).map(|()| claims))
}

/// Returns for which of `audiences` a token is that is meant for others.
///
/// # Errors
/// It is for none of them.
fn common_audiences(own: &[String], audiences: &[String]) -> Result<Vec<String>, String> {
    let common: Vec<String> = audiences.iter().filter(|one| own.contains(one)).cloned().collect();
    if common.is_empty() {
        let (own, wanted) = (quote_all(own), quote_all(audiences));
        return Err(format!("token audiences {own} is invalid for the target audiences {wanted}"));
    }
    Ok(common)
}

fn check_claims(
    shared: &Shared,
    claims: &Value,
    audiences: &[String],
) -> Result<(User, Vec<String>), String> {
    let text = |pointer: &str| claims.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let time = |key: &str| claims.get(key).and_then(Value::as_u64).unwrap_or_default();
    let own: Vec<String> = claims["aud"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| Some(one.as_str()?.to_owned()))
        .collect();
    let common = common_audiences(&own, audiences)?;
    let now = shared.config.clock.now().as_secs();
    if now > time("exp") {
        return Err("service account token has expired".to_owned());
    }
    if now < time("nbf") {
        return Err("service account token is not valid yet".to_owned());
    }
    let namespace = text("/kubernetes.io/namespace");
    let (name, uid) = (text("/kubernetes.io/serviceaccount/name"), text("/kubernetes.io/serviceaccount/uid"));
    let storage = shared.storage();
    let stored = |plural: &str, namespace: &str, name: &str| {
        let place = if namespace.is_empty() { String::new() } else { namespace.to_owned() + "/" };
        let entry = storage.store.get(&format!("/registry/{plural}/{place}{name}"));
        entry
            .map(|entry| entry.value.uid.clone())
            .ok_or_else(|| format!("{plural} {} not found", field::quote(name)))
    };
    let found = stored("serviceaccounts", namespace, name)?;
    if found != uid {
        return Err(format!("service account UID ({found}) does not match claim ({uid})"));
    }
    let mut extra = vec![(format!("{EXTRA}credential-id"), vec![format!("JTI={}", text("/jti"))])];
    for (kind, plural, title) in
        [("node", "nodes", ""), ("pod", "pods", "pod"), ("secret", "secrets", "secret")]
    {
        let Some(reference) = claims["kubernetes.io"].get(kind) else { continue };
        let of = |key: &str| reference.get(key).and_then(Value::as_str).unwrap_or_default();
        // The node of a bound pod is only told of.
        if !title.is_empty() {
            let found = stored(plural, namespace, of("name"))?;
            if found != of("uid") {
                let claimed = of("uid");
                return Err(format!(
                    "{title} UID ({found}) does not match {title} ref UID claim ({claimed})"
                ));
            }
        }
        if kind != "secret" {
            extra.push((format!("{EXTRA}{kind}-name"), vec![of("name").to_owned()]));
            extra.push((format!("{EXTRA}{kind}-uid"), vec![of("uid").to_owned()]));
        }
    }
    Ok((User { uid: uid.to_owned(), extra, ..User::service_account(namespace, name) }, common))
}

/// Before the names of what a token tells besides whose it is.
const EXTRA: &str = "authentication.kubernetes.io/";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::issuer::OwnIssuer;

    #[test]
    fn only_the_key_that_signed_reads() {
        let issuer = OwnIssuer { key: [7; 32] };
        let audiences = [issuer.name().to_owned()];
        let claims = Claims {
            namespace: "ns",
            account: ("robot", "u1"),
            bound: vec![("pod", "web-0".to_owned(), "u2".to_owned())],
            audiences: &audiences,
            id: "j1",
            valid: (10, 3610),
        };
        let token = issue(&issuer, &claims).unwrap();
        let read_back = read(&issuer, &token).unwrap().unwrap();
        assert_eq!(
            read_back.to_string(),
            r#"{"aud":["https://kubernetes.default.svc"],"exp":3610,"iat":10,"iss":"https://kubernetes.default.svc","jti":"j1","kubernetes.io":{"namespace":"ns","serviceaccount":{"name":"robot","uid":"u1"},"pod":{"name":"web-0","uid":"u2"}},"nbf":10,"sub":"system:serviceaccount:ns:robot"}"#
        );
        assert_eq!(read(&OwnIssuer { key: [8; 32] }, &token), Some(Err(Unverified::Signature)));
        let changed = [&token[..token.len() - 4], "AAAA"].concat();
        assert_eq!(read(&issuer, &changed), Some(Err(Unverified::Signature)));
        for broken in ["", ".", "..", "a.b", "a.b.c", &token[1..], &token[..token.len() - 2]] {
            assert_eq!(read(&issuer, broken), None, "{broken:?}");
        }
    }
}
