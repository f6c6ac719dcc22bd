//! `cargo xtask schema`: derives the table of types that the crate `schema` carries.
//!
//! Two crates are read as text, never built: `k8s-pb` has the fields in Go's order with their Protobuf
//! numbers and the markers in their comments, `k8s-openapi` has JSON names and which fields are required.
//! The facts that neither has are in `crates/schema/facts`.

use std::fs;
use std::path::{Path, PathBuf};

mod facts;
mod openapi;
mod protobuf;
mod table;

/// Writes the table anew, or, to `check`, only compares it with the committed one.
///
/// # Errors
/// The table cannot be derived, or, to `check`, it differs from the committed one.
pub(crate) fn run(check: bool) -> Result<(), String> {
    let root = root();
    let path = root.join("crates/schema/src/table.txt");
    let derived = derive(&root)?;
    let committed = fs::read_to_string(&path).unwrap_or_default();
    if derived == committed {
        println!("{} is as it should be", path.display());
        return Ok(());
    }
    if check {
        return Err(format!(
            "crates/schema/src/table.txt differs from what k8s-openapi, k8s-pb and crates/schema/facts say \
             ({}); run `cargo xtask schema` and commit what it writes",
            first_difference(&committed, &derived)
        ));
    }
    fs::write(&path, derived).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

/// The table's text as the sources and the facts have it.
fn derive(root: &Path) -> Result<String, String> {
    let sources = sources::find()?;
    let messages = protobuf::read(&sources.k8s_pb)?;
    let schemas = openapi::read(&sources.k8s_openapi)?;
    let facts = facts::read(&root.join("crates/schema/facts"))?;
    table::join(&messages, &schemas, &facts)
}

/// The root of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

fn first_difference(committed: &str, derived: &str) -> String {
    let mut number = 0;
    let (mut left, mut right) = (committed.lines(), derived.lines());
    loop {
        number += 1;
        match (left.next(), right.next()) {
            (Some(one), Some(other)) if one == other => {}
            (one, other) => {
                let show = |line: Option<&str>| line.map_or("nothing".to_owned(), |line| format!("`{line}`"));
                return format!("line {number} is {} and should be {}", show(one), show(other));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_table_is_what_the_sources_say() {
        if let Err(message) = run(true) {
            panic!("{message}");
        }
    }

    #[test]
    fn a_difference_is_named_by_its_line() {
        assert_eq!(first_difference("a\nb", "a\nc"), "line 2 is `b` and should be `c`");
        assert_eq!(first_difference("a", "a\nc"), "line 2 is nothing and should be `c`");
    }
}
