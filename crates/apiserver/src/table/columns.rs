//! The columns of each kind.

use crate::text_table;
use std::sync::OnceLock;

use json_tree::{Value, json};

/// A column: a `TableColumnDefinition`.
///
/// <https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables>
#[derive(Debug)]
pub(super) struct Column {
    /// The heading: `Ready`.
    pub name: &'static str,
    /// The OpenAPI type of the cells: `string`, `integer`, `boolean`, `date`. Cells do not always have it.
    ty: &'static str,
    /// The OpenAPI format; `name` marks the column that names the object.
    format: &'static str,
    /// The description of the column.
    description: String,
    /// 0, or 1 for a column that is only shown to those who want to see more.
    priority: u8,
}

impl Column {
    /// The column in JSON.
    pub(super) fn to_value(&self) -> Value {
        json!({
            "name": self.name,
            "type": self.ty,
            "format": self.format,
            "description": self.description,
            "priority": self.priority,
        })
    }
}

/// The columns of a resource: its own, or the default ones.
pub(super) fn of(group: &str, resource: &str) -> &'static [Column] {
    let all = all();
    all.rows
        .iter()
        .find(|row| row.resources.contains(&(group, resource)))
        .map_or(&all.default, |row| &row.columns)
}

/// The resources that have columns of their own: group and name.
#[cfg(test)]
pub(super) fn resources() -> impl Iterator<Item = (&'static str, &'static str)> {
    all().rows.iter().flat_map(|row| row.resources.iter().copied())
}

/// Returns the descriptions of the columns of the name and of the time of creation.
pub(super) fn common() -> (&'static str, &'static str) {
    match all().default.as_slice() {
        [name, created, ..] => (&name.description, &created.description),
        _ => ("", ""),
    }
}

/// `columns.txt`.
struct Columns {
    rows: Vec<Columned>,
    default: Vec<Column>,
}

/// Resources with the same columns.
struct Columned {
    resources: Vec<(&'static str, &'static str)>,
    columns: Vec<Column>,
}

fn all() -> &'static Columns {
    static COLUMNS: OnceLock<Columns> = OnceLock::new();
    COLUMNS.get_or_init(|| parse(include_str!("columns.txt")))
}

fn parse(text: &'static str) -> Columns {
    let (mut name, mut created) = ("", "");
    let mut rows: Vec<Columned> = Vec::new();
    for line in text_table::rows(text) {
        if let Some(text) = line.strip_prefix("@name|") {
            name = text;
        } else if let Some(text) = line.strip_prefix("@created|") {
            created = text;
        } else if let Some(line) = line.strip_prefix(' ') {
            if let Some(row) = rows.last_mut() {
                row.columns.push(column(line, name, created));
            }
        } else {
            let resources = line.split(' ').filter_map(|resource| resource.split_once('/')).collect();
            rows.push(Columned { resources, columns: Vec::new() });
        }
    }
    let default = ["Name||name||@name", "Created At|date|||@created"];
    Columns { rows, default: default.map(|line| column(line, name, created)).into() }
}

fn column(line: &'static str, name: &str, created: &str) -> Column {
    let mut parts = line.splitn(5, '|');
    let mut next = || parts.next().unwrap_or_default();
    let (heading, ty, format, priority, description) = (next(), next(), next(), next(), next());
    let description = match description {
        "@name" => name,
        "@created" => created,
        other => other,
    };
    Column {
        name: heading,
        ty: if ty.is_empty() { "string" } else { ty },
        format,
        description: description.replace("\\n", "\n"),
        priority: priority.parse().unwrap_or_default(),
    }
}
