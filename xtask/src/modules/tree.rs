//! The modules of a crate, and which uses which.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use super::source::{self, Item};

/// The path of a module within its crate; empty for the root.
pub(super) type Name = Vec<String>;

/// A module.
#[derive(Default)]
struct Module {
    file: PathBuf,
    /// The paths that stand in it: the line of each.
    paths: Vec<(Vec<String>, usize)>,
    /// The names that a `use` gives.
    names: BTreeMap<String, Vec<String>>,
}

/// The modules of a crate.
#[derive(Default)]
pub(super) struct Modules(BTreeMap<Name, Module>);

/// One module uses another, which is beside it: where.
pub(super) struct Use {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) file: PathBuf,
    pub(super) line: usize,
}

impl Modules {
    /// Reads the modules from the root's file on. Those that are only compiled for tests are left out.
    ///
    /// # Errors
    /// A file that is declared and cannot be read.
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let mut modules = Self::default();
        let folder = root.parent().map(Path::to_owned).unwrap_or_default();
        modules.add(&[], root, &folder)?;
        Ok(modules)
    }

    fn add(&mut self, name: &[String], file: &Path, folder: &Path) -> Result<(), String> {
        let text = fs::read_to_string(file)
            .map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let mut children = Vec::new();
        for item in source::read(&text) {
            match item {
                Item::Module(child) => children.push(child),
                Item::Path { segments, name, line } => {
                    if let Some(name) = name {
                        module.names.insert(name, segments.clone());
                    }
                    module.paths.push((segments, line));
                }
            }
        }
        self.0.insert(name.to_vec(), module);
        for child in children {
            let beside = folder.join(format!("{child}.rs"));
            let inside = folder.join(&child);
            let file = if beside.exists() { beside } else { inside.join("mod.rs") };
            self.add(&[name, std::slice::from_ref(&child)].concat(), &file, &inside)?;
        }
        Ok(())
    }

    /// Returns the modules that have others in them: the root, and all below.
    pub(super) fn parents(&self) -> impl Iterator<Item = &Name> {
        let parents: BTreeSet<&[String]> =
            self.0.keys().filter_map(|name| name.split_last().map(|(_, parent)| parent)).collect();
        self.0.keys().filter(move |name| parents.contains(name.as_slice()))
    }

    /// Returns the modules in `parent`.
    pub(super) fn inside(&self, parent: &Name) -> Vec<String> {
        let children =
            self.0.keys().filter(|name| name.len() == parent.len() + 1 && name.starts_with(parent));
        children.filter_map(|name| name.last().cloned()).collect()
    }

    /// Returns the uses of modules in `parent`, or below these, by others in it.
    pub(super) fn uses(&self, parent: &Name) -> Vec<Use> {
        let depth = parent.len();
        let within = |name: &&Name| name.len() > depth && name.starts_with(parent);
        let mut uses = Vec::new();
        for (name, module) in self.0.iter().filter(|(name, _)| within(name)) {
            for (path, line) in &module.paths {
                let target = self.follow(name, path, 0).filter(|target| within(&target));
                if let Some(target) = target.filter(|target| target[depth] != name[depth]) {
                    let (from, to) = (name[depth].clone(), target[depth].clone());
                    uses.push(Use { from, to, file: module.file.clone(), line: *line });
                }
            }
        }
        uses
    }

    /// Returns the module that a path leads to, when it stands in the module `from`: through names that other modules pass on, too.
    /// `depth` is how many of these have been followed.
    fn follow(&self, from: &Name, path: &[String], depth: usize) -> Option<Name> {
        /// How many names of names are followed.
        const DEEPEST: usize = 8;
        if depth > DEEPEST {
            return None;
        }
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (from.clone(), &path[1..]),
            "super" => {
                let up = path.iter().take_while(|segment| *segment == "super").count();
                (from[..from.len().checked_sub(up)?].to_vec(), &path[up..])
            }
            first => {
                let child = [&from[..], &[first.to_owned()]].concat();
                let module = self.0.get(&child).map(|_| child);
                (module?, &path[1..])
            }
        };
        while let Some((segment, others)) = rest.split_first() {
            let child = [&at[..], std::slice::from_ref(segment)].concat();
            if self.0.contains_key(&child) {
                at = child;
                rest = others;
                continue;
            }
            let passed_on = self.0.get(&at).and_then(|module| module.names.get(segment));
            let passed_on = passed_on.filter(|passed_on| passed_on.as_slice() != path || at != *from);
            if at != *from
                && let Some(found) = passed_on.and_then(|path| self.follow(&at, path, depth + 1))
            {
                return Some(found);
            }
            break;
        }
        Some(at)
    }
}
