//! The difference between two values, as kube-apiserver prints it where a change is forbidden.
//!
//! Both are printed as JSON, a line for each value and one space for each level, and the lines are compared: the
//! difference has the unified format, without the names of files (see
//! <https://www.gnu.org/software/diffutils/manual/html_node/Unified-Format.html>).
//!
//! ```text
//! @@ -2,7 +2,7 @@
//!   "GCEPersistentDisk": null,
//!   "AWSElasticBlockStore": null,
//!   "HostPath": {
//! -  "Path": "/x",
//! +  "Path": "/y",
//!    "Type": ""
//!   },
//!   "Glusterfs": null,
//! ```

mod matching;

use json_tree::Value;

use super::internal;
use matching::{Change, changes};

/// How many lines around a change are shown.
const CONTEXT: usize = 3;

/// How `old` became `new`, both of the published type `name` in the Go package `package`, in the form that they have
/// inside; see [`internal::form`]. It ends with a line break; if nothing changed, it is empty.
///
/// `of(internal::CORE, "PodSpec", old_spec, new_spec)`
pub fn of(package: &str, name: &str, old: &Value, new: &Value) -> String {
    unified(&internal::form(package, name, old), &internal::form(package, name, new))
}

/// How `old` became `new`, as they are.
pub fn unified(old: &Value, new: &Value) -> String {
    let (old, new) = (lines(old), lines(new));
    let mut out = String::new();
    for group in groups(changes(&old, &new)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        out.push_str("@@ -");
        range(first.old.start, last.old.end, &mut out);
        out.push_str(" +");
        range(first.new.start, last.new.end, &mut out);
        out.push_str(" @@\n");
        for change in &group {
            let parts: &[(char, &[String])] = if change.equal {
                &[(' ', &old[change.old.clone()])]
            } else {
                &[('-', &old[change.old.clone()]), ('+', &new[change.new.clone()])]
            };
            for (sign, lines) in parts {
                for line in *lines {
                    out.push(*sign);
                    out.push_str(line);
                    out.push('\n');
                }
            }
        }
    }
    out
}

/// The changes that are shown together, with what is around them.
fn groups(mut changes: Vec<Change>) -> Vec<Vec<Change>> {
    if let Some(first) = changes.first_mut().filter(|first| first.equal) {
        first.keep_last(CONTEXT);
    }
    if let Some(last) = changes.last_mut().filter(|last| last.equal) {
        last.keep_first(CONTEXT);
    }
    let mut groups = Vec::new();
    let mut group: Vec<Change> = Vec::new();
    for mut change in changes {
        if change.equal && change.old.len() > 2 * CONTEXT {
            let mut end = change.clone();
            end.keep_first(CONTEXT);
            group.push(end);
            groups.push(std::mem::take(&mut group));
            change.keep_last(CONTEXT);
        }
        group.push(change);
    }
    groups.push(group);
    groups.retain(|group| group.iter().any(|change| !change.equal));
    groups
}

/// A range of lines: its first one, counted from 1, and how many there are unless it is one.
fn range(start: usize, end: usize, out: &mut String) {
    let length = end - start;
    let first = if length == 0 { start } else { start + 1 };
    out.push_str(&first.to_string());
    if length != 1 {
        out.push(',');
        out.push_str(&length.to_string());
    }
}

/// The value as indented JSON, line by line.
fn lines(value: &Value) -> Vec<String> {
    let mut printed = Printed::default();
    printed.value(value, 0);
    printed.lines.push(printed.open);
    printed.lines
}

#[derive(Default)]
struct Printed {
    lines: Vec<String>,
    /// The line that is not at its end yet.
    open: String,
}

impl Printed {
    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(map) if !map.is_empty() => {
                self.open.push('{');
                for (index, (key, value)) in map.iter().enumerate() {
                    self.next(index > 0, depth + 1);
                    let mut name = Vec::new();
                    codec::json::write_string(key, &mut name);
                    self.open.push_str(&String::from_utf8_lossy(&name));
                    self.open.push_str(": ");
                    self.value(value, depth + 1);
                }
                self.next(false, depth);
                self.open.push('}');
            }
            Value::Array(items) if !items.is_empty() => {
                self.open.push('[');
                for (index, value) in items.iter().enumerate() {
                    self.next(index > 0, depth + 1);
                    self.value(value, depth + 1);
                }
                self.next(false, depth);
                self.open.push(']');
            }
            other => self.open.push_str(&String::from_utf8_lossy(&codec::json::to_vec(other))),
        }
    }

    fn next(&mut self, comma: bool, depth: usize) {
        if comma {
            self.open.push(',');
        }
        self.lines.push(std::mem::take(&mut self.open));
        self.open.extend(std::iter::repeat_n(' ', depth));
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(old: &Value, new: &Value, expected: &str) {
        assert_eq!(unified(old, new), expected);
    }

    #[test]
    fn differences_are_shown_with_what_is_around_them() {
        check(&json!({"a": 1}), &json!({"a": 1}), "");
        check(&json!(1), &json!("<"), "@@ -1 +1 @@\n-1\n+\"\\u003c\"\n");
        check(
            &json!({"a": 1, "b": {}}),
            &json!({"a": [2], "b": {}}),
            "@@ -1,4 +1,6 @@\n {\n- \"a\": 1,\n+ \"a\": [\n+  2\n+ ],\n  \"b\": {}\n }\n",
        );
    }

    #[test]
    fn changes_far_apart_are_shown_apart() {
        let list = |first: i32, last: i32| {
            let mut items: Vec<i32> = (0..12).collect();
            (items[0], items[11]) = (first, last);
            json!(items)
        };
        check(
            &list(0, 0),
            &list(70, 80),
            "@@ -1,5 +1,5 @@\n [\n- 0,\n+ 70,\n  1,\n  2,\n  3,\n@@ -10,5 +10,5 @@\n  8,\n  9,\n  10,\n- 0\n+ 80\n ]\n",
        );
        let near = |last: i32| json!([last, 1, 2, 3, 4, 5, 6, last]);
        check(
            &near(0),
            &near(9),
            "@@ -1,10 +1,10 @@\n [\n- 0,\n+ 9,\n  1,\n  2,\n  3,\n  4,\n  5,\n  6,\n- 0\n+ 9\n ]\n",
        );
    }

    #[test]
    fn structs_are_compared_as_they_are_inside() {
        let spec = |size: &str| json!({"resources": {"requests": {"storage": size}}});
        assert_eq!(
            of(internal::CORE, "PersistentVolumeClaimSpec", &spec("1Gi"), &spec("2Gi")),
            "@@ -4,7 +4,7 @@\n  \"Resources\": {\n   \"Limits\": null,\n   \"Requests\": {\n-   \"storage\": \"1Gi\"\n+   \"storage\": \"2Gi\"\n   }\n  },\n  \"VolumeName\": \"\",\n"
        );
    }
}
