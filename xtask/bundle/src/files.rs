//! Files that the bundle is made of.

use std::{fs, path::Path};

/// Reads a file, whose path is relative to the working directory.
pub(crate) fn text(file: &Path) -> Result<String, String> {
    String::from_utf8(read(file)?).map_err(|_| format!("{} is no text", file.display()))
}

/// Reads a file as bytes.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}
