//! The page: building it, and serving it.
//!
//! cargo builds three modules: the page's, the engine's, and that of examples in others' pages. `kubeglass-bundle` makes of them what a browser loads, and of
//! that and `index.html` the folder that is served.

mod bundle;
pub(crate) mod package;
mod size;
mod watch;

use std::path::{Path, PathBuf};
use std::process::Stdio;

pub(crate) use size::within_budget;

use crate::shell::Shell;
use crate::tools::{Tool, Tools};
use crate::web;
use bundle::Bundle;

/// The tools of a build.
pub(crate) const TOOLS: [Tool; 4] = [Tool::Crates, Tool::WasmTarget, Tool::Node, Tool::NodePackages];

/// Builds for WebAssembly.
const WASM: [&str; 4] = ["cargo", "build", "--locked", "--target=wasm32-unknown-unknown"];
/// The modules. They are built together, so that what several need is compiled once.
const MODULES: [&str; 5] = [
    "--package=kubeglass-page",
    "--package=kubeglass-engine-web",
    "--package=kubeglass-embed",
    "--bin=kubeglass-page",
    "--lib",
];

/// The folder in which the page's own module and its frame are made ready.
const PAGE: &str = "target/page";
/// The folder in which the engine is made ready.
const ENGINE: &str = "target/page-engine";
/// The folder in which the module is made ready that runs the examples of others' pages.
const EMBED: &str = "target/page-embed";
/// Renders the frame.
const FRAME: &str = "web/frame.js";
/// The folder that is served.
const DIST: &str = "dist";
/// The address at which the page is served, unless another port is asked for.
const ADDRESS: &str = "127.0.0.1:8080";
/// A remote cluster: what listens here is `kubectl proxy` or `kubeglass serve`.
const REMOTE: &str = "127.0.0.1:8001";

/// How a page is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// Soon there, and quick enough to be used.
    Serve,
    /// Small.
    Release,
}

impl Build {
    /// Returns the name of cargo's profile.
    fn profile(self) -> &'static str {
        match self {
            Self::Serve => "serve",
            Self::Release => "page",
        }
    }
}

/// `cargo xtask serve [--port PORT]`: builds the page, serves it, and builds it anew whenever a file changes.
///
/// # Errors
/// An argument is not known, or the first build fails. What fails later is told, and the page stays as it was.
pub(crate) fn serve(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    let address = match args {
        [] => ADDRESS.to_owned(),
        ["--port", port] if port.parse::<u16>().is_ok() => format!("127.0.0.1:{port}"),
        _ => return Err("`--port` and a number are the only arguments there are.".to_owned()),
    };
    let mut seen = watch::state(shell.root());
    build_to(shell, tools, Build::Serve, DIST)?;
    let bundle = Bundle::new(shell)?;
    let mut server = shell.start(&bundle.serve(DIST, &address, REMOTE), Stdio::inherit())?;
    loop {
        let state = watch::wait(shell.root(), seen, || server.try_wait().is_ok_and(|ended| ended.is_none()));
        seen = state.ok_or("The server has ended.")?;
        println!("A file has changed.");
        match build_to(shell, tools, Build::Serve, DIST) {
            Ok(()) => println!("The page is built anew: reload it."),
            Err(error) => eprintln!("{error}\nThe page stays as it was."),
        }
    }
}

/// `cargo xtask build`.
///
/// # Errors
/// The build fails, or the page is too large.
pub(crate) fn build(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    if !args.is_empty() {
        return Err("There are no arguments.".to_owned());
    }
    release(shell, tools)?;
    within_budget(shell)
}

/// Builds the page for release into `dist`.
///
/// # Errors
/// A tool is missing, or the build fails.
pub(crate) fn release(shell: &Shell, tools: &mut Tools<'_>) -> Result<(), String> {
    build_to(shell, tools, Build::Release, DIST)
}

