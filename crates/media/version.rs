//! The version of what the page and this module must have in common, for the build scripts of both.

use std::{fs, io, path::Path};

/// What both are made of.
const SOURCES: [&str; 12] = [
    "Cargo.lock",
    "crates/apiserver/src",
    "crates/apply/src",
    "crates/cel/src",
    "crates/codec/src",
    "crates/field/src",
    "crates/json-tree/src",
    "crates/media/src",
    "crates/patch/src",
    "crates/schema/src",
    "crates/store/src",
    "crates/structural/src",
];

/// Tells the compiler the version as `KUBEGLASS_MEDIA`: a hash of the sources below `root`, the workspace.
pub(crate) fn declare(root: &Path) -> io::Result<()> {
    declare_as("KUBEGLASS_MEDIA", root, &SOURCES)
}

/// Tells the compiler the version of what is made of some files and folders below `root`, as `name`.
pub(crate) fn declare_as(name: &str, root: &Path, sources: &[&str]) -> io::Result<()> {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for source in sources.iter().map(|source| root.join(source)) {
        println!("cargo::rerun-if-changed={}", source.display());
        take_in(&source, &mut hash)?;
    }
    println!("cargo::rustc-env={name}={hash:016x}");
    Ok(())
}

fn take_in(path: &Path, hash: &mut u64) -> io::Result<()> {
    if !path.is_dir() {
        take(&fs::read(path)?, hash);
        return Ok(());
    }
    let mut entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        take(entry.file_name().as_encoded_bytes(), hash);
        take_in(&entry.path(), hash)?;
    }
    Ok(())
}

/// One round of FNV-1a a byte.
fn take(bytes: &[u8], hash: &mut u64) {
    for byte in bytes {
        *hash = (*hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
}
