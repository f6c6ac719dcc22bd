//! The directive `$setElementOrder`: lists whose items are to be in an order.

use json_tree::{Map, Value};
use schema::go;

use super::lookup::Schema;
use super::order::{arrange, partition_maps, partition_scalars};
use super::{DIRECTIVE, SET_ORDER, bad_argument, is_directive, keyed, list, without_directives};
use crate::Error;

/// Carries out the `$setElementOrder` directives of a map, and merges the lists that they are about.
pub(super) fn apply(
    schema: Schema<'_>,
    original: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
) -> Result<(), Error> {
    let directives: Vec<String> = patch.keys().filter(|key| key.starts_with(SET_ORDER)).cloned().collect();
    for directive in directives {
        let order = match patch.shift_remove(&directive) {
            Some(Value::Array(order)) => order,
            other => return Err(no_list(&other.unwrap_or_default())),
        };
        let name = directive.strip_prefix(SET_ORDER).and_then(|rest| rest.strip_prefix('/'));
        let name = name.ok_or_else(|| Error::bad_request("invalid patch format of setElementOrder list"))?;
        for side in [&*original, &*patch] {
            if let Some(other) = side.get(name).filter(|value| !value.is_array()) {
                return Err(no_list(other));
            }
        }
        let member = schema.list(name)?;
        let key = member.merge_key;
        let changes = patch.get(name).and_then(Value::as_array);
        check(changes.map_or(&[], Vec::as_slice), &order, key)?;
        let present = original.get(name).and_then(Value::as_array).cloned();
        let mut changes = patch.shift_remove(name).and_then(|value| match value {
            Value::Array(items) => Some(items),
            _ => None,
        });
        let merged = match (&present, &mut changes) {
            (Some(present), Some(changes)) if member.strategy.merge => {
                list::merge(member.schema, present.clone(), changes, key, false)?
            }
            (Some(_), Some(changes)) => changes.clone(),
            (None, Some(changes)) => plain(changes),
            (Some(present), None) => present.clone(),
            (None, None) => continue,
        };
        let (patched, others) = match key {
            Some(key) => partition_maps(merged, &order, key)?,
            None => partition_scalars(merged, &order),
        };
        let present = present.unwrap_or_default();
        let maps = list::are_maps(&present, changes.as_deref().unwrap_or_default())?;
        let key = if maps { Some(key.unwrap_or_default()) } else { None };
        let arranged = arrange(patched, others, &order, &present, key)?;
        original.insert(name.to_owned(), Value::Array(arranged));
    }
    Ok(())
}

/// Returns a list that is added: its items that are no directives.
fn plain(changes: &[Value]) -> Vec<Value> {
    let mut plain = changes.to_vec();
    plain.retain_mut(without_directives);
    plain
}

fn no_list(value: &Value) -> Error {
    bad_argument("[]interface {}", value)
}

/// The items of the patch that stay must stand in the order in the same sequence.
fn check(patch: &[Value], order: &[Value], key: Option<&str>) -> Result<(), Error> {
    if patch.is_empty() || order.is_empty() {
        return Ok(());
    }
    let mut kept = Vec::with_capacity(patch.len());
    for item in patch {
        match (key, item) {
            (Some(_), Value::Object(map)) if is_directive(map, "delete") => {}
            (Some(_), Value::Object(_)) | (None, _) => kept.push(item),
            (Some(_), other) => return Err(bad_argument("map[string]interface {}", other)),
        }
    }
    let (mut item, mut place) = (0, 0);
    while item < kept.len() && place < order.len() {
        if kept[item].get(DIRECTIVE).is_some() {
            item += 1;
            continue;
        }
        let same = match key {
            Some(key) => keyed(kept[item], key)?.1 == keyed(&order[place], key)?.1,
            None => *kept[item] == order[place],
        };
        item += usize::from(same);
        place += 1;
    }
    if item < kept.len() && place >= order.len() {
        let (patch, order) = (go::show_list(patch), go::show_list(order));
        return Err(Error::unclassified(format!(
            "The order in patch list:\n{patch}\n doesn't match {SET_ORDER} list:\n{order}\n"
        )));
    }
    Ok(())
}
