//! Objects as the rows of a table, for people to read: what `kubectl get` prints.
//!
//! A client that asks for `as=Table` gets, instead of objects, a `Table` of the group `meta.k8s.io`. Which columns
//! it has is the kind's affair: its printer has them, and the function that fills a row.
//! A kind without one has a name and the time of its creation.
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables>.

mod columns;
pub(crate) mod custom;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::time::Duration;

use json_tree::{Map, Value};

use crate::convert;
use crate::format::Tables;
pub(crate) use crate::printing::{IncludeObject, Options};
use crate::resource::Resource;
use apimachinery::object;
use apimachinery::object::remove_annotation;
use columns::Column;
use kinds::kind::Printer;
use kinds::printing::row::{self, Row};

impl Tables {
    /// The tables, by themselves.
    pub(crate) const HERE: Self =
        Self { of_object, of_list, of_custom: custom::table, of_custom_scale: custom::scale_table };
}

/// The table of a list. `items` are stored objects (in the storage version, without `kind` and `apiVersion`), and
/// `list_metadata` is the list's metadata.
pub(crate) fn of_list(
    resource: &Resource,
    items: Vec<Map<String, Value>>,
    list_metadata: Value,
    options: &Options,
) -> Value {
    let subject = Subject::of(resource);
    let mut items: Vec<Value> = items.into_iter().map(Value::Object).collect();
    if let Some(printer) = subject.printer
        && let Some(order) = printer.order
    {
        schema::sort_by(&mut items, order);
    }
    let rows: Vec<Value> = items.into_iter().map(|item| subject.row(item, options)).collect();
    let rows = if rows.is_empty() && subject.printer.is_none() { Value::Null } else { Value::Array(rows) };
    subject.table(list_metadata, rows, options)
}

/// The table of one stored object: of an answer that is an object, and of a watch event. That of a bookmark is made
/// of the kind's zero object ([`schema::zero()`]) with the bookmark's metadata.
pub(crate) fn of_object(resource: &Resource, object: Map<String, Value>, options: &Options) -> Value {
    Subject::of(resource).table_of_one(object, options)
}

/// Returns the descriptions of the columns that tables of all kinds have: the name, and the time of the creation.
pub(crate) fn common_columns() -> (&'static str, &'static str) {
    columns::common()
}

/// How long ago a time was, as tables have it.
pub(crate) fn age_of(time: &str, now: Duration) -> String {
    row::age_of(time, now)
}

/// The subject of a table: its resource, and how that is shown.
struct Subject<'a> {
    resource: &'a Resource,
    columns: Vec<Column>,
    printer: Option<Printer>,
    /// The annotation that is left out of metadata that are shown alone.
    hidden: Option<&'static str>,
}

impl<'a> Subject<'a> {
    fn of(resource: &'a Resource) -> Self {
        let printer = kinds::printer(&resource.group, &resource.name);
        let hidden = resource.facts().annotation_in_spec.map(|annotation| annotation.name);
        Self { resource, columns: columns::of(printer.as_ref()), printer, hidden }
    }

    fn table_of_one(&self, object: Map<String, Value>, options: &Options) -> Value {
        let mut metadata = Map::new();
        if let Some(version) = object::metadata(&object, "resourceVersion") {
            metadata.insert("resourceVersion".to_owned(), version.clone());
        }
        let row = self.row(Value::Object(object), options);
        self.table(Value::Object(metadata), Value::Array(vec![row]), options)
    }

    fn table(&self, metadata: Value, rows: Value, options: &Options) -> Value {
        let columns = match options.no_headers {
            true => Value::Null,
            false => self.columns.iter().map(Column::to_value).collect(),
        };
        object_with([
            ("kind", "Table".into()),
            ("apiVersion", options.version.api_version().into()),
            ("metadata", metadata),
            ("columnDefinitions", columns),
            ("rows", rows),
        ])
    }

    fn row(&self, object: Value, options: &Options) -> Value {
        let row = Row::new(&object, options.now);
        let cells = match self.printer {
            Some(printer) => (printer.cells)(&row),
            None => vec![row.name(), row.created()],
        };
        let mut out = Map::new();
        out.insert("cells".to_owned(), Value::Array(cells));
        if let Some(conditions) = self.printer.and_then(|printer| (printer.conditions)(&row)) {
            out.insert("conditions".to_owned(), conditions);
        }
        out.insert("object".to_owned(), self.beside(object, options));
        Value::Object(out)
    }

    /// Returns what a row has beside its cells.
    fn beside(&self, mut object: Value, options: &Options) -> Value {
        match options.include_object {
            IncludeObject::None => Value::Null,
            IncludeObject::Metadata => {
                let mut metadata = object.get_mut("metadata").map_or_else(|| Map::new().into(), Value::take);
                if let (Some(annotation), Value::Object(metadata)) = (self.hidden, &mut metadata) {
                    remove_annotation(metadata, annotation);
                }
                object_with([
                    ("kind", "PartialObjectMetadata".into()),
                    ("apiVersion", options.version.api_version().into()),
                    ("metadata", metadata),
                ])
            }
            IncludeObject::Object => self.typed(object),
        }
    }

    /// A stored object in the version that is asked for, with its kind.
    fn typed(&self, object: Value) -> Value {
        let resource = self.resource;
        let api_version = resource.api_version();
        let mut typed = Map::new();
        typed.insert("kind".to_owned(), Value::from(resource.kind.as_str()));
        typed.insert("apiVersion".to_owned(), Value::from(api_version));
        let object = match convert::from_storage(resource, &codec::json::to_vec(&object)) {
            Cow::Borrowed(_) => object,
            Cow::Owned(json) => serde_json::from_slice(&json).unwrap_or(object),
        };
        if let Value::Object(object) = object {
            typed.extend(object.into_iter().filter(|(key, _)| key != "kind" && key != "apiVersion"));
        }
        Value::Object(typed)
    }
}

/// An object with these keys in this order.
fn object_with<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>().into()
}