/// `cargo xtask page`: what trunk calls when it has built, to fill the folder that it serves. It says by
/// `TRUNK_PROFILE` whether that is for a release.
///
/// # Errors
/// There is no folder, or the build fails.
pub(crate) fn of_trunk(shell: &Shell, tools: &mut Tools<'_>, _: &[&str]) -> Result<(), String> {
    let folder =
        std::env::var("TRUNK_STAGING_DIR").map_err(|_| "trunk calls this, nobody else.".to_owned())?;
    let release = std::env::var("TRUNK_PROFILE").is_ok_and(|profile| profile == "release");
    build_to(shell, tools, if release { Build::Release } else { Build::Serve }, &folder)
}

/// Makes what a browser loads of a module that is optimised as the page's release is. It is not made smaller, for it is not
/// downloaded.
///
/// # Errors
/// It cannot be built.
pub(crate) fn release_module(shell: &Shell, package: &str, name: &str, folder: &str) -> Result<(), String> {
    let modules = compile(shell, &["--package", package], Build::Release)?;
    Bundle::new(shell)?.module(name, &modules.join(format!("{name}.wasm")), folder, Build::Serve)
}

/// Builds the page into a folder.
fn build_to(shell: &Shell, tools: &mut Tools<'_>, build: Build, folder: &str) -> Result<(), String> {
    tools.ensure(&TOOLS)?;
    web::run(shell, tools)?;
    let bundle = Bundle::new(shell)?;
    println!("Compiling the page and the engine: a few minutes the first time, seconds after that");
    let modules = compile(shell, &MODULES, build)?;
    println!("Putting the page together");
    bundle.module("page", &modules.join("kubeglass-page.wasm"), PAGE, build)?;
    make_engine(&bundle, &modules, build)?;
    bundle.module("embed", &modules.join("embed.wasm"), EMBED, build)?;
    frame(shell)?;
    bundle.page(folder)?;
    if build == Build::Release { minify(shell, folder) } else { Ok(()) }
}

/// Compiles packages for WebAssembly, and returns the folder of their modules.
fn compile(shell: &Shell, packages: &[&str], build: Build) -> Result<PathBuf, String> {
    shell.run(&[&WASM[..], packages, &["--profile", build.profile()]].concat())?;
    Ok(shell.target()?.join("wasm32-unknown-unknown").join(build.profile()))
}

/// Makes what a browser loads of the engine.
fn make_engine(bundle: &Bundle<'_>, modules: &Path, build: Build) -> Result<(), String> {
    bundle.module("engine", &modules.join("engine_web.wasm"), ENGINE, build)?;
    bundle.worker(ENGINE)
}

/// Renders the page as it is before anything has happened, unless it is rendered of this very module.
fn frame(shell: &Shell) -> Result<(), String> {
    let changed = |file: &Path| file.metadata().and_then(|metadata| metadata.modified()).ok();
    let folder = shell.root().join(PAGE);
    let rendered = changed(&folder.join("frame.css"));
    let made_of = changed(&folder.join("made-of")).max(changed(&shell.root().join(FRAME)));
    if rendered > made_of { Ok(()) } else { shell.run(&["node", FRAME, PAGE]) }
}

/// Takes comments and long names out of scripts and styles.
fn minify(shell: &Shell, folder: &str) -> Result<(), String> {
    let mut files = Vec::new();
    collect(&shell.root().join(folder), &mut files)
        .map_err(|error| format!("{folder} cannot be made smaller: {error}"))?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "js" || extension == "css"));
    for file in &files {
        let file = file.display().to_string();
        let outfile = format!("--outfile={file}");
        let minify = [
            "esbuild",
            "--minify",
            "--format=esm",
            "--charset=utf8",
            "--log-level=warning",
            // wasm-bindgen imports the chunks once for each function that they have.
            "--log-override:duplicate-object-key=silent",
            "--allow-overwrite",
            &outfile,
            &file,
        ];
        shell.run(&minify)?;
    }
    Ok(())
}

/// The files below a directory, in the order of their names.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let entries: Result<Vec<_>, _> = std::fs::read_dir(directory)?.collect();
    let mut paths: Vec<_> = entries?.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
