//! The columns of each kind.

use json_tree::{Value, json};

use kinds::kind::Printer;

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

/// The columns of a kind that has none of its own.
const DEFAULT: &str = "Name||name||@name\nCreated At|date|||@created";

/// The description of a column of names.
const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/// The description of a column of the times of creation.
const CREATED: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// Returns the columns of a kind: its own, or the default ones.
pub(super) fn of(printer: Option<&Printer>) -> Vec<Column> {
    parse(printer.map_or(DEFAULT, |printer| printer.columns))
}

/// Returns the descriptions of the columns of the name and of the time of creation.
pub(super) fn common() -> (&'static str, &'static str) {
    (NAME, CREATED)
}

/// Parses columns, one a line, `NAME|TYPE|FORMAT|PRIORITY|DESCRIPTION`: empty are the type `string`, the format `` and the
/// priority 0; `@name` and `@created` stand for the descriptions of the two columns that most kinds have.
fn parse(text: &'static str) -> Vec<Column> {
    text.lines().map(column).collect()
}

fn column(line: &'static str) -> Column {
    let mut parts = line.splitn(5, '|');
    let mut next = || parts.next().unwrap_or_default();
    let (heading, ty, format, priority, description) = (next(), next(), next(), next(), next());
    let description = match description {
        "@name" => NAME,
        "@created" => CREATED,
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
