//! Testing a lesson: its solutions are run, and the check of each step must be fulfilled after them and not before.

use document::lesson::{Check, Problem, Seen, Verdict};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::learn::host::Host;
use crate::learn::lesson;
use crate::learn::reader::Reader;
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
    while !reader.is_idle() && reader.failed.with_untracked(Option::is_none) {
        pause(reader, turn).await?;
    }
    if let Some(why) = reader.failed.get_untracked() {
        return Some(Err(why));
    }
    for (number, step) in lesson::steps(reader).iter().enumerate() {
        let check = reader.document.with_value(|document| document.blocks.get(step.check).map(Check::read));
        let early = match check? {
            Ok(check) => check.check(&Host::of(reader), &Seen::default()).await,
            Err(Problem { line, text }) => Err(words::problem(line, &text)),
        };
        match early {
            Ok(Verdict::Fulfilled) => return Some(Err(words::too_early(&step.title))),
            Ok(Verdict::Open { .. }) => {}
            Err(why) => return Some(Err(why)),
        }
        pause(reader, turn).await?;
        (reader.running.get_untracked()?.solve)(reader, step.check, step.solutions.clone());
        while !reader.is_idle() || reader.looks.get_value().is_some() {
            pause(reader, turn).await?;
        }
        // What sent nothing had nobody look.
        if reader.done.get_untracked() <= number {
            lesson::check(reader).await;
            pause(reader, turn).await?;
        }
        if reader.done.get_untracked() <= number {
            let failed = reader.ran.with_untracked(|ran| ran.get(&step.check)?.outcome.failed.clone());
            let why = failed.or(reader.told.get_untracked()).unwrap_or_default();
            return Some(Err(words::not_solved(&step.title, &why)));
        }
    }
    Some(Ok(()))
}

/// Waits for a moment; `None` if another cluster has begun meanwhile.
async fn pause(reader: Reader, turn: u64) -> Option<()> {
    dom::sleep(PAUSE).await;
    (reader.turn.try_get_value() == Some(turn)).then_some(())
}
