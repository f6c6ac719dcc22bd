//! The documentation: documents, and the comments in the code.

mod comments;
mod links;

use crate::{counts::Counts, shell::Shell};

/// Public items of libraries. Programs are left out: two have the name `kubeglass`, and nobody reads them by rustdoc.
const RUSTDOC: [&str; 6] = ["cargo", "doc", "--locked", "--workspace", "--no-deps", "--lib"];

/// Reads every document, and has rustdoc read the comments. Each document is a check, all comments are one, and rustdoc is one.
///
/// # Errors
/// A folder cannot be read.
pub(crate) fn check(shell: &Shell) -> Result<Counts, String> {
    let mut counts = links::check(shell.root())?;
    println!("{counts} of the documents");
    counts = counts + comments::check(shell.root())?;
    let rustdoc = shell.run_with(&RUSTDOC, &[("RUSTDOCFLAGS", "-Dwarnings".to_owned())]);
    counts = counts + if rustdoc.is_ok() { Counts::PASSED } else { Counts::FAILED };
    Ok(counts)
}
