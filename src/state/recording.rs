//! A recording that is looked at: a part of it becomes what is known of this tab's cluster, and an engine goes on from there, so
//! that every revision in it can be asked for.

use std::time::Duration;

use bytes::Bytes;
use futures::future::LocalBoxFuture;
use glass::Glass;
use leptos::prelude::*;
use protocol::trace::Batch;
use recording::{Batches, Block, Kind, Recording};

use super::Page;
use super::Shown::Nothing;
use super::feeding::News;
use super::others::Others;
use crate::ui::dom;
use crate::ui::messages::others as words;

/// How long the page does nothing else, in milliseconds.
const TURN: f64 = 10.0;

/// Opens a recording: see [`open`].
pub(crate) type Open = fn(Page, String, Bytes, Option<usize>) -> LocalBoxFuture<'static, Result<(), String>>;

/// A part of a recording that is shown.
#[derive(Clone)]
pub(crate) struct Shown {
    /// The name of the file.
    pub(crate) name: String,
    /// The name, the part and its revisions, in words.
    pub(crate) text: String,
    /// The number of the part, from 0 on, and how many there are.
    pub(crate) part: usize,
    pub(crate) parts: usize,
    bytes: Bytes,
}

impl Shown {
    /// Returns the whole recording.
    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes.clone()
    }
}

/// The events that a part has at least, if there are more parts.
const PART: u64 = 20_000;

/// Returns the blocks that parts begin with.
fn parts(blocks: &[Block]) -> Vec<usize> {
    let mut parts = Vec::new();
    let mut events = PART;
    for (number, block) in blocks.iter().enumerate() {
        if block.is_start() && events >= PART {
            parts.push(number);
            events = 0;
        }
        if block.kind == Kind::Events {
            events += u64::from(block.events);
        }
    }
    parts
}

/// Shows a part of a recording, the last one unless it is said which.
///
/// # Errors
/// Why it is none that can be shown. What was shown before stays.
pub(crate) fn open(
    page: Page,
    name: String,
    bytes: Bytes,
    part: Option<usize>,
) -> LocalBoxFuture<'static, Result<(), String>> {
    Box::pin(show(page, name, bytes, part))
}

async fn show(page: Page, name: String, bytes: Bytes, part: Option<usize>) -> Result<(), String> {
    let recording =
        Recording::open(bytes.clone()).map_err(|error| words::no_recording(&name, &error.to_string()))?;
    let parts = parts(recording.blocks());
    let part = part.unwrap_or(usize::MAX).min(parts.len().saturating_sub(1));
    let begin = parts.get(part).copied().unwrap_or_default();
    let end = parts.get(part + 1).copied().unwrap_or(usize::MAX);
    let (mut glass, mut others) = (Glass::default(), Others::default());
    // What came last has just happened.
    let (last, now) = (recording.times().1, dom::monotonic());
    let clock = |at: Duration| now - last.saturating_sub(at).as_secs_f64() * 1e3;
    // Who reads over the end of a part is not told of the state there.
    let batches = recording.from_block(begin);
    let missing = fold(batches, end, &mut glass, |batch| others.take(batch, clock)).await;
    let missing = missing.or_else(|| recording.ending().sentence());
    let revisions = (glass.versions().oldest(), glass.revision());
    let text = words::recorded(&name, (part, parts.len()), revisions, missing.as_deref());
    let shown = Shown { name, text, part, parts: parts.len(), bytes };
    // The next part of a recording takes the place of the last one.
    if page.recorded.with_untracked(Option::is_none) {
        page.leave_kept().await;
    }
    page.update(|model| {
        model.here = glass;
        model.trace.clear();
        model.watches.clear();
        model.news = News::default();
    });
    page.restart_engine(true);
    page.show(Nothing);
    page.update(|model| {
        others.show(model);
        // Nobody is there any more.
        model.watches.iter_mut().for_each(|watch| watch.ended(Some(words::RECORDING_ENDS.to_owned())));
    });
    page.recorded.set(Some(shown));
    Ok(())
}

/// Folds what batches tell, up to a block. Returns what is missing, if the rest is damaged.
pub(super) async fn fold(
    batches: Batches,
    end: usize,
    glass: &mut Glass,
    mut each: impl FnMut(&Batch),
) -> Option<String> {
    let mut batches = batches;
    let mut turn = dom::monotonic();
    while batches.block() <= end {
        // Whoever looks at the page meanwhile is not to see it stand still.
        if dom::monotonic() - turn > TURN {
            dom::sleep(0).await;
            turn = dom::monotonic();
        }
        match batches.next()? {
            Ok(batch) => {
                each(&batch);
                if glass.take(batch).is_err() {
                    return Some(words::damaged(words::OUT_OF_ORDER));
                }
            }
            Err(error) => return Some(words::damaged(&error.to_string())),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_recording_of_nothing_has_no_parts() {
        assert_eq!(super::parts(&[]), [0; 0]);
    }
}
