//! Files that the bundle is made of.

use std::fs;
use std::path::{Path, PathBuf};

/// Reads a file, whose path is relative to the working directory.
pub(crate) fn text(file: &Path) -> Result<String, String> {
    String::from_utf8(read(file)?).map_err(|_| format!("{} is no text", file.display()))
}

/// Reads a file as bytes.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}

/// Lists what is in a folder, sorted.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{} cannot be read: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(failed)?.map(|entry| Ok(entry.map_err(failed)?.path()));
    let mut entries = entries.collect::<Result<Vec<_>, String>>()?;
    entries.sort();
    Ok(entries)
}
