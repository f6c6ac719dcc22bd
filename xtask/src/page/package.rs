//! `cargo xtask engine`: the npm package `@kubeglass/engine`, ready for `npm pack`.

use std::fs;
use std::path::Path;

use super::WASM;
use super::bundle::Bundle;
use crate::shell::Shell;
use crate::tools::Tools;

/// The folder in which the package is put together.
const FOLDER: &str = "target/engine";
/// The folder in which its module is made ready.
const MODULE: &str = "target/engine-module";
/// The folder of its files that are written by hand.
const SOURCES: &str = "crates/engine-web/package/js";

/// Builds the package.
///
/// # Errors
/// There is an argument, or the build fails.
pub(crate) fn run(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    if !args.is_empty() {
        return Err("There are no arguments.".to_owned());
    }
    tools.ensure(&super::TOOLS)?;
    shell.run(&[&WASM[..], &["--package=kubeglass-engine-package", "--profile=fast"]].concat())?;
    let module = shell.target()?.join("wasm32-unknown-unknown/fast/engine_package.wasm");
    println!("Optimising the module, if it is another than before: about a minute");
    Bundle::new(shell)?.fast_module("engine", &module, MODULE)?;
    put_together(shell, &format!("{MODULE}/engine.js"), &format!("{MODULE}/engine_bg.wasm"), FOLDER)?;
    println!("The package is in {FOLDER}: `npm pack ./{FOLDER}` makes an archive of it.");
    Ok(())
}

/// Puts the package together of a module and its script, in a folder that holds nothing of before.
///
/// # Errors
/// A file is missing, or the folder cannot be written.
pub(crate) fn put_together(shell: &Shell, script: &str, wasm: &str, folder: &str) -> Result<(), String> {
    let root = shell.root();
    let to = root.join(folder);
    let failed = |error: std::io::Error| format!("{folder} cannot be written: {error}");
    if to.exists() {
        fs::remove_dir_all(&to).map_err(failed)?;
    }
    fs::create_dir_all(&to).map_err(failed)?;
    let copy = |from: &Path, name: &str| {
        fs::copy(from, to.join(name)).map_err(|error| format!("{} cannot be copied: {error}", from.display()))
    };
    copy(&root.join(script), "engine.js")?;
    copy(&root.join(wasm), "engine_bg.wasm")?;
    copy(&root.join("LICENSE"), "LICENSE")?;
    copy(&root.join("NOTICE"), "NOTICE")?;
    for entry in fs::read_dir(root.join(SOURCES)).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        copy(&path, &path.file_name().unwrap_or_default().to_string_lossy())?;
    }
    Ok(())
}
