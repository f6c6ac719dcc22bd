//! The fields of an object, each with its path and its owners.

use json_tree::Value;

use crate::model::timeline::ownership::Owners;

/// A field, an item of a list, or what is around them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    /// How deep it lies, from 0.
    pub(crate) depth: usize,
    /// The path of the field as conflicts write it, such as `.spec.containers[name="web"].image`.
    pub(crate) path: String,
    /// The offset in the path at which its last step begins.
    pub(crate) step: usize,
    /// The value; `None` if there is more below it.
    pub(crate) value: Option<Value>,
    /// True if it is a list.
    pub(crate) list: bool,
    /// The places of who owns it.
    pub(crate) owners: Vec<usize>,
}

impl Field {
    /// The last step of its path, without the dot.
    pub(crate) fn name(&self) -> &str {
        let step = &self.path[self.step..];
        step.strip_prefix('.').unwrap_or(step)
    }
}

/// The fields of `object` in its order, but for `metadata.managedFields`.
pub(crate) fn fields(object: &Value, owners: &Owners<'_>) -> Vec<Field> {
    let mut fields = Vec::new();
    below(object, owners, 0, "", &mut fields);
    fields
}

fn below(value: &Value, owners: &Owners<'_>, depth: usize, path: &str, fields: &mut Vec<Field>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if depth == 1 && key == "managedFields" && path == ".metadata" {
                    continue;
                }
                let to = [path, ".", key].concat();
                one(value, &owners.field(key), depth, (to, path.len()), fields);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let step = owners.selector(at, item).unwrap_or_else(|| plain(items, at));
                let to = [path, "[", &step, "]"].concat();
                one(item, &owners.item(at, item), depth, (to, path.len()), fields);
            }
        }
        _ => {}
    }
}

fn one(
    value: &Value,
    owners: &Owners<'_>,
    depth: usize,
    (path, step): (String, usize),
    fields: &mut Vec<Field>,
) {
    let more = match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    let at = fields.len();
    fields.push(Field {
        depth,
        path: String::new(),
        step,
        value: (!more).then(|| value.clone()),
        list: value.is_array(),
        owners: owners.here().to_vec(),
    });
    if more {
        below(value, owners, depth + 1, &path, fields);
    }
    fields[at].path = path;
}

/// Returns what identifies an item that nobody owns: its name if it is the only one that has it, or else its index.
fn plain(items: &[Value], at: usize) -> String {
    let name = |item: &Value| item.get("name").and_then(Value::as_str).map(str::to_owned);
    match name(&items[at]) {
        Some(own) if items.iter().filter(|item| name(item).as_ref() == Some(&own)).count() == 1 => {
            ["name=", &Value::String(own).to_string()].concat()
        }
        _ => at.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "for the sake of json!")]
    fn check(object: Value, expected: &[&str]) {
        let lines = fields(&object, &Owners::of(&object)).into_iter().map(|field| {
            let value = field
                .value
                .as_ref()
                .map_or_else(|| if field.list { "[".to_owned() } else { "{".to_owned() }, Value::to_string);
            format!("{} {} {value} {:?}", field.path, field.name(), field.owners)
        });
        assert_eq!(lines.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn fields_have_paths_as_conflicts_write_them() {
        check(
            json!({
                "metadata": {"finalizers": ["a/b"], "managedFields": [{"manager": "m", "fieldsV1": {
                    "f:metadata": {"f:finalizers": {"v:\"a/b\"": {}}},
                    "f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}}},
                }}]},
                "spec": {"ports": [{"port": 80, "protocol": "TCP"}], "list": [{"name": "x"}, {}]},
            }),
            &[
                ".metadata metadata { []",
                ".metadata.finalizers finalizers [ []",
                r#".metadata.finalizers[="a/b"] [="a/b"] "a/b" [0]"#,
                ".spec spec { []",
                ".spec.ports ports [ []",
                r#".spec.ports[port=80,protocol="TCP"] [port=80,protocol="TCP"] { [0]"#,
                r#".spec.ports[port=80,protocol="TCP"].port port 80 [0]"#,
                r#".spec.ports[port=80,protocol="TCP"].protocol protocol "TCP" []"#,
                ".spec.list list [ []",
                r#".spec.list[name="x"] [name="x"] { []"#,
                r#".spec.list[name="x"].name name "x" []"#,
                ".spec.list[1] [1] {} []",
            ],
        );
    }

    #[test]
    fn what_has_no_fields_has_none() {
        check(json!("x"), &[]);
        check(json!({}), &[]);
    }
}
