//! The controllers of a cluster, which are driven and asked with it. Their code may be loaded when somebody first asks for them.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Context;

use ::controllers::{Control, MOST_NODES, Manager, Options, Selection, TokenIssuer};
use apiserver::ApiServer;
use apiserver::code::Chunk;
use bytes::Bytes;
use clock::Clock;
use futures::future::LocalBoxFuture;
use protocol::controllers::{Ask, Choice, Command, State};
use protocol::document::Answer;
use protocol::message::Error;

use crate::{Code, call};

/// The code that the requests of controllers need.
const NEEDED: [Chunk; 7] = [
    Chunk::Writes,
    Chunk::Workloads,
    Chunk::Validation,
    Chunk::Expressions,
    Chunk::MediaTypes,
    Chunk::Discovery,
    Chunk::Webhooks,
];

/// The controllers of a cluster, whoever drives them.
pub trait Controllers: Send {
    /// Makes progress. `cx` is woken when there may be more to do.
    fn poll(&mut self, cx: &mut Context<'_>);

    /// Answers a question, which is an [`Ask`] in JSON, by a [`State`] in JSON. An error is a sentence without its end.
    fn ask(&mut self, ask: &[u8]) -> Result<Vec<u8>, String>;
}

/// Makes controllers for the cluster of an API server. None of them works before it is asked to.
pub type Make = fn(&ApiServer, Arc<dyn Clock>) -> Box<dyn Controllers>;

/// The place for the controllers of a cluster. All clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Slot(Arc<Mutex<Option<Box<dyn Controllers>>>>);

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Controllers>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, controllers: Box<dyn Controllers>) {
        *self.lock() = Some(controllers);
    }

    pub(crate) fn poll(&self, cx: &mut Context<'_>) {
        if let Some(controllers) = &mut *self.lock() {
            controllers.poll(cx);
        }
    }
}

/// Answers a question about the controllers of the cluster of an API server, with nothing if there are none. Where their code may be
/// loaded, some are made first.
pub(crate) async fn answer(
    slot: Slot,
    server: ApiServer,
    clock: Arc<dyn Clock>,
    ask: Bytes,
    code: Option<Code>,
) -> Result<(Answer, Bytes), Error> {
    if let Some(code) = code.filter(|_| slot.lock().is_none()) {
        if let Some(load) = code.load {
            let missing = NEEDED.iter().copied().filter(|chunk| !chunk.is_there()).collect();
            let loaded = call::load_all(&load, missing).await;
            loaded.map_err(|(_, why)| Error::NotLoaded(why))?;
        }
        if let Some(load) = code.load_controllers {
            load().await.map_err(Error::NotLoaded)?;
        }
        let make = (code.controllers)().ok_or_else(|| Error::NotLoaded("controllers".to_owned()))?;
        slot.lock().get_or_insert_with(|| make(&server, clock));
    }
    let state = slot.lock().as_mut().map(|controllers| controllers.ask(&ask));
    let state = state.transpose().map_err(Error::Refused)?.unwrap_or_default();
    Ok((Answer::Document, Bytes::from(state)))
}

/// Loads the code of controllers: an error says why it cannot be had now.
pub type LoadControllers = fn() -> LocalBoxFuture<'static, Result<(), String>>;

/// Makes controllers that an engine drives.
pub fn here(server: &ApiServer, clock: Arc<dyn Clock>) -> Box<dyn Controllers> {
    Box::new(Driven { server: server.clone(), clock, manager: None, starts: 0 })
}

/// Controllers that whoever has the cluster drives: they can be started and stopped.
struct Driven {
    server: ApiServer,
    clock: Arc<dyn Clock>,
    manager: Option<Manager>,
    starts: u64,
}

impl Driven {
    /// Returns the controls; those of nothing, if nothing works.
    fn control(&self) -> Control {
        self.manager.as_ref().map(|manager| manager.control().clone()).unwrap_or_default()
    }

    fn start(&mut self, choice: Choice) -> Result<(), String> {
        let selection = Selection::parse(&choice.controllers).map_err(|error| error.to_string())?;
        let issuer = Some(TokenIssuer(self.server.issuer()));
        let options = Options { issuer, ..options(&choice)? };
        // Those of before end first.
        self.manager = None;
        self.starts += 1;
        let manager = Manager::new(&self.server, Arc::clone(&self.clock), &selection, &options);
        let control = manager.control();
        control.command(Command::Pause(choice.paused))?;
        for (name, switches) in choice.switches {
            control.command(Command::Switch { name, switches })?;
        }
        self.manager = Some(manager);
        Ok(())
    }
}

/// Returns the options of a choice.
fn options(choice: &Choice) -> Result<Options, String> {
    if choice.nodes > MOST_NODES {
        return Err(format!("there can be {MOST_NODES} nodes at most"));
    }
    Ok(Options { nodes: choice.nodes, scheduler: Some(choice.scheduler), ..Options::default() })
}

impl Controllers for Driven {
    fn poll(&mut self, cx: &mut Context<'_>) {
        if let Some(manager) = &mut self.manager {
            // It never comes to an end by itself.
            let _ = manager.poll(cx);
        }
    }

    fn ask(&mut self, ask: &[u8]) -> Result<Vec<u8>, String> {
        let Ask { command, after } = read(ask)?;
        match command {
            Some(Command::Start(choice)) => self.start(choice)?,
            Some(Command::Stop) => self.manager = None,
            Some(command) => self.control().command(command)?,
            None => {}
        }
        write(&State { start: self.starts, ..self.control().state(after) })
    }
}

/// Controllers that a host drives in another way. They can be asked, but neither started nor stopped.
impl Controllers for Control {
    fn poll(&mut self, _: &mut Context<'_>) {}

    fn ask(&mut self, ask: &[u8]) -> Result<Vec<u8>, String> {
        let Ask { command, after } = read(ask)?;
        if let Some(command) = command {
            self.command(command)?;
        }
        write(&self.state(after))
    }
}

fn read(ask: &[u8]) -> Result<Ask, String> {
    serde_json::from_slice(ask).map_err(|error| format!("not a question about controllers: {error}"))
}

fn write(state: &State) -> Result<Vec<u8>, String> {
    serde_json::to_vec(state).map_err(|error| error.to_string())
}

/// The code of controllers where it is loaded later: see [`provide`].
static MAKE: OnceLock<Make> = OnceLock::new();

/// Puts the code of controllers where engines find it, which its chunk does.
pub fn provide() {
    // In a table of constants it would belong to no chunk.
    MAKE.get_or_init(|| std::hint::black_box(here as Make));
}

/// Returns the code of controllers, if it is loaded.
pub(crate) fn late() -> Option<Make> {
    MAKE.get().copied()
}
