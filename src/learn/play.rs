//! Testing a lesson: its solutions are run, and the check of each step must be fulfilled after them and not before.

use document::lesson::{Check, Seen, Verdict};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::learn::host::Host;
use crate::learn::lesson;
use crate::learn::reader::{Reader, Stands};
use crate::ui::dom;
use crate::ui::messages::write as words;

/// How often it is looked whether something has come to its end, in milliseconds.
const PAUSE: i32 = 20;

/// Tests a lesson from its beginning.
pub(crate) fn play(reader: Reader) {
    reader.start_over();
    let turn = reader.turn.get_value();
    spawn_local(async move {
        let told = match test(reader, turn).await {
            Some(Ok(())) => words::TESTED.to_owned(),
            Some(Err(why)) => why,
            // Somebody has begun anew.
            None => return,
        };
        reader.page.tell_over(told, None);
    });
}

/// Tests each step. Returns the first fault; `None` if another cluster has begun.
async fn test(reader: Reader, turn: u64) -> Option<Result<(), String>> {
    let goes_on = || (reader.turn.try_get_value() == Some(turn)).then_some(());
    let is_quiet = move || reader.stands.with_untracked(|stands| *stands == Stands::Quiet);
    let is_ready = move || reader.failed.with_untracked(Option::is_some) || is_quiet();
    while !is_ready() {
        dom::sleep(PAUSE).await;
        goes_on()?;
    }
    if let Some(why) = reader.failed.get_untracked() {
        return Some(Err(why));
    }
    for (number, step) in lesson::steps(reader).iter().enumerate() {
        let check = reader.document.with_value(|document| document.blocks.get(step.check).map(Check::read));
        let early = match check {
            Some(Ok(check)) => check.check(&Host::of(reader), &Seen::default()).await,
            Some(Err(problem)) => Err(problem.text),
            None => continue,
        };
        goes_on()?;
        match early {
            Ok(Verdict::Fulfilled) => return Some(Err(words::too_early(&step.title))),
            Ok(Verdict::Open { .. }) => {}
            Err(why) => return Some(Err(words::not_solved(&step.title, &why))),
        }
        let running = reader.running.get_untracked()?;
        reader.told.set(None);
        (running.solve)(reader, step.check, step.solutions.clone());
        let is_over = || {
            let is_done = reader.done.get_untracked() > number;
            let is_told = reader.told.with_untracked(Option::is_some) && reader.looks.get_value().is_none();
            is_quiet() && (is_done || is_told)
        };
        while !is_over() {
            dom::sleep(PAUSE).await;
            goes_on()?;
        }
        if reader.done.get_untracked() <= number {
            let why = reader.told.get_untracked().unwrap_or_default();
            return Some(Err(words::not_solved(&step.title, &why)));
        }
    }
    Some(Ok(()))
}
