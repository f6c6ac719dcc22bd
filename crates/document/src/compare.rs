//! How a response differs from what is documented.
//!
//! Documentation shows a part: what it does not mention may be there. Values that are other ones in each cluster are matched
//! by their place, and [learnt](Names::learn).

use json_tree::Value;

use crate::http::Documented;
use crate::message::{Body, Response};
use crate::names::{Names, Sort};
use crate::pattern::{Item, Pattern};

/// A place in which a response is not as it is documented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place: `status`, `Content-Type`, `.metadata.name`, `event 2`.
    pub at: String,
    /// The text in the document; empty if there is none.
    pub documented: String,
    /// The text that came; empty if there is none.
    pub came: String,
    /// The reason, where it is known.
    pub why: Option<Why>,
}

/// A known reason for a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// An object that is created is answered with 201 since Kubernetes 1.8.
    Created,
    /// A table comes only if `Accept` asks for one.
    NoTableAskedFor,
    /// This version of the API is not served any more.
    NotServed,
    /// The response depends on objects that the document does not mention.
    Count,
    /// A server within a page compresses nothing.
    NotCompressed,
    /// The second column of a table without columns of its own is called otherwise.
    Columns,
}

/// The most documented items of a list, or events of a stream, that are compared.
const MOST: usize = 200;

/// The headers that a connection makes, and no API server.
const OF_CONNECTION: [&str; 5] = ["Transfer-Encoding", "Date", "Content-Length", "Connection", "Audit-Id"];

/// Compares status and headers.
pub fn head(documented: &Documented, response: &Response, differences: &mut Vec<Difference>) {
    if let Some(status) = documented.status.filter(|status| *status != response.status) {
        let why = match (status, response.status) {
            (200, 201) => Some(Why::Created),
            (200..300, 404) if is_unknown(response) => Some(Why::NotServed),
            _ => None,
        };
        differences.push(Difference {
            at: "status".to_owned(),
            documented: status.to_string(),
            came: response.status.to_string(),
            why,
        });
    }
    let told = documented.headers.iter();
    for (name, value) in
        told.filter(|(name, _)| !OF_CONNECTION.iter().any(|own| own.eq_ignore_ascii_case(name)))
    {
        let came = response.header(name).unwrap_or_default();
        let same = if name.eq_ignore_ascii_case("Content-Type") {
            media_type(came) == media_type(value)
        } else {
            came.eq_ignore_ascii_case(value) || value == "..." || value == "…"
        };
        if !same {
            let is_coding = name.eq_ignore_ascii_case("Content-Encoding") && came.is_empty();
            let why = is_coding.then_some(Why::NotCompressed);
            let (documented, came) = (value.clone(), came.to_owned());
            differences.push(Difference { at: name.clone(), documented, came, why });
        }
    }
}

/// Returns whether a 404 says that there is no such resource, and not that there is no such object.
fn is_unknown(response: &Response) -> bool {
    let Body::Whole(body) = &response.body else { return false };
    let status: Value = serde_json::from_slice(body).unwrap_or_default();
    let message = status["message"].as_str();
    message.is_none_or(|message| message == "the server could not find the requested resource")
}

fn media_type(header: &str) -> &str {
    header.split(';').next().unwrap_or_default().trim()
}

/// A comparison of bodies.
pub struct Comparison<'n> {
    names: &'n mut Names,
    path: Vec<String>,
    /// The differences so far.
    pub differences: Vec<Difference>,
}

impl<'n> Comparison<'n> {
    /// Begins.
    pub fn new(names: &'n mut Names) -> Self {
        Self { names, path: Vec::new(), differences: Vec::new() }
    }

    /// Compares a body with the first value that is documented; prose stands for anything.
    pub fn body(&mut self, documented: &[Item], came: &Value) {
        if let Some(Item::One(pattern)) = documented.iter().find(|item| matches!(item, Item::One(_))) {
            self.value(pattern, came);
        }
    }

