//! Nobody gives rights that they do not have, unless they have been given the right to do that.
//!
//! <https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping>

use std::sync::Arc;

use golang::strconv::quote_all;
use json_tree::Value;

use crate::context::RequestContext;
use crate::rbac::rule::{Rule, missing};
use crate::rbac::{self, GROUP, Index};
use apimachinery::object::{Object, as_value, metadata_text};
use apimachinery::status::{Status, Subject};
use apimachinery::{Attributes, User};

/// The metadata that a check ignores: it does not matter here, and some controllers must always be able to write it.
const BESIDES: &[&str] = &["ownerReferences", "finalizers", "managedFields"];

/// Looks at a role or a binding that is to be stored, in the place of the old one if there is one.
///
/// # Errors
/// It would give a right that its sender has not.
pub(crate) fn check(
    context: &RequestContext<'_>,
    object: &mut Object,
    old: Option<&Object>,
) -> Result<(), Box<Status>> {
    let resource = &context.target.resource;
    if resource.group != GROUP || rbac::is_master(context.user) || context.shared.config.always_allows {
        return Ok(());
    }
    if old.is_some_and(|old| only_differ_besides(object, old)) {
        return Ok(());
    }
    let rules = context.shared.rules();
    let (user, namespace) = (context.user, context.target.namespace.as_str());
    let check = Check { rules: &rules, user, namespace, subject: context.subject("") };
    let name = metadata_text(object, "name").to_owned();
    let gathers = |object: &Object| object.get("aggregationRule").is_some_and(|rule| !rule.is_null());
    let gathers = gathers(object) || old.is_some_and(gathers);
    as_value(object, |object| match resource.name.as_str() {
        "roles" | "clusterroles" => {
            if check.may(&context.attributes.with_verb("escalate")) {
                return Ok(());
            }
            check.covers(&Rule::list(object), &name)?;
            if gathers && !check.missing(&Rule::full()).is_empty() {
                let why = "must have cluster-admin privileges to use an aggregationRule";
                return Err(check.forbidden(&name, why));
            }
            Ok(())
        }
        _ => check.binding(object, &name),
    })
}

/// Reports whether two objects are the same, but for the metadata that does not matter here.
fn only_differ_besides(object: &Object, old: &Object) -> bool {
    let rest = |object: &Object| {
        let mut object = object.clone();
        if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
            BESIDES.iter().for_each(|key| {
                metadata.shift_remove(*key);
            });
        }
        object
    };
    rest(object) == rest(old)
}

struct Check<'a> {
    rules: &'a Arc<Index>,
    user: &'a User,
    /// The namespace of the request; empty at the cluster scope.
    namespace: &'a str,
    subject: Subject<'a>,
}

impl Check<'_> {
    fn may(&self, attributes: &Attributes) -> bool {
        self.rules.decide(self.user, attributes).is_allowed()
    }

    fn forbidden(&self, name: &str, why: &str) -> Box<Status> {
        Status::forbidden(Subject { name, ..self.subject }, why)
    }

    /// The lines that say which of these rights the user has not.
    fn missing(&self, wanted: &[Rule]) -> Vec<String> {
        missing(&self.rules.held(self.user, self.namespace).0, wanted)
    }

    fn covers(&self, wanted: &[Rule], name: &str) -> Result<(), Box<Status>> {
        let missing = self.missing(wanted);
        if missing.is_empty() {
            return Ok(());
        }
        let mut why = format!(
            "user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
            field::quote(&self.user.name),
            quote_all(&self.user.groups),
            missing.join("\n")
        );
        let errors = self.rules.held(self.user, self.namespace).1;
        if !errors.is_empty() {
            let errors: Vec<String> =
                errors.into_iter().map(|missing| self.not_found(missing).message).collect();
            why.push_str(&["; resolution errors: [", &rbac::aggregate(&errors), "]"].concat());
        }
        Err(self.forbidden(name, &why))
    }

    fn binding(&self, binding: &Value, name: &str) -> Result<(), Box<Status>> {
        let text = |key: &str| {
            binding.get("roleRef").and_then(|role| role.get(key)).and_then(Value::as_str).unwrap_or_default()
        };
        let (kind, role) = (text("kind"), text("name"));
        let plural = match kind {
            "Role" => "roles",
            "ClusterRole" => "clusterroles",
            _ => "",
        };
        let bind = Attributes {
            verb: "bind".to_owned(),
            is_resource: true,
            group: text("apiGroup").to_owned(),
            resource: plural.to_owned(),
            namespace: self.namespace.to_owned(),
            name: role.to_owned(),
            ..Attributes::default()
        };
        if !plural.is_empty() && self.may(&bind) {
            return Ok(());
        }
        match self.rules.rules_of(kind, self.namespace, role) {
            Ok(rules) => self.covers(&rules, name),
            Err(missing) => Err(self.not_found(&missing)),
        }
    }

    /// Returns the error for a role that does not exist. The 404 names the group and resource of the request, with the
    /// role's name.
    fn not_found(&self, missing: &rbac::Missing) -> Box<Status> {
        match missing {
            rbac::Missing::Role("role", _) if self.namespace.is_empty() => {
                Status::bad_request("Namespace parameter required.")
            }
            rbac::Missing::Role(_, name) => Status::not_found(Subject { name, ..self.subject }),
            rbac::Missing::Kind(_) => Status::unclassified(missing.to_string()),
        }
    }
}
