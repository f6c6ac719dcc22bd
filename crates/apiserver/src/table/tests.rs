//! Every kind's columns and cells.

mod cells;
mod recorded;

use std::time::Duration;

use json_tree::json;

use super::{IncludeObject, columns};
use crate::kinds;
use crate::printing::row::Row;

/// Every resource with columns has as many cells, and the other way round.
#[test]
fn columns_and_printers_agree() {
    let mut columned: Vec<_> = columns::resources().collect();
    let printers = || {
        let all = kinds::all().into_iter();
        all.filter_map(|(group, resource)| Some((group, resource, kinds::printer(group, resource)?)))
    };
    let mut printed: Vec<_> = printers().map(|(group, resource, _)| (group, resource)).collect();
    columned.sort_unstable();
    printed.sort_unstable();
    assert_eq!(columned, printed);
    let empty = json!({});
    for (group, resource, printer) in printers() {
        let columns = columns::of(group, resource);
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
