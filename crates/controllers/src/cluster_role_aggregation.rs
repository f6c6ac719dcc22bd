//! The controller of ClusterRoles that have the rules of others.
//!
//! See <https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles>.

use apimachinery::selector::LabelSelector;
use futures::FutureExt;
use json_tree::{Value, json};

use crate::change::Change;
use crate::client::View;
use crate::controller::{Context, Controller, Looking, Outcome};
use crate::error::Error;
use crate::object::{self, list};
use crate::resource::{CLUSTER_ROLES, Resource};
use crate::store::Store;

/// The field manager of the rules.
const MANAGER: &str = "clusterrole-aggregation-controller";

/// The fields of a rule.
const FIELDS: [&str; 5] = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"];

/// The controller. Its keys are the names of ClusterRoles.
pub(crate) struct ClusterRoleAggregation;

impl Controller for ClusterRoleAggregation {
    fn resources(&self) -> Vec<(Resource, View)> {
        vec![(CLUSTER_ROLES, View::Whole)]
    }

    fn observe(&mut self, _: &Change, context: &mut Context<'_>) {
        // Any role may have become, or ceased to be, a part of any other.
        for (name, role) in context.stores.of(&CLUSTER_ROLES).iter() {
            if gathers(role) {
                context.queue.add(name);
            }
        }
    }

    fn sync<'a>(&'a mut self, key: &'a str, context: &'a mut Context<'_>) -> Looking<'a> {
        gather(key, context).boxed()
    }
}

fn gathers(role: &Value) -> bool {
    role.get("aggregationRule").is_some_and(|rule| !rule.is_null())
}

/// Writes the rules of a role that has those of others, if they are not as they should be.
async fn gather(name: &str, context: &Context<'_>) -> Result<Outcome, Error> {
    let roles = context.stores.of(&CLUSTER_ROLES);
    let Some(role) = roles.get(name).filter(|role| gathers(role)) else { return Ok(Outcome::Done) };
    let rules = rules(role, roles);
    if rules == list(role, "/rules").iter().map(normal).collect::<Vec<_>>() {
        return Ok(Outcome::Done);
    }
    let mut applied = json!({"metadata": {"name": name}});
    if !rules.is_empty() {
        object::set(&mut applied, "rules", rules.into());
    }
    context.client.apply(&CLUSTER_ROLES, ("", name), MANAGER, &applied).await.map(|()| Outcome::Done)
}

/// Returns the rules of the roles that a role's selectors select, each once, in the order of the selectors and of the names.
fn rules(role: &Value, roles: &Store) -> Vec<Value> {
    let mut rules = Vec::new();
    for selector in list(role, "/aggregationRule/clusterRoleSelectors").iter().filter_map(LabelSelector::of) {
        let is_selected =
            |other: &&Value| object::name(other) != object::name(role) && object::selects(&selector, other);
        let mut selected: Vec<&Value> = roles.iter().map(|(_, other)| &**other).filter(is_selected).collect();
        selected.sort_unstable_by_key(|other| object::name(other));
        for rule in selected.into_iter().flat_map(|other| list(other, "/rules")).map(normal) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    rules
}

/// Returns a rule with those fields alone that say something.
fn normal(rule: &Value) -> Value {
    let mut normal = json!({});
    for field in FIELDS {
        let values =
            rule.get(field).filter(|values| values.as_array().is_some_and(|values| !values.is_empty()));
        if let Some(values) = values {
            object::set(&mut normal, field, values.clone());
        }
    }
    normal
}
