//! JSON paths, as far as definitions use them: fields, items, slices, wildcards and filters.
//!
//! <https://kubernetes.io/docs/reference/kubectl/jsonpath/>

use json_tree::Value;

/// How deep filters may be in filters.
const DEPTH: usize = 8;
/// How many values are followed at once. What is beyond is not found.
const MOST: usize = 10_000;

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// The field of this name.
    Field(String),
    /// The items from one index to another, each so many further; negative ones count from the end.
    Slice(Option<i64>, Option<i64>, i64),
    /// The item at this index.
    Item(i64),
    /// Everything below.
    All,
    /// The items for which a comparison holds: what a path finds in them, the operator and a literal.
    Filter(Vec<Self>, String, Value),
    /// The items in which a path finds something.
    Exists(Vec<Self>),
}

/// The values that a path finds. `None` for what is no path.
pub(crate) fn find<'a>(path: &str, root: &'a Value) -> Option<Vec<&'a Value>> {
    let mut rest = path.trim();
    rest = rest.strip_prefix('$').unwrap_or(rest);
    follow(&parse(&mut rest, DEPTH).filter(|_| rest.is_empty())?, root)
}

/// The values below `root`; `None` if a step does not fit what it meets.
fn follow<'a>(steps: &[Step], root: &'a Value) -> Option<Vec<&'a Value>> {
    let mut found = vec![root];
    for step in steps {
        let mut next = Vec::new();
        for value in found {
            take(step, value, &mut next)?;
            if next.len() > MOST {
                return None;
            }
        }
        found = next;
    }
    Some(found)
}

fn take<'a>(step: &Step, value: &'a Value, out: &mut Vec<&'a Value>) -> Option<()> {
    match (step, value) {
        (_, Value::Null) => {}
        (Step::Field(name), Value::Object(fields)) => out.extend(fields.get(name)),
        (Step::Field(_), _) => return None,
        (Step::All, Value::Object(fields)) => out.extend(fields.values()),
        (Step::All, Value::Array(items)) => out.extend(items),
        (Step::All, _) => {}
        (Step::Item(index), Value::Array(items)) => out.push(items.get(place(*index, items.len())?)?),
        (Step::Slice(from, to, by), Value::Array(items)) => {
            let from = place(from.unwrap_or(0), items.len())?;
            let to = to.map_or(Some(items.len()), |to| place(to, items.len()))?.min(items.len());
            let by = usize::try_from(*by).ok().filter(|by| *by > 0)?;
            out.extend(items.get(from..to).into_iter().flatten().step_by(by));
        }
        (Step::Filter(path, operator, literal), Value::Array(items)) => {
            for item in items {
                let found = follow(path, item).unwrap_or_default();
                if found.first().is_some_and(|found| compare(found, operator, literal)) {
                    out.push(item);
                }
            }
        }
        (Step::Exists(path), Value::Array(items)) => {
            out.extend(items.iter().filter(|item| follow(path, item).is_some_and(|found| !found.is_empty())));
        }
        (Step::Item(_) | Step::Slice(..) | Step::Filter(..) | Step::Exists(_), _) => return None,
    }
    Some(())
}

/// An index counted from the beginning.
fn place(index: i64, len: usize) -> Option<usize> {
    let len = i64::try_from(len).ok()?;
    usize::try_from(if index < 0 { index + len } else { index }).ok()
}

fn compare(found: &Value, operator: &str, literal: &Value) -> bool {
    let order = match (found, literal) {
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Number(a), Value::Number(b)) => {
            a.as_f64().zip(b.as_f64()).and_then(|(a, b)| a.partial_cmp(&b))
        }
        _ => None,
    };
    order.is_some_and(|order| match operator {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    })
}

/// Reads steps as far as there are any.
fn parse(rest: &mut &str, depth: usize) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix('.') {
            *rest = after;
            let name = name(rest);
            match name.as_str() {
                "*" => steps.push(Step::All),
                // The root, or what only comes before a bracket.
                "" if rest.is_empty() || rest.starts_with('[') => {}
                "" => return None,
                _ => steps.push(Step::Field(name)),
            }
        } else if let Some(after) = rest.strip_prefix('[') {
            *rest = after;
            steps.push(bracket(rest, depth.checked_sub(1)?)?);
        } else {
            return Some(steps);
        }
    }
}

