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

/// The error of who asks for something where nothing works.
const NOTHING: &str = "no controllers are at work";

/// The controls of a manager. All clones are the same.
#[derive(Clone, Default)]
pub struct Control(Arc<Mutex<Shared>>);

#[derive(Default)]
struct Shared {
    /// `None` if nothing works, or no longer.
    choice: Option<Choice>,
    /// The controllers as they told of themselves last.
    controllers: Vec<Controller>,
    /// The reconciles that may happen though all wait: of which controller each has to be, if that matters.
    steps: VecDeque<Option<String>>,
    is_until_quiet: bool,
    /// True while a step happens.
    is_stepping: bool,
    reconciles: VecDeque<Reconcile>,
    total: u64,
    /// True if somebody has asked since the controllers told of themselves.
    is_asked: bool,
    /// The number of times that something was set or asked, and that switches were set.
    version: u64,
    switched: u64,
    worker: Option<Waker>,
}

/// The reconciles that may happen.
#[derive(Debug, PartialEq)]
pub(crate) enum Permit {
    All,
    /// All that are due while the others wait: what is not is the end of that.
    UntilQuiet,
    /// One, of this controller if it is said which.
    One(Option<String>),
    Nothing,
}

impl Permit {
    /// Reports whether the next reconcile may be one of a controller.
    pub(crate) fn allows(&self, name: &str) -> bool {
        match self {
            Self::All | Self::UntilQuiet => true,
            Self::One(only) => only.as_ref().is_none_or(|only| only == name),
            Self::Nothing => false,
        }
    }

    /// Reports whether it is for one controller, which then does not wait or rest.
    pub(crate) fn insists(&self) -> bool {
        matches!(self, Self::One(Some(_)))
    }
}

impl Control {
    /// Does what a command says, where it is about controllers that work: to start and to stop them is their host's.
    ///
    /// # Errors
    /// Nothing works, or there is no controller of that name, in a sentence without its end.
    pub fn command(&self, command: Command) -> Result<(), String> {
        let mut shared = self.lock();
        let Shared { choice, controllers, steps, is_until_quiet, switched, .. } = &mut *shared;
        let choice = choice.as_mut().ok_or(NOTHING)?;
        let check = |name: &str| {
            let is_known = controllers.iter().any(|one| one.name == name);
            if is_known { Ok(()) } else { Err(format!("there is no controller {name:?} at work")) }
        };
        match command {
            Command::Start(_) | Command::Stop => {
                return Err("these controllers are started and stopped with their server".to_owned());
            }
            Command::Pause(is_paused) => {
                choice.paused = is_paused;
                *is_until_quiet = false;
                steps.clear();
            }
            Command::Step(name) => {
                name.as_deref().map_or(Ok(()), check)?;
                if steps.len() == MOST_STEPS {
                    return Err("too many steps are asked for".to_owned());
                }
                steps.push_back(name);
            }
            Command::UntilQuiet => *is_until_quiet = true,
            Command::Switch { name, switches } => {
                check(&name)?;
                choice.switches.retain(|(known, _)| *known != name);
                if switches != Switches::default() {
                    choice.switches.push((name, switches));
                }
                *switched += 1;
            }
        }
        shared.wake_worker();
        Ok(())
    }

