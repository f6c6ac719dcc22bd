//! The files of a folder.

use std::fs;
use std::path::{Path, PathBuf};

/// The code of the repository, but that of the page's scripts.
pub(crate) const CODE: [&str; 5] = ["crates", "fuzz", "src", "tests", "xtask"];
/// The folders with what others have written, and with what is made.
const PASSED_OVER: [&str; 4] = ["node_modules", "recordings", "target", "__pycache__"];

/// Returns the files in these folders of `root` and below whose names end with `.` and `extension`, sorted.
///
/// # Errors
/// A folder cannot be read.
pub(crate) fn find(root: &Path, folders: &[&str], extension: &str) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = open.pop() {
        for path in entries(&folder)? {
            let is_passed_over = || {
                let name = path.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| PASSED_OVER.contains(&name))
            };
            if path.is_dir() && !is_passed_over() {
                open.push(path);
            } else if path.extension().is_some_and(|own| own == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns what is in a folder, in no order.
///
/// # Errors
/// The folder cannot be read.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{} cannot be read: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(failed)?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(failed)).collect()
}

/// Returns the path from `root` to a path below it, as text.
pub(crate) fn from_root(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}
