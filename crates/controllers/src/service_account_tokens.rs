//! The tokens controller: Secrets of the type `kubernetes.io/service-account-token` get a token of their service account, and go with it.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#token-controller>.

use std::collections::BTreeMap;

use futures::FutureExt;
use golang::base64;
use json_tree::{Value, json};

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::object::{self, list};
use crate::options::{Options, TokenIssuer};
use crate::resource::{Resource, SECRETS, SERVICE_ACCOUNTS};

/// The type of these Secrets.
const TYPE: &str = "kubernetes.io/service-account-token";
/// The annotations of a Secret with the name and the uid of its service account.
const ACCOUNT: &str = "kubernetes.io/service-account.name";
const ACCOUNT_UID: &str = "kubernetes.io/service-account.uid";
/// The issuer that the tokens name.
const ISSUER: &str = "kubernetes/serviceaccount";

/// The controller. Its keys are those of Secrets.
pub(crate) struct ServiceAccountTokens {
    issuer: Option<TokenIssuer>,
    /// The certificate authority, in Base64.
    root_ca: String,
    /// The service account of each Secret that is gone: its name, and its uid as far as that is known.
    gone: BTreeMap<String, Owner>,
}

/// The service account that a Secret names.
#[derive(Clone)]
struct Owner {
    name: String,
    /// Empty if the Secret does not say it.
    uid: String,
}

impl Owner {
    /// Returns the service account that a Secret names.
    fn of(secret: &Value) -> Self {
        let text = |name: &str| object::annotation(secret, name).unwrap_or_default().to_owned();
        Self { name: text(ACCOUNT), uid: text(ACCOUNT_UID) }
    }

    /// Reports whether a service account of this name is the one that is meant.
    fn is(&self, account: &Value) -> bool {
        self.uid.is_empty() || self.uid == object::uid(account)
    }
}

impl ServiceAccountTokens {
    /// Makes the controller.
    pub(crate) fn new(options: &Options) -> Self {
        let root_ca = base64::encode(options.root_ca.as_bytes());
        Self { issuer: options.issuer.clone(), root_ca, gone: BTreeMap::new() }
    }

    async fn sync_secret(&mut self, key: &str, context: &Context<'_>) -> Result<Outcome, Error> {
        let Some(issuer) = self.issuer.clone() else { return Ok(Outcome::Done) };
        let Some(secret) = context.stores.of(&SECRETS).get(key).filter(|secret| is_token(secret)).cloned()
        else {
            return match self.gone.remove(key) {
                Some(owner) => remove_reference(key, &owner, context).await,
                None => Ok(Outcome::Done),
            };
        };
        self.gone.remove(key);
        let owner = Owner::of(&secret);
        if owner.name.is_empty() {
            return Ok(Outcome::Done);
        }
        match account(&owner, object::namespace(&secret), context).await? {
            None => delete(&secret, context).await,
            Some(account) => self.fill(&secret, &account, &issuer, context).await,
        }
    }

    /// Reports whether something is missing in a Secret.
    fn needs(&self, secret: &Value) -> bool {
        let data = |name: &str| secret.get("data").map_or("", |data| data.text(name));
        data("ca.crt") != self.root_ca || data("namespace").is_empty() || data("token").is_empty()
    }

    /// Puts what is missing into a Secret: as it is now, unless that is not as it was heard of.
    async fn fill(
        &self,
        secret: &Value,
        account: &Value,
        issuer: &TokenIssuer,
        context: &Context<'_>,
    ) -> Result<Outcome, Error> {
        if !self.needs(secret) {
            return Ok(Outcome::Done);
        }
        let (namespace, name) = (object::namespace(secret), object::name(secret));
        let mut live = match context.client.get(&SECRETS, namespace, name, View::Whole).await {
            Err(error) if error.is_not_found() => return Ok(Outcome::Done),
            live => live?,
        };
        if object::version(&live) != object::version(secret) || !self.needs(&live) {
            return Ok(Outcome::Done);
        }
        let has = |field: &str| live.get("data").is_some_and(|data| !data.text(field).is_empty());
        let (has_namespace, has_token) = (has("namespace"), has("token"));
        object::set(object::child(&mut live, "data"), "ca.crt", self.root_ca.as_str().into());
        if !has_namespace {
            object::set(object::child(&mut live, "data"), "namespace", base64::encode(namespace).into());
        }
        if !has_token {
            let claims = json!({
                "iss": ISSUER,
                "kubernetes.io/serviceaccount/namespace": namespace,
                "kubernetes.io/serviceaccount/secret.name": name,
                "kubernetes.io/serviceaccount/service-account.name": object::name(account),
                "kubernetes.io/serviceaccount/service-account.uid": object::uid(account),
                "sub": ["system:serviceaccount:", namespace, ":", object::name(account)].concat()
            });
            let token =
                issuer.0.token(&claims).ok_or_else(|| Error::Other("no token can be signed".to_owned()))?;
            object::set(object::child(&mut live, "data"), "token", base64::encode(token).into());
        }
        object::set_annotation(&mut live, ACCOUNT, object::name(account));
        object::set_annotation(&mut live, ACCOUNT_UID, object::uid(account));
        match context.client.update(&SECRETS, &live, "").await {
            // Whoever has written it is heard of.
            Err(error) if !error.is_conflict() && !error.is_not_found() => Err(error),
            _ => Ok(Outcome::Done),
        }
    }
}

