//! The time of the embedded cluster, and what goes by the beat that advances it.

use std::time::Duration;

use leptos::prelude::*;
use protocol::command::Command;

use crate::state::Page;
use crate::ui::dom;

/// Every so many beats what need not be shown in every frame is shown.
const SLOW: u64 = 3;
/// Every so many beats the time is shown.
const SECOND: u64 = 10;

impl Page {
    /// The clock has been advanced to `now`.
    pub(crate) fn beat(self, now: Duration) {
        let beats = self.lab.beats.get_value() + 1;
        self.lab.beats.set_value(beats);
        if beats % SECOND == 1 {
            self.tell_time(now);
        }
        if beats.is_multiple_of(SLOW) {
            let seen = (self.tick.get_untracked(), now);
            if self.lab.seen.get_value() != seen || self.lab.again.get_value() {
                self.lab.seen.set_value(seen);
                self.look_again();
            }
        }
    }

    /// Shows what need not be shown in every frame.
    fn look_again(self) {
        self.count_watches();
        self.lab.slow.update(|slow| *slow += 1);
    }

    /// Finds out which watches bring more than anybody can follow.
    fn count_watches(self) {
        let floods = self.quietly(|model| {
            for watch in &mut model.watches {
                watch.count();
                watch.in_view = !watch.floods || dom::in_view(&["watch-", &watch.id.to_string()].concat());
            }
            model.watches.iter().any(|watch| watch.floods)
        });
        // What is shown less often is shown once more when it is over.
        self.lab.again.set_value(floods.unwrap_or_default());
    }

    /// Lets the clock go, or stops it.
    pub(crate) fn set_running(self, running: bool) {
        self.speed.set(if running { self.lab.pace.get_untracked() } else { 0 });
    }

    /// Sets how fast the clock goes; one that is stopped goes.
    pub(crate) fn set_pace(self, pace: u32) {
        self.lab.pace.set(pace.max(1));
        self.set_running(true);
    }

    /// Moves the time on, whether it goes or not.
    pub(crate) fn step_time(self, seconds: u64) {
        // Waking sleepers runs their code: the model must not be borrowed meanwhile.
        let (clock, by) = (self.embedded().clock.clone(), Duration::from_secs(seconds));
        self.command(Command::Advance { by });
        clock.advance(by);
        self.tell_time(clock::Clock::now(&clock));
        self.touch();
    }

    fn tell_time(self, now: Duration) {
        if self.lab.now.get_untracked() != now.as_secs() {
            self.lab.now.set(now.as_secs());
        }
    }
}
