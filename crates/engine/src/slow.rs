//! Requests that may take long: one at a time is handled, and others go first, but not for ever.

use std::collections::VecDeque;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::call::Outcome;

/// A call until it has an outcome; none if it was cancelled.
pub(crate) type Call = LocalBoxFuture<'static, Option<Outcome>>;

/// A body of up to so many bytes makes a request a quick one.
pub(crate) const QUICK_BODY: usize = 64 * 1024;

/// How often others go first.
const PATIENCE: u32 = 8;

/// The request that is handled, and those that wait, the next one first.
#[derive(Default)]
pub(crate) struct Slow {
    current: Option<Call>,
    waiting: VecDeque<Call>,
    passed_over: u32,
}

impl Slow {
    pub(crate) fn push(&mut self, call: Call) {
        self.waiting.push_back(call);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.current.is_none() && self.waiting.is_empty()
    }

    /// Goes on with one, if nobody else wants anything, or it has been passed over often enough. `cx` is woken when there
    /// may be more to do.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>, is_quiet: bool) -> Option<Outcome> {
        let mut call = self.current.take().or_else(|| self.waiting.pop_front())?;
        if !is_quiet && self.passed_over < PATIENCE {
            self.passed_over += 1;
            self.current = Some(call);
            cx.waker().wake_by_ref();
            return None;
        }
        self.passed_over = 0;
        match call.poll_unpin(cx) {
            Poll::Ready(outcome) => {
                if !self.waiting.is_empty() {
                    cx.waker().wake_by_ref();
                }
                outcome
            }
            Poll::Pending => {
                self.current = Some(call);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;
    use std::task::Waker;

    use super::*;

    #[test]
    fn others_go_first_but_not_for_ever() {
        let mut slow = Slow::default();
        let done = Rc::new(Cell::new(0));
        for _ in 0..2 {
            let done = Rc::clone(&done);
            slow.push(Box::pin(async move {
                done.set(done.get() + 1);
                None
            }));
        }
        let mut poll = |is_quiet| {
            assert!(slow.poll(&mut Context::from_waker(Waker::noop()), is_quiet).is_none());
            done.get()
        };
        for _ in 0..PATIENCE {
            assert_eq!(poll(false), 0);
        }
        assert_eq!(poll(false), 1);
        assert_eq!((poll(false), poll(true), poll(true)), (1, 2, 2));
    }
}
