//! `cargo xtask engine`: the engine as WebAssembly, in `target/engine`, wherever cargo's own target directory is, for
//! `index.html` names it.
//!
//! cargo builds one module with the relocations of its linker; `wasm-split-cli` splits off what only the functions marked
//! with `#[wasm_split]` lead to; wasm-bindgen writes the script of what is left; a release is then made smaller by wasm-opt.
//! All modules share memory and table, so the script of each chunk is one for all.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::page::order;
use crate::shell::Shell;
use crate::tools::{Tool, Tools};

/// What building it needs.
pub(crate) const TO_BUILD: [Tool; 4] = [Tool::Crates, Tool::WasmTarget, Tool::WasmBindgen, Tool::WasmSplit];

/// Where the files go.
const FOLDER: &str = "target/engine";
/// Where they are made.
const WORK: &str = "target/engine-build";
/// What they were made of.
const STAMP: &str = "target/engine-build/made-of";
/// The worker's script.
const WORKER: &str = "crates/engine-web/worker.js";
/// The line of it that says how large the engine's core is.
const TOTAL: &str = "const total = 0;";

/// What wasm-opt does to the engine's modules. The features are those that rustc uses, by name: with all of them it would
/// use more than browsers have.
const WASM_OPT: [&str; 15] = [
    "wasm-opt",
    "--flatten",
    "--rereloop",
    "-Oz",
    "-Oz",
    "-ocimfs",
    "20",
    "--reorder-functions-by-name",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Makes the files, unless they are made of what is there now. trunk calls this, and says by `TRUNK_PROFILE` whether it is
/// for a release.
///
/// # Errors
/// What keeps one from being made.
pub(crate) fn run(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    let release =
        args == ["--release"] || std::env::var("TRUNK_PROFILE").is_ok_and(|profile| profile == "release");
    tools.ensure(&TO_BUILD)?;
    let profile = if release { "engine" } else { "serve" };
    let flags = [("RUSTFLAGS", "-C link-args=--emit-relocs".to_owned())];
    let build =
        ["cargo", "build", "--locked", "--target=wasm32-unknown-unknown", "--package=kubeglass-engine-web"];
    let target = ["--target-dir", WORK, "--profile", profile];
    shell.run_with(&[&build[..], &target[..]].concat(), &flags)?;
    let root = shell.root();
    let module = root.join(WORK).join("wasm32-unknown-unknown").join(profile).join("engine_web.wasm");
    let failed = |error: io::Error| format!("{FOLDER} cannot be written: {error}");
    let mut hasher = DefaultHasher::new();
    for file in [&module, &root.join(WORKER), &root.join("xtask/src/engine.rs")] {
        hasher.write(&fs::read(file).map_err(failed)?);
    }
    let made_of = format!("{profile} {:016x}\n", hasher.finish());
    if fs::read_to_string(root.join(STAMP)).is_ok_and(|stamp| stamp == made_of) && root.join(FOLDER).exists()
    {
        return Ok(());
    }
    split(shell, &module, release)?;
    let size = fs::metadata(root.join(FOLDER).join("engine_bg.wasm")).map_err(failed)?.len();
    let worker = fs::read_to_string(root.join(WORKER)).map_err(failed)?;
    let Some((head, tail)) = worker.split_once(TOTAL) else {
        return Err(format!("{WORKER} has no line `{TOTAL}` to be filled in"));
    };
    let total = TOTAL.replace('0', &size.to_string());
    fs::write(root.join(FOLDER).join("worker.js"), [head, &total, tail].concat()).map_err(failed)?;
    fs::write(root.join(STAMP), made_of).map_err(failed)
}

/// Splits the module, and puts what there is to be loaded into the folder.
fn split(shell: &Shell, module: &Path, release: bool) -> Result<(), String> {
    let root = shell.root();
    let failed = |error: io::Error| format!("{FOLDER} cannot be written: {error}");
    let (parts, folder) = (root.join(WORK).join("parts"), root.join(FOLDER));
    for folder in [&parts, &folder] {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(failed)?;
        }
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let [module, parts_name] = [module, &parts].map(|path| path.display().to_string());
    shell.run(&["wasm-split-cli", &module, &parts_name, "--target", "web", "--out-name", "engine"])?;
    let core = parts.join("engine.wasm").display().to_string();
    let bindgen = ["wasm-bindgen", &core, "--target", "web", "--keep-lld-exports", "--no-typescript"];
    shell.run(&[&bindgen[..], &["--out-dir", FOLDER, "--out-name", "engine"]].concat())?;
    for file in files(&parts).map_err(failed)? {
        if file.file_name().is_some_and(|name| name != "engine.wasm") {
            fs::copy(&file, folder.join(file.file_name().unwrap_or_default())).map_err(failed)?;
        }
    }
    if release {
        for file in files(&folder).map_err(failed)? {
            if file.extension().is_some_and(|extension| extension == "wasm") {
                let name = file.display().to_string();
                shell.run(&[&WASM_OPT[..], &[&name, "-o", &name]].concat())?;
                let module = order::reorder(&fs::read(&file).map_err(failed)?)?;
                fs::write(&file, module).map_err(failed)?;
            }
        }
    }
    Ok(())
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| file.is_file());
    files.sort();
    Ok(files)
}
