//! Files that nobody but their owner reads.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file anew. On Unix nobody else can read it.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A file that is left from before may be open to others.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes)
}
