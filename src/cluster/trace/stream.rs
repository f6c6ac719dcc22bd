//! The events that a watch's stream has brought, and when: as many as fit, however many they are.

use serde::{Deserialize, Serialize};

use crate::cluster::event::{Event, EventType};

/// How many moments of a stream are kept apart.
const MOMENTS: usize = 1024;
/// The distance, in milliseconds, up to which events at first count as one moment.
const GRAIN: f64 = 1.0;

/// How many events there are of each type, in the order of [`EventType`].
pub(crate) type Counts = [u32; 5];

/// The stream of an answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stream {
    /// How many bytes have come.
    pub(crate) bytes: usize,
    /// How many events have come.
    pub(crate) events: u64,
    /// The code of the ERROR event that it ended with.
    pub(crate) error: Option<u16>,
    /// When it ended, in milliseconds of the page's clock, and how.
    pub(crate) end: Option<(f64, End)>,
    moments: Vec<Moment>,
    grain: f64,
}

/// The events that came at about the same time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Moment {
    /// When, in milliseconds of the page's clock.
    pub(crate) at: f64,
    /// The number of events of each type.
    pub(crate) counts: Counts,
}

/// How a stream ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum End {
    /// This page closed it.
    Stopped,
    /// The server closed it.
    Closed,
    /// It broke, and why.
    Broken(String),
}

impl Default for Stream {
    fn default() -> Self {
        Self { bytes: 0, events: 0, error: None, end: None, moments: Vec::new(), grain: GRAIN }
    }
}

impl Stream {
    /// Returns the moments, oldest first. Where many events have come, those of about the same time are one moment.
    pub(crate) fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// Moves it on by so many milliseconds, to a clock that began at another time.
    pub(crate) fn shift(&mut self, by: f64) {
        self.moments.iter_mut().for_each(|moment| moment.at += by);
        if let Some((at, _)) = &mut self.end {
            *at += by;
        }
    }

    /// Notes that a chunk of so many bytes has come, and which events it has completed.
    pub(crate) fn brought<'e>(&mut self, at: f64, bytes: usize, events: impl Iterator<Item = &'e Event>) {
        self.bytes += bytes;
        for event in events {
            self.push(at, event.kind);
            self.error = event.status.as_ref().map(|status| status.code).or(self.error);
        }
    }

    /// Notes that an event has come.
    pub(crate) fn push(&mut self, at: f64, kind: EventType) {
        self.events += 1;
        match self.moments.last_mut().filter(|last| at - last.at < self.grain) {
            Some(last) => last.counts[kind as usize] += 1,
            None => {
                let mut counts = [0; 5];
                counts[kind as usize] = 1;
                self.moments.push(Moment { at, counts });
            }
        }
        if self.moments.len() > MOMENTS {
            self.coarsen();
        }
    }

    /// Notes that it is over; what comes first is how it ended.
    pub(crate) fn ended(&mut self, at: f64, end: End) {
        self.end.get_or_insert((at, end));
    }

    /// Makes half as many moments of them, or fewer.
    fn coarsen(&mut self) {
        while self.moments.len() > MOMENTS / 2 {
            self.grain *= 2.0;
            let grain = self.grain;
            self.moments.dedup_by(|later, earlier| {
                let same = later.at - earlier.at < grain;
                if same {
                    earlier.counts.iter_mut().zip(later.counts).for_each(|(sum, more)| *sum += more);
                }
                same
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_together_is_one_moment() {
        let mut stream = Stream::default();
        for (at, kind) in [
            (5.0, EventType::Added),
            (5.5, EventType::Added),
            (5.9, EventType::Bookmark),
            (6.5, EventType::Deleted),
        ] {
            stream.push(at, kind);
        }
        let moments =
            [Moment { at: 5.0, counts: [2, 0, 0, 1, 0] }, Moment { at: 6.5, counts: [0, 0, 1, 0, 0] }];
        assert_eq!((stream.events, stream.moments()), (4, moments.as_slice()));
    }

    #[test]
    fn keeps_count_of_more_than_it_keeps_apart() {
        let mut stream = Stream::default();
        let many = 50_000;
        for number in 0..many {
            stream.push(f64::from(number) * 3.0, EventType::Modified);
        }
        let sum: u32 = stream.moments().iter().map(|moment| moment.counts[1]).sum();
        assert_eq!((sum, stream.events), (many, u64::from(many)));
        assert!(stream.moments().len() <= MOMENTS);
        assert!(stream.moments().is_sorted_by(|a, b| a.at < b.at));
    }

    #[test]
    fn the_first_end_counts() {
        let mut stream = Stream::default();
        stream.ended(3.0, End::Stopped);
        stream.ended(4.0, End::Closed);
        assert_eq!(stream.end, Some((3.0, End::Stopped)));
    }
}
