//! Running the examples of documents, for `kubeglass doc FILE…`.

mod cluster;
mod report;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use document::block::Content;
use document::markdown::{self, Page};
use document::run::Outcome;
use document::{Runner, Scene};

use cluster::Cluster;

/// The ends of the names of scenes that stand beside a document: `concepts.scene.yaml` beside `concepts.md`.
const SCENES: [&str; 2] = ["scene.yaml", "scene.yml"];

/// The documents to run, and how the outcome is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The documents.
    pub files: Vec<PathBuf>,
    /// The scene of all of them; without one each has its own.
    pub scene: Option<PathBuf>,
    /// True to print the outcome as JSON.
    pub json: bool,
}

/// Why documents are not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("{0} cannot be read: {1}")]
    Read(String, #[source] io::Error),
    /// A file is too large, or no text.
    #[error("{0} is no document: {1}")]
    Document(String, String),
    /// A scene cannot be read or made.
    #[error("{0}: {1}")]
    Scene(String, String),
    /// Nobody takes what is printed.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// A document that was run.
pub(crate) struct Ran {
    /// The file's name.
    pub(crate) name: String,
    /// The page.
    pub(crate) page: Page,
    /// The outcome of each block that runs; `None` of others.
    pub(crate) outcomes: Vec<Option<Outcome>>,
}

/// Runs documents, each in a cluster of its own, and prints what came of them. Returns whether all came as they are documented.
///
/// # Errors
/// See [`Error`].
pub fn run(options: &Options, mut out: impl Write) -> Result<bool, Error> {
    let mut all = Vec::new();
    for file in &options.files {
        let ran = run_one(file, options.scene.as_deref())?;
        if !options.json {
            report::text(&ran, &mut out)?;
        }
        all.push(ran);
    }
    if options.json {
        report::json(&all, &mut out)?;
    } else {
        report::summary(&all, &mut out)?;
    }
    out.flush()?;
    let outcomes = || all.iter().flat_map(|ran| ran.outcomes.iter().flatten());
    Ok(outcomes().all(Outcome::is_as_documented))
}

fn run_one(file: &Path, scene: Option<&Path>) -> Result<Ran, Error> {
    let name = file.display().to_string();
    let text = read(file)?;
    let mut page = markdown::read(&text, &name)
        .map_err(|_| Error::Document(name.clone(), "it is larger than 4 MiB".to_owned()))?;
    let scene = scene_of(file, &page, scene)?;
    let mut runner = Runner::new(page.blocks.clone(), scene);
    let first = runner.revision().map(|revision| revision.saturating_sub(runner.writes()).max(1));
    page.blocks = runner.blocks().to_vec();
    let cluster = Cluster::new(first);
    let outcomes = futures::executor::block_on(async {
        runner.begin(&cluster).await.map_err(|why| Error::Scene(name.clone(), why))?;
        let mut outcomes = Vec::new();
        for (number, block) in page.blocks.iter().enumerate() {
            let outcome = if block.runs() { Some(runner.run(&cluster, number).await) } else { None };
            outcomes.push(outcome);
        }
        Ok::<_, Error>(outcomes)
    })?;
    Ok(Ran { name, page, outcomes })
}

/// Returns the scene of a document: the one that is given, the one beside it, or the one in its front matter.
fn scene_of(file: &Path, page: &Page, given: Option<&Path>) -> Result<Scene, Error> {
    let beside = SCENES.iter().map(|end| file.with_extension(end)).find(|path| path.is_file());
    if let Some(path) = given.map(Path::to_owned).or(beside) {
        let name = path.display().to_string();
        return Scene::read(&read(&path)?).map_err(|why| Error::Scene(name, why));
    }
    let own = Scene::in_front_matter(&page.front_matter);
    Ok(own.map_err(|why| Error::Scene(file.display().to_string(), why))?.unwrap_or_default())
}

fn read(path: &Path) -> Result<String, Error> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| Error::Read(name(), error))?;
    String::from_utf8(bytes).map_err(|_| Error::Document(name(), "it is no UTF-8".to_owned()))
}

/// Returns whether a block shows something that could have run, and does not.
pub(crate) fn is_left_out(content: &Content) -> bool {
    matches!(content, Content::Text(Some(_)))
}
