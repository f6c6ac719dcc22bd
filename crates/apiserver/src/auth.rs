//! Who sends a request, and whether they may.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file>

pub(crate) mod token;

use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::route::Route;
use crate::server::{Shared, User};
use crate::status::Status;

const ANONYMOUS: &str = "system:anonymous";

/// The group of everybody who is not.
const AUTHENTICATED: &str = "system:authenticated";

/// Finds out who sends a request. A bearer token must be a service account's, or one of those that the server was given;
/// who has none is anonymous. Without given tokens everybody else is `admin`. Another scheme than Bearer is as good as none.
pub(crate) fn authenticate(shared: &Shared, headers: &HeaderMap) -> Result<User, Box<Status>> {
    let user = |name: &str, groups: &[&str]| User {
        name: name.to_owned(),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        ..User::default()
    };
    let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let bearer = header.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let found = bearer.and_then(|(_, token)| owner(shared, token.trim(), &[token::AUDIENCE.to_owned()]));
    match (found, bearer, &shared.config.tokens) {
        (Some(Ok((user, _))), ..) => Ok(user),
        (_, _, None) => Ok(user("admin", &["system:masters", AUTHENTICATED])),
        (_, Some(_), _) => Err(Status::unauthorized()),
        (_, None, _) => Ok(user(ANONYMOUS, &["system:unauthenticated"])),
    }
}

/// Whose a token is that is to be good for one of `audiences`, and for which of them it is; `None` for one that nobody
/// knows. Given tokens are good for the API server alone.
///
/// # Errors
/// Why a service account's token is not good.
pub(crate) fn owner(
    shared: &Shared,
    token: &str,
    audiences: &[String],
) -> Option<Result<(User, Vec<String>), String>> {
    let given = shared.config.tokens.iter().flatten().find(|(known, _)| known == token);
    let own = audiences.iter().find(|audience| *audience == token::AUDIENCE);
    let found = match (given, own) {
        (Some((_, user)), Some(own)) => Some(Ok((user.clone(), vec![own.clone()]))),
        (Some(_), None) => None,
        (None, _) => token::owner(shared, token, audiences),
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

/// Lets every known user do everything, and the anonymous one see that the server is well and which it is.
pub(crate) fn authorize(user: &User, route: &Route, verb: &str, path: &str) -> Result<(), Box<Status>> {
    if user.name != ANONYMOUS || matches!(route, Route::Health | Route::Version) {
        return Ok(());
    }
    Err(match route {
        Route::Resource(target) => Status::forbidden_resource(&user.name, verb, target),
        _ => Status::forbidden_path(&user.name, verb, path),
    })
}
