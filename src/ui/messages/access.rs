//! What the page says of who may do what.

use protocol::trace::Attributes;

pub(crate) const ACT_AS: &str = "Act as";
pub(crate) const ACT_AS_ABOUT: &str =
    "In whose name requests are sent: admin is you, anybody else is impersonated by headers";
pub(crate) const USER: &str = "User";
pub(crate) const USER_HINT: &str = "user";
pub(crate) const GROUPS: &str = "Groups, with commas between them";
pub(crate) const GROUPS_HINT: &str = "groups, …";
pub(crate) const DECISION: &str = "Who may do this";
pub(crate) const MISSING: &str = "This rule would allow it:";
pub(crate) const ALLOW: &str = "Allow it as admin, then send again";
pub(crate) const WRITE_ROLE: &str = "Fill in the role";
pub(crate) const WRITE_BINDING: &str = "Fill in the binding";
pub(crate) const OPENS: &str = "Open it, as admin";

/// Who can be chosen.
pub(crate) fn user(name: &str) -> &'static str {
    match name {
        "" => "admin",
        "alice" => "Alice",
        "bob" => "Bob",
        _ => "somebody else…",
    }
}

/// What was asked: `list pods in default`.
pub(crate) fn asked(asked: &Attributes) -> String {
    if !asked.is_resource {
        return [&asked.verb, " ", &asked.path].concat();
    }
    let mut what = [&asked.verb, " ", &asked.resource].concat();
    let mut add = |words: [&str; 2]| {
        if !words[1].is_empty() {
            what.push_str(&words.concat());
        }
    };
    add(["/", &asked.subresource]);
    add([".", &asked.group]);
    add([" ", &asked.name]);
    add([" in ", if asked.resource == "namespaces" { "" } else { &asked.namespace }]);
    what
}

pub(crate) fn master(what: &str) -> String {
    format!(" may {what}: system:masters need no rule")
}

pub(crate) fn may(what: &str) -> String {
    format!(" may {what} by ")
}

pub(crate) fn may_not(what: &str) -> String {
    format!(" may not {what}: no rule allows it.")
}

pub(crate) fn to_subject(subject: &str) -> String {
    format!(" to {subject}")
}

pub(crate) fn no_role(user: &str) -> String {
    format!("{} has no role yet.", self::user(user))
}

/// After a request in the history.
pub(crate) fn sent_as(user: &str) -> String {
    format!(" as {user}")
}
