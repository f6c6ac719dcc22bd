//! Looking at controllers while they work, and having them wait, go on, or do one step.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use protocol::controllers::{Choice, Command, Controller, Reconcile, State, Switches};

/// The number of reconciles that are kept.
const KEPT: usize = 2048;

/// The number of steps that may be asked for ahead.
const MOST_STEPS: usize = 1000;

/// The controls of a manager. All clones are the same.
#[derive(Clone, Default)]
pub struct Control(Arc<Mutex<Shared>>);

#[derive(Default)]
struct Shared {
    choice: Option<Choice>,
    is_paused: bool,
    /// The reconciles that may happen though all wait: of which controller each has to be, if that matters.
    steps: VecDeque<Option<String>>,
    is_until_quiet: bool,
    /// The controllers, with the switches that were set last.
    switches: Vec<(String, Switches)>,
    reconciles: VecDeque<Reconcile>,
    total: u64,
    /// The controllers as they were when somebody asked last.
    controllers: Vec<Controller>,
    /// The number of times that somebody has asked, and up to which of them was answered.
    asked: u64,
    answered: u64,
    /// True once there is nobody any more who answers.
    has_ended: bool,
    /// The number of times that something was set.
    version: u64,
    worker: Option<Waker>,
    asking: Vec<Waker>,
}

/// The reconciles that may happen.
pub(crate) enum Permit {
    All,
    /// One, of this controller if it is said which.
    One(Option<String>),
    Nothing,
}

impl Permit {
    /// Reports whether the next reconcile may be one of a controller.
    pub(crate) fn allows(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::One(only) => only.as_ref().is_none_or(|only| only == name),
            Self::Nothing => false,
        }
    }
}

impl Control {
    /// Makes the controls of nothing: they tell that no controllers are at work.
    pub fn of_nothing() -> Self {
        let control = Self::default();
        control.end();
        control
    }

    /// Does what a command says, where it is about controllers that work: to start and to stop them is their host's.
    ///
    /// # Errors
    /// There is no controller of that name.
    pub fn command(&self, command: Command) -> Result<(), String> {
        let mut shared = self.lock();
        let unknown = |name: &str| Err(format!("there is no controller {name:?} at work"));
        match command {
            Command::Start(_) | Command::Stop => {
                return Err("nobody here starts or stops controllers".to_owned());
            }
            Command::Pause(is_paused) => {
                shared.is_paused = is_paused;
                shared.is_until_quiet = false;
                shared.steps.clear();
            }
            Command::Step(Some(name)) if !shared.has(&name) => return unknown(&name),
            Command::Step(name) if shared.steps.len() < MOST_STEPS => shared.steps.push_back(name),
            Command::Step(_) => return Err("too many steps are asked for".to_owned()),
            Command::UntilQuiet => shared.is_until_quiet = true,
            Command::Switch { name, switches } => {
                match shared.switches.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, own)) => *own = switches,
                    None => return unknown(&name),
                }
            }
        }
        shared.version += 1;
        shared.wake_worker();
        Ok(())
    }

    /// Returns the state of the controllers, with the reconciles after the one of a number, once they have told it: they do so between two
    /// steps, or when they wait.
    pub fn state(&self, after: u64) -> impl Future<Output = State> + Send + use<> {
        let control = self.clone();
        let number = {
            let mut shared = control.lock();
            shared.asked += 1;
            shared.wake_worker();
            shared.asked
        };
        poll_fn(move |cx| {
            let mut shared = control.lock();
            if shared.answered >= number || shared.has_ended {
                return Poll::Ready(shared.state(after));
            }
            shared.asking.push(cx.waker().clone());
            Poll::Pending
        })
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what begins to work.
    pub(crate) fn begin(&self, choice: Choice, names: impl Iterator<Item = String>) {
        let mut shared = self.lock();
        shared.choice = Some(choice);
        shared.switches = names.map(|name| (name, Switches::default())).collect();
    }

    /// Takes note that nothing works any more.
    pub(crate) fn end(&self) {
        let mut shared = self.lock();
        shared.has_ended = true;
        shared.choice = None;
        shared.controllers.clear();
        shared.wake_asking();
    }

    /// Returns the reconciles that may happen now.
    pub(crate) fn permit(&self) -> Permit {
        let shared = self.lock();
        match shared.steps.front() {
            _ if !shared.is_paused || shared.is_until_quiet => Permit::All,
            Some(step) => Permit::One(step.clone()),
            None => Permit::Nothing,
        }
    }

    /// Takes note that a step was done, or that there was none to be done.
    pub(crate) fn stepped(&self, was_done: bool) {
        let mut shared = self.lock();
        if shared.is_paused && !shared.is_until_quiet {
            shared.steps.pop_front();
        }
        if !was_done {
            shared.is_until_quiet = false;
        }
    }

    /// Reports whether a step may still happen though all wait.
    pub(crate) fn has_steps(&self) -> bool {
        let shared = self.lock();
        shared.is_paused && (shared.is_until_quiet || !shared.steps.is_empty())
    }

    /// Returns the switches of all controllers, if something was set since a version, which becomes the newest.
    pub(crate) fn news(&self, version: &mut u64) -> Option<Vec<Switches>> {
        let shared = self.lock();
        let known = std::mem::replace(version, shared.version);
        (known != shared.version).then(|| shared.switches.iter().map(|(_, switches)| *switches).collect())
    }

    /// Keeps a reconcile.
    pub(crate) fn keep(&self, mut reconcile: Reconcile) {
        let mut shared = self.lock();
        shared.total += 1;
        reconcile.number = shared.total;
        if shared.reconciles.len() == KEPT {
            shared.reconciles.pop_front();
        }
        shared.reconciles.push_back(reconcile);
    }

    /// Tells those who have asked of the controllers as they are, if anybody has.
    pub(crate) fn tell(&self, controllers: impl FnOnce() -> Vec<Controller>) {
        let asked = {
            let shared = self.lock();
            if shared.answered == shared.asked {
                return;
            }
            shared.asked
        };
        let controllers = controllers();
        let mut shared = self.lock();
        shared.controllers = controllers;
        shared.answered = asked;
        shared.wake_asking();
    }

    /// Waits until somebody asks, or something is set after a version.
    pub(crate) async fn changed(&self, version: u64) {
        poll_fn(|cx| {
            let mut shared = self.lock();
            if shared.version != version || shared.answered < shared.asked {
                return Poll::Ready(());
            }
            shared.worker = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

impl Shared {
    fn has(&self, name: &str) -> bool {
        self.switches.iter().any(|(known, _)| known == name)
    }

    fn wake_worker(&mut self) {
        if let Some(waker) = self.worker.take() {
            waker.wake();
        }
    }

    fn wake_asking(&mut self) {
        self.asking.drain(..).for_each(Waker::wake);
    }

    fn state(&self, after: u64) -> State {
        let new = self.reconciles.partition_point(|reconcile| reconcile.number <= after);
        State {
            choice: self.choice.clone(),
            paused: self.is_paused,
            controllers: self.controllers.clone(),
            reconciles: self.reconciles.range(new..).cloned().collect(),
        }
    }
}
