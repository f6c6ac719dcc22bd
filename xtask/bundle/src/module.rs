//! One module of WebAssembly, made ready to be loaded: split, with wasm-bindgen's script, and small if it is a release.
//!
//! cargo builds the module with the relocations of its linker. What only the functions marked with `#[wasm_split]` lead to
//! becomes a chunk, a module of its own; all share memory and table, so that wasm-bindgen's script is one for all. Only
//! then Binaryen can make each of them smaller, for it knows no relocations.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

use wasm_bindgen_cli_support::Bindgen;
use wasm_encoder::{Module, RawSection};
use wasm_split_cli_support::{Options, transform};
use wasmparser::{BinaryReaderError, Parser, Payload};

use crate::optimise::{self, Optimise, optimise};
use crate::pack::pack;
use crate::{names, styles};

/// The file that says what a folder was made of.
const STAMP: &str = "made-of";

/// Makes `folder` out of a module, unless it is made of just that: `NAME.js`, `NAME_bg.wasm`, and where there are chunks
/// `__wasm_split.js`, a file for each large one, and one for all [small ones](crate::pack).
///
/// # Errors
/// The module cannot be read, split or bound, or the folder cannot be written.
pub(crate) fn make(name: &str, module: &Path, folder: &Path, how: Optimise) -> Result<(), String> {
    let failed = |error: io::Error| format!("{} cannot be made: {error}", folder.display());
    let bytes = fs::read(module).map_err(|error| format!("{} cannot be read: {error}", module.display()))?;
    let made_of = made_of(&bytes, how).map_err(failed)?;
    if fs::read_to_string(folder.join(STAMP)).is_ok_and(|stamp| stamp == made_of) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)?;
    let core = folder.join(format!("{name}.wasm"));
    let chunks = has_chunks(&bytes);
    if chunks {
        let script = format!("./{name}.js");
        let mut options = Options::new(&bytes);
        options.output_dir = folder;
        options.main_out_path = &core;
        options.main_module = &script;
        options.target.web();
        transform(options).map_err(|error| format!("{} cannot be split: {error:#}", module.display()))?;
    } else {
        let linked =
            linked(&bytes).map_err(|error| format!("{} cannot be read: {error}", module.display()))?;
        fs::write(&core, linked).map_err(failed)?;
    }
    bind(&core, folder).map_err(|error| format!("{} cannot be bound: {error}", core.display()))?;
    fs::remove_file(&core).map_err(failed)?;
    optimise(modules(folder).map_err(failed)?, how)?;
    if how != Optimise::Not {
        names::shorten(folder, name).map_err(failed)?;
    }
    if chunks {
        styles::have_awaited(folder).map_err(failed)?;
        pack(folder).map_err(failed)?;
    }
    fs::write(folder.join(STAMP), made_of).map_err(failed)
}

/// Returns whether a module has functions that are marked with `#[wasm_split]`: those that call them import them from there.
fn has_chunks(module: &[u8]) -> bool {
    const FROM: &[u8] = b"__wasm_split_placeholder__";
    module.windows(FROM.len()).any(|bytes| bytes == FROM)
}

/// Returns a module without what only a linker needs of it, and who splits it: as much as the half of its code.
fn linked(module: &[u8]) -> Result<Vec<u8>, BinaryReaderError> {
    let mut linked = Module::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        if let Payload::CustomSection(section) = &payload
            && (section.name() == "linking" || section.name().starts_with("reloc."))
        {
            continue;
        }
        if let Some((id, range)) = payload.as_section() {
            let data = module.get(range).unwrap_or_default();
            linked.section(&RawSection { id, data });
        }
    }
    Ok(linked.finish())
}

/// Returns what tells one making from another: the module, how and by which script it is optimised, and this program.
fn made_of(module: &[u8], how: Optimise) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    hasher.write(module);
    hasher.write(&fs::read(optimise::SCRIPT)?);
    let program = fs::metadata(std::env::current_exe()?)?;
    Ok(format!("{:016x} {how:?} {:?} {}\n", hasher.finish(), program.modified()?, program.len()))
}

fn bind(core: &Path, folder: &Path) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    let web = bindgen
        .input_path(core)
        .keep_lld_exports(true)
        .omit_default_module_path(false)
        .typescript(false)
        .web(true);
    web.and_then(|web| web.generate(folder)).map_err(|error| format!("{error:#}"))
}

/// Lists the modules of a folder, the largest first.
fn modules(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "wasm") {
            files.push((entry.metadata()?.len(), entry.path()));
        }
    }
    files.sort_by(|one, other| other.cmp(one));
    Ok(files.into_iter().map(|(_, path)| path).collect())
}
