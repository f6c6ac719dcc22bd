//! Tokens of service accounts in Secrets of the type `kubernetes.io/service-account-token`: they have no end, and are good as long as the
//! Secret has them.
//!
//! <https://kubernetes.io/docs/concepts/configuration/secret/#serviceaccount-token-secrets>

use std::sync::Arc;
use std::time::Duration;

use golang::base64::decode;
use json_tree::Value;
use store::Guard;

use super::common_audiences;
use crate::audit_context::AuditContext;
use crate::context::Shared;
use crate::stored::Stored;
use crate::{field_management, resource};
use apimachinery::User;
use apimachinery::object::{METADATA_ORDER, Object, at_pointer, metadata, metadata_mut, set_in_order};
use apimachinery::time;
use apimachinery::typed_object::insert_sorted;

/// The issuer that these tokens name.
const ISSUER: &str = "kubernetes/serviceaccount";

/// The label of a Secret whose token is not good any more, and that of the day on which it was used last.
const INVALID_SINCE: &str = "kubernetes.io/legacy-token-invalid-since";
const LAST_USED: &str = "kubernetes.io/legacy-token-last-used";

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Reports whether claims are those of such a token.
pub(super) fn is_issuer(claims: &Value) -> bool {
    claims["iss"] == ISSUER
}

/// Returns a claim of a text; empty if it is not there.
fn claim<'a>(claims: &'a Value, name: &str) -> &'a str {
    let private = ["kubernetes.io/serviceaccount/", name].concat();
    claims.get(&private).and_then(Value::as_str).unwrap_or_default()
}

/// A token that the issuer of the cluster has signed, and that a Secret has.
pub(crate) struct SecretToken {
    /// The key of the Secret, its namespace and its name.
    key: String,
    namespace: String,
    name: String,
    /// The name of the user whose it is.
    user: String,
    /// The Secret.
    tree: Object,
    /// True if its service account refers to it, as it did to those that were made by themselves.
    is_generated: bool,
}

/// Checks the claims of a token that the issuer of the cluster has signed: whose it is, and for which of `audiences`. One that a Secret
/// has goes to `used`, whether it is good or not.
///
/// # Errors
/// Why it is not good, in kube-apiserver's words.
pub(super) fn check(
    shared: &Shared,
    token: &str,
    claims: &Value,
    audiences: &[String],
    used: &mut Option<SecretToken>,
) -> Result<(User, Vec<String>), String> {
    // It names nobody whom it is meant for, and is good for the API server.
    let common = common_audiences(&[shared.issuer().name().to_owned()], audiences)?;
    let found = used.insert(find(shared, token, claims)?);
    let (namespace, name) = (claim(claims, "namespace"), claim(claims, "service-account.name"));
    if found.is_invalidated() {
        return Err(format!(
            "the token in secret {namespace}/{} for service account {namespace}/{name} has been marked invalid. Use tokens from the \
             TokenRequest API or manually created secret-based tokens, or remove the '{INVALID_SINCE}' label from the secret to \
             temporarily allow use of this token",
            found.name
        ));
    }
    let uid = claim(claims, "service-account.uid").to_owned();
    Ok((User { uid, ..User::service_account(namespace, name) }, common))
}

