//! The controllers at work on the cluster, as they told of themselves last, and their latest reconciles.

use std::collections::VecDeque;

use protocol::controllers::{Choice, Command, Controller, Reconcile, State, Switches};

use super::scenes::Played;

/// The number of reconciles that are kept.
const KEPT: usize = 4096;

/// The choice that a click makes.
pub(crate) fn all() -> Choice {
    Choice { controllers: vec!["*".to_owned()], nodes: 3, scheduler: true, ..Choice::default() }
}

/// The controllers, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Controllers {
    /// Their state, without the reconciles.
    pub(crate) state: State,
    /// The reconciles, oldest first.
    pub(crate) reconciles: VecDeque<Reconcile>,
    /// The choice that this tab wants in any case, as it was last: it is made again where an engine takes the place of another.
    pub(crate) wanted: Option<Choice>,
    /// Why the last command came to nothing; empty if it did not.
    pub(crate) trouble: String,
    /// The scene that was begun last.
    pub(crate) played: Option<Played>,
    /// Flags: a question is under way; some are being started.
    pub(crate) is_asking: bool,
    pub(crate) is_starting: bool,
}

/// The next question after an answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    Nothing,
    /// The same once more: what was told is of another start than what was known.
    Again,
    Do(Command),
}

impl Controllers {
    /// Returns the number of the last reconcile that is known.
    pub(crate) fn last(&self) -> u64 {
        self.reconciles.back().map_or(0, |reconcile| reconcile.number)
    }

    /// Reports whether any controllers work.
    pub(crate) fn work(&self) -> bool {
        self.state.choice.is_some()
    }

    /// Reports whether all of them wait.
    pub(crate) fn wait(&self) -> bool {
        self.state.choice.as_ref().is_some_and(|choice| choice.paused)
    }

    /// Returns the switches of the controller of a name.
    pub(crate) fn switches(&self, name: &str) -> Switches {
        let mut set = self.state.choice.iter().flat_map(|choice| &choice.switches);
        set.find(|(known, _)| known == name).map(|(_, switches)| *switches).unwrap_or_default()
    }

    /// Takes a state, and returns what is to be asked because of it.
    pub(crate) fn take(&mut self, mut state: State) -> Next {
        let new = std::mem::take(&mut state.reconciles);
        let is_other = state.start != self.state.start && !self.reconciles.is_empty();
        self.state = state;
        if is_other {
            self.reconciles.clear();
        }
        match (&self.state.choice, &mut self.wanted) {
            (None, Some(wanted)) if !self.is_starting => return Next::Do(Command::Start(wanted.clone())),
            (Some(choice), Some(wanted)) => wanted.clone_from(choice),
            _ => {}
        }
        if is_other {
            return Next::Again;
        }
        let known = self.last();
        self.reconciles.extend(new.into_iter().filter(|reconcile| reconcile.number > known));
        let over = self.reconciles.len().saturating_sub(KEPT);
        self.reconciles.drain(..over);
        Next::Nothing
    }

    /// Returns the reconcile that wrote a revision, if it is known.
    pub(crate) fn wrote(&self, revision: u64) -> Option<&Reconcile> {
        self.reconciles.iter().rev().find(|reconcile| reconcile.wrote.contains(&revision))
    }
}

/// Reports whether a controller has a key that is due.
pub(crate) fn has_due(controller: &Controller) -> bool {
    controller.waiting.first().is_some_and(|waiting| waiting.due.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(start: u64, choice: Option<Choice>, numbers: &[u64]) -> State {
        let reconcile =
            |number: &u64| Reconcile { number: *number, wrote: vec![*number * 10], ..Reconcile::default() };
        State { start, choice, reconciles: numbers.iter().map(reconcile).collect(), ..State::default() }
    }

    #[test]
    fn what_is_told_twice_is_kept_once() {
        let mut known = Controllers::default();
        assert_eq!(known.take(state(1, Some(all()), &[1, 2])), Next::Nothing);
        assert_eq!(known.take(state(1, Some(all()), &[2, 3])), Next::Nothing);
        assert_eq!((known.reconciles.len(), known.last()), (3, 3));
        assert_eq!(known.wrote(20).map(|reconcile| reconcile.number), Some(2));
        assert!(known.wrote(25).is_none());
        // Others have numbers of their own.
        assert_eq!(known.take(state(2, Some(all()), &[4])), Next::Again);
        assert_eq!(known.last(), 0);
        assert_eq!(known.take(state(2, Some(all()), &[1])), Next::Nothing);
        assert_eq!(known.last(), 1);
    }

    #[test]
    fn what_is_wanted_begins_again_as_it_was() {
        let mut known = Controllers { wanted: Some(all()), is_starting: true, ..Controllers::default() };
        assert_eq!(known.take(state(0, None, &[])), Next::Nothing);
        known.is_starting = false;
        let now = Choice { paused: true, ..all() };
        known.take(state(1, Some(now.clone()), &[1, 2]));
        assert_eq!(known.take(state(0, None, &[])), Next::Do(Command::Start(now)));
        known.wanted = None;
        assert_eq!(known.take(state(0, None, &[])), Next::Nothing);
    }
}
