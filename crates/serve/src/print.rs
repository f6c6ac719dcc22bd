//! Printing a recording, for `kubeglass trace FILE`.

use std::io::{self, Write};
use std::path::Path;

use recording::{Recording, Text};

/// Why a recording is not printed, or not to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read.
    #[error("{0} cannot be read: {1}")]
    Read(String, #[source] io::Error),
    /// The file is no recording, or is damaged; what comes before has been printed.
    #[error("{0}: {1}")]
    Recording(String, #[source] recording::Error),
    /// Nobody takes what is printed.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// Prints the lines of a recording that have all of the words, and what there was in all.
///
/// # Errors
/// See [`Error`].
pub fn print(path: &Path, words: &[String], mut out: impl Write) -> Result<(), Error> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| Error::Read(name.clone(), error))?;
    let recording = Recording::open(bytes.into()).map_err(|error| Error::Recording(name.clone(), error))?;
    let mut text = Text::new(words);
    let mut damaged = None;
    for batch in recording.batches() {
        match batch {
            Ok(batch) => out.write_all(text.take(&batch).as_bytes())?,
            Err(error) => {
                damaged = Some(error);
                break;
            }
        }
    }
    out.write_all(text.finish().as_bytes())?;
    if let Some(sentence) = recording.ending().sentence() {
        writeln!(out, "{sentence}")?;
    }
    out.flush()?;
    damaged.map_or(Ok(()), |error| Err(Error::Recording(name, error)))
}
