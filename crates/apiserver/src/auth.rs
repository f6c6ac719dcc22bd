//! Authentication and authorization: who sends a request, and whether they may.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file>,
//! <https://kubernetes.io/docs/reference/access-authn-authz/authorization/>

pub(crate) mod escalation;
mod impersonation;
mod recognition;
pub(crate) mod signers;
pub(crate) mod token;

use http::header::AUTHORIZATION;
use http::{Extensions, HeaderMap};

use self::impersonation::Last;
pub(crate) use self::recognition::{may_be_recognized, recognize, recognize_sender};
use self::token::SecretToken;
use crate::audit_context::AuditContext;
use crate::context::Shared;
use crate::notes::Notes;
use crate::rbac::{self, Decision, Index};
use crate::user::{ClientCertificate, Impersonated};
use apimachinery::status::Status;
use apimachinery::{Attributes, User};
use protocol::trace::AccessDecision;

const ANONYMOUS: &str = "system:anonymous";

/// The group of everybody who is not.
const AUTHENTICATED: &str = "system:authenticated";

/// The group of everybody who is.
const UNAUTHENTICATED: &str = "system:unauthenticated";

/// The parts of a request that say who sends it.
#[derive(Clone, Copy)]
pub(crate) struct Sender<'a> {
    headers: &'a HeaderMap,
    /// The user whom a part of the same program has put into the [extensions](http::Extensions) of the request, with all of their
    /// groups. No request that comes over a network has any.
    known: Option<&'a User>,
    /// The certificate that the client has shown to the host, which has verified it.
    certificate: Option<&'a ClientCertificate>,
    /// True if it is only looked what would become of the request: nothing is remembered.
    looks: bool,
}

impl<'a> Sender<'a> {
    /// Returns them, of a request with these headers and extensions.
    pub(crate) fn new(headers: &'a HeaderMap, extensions: &'a Extensions) -> Self {
        Self { headers, known: extensions.get(), certificate: extensions.get(), looks: false }
    }

    /// Returns the sender whom somebody else has recognized by their token, if somebody has.
    pub(crate) fn recognized(self, user: Option<&'a User>) -> Self {
        Self { known: self.known.or(user), ..self }
    }

    /// Returns the sender of a request that is not really sent if `looks`.
    pub(crate) fn looking(self, looks: bool) -> Self {
        Self { looks, ..self }
    }
}

/// Lets a request in, or says why not: in whose name it is sent must be known, and they must be allowed to do it. Gives them.
/// The decision goes to `notes`.
pub(crate) fn admit(
    shared: &Shared,
    sender: Sender<'_>,
    attributes: &Attributes,
    notes: &Notes,
) -> Result<User, Box<Status>> {
    let user = authenticate(shared, sender, attributes, notes.audit())?;
    permit(shared, &user, attributes, notes)?;
    Ok(user)
}

/// Checks whether a user may do what a request asks. The decision goes to `notes`.
///
/// # Errors
/// The 403 that says that they may not.
pub(crate) fn permit(
    shared: &Shared,
    user: &User,
    attributes: &Attributes,
    notes: &Notes,
) -> Result<(), Box<Status>> {
    // The masters are not looked up.
    let index = if rbac::is_master(user) { None } else { Some(shared.rules()) };
    let decision = index.as_ref().map_or(Decision::Master, |index| decision(shared, index, user, attributes));
    let told =
        AccessDecision { user: user.name.clone(), attributes: attributes.clone(), access: decision.access() };
    let _ = notes.access.set(told);
    if decision.is_allowed() {
        Ok(())
    } else {
        Err(Status::forbidden_access(&user.name, attributes, &decision.reason()))
    }
}

/// Reports whether a request with these headers is let in whatever it is for: nobody asks for tokens, and it has none, nor is
/// it sent in somebody else's name.
pub(crate) fn lets_everybody_in(shared: &Shared, headers: &HeaderMap) -> bool {
    shared.config.tokens.is_none() && !headers.contains_key(AUTHORIZATION) && !impersonates(headers)
}

/// Finds out in whose name a request is sent: its sender's, or whom its sender impersonates and is allowed to. Both go to `audit`, if
/// there is one.
pub(crate) fn authenticate(
    shared: &Shared,
    sender: Sender<'_>,
    attributes: &Attributes,
    audit: Option<&dyn AuditContext>,
) -> Result<User, Box<Status>> {
    let mut used = None;
    let found = match sender.known {
        Some(user) => Ok(user.clone()),
        None => find_sender(shared, sender, &mut used),
    };
    if let Some(audit) = audit {
        match &found {
            Ok(user) if !audit.authenticated(user, attributes) => {
                return Err(Status::internal_error("failed to store audit event"));
            }
            Ok(_) => {}
            Err(_) => audit.failed(attributes),
        }
    }
    if let Some(used) = used.filter(|_| !sender.looks) {
        used.note(shared, audit);
    }
    let user = found?;
    if !impersonates(sender.headers) {
        return Ok(user);
    }
    let impersonate = shared.config.writes.impersonate;
    let Impersonated { user, mode } = impersonate(shared, user, sender.headers, attributes, sender.looks)?;
    if let (Some(audit), Some(mode)) = (audit, mode) {
        audit.impersonated(&user, mode);
    }
    Ok(user)
}