/// A name up to the next dot or bracket; a backslash takes what follows as it is.
fn name(rest: &mut &str) -> String {
    let mut name = String::new();
    let mut chars = rest.char_indices();
    let mut end = rest.len();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            '.' | '[' | ']' | ')' | '=' | '!' | '<' | '>' | ' ' => {
                end = at;
                break;
            }
            c => name.push(c),
        }
    }
    *rest = &rest[end..];
    name
}

/// Parses what stands in brackets, with the closing one.
fn bracket(rest: &mut &str, depth: usize) -> Option<Step> {
    if let Some(after) = rest.strip_prefix("?(@") {
        *rest = after;
        let path = parse(rest, depth)?;
        *rest = rest.trim_start();
        let operators = ["==", "!=", "<=", ">=", "<", ">"];
        let step = match operators.into_iter().find(|operator| rest.starts_with(operator)) {
            None => Step::Exists(path),
            Some(operator) => {
                *rest = rest[operator.len()..].trim_start();
                Step::Filter(path, operator.to_owned(), literal(rest)?)
            }
        };
        *rest = rest.trim_start().strip_prefix(")]")?;
        return Some(step);
    }
    if rest.starts_with(['\'', '"']) {
        let Value::String(name) = literal(rest)? else { return None };
        *rest = rest.strip_prefix(']')?;
        return Some(Step::Field(name));
    }
    let (inside, after) = rest.split_once(']')?;
    *rest = after;
    if inside == "*" {
        return Some(Step::All);
    }
    let mut parts = inside.split(':');
    let number = |text: &str| if text.is_empty() { Some(None) } else { text.trim().parse().ok().map(Some) };
    let first: Option<i64> = number(parts.next()?)?;
    let Some(second) = parts.next() else { return first.map(Step::Item) };
    let by = parts.next().map_or(Some(Some(1)), number)?;
    Some(Step::Slice(first, number(second)?, by.unwrap_or(1)))
}

/// A text in quotes, a number, `true` or `false`.
fn literal(rest: &mut &str) -> Option<Value> {
    for quote in ['"', '\''] {
        if let Some(after) = rest.strip_prefix(quote) {
            let (text, after) = after.split_once(quote)?;
            *rest = after;
            return Some(text.into());
        }
    }
    let end = rest.find([')', ' ']).unwrap_or(rest.len());
    let (text, after) = rest.split_at(end);
    *rest = after;
    text.parse().ok().filter(|value: &Value| value.is_number() || value.is_boolean())
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "data is written where it is used")]
    fn check(path: &str, expected: Option<Value>) {
        let object = json!({
            "spec": {"list": ["x", "y", "z"], "a.b/c": 1, "n": null, "d": {"e": true}},
            "conditions": [{"type": "Other", "n": 1}, {"type": "Ready", "status": "True", "n": 2}],
        });
        let found = find(path, &object).map(|found| found.into_iter().cloned().collect());
        assert_eq!(found.map(Value::Array), expected, "{path}");
    }

    #[test]
    fn paths() {
        check(".spec.list", Some(json!([["x", "y", "z"]])));
        check("$.spec.d.e", Some(json!([true])));
        check(".spec['d']['e']", Some(json!([true])));
        check(".spec.a\\.b/c", Some(json!([1])));
        check(".spec.missing.below", Some(json!([])));
        check(".spec.n.below", Some(json!([])));
        check(".spec.list[0]", Some(json!(["x"])));
        check(".spec.list[-1]", Some(json!(["z"])));
        check(".spec.list[5]", None);
        check(".spec.list[*]", Some(json!(["x", "y", "z"])));
        check(".spec.list[1:]", Some(json!(["y", "z"])));
        check(".spec.list[0:3:2]", Some(json!(["x", "z"])));
        check(".conditions[?(@.type==\"Ready\")].status", Some(json!(["True"])));
        check(".conditions[?(@.n > 1)].type", Some(json!(["Ready"])));
        check(".conditions[?(@.status)].type", Some(json!(["Ready"])));
        check(".conditions[?(@.type=='None')].status", Some(json!([])));
        check(".spec.list.x", None);
        check(".spec[", None);
        check(".spec..list", None);
        check("spec", None);
        check(&[".a", &"[?(@".repeat(100_000)].concat(), None);
        check(".spec.list[0:1:0]", None);
    }
}
