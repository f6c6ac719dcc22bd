//! The controllers of the cluster: what each waits for and has done, and what can be done to it.

mod latest;
mod play;
mod scene;
pub(crate) mod view;

use std::time::Duration;

use protocol::controllers::Switches;

use crate::ui::messages::controllers as words;

/// The switches of a controller of which none is set.
const RUNS: Switches = Switches { paused: false, cut_off: false, pause: Duration::ZERO };

/// The modes of a controller, and its switches in each. A slow one rests for a second after each reconcile.
const MODES: [(&str, Switches); 4] = [
    (words::RUNNING, RUNS),
    (words::PAUSED, Switches { paused: true, ..RUNS }),
    (words::SLOW, Switches { pause: Duration::from_secs(1), ..RUNS }),
    (words::CUT_OFF, Switches { cut_off: true, ..RUNS }),
];

/// The status of a conflict.
const CONFLICT: u16 = 409;

/// Returns the name of a controller without what all have in common.
fn short(name: &str) -> &str {
    name.strip_suffix("-controller").unwrap_or(name)
}