/// Finds the Secret that has the token.
fn find(shared: &Shared, token: &str, claims: &Value) -> Result<SecretToken, String> {
    let subject = claims["sub"].as_text();
    if subject.is_empty() {
        return Err("sub claim is missing".to_owned());
    }
    for (name, what) in [
        ("namespace", "namespace"),
        ("secret.name", "secretName"),
        ("service-account.name", "serviceAccountName"),
        ("service-account.uid", "serviceAccountUID"),
    ] {
        if claim(claims, name).is_empty() {
            return Err([what, " claim is missing"].concat());
        }
    }
    let (namespace, account) = (claim(claims, "namespace"), claim(claims, "service-account.name"));
    if subject != User::service_account(namespace, account).name {
        return Err("sub claim is invalid".to_owned());
    }
    let secret = claim(claims, "secret.name");
    let key = ["/registry/secrets/", namespace, "/", secret].concat();
    let Some(stored) = shared.find(&key).filter(|stored| !stored.is_terminating()) else {
        return Err("Token has been invalidated".to_owned());
    };
    let tree = stored.tree();
    let kept = at_pointer(&tree, "/data/token").and_then(Value::as_str).and_then(|data| decode(data).ok());
    if kept.as_deref() != Some(token.as_bytes()) {
        return Err("Token does not match server's copy".to_owned());
    }
    let Some(owner) = shared.find(&["/registry/serviceaccounts/", namespace, "/", account].concat()) else {
        return Err(format!("serviceaccounts {} not found", field::quote(account)));
    };
    if owner.is_terminating() {
        return Err(format!("ServiceAccount {namespace}/{account} has been deleted"));
    }
    let uid = claim(claims, "service-account.uid");
    if owner.uid != uid {
        return Err(format!("ServiceAccount UID ({}) does not match claim ({uid})", owner.uid));
    }
    let references = owner.tree().get("secrets").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_generated = references.iter().any(|reference| reference["name"] == secret);
    Ok(SecretToken {
        key,
        namespace: namespace.to_owned(),
        name: secret.to_owned(),
        user: subject.to_owned(),
        tree,
        is_generated,
    })
}

impl SecretToken {
    fn is_invalidated(&self) -> bool {
        metadata(&self.tree, "labels").is_some_and(|labels| !labels[INVALID_SINCE].as_text().is_empty())
    }

    /// Takes note of its use: in the audit log, and by the label with the day of its last use. The server keeps that label where it is a
    /// program of its own: in WebAssembly this would lead to the code of field management.
    pub(crate) fn note(&self, shared: &Shared, audit: Option<&dyn AuditContext>) {
        if cfg!(target_family = "wasm") {
            return;
        }
        if let Some(audit) = audit {
            let annotate =
                |key: &str, value: &str| audit.annotate(&["authentication.k8s.io/", key].concat(), value);
            annotate("legacy-token", &self.user);
            match (self.is_invalidated(), self.is_generated) {
                (true, _) => {
                    annotate("legacy-token-invalidated", &[&self.name, "/", &self.namespace].concat());
                }
                (false, true) => annotate("legacy-token-autogenerated-secret", &self.name),
                (false, false) => annotate("legacy-token-manual-secret", &self.name),
            }
        }
        label(shared, self);
    }
}

/// Labels a Secret with the present day, unless it has that, or the next one.
fn label(shared: &Shared, secret: &SecretToken) {
    let now = shared.config.clock.now();
    let day = |at: Duration| time::rfc3339(at).split('T').next().unwrap_or_default().to_owned();
    let (today, tomorrow) = (day(now), day(now + DAY));
    let labels = metadata(&secret.tree, "labels");
    let last = labels.map(|labels| labels[LAST_USED].as_text()).unwrap_or_default();
    if last == today || last == tomorrow {
        return;
    }
    let Some(row) = resource::find("", "secrets") else { return };
    {
        let mut storage = shared.storage();
        let Some(stored) = storage.store.get(&secret.key).map(|entry| Arc::clone(&entry.value)) else {
            return;
        };
        let old = stored.tree();
        let mut new = old.clone();
        let mut labels = metadata(&old, "labels").and_then(Value::as_object).cloned().unwrap_or_default();
        insert_sorted(&mut labels, LAST_USED, today.into());
        set_in_order(metadata_mut(&mut new), "labels", labels.into(), METADATA_ORDER);
        field_management::track_own_update(row, shared.config.clock.as_ref(), &old, &mut new);
        let guard = Guard::ModRevision(stored.revision());
        // The lock is held: nobody else has written it.
        let _ = storage.store.put(&secret.key, guard, |revision| Arc::new(Stored::new(row, new, revision)));
    }
    shared.announce();
}
