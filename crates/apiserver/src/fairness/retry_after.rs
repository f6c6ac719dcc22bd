//! The time after which a client is to try again: longer, the more are refused.

use std::collections::VecDeque;

/// The longest such time, in seconds.
const LONGEST: u32 = 32;

/// The refusals of a priority level, second by second.
#[derive(Debug)]
pub(super) struct RetryAfter {
    /// The second, and how many were refused in it; the last one is the present one.
    history: VecDeque<(u64, u64)>,
    seconds: u32,
    raised: u64,
}

impl Default for RetryAfter {
    fn default() -> Self {
        Self { history: VecDeque::new(), seconds: 1, raised: 0 }
    }
}

impl RetryAfter {
    /// Counts a refusal, and returns after how many seconds the client is to try again.
    pub(super) fn refuse(&mut self, second: u64) -> u32 {
        match self.history.back_mut() {
            Some((last, count)) if *last == second => *count += 1,
            _ => {
                let kept = u64::from((2 * self.seconds).min(LONGEST));
                while self.history.front().is_some_and(|(past, _)| second.saturating_sub(*past) > kept) {
                    self.history.pop_front();
                }
                self.adjust(second);
                self.history.push_back((second, 1));
            }
        }
        self.seconds
    }

    /// Doubles the time where many were refused meanwhile, and takes a second off where few were.
    fn adjust(&mut self, second: u64) {
        let seconds = u64::from(self.seconds);
        let recent = |(past, _): &&(u64, u64)| *past < second && second - past <= seconds;
        let refused: u64 = self.history.iter().filter(recent).map(|(_, count)| count).sum();
        if second.saturating_sub(self.raised) >= seconds && refused >= 3 * seconds {
            self.seconds = (2 * self.seconds).min(LONGEST);
            self.raised = second;
        } else if refused < seconds && seconds > 1 {
            self.seconds -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_refusals_make_it_longer_and_fewer_shorter() {
        let mut times = RetryAfter::default();
        let mut refuse =
            |second: u64, count: usize| (0..count).map(|_| times.refuse(second)).last().unwrap_or_default();
        assert_eq!(refuse(100, 3), 1);
        assert_eq!(refuse(101, 6), 2);
        // It has been raised less than two seconds ago.
        assert_eq!(refuse(102, 6), 2);
        assert_eq!(refuse(103, 50), 4);
        assert_eq!(refuse(107, 200), 8);
        for (second, expected) in [(115, 16), (131, 15), (132, 14)] {
            assert_eq!(refuse(second, 1), expected, "{second}");
        }
    }
}
