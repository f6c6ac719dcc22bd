//! Reading `k8s-pb`: what its comments say of lists, which `k8s-openapi` has one type for.

use std::path::Path;

use crate::{Packages, Said, is_known};

/// Adds the lists of the kinds that the server has.
///
/// # Errors
/// A source cannot be read.
pub(crate) fn read(folder: &Path, packages: &mut Packages) -> Result<(), String> {
    for (module, text) in sources::rust_files(folder)? {
        let package = sources::go_package(&module);
        for (name, said) in lists(&text) {
            if name.strip_suffix("List").is_some_and(|kind| is_known(&package, kind)) {
                packages.entry(package.clone()).or_default().insert(name, said);
            }
        }
    }
    Ok(())
}

/// Returns the messages of a file whose names end with `List`.
fn lists(text: &str) -> Vec<(String, Said)> {
    let mut found: Vec<(String, Said)> = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            comment.push(text.strip_prefix(' ').unwrap_or(text));
        } else if let Some(name) = line.strip_prefix("pub struct ") {
            let name = name.split([' ', '{']).next().unwrap_or_default();
            inside = name.ends_with("List");
            let said = Said { about: joined(&comment), ..Said::default() };
            if inside {
                found.push((name.to_owned(), said));
            }
            comment.clear();
        } else if let Some((name, _)) = line.strip_prefix("pub ").and_then(|line| line.split_once(':')) {
            if let Some((_, said)) = found.last_mut().filter(|_| inside) {
                said.fields.entry(name.to_owned()).or_default().about = joined(&comment);
            }
            comment.clear();
        } else if !line.starts_with("#[") {
            comment.clear();
        }
    }
    found
}

/// Returns a comment as OpenAPI documents have it: its lines joined, without markers, and without what `prost` adds to links.
fn joined(comment: &[&str]) -> String {
    let lines = comment.iter().map(|line| line.trim()).filter(|line| !line.starts_with('+'));
    let mut out = String::new();
    for line in lines {
        match line {
            "" => out += "\n\n",
            line if out.is_empty() || out.ends_with('\n') => out += line,
            line => out += &[" ", line].concat(),
        }
    }
    out.replace("<http", "http").replace(['>', '\\'], "").trim().to_owned()
}
