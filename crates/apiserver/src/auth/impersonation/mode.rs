//! The ways in which somebody may be allowed to be somebody else. They are tried one after the other; if none is allowed,
//! the first refusal is the answer.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/#constrained-impersonation>

use super::Last;
use crate::rbac::{MASTERS, is_master};
use apimachinery::status::Status;
use apimachinery::user::account_groups;
use apimachinery::{Attributes, User};
use golang::strconv::quote_all;
use kinds::validation::name;

/// The API group in which users, groups and what is known of users count as resources.
const GROUP: &str = "authentication.k8s.io";

/// The extra key by which a service account's token tells on which node it runs.
const NODE: &str = "authentication.kubernetes.io/node-name";

/// From how many on it is asked for all of them at once first.
const MANY: usize = 4;

/// Whom a name means.
#[derive(Clone, Copy)]
enum Whom<'a> {
    Node(&'a str),
    /// Namespace and name.
    ServiceAccount(&'a str, &'a str),
    Other,
}

impl<'a> Whom<'a> {
    fn of(user: &'a str) -> Self {
        if let Some(node) = user.strip_prefix("system:node:")
            && name::subdomain(node).is_empty()
        {
            return Self::Node(node);
        }
        let account = user.strip_prefix("system:serviceaccount:").and_then(|rest| rest.split_once(':'));
        match account {
            Some((namespace, own))
                if name::label(namespace).is_empty() && name::subdomain(own).is_empty() =>
            {
                Self::ServiceAccount(namespace, own)
            }
            _ => Self::Other,
        }
    }
}

/// One of the ways.
struct Mode {
    /// As verbs have it; empty for the one that was there before all others.
    name: &'static str,
    /// True if the mode is for this sender (the first) and the user to impersonate (the second).
    applies: fn(&User, &User) -> bool,
}

const MODES: &[Mode] = &[
    Mode { name: "associated-node", applies: is_own_node },
    Mode {
        name: "arbitrary-node",
        applies: |_, wanted| is_plain(wanted) && matches!(Whom::of(&wanted.name), Whom::Node(_)),
    },
    Mode {
        name: "serviceaccount",
        applies: |_, wanted| is_plain(wanted) && matches!(Whom::of(&wanted.name), Whom::ServiceAccount(..)),
    },
    Mode { name: "user-info", applies: |_, wanted| matches!(Whom::of(&wanted.name), Whom::Other) },
    Mode { name: "", applies: |_, _| true },
];

/// Reports whether only a name is to be impersonated.
fn is_plain(wanted: &User) -> bool {
    wanted.uid.is_empty() && wanted.groups.is_empty() && wanted.extra.is_empty()
}

/// Reports whether the sender is a service account that runs on the node to be impersonated.
fn is_own_node(sender: &User, wanted: &User) -> bool {
    let runs_on = sender.extra.iter().find(|(key, _)| key == NODE).map(|(_, values)| values.as_slice());
    match (Whom::of(&wanted.name), Whom::of(&sender.name), runs_on) {
        (Whom::Node(node), Whom::ServiceAccount(..), Some([own])) => is_plain(wanted) && own == node,
        _ => false,
    }
}

/// The check of whether a user may do something; if not, it returns the 403.
type May<'a> = &'a dyn Fn(&User, &Attributes) -> Result<(), Box<Status>>;

/// Checks whether `sender` may do what is asked as `wanted`, and returns the groups that user then is in, and the mode that allows it.
pub(super) fn check(
    sender: &User,
    wanted: &User,
    asked: &Attributes,
    last: Last<'_>,
    may: May<'_>,
) -> Result<(Vec<String>, &'static str), Box<Status>> {
    if is_master(sender) {
        // They need no way but the one that was there first, and whatever is wanted can be had by it.
        return Attempt { mode: "", sender, wanted, may }.check(asked).map(|groups| (groups, ""));
    }
    let mut refusal = None;
    let first = last.modes.of(&sender.name);
    let others = (0..MODES.len()).filter(|mode| Some(*mode) != first);
    for (index, mode) in first.into_iter().chain(others).filter_map(|index| Some((index, MODES.get(index)?)))
    {
        if !(mode.applies)(sender, wanted) {
            continue;
        }
        let attempt = Attempt { mode: mode.name, sender, wanted, may };
        match attempt.check(asked) {
            Ok(groups) => {
                if first != Some(index) && !last.looks {
                    last.modes.remember(&sender.name, index);
                }
                return Ok((groups, mode.name));
            }
            Err(status) => {
                refusal.get_or_insert(status);
            }
        }
    }
    // The last of the modes is for everybody.
    Err(refusal.unwrap_or_else(|| Status::unclassified("all impersonation modes failed")))
}

/// One of the ways, tried.
struct Attempt<'a> {
    mode: &'static str,
    sender: &'a User,
    wanted: &'a User,
    may: May<'a>,
}

