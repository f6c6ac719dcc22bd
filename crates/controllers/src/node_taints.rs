//! Taints and labels that controllers put on nodes and take off.

use json_tree::{Value, json};

use crate::client::{STRATEGIC_MERGE_PATCH, View};
use crate::controller::Context;
use crate::error::Error;
use crate::object::{self, list};
use crate::resource::NODES;

/// The number of times that a change is tried while others change the node, too.
const TRIES: u32 = 5;

/// A taint without a value: a key and an effect.
pub(crate) type Taint = (&'static str, &'static str);

/// Reports whether a taint of a node is this one.
pub(crate) fn is_taint(own: &Value, (key, effect): Taint) -> bool {
    own.text("key") == key && own.text("effect") == effect
}

/// Reports whether a node has a taint.
pub(crate) fn has_taint(node: &Value, taint: Taint) -> bool {
    list(node, "/spec/taints").iter().any(|own| is_taint(own, taint))
}

/// Puts taints on a node, and takes others off that it has.
pub(crate) async fn swap(
    node: &Value,
    put: &[Taint],
    take: &[Taint],
    context: &Context<'_>,
) -> Result<(), Error> {
    let added = object::timestamp(context.now());
    let add = |taints: &mut Vec<Value>| {
        for (key, effect) in put {
            let new = json!({"key": *key, "effect": *effect, "timeAdded": added.as_str()});
            match taints.iter_mut().find(|own| is_taint(own, (key, effect))) {
                Some(known) => *known = new,
                None => taints.push(new),
            }
        }
    };
    if !put.is_empty() {
        change(object::name(node), &add, context).await?;
    }
    if take.iter().any(|taint| has_taint(node, *taint)) {
        let remove =
            |taints: &mut Vec<Value>| taints.retain(|own| !take.iter().any(|taint| is_taint(own, *taint)));
        change(object::name(node), &remove, context).await?;
    }
    Ok(())
}

/// Changes the taints of a node as it is stored. One that is gone needs none.
async fn change(
    name: &str,
    edit: &(dyn Fn(&mut Vec<Value>) + Sync),
    context: &Context<'_>,
) -> Result<(), Error> {
    let mut tries = TRIES;
    loop {
        let node = match context.client.get(&NODES, "", name, View::Whole).await {
            Err(error) if error.is_not_found() => return Ok(()),
            known => known?,
        };
        let before = list(&node, "/spec/taints").to_vec();
        let mut taints = before.clone();
        edit(&mut taints);
        if taints == before {
            return Ok(());
        }
        let taints = if taints.is_empty() { Value::Null } else { Value::Array(taints) };
        // Who has another taint put on it meanwhile makes this one fail.
        let patch = json!({
            "metadata": {"resourceVersion": object::version(&node)},
            "spec": {"taints": taints}
        });
        match context.client.patch(&NODES, ("", name), STRATEGIC_MERGE_PATCH, &patch, View::Whole).await {
            Err(error) if error.is_conflict() && tries > 1 => tries -= 1,
            patched => return patched.map(drop),
        }
    }
}
