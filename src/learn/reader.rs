//! A document that is open: its text, how it stands, and what came of its blocks. What runs it is in `running.rs`.

use std::any::Any;
use std::collections::HashMap;
use std::rc::Rc;

use document::lesson::Problem;
use document::markdown::{self, Page as Document};
use document::run::Outcome;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::source;
use crate::cluster::Which;
use crate::state::{Page, Shown};
use crate::ui::later::Loading;
use crate::ui::messages::{self, learn as words};
use crate::ui::part::Part;

/// The outcome of a block.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    /// The outcome.
    pub(crate) outcome: Rc<Outcome>,
    /// The exchanges of the page, in the order in which they were sent.
    pub(crate) exchanges: Vec<u64>,
    /// True if everything came as documented; here, for only who runs it has the code that finds that out.
    pub(crate) same: bool,
}

/// How a document stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stands {
    /// Nothing is under way.
    #[default]
    Quiet,
    /// The scene is being made.
    Preparing,
    /// A block runs.
    Running(usize),
}

/// A point in what happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Since {
    /// The number of the next exchange of the page.
    pub(crate) exchange: u64,
    /// The newest revision.
    pub(crate) revision: u64,
}

/// The functions that run a document.
#[derive(Clone, Copy)]
pub(crate) struct Running {
    /// Starts an engine with a cluster of the document's own, and makes in it what the examples assume.
    pub(crate) begin: fn(Reader),
    /// Runs blocks, one after the other.
    pub(crate) run: fn(Reader, Vec<usize>),
    /// Shows what came of a block.
    pub(crate) show: fn(Page, &Ran) -> Part,
    /// Shows what came of a block, with the bodies of responses folded.
    pub(crate) show_folded: fn(Page, &Ran) -> Part,
    /// Runs what the reader has written. What came is shown at a block.
    pub(crate) write: fn(Reader, usize, String),
    /// Runs the solution of a step. What came is shown at a block.
    pub(crate) solve: fn(Reader, usize, Vec<usize>),
    /// Returns what of a document cannot be read.
    pub(crate) problems: fn(Document) -> Vec<Problem>,
}

/// Loads the functions that run a document.
pub(crate) type Load = fn() -> Loading<Running>;

/// A document that is open. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    pub(crate) page: Page,
    pub(crate) document: StoredValue<Rc<Document>, LocalStorage>,
    /// Reads a text as a document, unless it is too large; here, for only who reads documents has the code that does.
    pub(crate) parse: fn(&str) -> Option<Document>,
    /// The functions that run it, once they are there.
    pub(crate) running: RwSignal<Option<Running>>,
    /// Loads the functions that run it.
    load: StoredValue<Load>,
    /// The runner; `None` until the scene is made, and while a block runs. Only `running.rs` has the code of its type.
    pub(crate) runner: StoredValue<Option<Box<dyn Any>>, LocalStorage>,
    /// The blocks that turned out not to run, and why.
    pub(crate) refused: RwSignal<HashMap<usize, String>>,
    /// The exchanges of the block that runs.
    pub(crate) exchanges: RwSignal<Vec<u64>>,
    /// The blocks that are to be run once the scene is made.
    pub(crate) wanted: StoredValue<Vec<usize>>,
    /// The outcome of each block, by its number.
    pub(crate) ran: RwSignal<HashMap<usize, Ran>, LocalStorage>,
    pub(crate) stands: RwSignal<Stands>,
    /// Why the scene could not be made.
    pub(crate) failed: RwSignal<Option<String>>,
    /// The source of the document.
    pub(crate) source: StoredValue<String>,
    /// True while it is presented.
    pub(crate) presents: RwSignal<bool>,
    /// True while its text is edited.
    pub(crate) edits: RwSignal<bool>,
    /// The part of the picture that a lesson looks at; empty for other documents.
    pub(crate) picture: RwSignal<&'static str>,
    /// The number of steps of a lesson that are done.
    pub(crate) done: RwSignal<usize>,
    /// The sentence of the check of the step that is to be done.
    pub(crate) told: RwSignal<Option<String>>,
    /// True if the server of the workshop could not be told how many steps are done.
    pub(crate) untold: RwSignal<bool>,
    /// The point at which that step began.
    pub(crate) since: RwSignal<Since>,
    /// `Some` while a check is looked at; true if something has happened since.
    pub(crate) looks: StoredValue<Option<bool>>,
    /// Counts the clusters that were begun: what was still under way in another one counts no more.
    pub(crate) turn: StoredValue<u64>,
}