    /// Compares a stream: the documented events have to come, in their order. Others may come between them.
    pub fn events(&mut self, documented: &[Item], came: &[Value]) {
        let (mut at, mut used) = (0, vec![false; came.len()]);
        let told = documented.iter().filter_map(|item| match item {
            Item::One(pattern) => Some(pattern),
            Item::Gap => None,
        });
        for (number, pattern) in told.take(MOST).enumerate() {
            self.path = vec![format!("event {}", number + 1)];
            let free = || came.iter().enumerate().filter(|(place, _)| !used[*place]);
            let fits = |(_, event): &(usize, &Value)| self.matches(pattern, event);
            let sort = pattern.get("type").and_then(Pattern::as_str);
            // What is there from the beginning comes in an order of its own.
            let found = free().filter(|(place, _)| *place >= at).find(fits).or_else(|| {
                let named = pattern.at(&["object", "metadata", "name"]).is_some();
                free().filter(|_| named && sort == Some("ADDED")).find(fits)
            });
            let found = found.or_else(|| {
                free().find(|(place, event)| *place >= at && sort.is_some() && event["type"].as_str() == sort)
            });
            match found {
                Some((place, event)) => {
                    self.value(pattern, event);
                    used[place] = true;
                    at = at.max(place + 1);
                }
                None => self.differ(text(pattern), String::new(), None),
            }
        }
        self.path.clear();
    }

    /// Returns whether a value is as documented.
    fn matches(&self, pattern: &Pattern, came: &Value) -> bool {
        let mut names = self.names.clone();
        let mut trial = Comparison::new(&mut names);
        trial.strictly(pattern, came);
        trial.differences.is_empty()
    }

    /// Compares also names, by which objects are told from each other.
    fn strictly(&mut self, pattern: &Pattern, came: &Value) {
        self.value(pattern, came);
        for path in [&["metadata", "name"][..], &["object", "metadata", "name"]] {
            let pointer = ["/", &path.join("/")].concat();
            let name = pattern.at(path).and_then(Pattern::as_str);
            if let Some(name) = name
                && came.pointer(&pointer).and_then(Value::as_str) != Some(name)
            {
                self.differ(name.to_owned(), String::new(), None);
            }
        }
    }

    fn value(&mut self, pattern: &Pattern, came: &Value) {
        match (pattern, came) {
            (Pattern::Any, _) => {}
            (Pattern::Object(fields), Value::Object(object)) => {
                for (name, pattern) in fields {
                    self.path.push(name.clone());
                    self.value(pattern, object.get(name).unwrap_or(&Value::Null));
                    self.path.pop();
                }
            }
            (Pattern::List(items), Value::Array(values)) => self.list(items, values),
            // What is empty is often left out.
            (Pattern::List(items), Value::Null) if items.iter().all(|item| *item == Item::Gap) => {}
            (Pattern::Object(fields), Value::Null) if fields.is_empty() => {}
            (Pattern::Scalar(documented), came) => self.scalar(documented, came),
            (pattern, came) => self.differ(text(pattern), shown(came), None),
        }
    }

    fn scalar(&mut self, documented: &Value, came: &Value) {
        let written = documented.as_str().unwrap_or_default();
        let empty = |value: &Value| matches!(value, Value::Null) || value.as_str() == Some("");
        if documented == came || empty(documented) && empty(came) || written == "..." || written == "…" {
            return;
        }
        let names: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let sort = if written.is_empty() { None } else { Sort::of(&names, written) };
        match (sort, came) {
            (Some(sort), Value::String(came)) => self.names.learn(sort, written, came),
            (Some(Sort::Other), came) if !came.is_null() => {}
            _ => {
                let field = names.last().copied().unwrap_or_default();
                let why = match field {
                    "kind" if written == "Table" => Some(Why::NoTableAskedFor),
                    "columnDefinitions" => Some(Why::NoTableAskedFor),
                    "remainingItemCount" => Some(Why::Count),
                    _ => None,
                };
                self.differ(shown(documented), shown(came), why);
            }
        }
    }

