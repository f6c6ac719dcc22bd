//! Who sends a request, and whether they may.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file>

use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::route::Route;
use crate::server::User;
use crate::status::Status;

const ANONYMOUS: &str = "system:anonymous";

/// The group of everybody who is not.
const AUTHENTICATED: &str = "system:authenticated";

/// Finds out who sends a request. Without `tokens` everybody is `admin`; with them a bearer token must be one
/// of them, and who has none is anonymous. Another scheme than Bearer is as good as none.
pub(crate) fn authenticate(
    tokens: Option<&[(String, User)]>,
    headers: &HeaderMap,
) -> Result<User, Box<Status>> {
    let user = |name: &str, groups: &[&str]| User {
        name: name.to_owned(),
        uid: String::new(),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
    };
    let Some(tokens) = tokens else {
        return Ok(user("admin", &["system:masters", AUTHENTICATED]));
    };
    let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match header.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
            let known = tokens.iter().find(|(known, _)| known == token.trim());
            let mut user = known.map(|(_, user)| user.clone()).ok_or_else(Status::unauthorized)?;
            if !user.groups.iter().any(|group| group == AUTHENTICATED) {
                user.groups.push(AUTHENTICATED.to_owned());
            }
            Ok(user)
        }
        _ => Ok(user(ANONYMOUS, &["system:unauthenticated"])),
    }
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
