//! Whom a request is to be taken as coming from, besides who sends it.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation>

use http::{HeaderMap, HeaderValue};

use super::{ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED};
use crate::query;
use crate::server::User;
use crate::status::{Status, Subject};

const USER: &str = "impersonate-user";
const UID: &str = "impersonate-uid";
const GROUP: &str = "impersonate-group";
const EXTRA: &str = "impersonate-extra-";

/// Who `user`, who sends a request with these headers, wants to be taken for. Everybody but the anonymous may.
///
/// # Errors
/// The headers name no user, or their sender is anonymous.
pub(super) fn impersonate(user: User, headers: &HeaderMap) -> Result<User, Box<Status>> {
    if !headers.keys().any(|name| name.as_str().starts_with("impersonate-")) {
        return Ok(user);
    }
    let wanted = wanted(headers);
    match (wanted.name.is_empty(), wanted == User::default()) {
        (true, true) => Ok(user),
        (true, false) => Err(Status::bad_request(format!(
            "requested {} without impersonating a user name",
            shown(&wanted)
        ))),
        (false, _) if user.name == ANONYMOUS => {
            let subject = Subject { group: "authentication.k8s.io", resource: "users", name: &wanted.name };
            Err(Status::forbidden_to(&user.name, "impersonate:user-info", subject))
        }
        (false, _) => Ok(with_groups(wanted)),
    }
}

/// What the headers say, and nothing else.
fn wanted(headers: &HeaderMap) -> User {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let first = |name| headers.get(name).map(text).unwrap_or_default();
    let groups = headers.get_all(GROUP).iter().map(text).collect();
    let mut extra: Vec<(String, Vec<String>)> = Vec::new();
    for (name, value) in headers {
        let Some(key) = name.as_str().strip_prefix(EXTRA) else { continue };
        let key = query::unescape(key, false).unwrap_or_else(|| key.to_owned());
        match extra.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(text(value)),
            None => extra.push((key, vec![text(value)])),
        }
    }
    schema::sort_by(&mut extra, |a, b| a.0.cmp(&b.0));
    User { name: first(USER), uid: first(UID), groups, extra }
}

/// The same user in the groups that nobody has to name: a service account's if no group is named, and that of everybody
/// who is known or of those who are not.
fn with_groups(mut user: User) -> User {
    let account = user.name.strip_prefix("system:serviceaccount:").and_then(|rest| rest.split_once(':'));
    if let Some((namespace, name)) = account
        && user.groups.is_empty()
        && !namespace.is_empty()
        && !name.is_empty()
        && !name.contains(':')
    {
        let of_namespace = format!("system:serviceaccounts:{namespace}");
        user.groups = vec!["system:serviceaccounts".to_owned(), of_namespace];
    }
    let named = |group: &str| user.groups.iter().any(|named| named == group);
    let implied = match user.name == ANONYMOUS {
        true if !named(UNAUTHENTICATED) => Some(UNAUTHENTICATED),
        false if !named(AUTHENTICATED) && !named(UNAUTHENTICATED) => Some(AUTHENTICATED),
        _ => None,
    };
    user.groups.extend(implied.map(str::to_owned));
    user
}

/// A user as Go's `%#v` prints one.
fn shown(user: &User) -> String {
    let list = |texts: &[String]| {
        format!("[]string{{{}}}", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
    };
    let groups = if user.groups.is_empty() { "[]string(nil)".to_owned() } else { list(&user.groups) };
    let extra: Vec<_> =
        user.extra.iter().map(|(key, values)| format!("{}:{}", quoted(key), list(values))).collect();
    let extra = if extra.is_empty() { "(nil)".to_owned() } else { format!("{{{}}}", extra.join(", ")) };
    format!(
        "&user.DefaultInfo{{Name:\"\", UID:{}, Groups:{groups}, Extra:map[string][]string{extra}}}",
        quoted(&user.uid)
    )
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Headers as `name: value`, and the user as `name uid groups extra`.
    #[track_caller]
    fn check(sender: &str, headers: &[(&'static str, &str)], expected: Result<&str, &str>) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        let sender = User { name: sender.to_owned(), ..User::default() };
        let found = impersonate(sender, &map);
        let found = found.map(|user| {
            let extra: Vec<_> =
                user.extra.iter().map(|(key, values)| format!("{key}={}", values.join("+"))).collect();
            [user.name, user.uid, user.groups.join(","), extra.join(",")].join(" ")
        });
        let found = found.map_err(|status| status.message.clone());
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn whoever_is_known_may_be_somebody_else() {
        check("admin", &[], Ok("admin   "));
        check("admin", &[(USER, "")], Ok("admin   "));
        check("admin", &[(USER, "jane")], Ok("jane  system:authenticated "));
        check("admin", &[(USER, "jane"), (GROUP, "a"), (GROUP, "b")], Ok("jane  a,b,system:authenticated "));
        check(
            "admin",
            &[(USER, "jane"), (GROUP, "system:unauthenticated")],
            Ok("jane  system:unauthenticated "),
        );
        check("admin", &[(USER, "system:anonymous")], Ok("system:anonymous  system:unauthenticated "));
        let extra = [
            (USER, "jane"),
            (UID, "u-1"),
            ("impersonate-extra-b", "1"),
            ("impersonate-extra-a%2fc", "2"),
            ("impersonate-extra-b", "3"),
        ];
        check("admin", &extra, Ok("jane u-1 system:authenticated a/c=2,b=1+3"));
        let groups = "system:serviceaccounts,system:serviceaccounts:ns,system:authenticated";
        check(
            "admin",
            &[(USER, "system:serviceaccount:ns:robot")],
            Ok(&format!("system:serviceaccount:ns:robot  {groups} ")),
        );
        check(
            "admin",
            &[(USER, "system:serviceaccount:ns")],
            Ok("system:serviceaccount:ns  system:authenticated "),
        );
    }

    #[test]
    fn a_group_is_nobody_and_the_anonymous_are_refused() {
        check(
            "admin",
            &[(GROUP, "a"), ("impersonate-extra-k", "v\"")],
            Err(
                r#"requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string{"k":[]string{"v\""}}} without impersonating a user name"#,
            ),
        );
        check(
            "admin",
            &[(UID, "u")],
            Err(
                r#"requested &user.DefaultInfo{Name:"", UID:"u", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name"#,
            ),
        );
        check(
            ANONYMOUS,
            &[(USER, "jane")],
            Err(
                r#"users.authentication.k8s.io "jane" is forbidden: User "system:anonymous" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope"#,
            ),
        );
    }
}
