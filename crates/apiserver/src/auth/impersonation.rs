//! Whom a request is to be taken as coming from, besides who sends it.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation>

mod mode;

use http::{HeaderMap, HeaderValue};

use super::{ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED};
use crate::context::LastModes;
use crate::user::Impersonated;
use apimachinery::status::Status;
use apimachinery::{Attributes, User};
use field::quote;
use golang::url::path_unescape;

const USER: &str = "impersonate-user";
const UID: &str = "impersonate-uid";
const GROUP: &str = "impersonate-group";
const EXTRA: &str = "impersonate-extra-";

/// The modes that are tried first.
#[derive(Clone, Copy)]
pub(super) struct Last<'a> {
    pub(super) modes: &'a LastModes,
    /// True if none is to be remembered.
    pub(super) looks: bool,
}

/// In whose name a request is sent that `sender` sends with these headers, to do what is asked. `may` says whether somebody
/// is allowed to do something, and if not, answers with the 403.
///
/// # Errors
/// The headers name no user, or the sender may not.
pub(super) fn impersonate(
    sender: User,
    headers: &HeaderMap,
    attributes: &Attributes,
    last: Last<'_>,
    may: impl Fn(&User, &Attributes) -> Result<(), Box<Status>>,
) -> Result<Impersonated, Box<Status>> {
    let wanted = wanted(headers);
    match (wanted.name.is_empty(), wanted == User::default()) {
        (true, true) => Ok(Impersonated { user: sender, mode: None }),
        (true, false) => Err(Status::bad_request(format!(
            "requested {} without impersonating a user name",
            shown(&wanted)
        ))),
        (false, _) => mode::check(&sender, &wanted, attributes, last, &may).map(|(groups, mode)| {
            let user = with_groups(User { groups, ..wanted });
            Impersonated { user, mode: Some(mode) }
        }),
    }
}

/// Returns the user that the headers describe, with nothing added.
fn wanted(headers: &HeaderMap) -> User {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let first = |name| headers.get(name).map(text).unwrap_or_default();
    let groups = headers.get_all(GROUP).iter().map(text).collect();
    let mut extra: Vec<(String, Vec<String>)> = Vec::new();
    for (name, value) in headers {
        let Some(key) = name.as_str().strip_prefix(EXTRA) else { continue };
        let key = path_unescape(key).unwrap_or_else(|_| key.to_owned());
        match extra.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(text(value)),
            None => extra.push((key, vec![text(value)])),
        }
    }
    schema::sort_by(&mut extra, |a, b| a.0.cmp(&b.0));
    User { name: first(USER), uid: first(UID), groups, extra }
}

