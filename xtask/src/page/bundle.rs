//! `kubeglass-bundle`, the program that makes files out of modules: built, and called.

use std::path::Path;

use crate::page::Build;
use crate::shell::Shell;

/// Builds it with the profile of what is served: it is needed before anything can be seen, and works for seconds.
const BUILD: [&str; 6] =
    ["cargo", "build", "--locked", "--package=kubeglass-bundle", "--bin=kubeglass-bundle", "--profile=serve"];

/// The program.
pub(super) struct Bundle<'a> {
    shell: &'a Shell,
    path: String,
}

impl<'a> Bundle<'a> {
    /// Builds it.
    ///
    /// # Errors
    /// It cannot be built.
    pub(super) fn new(shell: &'a Shell) -> Result<Self, String> {
        let name = format!("kubeglass-bundle{}", std::env::consts::EXE_SUFFIX);
        let path = shell.target()?.join("serve").join(name);
        if !path.exists() {
            println!("Compiling the program that splits and binds WebAssembly: about two minutes, once");
        }
        shell.run(&BUILD)?;
        Ok(Self { shell, path: path.display().to_string() })
    }

    /// Makes what a browser loads of a module.
    ///
    /// # Errors
    /// The module cannot be split, bound, or made smaller.
    pub(super) fn module(&self, name: &str, module: &Path, folder: &str, build: Build) -> Result<(), String> {
        self.optimised(name, module, folder, if build == Build::Release { &["--small"] } else { &[] })
    }

    /// Makes what is loaded of a module that is to be fast.
    ///
    /// # Errors
    /// The module cannot be split, bound, or optimised.
    pub(super) fn fast_module(&self, name: &str, module: &Path, folder: &str) -> Result<(), String> {
        self.optimised(name, module, folder, &["--fast"])
    }

    fn optimised(&self, name: &str, module: &Path, folder: &str, how: &[&str]) -> Result<(), String> {
        let module = module.display().to_string();
        self.shell.run(&[&[&self.path, "module", name, &module, folder], how].concat())
    }

    /// Puts the worker beside the engine.
    ///
    /// # Errors
    /// There is no engine in that folder.
    pub(super) fn worker(&self, folder: &str) -> Result<(), String> {
        self.shell.run(&[&self.path, "worker", folder])
    }

    /// Puts the page into a folder.
    ///
    /// # Errors
    /// A part of the page is missing.
    pub(super) fn page(&self, folder: &str) -> Result<(), String> {
        self.shell.run(&[&self.path, "page", folder])
    }

    /// Returns the command that serves a folder.
    pub(super) fn serve<'b>(&'b self, folder: &'b str, address: &'b str, remote: &'b str) -> [&'b str; 5] {
        [&self.path, "serve", folder, address, remote]
    }
}