impl Reader {
    /// Reads a document, and loads the code that runs it with `load`. Then it begins with a cluster for the document.
    ///
    /// # Errors
    /// The text to show, if the document is too large.
    pub(crate) fn read(page: Page, source: &str, text: &str, load: Load) -> Result<Self, String> {
        let document = markdown::read(text, source::name(source)).map_err(|_| words::TOO_LARGE.to_owned())?;
        let reader = Self {
            page,
            document: StoredValue::new_local(Rc::new(document)),
            parse: |text| markdown::read(text, "").ok(),
            running: RwSignal::new(None),
            load: StoredValue::new(load),
            runner: StoredValue::new_local(None),
            refused: RwSignal::new(HashMap::new()),
            exchanges: RwSignal::new(Vec::new()),
            wanted: StoredValue::new(Vec::new()),
            ran: RwSignal::new_local(HashMap::new()),
            stands: RwSignal::new(Stands::Preparing),
            failed: RwSignal::new(None),
            source: StoredValue::new(source.to_owned()),
            presents: RwSignal::new(false),
            edits: RwSignal::new(false),
            picture: RwSignal::new(""),
            done: RwSignal::new(0),
            told: RwSignal::new(None),
            untold: RwSignal::new(false),
            since: RwSignal::new(Since::default()),
            looks: StoredValue::new(None),
            turn: StoredValue::new(0),
        };
        reader.load();
        Ok(reader)
    }

    fn load(self) {
        spawn_local(async move {
            match (self.load.get_value())().await {
                Ok(running) => {
                    let _ = self.running.try_set(Some(running));
                    (running.begin)(self);
                }
                Err(_) => {
                    let _ = self.failed.try_set(Some(messages::NOT_LOADED.to_owned()));
                }
            }
        });
    }

    /// Begins with a new cluster, and forgets what came.
    pub(crate) fn start_over(self) {
        let failed = self.failed.get_untracked().is_some();
        self.turn.update_value(|turn| *turn += 1);
        self.runner.set_value(None);
        self.wanted.set_value(Vec::new());
        self.ran.set(HashMap::new());
        self.failed.set(None);
        self.done.set(0);
        self.told.set(None);
        self.stands.set(Stands::Preparing);
        match self.running.get_untracked() {
            Some(running) => (running.begin)(self),
            // It is under way, and begins with this cluster.
            None if !failed => {}
            None => self.load(),
        }
    }

    /// Returns whether blocks can be run: none is running. Those that somebody wants before the scene is there run then.
    pub(crate) fn is_quiet(self) -> bool {
        self.stands.with(|stands| !matches!(stands, Stands::Running(_)))
    }

    /// Returns whether something can be run at once.
    pub(crate) fn is_idle(self) -> bool {
        self.stands.with(|stands| *stands == Stands::Quiet)
    }

    /// Returns whether a block runs.
    pub(crate) fn is_running(self, number: usize) -> bool {
        self.stands.with(|stands| *stands == Stands::Running(number))
    }

    /// Returns the point at which everything is now.
    pub(crate) fn now(self) -> Since {
        untrack(|| {
            self.page.read(|model| Since {
                exchange: model.trace.next(),
                revision: model.glass(Which::ThisTab).revision(),
            })
        })
    }

    /// Begins with a step of a lesson: what was done before a point does not count for it.
    pub(crate) fn begin_step(self, number: usize, since: Since) {
        self.since.set(since);
        self.done.set(number);
    }

    /// Runs blocks, one after the other.
    pub(crate) fn run(self, blocks: Vec<usize>) {
        match self.running.get_untracked() {
            Some(running) if self.stands.with_untracked(|stands| *stands == Stands::Quiet) => {
                (running.run)(self, blocks);
            }
            _ => self.wanted.set_value(blocks),
        }
    }

    /// Shows in the picture what came of the block that is read: the last one of some that has run.
    pub(crate) fn follow(self, mut read: impl DoubleEndedIterator<Item = usize>) {
        if self.stands.with_untracked(|stands| *stands != Stands::Quiet) {
            return;
        }
        let last = self.ran.with_untracked(|ran| {
            let last = read.rfind(|number| ran.contains_key(number));
            last.and_then(|number| ran.get(&number)?.exchanges.last().copied())
        });
        let shown = last.map(|id| Shown::Exchange(id, false));
        if let Some(shown) = shown.filter(|shown| self.page.shown.with_untracked(|now| now != shown)) {
            self.page.show(shown);
        }
    }

    /// Returns the numbers of the blocks that run, up to one of them or to the last.
    pub(crate) fn runnable(self, last: Option<usize>) -> Vec<usize> {
        let refused = self.refused.get();
        self.document.with_value(|document| {
            let blocks = document.blocks.iter().enumerate();
            let blocks = blocks.filter(|(number, block)| block.runs() && !refused.contains_key(number));
            blocks
                .map(|(number, _)| number)
                .filter(|number| last.is_none_or(|last| *number <= last))
                .collect()
        })
    }

    /// Returns how many blocks there are that run, how many have, and how many of these came as documented.
    pub(crate) fn counts(self) -> (usize, usize, usize) {
        let all = self.runnable(None).len();
        self.ran.with(|ran| (all, ran.len(), ran.values().filter(|ran| ran.same).count()))
    }
}