/// Reports whether headers say in whose name the request is sent.
pub(crate) fn impersonates(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| name.as_str().starts_with("impersonate-"))
}

/// Finds out in whose name a request is sent whose headers say so: see [`authenticate`].
pub(crate) fn impersonate(
    shared: &Shared,
    sender: User,
    headers: &HeaderMap,
    attributes: &Attributes,
    looks: bool,
) -> Result<Impersonated, Box<Status>> {
    let may = |user: &User, attributes: &Attributes| authorize(shared, user, attributes);
    let last = Last { modes: &shared.last_modes, looks };
    impersonation::impersonate(sender, headers, attributes, last, may)
}

/// Checks whether a user may do what is asked.
///
/// # Errors
/// The 403 that says that they may not.
pub(crate) fn authorize(shared: &Shared, user: &User, attributes: &Attributes) -> Result<(), Box<Status>> {
    decide(shared, user, attributes)
        .map_err(|reason| Status::forbidden_access(&user.name, attributes, &reason))
}

/// Checks whether a user may do what is asked.
///
/// # Errors
/// The reason of the authorizer, which is mostly empty.
pub(crate) fn decide(shared: &Shared, user: &User, attributes: &Attributes) -> Result<(), String> {
    // The masters are not looked up.
    if rbac::is_master(user) {
        return Ok(());
    }
    match decision(shared, &shared.rules(), user, attributes) {
        decision @ Decision::Denied(_) => Err(decision.reason()),
        _ => Ok(()),
    }
}

/// Decides whether a user may do what is asked: by the rules, or because a pod on the node that they are refers to it.
pub(crate) fn decision<'i>(
    shared: &Shared,
    index: &'i Index,
    user: &User,
    attributes: &Attributes,
) -> Decision<'i> {
    match index.decide(user, attributes) {
        Decision::Denied(_) if rbac::relates(shared, user, attributes) => Decision::Node,
        Decision::Denied(_) if shared.config.always_allows => Decision::Always,
        decision => decision,
    }
}

/// Finds out who sends a request: the owner of a valid certificate, or else of a bearer token. A bearer token must be a service
/// account's, or one of those that the server was given; who has neither is anonymous. Without given tokens everybody else is
/// `admin`. Another scheme than Bearer is as good as none. A token that a Secret has goes to `used`.
fn find_sender(
    shared: &Shared,
    sender: Sender<'_>,
    used: &mut Option<SecretToken>,
) -> Result<User, Box<Status>> {
    if let Some(ClientCertificate::Of(user)) = sender.certificate {
        return Ok(user.clone());
    }
    let is_invalid = sender.certificate.is_some();
    let user = |name: &str, groups: &[&str]| User {
        name: name.to_owned(),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        ..User::default()
    };
    let bearer = bearer_of(sender.headers);
    let found = bearer.and_then(|token| owner(shared, token, &[shared.issuer().name().to_owned()], used));
    match (found, bearer, &shared.config.tokens) {
        (Some(Ok((user, _))), ..) => Ok(user),
        (_, _, None) => Ok(user("admin", &["system:masters", AUTHENTICATED])),
        (_, Some(_), _) => Err(Status::unauthorized()),
        _ if is_invalid || shared.config.always_allows => Err(Status::unauthorized()),
        (_, None, _) => Ok(user(ANONYMOUS, &[UNAUTHENTICATED])),
    }
}

/// Returns the bearer token in headers.
fn bearer_of(headers: &HeaderMap) -> Option<&str> {
    let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut words = header.trim().splitn(3, ' ');
    let scheme = words.next().unwrap_or_default();
    // What follows the token is not looked at.
    words.next().filter(|token| scheme.eq_ignore_ascii_case("bearer") && !token.is_empty())
}

/// Whose a token is that is to be good for one of `audiences`, and for which of them it is; `None` for one that nobody
/// knows. Given tokens are good for the API server alone. One that a Secret has goes to `used`.
///
/// # Errors
/// Why a service account's token is not good.
pub(crate) fn owner(
    shared: &Shared,
    token: &str,
    audiences: &[String],
    used: &mut Option<SecretToken>,
) -> Option<Result<(User, Vec<String>), String>> {
    let given = shared.config.tokens.iter().flatten().find(|(known, _)| known == token);
    let issuer = shared.issuer();
    let own = audiences.iter().find(|audience| *audience == issuer.name());
    let found = match (given, own) {
        (Some((_, user)), Some(own)) => Some(Ok((user.clone(), vec![own.clone()]))),
        (Some(_), None) => None,
        (None, _) => token::owner(shared, token, audiences, used),
    };
    found.map(|found| {
        found.map(|(mut user, audiences)| {
            if !user.groups.iter().any(|group| group == AUTHENTICATED) {
                user.groups.push(AUTHENTICATED.to_owned());
            }
            (user, audiences)
        })
    })
}
