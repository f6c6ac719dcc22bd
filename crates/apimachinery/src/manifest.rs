//! Cuts manifests into documents, and documents into objects, as kubectl does.

use json_tree::Value;

/// Splits a manifest at its lines of `---`. Documents with nothing but comments are left out.
pub fn split(text: &str) -> Vec<String> {
    let (mut documents, mut document) = (Vec::new(), String::new());
    for line in text.split_inclusive('\n') {
        if line.strip_prefix("---").is_some_and(|rest| !says(rest)) {
            documents.push(std::mem::take(&mut document));
        } else {
            document.push_str(line);
        }
    }
    documents.push(document);
    documents.into_iter().filter(|document| document.lines().any(says)).flat_map(values).collect()
}

/// Returns whether a line is neither empty nor a comment.
fn says(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with('#')
}

/// Cuts JSON of several values, one behind the other. Other text stays as it is.
fn values(document: String) -> Vec<String> {
    if !document.trim_start().starts_with('{') {
        return vec![document];
    }
    let mut values = serde_json::Deserializer::from_str(&document).into_iter::<serde::de::IgnoredAny>();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(Ok(_)) = values.next() {
        found.push(document.get(at..values.byte_offset()).unwrap_or_default().trim().to_owned());
        at = values.byte_offset();
    }
    let rest = document.get(at..).unwrap_or_default();
    if rest.lines().any(says) {
        // It is no JSON, and whoever reads it says so.
        found.push(rest.to_owned());
    }
    found
}

/// Returns the objects of a document: of a list its items.
pub fn objects(document: Value) -> Vec<Value> {
    let kind = document["kind"].as_str().and_then(|kind| kind.strip_suffix("List"));
    let (Some(kind), Some(items)) = (kind, document["items"].as_array()) else { return vec![document] };
    let mut items = items.clone();
    items.iter_mut().filter(|_| !kind.is_empty()).for_each(|item| typed(item, kind, &document["apiVersion"]));
    items
}

/// Tells an item of a typed list what it is.
fn typed(item: &mut Value, kind: &str, api_version: &Value) {
    let Some(item) = item.as_object_mut() else { return };
    for (name, value) in [("kind", Value::from(kind)), ("apiVersion", api_version.clone())] {
        if !item.contains_key(name) {
            item.insert(name.to_owned(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(split(text), expected, "{text}");
    }

    #[test]
    fn documents_stand_between_dashes() {
        check("", &[]);
        check("a: 1\n---\nb: 2\n", &["a: 1\n", "b: 2\n"]);
        check("# head\n---\na: 1\n--- # next\n\n---\n", &["a: 1\n"]);
        check("a: |\n  ---\n---b\n", &["a: |\n  ---\n---b\n"]);
        check("{\"a\": 1}\n{\"b\": 2}", &["{\"a\": 1}", "{\"b\": 2}"]);
        check("{a: 1}", &["{a: 1}"]);
    }

    #[test]
    fn lists_are_their_items() {
        assert_eq!(objects(json!({"kind": "List", "items": [{"a": 1}, 2]})), [json!({"a": 1}), json!(2)]);
        assert_eq!(
            objects(json!({"kind": "PodList", "apiVersion": "v1", "items": [{}]})),
            [json!({"kind": "Pod", "apiVersion": "v1"})]
        );
        assert_eq!(objects(json!({"kind": "AccessList"})), [json!({"kind": "AccessList"})]);
    }
}
