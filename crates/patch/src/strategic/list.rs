//! Merging lists.

use std::collections::HashSet;

use json_tree::Value;
use schema::go;

use super::keys::Index;
use super::lookup::Schema;
use super::order::{arrange, partition_maps, partition_scalars};
use super::{DIRECTIVE, is_directive, keyed, merge_map, no_merge_key, same_type, unknown_directive};
use crate::Error;

/// Merges `patch` into `original`, or with `deletes` takes it out. The items have the type `schema`.
pub(super) fn merge(
    schema: Schema<'_>,
    mut original: Vec<Value>,
    patch: &mut [Value],
    key: Option<&str>,
    deletes: bool,
) -> Result<Vec<Value>, Error> {
    if original.is_empty() && patch.is_empty() {
        return Ok(original);
    }
    if !are_maps(&original, patch)? {
        if deletes {
            let gone: HashSet<String> = patch.iter().map(Value::to_string).collect();
            original.retain(|item| !gone.contains(&item.to_string()));
            return Ok(original);
        }
        let mut seen = HashSet::new();
        let both = original.iter().chain(patch.iter());
        let merged: Vec<Value> = both.filter(|item| seen.insert(item.to_string())).cloned().collect();
        let (patched, others) = match key {
            Some(key) => partition_maps(merged, patch, key)?,
            None => partition_scalars(merged, patch),
        };
        return arrange(patched, others, patch, &original, None);
    }
    let Some(key) = key else {
        let kind = schema.kind();
        return Err(Error::unclassified(format!("cannot merge lists without merge key for {kind}")));
    };
    let mut plain = directives(&mut original, patch, key)?;
    let mut merged = original.clone();
    let mut index = Index::new(&merged, key);
    for item in &mut plain {
        let Value::Object(changes) = item else { continue };
        let value = changes.get(key).ok_or_else(|| no_merge_key(changes, key))?.clone();
        match index.find(&value)? {
            Some(at) => {
                if let Value::Object(present) = std::mem::take(&mut merged[at]) {
                    merged[at] = Value::Object(merge_map(schema, present, changes)?);
                }
            }
            None => {
                index.add(&value, merged.len());
                merged.push(item.clone());
            }
        }
    }
    let (patched, others) = partition_maps(merged, &plain, key)?;
    arrange(patched, others, &plain, &original, Some(key))
}

/// Carries out the directives among the items, and gives the items that are none. With `replace`, these are all
/// that stays.
fn directives(original: &mut Vec<Value>, patch: &[Value], key: &str) -> Result<Vec<Value>, Error> {
    let mut plain = Vec::with_capacity(patch.len());
    let mut gone = HashSet::new();
    let mut replace = false;
    for item in patch {
        let Value::Object(map) = item else { continue };
        if !map.contains_key(DIRECTIVE) {
            plain.push(item.clone());
        } else if is_directive(map, "delete") {
            gone.insert(keyed(item, key)?.1.to_string());
        } else if is_directive(map, "replace") {
            replace = true;
        } else if is_directive(map, "merge") {
            return Err(Error::unclassified("merging lists cannot yet be specified in the patch"));
        } else {
            return Err(unknown_directive(map));
        }
    }
    if replace {
        *original = plain;
        return Ok(Vec::new());
    }
    original.retain(|item| !item.get(key).is_some_and(|value| gone.contains(&value.to_string())));
    Ok(plain)
}

/// Reports whether the items are maps. They must be of one type in both lists, and not lists.
pub(super) fn are_maps(original: &[Value], patch: &[Value]) -> Result<bool, Error> {
    let mut items = original.iter().chain(patch);
    let Some(first) = items.next() else {
        return Err(Error::unclassified("no elements in any given slices"));
    };
    if first.is_array() {
        return Err(Error::unprocessable("lists of lists are not supported"));
    }
    if items.any(|item| !same_type(first, item)) {
        let lists = [go::show_list(original), go::show_list(patch)].join(" ");
        return Err(Error::unclassified(format!("list element types are not identical: [{lists}]")));
    }
    Ok(first.is_object())
}
