//! Prints tables of cells, and what a server sends as a `Table`.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables>

use json_tree::Value;

/// The least width of a column, with the space behind it.
const LEAST: usize = 6;
/// The space between columns.
const SPACE: usize = 3;

/// Prints rows in columns. The `widths` of earlier ones are kept.
pub(in crate::command) fn rows(rows: &[Vec<String>], widths: &mut Vec<usize>) -> String {
    for row in rows {
        for (place, cell) in row.iter().enumerate().take(row.len().saturating_sub(1)) {
            if widths.len() <= place {
                widths.push(LEAST);
            }
            if let Some(width) = widths.get_mut(place) {
                *width = (*width).max(cell.chars().count() + SPACE);
            }
        }
    }
    let mut text = String::new();
    for row in rows {
        let last = row.len().saturating_sub(1);
        for (place, cell) in row.iter().enumerate() {
            text.push_str(cell);
            let width = if place < last { widths.get(place).copied().unwrap_or_default() } else { 0 };
            text.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.chars().count())));
        }
        text.push('\n');
    }
    text
}

/// The parts of a `Table` that are shown.
#[derive(Clone, Debug, Default)]
pub(in crate::command) struct Shown {
    /// True to show columns of less importance, too.
    pub(in crate::command) wide: bool,
    /// True if the namespace comes first.
    pub(in crate::command) namespace: bool,
    /// True if labels come last.
    pub(in crate::command) labels: bool,
    /// Labels that have columns of their own.
    pub(in crate::command) label_columns: Vec<String>,
    /// True to leave out the names of columns.
    pub(in crate::command) no_headers: bool,
    /// The text before names: `pod.apps/`.
    pub(in crate::command) prefix: String,
}

/// Returns the cells of a `Table`, that of the names of its columns first.
pub(in crate::command) fn cells(
    table: &Value,
    columns: &Value,
    shown: &Shown,
    headers: bool,
) -> Vec<Vec<String>> {
    let columns = columns.as_array().map(Vec::as_slice).unwrap_or_default();
    let is_shown = |place: usize| {
        columns
            .get(place)
            .is_some_and(|column| shown.wide || column["priority"].as_i64().unwrap_or_default() == 0)
    };
    let mut found = Vec::new();
    if headers && !shown.no_headers {
        let mut row = Vec::new();
        row.extend(shown.namespace.then(|| "NAMESPACE".to_owned()));
        let names = columns.iter().enumerate().filter(|(place, _)| is_shown(*place));
        row.extend(names.map(|(_, column)| text(&column["name"]).to_uppercase()));
        row.extend(
            shown.label_columns.iter().map(|label| label.rsplit('/').next().unwrap_or(label).to_uppercase()),
        );
        row.extend(shown.labels.then(|| "LABELS".to_owned()));
        found.push(row);
    }
    for line in table["rows"].as_array().into_iter().flatten() {
        let metadata = &line["object"]["metadata"];
        let mut row = Vec::new();
        row.extend(shown.namespace.then(|| text(&metadata["namespace"])));
        let cells =
            line["cells"].as_array().into_iter().flatten().enumerate().filter(|(place, _)| is_shown(*place));
        row.extend(cells.map(|(place, cell)| {
            let is_name = columns.get(place).is_some_and(|column| column["format"] == "name");
            [if is_name { &*shown.prefix } else { "" }, &text(cell)].concat()
        }));
        row.extend(shown.label_columns.iter().map(|label| text(&metadata["labels"][label.as_str()])));
        row.extend(shown.labels.then(|| labels(&metadata["labels"])));
        found.push(row);
    }
    found
}

/// Returns labels as kubectl writes them.
pub(in crate::command) fn labels(labels: &Value) -> String {
    let mut pairs: Vec<String> = labels
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| [key, "=", &text(value)].concat())
        .collect();
    pairs.sort();
    if pairs.is_empty() { "<none>".to_owned() } else { pairs.join(",") }
}

/// Returns the text of a cell: its first line.
pub(in crate::command) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => match text.split_once('\n') {
            Some((line, _)) => [line, "..."].concat(),
            None => text.clone(),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[track_caller]
    fn check(shown: &Shown, expected: &str) {
        let table = json!({
            "columnDefinitions": [
                {"name": "Name", "format": "name", "priority": 0},
                {"name": "Up", "priority": 0},
                {"name": "IP", "priority": 1},
            ],
            "rows": [
                {"cells": ["a", 1, "x"], "object": {"metadata": {"namespace": "n", "labels": {"b": "2", "a": "1"}}}},
                {"cells": ["long-name", "b\nc", null], "object": {"metadata": {"namespace": "default"}}},
            ],
        });
        let cells = cells(&table, &table["columnDefinitions"], shown, true);
        assert_eq!(rows(&cells, &mut Vec::new()), expected);
    }

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        check(&Shown::default(), "NAME        UP\na           1\nlong-name   b...\n");
        check(
            &Shown { wide: true, namespace: true, ..Shown::default() },
            "NAMESPACE   NAME        UP     IP\nn           a           1      x\ndefault     long-name   b...   \n",
        );
        check(
            &Shown { labels: true, no_headers: true, prefix: "pod/".to_owned(), ..Shown::default() },
            "pod/a           1      a=1,b=2\npod/long-name   b...   <none>\n",
        );
    }

    #[test]
    fn widths_are_kept() {
        let mut widths = Vec::new();
        rows(&[vec!["long-name".to_owned(), "x".to_owned()]], &mut widths);
        assert_eq!(rows(&[vec!["a".to_owned(), "y".to_owned()]], &mut widths), "a           y\n");
    }
}
