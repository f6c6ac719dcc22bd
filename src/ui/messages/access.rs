//! The page's texts on access: who may do what.

use protocol::trace::{Attributes, PolicyRule};

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

pub(crate) const ACCESS: &str = "Access";
pub(crate) const ACCESS_ABOUT: &str = "Who may do what, by which role and binding (RBAC).";
pub(crate) const WHAT: &str = "What is asked about";
pub(crate) const VERB: &str = "Verb";
pub(crate) const RESOURCE: &str = "Resource";
pub(crate) const RESOURCE_HINT: &str = "pods, deployments.apps/scale, /metrics";
pub(crate) const NAMESPACE: &str = "Namespace";
pub(crate) const ALL_NAMESPACES: &str = "all namespaces";
pub(crate) const NAME: &str = "Name";
pub(crate) const NAME_HINT: &str = "any";
pub(crate) const WHO: &str = "Subject";
pub(crate) const SUBJECT: &str = "Its name";
pub(crate) const SUBJECT_HINT: &str = "alice, or namespace:name";
pub(crate) const ROLE: &str = "Role";
pub(crate) const BINDING: &str = "Binding";
pub(crate) const RULE: &str = "Rule";
pub(crate) const WHERE: &str = "Where";
pub(crate) const NOBODY: &str = "No binding gives this to anybody.";
pub(crate) const NOTHING: &str = "No binding names this subject or one of its groups.";
pub(crate) const MASTERS_ABOUT: &str = "Whoever is in this group may do everything, without a rule:";
pub(crate) const LOOK_AT: &str = "Show what this subject may do";
pub(crate) const GRANT: &str = "Allow it";
pub(crate) const TRY_ABOUT: &str = "Puts the request into the form, to be sent as this user";
pub(crate) const OPEN_ACCESS: &str = "Who may?";
pub(crate) const OPEN_ACCESS_ABOUT: &str = "Shows in the Access view who may do this";
pub(crate) const GRANTED: &str = "The role and its binding have been created.";

/// A kind of subjects, for people.
pub(crate) fn subject_kind(kind: &str) -> &'static str {
    match kind {
        "User" => "User",
        "Group" => "Group",
        _ => "Service account",
    }
}

pub(crate) fn subject(kind: &str, written: &str) -> String {
    [subject_kind(kind), " ", written].concat()
}

pub(crate) fn who_may(what: &str) -> String {
    format!("Who may {what}")
}

pub(crate) fn may_do(name: &str) -> String {
    if name.is_empty() { "What the subject may do".to_owned() } else { format!("What {name} may do") }
}

pub(crate) fn may_now(what: &str) -> String {
    format!(" may {what}.")
}

pub(crate) fn try_as(name: &str) -> String {
    format!("Try it as {name}")
}

/// Returns the text on what the button adds to somebody's permissions.
pub(crate) fn grants(rule: &str) -> String {
    format!("Creates a role with this rule, and its binding: {rule}")
}

pub(crate) fn more(count: usize) -> String {
    format!("and {count} more")
}

/// A rule, as briefly as it can be said: `get list pods, pods/log`.
pub(crate) fn rule(rule: &PolicyRule) -> String {
    let verbs = rule.verbs.join(" ");
    let group = |resource: &String| match rule.api_groups.as_slice() {
        [group] if !group.is_empty() => [resource, ".", group].concat(),
        _ => resource.clone(),
    };
    let mut what: Vec<String> = rule.resources.iter().map(group).collect();
    what.extend(rule.non_resource_urls.iter().cloned());
    let mut line = [&verbs, " ", &what.join(", ")].concat();
    if !rule.resource_names.is_empty() {
        line.push_str(&[" named ", &rule.resource_names.join(", ")].concat());
    }
    line
}

/// Returns the label of a user who can be chosen.
pub(crate) fn user(name: &str) -> &'static str {
    match name {
        "" => "admin",
        "alice" => "Alice",
        "bob" => "Bob",
        _ => "somebody else…",
    }
}

/// Returns the text for the request that was asked about: `list pods in default`.
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