impl Controller for ServiceAccountTokens {
    fn resources(&self) -> Vec<(Resource, View)> {
        // Without an issuer there is nothing for it to do.
        match self.issuer {
            Some(_) => vec![(SECRETS, View::Whole), (SERVICE_ACCOUNTS, View::Whole)],
            None => Vec::new(),
        }
    }

    fn observe(&mut self, change: &Change, context: &mut Context<'_>) {
        let (old, new) = (change.old.as_deref(), change.new.as_deref());
        if change.resource == SECRETS {
            let is_other = |old: &&Value| new.is_none_or(|new| object::uid(new) != object::uid(old));
            if let Some(old) = old.filter(|old| is_token(old)).filter(is_other) {
                self.gone.insert(object::key(old), Owner::of(old));
                context.queue.add(object::key(old));
            }
            if let Some(new) = new.filter(|new| is_token(new)) {
                context.queue.add(object::key(new));
            }
            return;
        }
        // The Secrets of one that is gone go, too.
        let Some(old) = old.filter(|old| new.is_none_or(|new| object::uid(new) != object::uid(old))) else {
            return;
        };
        let secrets = context.stores.of(&SECRETS).in_namespace(object::namespace(old));
        let owned = secrets.filter(|secret| is_token(secret) && is_of(secret, old));
        let keys: Vec<String> = owned.map(|secret| object::key(secret)).collect();
        keys.into_iter().for_each(|key| context.queue.add(key));
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        self.sync_secret(key, context).boxed()
    }
}

fn is_token(secret: &Value) -> bool {
    secret.text("type") == TYPE
}

/// Reports whether a Secret is of a service account.
fn is_of(secret: &Value, account: &Value) -> bool {
    let owner = Owner::of(secret);
    owner.name == object::name(account) && owner.is(account)
}

/// Finds the service account of a Secret: first of those that are known, then of those that there are.
async fn account(owner: &Owner, namespace: &str, context: &Context<'_>) -> Result<Option<Value>, Error> {
    let key = object::join_key(namespace, &owner.name);
    if let Some(known) = context.stores.of(&SERVICE_ACCOUNTS).get(&key).filter(|known| owner.is(known)) {
        return Ok(Some(Value::clone(known)));
    }
    match context.client.get(&SERVICE_ACCOUNTS, namespace, &owner.name, View::Whole).await {
        Err(error) if error.is_not_found() => Ok(None),
        found => found.map(|found| Some(found).filter(|found| owner.is(found))),
    }
}

/// Deletes a Secret whose service account is not there.
async fn delete(secret: &Value, context: &Context<'_>) -> Result<Outcome, Error> {
    let options = json!({"preconditions": {"uid": object::uid(secret)}});
    let (namespace, name) = (object::namespace(secret), object::name(secret));
    match context.client.delete(&SECRETS, namespace, name, &options).await {
        Err(error) if !error.is_not_found() && !error.is_conflict() => Err(error),
        _ => Ok(Outcome::Done),
    }
}

/// Removes the reference to a Secret that is gone from its service account.
async fn remove_reference(key: &str, owner: &Owner, context: &Context<'_>) -> Result<Outcome, Error> {
    let Some((namespace, name)) = key.split_once('/') else { return Ok(Outcome::Done) };
    let known = context.stores.of(&SERVICE_ACCOUNTS).get(&object::join_key(namespace, &owner.name));
    if !known.is_some_and(|known| owner.is(known)) {
        return Ok(Outcome::Done);
    }
    let mut account = match context.client.get(&SERVICE_ACCOUNTS, namespace, &owner.name, View::Whole).await {
        Err(error) if error.is_not_found() => return Ok(Outcome::Done),
        account => account?,
    };
    let (kept, all) = {
        let all = list(&account, "/secrets");
        let kept: Vec<Value> = all.iter().filter(|one| one.text("name") != name).cloned().collect();
        (kept, all.len())
    };
    if !owner.is(&account) || kept.len() == all {
        return Ok(Outcome::Done);
    }
    object::set(&mut account, "secrets", Value::Array(kept));
    match context.client.update(&SERVICE_ACCOUNTS, &account, "").await {
        Err(error) if error.is_conflict() => Ok(Outcome::Retry),
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(Outcome::Done),
    }
}