    fn list(&mut self, items: &[Item], values: &[Value]) {
        let mut at = 0;
        for (number, item) in items.iter().take(MOST).enumerate() {
            let Item::One(pattern) = item else { continue };
            self.path.push(format!("[{number}]"));
            let rest = values.get(at..).unwrap_or_default();
            let name = |pattern: &Pattern| {
                pattern.at(&["metadata", "name"]).or_else(|| pattern.get("name")).cloned()
            };
            let named = |value: &Value| {
                let value = value.pointer("/metadata/name").or_else(|| value.get("name"));
                value.and_then(Value::as_str).map(str::to_owned)
            };
            let found = rest.iter().position(|value| self.matches(pattern, value)).map(|found| (found, true));
            let found = found.or_else(|| {
                let name = name(pattern)?.as_str()?.to_owned();
                let found = values.iter().position(|value| named(value).as_deref() == Some(&*name))?;
                Some((found, false))
            });
            match found {
                Some((found, in_order)) => {
                    let value = if in_order { rest.get(found) } else { values.get(found) };
                    self.value(pattern, value.unwrap_or(&Value::Null));
                    at += if in_order { found + 1 } else { 0 };
                }
                None => match rest.first() {
                    Some(value) if name(pattern).is_none() => {
                        self.value(pattern, value);
                        at += 1;
                    }
                    _ => self.differ(text(pattern), String::new(), None),
                },
            }
            self.path.pop();
        }
    }

    fn differ(&mut self, documented: String, came: String, why: Option<Why>) {
        let at = self.path.iter().fold(String::new(), |at, step| {
            let dot =
                if at.is_empty() && step.starts_with("event") || step.starts_with('[') { "" } else { "." };
            [&at, dot, step].concat()
        });
        let is_column = at.contains("columnDefinitions") && documented.contains("Created At");
        let why = why.or(is_column.then_some(Why::Columns));
        self.differences.push(Difference { at, documented, came, why });
    }
}

/// Compares what a command prints, line by line, without regard to the width of columns and to what is another one each time.
pub fn printed(documented: &str, came: &str, differences: &mut Vec<Difference>) {
    let mut rest = came.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    for line in documented.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with("...") || line.starts_with('…') || line.starts_with('#') {
            continue;
        }
        let ahead: Vec<&str> = rest.clone().collect();
        match ahead.iter().position(|other| same_words(line, other)) {
            Some(at) => {
                rest.nth(at);
            }
            None => differences.push(Difference {
                at: "output".to_owned(),
                documented: line.to_owned(),
                came: ahead.first().copied().unwrap_or_default().to_owned(),
                why: None,
            }),
        }
    }
}

