//! The entries of `metadata.managedFields`.
//!
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#managers>

use json_tree::{Map, Value};

use crate::set::Set;
use crate::table::Table;

/// How many managers that update, rather than apply, an object may have.
const MAX_UPDATE_MANAGERS: usize = 10;
/// Whose the fields of the oldest of them become, if there are more.
const ANCIENT: &str = "ancient-changes";

/// The way in which a manager changes its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// It applies configurations.
    Apply,
    /// It writes objects in any other way.
    Update,
}

/// A field manager, and the way in which it manages fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Manager {
    /// The name of the manager.
    pub name: String,
    /// The way in which it changes its fields.
    pub operation: Operation,
    /// The API version that it writes; empty for one that applies, which is the same in all versions.
    pub api_version: String,
    /// The subresource that it writes through; may be empty.
    pub subresource: String,
}

/// The fields that a manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The API version in which the fields have these names.
    pub api_version: String,
    /// The fields.
    pub set: Set,
    /// When it last changed one of them, as RFC 3339; `None` if it never did.
    pub time: Option<String>,
}

/// All who manage fields of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Managers(pub Table<Manager, Entry>);

impl Manager {
    /// Somebody who writes objects of an API version.
    pub fn new(name: &str, operation: Operation, api_version: &str, subresource: &str) -> Self {
        let name = if name.is_empty() { "unknown" } else { name };
        let api_version = if operation == Operation::Apply { "" } else { api_version };
        Self {
            name: name.to_owned(),
            operation,
            api_version: api_version.to_owned(),
            subresource: subresource.to_owned(),
        }
    }
}

impl Managers {
    /// Reads `metadata.managedFields`. `None` if there is something in it that is no entry.
    pub fn read(entries: Option<&Value>) -> Option<Self> {
        let mut managers = Self::default();
        for entry in entries.and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            let operation = match text("operation") {
                "Apply" => Operation::Apply,
                "Update" => Operation::Update,
                _ => return None,
            };
            if text("apiVersion").is_empty() || text("fieldsType") != "FieldsV1" {
                return None;
            }
            let set = match entry.get("fieldsV1") {
                None | Some(Value::Null) => Set::default(),
                Some(fields) => Set::from_json(fields).ok()?,
            };
            let manager = Manager {
                name: text("manager").to_owned(),
                ..Manager::new("", operation, text("apiVersion"), text("subresource"))
            };
            let time = entry.get("time").and_then(Value::as_str).map(str::to_owned);
            managers.0.insert(manager, Entry { api_version: text("apiVersion").to_owned(), set, time });
        }
        Some(managers)
    }

    /// `metadata.managedFields`: sorted by operation, second, manager, API version and subresource. `None` if there
    /// are no entries.
    pub fn write(&self) -> Option<Value> {
        let mut all: Vec<(&Manager, &Entry)> = self.0.iter().collect();
        // Times of one form sort as texts do; without a time comes before all.
        schema::sort_by(&mut all, |(a, x), (b, y)| {
            let key = |manager: &Manager| manager.operation;
            (key(a).cmp(&key(b)))
                .then_with(|| x.time.cmp(&y.time))
                .then_with(|| a.name.cmp(&b.name))
                .then_with(|| x.api_version.cmp(&y.api_version))
                .then_with(|| a.subresource.cmp(&b.subresource))
        });
        let entries: Vec<Value> =
            all.into_iter().map(|(manager, entry)| write_entry(manager, entry)).collect();
        (!entries.is_empty()).then_some(Value::Array(entries))
    }

    /// Returns whether nobody manages any field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Merges the entries of those who updated longest ago, version by version, until there are few enough.
    pub(crate) fn cap(&mut self) {
        let mut updaters: Vec<Manager> =
            self.0.keys().filter(|manager| manager.operation == Operation::Update).cloned().collect();
        let mut count = updaters.len();
        if count <= MAX_UPDATE_MANAGERS {
            return;
        }
        let time = |manager: &Manager| self.0.get(manager).map(|entry| &entry.time);
        schema::sort_by(&mut updaters, |a, b| time(a).cmp(&time(b)).then_with(|| a.cmp(b)));
        let mut first_of: Table<String, Manager> = Table::default();
        for manager in updaters {
            if count <= MAX_UPDATE_MANAGERS {
                return;
            }
            let Some(version) = self.0.get(&manager).map(|entry| entry.api_version.clone()) else { continue };
            let Some(first) = first_of.get(&version) else {
                first_of.insert(version, manager);
                continue;
            };
            let bucket = Manager::new(ANCIENT, Operation::Update, &version, "");
            if !self.0.contains_key(&bucket)
                && let Some(entry) = self.0.remove(first)
            {
                self.0.insert(bucket.clone(), entry);
            }
            if manager != bucket
                && let Some(merged) = self.0.remove(&manager)
            {
                if let Some(entry) = self.0.get_mut(&bucket) {
                    entry.set = entry.set.union(&merged.set);
                    entry.time = merged.time;
                }
                count -= 1;
            }
        }
    }
}

