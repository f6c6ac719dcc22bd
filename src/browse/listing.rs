//! A collection as a table that is read in pages: what `kubectl get` prints.
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables>.

use std::hash::{DefaultHasher, Hash, Hasher};

use json_tree::Value;

use crate::response::table::{Column, Table};
use crate::ui::messages::browse as words;

/// How many objects are read at once.
pub(crate) const PAGE: usize = 250;

/// An object of the collection.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row {
    /// A number that changes with what the row shows.
    pub(crate) key: u64,
    pub(crate) name: String,
    /// Empty where it is in none.
    pub(crate) namespace: String,
    /// The revision that wrote it; 0 where that is not told.
    pub(crate) version: u64,
    /// True while it is being deleted.
    pub(crate) is_going: bool,
    /// The cells, in the order of the columns.
    pub(crate) cells: Vec<String>,
}

/// The pages of a collection that have been read, all of one revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Listing {
    /// The columns, those first that are always shown.
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    /// The revision.
    pub(crate) version: u64,
    /// The token of the next page; empty where there is none.
    pub(crate) token: String,
    /// How many objects are left to be read, if the API server tells.
    pub(crate) remaining: Option<usize>,
}

impl Listing {
    /// Reads a page: a `Table`, or a list from an API server that makes none.
    pub(crate) fn of(page: &Value) -> Option<Self> {
        let text = |pointer: &str| page.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (columns, rows) = match Table::of(page) {
            Some(table) => {
                let objects = page["rows"].as_array().map(Vec::as_slice).unwrap_or_default();
                let rows = table.rows.into_iter().zip(objects);
                (table.columns, rows.map(|(cells, row)| Row::of(&row["object"]["metadata"], cells)).collect())
            }
            None => {
                let items = page["items"].as_array()?;
                (
                    words::PLAIN.map(Column::plain).to_vec(),
                    items.iter().map(|item| Row::plain(&item["metadata"])).collect(),
                )
            }
        };
        Some(Self {
            columns,
            rows,
            version: text("/metadata/resourceVersion").parse().unwrap_or_default(),
            token: text("/metadata/continue").to_owned(),
            remaining: page
                .pointer("/metadata/remainingItemCount")
                .and_then(Value::as_u64)
                .map(|n| n as usize),
        })
    }

    /// Adds the next page.
    pub(crate) fn append(&mut self, next: Self) {
        self.rows.extend(next.rows);
        (self.token, self.remaining) = (next.token, next.remaining);
        if self.columns.is_empty() {
            self.columns = next.columns;
        }
    }

    /// Returns whether there are more pages.
    pub(crate) fn goes_on(&self) -> bool {
        !self.token.is_empty()
    }

    /// Returns how many objects the collection has; `None` where nobody tells.
    pub(crate) fn total(&self) -> Option<usize> {
        if self.goes_on() { Some(self.rows.len() + self.remaining?) } else { Some(self.rows.len()) }
    }

    /// Returns the columns that show, by their places.
    pub(crate) fn shown(&self, wide: bool) -> Vec<usize> {
        (0..self.columns.len()).filter(|at| wide || !self.columns[*at].wide).collect()
    }

    /// Returns the places of the rows whose names have `wanted` in them.
    pub(crate) fn named(&self, wanted: &str) -> Vec<usize> {
        let wanted = wanted.trim().to_ascii_lowercase();
        (0..self.rows.len()).filter(|at| self.rows[*at].name.contains(&wanted)).collect()
    }
}

impl Row {
    fn of(metadata: &Value, cells: Vec<String>) -> Self {
        let text = |key: &str| metadata[key].as_str().unwrap_or_default().to_owned();
        let mut row = Self {
            key: 0,
            // A table without objects tells the name in its first column.
            name: metadata["name"]
                .as_str()
                .map_or_else(|| cells.first().cloned().unwrap_or_default(), str::to_owned),
            namespace: text("namespace"),
            version: text("resourceVersion").parse().unwrap_or_default(),
            is_going: metadata["deletionTimestamp"].is_string(),
            cells,
        };
        let mut hasher = DefaultHasher::new();
        (&row.name, &row.namespace, row.version, &row.cells).hash(&mut hasher);
        row.key = hasher.finish();
        row
    }

    fn plain(metadata: &Value) -> Self {
        let text = |key: &str| metadata[key].as_str().unwrap_or_default().to_owned();
        Self::of(metadata, vec![text("name"), text("creationTimestamp")])
    }
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    fn page(names: &[&str], token: &str, remaining: Option<u64>) -> Listing {
        let rows: Vec<Value> = names
            .iter()
            .map(|name| {
                json!({"cells": [name, 1], "object": {"metadata": {"name": name, "namespace": "a", "resourceVersion": "7"}}})
            })
            .collect();
        let table = json!({
            "kind": "Table", "apiVersion": "meta.k8s.io/v1",
            "metadata": {"resourceVersion": "9", "continue": token, "remainingItemCount": remaining},
            "columnDefinitions": [{"name": "Name", "priority": 0}, {"name": "IP", "priority": 1}],
            "rows": rows,
        });
        Listing::of(&table).unwrap()
    }

    fn names(listing: &Listing) -> Vec<&str> {
        listing.rows.iter().map(|row| row.name.as_str()).collect()
    }

    #[test]
    fn pages_become_one_table() {
        let mut listing = page(&["web", "db"], "t", Some(1));
        assert_eq!((listing.goes_on(), listing.total(), listing.version), (true, Some(3), 9));
        listing.append(page(&["Cache"], "", None));
        assert_eq!(names(&listing), ["web", "db", "Cache"]);
        assert_eq!((listing.goes_on(), listing.total()), (false, Some(3)));
        assert_eq!(listing.shown(false), [0]);
        assert_eq!(listing.shown(true), [0, 1]);
        assert_eq!(listing.named(" B "), [0, 1]);
        assert_eq!((listing.rows[0].namespace.as_str(), listing.rows[0].version), ("a", 7));
    }

    #[test]
    fn with_a_selector_nobody_counts() {
        assert_eq!(page(&["a"], "t", None).total(), None);
    }

    #[test]
    fn a_row_that_says_something_else_is_another() {
        let row = |cell: &str| Row::of(&json!({"name": "a"}), vec!["a".to_owned(), cell.to_owned()]).key;
        assert_eq!(row("1"), row("1"));
        assert_ne!(row("1"), row("2"));
    }

    #[test]
    fn a_list_that_is_no_table_has_names() {
        let list = json!({"kind": "FlunderList", "metadata": {"resourceVersion": "5"}, "items": [
            {"metadata": {"name": "x", "creationTimestamp": "2026-01-01T00:00:00Z", "deletionTimestamp": "t"}},
        ]});
        let listing = Listing::of(&list).unwrap();
        assert_eq!(names(&listing), ["x"]);
        assert!(listing.rows[0].is_going);
        assert_eq!(listing.rows[0].cells[1], "2026-01-01T00:00:00Z");
        assert_eq!(Listing::of(&json!({"kind": "Status"})), None);
    }
}
