//! The lanes beneath those of the objects: how far API servers and watches are, and what has been pinned.

use glass::Lane;
use glass::lod;

use crate::model::watch::EventType;
use crate::timeline::ribbon::facts::{Facts, Pin, Server, WatchLine};
use crate::timeline::ribbon::marks::{self, Look};
use crate::timeline::ribbon::rows::AXIS;
use crate::timeline::ribbon::scale::Scale;
use crate::timeline::ribbon::scene::{Align, Dot, Ink, Line, Mark, Scene, Stroke, Words};
use crate::ui::messages::ribbon as words;

/// The room that a text at the right of a lane needs.
const SAID: f64 = 80.0;

/// Says something at the right of a lane, behind the newest revision or, if that is out of sight, at the margin.
fn say(facts: &Facts, bad: bool, words: Words, y: f64, scale: &Scale, scene: &mut Scene) {
    let x = (scale.edge(facts.bounds.head) + 6.0).min(scale.width - SAID);
    let ink = if bad { Ink::Bad } else { Ink::Quiet };
    scene.text(ink, Align::Left, x, y, words);
}

/// How far an API server's caches are: solid up to what they have, dashed to what the store has. What the last reads saw
/// stands on it; an arrow goes back in time, if the last one did.
pub(crate) fn server(server: &Server, facts: &Facts, y: f64, scale: &Scale, scene: &mut Scene) {
    let (has, head) = (scale.edge(server.revision), scale.edge(facts.bounds.head));
    scene.level(Ink::Text, Stroke::Bold, 0.0, has.min(scale.width), y);
    scene.level(Ink::Quiet, Stroke::Dashed, has.max(0.0), head.min(scale.width), y);
    scene.under.push(Line { from: (has, y - 6.0), to: (has, y + 6.0), ink: Ink::Text, stroke: Stroke::Bold });
    if scale.step >= marks::SINGLE {
        for revision in server.reads.iter().rev().take(8).rev() {
            scene.dots.push(Dot { x: scale.x(*revision), y, radius: 4.0, ink: Ink::Text, filled: false });
        }
    }
    if let (Some(back), Some(read)) = (server.back, server.reads.last()) {
        let (from, to, above) = (scale.x(back), scale.x(*read), y - 9.0);
        scene.level(Ink::Bad, Stroke::Thin, to, from, above);
        for tip in [-4.0, 4.0] {
            let line =
                Line { from: (to + 5.0, above + tip), to: (to, above), ink: Ink::Bad, stroke: Stroke::Thin };
            scene.under.push(line);
        }
        let words = Words::Count(words::BACK, back - read, "");
        return say(facts, true, words, y, scale, scene);
    }
    if server.behind > 0 {
        say(facts, false, Words::Count(words::BEHIND, server.behind, ""), y, scale, scene);
    }
}

/// A watch: bold up to where it would go on, thin to where it has looked, dotted over what it has still to look at. One that has
/// nothing to look at is up to date.
pub(crate) fn watch(
    watch: &WatchLine,
    lane: Option<&Lane>,
    facts: &Facts,
    y: f64,
    scale: &Scale,
    scene: &mut Scene,
) {
    let lost = watch.gone || watch.resume < facts.floor;
    let ink = if watch.open { Ink::of_watch(watch.id) } else { Ink::Quiet };
    let head = scale.edge(facts.bounds.head);
    let (start, resume) = (scale.edge(watch.start), scale.edge(watch.resume));
    let looked = if watch.lag == Some(0) { head } else { scale.edge(watch.looked) };
    let inside = |x: f64| x.clamp(0.0, scale.width);
    scene.level(ink, Stroke::Bold, inside(start.min(resume)), inside(resume), y);
    scene.level(ink, Stroke::Thin, inside(resume), inside(looked), y);
    if watch.lag.is_some_and(|lag| lag > 0) {
        scene.level(ink, Stroke::Dotted, inside(looked), inside(head), y);
    }
    scene.under.push(Line { from: (start, y - 5.0), to: (start, y + 5.0), ink, stroke: Stroke::Bold });
    if let Some(lane) = lane {
        marks::draw(&lane.line, Look::Sent, y, scale, scene);
    }
    // A bracket: all up to here has come.
    let ink = if lost { Ink::Bad } else { ink };
    for (from, to) in
        [((-5.0, -10.0), (0.0, -10.0)), ((0.0, -10.0), (0.0, 10.0)), ((0.0, 10.0), (-5.0, 10.0))]
    {
        let at = |(dx, dy): (f64, f64)| (resume + dx, y + dy);
        scene.over.push(Line { from: at(from), to: at(to), ink, stroke: Stroke::Bold });
    }
    if watch.gone {
        let radius = (scale.step * 0.42).clamp(3.0, 8.0);
        let lettered = radius >= 8.0;
        if let Some(marks) = scene.marks.get_mut(usize::from(lod::kind(Some(EventType::Error)))) {
            marks.push(Mark { x: resume + 10.0, y, radius, lettered });
        }
        say(facts, true, Words::Say(words::GONE), y, scale, scene);
    } else if lost {
        say(facts, true, Words::Say(words::RELIST), y, scale, scene);
    } else if let Some(lag) = watch.lag.filter(|lag| *lag > 0) {
        say(facts, false, Words::Count(words::LAG, lag, ""), y, scale, scene);
    } else if !watch.open {
        say(facts, false, Words::Say(words::CLOSED), y, scale, scene);
    }
}

