//! The results of `sigs.k8s.io/yaml` for documents that were changed at random: the JSON, or the error, and the errors
//! of its strict reader.

use codec::{json, yaml};
use json_tree::Value;

#[test]
fn answered_as_go_answers() {
    let mut answers = 0;
    for line in include_str!("yaml_answers.jsonl").lines() {
        let answer: Value = line.parse().expect("a line is JSON");
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        let document = text("document");
        let (found, strict, error) = match yaml::parse_document(document.as_bytes()) {
            Ok(parsed) => {
                let mut out = Vec::new();
                json::write_node(&parsed.node, &mut out);
                let out = String::from_utf8(out).expect("JSON is text");
                (out, parsed.strict_error().unwrap_or_default(), String::new())
            }
            Err(error) => (String::new(), String::new(), error.to_string()),
        };
        assert_eq!((found, strict, error), (text("json"), text("strict"), text("error")), "{document:?}");
        answers += 1;
    }
    assert!(answers > 300, "there are only {answers}");
}
