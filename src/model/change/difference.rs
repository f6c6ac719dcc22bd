//! The effect of a change on an object, field by field: its values and its owners.

use json_tree::Value;

use crate::model::change::walk::{self, Field};
use crate::model::timeline::ownership::{self, Manager, Owners};

/// The effect of a change on a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Added,
    Removed,
    Changed,
    /// The value stays, and other managers own it.
    Passed,
}

/// A field that does not stay as it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Changed {
    pub(crate) fate: Fate,
    /// As conflicts write it.
    pub(crate) path: String,
    pub(crate) old: Option<Value>,
    pub(crate) new: Option<Value>,
    /// The places of who owned it, and of who does afterwards.
    pub(crate) before: Vec<usize>,
    pub(crate) after: Vec<usize>,
}

/// The effect of a change.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Difference {
    /// Everybody who owns something afterwards, and then who did before.
    pub(crate) managers: Vec<Manager>,
    pub(crate) fields: Vec<Changed>,
}

/// Computes the difference from `old` to `new`. `old` is no object if there was none before.
pub(crate) fn difference(old: &Value, new: &Value) -> Difference {
    let mut managers = ownership::managers(new);
    let places: Vec<usize> = ownership::managers(old)
        .into_iter()
        .map(|manager| {
            managers.iter().position(|known| known.is(&manager)).unwrap_or_else(|| {
                managers.push(Manager { letter: ownership::letter(&manager.name, &managers), ..manager });
                managers.len() - 1
            })
        })
        .collect();
    let leaves = |object: &Value| -> Vec<Field> {
        let all = walk::fields(object, &Owners::of(object));
        all.into_iter().filter(|field| field.value.is_some()).collect()
    };
    let (mut was, mut is) = (leaves(old), leaves(new));
    for field in &mut was {
        field.owners.iter_mut().for_each(|place| *place = places.get(*place).copied().unwrap_or(*place));
        schema::sort_by(&mut field.owners, Ord::cmp);
    }
    is.iter_mut().for_each(|field| schema::sort_by(&mut field.owners, Ord::cmp));
    Difference { managers, fields: compare(was, is) }
}

fn compare(was: Vec<Field>, is: Vec<Field>) -> Vec<Changed> {
    let mut left: Vec<Option<Field>> = was.into_iter().map(Some).collect();
    // What has not moved stands right behind what was found last.
    let mut next = 0;
    let mut changed = Vec::new();
    for field in is {
        let same = |known: &Option<Field>| known.as_ref().is_some_and(|known| known.path == field.path);
        let ahead = left[next..].iter().position(same).map(|at| at + next);
        let found = ahead.or_else(|| left[..next].iter().position(same));
        let Some(old) = found.and_then(|at| {
            next = at + 1;
            left[at].take()
        }) else {
            let (path, after) = (field.path, field.owners);
            changed.push(Changed {
                fate: Fate::Added,
                path,
                old: None,
                new: field.value,
                before: Vec::new(),
                after,
            });
            continue;
        };
        let fate = match (old.value == field.value, old.owners == field.owners) {
            (true, true) => continue,
            (true, false) => Fate::Passed,
            (false, _) => Fate::Changed,
        };
        let (before, after) = (old.owners, field.owners);
        changed.push(Changed { fate, path: field.path, old: old.value, new: field.value, before, after });
    }
    // What the server counts and stamps comes after what somebody meant.
    changed.extend(left.into_iter().flatten().map(|field| Changed {
        fate: Fate::Removed,
        path: field.path,
        old: field.value,
        new: None,
        before: field.owners,
        after: Vec::new(),
    }));
    changed
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn object(theme: &str, entries: &[(&str, Value)]) -> Value {
        let entries: Vec<Value> = entries
            .iter()
            .map(|(name, fields)| json!({"manager": name, "operation": "Apply", "fieldsV1": {"f:data": fields}}))
            .collect();
        json!({"metadata": {"name": "a", "managedFields": entries}, "data": {"theme": theme, "size": "1"}})
    }

    #[track_caller]
    fn check(old: &Value, new: &Value, expected: &[&str]) {
        let Difference { managers, fields } = difference(old, new);
        let letters = |places: &[usize]| places.iter().map(|at| managers[*at].letter).collect::<String>();
        let value = |value: &Option<Value>| value.as_ref().map_or_else(|| "-".to_owned(), Value::to_string);
        let lines: Vec<String> = fields
            .iter()
            .map(|field| {
                let (old, new) = (value(&field.old), value(&field.new));
                let (before, after) = (letters(&field.before), letters(&field.after));
                format!("{:?} {} {old}>{new} {before}>{after}", field.fate, field.path)
            })
            .collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn tells_values_and_owners() {
        let theme = json!({"f:theme": {}});
        let both = json!({"f:theme": {}, "f:size": {}});
        let old = object("quiet", &[("bob", both.clone())]);
        check(&old, &old, &[]);
        check(
            &old,
            &object("quiet", &[("alice", theme.clone()), ("bob", both)]),
            &[r#"Passed .data.theme "quiet">"quiet" b>ab"#],
        );
        check(
            &old,
            &object("loud", &[("alice", theme), ("bob", json!({"f:size": {}}))]),
            &[r#"Changed .data.theme "quiet">"loud" b>a"#],
        );
        check(
            &old,
            &object("quiet", &[]),
            &[r#"Passed .data.theme "quiet">"quiet" b>"#, r#"Passed .data.size "1">"1" b>"#],
        );
    }

    #[test]
    fn what_comes_and_goes_is_told() {
        check(
            &json!({"data": {"a": "1", "b": "2"}}),
            &json!({"data": {"b": "2", "c": {"d": []}}}),
            &["Added .data.c.d ->[] >", "Removed .data.a \"1\">- >"],
        );
        check(&Value::Null, &json!({"a": 1}), &["Added .a ->1 >"]);
        check(&json!({"a": 1}), &Value::Null, &["Removed .a 1>- >"]);
    }
}
