//! An answer that is a `Table`: what `kubectl get` prints.
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables>.

use json_tree::Value;
use leptos::prelude::*;

use crate::cluster::head;
use crate::response::fold::PAGE;
use crate::ui::messages;
use crate::ui::part::{IntoPart, Part, live, quiet};
use crate::widgets::check::check;

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    /// The table's columns, those first that are always shown.
    pub(crate) columns: Vec<Column>,
    /// The cells of each row, in the order of the columns.
    pub(crate) rows: Vec<Vec<String>>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// The column's heading.
    pub(crate) name: String,
    /// The description of the column's contents.
    pub(crate) about: String,
    /// True if the column is only shown to users who want to see more: its priority is not 0.
    pub(crate) wide: bool,
}

impl Column {
    /// Returns one that has a name alone.
    pub(crate) fn plain(name: &str) -> Self {
        Self { name: name.to_owned(), about: String::new(), wide: false }
    }
}

impl Table {
    /// Reads `json`, or gives `None` where it is no table with columns.
    pub(crate) fn parse(json: &[u8]) -> Option<Self> {
        // Only a table is read as a whole.
        if head::head(json)?.kind != "Table" {
            return None;
        }
        Self::of(&serde_json::from_slice(json).ok()?)
    }

    /// Reads what is a table with columns.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        if value["apiVersion"].as_str()?.split('/').next() != Some("meta.k8s.io") {
            return None;
        }
        let columns = value["columnDefinitions"].as_array()?;
        let wide = |index: &usize| columns[*index]["priority"].as_i64().unwrap_or(0) > 0;
        let (more, mut order): (Vec<usize>, Vec<usize>) = (0..columns.len()).partition(wide);
        order.extend(more);
        let rows = value["rows"].as_array().map(Vec::as_slice).unwrap_or_default();
        Some(Self {
            columns: order
                .iter()
                .map(|index| Column {
                    name: cell(&columns[*index]["name"]),
                    about: cell(&columns[*index]["description"]),
                    wide: wide(index),
                })
                .collect(),
            rows: rows
                .iter()
                .map(|row| order.iter().map(|index| cell(&row["cells"][*index])).collect())
                .collect(),
        })
    }
}

/// The table that an event of a watch brings. It has columns only if it was the first, so they are looked for in `events`,
/// all that the watch has brought.
pub(crate) fn of_event<'e>(event: &[u8], mut events: impl Iterator<Item = &'e [u8]>) -> Option<Table> {
    let object = |event: &[u8]| -> Option<Value> {
        let object = head::bytes(head::frame(event)?.object);
        (head::head(object)?.kind == "Table").then(|| serde_json::from_slice(object).ok()).flatten()
    };
    let mut table = object(event)?;
    if table["columnDefinitions"].is_null() {
        let first =
            events.find_map(|event| object(event).filter(|table| table["columnDefinitions"].is_array()));
        table["columnDefinitions"] = first?["columnDefinitions"].clone();
    }
    Table::of(&table)
}

/// A cell as it reads.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The table, and whether all of its columns show.
pub(crate) fn show(table: Table) -> Part {
    let wide = RwSignal::new(false);
    let has_wide = table.columns.iter().any(|column| column.wide);
    let toggle = has_wide.then(|| check(messages::TABLE_WIDE, "", wide));
    let content = move || show_columns(&table, wide.get());
    view! {
        {toggle}
        {live(content)}
    }
    .part()
}

fn show_columns(table: &Table, wide: bool) -> Part {
    if table.rows.is_empty() {
        return quiet(messages::TABLE_EMPTY);
    }
    let count = table.columns.iter().filter(|column| wide || !column.wide).count();
    let head = table.columns.iter().take(count);
    let head = head
        .map(|column| view! { <th scope="col" title=column.about.clone()>{column.name.clone()}</th> })
        .collect_view();
    let rows = table
        .rows
        .iter()
        .take(PAGE)
        .map(|row| {
            let cells = row.iter().take(count).map(|cell| view! { <td>{cell.clone()}</td> }).collect_view();
            view! { <tr>{cells}</tr> }
        })
        .collect_view();
    let rest = table.rows.len().saturating_sub(PAGE);
    view! {
        <table class="rows">
            <thead translate="no">
                <tr>{head}</tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
        {(rest > 0).then(|| view! { <p class="quiet">{messages::table_rest(rest)}</p> })}
    }
    .part()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: Option<(&str, &[&str])>) {
        let table = Table::parse(json.as_bytes()).map(|table| {
            let columns: Vec<String> = table
                .columns
                .iter()
                .map(|column| if column.wide { format!("({})", column.name) } else { column.name.clone() })
                .collect();
            (columns.join("|"), table.rows.iter().map(|row| row.join("|")).collect::<Vec<_>>())
        });
        let expected = expected.map(|(columns, rows)| {
            (columns.to_owned(), rows.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>())
        });
        assert_eq!(table, expected, "{json}");
    }

    #[test]
    fn columns_of_higher_priority_come_last() {
        check(
            r#"{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[
                {"name":"Name","priority":0},{"name":"IP","priority":1},{"name":"Ready"}
            ],"rows":[{"cells":["a","10.0.0.1",2]},{"cells":["b",null,true]}]}"#,
            Some(("Name|Ready|(IP)", &["a|2|10.0.0.1", "b|true|"])),
        );
    }

    #[test]
    fn rows_may_be_missing() {
        let table =
            r#"{"kind":"Table","apiVersion":"meta.k8s.io/v1beta1","columnDefinitions":[{"name":"Name"}]"#;
        check(&format!("{table}}}"), Some(("Name", &[])));
        check(&format!("{table},\"rows\":null}}"), Some(("Name", &[])));
        check(&format!("{table},\"rows\":[{{}},{{\"cells\":[[1]]}}]}}"), Some(("Name", &["", "[1]"])));
    }

    #[test]
    fn events_have_the_columns_of_the_first() {
        let event = |columns: &str, cell: &str| {
            format!(
                r#"{{"type":"ADDED","object":{{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":{columns},"rows":[{{"cells":["{cell}"]}}]}}}}"#
            )
        };
        let (first, second) = (event(r#"[{"name":"Name"}]"#, "a"), event("null", "b"));
        let read = |event: &str, events: &[&str]| {
            let table = of_event(event.as_bytes(), events.iter().map(|event| event.as_bytes()))?;
            Some([table.columns[0].name.clone(), table.rows[0][0].clone()])
        };
        let expected = |cell: &str| Some(["Name".to_owned(), cell.to_owned()]);
        assert_eq!(read(&first, &[]), expected("a"));
        assert_eq!(read(&second, &["{}", &second, &first]), expected("b"));
        assert_eq!(read(&second, &[&second]), None);
        assert_eq!(read(r#"{"type":"ADDED","object":{"kind":"Pod"}}"#, &[&first]), None);
    }

    #[test]
    fn other_things_are_no_tables() {
        check(r#"{"kind":"Table","apiVersion":"example.com/v1","columnDefinitions":[]}"#, None);
        check(r#"{"kind":"PodList","apiVersion":"v1","items":[]}"#, None);
        check(r#"{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":null}"#, None);
        check("kind: Table", None);
        check("[]", None);
    }
}
