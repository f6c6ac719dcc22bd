//! `cargo xtask modules`: that neither crates nor the modules of a crate use each other in a circle, and the pictures of them in
//! ARCHITECTURE.md.

mod layers;
mod source;
mod tree;

use std::{fs, path::Path};

use json_tree::Value;

use crate::{counts::Counts, shell::Shell};
use tree::{Modules, Name};

/// The document with the pictures.
const DOCUMENT: &str = "ARCHITECTURE.md";
/// How wide they are.
const WIDTH: usize = 110;
/// The picture of the crates.
const CRATES: &str = "crates";

/// A crate of the workspace.
struct Crate {
    /// The folder, from the root; `.` for the page.
    folder: String,
    /// The files that its targets begin with.
    roots: Vec<String>,
    /// The folders of those that it uses, but for tests.
    uses: Vec<String>,
}

/// Checks the crates and the modules of each, and that the pictures are theirs.
///
/// # Errors
/// The workspace, or a file, cannot be read.
pub(crate) fn check(shell: &Shell) -> Result<Counts, String> {
    let found = look(shell)?;
    let mut counts = Counts::default();
    for (subject, outcome) in &found.checked {
        if let Err(circle) = outcome {
            println!("{subject}: a circle\n{circle}");
        }
        counts = counts + if outcome.is_ok() { Counts::PASSED } else { Counts::FAILED };
    }
    let text = read(&shell.root().join(DOCUMENT))?;
    let drawn = with_pictures(&text, &found)?;
    if drawn != text {
        println!("{DOCUMENT}: the pictures are old; `cargo xtask modules --write` draws them");
    }
    Ok(counts + if drawn == text { Counts::PASSED } else { Counts::FAILED })
}

/// `cargo xtask modules [--write]`.
pub(crate) fn run(shell: &Shell, write: bool) -> Result<(), String> {
    if !write {
        let counts = check(shell)?;
        return if counts.failed == 0 { Ok(()) } else { Err(counts.to_string()) };
    }
    let path = shell.root().join(DOCUMENT);
    let drawn = with_pictures(&read(&path)?, &look(shell)?)?;
    fs::write(&path, drawn).map_err(|error| format!("{DOCUMENT} cannot be written: {error}"))
}

/// The findings.
struct Found {
    /// Each crate, and each module that has others in it: whether they form a circle, and where.
    checked: Vec<(String, Result<(), String>)>,
    /// The pictures, by their names.
    pictures: Vec<(String, String)>,
}

impl Found {
    fn picture(&self, name: &str) -> Option<&str> {
        self.pictures.iter().find(|(own, _)| own == name).map(|(_, picture)| picture.as_str())
    }
}

fn look(shell: &Shell) -> Result<Found, String> {
    let crates = crates(shell)?;
    let mut found = Found { checked: Vec::new(), pictures: Vec::new() };
    let names: Vec<String> = crates.iter().map(|one| one.folder.clone()).collect();
    let uses: Vec<(String, String)> = crates
        .iter()
        .flat_map(|one| one.uses.iter().map(|other| (one.folder.clone(), other.clone())))
        .collect();
    add(&mut found, CRATES, &names, &uses, |from, to| format!("  {from} uses {to}"));
    for one in &crates {
        for root in &one.roots {
            let modules = Modules::read(&shell.root().join(root))?;
            for parent in modules.parents() {
                look_inside(&mut found, shell.root(), (one, root), &modules, parent);
            }
        }
    }
    Ok(found)
}

/// Looks at the modules in one.
fn look_inside(
    found: &mut Found,
    root: &Path,
    (one, file): (&Crate, &str),
    modules: &Modules,
    parent: &Name,
) {
    let subject = match parent.as_slice() {
        [] if file.ends_with("lib.rs") || one.roots.len() == 1 => one.folder.clone(),
        [] => file.to_owned(),
        _ => [file, ": ", &parent.join("::")].concat(),
    };
    let uses = modules.uses(parent);
    let pairs: Vec<(String, String)> = uses.iter().map(|one| (one.from.clone(), one.to.clone())).collect();
    add(found, &subject, &modules.inside(parent), &pairs, |from, to| {
        let places = uses.iter().filter(|one| one.from == from && one.to == to).map(|one| {
            let file = one.file.strip_prefix(root).unwrap_or(&one.file).display();
            format!("    {file}:{}", one.line)
        });
        format!("  {from} uses {to}\n{}", places.collect::<Vec<_>>().join("\n"))
    });
}

fn add(
    found: &mut Found,
    subject: &str,
    nodes: &[String],
    uses: &[(String, String)],
    place: impl Fn(&str, &str) -> String,
) {
    let outcome = layers::rows(nodes, uses);
    if let Ok(rows) = &outcome {
        found.pictures.push((subject.to_owned(), layers::draw(rows, WIDTH)));
    }
    let outcome = outcome.map(drop).map_err(|circle| {
        let next = circle.iter().cycle().skip(1);
        circle.iter().zip(next).map(|(from, to)| place(from, to)).collect::<Vec<_>>().join("\n")
    });
    found.checked.push((subject.to_owned(), outcome));
}

/// Reads the crates of the workspace by what cargo says of them.
fn crates(shell: &Shell) -> Result<Vec<Crate>, String> {
    let metadata = ["cargo", "metadata", "--locked", "--offline", "--no-deps", "--format-version", "1"];
    let text = shell.output(&metadata).ok_or("`cargo metadata` fails.")?;
    let metadata: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let root = shell.root().to_string_lossy();
    let from_root = |path: &Value| {
        let path = path.as_str().unwrap_or_default();
        let path = path.strip_prefix(&*root).unwrap_or(path).trim_start_matches('/');
        if path.is_empty() { ".".to_owned() } else { path.to_owned() }
    };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let read = |package: &Value| {
        let manifest = from_root(&package["manifest_path"]);
        let folder = manifest.trim_end_matches("Cargo.toml").trim_end_matches('/');
        let targets = list(&package["targets"]).into_iter().filter(|target| {
            list(&target["kind"])
                .iter()
                .any(|kind| ["lib", "cdylib", "bin"].iter().any(|known| kind == known))
        });
        let uses = list(&package["dependencies"]).into_iter().filter(|one| one["kind"].is_null());
        Crate {
            folder: if folder.is_empty() { ".".to_owned() } else { folder.to_owned() },
            roots: targets.map(|target| from_root(&target["src_path"])).collect(),
            uses: uses.filter(|one| one["path"].is_string()).map(|one| from_root(&one["path"])).collect(),
        }
    };
    Ok(list(&metadata["packages"]).iter().map(read).collect())
}

/// Puts the pictures into a text: below each line that begins a block of code and names one.
///
/// # Errors
/// A picture of what there is not, or which has a circle.
fn with_pictures(text: &str, found: &Found) -> Result<String, String> {
    const BEGIN: &str = "```text modules of ";
    let mut out = String::with_capacity(text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if let Some(name) = line.strip_prefix(BEGIN) {
            let picture = found.picture(name);
            out.push_str(picture.ok_or_else(|| format!("{DOCUMENT}: there is no picture of {name}"))?);
            out.push_str("```\n");
            lines.find(|line| *line == "```");
        }
    }
    Ok(out)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}
