//! Asking the controllers of the cluster of this tab, and telling them what to do. Those that somebody has started are started
//! again in the next cluster, and at the next visit.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::controllers::{Ask, Choice, Command, State};
use protocol::document::Question;

use super::{Page, address};
use crate::cluster::host::Host;
use crate::model::lab::controllers::Controllers;
use crate::ui::dom;

/// The name of the choice, kept from visit to visit.
const KEY: &str = "kubeglass.controllers";
/// The least time between two questions, while something happens.
const PAUSE: Duration = Duration::from_millis(200);

/// Follows controllers, and starts those that were at work at the last visit, if any were and the cluster is this tab's own. (A
/// document begins with a cluster in which nothing happens by itself.)
pub(crate) fn begin(page: Page) {
    follow(page);
    if address::is_open(page) || page.host.with_value(|host| *host != Host::Tab) {
        return;
    }
    let choice = dom::remembered(KEY).and_then(|text| serde_json::from_str::<Choice>(&text).ok());
    if let Some(choice) = choice {
        page.start_controllers(choice);
    }
}

/// Returns what is known of the controllers, which knows nothing at first.
fn known(page: Page) -> Rc<RefCell<Controllers>> {
    let kept = page.quietly(|model| {
        let kept = model.controllers.get_or_insert_with(|| Rc::new(RefCell::new(Controllers::default())));
        Rc::clone(kept).downcast().ok()
    });
    kept.flatten().unwrap_or_default()
}

/// Asks again and again while something happens in the cluster and controllers are at work.
fn follow(page: Page) {
    let waits = StoredValue::new(false);
    Effect::new(move || {
        page.tick.track();
        if waits.get_value() || !untrack(|| page.controllers(|known| known.state.choice.is_some())) {
            return;
        }
        waits.set_value(true);
        set_timeout(
            move || {
                if waits.try_set_value(false).is_none() {
                    page.ask_controllers(None);
                }
            },
            PAUSE,
        );
    });
}

impl Page {
    /// Looks at the controllers as they told of themselves last, and again whenever they tell more.
    pub(crate) fn controllers<T>(self, look: impl FnOnce(&Controllers) -> T) -> T {
        self.lab.told.track();
        look(&known(self).borrow())
    }

    /// Changes what is known of the controllers, and tells who shows it.
    fn change_controllers<T>(self, change: impl FnOnce(&mut Controllers) -> T) -> T {
        let changed = change(&mut known(self).borrow_mut());
        // The page may be gone by then.
        let _ = self.lab.told.try_update(|told| *told += 1);
        changed
    }

    /// Starts controllers, now and in the clusters to come.
    pub(crate) fn start_controllers(self, choice: Choice) {
        dom::remember(KEY, &serde_json::to_string(&choice).unwrap_or_default());
        self.change_controllers(|known| known.wanted = Some(choice.clone()));
        self.ask_controllers(Some(Command::Start(choice)));
    }

    /// Ends them, and starts none in the clusters to come.
    pub(crate) fn stop_controllers(self) {
        dom::remember(KEY, "");
        self.change_controllers(|known| known.wanted = None);
        self.ask_controllers(Some(Command::Stop));
    }

    /// Asks controllers how they are, after they have done what a command says.
    pub(crate) fn ask_controllers(self, command: Option<Command>) {
        let (is_asking, after) = untrack(|| self.controllers(|known| (known.is_asking, known.last())));
        // Who only wants to know is told soon.
        if is_asking && command.is_none() {
            return;
        }
        let starts = matches!(command, Some(Command::Start(_)));
        // Those that are started count anew.
        let ask = Ask { after: if starts { 0 } else { after }, command };
        let Ok(bytes) = serde_json::to_vec(&ask) else { return };
        self.change_controllers(|known| known.is_asking = true);
        let answer = self.embedded().question(Question::Controllers, Bytes::from(bytes));
        spawn_local(async move {
            let told = match answer.await {
                Ok((_, state)) => serde_json::from_slice::<State>(&state).map_err(|error| error.to_string()),
                Err(why) => Err(why.to_string()),
            };
            let next = self.change_controllers(|known| {
                known.is_asking = false;
                match told {
                    Ok(state) => {
                        known.trouble.clear();
                        if starts {
                            known.reconciles.clear();
                        }
                        known.take(state)
                    }
                    Err(why) => {
                        known.trouble = why;
                        None
                    }
                }
            });
            if let Some(command) = next {
                self.ask_controllers(Some(command));
            }
        });
    }
}
