//! Reading an object for its row.

use std::time::Duration;

use json_tree::Value;

use super::duration::human;
use apimachinery::time;

/// An object, and the time at which it is looked at.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// The object.
    pub object: &'a Value,
    now: Duration,
}

impl<'a> Row<'a> {
    /// An object, and the time since the Unix epoch at which it is looked at.
    pub fn new(object: &'a Value, now: Duration) -> Self {
        Self { object, now }
    }

    /// `metadata.name`.
    pub fn name(&self) -> Value {
        self.text("/metadata/name").into()
    }

    /// How long ago the object was created.
    pub(crate) fn age(&self) -> Value {
        self.since(time_at(self.object, "/metadata/creationTimestamp")).into()
    }

    /// When it was created.
    pub fn created(&self) -> Value {
        match self.text("/metadata/creationTimestamp") {
            "" => "0001-01-01T00:00:00Z".into(),
            time => time.into(),
        }
    }

    /// Reports whether the object's deletion has begun.
    pub(crate) fn is_terminating(&self) -> bool {
        get(self.object, "/metadata/deletionTimestamp").is_some()
    }

    /// How long ago a time was.
    pub(crate) fn since(&self, time: Option<Duration>) -> String {
        time.map_or_else(|| "<unknown>".to_owned(), |time| human(seconds_between(time, self.now)))
    }

    /// How long a thing has taken so far, or in all.
    pub(crate) fn span(&self, from: Duration, to: Option<Duration>) -> String {
        human(seconds_between(from, to.unwrap_or(self.now)))
    }

    /// The string at a path.
    pub(crate) fn text(&self, path: &str) -> &'a str {
        text(self.object, path)
    }

    /// A string that is there, or else another.
    pub(crate) fn text_or(&self, path: &str, otherwise: &'static str) -> Value {
        get(self.object, path).and_then(Value::as_str).unwrap_or(otherwise).into()
    }

    /// A string that is not empty, or else another.
    pub(crate) fn filled_or(&self, path: &str, otherwise: &'static str) -> Value {
        match self.text(path) {
            "" => otherwise.into(),
            text => text.into(),
        }
    }

    /// The number at a path.
    pub(crate) fn number(&self, path: &str) -> i64 {
        number(self.object, path)
    }

    /// The number at a path, as a cell.
    pub(crate) fn count(&self, path: &str) -> Value {
        self.number(path).into()
    }

    /// The boolean at a path, or else another.
    pub(crate) fn flag_or(&self, path: &str, otherwise: bool) -> Value {
        get(self.object, path).and_then(Value::as_bool).unwrap_or(otherwise).into()
    }

    /// The list at a path; empty if there is none.
    pub(crate) fn list(&self, path: &str) -> &'a [Value] {
        list(self.object, path)
    }

    /// The length of the list at a path, as a cell.
    pub(crate) fn len(&self, path: &str) -> Value {
        self.list(path).len().into()
    }
}

/// Returns the value at a path, unless it is null.
pub(crate) fn get<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    value.pointer(path).filter(|value| !value.is_null())
}

/// The string at a path; empty if there is none.
pub(crate) fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.text_at(path)
}

/// The number at a path; 0 if there is none.
pub(crate) fn number(value: &Value, path: &str) -> i64 {
    value.pointer(path).and_then(Value::as_i64).unwrap_or_default()
}

/// The boolean at a path; false if there is none.
pub(crate) fn flag(value: &Value, path: &str) -> bool {
    value.pointer(path).and_then(Value::as_bool).unwrap_or_default()
}

/// The list at a path; empty if there is none.
pub(crate) fn list<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    value.pointer(path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The strings of a list.
pub(crate) fn strings<'a>(value: &'a Value, path: &str) -> Vec<&'a str> {
    list(value, path).iter().filter_map(Value::as_str).collect()
}

/// The time at a path, with or without fractions of a second.
pub(crate) fn time_at(value: &Value, path: &str) -> Option<Duration> {
    time::parse(text(value, path))
}

/// How long ago a time was; a text that is none is `<invalid>`.
pub fn age_of(text: &str, now: Duration) -> String {
    let time = time_at(&Value::from(text), "");
    time.map_or_else(|| "<invalid>".to_owned(), |time| human(seconds_between(time, now)))
}

/// The first condition of a type.
pub(crate) fn condition<'a>(conditions: &'a [Value], ty: &str) -> Option<&'a Value> {
    conditions.iter().find(|condition| text(condition, "/type") == ty)
}

/// Reports whether the first condition of a type is `True`.
pub(crate) fn is_true(conditions: &[Value], ty: &str) -> bool {
    condition(conditions, ty).is_some_and(|condition| text(condition, "/status") == "True")
}

/// Up to `most` of some texts, and how many there are more; nothing, if there are none.
pub(crate) fn some_of<'a>(texts: impl IntoIterator<Item = &'a str>, most: usize) -> Option<String> {
    let texts: Vec<&str> = texts.into_iter().collect();
    let shown = texts[..texts.len().min(most)].join(",");
    match texts.len() {
        0 => None,
        len if len > most => Some(format!("{shown} + {} more...", len - most)),
        _ => Some(shown),
    }
}

/// Whole seconds from one time to another. Negative into the future; rounded towards zero.
fn seconds_between(from: Duration, to: Duration) -> i64 {
    match to.checked_sub(from) {
        Some(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        None => -i64::try_from((from - to).as_secs()).unwrap_or(i64::MAX),
    }
}