    /// Returns the state of the controllers, with the reconciles after the one of a number. What their queues have they told last when
    /// they were free to, and will soon tell again.
    pub fn state(&self, after: u64) -> State {
        let mut shared = self.lock();
        shared.is_asked = true;
        shared.wake_worker();
        let new = shared.reconciles.partition_point(|reconcile| reconcile.number <= after);
        State {
            start: 0,
            choice: shared.choice.clone(),
            controllers: shared.controllers.clone(),
            pending: shared.waits()
                && (shared.is_stepping || shared.is_until_quiet || !shared.steps.is_empty()),
            reconciles: shared.reconciles.range(new..).cloned().collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what begins to work.
    pub(crate) fn begin(&self, choice: Choice, controllers: Vec<Controller>) {
        let mut shared = self.lock();
        (shared.choice, shared.controllers) = (Some(choice), controllers);
    }

    /// Takes note that nothing works any more.
    pub(crate) fn end(&self) {
        let mut shared = self.lock();
        shared.choice = None;
        shared.controllers.clear();
        shared.steps.clear();
        (shared.is_until_quiet, shared.is_stepping) = (false, false);
    }

    /// Returns the number of times that something was set or asked.
    pub(crate) fn version(&self) -> u64 {
        self.lock().version
    }

    /// Takes the permit for the next reconcile: a step is used up by that, whether anything comes of it or not.
    pub(crate) fn permit(&self) -> Permit {
        let mut shared = self.lock();
        if !shared.waits() {
            return Permit::All;
        }
        if shared.is_until_quiet {
            return Permit::UntilQuiet;
        }
        let step = shared.steps.pop_front();
        shared.is_stepping = step.is_some();
        step.map_or(Permit::Nothing, Permit::One)
    }

    /// Reports whether all wait.
    pub(crate) fn waits(&self) -> bool {
        self.lock().waits()
    }

    /// Takes note that nothing was due that a permit was for. Reports whether there may be another one.
    pub(crate) fn found_nothing(&self, permit: &Permit) -> bool {
        match permit {
            Permit::All | Permit::Nothing => false,
            Permit::One(_) => {
                self.lock().is_stepping = false;
                true
            }
            Permit::UntilQuiet => {
                self.lock().is_until_quiet = false;
                true
            }
        }
    }

    /// Returns the switches that are set, if any was set since a number of times, which becomes the newest.
    pub(crate) fn switches(&self, switched: &mut u64) -> Option<Vec<(String, Switches)>> {
        let shared = self.lock();
        let known = std::mem::replace(switched, shared.switched);
        (known != shared.switched).then(|| shared.choice.clone().unwrap_or_default().switches)
    }

    /// Keeps a reconcile.
    pub(crate) fn keep(&self, mut reconcile: Reconcile) {
        let mut shared = self.lock();
        shared.is_stepping = false;
        shared.total += 1;
        reconcile.number = shared.total;
        if shared.reconciles.len() == KEPT {
            shared.reconciles.pop_front();
        }
        shared.reconciles.push_back(reconcile);
    }

    /// Tells of the controllers as they are, if anybody has asked.
    pub(crate) fn tell(&self, controllers: impl FnOnce() -> Vec<Controller>) {
        if std::mem::take(&mut self.lock().is_asked) {
            let controllers = controllers();
            self.lock().controllers = controllers;
        }
    }

    /// Waits until something is set or asked after a version.
    pub(crate) async fn changed(&self, version: u64) {
        poll_fn(|cx| {
            let mut shared = self.lock();
            if shared.version != version {
                return Poll::Ready(());
            }
            shared.worker = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

impl Shared {
    fn waits(&self) -> bool {
        self.choice.as_ref().is_some_and(|choice| choice.paused)
    }

    fn wake_worker(&mut self) {
        self.version += 1;
        if let Some(waker) = self.worker.take() {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control() -> Control {
        let control = Control::default();
        let controller = Controller { name: "a".to_owned(), ..Controller::default() };
        control.begin(Choice::default(), vec![controller]);
        control
    }

    #[test]
    fn a_step_is_used_up_by_who_takes_it() {
        let control = control();
        let running = control.permit();
        for command in [Command::Pause(true), Command::Step(None), Command::Step(Some("a".to_owned()))] {
            control.command(command).unwrap();
        }
        // Who was at work before has no step to use up.
        assert!(!control.found_nothing(&running));
        let step = control.permit();
        assert_eq!(step, Permit::One(None));
        assert!(control.found_nothing(&step));
        assert!(control.state(0).pending);
        assert_eq!(control.permit(), Permit::One(Some("a".to_owned())));
        assert!(control.state(0).pending);
        control.keep(Reconcile::default());
        assert!(!control.state(0).pending);
        assert_eq!(control.permit(), Permit::Nothing);
    }

    #[test]
    fn what_is_asked_for_meanwhile_is_not_over() {
        let control = control();
        control.command(Command::Pause(true)).unwrap();
        let nothing = control.permit();
        control.command(Command::UntilQuiet).unwrap();
        assert!(!control.found_nothing(&nothing));
        let quiet = control.permit();
        assert_eq!(quiet, Permit::UntilQuiet);
        assert!(control.found_nothing(&quiet));
        assert_eq!(control.permit(), Permit::Nothing);
    }

    #[test]
    fn where_nothing_works_nothing_is_done() {
        let control = Control::default();
        for command in [Command::Pause(true), Command::Step(None), Command::UntilQuiet] {
            assert_eq!(control.command(command), Err(NOTHING.to_owned()));
        }
        assert_eq!(control.state(0), State::default());
    }
}
