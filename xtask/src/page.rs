//! The page: building it, serving it, and how large it is.
//!
//! cargo builds two modules, the page's and the engine's. `kubeglass-bundle` makes of them what a browser loads, and of
//! that and `index.html` the folder that is served.

mod watch;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::shell::Shell;
use crate::tools::{Tool, Tools};
use crate::web;

/// What building the page needs.
const TO_BUILD: [Tool; 4] = [Tool::Crates, Tool::WasmTarget, Tool::Node, Tool::NodePackages];

/// What a release build needs.
pub(crate) const TO_RELEASE: [Tool; 5] =
    [Tool::Crates, Tool::WasmTarget, Tool::Node, Tool::NodePackages, Tool::WasmOpt];

/// Builds the two modules. They are built together, so that what both need is compiled once.
const MODULES: [&str; 8] = [
    "cargo",
    "build",
    "--locked",
    "--target=wasm32-unknown-unknown",
    "--package=kubeglass-page",
    "--package=kubeglass-engine-web",
    "--bin=kubeglass-page",
    "--lib",
];

/// Builds the program that makes files out of modules, with the profile of what is served: not to be waited for.
const BUNDLE: [&str; 6] =
    ["cargo", "build", "--locked", "--package=kubeglass-bundle", "--bin=kubeglass-bundle", "--profile=serve"];

/// Where the page's own module is made ready, and its frame.
const PAGE: &str = "target/page";
/// Renders the frame.
const FRAME: &str = "web/frame.js";
/// The folder that is served.
const DIST: &str = "dist";
/// Where the page is served, unless another port is asked for.
const ADDRESS: &str = "127.0.0.1:8080";
/// A remote cluster: what listens here is `kubectl proxy` or `kubeglass serve`.
const REMOTE: &str = "127.0.0.1:8001";

/// The most that the page and the core of its engine may take, gzipped, in bytes: everything until the first response. It
/// is what they take now and a little: the goal is 700,000, see BENCHMARKS.md.
const BUDGET: u64 = 820_000;

/// How the files are named that the page loads when it first needs them.
const LAZY: [&str; 4] = ["chunk_", "split_", "kubeglass-editor", "kubeglass-help"];

/// How a page is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// Soon there, and quick enough to be used.
    Serve,
    /// Small.
    Release,
}

impl Build {
    /// The name of cargo's profile.
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
    tools.ensure(&TO_BUILD)?;
    let mut seen = watch::state(shell.root());
    build_to(shell, tools, Build::Serve, DIST)?;
    let server = [&program(shell)?, "serve", DIST, &address, REMOTE];
    let mut server = shell.start(&server, Stdio::inherit())?;
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

/// `cargo xtask page`: what trunk calls when it has built, to fill the folder that it serves. It says by
/// `TRUNK_PROFILE` whether that is for a release.
///
/// # Errors
/// There is no folder, or the build fails.
pub(crate) fn of_trunk(shell: &Shell, tools: &mut Tools<'_>, _: &[&str]) -> Result<(), String> {
    let folder =
        std::env::var("TRUNK_STAGING_DIR").map_err(|_| "trunk calls this, nobody else.".to_owned())?;
    let release = std::env::var("TRUNK_PROFILE").is_ok_and(|profile| profile == "release");
    tools.ensure(&TO_BUILD)?;
    build_to(shell, tools, if release { Build::Release } else { Build::Serve }, &folder)
}

/// `cargo xtask engine [--release]`: builds the engine alone.
///
/// # Errors
/// An argument is not known, or the build fails.
pub(crate) fn engine(shell: &Shell, tools: &mut Tools<'_>, args: &[&str]) -> Result<(), String> {
    let build = match args {
        [] => Build::Serve,
        ["--release"] => Build::Release,
        _ => return Err("--release is the only argument there is.".to_owned()),
    };
    tools.ensure(if build == Build::Release { &TO_RELEASE } else { &TO_BUILD })?;
    Modules::build(shell, build)?.make_engine()
}

/// Builds the page for release into `dist`.
///
/// # Errors
/// A tool is missing, or the build fails.
pub(crate) fn release(shell: &Shell, tools: &mut Tools<'_>) -> Result<(), String> {
    tools.ensure(&TO_RELEASE)?;
    build_to(shell, tools, Build::Release, DIST)
}

/// Builds the page into a folder.
fn build_to(shell: &Shell, tools: &mut Tools<'_>, build: Build, folder: &str) -> Result<(), String> {
    web::run(shell, tools)?;
    let modules = Modules::build(shell, build)?;
    println!("Putting the page together");
    modules.make("page", "kubeglass-page.wasm")?;
    modules.make_engine()?;
    frame(shell)?;
    shell.run(&[&modules.bundle, "page", folder])?;
    if build == Build::Release { minify(shell, folder) } else { Ok(()) }
}

/// Renders the page as it is before anything has happened, unless it is rendered of this very module.
fn frame(shell: &Shell) -> Result<(), String> {
    let folder = shell.root().join(PAGE);
    let made = |file: &str| folder.join(file).metadata().and_then(|metadata| metadata.modified()).ok();
    let script = shell.root().join(FRAME).metadata().and_then(|metadata| metadata.modified()).ok();
    let rendered = made("frame.css");
    if rendered > made("made-of").max(script) { Ok(()) } else { shell.run(&["node", FRAME, PAGE]) }
}

/// The two modules, as the compiler wrote them.
struct Modules<'a> {
    shell: &'a Shell,
    bundle: String,
    build: Build,
    folder: PathBuf,
}

