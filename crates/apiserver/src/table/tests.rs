//! Every kind's columns and cells.

mod cells;
mod recorded;

use std::time::Duration;

use json_tree::json;

use super::row::Row;
use super::{IncludeObject, columns, printers};

/// Every resource with columns has as many cells, and the other way round.
#[test]
fn columns_and_printers_agree() {
    let mut columned: Vec<_> = columns::resources().collect();
    let mut printed: Vec<_> =
        printers::PRINTERS.iter().map(|printer| (printer.group, printer.resource)).collect();
    columned.sort_unstable();
    printed.sort_unstable();
    assert_eq!(columned, printed);
    let empty = json!({});
    for printer in printers::PRINTERS {
        let columns = columns::of(printer.group, printer.resource);
        let cells = (printer.cells)(&Row::new(&empty, Duration::ZERO));
        let more = usize::from(printer.resource == "ipaddresses");
        assert_eq!(cells.len(), columns.len() + more, "{}", printer.resource);
        assert!(columns.iter().all(|column| !column.name.is_empty()), "{}", printer.resource);
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
