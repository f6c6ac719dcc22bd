//! Reading `k8s-openapi`: the descriptions in the JSON schema of each type.

use std::path::Path;

use crate::{Packages, Said, is_known};

/// Adds the types that the server has, and those without fields.
///
/// # Errors
/// A source cannot be read, or there are no descriptions in them.
pub(crate) fn read(folder: &Path, packages: &mut Packages) -> Result<(), String> {
    for (module, text) in sources::rust_files(folder)? {
        let Some((name, said)) = said(&text) else { continue };
        let package = sources::go_package(&module);
        if said.fields.is_empty() || is_known(&package, &name) {
            packages.entry(package).or_default().insert(name, said);
        }
    }
    if packages.is_empty() { Err("k8s-openapi describes nothing".to_owned()) } else { Ok(()) }
}

/// Returns the name and the descriptions of the type of a file. `None` if it has none.
fn said(text: &str) -> Option<(String, Said)> {
    let (_, schema) = text.split_once("fn schema_name()")?;
    let name = schema.split_once(".into()")?.0.rsplit_once('.')?.1.trim_end_matches('"');
    let mut said = Said::default();
    let mut field = String::new();
    for line in schema.lines() {
        let depth = line.len() - line.trim_start().len();
        let line = line.trim_start();
        let opens = line.strip_prefix('"').and_then(|line| line.split_once("\": "));
        let inserted = line.split_once("insert(\"description\".into(), ").map(|(_, about)| about);
        match (depth, opens, inserted) {
            (16, Some((name, "{" | "({")), _) => field = name.to_owned(),
            (12, Some(("description", about)), _) => said.about = literal(about)?,
            (20, Some(("description", about)), _) | (20, None, Some(about)) => {
                said.fields.entry(field.clone()).or_default().about = literal(about)?;
            }
            _ => {}
        }
    }
    Some((name.to_owned(), said))
}

/// Returns the text of the literal that `source` begins with.
fn literal(source: &str) -> Option<String> {
    serde_json::Deserializer::from_str(source).into_iter::<String>().next()?.ok()
}
