//! Reading `crates/schema/facts`: what neither crate says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The facts that the table is made from.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Go packages and the kinds in them that are served, resources before subresources.
    pub(super) kinds: Vec<(String, String)>,
    /// From type (`core.PodSpec`) to field to its mark: `omit`, `optional` (`omit`, and not required,
    /// whatever OpenAPI says), `ptr`, `keep` or `null`.
    pub(super) empty: BTreeMap<String, BTreeMap<String, String>>,
    /// From type to field to the name of its Go type.
    pub(super) go_names: BTreeMap<String, BTreeMap<String, String>>,
}

/// Reads the files of the folder.
pub(super) fn read(folder: &Path) -> Result<Facts, String> {
    let text = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    Ok(Facts {
        kinds: kinds(&text("resources.txt")?)?,
        empty: empty(&text("empty.txt")?).map_err(|line| format!("empty.txt: `{line}`"))?,
        go_names: go_names(&text("go-names.txt")?).map_err(|line| format!("go-names.txt: `{line}`"))?,
    })
}

/// The lines that say something.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The kinds of `resources.txt`; its form is described in `crates/schema/src/resources/parse.rs`.
fn kinds(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut packages = BTreeMap::new();
    for line in lines(text) {
        if let Some((version, package)) = line.strip_prefix('@').and_then(|line| line.split_once(' ')) {
            packages.insert(version, package);
        }
    }
    let mut kinds = Vec::new();
    let mut seen = BTreeSet::new();
    let mut version = "";
    for line in lines(text) {
        if let Some(rest) = line.strip_prefix('@') {
            version = rest.split(' ').next().unwrap_or_default();
            continue;
        }
        let column = if line.starts_with(' ') { 2 } else { 1 };
        let word = line.split(' ').nth(column).unwrap_or_default();
        let (kind, version) = word.split_once('@').unwrap_or((word, version));
        let package =
            packages.get(version).ok_or_else(|| format!("resources.txt: no package for `{line}`"))?;
        if kind != "=" && seen.insert((*package, kind)) {
            kinds.push(((*package).to_owned(), kind.to_owned()));
        }
    }
    Ok(kinds)
}

/// Lines such as `core.PodSpec ptr runtimeClassName hostUsers`.
fn empty(text: &str) -> Result<BTreeMap<String, BTreeMap<String, String>>, String> {
    let mut empty: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for line in lines(text) {
        let mut words = line.split(' ');
        let (Some(ty), Some(mark)) = (words.next(), words.next()) else { return Err(line.to_owned()) };
        if !matches!(mark, "omit" | "optional" | "ptr" | "keep" | "null") {
            return Err(line.to_owned());
        }
        let fields = empty.entry(ty.to_owned()).or_default();
        for field in words {
            if fields.insert(field.to_owned(), mark.to_owned()).is_some() {
                return Err(line.to_owned());
            }
        }
    }
    Ok(empty)
}

/// Lines such as `core.PodSpec restartPolicy=v1.RestartPolicy`.
fn go_names(text: &str) -> Result<BTreeMap<String, BTreeMap<String, String>>, String> {
    let mut names: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for line in lines(text) {
        let mut words = line.split(' ');
        let fields = names.entry(words.next().unwrap_or_default().to_owned()).or_default();
        for word in words {
            let (field, name) = word.split_once('=').ok_or_else(|| line.to_owned())?;
            if fields.insert(field.to_owned(), name.to_owned()).is_some() {
                return Err(line.to_owned());
            }
        }
    }
    Ok(names)
}
