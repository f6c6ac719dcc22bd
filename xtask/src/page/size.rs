//! The size of the page that is built.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::page::{DIST, collect};
use crate::shell::Shell;

/// The most that the page and the core of its engine may take, gzipped, in bytes: everything until the first response.
const BUDGET: u64 = 700_000;

/// The most that a page loads in which examples run, until the first of them is run, gzipped, in bytes.
const SCRIPT_BUDGET: u64 = 12_000;
/// The script that it loads.
const SCRIPT: &str = "kubeglass.js";

/// The beginnings of the names of files that the page loads when it first needs them.
const LAZY: [&str; 14] = [
    "chunk_",
    "chunks",
    "split_",
    "later",
    "kubeglass-editor",
    "kubeglass-help",
    "sw.js",
    "fetch.js",
    "enter.js",
    "webhooks",
    SCRIPT,
    "embed",
    "language-",
    "lessons",
];

/// Prints what the first load takes, file by file, and what is loaded later; and checks what others' pages load.
///
/// # Errors
/// When one is over its budget, or there is no page.
pub(crate) fn within_budget(shell: &Shell) -> Result<(), String> {
    let dist = shell.root().join(DIST);
    if !dist.join("index.html").exists() {
        return Err("There is no page in dist: `cargo xtask build` builds it.".to_owned());
    }
    let mut files = Vec::new();
    collect(&dist, &mut files).map_err(|error| format!("dist cannot be read: {error}"))?;
    let lazy = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".md") || LAZY.iter().any(|prefix| name.starts_with(prefix))
    };
    let name = |file: &Path| file.strip_prefix(&dist).unwrap_or(file).display().to_string();
    let (later, first): (Vec<_>, Vec<_>) = files.into_iter().partition(lazy);
    println!("{:>10} {:>10}  file", "bytes", "gzip -9");
    let total = table(&first, name)?;
    println!("{:>10} {total:>10}  in the first load, of at most {BUDGET}\n", "");
    let total_later = table(&later, name)?;
    println!("{:>10} {total_later:>10}  when it is first needed", "");
    let (_, script) = sizes(&dist.join(SCRIPT))?;
    check("The first load", total, BUDGET)?;
    check(SCRIPT, script, SCRIPT_BUDGET)
}

fn check(name: &str, size: u64, budget: u64) -> Result<(), String> {
    if size <= budget {
        return Ok(());
    }
    Err(format!("{name} takes {size} bytes gzipped, {} over the budget.", size - budget))
}

/// Prints what each file takes; gives the sum of what they take gzipped.
fn table(files: &[PathBuf], name: impl Fn(&Path) -> String) -> Result<u64, String> {
    let mut total = 0;
    for file in files {
        let (plain, gzipped) = sizes(file)?;
        total += gzipped;
        println!("{plain:>10} {gzipped:>10}  {}", name(file));
    }
    Ok(total)
}

/// The bytes of a file, and of the file gzipped.
fn sizes(file: &Path) -> Result<(u64, u64), String> {
    let failed = |error: std::io::Error| format!("gzip cannot measure {}: {error}", file.display());
    let plain = file.metadata().map_err(failed)?.len();
    let output = Command::new("gzip").args(["-9", "-n", "-c"]).arg(file).output().map_err(failed)?;
    if output.status.success() {
        Ok((plain, output.stdout.len() as u64))
    } else {
        Err(format!("gzip failed on {}", file.display()))
    }
}
