//! Asking the controllers of the cluster, and telling them what to do. Those that somebody has started in a cluster of this tab
//! alone are started again in the next one, and at the next visit.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::controllers::{Ask, Choice, Command, State};
use protocol::document::Question;
use protocol::message::Error;

use super::{Page, address};
use crate::cluster::host::Host;
use crate::model::lab::controllers::{Controllers, Next};
use crate::ui::dom;
use crate::ui::messages::controllers as words;

/// The name of the choice, kept from visit to visit.
const KEY: &str = "kubeglass.controllers";
/// The least time between two questions, and the time after which to look what has come of a command.
const PAUSE: Duration = Duration::from_millis(200);

/// Follows controllers. Starts those that were at work at the last visit, if any were and the cluster is this tab's own. (A document
/// begins with a cluster in which nothing happens by itself.)
pub(crate) fn begin(page: Page) {
    follow(page);
    if !page.is_alone() {
        return page.ask_controllers(None);
    }
    let has_begun = untrack(|| page.controllers(|known| known.wanted.is_some()));
    if has_begun || address::is_open(page) {
        return;
    }
    let choice = dom::remembered(KEY).and_then(|text| serde_json::from_str::<Choice>(&text).ok());
    if let Some(choice) = choice {
        page.start_controllers(choice);
    }
}

/// Asks again and again while something happens in the cluster and controllers are at work, or are to be.
fn follow(page: Page) {
    let waits = StoredValue::new(false);
    let soon = move || {
        if !waits.get_value() {
            waits.set_value(true);
            set_timeout(
                move || {
                    if waits.try_set_value(false).is_none() {
                        page.ask_controllers(None);
                    }
                },
                PAUSE,
            );
        }
    };
    Effect::new(move || {
        page.tick.track();
        if untrack(|| page.controllers(|known| known.work() || known.wanted.is_some())) {
            soon();
        }
    });
    // What only becomes due writes nothing.
    Effect::new(move || {
        page.lab.now.track();
        let queued = |known: &Controllers| known.state.controllers.iter().any(|one| one.queued > 0);
        if untrack(|| page.controllers(queued)) {
            soon();
        }
    });
}

/// Returns what is known of the controllers, which is nothing at first.
fn known(page: Page) -> Rc<RefCell<Controllers>> {
    let kept = page.quietly(|model| {
        let kept = model.controllers.get_or_insert_with(|| Rc::new(RefCell::new(Controllers::default())));
        Rc::clone(kept).downcast().ok()
    });
    kept.flatten().unwrap_or_default()
}

impl Page {
    /// Reports whether nobody but this tab uses the cluster.
    pub(crate) fn is_alone(self) -> bool {
        self.host.with_value(|host| *host == Host::Tab)
    }

    /// Looks at the controllers as they told of themselves last, and again whenever they tell more.
    pub(crate) fn controllers<T>(self, look: impl FnOnce(&Controllers) -> T) -> T {
        self.lab.told.track();
        look(&known(self).borrow())
    }

    /// Changes what is known of the controllers, and tells who shows it.
    pub(crate) fn change_controllers<T>(self, change: impl FnOnce(&mut Controllers) -> T) -> T {
        let changed = change(&mut known(self).borrow_mut());
        // The page may be gone by then.
        let _ = self.lab.told.try_update(|told| *told += 1);
        changed
    }

    /// Starts controllers; in a cluster of this tab alone, in those to come, too.
    pub(crate) fn start_controllers(self, choice: Choice) {
        let wanted = self.is_alone().then(|| choice.clone());
        self.change_controllers(|known| known.wanted = wanted);
        self.ask_controllers(Some(Command::Start(choice)));
    }

    /// Ends them, and starts none in the clusters to come.
    pub(crate) fn stop_controllers(self) {
        self.change_controllers(|known| known.wanted = None);
        self.ask_controllers(Some(Command::Stop));
    }

    /// Asks controllers how they are, after they have done what a command says.
    pub(crate) fn ask_controllers(self, command: Option<Command>) {
        let asked = known(self);
        let after = asked.borrow().last();
        // Who only wants to know is told soon.
        if command.is_none() && asked.borrow().is_asking {
            return;
        }
        let commands = command.is_some();
        let load = matches!(command, Some(Command::Start(_)));
        let Ok(bytes) = serde_json::to_vec(&Ask { command, after }) else { return };
        self.change_controllers(|known| {
            known.is_asking = true;
            known.is_starting |= load;
        });
        let answer = self.embedded().question(Question::Controllers { load }, Bytes::from(bytes));
        spawn_local(async move {
            let told =
                answer.await.map(|(_, state)| serde_json::from_slice::<State>(&state).unwrap_or_default());
            // Another cluster may be shown by then.
            if !Rc::ptr_eq(&asked, &known(self)) {
                return;
            }
            let is_done = told.is_ok();
            let next = self.change_controllers(|known| {
                known.is_asking = false;
                known.is_starting &= !load;
                match told {
                    Ok(state) => {
                        known.trouble.clear();
                        known.take(state)
                    }
                    Err(why) => {
                        // An engine that has stopped says so itself.
                        let is_over = matches!(why, Error::Stopped(_));
                        known.trouble =
                            if is_over { String::new() } else { words::trouble(&why.to_string()) };
                        Next::Nothing
                    }
                }
            });
            if commands && is_done {
                self.remember_controllers();
                set_timeout(move || self.ask_controllers(None), PAUSE);
            }
            match next {
                Next::Nothing => {}
                Next::Again => self.ask_controllers(None),
                Next::Do(command) => self.ask_controllers(Some(command)),
            }
        });
    }

    /// Remembers what works in a cluster of this tab alone for the next visit.
    fn remember_controllers(self) {
        if !self.is_alone() {
            return;
        }
        let known = known(self);
        let known = known.borrow();
        let choice = known.wanted.as_ref().filter(|_| known.work());
        let text = choice.and_then(|choice| serde_json::to_string(choice).ok());
        dom::remember(KEY, &text.unwrap_or_default());
    }
}
