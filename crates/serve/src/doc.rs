//! Running the examples of documents, for `kubeglass doc FILE…`.

mod cluster;
mod lesson;
mod report;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use document::block::{Content, Role};
use document::lesson::Problem;
use document::markdown::{self, Page};
use document::run::Outcome;
use document::{Runner, Scene};

use cluster::Cluster;
use lesson::{Played, Playing};

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
    /// The steps, if it is a lesson.
    pub(crate) steps: Vec<Played>,
    /// The parts of a lesson that have to be mended.
    pub(crate) problems: Vec<Problem>,
}

impl Ran {
    /// Returns whether all came as documented, and all steps are right.
    fn is_right(&self) -> bool {
        self.outcomes.iter().flatten().all(Outcome::is_as_documented)
            && self.steps.iter().all(Played::is_right)
            && self.problems.is_empty()
    }
}

/// Runs documents, each in a cluster of its own, and prints what came of them. Returns whether all came as they are documented, and
/// the steps of lessons are right.
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
    Ok(all.iter().all(Ran::is_right))
}

fn run_one(file: &Path, scene: Option<&Path>) -> Result<Ran, Error> {
    let name = file.display().to_string();
    let text = read(file)?;
    let page = markdown::read(&text, &name)
        .map_err(|_| Error::Document(name.clone(), "it is larger than 4 MiB".to_owned()))?;
    let scene = scene_of(file, &page, scene)?;
    run_page(name, page, scene)
}

fn run_page(name: String, mut page: Page, scene: Scene) -> Result<Ran, Error> {
    let runner = Runner::new(page.blocks.clone(), scene);
    page.blocks = runner.blocks().to_vec();
    let problems = document::lesson::problems_of(&page.front_matter, runner.blocks());
    let play = Play { name: &name, runner: &runner };
    let (outcomes, steps) = futures::executor::block_on(play.whole())?;
    Ok(Ran { name, page, outcomes, steps, problems })
}

/// A document that can be played from its beginning again and again.
pub(crate) struct Play<'d> {
    name: &'d str,
    /// The runner before anything was run.
    runner: &'d Runner,
}

impl Play<'_> {
    /// Plays all of it. Returns the outcome of each example, and the steps.
    async fn whole(&self) -> Result<(Vec<Option<Outcome>>, Vec<Played>), Error> {
        let (mut runner, cluster) = self.begin().await?;
        let mut playing = Playing::new(&runner, false);
        let mut outcomes = Vec::new();
        for number in 0..self.runner.blocks().len() {
            outcomes.push(self.block(number, &mut runner, &cluster, &mut playing).await?);
        }
        Ok((outcomes, playing.played))
    }

    /// Makes another cluster, and plays the document in it up to a block, without the solution of the step that it is in.
    async fn until(&self, number: usize) -> Result<(Runner, Cluster, Playing), Error> {
        let (mut runner, cluster) = self.begin().await?;
        let mut playing = Playing::new(&runner, true);
        let blocks = self.runner.blocks();
        let section = blocks.get(number).map(|block| block.heading.number);
        for (before, block) in blocks.iter().enumerate().take(number) {
            if block.role == Role::Solution && Some(block.heading.number) == section {
                continue;
            }
            Box::pin(self.block(before, &mut runner, &cluster, &mut playing)).await?;
        }
        playing.come_to(number, &runner, &cluster).await;
        Ok((runner, cluster, playing))
    }

    async fn begin(&self) -> Result<(Runner, Cluster), Error> {
        let mut runner = self.runner.clone();
        let cluster = Cluster::new(runner.first_revision());
        runner.begin(&cluster).await.map_err(|why| Error::Scene(self.name.to_owned(), why))?;
        Ok((runner, cluster))
    }

    /// Plays a block. Returns the outcome of an example.
    async fn block(
        &self,
        number: usize,
        runner: &mut Runner,
        cluster: &Cluster,
        playing: &mut Playing,
    ) -> Result<Option<Outcome>, Error> {
        playing.come_to(number, runner, cluster).await;
        let Some(block) = runner.blocks().get(number).filter(|block| block.can_run()) else {
            return Ok(None);
        };
        match block.role {
            Role::Example => {
                let outcome = runner.run(cluster, number).await;
                playing.saw(&outcome.sent);
                return Ok(Some(outcome));
            }
            Role::Solution => playing.solve(number, runner, cluster).await,
            Role::Wrong => playing.try_wrong(number, self).await?,
        }
        Ok(None)
    }
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

#[cfg(test)]
mod tests;
