//! The page's own documents: in English beside the page, in another language in a folder of its code.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::files::{entries, read};

/// The folder of the documents: in it one for each language but English.
const FOLDER: &str = "static/documents";

/// Copies them into a folder, and returns the names of what stands in it then.
///
/// # Errors
/// One of them cannot be read, or the folder cannot be written.
pub(crate) fn write(folder: &Path) -> Result<Vec<OsString>, String> {
    copy(Path::new(FOLDER), folder)
}

fn copy(from: &Path, to: &Path) -> Result<Vec<OsString>, String> {
    let failed = |error: std::io::Error| format!("{} cannot be written: {error}", to.display());
    fs::create_dir_all(to).map_err(failed)?;
    let mut names = Vec::new();
    for path in entries(from)? {
        let name = path.file_name().unwrap_or_default().to_owned();
        if path.is_dir() {
            // Nothing of before is left in it.
            if to.join(&name).exists() {
                fs::remove_dir_all(to.join(&name)).map_err(failed)?;
            }
            copy(&path, &to.join(&name))?;
        } else {
            fs::write(to.join(&name), read(&path)?).map_err(failed)?;
        }
        names.push(name);
    }
    Ok(names)
}
