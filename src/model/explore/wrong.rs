//! Objects that a schema or its rules may not take: a good one with one value changed each.

use json_tree::{Value, json};

use crate::cluster::status::Status;
use crate::model::explore::fields::{Look, properties};

/// How many are made at most.
const MOST: usize = 120;
/// How deep values are changed.
const DEEPEST: usize = 6;

/// Variants of `good`, of which some may be wrong: what only a rule can refuse comes first.
pub(crate) fn candidates(good: &Value, look: &Look) -> Vec<Value> {
    let Look::Object(schema) = look else { return Vec::new() };
    let (mut fits, mut misfits) = (Vec::new(), Vec::new());
    for (name, of) in properties(schema) {
        if name != "metadata" && good.get(name).is_some() {
            change(good, &["/", name].concat(), of, DEEPEST, &mut fits, &mut misfits);
        }
    }
    fits.append(&mut misfits);
    fits.truncate(MOST);
    fits
}

fn change(
    good: &Value,
    pointer: &str,
    schema: &Value,
    depth: usize,
    fits: &mut Vec<Value>,
    misfits: &mut Vec<Value>,
) {
    if fits.len() > MOST || depth == 0 {
        return;
    }
    let number = |word: &str| schema.get(word).filter(|value| value.is_number()).cloned();
    let with = |values: Vec<Value>, into: &mut Vec<Value>| {
        into.extend(values.into_iter().filter_map(|value| put(good, pointer, value)));
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => {
            let bounded = [number("maximum"), number("minimum")];
            let free = match &bounded {
                [None, None] => vec![json!(1000), json!(-1), json!(0)],
                [None, _] => vec![json!(1000)],
                [_, None] => vec![json!(-1)],
                _ => Vec::new(),
            };
            with(bounded.iter().flatten().cloned().chain(free).collect(), fits);
            with(vec![json!(1_000_000), json!(-1_000_000)], misfits);
        }
        Some("string") => match schema.get("enum").and_then(Value::as_array) {
            Some(values) => {
                with(values.clone(), fits);
                with(vec![json!("SomethingElse")], misfits);
            }
            None => with(vec![json!(""), json!("Not right!"), json!("x".repeat(300))], fits),
        },
        Some("boolean") => with(vec![json!(false), json!(true)], fits),
        Some("array") => with(vec![json!([])], fits),
        Some("object") => {
            for (name, of) in properties(schema) {
                change(good, &[pointer, "/", &escaped(name)].concat(), of, depth - 1, fits, misfits);
            }
            with(vec![json!({})], misfits);
        }
        _ => {}
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// `good` with `value` at `pointer`; `None` if that is no change, or its parent is not there.
fn put(good: &Value, pointer: &str, value: Value) -> Option<Value> {
    if good.pointer(pointer) == Some(&value) {
        return None;
    }
    let mut changed = good.clone();
    let (parent, name) = pointer.rsplit_once('/')?;
    let parent = changed.pointer_mut(parent)?.as_object_mut()?;
    parent.insert(name.replace("~1", "/").replace("~0", "~"), value);
    Some(changed)
}

/// How well a failure shows what rules are for: 2 if nothing but rules refuse the object, 1 if anything does.
pub(crate) fn worth(status: &Status, messages: &[String]) -> u8 {
    let causes = &status.details.causes;
    let by_rule = |text: &str| messages.iter().any(|message| text.contains(message.as_str()));
    u8::from(!causes.is_empty() && causes.iter().all(|cause| by_rule(&cause.message)))
        + u8::from(status.code == 422)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cluster::status::Cause;

    #[test]
    fn changes_one_value_each() {
        let schema = json!({"properties": {"spec": {"type": "object", "properties": {
            "least": {"type": "integer", "minimum": 0, "maximum": 10},
            "most": {"type": "integer"},
            "mode": {"type": "string", "enum": ["a", "b"]},
            "deep": {"type": "object", "properties": {"a/b": {"type": "boolean"}}},
        }}}});
        let good = json!({"spec": {"least": 1, "mode": "a", "deep": {"a/b": true}}});
        let all = candidates(&good, &Look::Object(Arc::new(schema)));
        let specs: Vec<&Value> = all.iter().map(|object| &object["spec"]).collect();
        let at = |pointer: &str| {
            let changed = specs.iter().filter(|spec| spec.pointer(pointer) != good["spec"].pointer(pointer));
            changed.map(|spec| spec.pointer(pointer).cloned().unwrap_or_default()).collect::<Vec<_>>()
        };
        assert_eq!(at("/deep/a~1b"), [json!(false), Value::Null, Value::Null]);
        assert_eq!(at("/most"), [1000, -1, 0, 1_000_000, -1_000_000]);
        assert_eq!(at("/mode"), [json!("b"), json!("SomethingElse"), Value::Null]);
        assert_eq!(specs[0]["least"], 10, "what only a rule can refuse comes first");
        assert_eq!(candidates(&good, &Look::Schema(Arc::new(json!({})))), [] as [Value; 0]);
    }

    #[test]
    fn a_rule_is_worth_most() {
        let mut status = Status::plain(422, String::new());
        assert_eq!(worth(&status, &["too many".to_owned()]), 1);
        let cause = |message: &str| Cause { message: message.to_owned(), ..Cause::default() };
        status.details.causes = vec![cause("Invalid value: too many")];
        assert_eq!(worth(&status, &["too many".to_owned()]), 2);
        status.details.causes.push(cause("Required value"));
        assert_eq!(worth(&status, &["too many".to_owned()]), 1);
        assert_eq!(worth(&Status::plain(201, String::new()), &[]), 0);
    }
}
