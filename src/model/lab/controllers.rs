//! The controllers at work on the cluster of this tab, as they told of themselves last, and their latest reconciles.

use std::collections::VecDeque;

use protocol::controllers::{Choice, Command, Reconcile, State};

/// The number of reconciles that are kept.
const KEPT: usize = 4096;

/// The choice that a click makes.
pub(crate) fn all() -> Choice {
    Choice { controllers: vec!["*".to_owned()], nodes: 3, scheduler: true }
}

/// The controllers, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Controllers {
    /// Their state, without the reconciles.
    pub(crate) state: State,
    /// The reconciles, oldest first.
    pub(crate) reconciles: VecDeque<Reconcile>,
    /// The choice that is wanted in any case: it is made again where an engine takes the place of another.
    pub(crate) wanted: Option<Choice>,
    /// Why the last command came to nothing; empty if it did not.
    pub(crate) trouble: String,
    /// True while a question is under way.
    pub(crate) is_asking: bool,
}

impl Controllers {
    /// Returns the number of the last reconcile that is known.
    pub(crate) fn last(&self) -> u64 {
        self.reconciles.back().map_or(0, |reconcile| reconcile.number)
    }

    /// Takes a state. Returns what is to be asked for because of it, if anything is: to begin again in another engine.
    pub(crate) fn take(&mut self, mut state: State) -> Option<Command> {
        let new = std::mem::take(&mut state.reconciles);
        let is_gone = self.state.choice.is_some() && state.choice.is_none();
        self.state = state;
        if is_gone && let Some(wanted) = self.wanted.clone() {
            // Others begin to count anew.
            self.reconciles.clear();
            return Some(Command::Start(wanted));
        }
        let known = self.last();
        self.reconciles.extend(new.into_iter().filter(|reconcile| reconcile.number > known));
        let over = self.reconciles.len().saturating_sub(KEPT);
        self.reconciles.drain(..over);
        None
    }

    /// Returns the reconcile that wrote a revision, if it is known.
    pub(crate) fn wrote(&self, revision: u64) -> Option<&Reconcile> {
        self.reconciles.iter().rev().find(|reconcile| reconcile.wrote.contains(&revision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(choice: Option<Choice>, numbers: &[u64]) -> State {
        let reconcile =
            |number: &u64| Reconcile { number: *number, wrote: vec![*number * 10], ..Reconcile::default() };
        State { choice, reconciles: numbers.iter().map(reconcile).collect(), ..State::default() }
    }

    #[test]
    fn what_is_told_twice_is_kept_once() {
        let mut known = Controllers::default();
        assert_eq!(known.take(state(Some(all()), &[1, 2])), None);
        assert_eq!(known.take(state(Some(all()), &[2, 3])), None);
        assert_eq!((known.reconciles.len(), known.last()), (3, 3));
        assert_eq!(known.wrote(20).map(|reconcile| reconcile.number), Some(2));
        assert!(known.wrote(25).is_none());
    }

    #[test]
    fn what_is_wanted_begins_again_in_another_engine() {
        let mut known = Controllers { wanted: Some(all()), ..Controllers::default() };
        known.take(state(Some(all()), &[1, 2]));
        assert_eq!(known.take(state(None, &[])), Some(Command::Start(all())));
        // It is asked for once.
        assert_eq!(known.take(state(None, &[])), None);
        known.take(state(Some(all()), &[1]));
        assert_eq!(known.last(), 1);
        known.wanted = None;
        assert_eq!(known.take(state(None, &[])), None);
    }
}
