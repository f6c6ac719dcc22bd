//! `cargo xtask web`: the files that the page loads when somebody first writes a body, and the script of pages whose examples run. They stand in `target/web`,
//! wherever cargo's own target directory is, for `index.html` names them.

mod help;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{fs, io};

use crate::shell::Shell;
use crate::tools::{Tool, Tools};

/// The folder of the files.
const FOLDER: &str = "target/web";
/// The editor: `web/editor.js` with everything that it imports.
const EDITOR: &str = "target/web/kubeglass-editor.js";
/// The script of pages whose examples run: `web/embed/kubeglass.js` with everything that it imports.
const EMBED: &str = "target/web/kubeglass.js";
/// The descriptions that Kubernetes has of its fields.
const HELP: &str = "target/web/kubeglass-help.txt";
/// The file that says what they were made of.
const STAMP: &str = "target/web/made-of";

/// Whose work the editor is, at its beginning.
const BANNER: &str = "--banner:js=/*! With CodeMirror, https://codemirror.net: MIT License, (c) Marijn Haverbeke and others. */";

/// The sources of the files: what changes them is one of these.
const SOURCES: [&str; 6] =
    ["web", "package-lock.json", "Cargo.lock", "crates/descriptions", "crates/schema/facts", "xtask/src"];

/// Makes the files, unless they are made of what is there now.
///
/// # Errors
/// One of the files cannot be made.
pub(crate) fn run(shell: &Shell, tools: &mut Tools<'_>) -> Result<(), String> {
    let root = shell.root();
    let failed = |error: io::Error| format!("{FOLDER} cannot be written: {error}");
    let mut hasher = DefaultHasher::new();
    for source in SOURCES {
        take_in(&root.join(source), &mut hasher)
            .map_err(|error| format!("{source} cannot be read: {error}"))?;
    }
    let made_of = format!("{:016x}\n", hasher.finish());
    let up_to_date = fs::read_to_string(root.join(STAMP)).is_ok_and(|stamp| stamp == made_of);
    if up_to_date && [EDITOR, EMBED, HELP].iter().all(|file| root.join(file).exists()) {
        return Ok(());
    }
    tools.ensure(&[Tool::Node, Tool::NodePackages])?;
    fs::create_dir_all(root.join(FOLDER)).map_err(failed)?;
    bundle(shell, "web/editor.js", EDITOR, &[BANNER])?;
    bundle(shell, "web/embed/kubeglass.js", EMBED, &[])?;
    fs::write(root.join(HELP), help::text(root)?).map_err(failed)?;
    fs::write(root.join(STAMP), made_of).map_err(failed)
}

/// Makes one script of a script and everything that it imports.
fn bundle(shell: &Shell, from: &str, to: &str, more: &[&str]) -> Result<(), String> {
    let outfile = format!("--outfile={to}");
    let bundle =
        ["esbuild", from, "--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=warning"];
    shell.run(&[&bundle[..], &[&outfile], more].concat())
}

/// Takes in a file, or everything in a folder, with its name.
fn take_in(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    if !path.is_dir() {
        fs::read(path)?.hash(hasher);
        return Ok(());
    }
    let mut entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        entry.file_name().hash(hasher);
        take_in(&entry.path(), hasher)?;
    }
    Ok(())
}
