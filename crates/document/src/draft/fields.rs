//! The fields of an object by which a check tells that something was done, and what expressions of CEL say of them.

use json_tree::Value;

use crate::names::Sort;

/// The words that CEL keeps for itself: fields of these names stand in brackets.
const RESERVED: [&str; 20] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
];

/// The fields of metadata that the server sets, or that a path tells, beside those that are other ones in each cluster.
const SET: [&str; 5] =
    ["deletionGracePeriodSeconds", "generateName", "generation", "managedFields", "namespace"];

/// The longest list or text that is compared as a whole, in bytes; of others the size is.
const LONGEST: usize = 160;

/// A field, and its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    /// The names on the way to it.
    pub(super) path: Vec<String>,
    /// The value; `None` if the field is not there.
    pub(super) value: Option<Value>,
}

impl Field {
    /// Returns it for people: `spec.replicas`, `metadata.labels['app.kubernetes.io/name']`.
    pub(super) fn name(&self) -> String {
        chain(String::new(), &self.path)
    }

    /// Returns the expression that is true once the field is as it should be. `object` is the expression of the object.
    pub(super) fn expression(&self, object: &str) -> String {
        let Some(value) = &self.value else {
            let Some((last, parents)) = self.path.split_last() else { return String::new() };
            return format!("!({} in {})", text(last), chain(object.to_owned(), parents));
        };
        let own = chain(object.to_owned(), &self.path);
        match value.as_array().map(|items| named(items)) {
            Some(Some(items)) => {
                let each = items.iter().map(|(name, rest)| {
                    let of = |field: &Self| field.expression("item");
                    let rest: Vec<String> = rest.iter().map(of).collect();
                    let fits = [vec![format!("item.name == {}", text(name))], rest].concat().join(" && ");
                    format!("{own}.exists(item, {fits})")
                });
                each.collect::<Vec<_>>().join(" && ")
            }
            Some(None) if value.to_string().len() > LONGEST => {
                format!("{own}.size() == {}", value.as_array().map_or(0, |items| items.len()))
            }
            None if value.as_str().is_some_and(|text| text.len() > LONGEST) => {
                format!("{own}.size() == {}", value.as_str().map_or(0, |text| text.chars().count()))
            }
            _ => format!("{own} == {}", literal(value)),
        }
    }
}

/// Returns the items of a list in which each has a name, and the fields of each that are no lists or objects.
fn named(items: &[Value]) -> Option<Vec<(String, Vec<Field>)>> {
    let item = |item: &Value| {
        let name = item["name"].as_str()?.to_owned();
        let fields = item.as_object()?.iter().filter(|(field, value)| {
            field.as_str() != "name"
                && !value.is_array()
                && !value.is_object()
                && !value.is_null()
                && !differs(&[field], value)
        });
        let fields =
            fields.map(|(field, value)| Field { path: vec![field.clone()], value: Some(value.clone()) });
        Some((name, fields.collect()))
    };
    let named: Vec<_> = items.iter().map(item).collect::<Option<_>>()?;
    (!named.is_empty()).then_some(named)
}

/// Returns the fields that somebody has sent and that are stored as they were sent. Of lists whose items have names only what was
/// sent of them is told.
pub(super) fn sent(sent: &Value, stored: &Value) -> Vec<Field> {
    let mut found = Vec::new();
    walk_sent(sent, stored, &mut Vec::new(), &mut found);
    same_in_each_cluster(found)
}

fn walk_sent(sent: &Value, stored: &Value, path: &mut Vec<String>, found: &mut Vec<Field>) {
    match (sent, stored) {
        (Value::Object(fields), Value::Object(_)) => {
            for (name, value) in fields.iter() {
                if !is_told(path, name) {
                    continue;
                }
                path.push(name.clone());
                walk_sent(value, &stored[name.as_str()], path, found);
                path.pop();
            }
        }
        (Value::Null, _) => {}
        // What the server adds to items is not looked at.
        (Value::Array(items), Value::Array(_))
            if holds(sent, stored) && (named(items).is_some() || sent == stored) =>
        {
            found.push(Field { path: path.clone(), value: Some(sent.clone()) });
        }
        _ if sent == stored => found.push(Field { path: path.clone(), value: Some(sent.clone()) }),
        _ => {}
    }
}

