//! The controllers of a cluster, which are driven and asked with it. Their code may be loaded when somebody first asks for them.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Context;

use ::controllers::{Control, Manager, Options, Selection};
use apiserver::ApiServer;
use apiserver::code::Chunk;
use bytes::Bytes;
use clock::Clock;
use futures::FutureExt;
use futures::future::{BoxFuture, LocalBoxFuture, ready};
use protocol::controllers::{Ask, Choice, Command, State};
use protocol::document::Answer;
use protocol::message::Error;

use crate::{Code, call};

/// The code that the requests of controllers need.
const NEEDED: [Chunk; 6] = [
    Chunk::Writes,
    Chunk::Workloads,
    Chunk::Validation,
    Chunk::Expressions,
    Chunk::MediaTypes,
    Chunk::Discovery,
];

/// The controllers of a cluster, whoever drives them.
pub trait Controllers: Send {
    /// Makes progress. `cx` is woken when there may be more to do.
    fn poll(&mut self, cx: &mut Context<'_>);

    /// Answers a question, which is an [`Ask`] in JSON, by a [`State`] in JSON. An error is a sentence.
    fn ask(&mut self, ask: &[u8]) -> BoxFuture<'static, Result<Vec<u8>, String>>;
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

/// Answers a question about the controllers of the cluster of an API server.
pub(crate) async fn answer(
    slot: Slot,
    server: ApiServer,
    clock: Arc<dyn Clock>,
    ask: Bytes,
    code: Code,
) -> Result<(Answer, Bytes), Error> {
    if let Some(load) = code.load {
        call::prefetch(load, &NEEDED).await;
        if let Some(missing) = NEEDED.iter().find(|chunk| !chunk.is_there()) {
            return Err(Error::NotLoaded(missing.name().to_owned()));
        }
    }
    if let Some(load) = code.load_controllers.filter(|_| (code.controllers)().is_none()) {
        load().await.map_err(Error::NotLoaded)?;
    }
    let asked = {
        let mut slot = slot.lock();
        let controllers = match &mut *slot {
            Some(controllers) => controllers,
            none => {
                let make = (code.controllers)().ok_or_else(not_loaded)?;
                none.insert(make(&server, clock))
            }
        };
        controllers.ask(&ask)
    };
    let state = asked.await.map_err(Error::Refused)?;
    Ok((Answer::Document, Bytes::from(state)))
}

fn not_loaded() -> Error {
    Error::NotLoaded("controllers".to_owned())
}

/// Loads the code of controllers: an error says why it cannot be had now.
pub type LoadControllers = fn() -> LocalBoxFuture<'static, Result<(), String>>;

/// Makes controllers that an engine drives.
pub fn here(server: &ApiServer, clock: Arc<dyn Clock>) -> Box<dyn Controllers> {
    Box::new(Driven { server: server.clone(), clock, manager: None })
}

/// Controllers that whoever has the cluster drives: they can be started and stopped.
struct Driven {
    server: ApiServer,
    clock: Arc<dyn Clock>,
    manager: Option<Manager>,
}

impl Driven {
    fn start(&mut self, choice: &Choice) -> Result<(), String> {
        let selection = Selection::parse(&choice.controllers).map_err(|error| error.to_string())?;
        let options = options(choice)?;
        // Those of before end first.
        self.manager = None;
        self.manager = Some(Manager::new(&self.server, Arc::clone(&self.clock), &selection, &options));
        Ok(())
    }
}

/// The most nodes that may be asked for.
const MOST_NODES: u32 = 100;

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

    fn ask(&mut self, ask: &[u8]) -> BoxFuture<'static, Result<Vec<u8>, String>> {
        let Ask { command, after } = match read(ask) {
            Ok(ask) => ask,
            Err(why) => return ready(Err(why)).boxed(),
        };
        let done = match command {
            Some(Command::Start(choice)) => self.start(&choice),
            Some(Command::Stop) => {
                self.manager = None;
                Ok(())
            }
            Some(command) => match &self.manager {
                Some(manager) => manager.control().command(command),
                None => Err("no controllers are at work".to_owned()),
            },
            None => Ok(()),
        };
        match (&self.manager, done) {
            (_, Err(why)) => ready(Err(why)).boxed(),
            (None, Ok(())) => ready(write(&State::default())).boxed(),
            (Some(manager), Ok(())) => state(manager.control(), after),
        }
    }
}

/// Controllers that a host drives in another way. They can be asked, but neither started nor stopped.
impl Controllers for Control {
    fn poll(&mut self, _: &mut Context<'_>) {}

    fn ask(&mut self, ask: &[u8]) -> BoxFuture<'static, Result<Vec<u8>, String>> {
        let done = read(ask).and_then(|Ask { command, after }| {
            command.map_or(Ok(()), |command| self.command(command))?;
            Ok(after)
        });
        match done {
            Ok(after) => state(self, after),
            Err(why) => ready(Err(why)).boxed(),
        }
    }
}

fn read(ask: &[u8]) -> Result<Ask, String> {
    serde_json::from_slice(ask).map_err(|error| format!("not a question about controllers: {error}"))
}

fn write(state: &State) -> Result<Vec<u8>, String> {
    serde_json::to_vec(state).map_err(|error| error.to_string())
}

fn state(control: &Control, after: u64) -> BoxFuture<'static, Result<Vec<u8>, String>> {
    control.state(after).map(|state| write(&state)).boxed()
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
