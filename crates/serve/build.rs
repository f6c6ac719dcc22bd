//! Embeds the page, as it stands in `dist`, into the program that is built with the feature `ui`: each file compressed.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut table = String::from("&[\n");
    if env::var_os("CARGO_FEATURE_UI").is_some() {
        let dist = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../dist");
        println!("cargo::rerun-if-changed={}", dist.display());
        if !dist.join("index.html").exists() {
            return Err(io::Error::other("there is no page in dist: `cargo xtask build` makes one"));
        }
        let mut files = Vec::new();
        find(&dist, &mut files)?;
        files.sort();
        for (number, file) in files.iter().enumerate() {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(&fs::read(file)?)?;
            let compressed = out.join(format!("ui-{number}.gz"));
            fs::write(&compressed, encoder.finish()?)?;
            let name = file.strip_prefix(&dist).map_err(io::Error::other)?;
            let name = name.to_string_lossy().replace('\\', "/");
            let _ = writeln!(table, "({name:?}, include_bytes!({:?})),", compressed.display().to_string());
        }
    }
    table.push_str("]\n");
    fs::write(out.join("ui.rs"), table)
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { find(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
