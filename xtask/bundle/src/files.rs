//! Files that the bundle is made of.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
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

/// Reads a text, and writes lines of it anew.
///
/// # Errors
/// It cannot be read, or lacks one of these lines.
pub(crate) fn written_anew(file: &Path, lines: &[(&str, String)]) -> Result<String, String> {
    let mut text = text(file)?;
    for (line, written) in lines {
        let Some((before, after)) = text.split_once(line) else {
            return Err(format!("{} has no line `{line}` to be written anew", file.display()));
        };
        text = [before, written, after].concat();
    }
    Ok(text)
}

/// Writes a file under its name with a hash, and returns that name.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write_hashed(file: &str, content: &str, folder: &Path) -> Result<String, String> {
    let (stem, extension) = file.split_once('.').unwrap_or((file, ""));
    let name = format!("{stem}-{}.{extension}", hash(&[content]));
    fs::write(folder.join(&name), content).map_err(|error| format!("{name} cannot be written: {error}"))?;
    Ok(name)
}

/// Returns the hash of contents, for the name of a file.
pub(crate) fn hash(contents: &[impl AsRef<[u8]>]) -> String {
    let mut hasher = DefaultHasher::new();
    contents.iter().for_each(|content| hasher.write(content.as_ref()));
    format!("{:016x}", hasher.finish())
}