impl<'a> Modules<'a> {
    fn build(shell: &'a Shell, build: Build) -> Result<Self, String> {
        let bundle = bundle(shell)?;
        println!("Compiling the page and the engine: a few minutes the first time, seconds after that");
        shell.run(&[&MODULES[..], &["--profile", build.profile()]].concat())?;
        let folder = shell.target()?.join("wasm32-unknown-unknown").join(build.profile());
        Ok(Self { shell, bundle, build, folder })
    }

    /// Makes of one of them what a browser loads, in `target/NAME`.
    fn make(&self, name: &str, file: &str) -> Result<(), String> {
        let folder = ["target/", name].concat();
        module(self.shell, &self.bundle, name, &self.folder.join(file), &folder, self.build)
    }

    fn make_engine(&self) -> Result<(), String> {
        self.make("engine", "engine_web.wasm")?;
        self.shell.run(&[&self.bundle, "worker", "target/engine"])
    }
}

/// Makes what a browser loads of a module.
fn module(
    shell: &Shell,
    bundle: &str,
    name: &str,
    module: &Path,
    folder: &str,
    build: Build,
) -> Result<(), String> {
    let module = module.display().to_string();
    let release: &[&str] = if build == Build::Release { &["--release"] } else { &[] };
    shell.run(&[&[bundle, "module", name, &module, folder], release].concat())
}

/// Makes what a browser loads of a module that is built as the page's release is.
///
/// # Errors
/// It cannot be built.
pub(crate) fn release_module(shell: &Shell, package: &str, name: &str, folder: &str) -> Result<(), String> {
    let build =
        ["cargo", "build", "--locked", "--target=wasm32-unknown-unknown", "--profile=page", "--package"];
    shell.run(&[&build[..], &[package]].concat())?;
    let built = shell.target()?.join("wasm32-unknown-unknown/page").join(format!("{name}.wasm"));
    // Not made smaller: it is not downloaded, and what is optimised is the same.
    module(shell, &bundle(shell)?, name, &built, folder, Build::Serve)
}

/// Builds the program that makes files out of modules, and returns its path.
fn bundle(shell: &Shell) -> Result<String, String> {
    let program = program(shell)?;
    if !Path::new(&program).exists() {
        println!("Compiling the program that splits and binds WebAssembly: about two minutes, once");
    }
    shell.run(&BUNDLE)?;
    Ok(program)
}

/// Returns where that program is once it is built.
fn program(shell: &Shell) -> Result<String, String> {
    let name = format!("kubeglass-bundle{}", std::env::consts::EXE_SUFFIX);
    Ok(shell.target()?.join("serve").join(name).display().to_string())
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

/// Prints what the first load takes, file by file, and what is loaded later.
///
/// # Errors
/// When it is over the budget, or there is no page.
pub(crate) fn within_budget(shell: &Shell) -> Result<(), String> {
    let dist = shell.root().join(DIST);
    if !dist.join("index.html").exists() {
        return Err("There is no page in dist: `cargo xtask build` builds it.".to_owned());
    }
    let mut files = Vec::new();
    collect(&dist, &mut files).map_err(|error| format!("dist cannot be read: {error}"))?;
    let lazy = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        LAZY.iter().any(|prefix| name.starts_with(prefix))
    };
    let name = |file: &Path| file.strip_prefix(&dist).unwrap_or(file).display().to_string();
    let (later, first): (Vec<_>, Vec<_>) = files.into_iter().partition(lazy);
    println!("{:>10} {:>10}  file", "bytes", "gzip -9");
    let total = table(&first, name)?;
    println!("{:>10} {total:>10}  in the first load, of at most {BUDGET}\n", "");
    let total_later = table(&later, name)?;
    println!("{:>10} {total_later:>10}  when it is first needed", "");
    if total <= BUDGET {
        Ok(())
    } else {
        Err(format!("The first load takes {total} bytes gzipped, {} over the budget.", total - BUDGET))
    }
}

/// Prints what each file takes; gives the sum of what they take gzipped.
fn table(files: &[PathBuf], name: impl Fn(&Path) -> String) -> Result<u64, String> {
    let mut total = 0;
    for file in files {
        let (plain, gzipped) = sizes(file)?;
        total += gzipped;
        println!("{plain:>10} {gzipped:>10}  {}", name(file));
    }
    Ok(total)
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

/// The bytes of a file, and of the file gzipped.
fn sizes(file: &Path) -> Result<(u64, u64), String> {
    let failed = |error: std::io::Error| format!("gzip cannot measure {}: {error}", file.display());
    let plain = file.metadata().map_err(failed)?.len();
    let output = Command::new("gzip").args(["-9", "-n", "-c"]).arg(file).output().map_err(failed)?;
    if output.status.success() {
        Ok((plain, output.stdout.len() as u64))
    } else {
        Err(format!("gzip failed on {}", file.display()))
    }
}
