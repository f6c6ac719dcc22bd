//! Cutting a manifest into its documents, as kubectl's reader does.

use json_tree::Value;
use serde_json::Deserializer;
use serde_json::value::RawValue;

/// A document of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    /// The number, from 1, of its first line in the manifest that says something.
    pub(crate) line: usize,
    /// The text of the document.
    pub(crate) text: String,
}

/// Returns whether a line ends a document: three dashes, and behind them nothing but a comment.
fn is_separator(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| !says(rest))
}

/// Returns whether a line says something: it is not empty, and no comment.
fn says(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with('#')
}

/// Returns the documents of a manifest that say something. JSON may have several objects in one.
pub(crate) fn split(text: &str) -> Vec<Document> {
    let (mut documents, mut begin, mut first, mut at) = (Vec::new(), 0, 1, 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if is_separator(line.trim_end()) {
            add(&text[begin..at], first, &mut documents);
            (begin, first) = (at + line.len(), number + 2);
        }
        at += line.len();
    }
    add(&text[begin..], first, &mut documents);
    documents
}

/// Returns whether a body is a manifest of several documents: a line of `---` stands between two that have something in them.
pub(crate) fn is_several(body: &str) -> bool {
    let (mut documents, mut has) = (0, false);
    for line in body.lines() {
        if is_separator(line) {
            has = false;
        } else if !has && says(line) {
            has = true;
            documents += 1;
            if documents > 1 {
                return true;
            }
        }
    }
    false
}

/// Adds the documents of a text between two separators, which begins in the line `first`.
fn add(text: &str, first: usize, documents: &mut Vec<Document>) {
    let Some(blank) = text.lines().position(says) else { return };
    if text.trim_start().starts_with('{') {
        let mut objects = Deserializer::from_str(text).into_iter::<&RawValue>();
        let mut at = 0;
        while let Some(Ok(object)) = objects.next() {
            let begin = objects.byte_offset() - object.get().len();
            let line = first + text[..begin].matches('\n').count();
            documents.push(Document { line, text: object.get().to_owned() });
            at = objects.byte_offset();
        }
        let rest = &text[at..];
        if let Some(blank) = rest.lines().position(says) {
            // It is no JSON, and whoever reads it says so.
            let line = first + text[..at].matches('\n').count() + blank;
            documents.push(Document { line, text: rest.trim_start().to_owned() });
        }
        return;
    }
    documents.push(Document { line: first + blank, text: text.trim_end().to_owned() });
}

/// Returns the objects of a document: of a list its items, as kubectl takes them.
pub(crate) fn objects(document: Value) -> Vec<Value> {
    let kind = document["kind"].as_str().and_then(|kind| kind.strip_suffix("List"));
    let (Some(kind), Some(items)) = (kind, document["items"].as_array()) else { return vec![document] };
    let mut items = items.clone();
    // Those of a typed list need not say what they are.
    for item in items.iter_mut().filter_map(Value::as_object_mut).filter(|_| !kind.is_empty()) {
        let given = [("kind", Value::from(kind)), ("apiVersion", document["apiVersion"].clone())];
        for (name, value) in given {
            if !item.contains_key(name) {
                item.insert(name.to_owned(), value);
            }
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(usize, &str)]) {
        let found = split(text);
        let found: Vec<_> = found.iter().map(|document| (document.line, document.text.as_str())).collect();
        assert_eq!(found, expected, "{text}");
        if !text.contains('{') {
            assert_eq!(is_several(text), expected.len() > 1, "{text}");
        }
    }

    #[test]
    fn documents_stand_between_lines_of_dashes() {
        check("", &[]);
        check("a: 1\n", &[(1, "a: 1")]);
        check("a: 1\n---\nb: 2\n", &[(1, "a: 1"), (3, "b: 2")]);
        check("---\na: 1\n--- # next\n\nb: 2", &[(2, "a: 1"), (5, "\nb: 2")]);
        check("a: 1\r\n---\r\nb: 2\r\n", &[(1, "a: 1"), (3, "b: 2")]);
    }

    #[test]
    fn what_says_nothing_is_no_document() {
        check("---\n---\n# only a comment\n---\n\n", &[]);
        check("# head\n---\na: 1\n---\n---\n", &[(3, "a: 1")]);
    }

    #[test]
    fn other_dashes_separate_nothing() {
        check("a: |\n  ---\nb: 2", &[(1, "a: |\n  ---\nb: 2")]);
        check("a: 1\n---b\n", &[(1, "a: 1\n---b")]);
        check("a: 1\n--- b\n", &[(1, "a: 1\n--- b")]);
    }

    #[test]
    fn json_has_one_object_behind_the_other() {
        check("{\"a\": 1}\n{\"b\":\n2}", &[(1, "{\"a\": 1}"), (2, "{\"b\":\n2}")]);
        check(
            "\n{\"a\": 1} {\"b\": 2}\n---\n{\"c\": 3}",
            &[(2, "{\"a\": 1}"), (2, "{\"b\": 2}"), (4, "{\"c\": 3}")],
        );
        check("{\"a\": 1}\n\n{\"b\": }", &[(1, "{\"a\": 1}"), (3, "{\"b\": }")]);
        check("{a: 1}", &[(1, "{a: 1}")]);
    }

    #[test]
    fn lists_are_their_items() {
        let check = |document: Value, expected: Value| assert_eq!(Value::from(objects(document)), expected);
        check(json!({"kind": "List", "items": [{"a": 1}, 2]}), json!([{"a": 1}, 2]));
        check(
            json!({"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {}}]}),
            json!([{"metadata": {}, "kind": "Pod", "apiVersion": "v1"}]),
        );
        check(json!({"kind": "AccessList", "spec": 1}), json!([{"kind": "AccessList", "spec": 1}]));
        check(json!({"kind": "Pod", "items": []}), json!([{"kind": "Pod", "items": []}]));
        check(json!([1]), json!([[1]]));
    }
}
