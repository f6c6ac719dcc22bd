//! The controllers of the cluster of this tab: what each waits for and has done, and what can be done to it.

mod latest;
pub(crate) mod view;

use std::time::Duration;

use protocol::controllers::Switches;

/// The time that a slow controller rests after each reconcile.
const SLOW: Duration = Duration::from_secs(1);

/// Returns the place of the mode of switches among [`MODES`](crate::ui::messages::controllers::MODES).
fn mode(switches: Switches) -> usize {
    match switches {
        Switches { cut_off: true, .. } => 3,
        Switches { paused: true, .. } => 1,
        Switches { pause, .. } if !pause.is_zero() => 2,
        _ => 0,
    }
}

/// Returns the name of a controller without what all have in common.
fn short(name: &str) -> &str {
    name.strip_suffix("-controller").unwrap_or(name)
}

/// Returns the switches of a mode.
fn switches(mode: usize) -> Switches {
    match mode {
        1 => Switches { paused: true, ..Switches::default() },
        2 => Switches { pause: SLOW, ..Switches::default() },
        3 => Switches { cut_off: true, ..Switches::default() },
        _ => Switches::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_has_its_switches() {
        for number in 0..4 {
            assert_eq!(mode(switches(number)), number);
        }
    }
}