/// Returns whether lines have the same words, but for ages, times and addresses.
fn same_words(documented: &str, came: &str) -> bool {
    let varies = |word: &str| {
        let number = word.trim_end_matches(|c: char| "smhdy".contains(c));
        let is_age =
            number.len() < word.len() && number.bytes().all(|b| b.is_ascii_digit() || b"smhdy".contains(&b));
        let is_address =
            word.split('.').count() == 4 && word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        is_age || is_address || word == "<invalid>" || word == "<unknown>"
    };
    let (mut documented, mut came) = (documented.split_whitespace(), came.split_whitespace());
    loop {
        match (documented.next(), came.next()) {
            (None, None) => return true,
            (Some(documented), Some(came)) => {
                let known = documented == came || documented == "..." || varies(documented) && varies(came);
                if !known {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

/// The longest text that is told of a value.
const LONGEST: usize = 120;

fn shown(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    shortened(text)
}

fn text(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Any => "…".to_owned(),
        other => shown(&other.to_value()),
    }
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => [text.get(..at).unwrap_or_default(), "…"].concat(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;
    use crate::pattern;

    /// A documented body, the one that came, and the places in which they differ.
    #[track_caller]
    fn check(documented: &str, came: &Value, expected: &[&str]) {
        let mut names = Names::default();
        let mut comparison = Comparison::new(&mut names);
        comparison.body(&pattern::read(documented), came);
        let places: Vec<&str> = comparison.differences.iter().map(|difference| &*difference.at).collect();
        assert_eq!(places, expected, "{documented}");
    }

    #[test]
    fn what_is_not_mentioned_may_be_there() {
        check(r#"{"kind": "Pod", ...}"#, &json!({"kind": "Pod", "spec": {}}), &[]);
        check(r#"{"kind": "Pod"}"#, &json!({"kind": "Pod", "spec": {}}), &[]);
        check(r#"{"kind": "Pod"}"#, &json!({"kind": "PodList"}), &[".kind"]);
        check(r#"{"a": {"b": 1}}"#, &json!({"a": {}}), &[".a.b"]);
        check(r#"{"a": {"b": 1}}"#, &json!({}), &[".a"]);
        check("… JSON encoded Pod", &json!({}), &[]);
    }

    #[test]
    fn versions_names_and_times_are_matched_by_their_place() {
        check(
            r#"{"metadata": {"resourceVersion": "10245", "name": "a", "uid": "x", "creationTimestamp": "2020"}}"#,
            &json!({"metadata": {"resourceVersion": "7", "name": "b", "uid": "y", "creationTimestamp": "2030"}}),
            &[],
        );
        check(r#"{"metadata": {"continue": "TOKEN_1"}}"#, &json!({"metadata": {}}), &[".metadata.continue"]);
        check(r#"{"metadata": {"continue": ""}}"#, &json!({"metadata": {}}), &[]);
        check(
            r#"{"remainingItemCount": 753}"#,
            &json!({"remainingItemCount": 754}),
            &[".remainingItemCount"],
        );
    }

    #[test]
    fn lists() {
        let came =
            json!({"items": [{"metadata": {"name": "a"}, "x": 1}, {"metadata": {"name": "b"}, "x": 2}]});
        check(r#"{"items": [...]}"#, &came, &[]);
        check(r#"{"items": [..., {"metadata": {"name": "b"}}]}"#, &came, &[]);
        check(r#"{"items": [{"metadata": {"name": "b"}, "x": 3}]}"#, &came, &[".items[0].x"]);
        check(r#"{"items": [{"metadata": {"name": "c"}}]}"#, &came, &[".items[0]"]);
        check(r#"{"items": [...]}"#, &json!({}), &[]);
        check(r#"{"items": [1]}"#, &json!({"items": [2]}), &[".items[0]"]);
    }

    #[test]
    fn streams_have_the_documented_events_in_their_order() {
        let event = |sort: &str, name: &str| json!({"type": sort, "object": {"metadata": {"name": name}}});
        let came = [event("ADDED", "x"), event("ADDED", "foo"), event("MODIFIED", "foo")];
        let check = |documented: &str, expected: &[&str]| {
            let mut names = Names::default();
            let mut comparison = Comparison::new(&mut names);
            comparison.events(&pattern::read(documented), &came);
            let places: Vec<&str> = comparison.differences.iter().map(|difference| &*difference.at).collect();
            assert_eq!(places, expected, "{documented}");
        };
        check(r#"{"type": "ADDED", "object": {"metadata": {"name": "foo"}}} {"type": "MODIFIED"}"#, &[]);
        check(r#"{"type": "ADDED"} ... {"type": "BOOKMARK"}"#, &["event 2"]);
        check(r#"{"type": "MODIFIED"} {"type": "ADDED"}"#, &["event 2"]);
    }

    #[test]
    fn heads() {
        let documented =
            crate::http::response("200 OK\nTransfer-Encoding: chunked\nContent-Type: application/json\nX: y");
        let headers = vec![("Content-Type".to_owned(), "application/json; charset=utf-8".to_owned())];
        let mut differences = Vec::new();
        head(
            &documented.unwrap_or_default(),
            &Response { status: 201, headers, ..Response::default() },
            &mut differences,
        );
        let told: Vec<_> = differences.iter().map(|difference| (&*difference.at, difference.why)).collect();
        assert_eq!(told, [("status", Some(Why::Created)), ("X", None)]);
    }

    #[test]
    fn printed_lines() {
        let mut differences = Vec::new();
        let came = "NAME   READY   AGE\nweb-0   0/1    5s\n";
        printed("NAME READY AGE\nweb-0 0/1 32m\n...", came, &mut differences);
        assert_eq!(differences, []);
        printed("web-1 0/1 32m", came, &mut differences);
        assert_eq!(differences.len(), 1);
    }
}