impl Attempt<'_> {
    fn check(&self, asked: &Attributes) -> Result<Vec<String>, Box<Status>> {
        if self.is_constrained() {
            let verb = ["impersonate-on:", self.mode, ":", &asked.verb].concat();
            (self.may)(self.sender, &asked.with_verb(verb))?;
        }
        let groups = self.check_name()?;
        if !self.wanted.uid.is_empty() {
            self.ask(&Attributes { name: self.wanted.uid.clone(), ..self.about(GROUP, "uids") })?;
        }
        self.check_groups()?;
        self.check_extra()?;
        Ok(groups)
    }

    fn is_constrained(&self) -> bool {
        !self.mode.is_empty()
    }

    /// The question whether one may be something, without its name.
    fn about(&self, group: &str, resource: &str) -> Attributes {
        let verb = if self.is_constrained() {
            ["impersonate:", self.mode].concat()
        } else {
            "impersonate".to_owned()
        };
        Attributes {
            verb,
            is_resource: true,
            group: group.to_owned(),
            resource: resource.to_owned(),
            ..Attributes::default()
        }
    }

    fn ask(&self, asked: &Attributes) -> Result<(), Box<Status>> {
        (self.may)(self.sender, asked)
    }

    fn refuse(&self, asked: &Attributes, why: &str) -> Result<(), Box<Status>> {
        Err(Status::forbidden_access(&self.sender.name, asked, why))
    }

    /// The group of users and groups; they were in none when they were first impersonated.
    fn group(&self) -> &'static str {
        if self.is_constrained() { GROUP } else { "" }
    }

    /// Checks whether this name may be impersonated, and returns the groups that go with it.
    fn check_name(&self) -> Result<Vec<String>, Box<Status>> {
        let mut asked = Attributes { name: self.wanted.name.clone(), ..self.about(self.group(), "users") };
        let mut groups = self.wanted.groups.clone();
        match Whom::of(&self.wanted.name) {
            Whom::Node(node) if self.is_constrained() => {
                asked.resource = "nodes".to_owned();
                // One's own node is allowed as such, whichever it is.
                asked.name = if self.mode == "associated-node" { "*" } else { node }.to_owned();
                groups = vec!["system:nodes".to_owned()];
            }
            Whom::ServiceAccount(namespace, name) => {
                asked.resource = "serviceaccounts".to_owned();
                (asked.namespace, asked.name) = (namespace.to_owned(), name.to_owned());
                if groups.is_empty() {
                    groups = account_groups(namespace);
                }
            }
            _ => {}
        }
        self.ask(&asked)?;
        Ok(groups)
    }

    fn check_groups(&self) -> Result<(), Box<Status>> {
        let wanted = &self.wanted.groups;
        if wanted.is_empty() {
            return Ok(());
        }
        let mut asked = self.about(self.group(), "groups");
        if self.is_constrained() {
            if wanted.iter().any(String::is_empty) {
                return self.refuse(&asked, "impersonating the empty string group is not allowed");
            }
            if wanted.iter().any(|group| group == MASTERS) {
                asked.name = MASTERS.to_owned();
                return self.refuse(&asked, "impersonating the system:masters group is not allowed");
            }
            asked.name = "*".to_owned();
            if wanted.len() >= MANY && self.ask(&asked).is_ok() {
                return Ok(());
            }
        }
        wanted.iter().try_for_each(|group| {
            asked.name.clone_from(group);
            self.ask(&asked)
        })
    }

    fn check_extra(&self) -> Result<(), Box<Status>> {
        let wanted = &self.wanted.extra;
        if wanted.is_empty() {
            return Ok(());
        }
        let mut asked = self.about(GROUP, "userextras");
        if self.is_constrained() {
            if let Some(why) = wanted.iter().find_map(|(key, values)| wrong_extra(key, values)) {
                return self.refuse(&asked, &why);
            }
            let count: usize = wanted.iter().map(|(_, values)| values.len()).sum();
            let all = Attributes { subresource: "*".to_owned(), name: "*".to_owned(), ..asked.clone() };
            if count >= MANY && self.ask(&all).is_ok() {
                return Ok(());
            }
        }
        for (key, values) in wanted {
            asked.subresource.clone_from(key);
            for value in values {
                asked.name.clone_from(value);
                self.ask(&asked)?;
            }
        }
        Ok(())
    }
}

/// Returns the error in an extra entry of a user, if there is one: keys are paths in somebody's domain.
fn wrong_extra(key: &str, values: &[String]) -> Option<String> {
    if key.is_empty() {
        return Some("impersonating the empty string key in extra is not allowed".to_owned());
    }
    let path = field::Path::new("extra").child("key");
    let errors: Vec<field::Error> = match key.split_once('/') {
        Some((domain, rest)) if !domain.is_empty() && !rest.is_empty() => {
            name::subdomain(domain).into_iter().map(|why| field::Error::invalid(&path, domain, why)).collect()
        }
        _ => vec![field::Error::invalid(
            &path,
            key,
            "must be a domain-prefixed path (such as \"acme.io/foo\")",
        )],
    };
    if !errors.is_empty() {
        let why = field::aggregate(&errors);
        return Some(format!("impersonating an invalid key in extra is not allowed: {why}"));
    }
    if key.chars().any(char::is_uppercase) {
        let key = quote_all(&[key.to_owned()]);
        return Some(format!(
            "impersonating a non-lowercase key in extra is not allowed: {}",
            key.trim_matches(['[', ']'])
        ));
    }
    let empty = values.iter().any(String::is_empty);
    empty.then(|| "impersonating the empty string value in extra is not allowed".to_owned())
}