/// A pin: what the pages to come will show ends at its revision, so a line goes up through the writes there.
pub(crate) fn pin(pin: &Pin, facts: &Facts, y: f64, scale: &Scale, scene: &mut Scene) {
    let x = scale.edge(pin.revision);
    let ink = if pin.expired { Ink::Bad } else { Ink::Text };
    scene.under.push(Line { from: (x, AXIS), to: (x, y), ink, stroke: Stroke::Dotted });
    scene.dots.push(Dot { x, y, radius: 6.0, ink, filled: !pin.expired });
    if pin.expired {
        for (dx, dy) in [(6.0, 6.0), (6.0, -6.0)] {
            scene.over.push(Line { from: (x - dx, y - dy), to: (x + dx, y + dy), ink, stroke: Stroke::Bold });
        }
        return say(facts, true, Words::Say(words::GONE), y, scale, scene);
    }
    let words = match pin.remaining {
        Some(remaining) => Words::Count("", remaining, words::LEFT),
        None => Words::Say(words::MORE),
    };
    say(facts, false, words, y, scale, scene);
}

#[cfg(test)]
mod tests {
    use super::super::scale::Bounds;
    use super::*;

    const SCALE: Scale = Scale { first: 0.0, step: 10.0, width: 300.0 };

    fn facts(floor: u64) -> Facts {
        Facts { bounds: Bounds { oldest: 1, head: 19 }, floor, ..Facts::default() }
    }

    fn line() -> WatchLine {
        WatchLine {
            id: 0,
            letter: "A".into(),
            about: "pods".into(),
            start: 4,
            looked: 14,
            resume: 9,
            sent: 2,
            filtered: 3,
            lag: Some(5),
            counted: 19,
            open: true,
            gone: false,
        }
    }

    fn drawn(line: &WatchLine, floor: u64) -> (Vec<(Stroke, f64, f64)>, Vec<Words>) {
        let mut scene = Scene::default();
        watch(line, None, &facts(floor), 10.0, &SCALE, &mut scene);
        let level = scene.under.iter().filter(|line| line.from.1 == line.to.1);
        let lines = level.map(|line| (line.stroke, line.from.0, line.to.0)).collect();
        (lines, scene.texts.into_iter().map(|text| text.words).collect())
    }

    #[test]
    fn a_watch_goes_from_where_it_began_to_where_it_would_go_on_and_to_where_it_looked() {
        let (lines, said) = drawn(&line(), 0);
        let expected =
            [(Stroke::Bold, 50.0, 100.0), (Stroke::Thin, 100.0, 150.0), (Stroke::Dotted, 150.0, 200.0)];
        assert_eq!((lines.as_slice(), said), (expected.as_slice(), vec![Words::Count(words::LAG, 5, "")]));
        let (lines, said) = drawn(&WatchLine { lag: Some(0), ..line() }, 0);
        assert_eq!(
            (lines.as_slice(), said),
            ([expected[0], (Stroke::Thin, 100.0, 200.0)].as_slice(), vec![])
        );
    }

    #[test]
    fn a_watch_says_what_became_of_it() {
        let said = |line: WatchLine, floor| drawn(&line, floor).1;
        let upto = |line: WatchLine| WatchLine { lag: Some(0), looked: 19, ..line };
        assert_eq!(said(upto(line()), 0), []);
        assert_eq!(said(upto(line()), 10), [Words::Say(words::RELIST)], "the floor has overtaken it");
        assert_eq!(said(upto(line()), 9), []);
        assert_eq!(said(WatchLine { gone: true, ..line() }, 0), [Words::Say(words::GONE)]);
        let closed = WatchLine { open: false, lag: None, ..line() };
        assert_eq!(said(closed, 0), [Words::Say(words::CLOSED)]);
    }

    #[test]
    fn a_server_is_solid_to_what_it_has() {
        let mut scene = Scene::default();
        let behind = Server { number: 1, revision: 9, behind: 10, reads: vec![9], back: Some(12) };
        server(&behind, &facts(0), 10.0, &SCALE, &mut scene);
        let strokes: Vec<_> = scene.under.iter().take(2).map(|line| (line.stroke, line.to.0)).collect();
        assert_eq!(strokes, [(Stroke::Bold, 100.0), (Stroke::Dashed, 200.0)]);
        assert_eq!(scene.texts[0].words, Words::Count(words::BACK, 3, ""));
        assert_eq!(scene.dots.len(), 1);
    }

    #[test]
    fn a_pin_says_what_is_left_until_it_has_expired() {
        let said = |pin_: Pin| {
            let mut scene = Scene::default();
            pin(&pin_, &facts(0), 10.0, &SCALE, &mut scene);
            scene.texts[0].words.clone()
        };
        let known = Pin { revision: 9, collection: "pods".into(), remaining: Some(2), expired: false };
        assert_eq!(said(known.clone()), Words::Count("", 2, words::LEFT));
        assert_eq!(said(Pin { remaining: None, ..known.clone() }), Words::Say(words::MORE));
        assert_eq!(said(Pin { expired: true, ..known }), Words::Say(words::GONE));
    }
}
