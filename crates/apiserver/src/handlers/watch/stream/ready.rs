//! Frames on their way out of a watch.

use std::collections::VecDeque;

use bytes::Bytes;

/// Frames that wait to be taken. Mostly there is one, for which the queue is not touched.
#[derive(Default)]
pub(super) struct Ready {
    first: Option<Bytes>,
    others: VecDeque<Bytes>,
}

impl Ready {
    /// Adds a frame.
    pub(super) fn push(&mut self, frame: Bytes) {
        match &self.first {
            None => self.first = Some(frame),
            Some(_) => self.others.push_back(frame),
        }
    }

    /// Takes the oldest frame.
    pub(super) fn pop(&mut self) -> Option<Bytes> {
        let first = self.first.take();
        if first.is_some() && !self.others.is_empty() {
            self.first = self.others.pop_front();
        }
        first
    }

    /// Returns how many there are.
    pub(super) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }

    /// Reports whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}
