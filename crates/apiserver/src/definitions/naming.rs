//! Which names a definition gets, where others of its group may have them already.
//!
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#create-a-customresourcedefinition>

use field::quote;
use json_tree::{Map, Value};

use apimachinery::object::Object;

/// The condition `NamesAccepted`, but for its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamesAccepted {
    /// True if all names are accepted; the status of the condition.
    pub(crate) all: bool,
    /// The reason of the condition.
    pub(crate) reason: &'static str,
    /// The message of the condition.
    pub(crate) message: String,
}

impl NamesAccepted {
    /// The status of the condition.
    pub(crate) fn status(&self) -> &'static str {
        if self.all { "True" } else { "False" }
    }
}

/// The fields with one name, whether it is the name of a kind, and the reason of a conflict; `shortNames`, which are
/// many, stand among them.
const FIELDS: [(&str, bool, &str); 6] = [
    ("plural", false, "PluralConflict"),
    ("singular", false, "SingularConflict"),
    ("shortNames", false, "ShortNamesConflict"),
    ("kind", true, "KindConflict"),
    ("listKind", true, "ListKindConflict"),
    ("categories", false, ""),
];

/// The names that `definition` gets, and the condition that says so. `all` are the stored definitions: those of other
/// groups do not matter, and it may be among them.
///
/// A name that nobody else has is accepted, even if others are not; one that is not accepted stays what it was.
pub(crate) fn accept_names<'a>(
    definition: &Object,
    all: impl IntoIterator<Item = &'a Object>,
) -> (Object, NamesAccepted) {
    let (requested, accepted) =
        (names(definition, "spec", "names"), names(definition, "status", "acceptedNames"));
    let group = group_of(definition);
    let mut used = Used::default();
    for other in all.into_iter().filter(|other| group_of(other) == group) {
        used.add(names(other, "status", "acceptedNames"));
    }
    let mut new = Object::new();
    let mut conflict = None;
    for (field, is_kind, reason) in FIELDS {
        let (wanted, had) = (get(requested, field), get(accepted, field));
        let taken = if field == "categories" || wanted == had {
            Vec::new()
        } else if field == "shortNames" {
            let own = ["plural", "singular"].map(|field| text(accepted, field));
            let mine = |name: &str| own.contains(&name) || texts(had).any(|had| had == name);
            texts(wanted).filter(|name| !mine(name) && used.has(name, false)).collect()
        } else {
            Vec::from_iter(wanted.as_str().filter(|name| used.has(name, is_kind)))
        };
        let value = if taken.is_empty() { wanted } else { had };
        if !taken.is_empty() {
            conflict = Some((reason, message(&taken)));
        }
        match value {
            Value::Null if !matches!(field, "plural" | "kind") => {}
            Value::Null => {
                new.insert(field.to_owned(), "".into());
            }
            value => {
                new.insert(field.to_owned(), value.clone());
            }
        }
    }
    let (all, reason, message) = match conflict {
        Some((reason, message)) => (false, reason, message),
        None => (true, "NoConflicts", "no conflicts found".to_owned()),
    };
    (new, NamesAccepted { all, reason, message })
}

/// The names that the definitions of a group have.
#[derive(Default)]
struct Used<'a> {
    resources: Vec<&'a str>,
    kinds: Vec<&'a str>,
}

impl<'a> Used<'a> {
    fn add(&mut self, names: Option<&'a Map<String, Value>>) {
        self.resources.extend(["plural", "singular"].map(|field| text(names, field)));
        self.resources.extend(texts(get(names, "shortNames")));
        self.kinds.extend(["kind", "listKind"].map(|field| text(names, field)));
    }

    fn has(&self, name: &str, is_kind: bool) -> bool {
        let used = if is_kind { &self.kinds } else { &self.resources };
        used.contains(&name)
    }
}

fn message(taken: &[&str]) -> String {
    let mut messages: Vec<String> = Vec::new();
    for name in taken {
        let message = format!("{} is already in use", quote(name));
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    match messages.as_slice() {
        [one] => one.clone(),
        all => format!("[{}]", all.join(", ")),
    }
}

fn group_of(definition: &Object) -> Option<&str> {
    definition.get("spec")?.get("group")?.as_str()
}

fn names<'a>(definition: &'a Object, part: &str, field: &str) -> Option<&'a Map<String, Value>> {
    definition.get(part)?.get(field)?.as_object()
}

fn get<'a>(names: Option<&'a Map<String, Value>>, field: &str) -> &'a Value {
    names.and_then(|names| names.get(field)).unwrap_or(&Value::Null)
}

fn text<'a>(names: Option<&'a Map<String, Value>>, field: &str) -> &'a str {
    get(names, field).as_str().unwrap_or_default()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn definition(names: &Value, accepted: &Value) -> Object {
        let value = json!({"spec": {"group": "g", "names": names}, "status": {"acceptedNames": accepted}});
        value.as_object().cloned().unwrap_or_default()
    }

    #[track_caller]
    fn check(names: &Value, accepted: &Value, others: &[Value], expected: &Value, condition: &str) {
        let this = definition(names, accepted);
        let others: Vec<Object> = others.iter().map(|other| definition(other, other)).collect();
        let (new, found) = accept_names(&this, others.iter().chain([&this]));
        assert_eq!(Value::Object(new), *expected);
        assert_eq!(format!("{} {}: {}", found.status(), found.reason, found.message), condition);
    }

    #[test]
    fn names_that_nobody_has_are_accepted() {
        let names = json!({"plural": "as", "singular": "a", "shortNames": ["x"], "kind": "A", "listKind": "AList",
            "categories": ["all"]});
        let none = json!({"plural": "", "kind": ""});
        check(&names, &none, &[], &names, "True NoConflicts: no conflicts found");
        check(&names, &names, &[], &names, "True NoConflicts: no conflicts found");
        let mut other = names.clone();
        other["shortNames"] = json!(["x", "as", "y"]);
        check(&other, &names, &[], &other, "True NoConflicts: no conflicts found");
    }

    #[test]
    fn the_last_conflict_is_told() {
        let other = json!({"plural": "as", "singular": "a", "shortNames": ["x", "y"], "kind": "A",
            "listKind": "AList"});
        let none = json!({"plural": "", "kind": ""});
        check(
            &json!({"plural": "bs", "singular": "b", "shortNames": ["x", "z"], "kind": "A", "listKind": "AList"}),
            &none,
            std::slice::from_ref(&other),
            &json!({"plural": "bs", "singular": "b", "kind": ""}),
            "False ListKindConflict: \"AList\" is already in use",
        );
        check(
            &json!({"plural": "bs", "singular": "a", "shortNames": ["x", "as", "x"], "kind": "B", "listKind": "BList"}),
            &none,
            std::slice::from_ref(&other),
            &json!({"plural": "bs", "kind": "B", "listKind": "BList"}),
            "False ShortNamesConflict: [\"x\" is already in use, \"as\" is already in use]",
        );
        // What was accepted before stays.
        check(
            &json!({"plural": "bs", "singular": "b", "kind": "A", "listKind": "BList"}),
            &json!({"plural": "bs", "singular": "b", "kind": "B", "listKind": "BList"}),
            &[other],
            &json!({"plural": "bs", "singular": "b", "kind": "B", "listKind": "BList"}),
            "False KindConflict: \"A\" is already in use",
        );
    }
}
