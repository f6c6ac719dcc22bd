//! Merging maps.

use json_tree::{Map, Value};

use super::lookup::Schema;
use super::{
    DELETE_FROM, DIRECTIVE, RETAIN_KEYS, SET_ORDER, is_directive, list, same_type, set_order,
    unknown_directive, without_directives,
};
use crate::Error;

/// Puts `patch` over `original`, both of the type `schema`.
pub(super) fn merge(
    schema: Schema<'_>,
    mut original: Map<String, Value>,
    patch: &mut Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    if patch.contains_key(DIRECTIVE) {
        return replace(patch);
    }
    retain_keys(&mut original, patch)?;
    set_order::apply(schema, &mut original, patch)?;
    for (key, change) in patch.iter_mut() {
        let (name, deletes) = target(key)?;
        if change.is_null() {
            original.shift_remove(name);
            continue;
        }
        let present = match original.get_mut(name) {
            Some(present) if same_type(present, change) => present,
            _ if deletes => continue,
            _ => {
                discard_nulls(change);
                if without_directives(change) {
                    original.insert(name.to_owned(), change.clone());
                } else {
                    original.shift_remove(name);
                }
                continue;
            }
        };
        *present = match (std::mem::take(present), &mut *change) {
            (Value::Object(map), Value::Object(patch)) => {
                let member = schema.member(name)?;
                if member.strategy.replace {
                    Value::Object(patch.clone())
                } else {
                    Value::Object(merge(member.schema, map, patch)?)
                }
            }
            (Value::Array(items), Value::Array(patch)) => {
                let member = schema.list(name)?;
                if member.strategy.merge {
                    Value::Array(list::merge(member.schema, items, patch, member.merge_key, deletes)?)
                } else {
                    Value::Array(patch.clone())
                }
            }
            _ => change.clone(),
        };
    }
    Ok(original)
}

/// A map with a directive is not merged.
fn replace(patch: &mut Map<String, Value>) -> Result<Map<String, Value>, Error> {
    if is_directive(patch, "replace") {
        patch.shift_remove(DIRECTIVE);
        return Ok(patch.clone());
    }
    if is_directive(patch, "delete") {
        return Ok(Map::new());
    }
    Err(unknown_directive(patch))
}

/// Which member a key of a patch is about, and whether it is a list of what to delete from it.
fn target(key: &str) -> Result<(&str, bool), Error> {
    let Some(rest) = key.strip_prefix(DELETE_FROM) else { return Ok((key, false)) };
    match rest.strip_prefix('/') {
        Some("") => Ok((key, true)),
        Some(name) => Ok((name, true)),
        None => Err(Error::bad_request("invalid patch format of primitive list")),
    }
}

/// Removes what `$retainKeys` does not name, which must be all that the patch sets.
fn retain_keys(original: &mut Map<String, Value>, patch: &mut Map<String, Value>) -> Result<(), Error> {
    let Some(directive) = patch.shift_remove(RETAIN_KEYS) else { return Ok(()) };
    let malformed = || Error::bad_request("invalid patch format of retainKeys");
    let Value::Array(items) = directive else { return Err(malformed()) };
    let kept: std::collections::HashSet<&str> = items.iter().filter_map(Value::as_str).collect();
    let strange = patch.iter().any(|(key, value)| {
        let exempt = value.is_null() || key.starts_with(DELETE_FROM) || key.starts_with(SET_ORDER);
        !exempt && !kept.contains(key.as_str())
    });
    if strange {
        return Err(malformed());
    }
    original.retain(|key, _| kept.contains(key.as_str()));
    Ok(())
}

/// Takes out what is to be removed, where there is nothing to remove it from. Items of lists stay.
fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(discard_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}
