//! The field managers of an object: who manages which field, by its `metadata.managedFields`.
//! See <https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management>.

use json_tree::{Map, Value};

/// A field manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manager {
    /// The name that it calls itself by.
    pub(crate) name: String,
    /// A letter that stands for it.
    pub(crate) letter: char,
    /// `Apply` or `Update`.
    pub(crate) operation: String,
    /// The version that its fields are of.
    pub(crate) api_version: String,
    /// The subresource that it wrote to, if it was one.
    pub(crate) subresource: String,
    /// When it last changed what it manages.
    pub(crate) time: String,
}

impl Manager {
    /// Returns whether `other` is the same manager, at whatever time.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let of = |manager: &Self| {
            [&manager.name, &manager.operation, &manager.api_version, &manager.subresource].map(Clone::clone)
        };
        of(self) == of(other)
    }
}

/// Returns the field managers of `object`, in the order of `managedFields`.
pub(crate) fn managers(object: &Value) -> Vec<Manager> {
    let mut managers: Vec<Manager> = Vec::new();
    for entry in entries(object) {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let name = text("manager");
        let letter = letter(&name, &managers);
        managers.push(Manager {
            name,
            letter,
            operation: text("operation"),
            api_version: text("apiVersion"),
            subresource: text("subresource"),
            time: text("time"),
        });
    }
    managers
}

/// A letter of the name that nobody has yet, or else of the alphabet.
pub(crate) fn letter(name: &str, taken: &[Manager]) -> char {
    let own = name.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase());
    own.chain('a'..='z').find(|letter| taken.iter().all(|known| known.letter != *letter)).unwrap_or('·')
}

