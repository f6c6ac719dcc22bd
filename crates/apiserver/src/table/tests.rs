//! Every kind's columns and cells.

mod cells;
mod recorded;

use std::time::Duration;

use json_tree::json;

use super::{IncludeObject, columns};

use kinds::printing::row::Row;

/// The tables of a kind have as many columns as cells.
#[test]
fn columns_and_cells_agree() {
    let empty = json!({});
    for (group, resource) in kinds::all() {
        let Some(printer) = kinds::printer(group, resource) else { continue };
        let columns = columns::of(Some(&printer));
        let cells = (printer.cells)(&Row::new(&empty, Duration::ZERO));
        let more = usize::from(resource == "ipaddresses");
        assert_eq!(cells.len(), columns.len() + more, "{resource}");
        assert!(columns.iter().all(|column| !column.name.is_empty()), "{resource}");
    }
}

#[test]
fn what_stands_beside_the_cells() {
    let parse = IncludeObject::parse;
    assert_eq!(parse(""), Ok(IncludeObject::Metadata));
    assert_eq!(parse("Metadata"), Ok(IncludeObject::Metadata));
    assert_eq!(parse("Object"), Ok(IncludeObject::Object));
    assert_eq!(parse("None"), Ok(IncludeObject::None));
    let refused = "Unable to convert to Table as requested: includeObject: Invalid value: \"none\": \
                   must be 'Metadata', 'Object', 'None', or empty";
    assert_eq!(parse("none"), Err(refused.to_owned()));
}
