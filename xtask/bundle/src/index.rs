//! The folder of the page: `index.html`, and the files that it names.
//!
//! A file that may differ from one build to the next has a hash in its name or in that of its folder, or is asked for with
//! one, so that no browser mixes two builds. Documents and lessons have none: any build reads them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::files::{hash, read, text, write_hashed, written_anew};
use crate::{documents, languages, lessons, styles};

/// The page's own module, made by [`module::make`](crate::module::make), and its frame, made by `web/frame.js`.
const PAGE: &str = "target/page";
/// The engine's.
const ENGINE: &str = "target/page-engine";
/// That of examples in others' pages.
const EMBED: &str = "target/page-embed";
/// The engine's worker.
const WORKER: &str = "crates/engine-web/worker.js";
/// The line of it that says how large the engine's core is.
const TOTAL: &str = "const total = 0;";
/// The files that are copied under their own names: who asks for them adds a hash, but for the service worker, which a browser
/// compares by itself.
const COPIED: [&str; 8] = [
    "target/web/kubeglass-editor.js",
    "target/web/kubeglass-help.txt",
    "target/web/kubeglass.js",
    "static/sw.js",
    "static/fetch.js",
    "static/enter.js",
    "static/webhooks.js",
    "static/webhooks.html",
];

/// The lines of `index.html` that are written anew.
const STYLE: &str = r#"<link rel="stylesheet" href="static/style.css" />"#;
const ICON: &str = r#"<link rel="icon" href="static/icon.svg" />"#;
const START: &str = r#"<script type="module" src="static/boot.js"></script>"#;
const FRAME: &str = r#"<div id="start" class="frame" inert aria-busy="true"></div>"#;
const TRUNK: &str = r#"<link data-trunk rel="rust" data-bin="kubeglass-page" data-integrity="none" />"#;

/// The folder with the lessons, beside the page.
const LESSONS: &str = "lessons";

/// The line of `static/embed.html` that is written anew.
const EMBED_START: &str = r#"<script type="module" src="static/embed.js"></script>"#;

/// Puts the page into a folder, and removes what else is there once the page is whole. The paths of its parts are relative to the working directory.
///
/// # Errors
/// A part is missing, `index.html` lacks a line that is to be written anew, or the folder cannot be written.
pub(crate) fn make(folder: &Path) -> Result<(), String> {
    let failed = |error: io::Error| format!("{} cannot be made: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let page = copy_module(Path::new(PAGE), "page", folder)?;
    let engine = copy_module(Path::new(ENGINE), "engine", folder)?;
    let embed = copy_module(Path::new(EMBED), "embed", folder)?;
    let copied = COPIED.map(|file| Path::new(file).file_name().unwrap_or_default().to_owned());
    for (file, name) in COPIED.iter().zip(&copied) {
        fs::write(folder.join(name), read(Path::new(file))?).map_err(failed)?;
    }
    let script = text(Path::new("static/boot.js"))?;
    let boot = write_hashed("boot.js", &script, folder)?;
    let sizes = text(&Path::new(PAGE).join("frame.css"))?;
    let style = write_hashed("style.css", &[styles::join(&styles::FIRST)?, sizes].concat(), folder)?;
    let later = write_hashed("later.css", &styles::join(&styles::LATER)?, folder)?;
    let icon = write_hashed("icon.svg", &text(Path::new("static/icon.svg"))?, folder)?;
    let code = read(&folder.join(&page).join("page_bg.wasm"))?;
    let total = code.len();
    let frame = text(&Path::new(PAGE).join("frame.html"))?;
    let shell = [&String::from_utf8_lossy(&code), frame.as_str(), &script].concat();
    let (scripts, languages) = languages::write(folder, &shell)?;
    let scripts = serde_json::to_string(&scripts).map_err(|error| error.to_string())?;
    let start = format!(
        r#"<script type="module" src="./{boot}" data-js="./{page}/page.js" data-wasm="./{page}/page_bg.wasm" data-total="{total}" data-engine="./{engine}/worker.js" data-later="./{later}" data-languages='{scripts}'></script>"#
    );
    let lines = [
        (TRUNK, String::new()),
        (STYLE, format!(r#"<link rel="stylesheet" href="./{style}" />"#)),
        (ICON, format!(r#"<link rel="icon" href="./{icon}" />"#)),
        (START, start),
        (FRAME, FRAME.replace("><", &[">", &frame, "<"].concat())),
    ];
    let index = written_anew(Path::new("index.html"), &lines)?;
    fs::write(folder.join("index.html"), index).map_err(failed)?;
    let embeds = write_hashed("embed.js", &text(Path::new("static/embed.js"))?, folder)?;
    let start = format!(
        r#"<script type="module" src="./{embeds}" data-js="./{embed}/embed.js" data-wasm="./{embed}/embed_bg.wasm" data-engine="./{engine}/worker.js"></script>"#
    );
    let embedded = written_anew(Path::new("static/embed.html"), &[(EMBED_START, start)])?;
    fs::write(folder.join("embed.html"), embedded).map_err(failed)?;
    lessons::write(&folder.join(LESSONS))?;
    let documents = documents::write(folder)?;
    let mut kept: Vec<OsString> =
        [page, engine, embed, boot, embeds, style, later, icon].map(Into::into).into();
    kept.extend(["index.html", "embed.html", LESSONS].map(Into::into));
    kept.extend(languages);
    kept.extend(documents);
    kept.extend(copied);
    remove_others(folder, &kept).map_err(failed)
}

/// Removes what stands in a folder besides these: what an earlier build has left.
fn remove_others(folder: &Path, kept: &[OsString]) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if kept.contains(&entry.file_name()) {
            continue;
        }
        let path = entry.path();
        if path.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
    }
    Ok(())
}

/// Copies what is loaded of a module into a folder with a hash in its name, and returns that name.
fn copy_module(from: &Path, name: &str, folder: &Path) -> Result<String, String> {
    let failed = |error: io::Error| format!("{} cannot be read: {error}", from.display());
    let loaded =
        |file: &PathBuf| file.extension().is_some_and(|extension| extension == "js" || extension == "wasm");
    let files = fs::read_dir(from).map_err(failed)?.map(|entry| Ok(entry?.path()));
    let mut files: Vec<PathBuf> = files.collect::<io::Result<Vec<_>>>().map_err(failed)?;
    files.retain(loaded);
    files.sort();
    let contents = files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let to = format!("{name}-{}", hash(&contents));
    let failed = |error: io::Error| format!("{to} cannot be written: {error}");
    fs::create_dir_all(folder.join(&to)).map_err(failed)?;
    for (file, content) in files.iter().zip(contents) {
        fs::write(folder.join(&to).join(file.file_name().unwrap_or_default()), content).map_err(failed)?;
    }
    Ok(to)
}

/// Writes the engine's worker into the engine's folder. It knows how large the engine is: what is compressed on its way does
/// not say so.
///
/// # Errors
/// There is no engine, the worker lacks the line that says how large it is, or the folder cannot be written.
pub(crate) fn write_worker(engine: &Path) -> Result<(), String> {
    let size = read(&engine.join("engine_bg.wasm"))?.len();
    let worker = text(Path::new(WORKER))?;
    let Some((head, tail)) = worker.split_once(TOTAL) else {
        return Err(format!("{WORKER} has no line `{TOTAL}` to be filled in"));
    };
    let total = TOTAL.replace('0', &size.to_string());
    fs::write(engine.join("worker.js"), [head, &total, tail].concat())
        .map_err(|error| format!("worker.js cannot be written: {error}"))
}