fn write_entry(manager: &Manager, entry: &Entry) -> Value {
    let mut map = Map::with_capacity(7);
    let operation = match manager.operation {
        Operation::Apply => "Apply",
        Operation::Update => "Update",
    };
    let texts = [
        ("manager", Some(manager.name.as_str()).filter(|name| !name.is_empty())),
        ("operation", Some(operation)),
        ("apiVersion", Some(entry.api_version.as_str())),
        ("time", entry.time.as_deref()),
        ("fieldsType", Some("FieldsV1")),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            map.insert(key.to_owned(), text.into());
        }
    }
    map.insert("fieldsV1".to_owned(), entry.set.to_json());
    if !manager.subresource.is_empty() {
        map.insert("subresource".to_owned(), manager.subresource.as_str().into());
    }
    Value::Object(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use json_tree::json;

    fn entry(name: &str, operation: &str, version: &str, time: &str, fields: &[&str]) -> Value {
        let fields: Map<String, Value> = fields.iter().map(|key| ((*key).to_owned(), json!({}))).collect();
        json!({"manager": name, "operation": operation, "apiVersion": version, "time": time,
               "fieldsType": "FieldsV1", "fieldsV1": fields})
    }

    #[test]
    fn entries_are_sorted() {
        let sorted = json!([
            entry("z", "Apply", "v1", "2026-01-01T00:00:02Z", &["f:a"]),
            entry("b", "Update", "v1", "2026-01-01T00:00:00Z", &["f:a"]),
            entry("a", "Update", "v1", "2026-01-01T00:00:01Z", &["f:a"]),
            entry("a", "Update", "v2", "2026-01-01T00:00:01Z", &["f:a"]),
        ]);
        let Value::Array(mut entries) = sorted.clone() else { panic!("a list") };
        entries.reverse();
        let read = Managers::read(Some(&Value::Array(entries))).expect("entries");
        assert_eq!(read.write(), Some(sorted));
    }

    #[track_caller]
    fn check_unreadable(entry: &Value) {
        assert_eq!(Managers::read(Some(&json!([entry]))), None, "{entry}");
    }

    #[test]
    fn what_is_no_entry_is_not_read() {
        check_unreadable(&json!({}));
        check_unreadable(&json!({"operation": "Create", "apiVersion": "v1", "fieldsType": "FieldsV1"}));
        check_unreadable(&json!({"operation": "Update", "fieldsType": "FieldsV1"}));
        check_unreadable(&json!({"operation": "Update", "apiVersion": "v1"}));
        check_unreadable(
            &json!({"operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"x": {}}}),
        );
    }

    #[test]
    fn the_oldest_of_too_many_become_one() {
        let entries: Vec<Value> = (0..12)
            .map(|number| {
                let (name, time) = (format!("m{number:02}"), format!("2026-01-01T00:00:{number:02}Z"));
                entry(&name, "Update", "v1", &time, &[&format!("f:{name}")])
            })
            .collect();
        let mut managers = Managers::read(Some(&Value::Array(entries))).expect("entries");
        managers.cap();
        assert_eq!(managers.0.len(), 10);
        let bucket = Manager::new(ANCIENT, Operation::Update, "v1", "");
        let bucket = managers.0.get(&bucket).expect("an entry of them");
        assert_eq!(bucket.set, Set::of_fields(&[&["m00"], &["m01"], &["m02"]]));
        assert_eq!(bucket.time.as_deref(), Some("2026-01-01T00:00:02Z"));
    }
}
