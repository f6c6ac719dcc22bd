//! Prints columns of one's own: `-o custom-columns=NAME:.metadata.name`.
//!
//! <https://kubernetes.io/docs/reference/kubectl/#custom-columns>

use json_tree::Value;

use super::table;
use crate::command::jsonpath::{Template, shown};

/// Prints a row for each object.
///
/// # Errors
/// The text of kubectl for columns that it does not understand.
pub(in crate::command) fn print(columns: &str, objects: &[Value]) -> Result<String, String> {
    let mut paths = Vec::new();
    let mut heads = Vec::new();
    for column in columns.split(',') {
        let (head, path) = column.split_once(':').ok_or_else(|| {
            format!("error: unexpected custom-columns spec: {column}, expected <header>:<json-path-expr>")
        })?;
        heads.push(head.to_owned());
        paths.push(Template::relaxed(path)?);
    }
    let mut rows = vec![heads];
    for object in objects {
        rows.push(paths.iter().map(|path| cell(&path.values(object))).collect());
    }
    Ok(table::rows(&rows, &mut Vec::new()))
}

fn cell(values: &[&Value]) -> String {
    let cells: Vec<String> = values
        .iter()
        .map(|value| match value {
            Value::Null => "<nil>".to_owned(),
            Value::Object(_) | Value::Array(_) => schema::go::show(value),
            value => shown(value),
        })
        .collect();
    if cells.is_empty() { "<none>".to_owned() } else { cells.join(",") }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(columns: &str, expected: &str) {
        let object = json!({"a": {"b": [{"c": "x"}, {"c": "y"}]}, "n": null});
        assert_eq!(print(columns, &[object]).unwrap_or_else(|error| error), expected, "{columns}");
    }

    #[test]
    fn columns_are_paths() {
        check("A:.a.b[*].c,B:n", "A     B\nx,y   <nil>\n");
        check("A:{.a.b[0].c},B:.z", "A     B\nx     <none>\n");
        check("A", "error: unexpected custom-columns spec: A, expected <header>:<json-path-expr>");
    }
}
