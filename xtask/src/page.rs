//! The page: serving it, building it, and how large it is.

pub(crate) mod order;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    shell::Shell,
    tools::{Tool, Tools},
};

const TO_SERVE: [Tool; 7] = [
    Tool::Crates,
    Tool::WasmTarget,
    Tool::Trunk,
    Tool::WasmBindgen,
    Tool::WasmSplit,
    Tool::Node,
    Tool::NodePackages,
];

/// What a release build needs.
pub(crate) const TO_BUILD: [Tool; 8] = [
    Tool::Crates,
    Tool::WasmTarget,
    Tool::Trunk,
    Tool::WasmBindgen,
    Tool::WasmSplit,
    Tool::Node,
    Tool::NodePackages,
    Tool::WasmOpt,
];

/// Builds for release: small rather than quick to build.
const BUILD: [&str; 5] = ["trunk", "build", "--release", "--cargo-profile", "page"];

/// The most that the page and the core of its engine may take, gzipped, in bytes: everything until the first response. It
/// is what they take now and a little: the goal is 700,000, see BENCHMARKS.md.
const BUDGET: u64 = 1_180_000;

/// Files of `dist` that the page loads when it first needs them, by how their names begin.
const LAZY: [&str; 4] = ["engine/chunk_", "engine/split_", "kubeglass-editor", "kubeglass-help"];

/// `cargo xtask serve`.
pub(crate) fn serve(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    tools.ensure(&TO_SERVE)?;
    shell.run(&[&["trunk", "serve"], args].concat())
}

/// `cargo xtask build`.
pub(crate) fn build(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    tools.ensure(&TO_BUILD)?;
    release(shell, args)?;
    within_budget(shell)
}

/// Builds for release, and makes what was built smaller: the functions of the module get the order in which they
/// compress best, scripts and styles lose their comments and long names. (trunk's own minifying cannot read wasm-bindgen's script.)
///
/// # Errors
/// When the build fails, or there is no module in what it made.
pub(crate) fn release(shell: &Shell, args: &[&str]) -> Result<(), String> {
    shell.run(&[&BUILD, args].concat())?;
    let mut files = Vec::new();
    let failed = |error: std::io::Error| format!("dist cannot be made smaller: {error}");
    collect(&shell.root().join("dist"), &mut files).map_err(failed)?;
    let engine = shell.root().join("dist/engine");
    for file in &files {
        match file.extension().and_then(|extension| extension.to_str()) {
            // The engine's are in order already.
            Some("wasm") if !file.starts_with(&engine) => {
                let module = order::reorder(&std::fs::read(file).map_err(failed)?)?;
                std::fs::write(file, module).map_err(failed)?;
            }
            Some("js" | "css") => {
                let file = file.display().to_string();
                let outfile = format!("--outfile={file}");
                let minify = [
                    "esbuild",
                    "--minify",
                    "--format=esm",
                    "--log-level=warning",
                    "--allow-overwrite",
                    &outfile,
                ];
                shell.run(&[&minify[..], &[&file]].concat())?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Prints what the first load takes, file by file, and what is loaded later.
///
/// # Errors
/// When it is over the budget, or there is no page.
pub(crate) fn within_budget(shell: &Shell) -> Result<(), String> {
    let dist = shell.root().join("dist");
    if !dist.join("index.html").exists() {
        return Err("There is no page in dist: `cargo xtask build` builds it.".to_owned());
    }
    let mut files = Vec::new();
    collect(&dist, &mut files).map_err(|error| format!("dist cannot be read: {error}"))?;
    let name = |file: &Path| file.strip_prefix(&dist).unwrap_or(file).display().to_string();
    let (later, first): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| LAZY.iter().any(|prefix| name(file).starts_with(prefix)));
    println!("{:>10} {:>10}  file", "bytes", "gzip -9");
    let total = table(&first, name)?;
    println!("{:>10} {total:>10}  in the first load, of at most {BUDGET}\n", "");
    let total_later = table(&later, name)?;
    println!("{:>10} {total_later:>10}  when it is first needed", "");
    if total <= BUDGET {
        Ok(())
    } else {
        Err(format!("The first load takes {total} bytes gzipped, {} over the budget.", total - BUDGET))
    }
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

/// The files below a directory, in the order of their names.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let entries: Result<Vec<_>, _> = std::fs::read_dir(directory)?.collect();
    let mut paths: Vec<_> = entries?.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
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