/// Returns whether a value has all that another one has.
fn holds(less: &Value, more: &Value) -> bool {
    match (less, more) {
        (Value::Object(fields), Value::Object(_)) => {
            fields.iter().all(|(name, value)| holds(value, &more[name.as_str()]))
        }
        (Value::Array(less), Value::Array(more)) => {
            less.len() == more.len() && less.iter().zip(more.iter()).all(|(less, more)| holds(less, more))
        }
        _ => less == more,
    }
}

/// Returns the fields that a write has changed.
pub(super) fn changed(before: &Value, after: &Value) -> Vec<Field> {
    let mut found = Vec::new();
    walk_changed(before, after, &mut Vec::new(), &mut found);
    same_in_each_cluster(found)
}

/// Returns the fields whose values are the same whenever the same is done.
fn same_in_each_cluster(mut fields: Vec<Field>) -> Vec<Field> {
    fields.retain(|field| {
        let path: Vec<&str> = field.path.iter().map(String::as_str).collect();
        let value = field.value.as_ref().unwrap_or(&Value::Null);
        // Of items with names only what is the same is told.
        !differs(&path, value) || value.as_array().is_some_and(|items| named(items).is_some())
    });
    fields
}

/// Returns whether a value, or one in it, is another one in each cluster: see [`Sort`].
fn differs(path: &[&str], value: &Value) -> bool {
    let within = |name: &str, value: &Value| differs(&[path, &[name]].concat(), value);
    Sort::of(path, value.as_str().unwrap_or_default()).is_some()
        || match value {
            Value::Object(fields) => fields.iter().any(|(name, value)| within(name, value)),
            Value::Array(items) => items.iter().any(|item| differs(path, item)),
            _ => false,
        }
}

fn walk_changed(before: &Value, after: &Value, path: &mut Vec<String>, found: &mut Vec<Field>) {
    let (Some(old), Some(new)) = (before.as_object(), after.as_object()) else {
        if before != after {
            found.push(Field { path: path.clone(), value: Some(after.clone()) });
        }
        return;
    };
    for (name, value) in new.iter() {
        if !is_told(path, name) {
            continue;
        }
        path.push(name.clone());
        match old.get(name.as_str()) {
            Some(before) => walk_changed(before, value, path, found),
            // Each of what is new in a new object is told.
            None => walk_sent(value, value, path, found),
        }
        path.pop();
    }
    for name in old.keys().filter(|name| is_told(path, name) && !new.contains_key(name.as_str())) {
        let path = path.iter().chain([name]).cloned().collect();
        found.push(Field { path, value: None });
    }
}

/// Returns whether a check may tell of a field.
fn is_told(parents: &[String], name: &str) -> bool {
    match parents {
        [] => !matches!(name, "apiVersion" | "kind"),
        [metadata] if metadata == "metadata" => !SET.contains(&name),
        _ => true,
    }
}

/// Returns the expression of a field below another expression.
fn chain(mut begin: String, path: &[String]) -> String {
    for name in path {
        if is_identifier(name) {
            begin.extend([if begin.is_empty() { "" } else { "." }, name]);
        } else {
            begin.extend(["[", &text(name), "]"]);
        }
    }
    begin
}

fn is_identifier(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(fits)
        && name.starts_with(|first: char| !first.is_ascii_digit())
        && !RESERVED.contains(&name)
}

/// Returns the expression of a value.
fn literal(value: &Value) -> String {
    match value {
        Value::String(value) => text(value),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| format!("{}: {}", text(name), literal(value));
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("{{{}}}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns the expression of a text.
pub(super) fn text(text: &str) -> String {
    let mut out = String::from("'");
    for char in text.chars() {
        match char {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other if other.is_control() => out.push_str(&format!("\\u{:04x}", other as u32)),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}