/// The entries of `metadata.managedFields`.
pub(crate) fn entries(object: &Value) -> &[Value] {
    object.pointer("/metadata/managedFields").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The field managers of a value, and of what is in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners<'a> {
    /// The places of managers, and the fields that they manage in it; `None` where all of it is theirs.
    parts: Vec<(usize, Option<&'a Map<String, Value>>)>,
    /// The places of the managers of the value itself.
    here: Vec<usize>,
}

impl<'a> Owners<'a> {
    /// Returns the managers of `object`, with the fields that each of them manages.
    pub(crate) fn of(object: &'a Value) -> Self {
        let fields = entries(object).iter().enumerate();
        let parts = fields.filter_map(|(at, entry)| Some((at, Some(entry.get("fieldsV1")?.as_object()?))));
        Self { parts: parts.collect(), here: Vec::new() }
    }

    /// The places among [`managers`] of who manages the value itself.
    pub(crate) fn here(&self) -> &[usize] {
        &self.here
    }

    /// Returns the managers of a field of the value.
    pub(crate) fn field(&self, name: &str) -> Self {
        self.child(|element| element.strip_prefix("f:") == Some(name))
    }

    /// Returns the managers of an item of the value, which is a list.
    pub(crate) fn item(&self, place: usize, item: &Value) -> Self {
        self.child(|element| means(element, place, item))
    }

    /// How those who manage an item tell it apart, as conflicts write it: `name="web"`, `="value"` or a place.
    pub(crate) fn selector(&self, place: usize, item: &Value) -> Option<String> {
        let fields = self.parts.iter().filter_map(|(_, fields)| *fields);
        let element = fields.flat_map(Map::keys).find(|element| means(element, place, item))?;
        let (kind, rest) = element.split_once(':')?;
        let Ok(Value::Object(keys)) = serde_json::from_str(rest) else {
            return Some(if kind == "v" { ["=", rest].concat() } else { rest.to_owned() });
        };
        let keys: Vec<String> =
            keys.iter().map(|(key, value)| [key, "=", &value.to_string()].concat()).collect();
        Some(keys.join(","))
    }

    fn child(&self, is: impl Fn(&str) -> bool) -> Self {
        let mut child = Self::default();
        for (manager, fields) in &self.parts {
            let Some(fields) = fields else {
                child.parts.push((*manager, None));
                child.here.push(*manager);
                continue;
            };
            let Some((_, below)) = fields.iter().find(|(element, _)| is(element)) else { continue };
            let below = below.as_object().filter(|below| !below.is_empty());
            child.parts.push((*manager, below));
            if below.is_none_or(|below| below.contains_key(".")) {
                child.here.push(*manager);
            }
        }
        child
    }
}

/// Returns whether `element` of managed fields means the item at `place` of a list.
/// See <https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#fieldsv1-v1-meta>.
pub(crate) fn means(element: &str, place: usize, item: &Value) -> bool {
    let Some((kind, rest)) = element.split_once(':') else { return false };
    match kind {
        "k" => matches!(serde_json::from_str(rest), Ok(Value::Object(keys))
            if !keys.is_empty() && keys.iter().all(|(key, value)| item.get(key) == Some(value))),
        "v" => serde_json::from_str::<Value>(rest).is_ok_and(|value| value == *item),
        "i" => rest.parse() == Ok(place),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn walk(path: &str, value: &Value, owners: &Owners<'_>, names: &[Manager], lines: &mut Vec<String>) {
        let letters: String = owners.here().iter().map(|at| names[*at].letter).collect();
        if !letters.is_empty() {
            lines.push(format!("{path} {letters}"));
        }
        match value {
            Value::Object(fields) => {
                for (name, value) in fields.iter().filter(|(name, _)| *name != "managedFields") {
                    walk(&format!("{path}.{name}"), value, &owners.field(name), names, lines);
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    walk(&format!("{path}[{at}]"), item, &owners.item(at, item), names, lines);
                }
            }
            _ => {}
        }
    }

    #[track_caller]
    fn check(mut object: Value, managed: &[(&str, Value)], expected: &[&str]) {
        let entries = managed.iter().map(|(name, fields)| json!({"manager": name, "fieldsV1": fields}));
        object["metadata"]["managedFields"] = entries.collect();
        let mut lines = Vec::new();
        walk("", &object, &Owners::of(&object), &managers(&object), &mut lines);
        assert_eq!(lines, expected);
    }

    #[test]
    fn fields_have_owners() {
        check(
            json!({"metadata": {"name": "a", "labels": {"app": "web", "tier": "1"}}, "data": {"x": "1", "y": "2"}}),
            &[
                (
                    "kubectl",
                    json!({"f:metadata": {"f:labels": {".": {}, "f:app": {}}}, "f:data": {"f:x": {}}}),
                ),
                ("alice", json!({"f:data": {"f:x": {}, "f:y": {}}})),
            ],
            &[".metadata.labels k", ".metadata.labels.app k", ".data.x ka", ".data.y a"],
        );
    }

    #[test]
    fn items_have_owners() {
        check(
            json!({
                "metadata": {"finalizers": ["a/b", "c/d"]},
                "spec": {"ports": [{"port": 80, "protocol": "TCP", "x": 1}, {"port": 81, "protocol": "TCP"}]},
            }),
            &[(
                "helm",
                json!({
                    "f:metadata": {"f:finalizers": {"v:\"c/d\"": {}}},
                    "f:spec": {"f:ports": {
                        ".": {}, "k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}, "i:1": {}, "x:": {}, "y": {},
                    }},
                }),
            )],
            &[
                ".metadata.finalizers[1] h",
                ".spec.ports h",
                ".spec.ports[0] h",
                ".spec.ports[0].port h",
                ".spec.ports[1] h",
                ".spec.ports[1].port h",
                ".spec.ports[1].protocol h",
            ],
        );
    }

    #[test]
    fn what_is_owned_as_a_whole_is_owned_inside() {
        check(
            json!({"metadata": {}, "spec": {"selector": {"app": "web"}, "list": [{"a": 1}]}}),
            &[("m", json!({"f:spec": {"f:selector": {}, "f:list": {}}}))],
            &[
                ".spec.selector m",
                ".spec.selector.app m",
                ".spec.list m",
                ".spec.list[0] m",
                ".spec.list[0].a m",
            ],
        );
    }

    #[test]
    fn managers_have_letters_of_their_own() {
        let named = |names: &[&str]| {
            let entries: Vec<Value> = names.iter().map(|name| json!({"manager": name})).collect();
            let object = json!({"metadata": {"managedFields": entries}});
            managers(&object).iter().map(|manager| manager.letter).collect::<String>()
        };
        assert_eq!(named(&["kubectl", "kube-controller-manager", "Helm", "", "kk"]), "kuhab");
        assert_eq!(named(&["a"; 27]), "abcdefghijklmnopqrstuvwxyz·");
    }

    #[test]
    fn nonsense_has_no_owners() {
        check(
            json!({"metadata": {}, "a": 1}),
            &[("m", json!("x")), ("n", json!({"f:": {}, "k:[": {}}))],
            &[],
        );
        assert_eq!(managers(&json!({"metadata": {"managedFields": "x"}})), []);
        assert_eq!(managers(&Value::Null), []);
    }
}