/// The same user in the group that nobody has to name: that of everybody who is known, or of those who are not.
fn with_groups(mut user: User) -> User {
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
        format!("[]string{{{}}}", texts.iter().map(|text| quote(text)).collect::<Vec<_>>().join(", "))
    };
    let groups = if user.groups.is_empty() { "[]string(nil)".to_owned() } else { list(&user.groups) };
    let extra: Vec<_> =
        user.extra.iter().map(|(key, values)| format!("{}:{}", quote(key), list(values))).collect();
    let extra = if extra.is_empty() { "(nil)".to_owned() } else { format!("{{{}}}", extra.join(", ")) };
    format!(
        "&user.DefaultInfo{{Name:\"\", UID:{}, Groups:{groups}, Extra:map[string][]string{extra}}}",
        quote(&user.uid)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks who is meant by headers `name: value`; the user is written as `name uid groups extra`.
    #[track_caller]
    fn check(sender: &str, headers: &[(&'static str, &str)], expected: Result<&str, &str>) {
        check_after(&LastModes::default(), sender, headers, expected);
    }

    /// Checks the same of a server that has answered others before.
    #[track_caller]
    fn check_after(
        modes: &LastModes,
        sender: &str,
        headers: &[(&'static str, &str)],
        expected: Result<&str, &str>,
    ) {
        check_last(Last { modes, looks: false }, sender, headers, expected);
    }

    #[track_caller]
    fn check_last(
        last: Last<'_>,
        sender: &str,
        headers: &[(&'static str, &str)],
        expected: Result<&str, &str>,
    ) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        let mut sender = User { name: sender.to_owned(), ..User::default() };
        if sender.name == "pod" {
            let node = ("authentication.kubernetes.io/node-name".to_owned(), vec!["n1".to_owned()]);
            sender.name = "system:serviceaccount:ns:agent".to_owned();
            sender.extra.push(node);
        }
        let attributes = asked();
        let found = impersonate(sender, &map, &attributes, last, |user, attributes| {
            let allowed = user.name == "admin"
                || ALLOWED.iter().any(|(name, verb, resource, object)| {
                    let resource = resource.rsplit('/').next().unwrap_or_default() == attributes.resource
                        && resource.split('/').next().unwrap_or_default() == attributes.group;
                    user.name == *name && attributes.verb == *verb && resource && attributes.name == *object
                });
            if allowed { Ok(()) } else { Err(Status::forbidden_access(&user.name, attributes, "")) }
        });
        let found = found.map(|Impersonated { user, .. }| {
            let extra: Vec<_> =
                user.extra.iter().map(|(key, values)| format!("{key}={}", values.join("+"))).collect();
            [user.name, user.uid, user.groups.join(","), extra.join(",")].join(" ")
        });
        let found = found.map_err(|status| status.message.clone());
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    /// Returns the request that is sent.
    fn asked() -> Attributes {
        Attributes {
            verb: "get".to_owned(),
            is_resource: true,
            resource: "pods".to_owned(),
            namespace: "ns".to_owned(),
            ..Attributes::default()
        }
    }

    const AUTH: &str = "authentication.k8s.io";
    const AGENT: &str = "system:serviceaccount:ns:agent";

    /// User, verb, group and resource, and the name of what they may.
    const ALLOWED: &[(&str, &str, &str, &str)] = &[
        ("boss", "impersonate-on:user-info:get", "/pods", ""),
        ("boss", "impersonate:user-info", "authentication.k8s.io/users", "jane"),
        ("boss", "impersonate:user-info", "authentication.k8s.io/groups", "a"),
        ("boss", "impersonate:user-info", "authentication.k8s.io/userextras", "1"),
        ("old", "impersonate", "/users", "jane"),
        ("old", "impersonate", "/serviceaccounts", "robot"),
        ("old", "impersonate", "/groups", "system:masters"),
        ("robots", "impersonate-on:serviceaccount:get", "/pods", ""),
        ("robots", "impersonate:serviceaccount", "authentication.k8s.io/serviceaccounts", "robot"),
        ("nodes", "impersonate-on:arbitrary-node:get", "/pods", ""),
        ("nodes", "impersonate:arbitrary-node", "authentication.k8s.io/nodes", "n2"),
        (AGENT, "impersonate-on:associated-node:get", "/pods", ""),
        (AGENT, "impersonate:associated-node", "authentication.k8s.io/nodes", "*"),
    ];

    /// Returns the 403 for `user`, who may not do `verb` to this of that group.
    fn refusal(user: &str, verb: &str, group: &str, resource: &str, name: &str) -> String {
        let attributes = Attributes {
            verb: verb.to_owned(),
            is_resource: true,
            group: group.to_owned(),
            resource: resource.to_owned(),
            name: name.to_owned(),
            ..Attributes::default()
        };
        Status::forbidden_access(user, &attributes, "").message
    }

    #[test]
    fn the_last_mode_is_tried_first() {
        let last = LastModes::default();
        let asked = Status::forbidden_access(
            "old",
            &asked().with_verb("impersonate-on:user-info:get".to_owned()),
            "",
        );
        check_after(&last, "old", &[(USER, "joe")], Err(&asked.message));
        check_after(&last, "old", &[(USER, "jane")], Ok("jane  system:authenticated "));
        check_after(&last, "old", &[(USER, "joe")], Err(&refusal("old", "impersonate", "", "users", "joe")));
        check_after(&last, "boss", &[(USER, "jane")], Ok("jane  system:authenticated "));
        check_after(
            &last,
            "boss",
            &[(USER, "joe")],
            Err(&refusal("boss", "impersonate:user-info", AUTH, "users", "joe")),
        );
    }

    #[test]
    fn looks_are_not_remembered() {
        let modes = LastModes::default();
        for looks in [true, false] {
            check_last(
                Last { modes: &modes, looks },
                "old",
                &[(USER, "jane")],
                Ok("jane  system:authenticated "),
            );
            assert_eq!(modes.of("old").is_none(), looks);
        }
    }

    #[test]
    fn each_mode_has_its_verbs() {
        check("boss", &[(USER, "jane")], Ok("jane  system:authenticated "));
        check("boss", &[(USER, "jane"), (GROUP, "a")], Ok("jane  a,system:authenticated "));
        check("boss", &[(USER, "joe")], Err(&refusal("boss", "impersonate:user-info", AUTH, "users", "joe")));
        check(
            "boss",
            &[(USER, "jane"), (GROUP, "b")],
            Err(&refusal("boss", "impersonate:user-info", AUTH, "groups", "b")),
        );
        check(
            "boss",
            &[(USER, "jane"), ("impersonate-extra-e.com%2fk", "1")],
            Ok("jane  system:authenticated e.com/k=1"),
        );
        check("old", &[(USER, "jane")], Ok("jane  system:authenticated "));
        check(
            "old",
            &[(USER, "jane"), (GROUP, "system:masters")],
            Ok("jane  system:masters,system:authenticated "),
        );
        let robot = "system:serviceaccount:ns:robot";
        let groups = "system:serviceaccounts,system:serviceaccounts:ns,system:authenticated";
        check("old", &[(USER, robot)], Ok(&format!("{robot}  {groups} ")));
        check("robots", &[(USER, robot)], Ok(&format!("{robot}  {groups} ")));
        check("nodes", &[(USER, "system:node:n2")], Ok("system:node:n2  system:nodes,system:authenticated "));
        check(
            "nodes",
            &[(USER, "system:node:n1")],
            Err(&refusal("nodes", "impersonate:arbitrary-node", AUTH, "nodes", "n1")),
        );
        check("pod", &[(USER, "system:node:n1")], Ok("system:node:n1  system:nodes,system:authenticated "));
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
                r#"pods is forbidden: User "system:anonymous" cannot impersonate-on:user-info:get resource "pods" in API group "" in the namespace "ns""#,
            ),
        );
    }
}
