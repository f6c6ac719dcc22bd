//! The race, with the requests that it sends.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::cluster::Which;
use crate::cluster::trace::Origin;
use crate::model::lab::race::{Copy, Mode, NAME, Race, Step};
use crate::model::messages::lab as say;
use crate::state::Page;
use crate::ui::dom;

/// How long each step stays when it plays by itself, in milliseconds.
const STEP: i32 = 1100;

impl Page {
    /// Begins anew.
    pub(crate) fn begin_race(self, mode: Mode) {
        self.lab.playing.set(false);
        spawn_local(async move {
            self.line_up(mode).await;
        });
    }

    async fn line_up(self, mode: Mode) -> Option<()> {
        if self.cluster.get_untracked() == Which::Remote {
            return None;
        }
        let namespace = self.namespace.get_untracked();
        let namespace = if namespace.is_empty() { "default".to_owned() } else { namespace };
        let mut race = Race::new(mode, &namespace);
        self.lab.race.set(Race { namespace: String::new(), ..race.clone() });
        for request in race.start() {
            self.exchange(request, Origin::Lab, false).await?;
        }
        race.outcome = None;
        self.lab.race.set(race);
        Some(())
    }

    /// Takes one step.
    pub(crate) fn race_step(self, who: usize, step: Step) {
        self.lab.playing.set(false);
        spawn_local(async move {
            self.take_step(who, step).await;
        });
    }

    /// Reads again, makes the change again, and writes that.
    pub(crate) fn race_again(self, who: usize) {
        self.lab.playing.set(false);
        spawn_local(async move {
            for step in [Step::Read, Step::Change, Step::Write] {
                self.take_step(who, step).await;
            }
        });
    }

    async fn take_step(self, who: usize, step: Step) {
        let race = self.lab.race;
        if !race.with_untracked(|race| race.can(who, step)) || self.cluster.get_untracked() == Which::Remote {
            return;
        }
        if step == Step::Change {
            race.update(|race| race.change(who));
            return;
        }
        let Some(request) = race.with_untracked(|race| race.request(who, step)) else { return };
        race.update(|race| race.clients[who].waits = true);
        let answer = self.exchange(request, Origin::Lab, true).await.and_then(|id| self.settled(id));
        let (code, body) = answer.unwrap_or_default();
        race.update(|race| race.answered(who, step, code, &body));
        if let Some(outcome) = race.with_untracked(|race| race.outcome) {
            self.say(&say::outcome(outcome));
        }
    }

    /// Lets the race play by itself from its start, or stops that.
    pub(crate) fn play_race(self) {
        let playing = self.lab.playing;
        if playing.get_untracked() {
            playing.set(false);
            return;
        }
        playing.set(true);
        let mode = self.lab.race.with_untracked(|race| race.mode);
        spawn_local(async move {
            self.line_up(mode).await;
            for (who, step) in Race::script(mode) {
                dom::sleep(STEP).await;
                if !playing.get_untracked() {
                    return;
                }
                self.take_step(who, step).await;
            }
            playing.set(false);
        });
    }

    /// The object of the race, as the store has it now.
    pub(crate) fn race_truth(self) -> Option<Copy> {
        let namespace = self.lab.race.with(|race| race.namespace.clone());
        self.tick.track();
        if namespace.is_empty() || self.cluster.get() == Which::Remote {
            return None;
        }
        untrack(|| {
            self.read(|model| {
                let glass = model.glass(Which::ThisTab);
                let object = glass.versions().object_at("configmaps", &namespace, NAME, glass.revision())?;
                Copy::of(&serde_json::from_slice(&object.json).ok()?)
            })
        })
    }
}
