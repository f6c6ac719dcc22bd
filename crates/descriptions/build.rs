//! Writes `descriptions.txt`, which `src/lib.rs` describes and carries.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

mod build {
    pub(super) mod facts;
    pub(super) mod openapi;
    pub(super) mod order;
    pub(super) mod protobuf;
}

/// From package to type to its descriptions.
type Packages = BTreeMap<String, BTreeMap<String, Said>>;

/// The descriptions of a type and of its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Said {
    about: String,
    fields: BTreeMap<String, SaidOfField>,
}

/// The description of a field, and the values that it may have, each with its description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SaidOfField {
    about: String,
    values: Vec<(String, String)>,
}

fn main() {
    println!("cargo::rerun-if-changed=facts");
    println!("cargo::rerun-if-changed=build");
    let mut packages = Packages::new();
    // A server without descriptions is a server all the same.
    if let Err(error) = read_sources(&mut packages) {
        println!("cargo::warning=built without Kubernetes' descriptions of its fields: {error}");
        // There is no such file, so that it is tried again.
        println!("cargo::rerun-if-changed=descriptions.txt");
    }
    if let Err(error) = build::facts::read(&mut packages) {
        println!("cargo::error=facts: {error}");
    }
    let folder = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let path = Path::new(&folder).join("descriptions.txt");
    fs::write(&path, text(&packages)).expect("OUT_DIR can be written");
}

/// Reads both crates.
///
/// # Errors
/// Their sources cannot be had.
fn read_sources(packages: &mut Packages) -> Result<(), String> {
    let sources = sources::find()?;
    build::openapi::read(&sources.k8s_openapi, packages)?;
    build::protobuf::read(&sources.k8s_pb, packages)
}

/// Reports whether the server has a type.
fn is_known(package: &str, name: &str) -> bool {
    schema::Types::builtin().find(package, name).is_some()
}

/// Returns the whole text.
fn text(packages: &Packages) -> String {
    let mut out = String::new();
    for (package, types) in packages {
        out += &["@", package, "\n"].concat();
        let types: Vec<String> = types.iter().map(|(name, said)| lines(name, said)).collect();
        build::order::by_likeness(&types).into_iter().for_each(|at| out += &types[at]);
    }
    out
}

/// Returns the lines of a type.
fn lines(name: &str, said: &Said) -> String {
    let mut out = [name, " ", &in_one_line(&said.about), "\n"].concat();
    for (name, field) in &said.fields {
        out += &[" ", name, " ", &in_one_line(&field.about), "\n"].concat();
        for (value, about) in &field.values {
            out += &["  ", value, "\t", &in_one_line(about), "\n"].concat();
        }
    }
    out
}

fn in_one_line(text: &str) -> String {
    text.replace("\n\n", "\u{2029}").replace('\n', "\u{2028}")
}
