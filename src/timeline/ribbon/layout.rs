//! Makes the picture: what is to be seen of the facts, and where.

use glass::Lane;
use glass::{History, Object};

use super::beneath;
use super::facts::Facts;
use super::marks::{self, Look};
use super::rows::{AXIS, LANE, Lower, Rows};
use super::scale::{Scale, every};
use super::scene::{Align, Dot, Ink, Line, Scene, Stroke, Text, Words};
use crate::ui::messages::ribbon as words;

/// How wide the letters of the axis are, in pixels.
const LETTER: f64 = 7.3;
/// The middle of what the axis says.
const AXIS_TEXT: f64 = 12.0;

/// The input for a drawing of the ribbon.
pub(crate) struct Input<'a> {
    pub(crate) history: &'a History,
    pub(crate) lanes: &'a [Lane],
    pub(crate) facts: &'a Facts,
    pub(crate) rows: &'a Rows,
    pub(crate) scale: Scale,
    /// The revision that the page shows; `None` follows the newest.
    pub(crate) cursor: Option<u64>,
    /// The revision that is lit.
    pub(crate) lit: Option<u64>,
    /// The revision that the floor is being dragged to.
    pub(crate) dragged: Option<u64>,
    /// The revisions that a failure is about.
    pub(crate) at_play: &'a [(u64, String)],
    /// The height of it all.
    pub(crate) height: f64,
}

/// Puts everything in its place.
pub(crate) fn lay(input: &Input<'_>, scene: &mut Scene) {
    scene.clear();
    let Input { history, facts, rows, ref scale, .. } = *input;
    let bottom = rows.lower_stretch.bottom().max(rows.upper_stretch.bottom());
    let bottom = bottom.max(input.height.min(bottom + LANE));
    bands(input, bottom, scene);
    marks::draw(history.line(), Look::Small, AXIS + LANE / 2.0, scale, scene);
    scene.level(Ink::Line, Stroke::Thin, 0.0, scale.width, AXIS + LANE);
    let upper = rows.upper_stretch;
    for lane in upper.first..upper.first + upper.seen {
        let object = rows.objects.get(lane).and_then(|number| history.object(*number));
        if let (Some(object), Some(y)) = (object, upper.middle(lane)) {
            life(object, facts.bounds.head, y, scale, scene);
            marks::draw(&object.line, Look::Large, y, scale, scene);
        }
    }
    let lower = rows.lower_stretch;
    if lower.seen > 0 {
        scene.level(Ink::Line, Stroke::Thin, 0.0, scale.width, upper.bottom() + 4.0);
    }
    for lane in lower.first..lower.first + lower.seen {
        let (Some(y), Some(row)) = (lower.middle(lane), rows.lower.get(lane)) else { continue };
        match *row {
            Lower::Server(at) => {
                facts
                    .servers
                    .get(at)
                    .into_iter()
                    .for_each(|server| beneath::server(server, facts, y, scale, scene));
            }
            Lower::Watch(at) => {
                let Some(watch) = facts.watches.get(at) else { continue };
                let lane = input.lanes.iter().find(|lane| lane.watch == watch.id);
                beneath::watch(watch, lane, facts, y, scale, scene);
            }
            Lower::Pin(at) => {
                facts.pins.get(at).into_iter().for_each(|pin| beneath::pin(pin, facts, y, scale, scene));
            }
        }
    }
    links(input, scene);
    uprights(input, bottom, scene);
}

/// The generations of an object.
fn life(object: &Object, head: u64, y: f64, scale: &Scale, scene: &mut Scene) {
    let (first, last) = scale.seen();
    let begin = object.generations.partition_point(|(_, to)| *to < first);
    let mut drawn = f64::NEG_INFINITY;
    for (from, to) in object.generations.range(begin..).take_while(|(from, _)| *from <= last) {
        let left = if *from < first.max(1) { 0.0 } else { scale.x(*from) };
        let right = if *to == u64::MAX { scale.edge(head) } else { scale.x(*to) };
        let right = right.min(scale.width);
        // What ends within the same pixel cannot be seen.
        if right > drawn + 1.0 {
            scene.rect(Ink::Edge, left.max(drawn), y - 1.5, right - left.max(drawn), 3.0);
            drawn = right;
        }
    }
}

/// Draws what lies beneath everything: the numbers' lines, and the revision that is lit.
fn bands(input: &Input<'_>, bottom: f64, scene: &mut Scene) {
    let scale = &input.scale;
    if let Some(lit) = input.lit.filter(|lit| (scale.seen().0..=scale.seen().1).contains(lit)) {
        let width = scale.step.max(3.0);
        scene.rect(Ink::Lit, scale.x(lit) - width / 2.0, AXIS, width, bottom - AXIS);
    }
    let every = every(scale.step);
    let (first, last) = (scale.seen().0.max(1), scale.seen().1.min(input.facts.bounds.head));
    let taken = pills(input);
    let mut revision = first.div_ceil(every) * every;
    while revision <= last {
        let x = scale.x(revision);
        scene.rect(Ink::Line, x - 0.5, AXIS - 4.0, 1.0, bottom - AXIS + 4.0);
        let half = LETTER * (digits(revision) as f64 / 2.0 + 0.6);
        let free = |(from, to): &(f64, f64)| x + half < *from || x - half > *to;
        if x > half && taken.iter().all(free) {
            scene.text(Ink::Quiet, Align::Middle, x, AXIS_TEXT, Words::Count("", revision, ""));
        }
        revision += every;
    }
}

fn digits(number: u64) -> u32 {
    number.checked_ilog10().unwrap_or_default() + 1
}

/// Returns the stretches of the axis where it shows something other than its regular numbers: from the newest revision
/// on, at the cursor, and at the floor.
fn pills(input: &Input<'_>) -> [(f64, f64); 3] {
    let Input { ref scale, facts, .. } = *input;
    let head = scale.edge(facts.bounds.head);
    let nothing = (f64::INFINITY, f64::INFINITY);
    let wide = |letters: usize| LETTER * (letters as f64 + 1.2);
    let number = |revision| digits(revision) as usize;
    let cursor = input.cursor.map_or(nothing, |cursor| {
        let (x, half) = (scale.x(cursor), wide(number(cursor)) / 2.0);
        (x - half, x + half)
    });
    let floor = floor(input).map_or(nothing, |floor| {
        let length = wide(number(floor) + words::FLOOR.len());
        let x = scale.left(floor);
        if x < length { (x, x + length) } else { (x - length, x) }
    });
    [(head, f64::INFINITY), cursor, floor]
}

/// The floor, or where it is being dragged to.
fn floor(input: &Input<'_>) -> Option<u64> {
    Some(input.dragged.unwrap_or(input.facts.floor)).filter(|floor| *floor > 0)
}

/// From a write that is lit to what each watch was sent of it.
fn links(input: &Input<'_>, scene: &mut Scene) {
    let Input { ref scale, history, rows, .. } = *input;
    let Some(write) = input.lit.and_then(|lit| history.write(lit)).filter(|_| scale.step >= marks::SINGLE)
    else {
        return;
    };
    let x = scale.x(write.revision);
    let place = rows.objects.iter().position(|number| *number == write.object);
    let from = place.and_then(|lane| rows.upper_stretch.middle(lane)).unwrap_or(AXIS + LANE / 2.0);
    let mut to = from;
    for (number, row) in rows.lower.iter().enumerate() {
        let (Lower::Watch(at), Some(y)) = (row, rows.lower_stretch.middle(number)) else { continue };
        let watch = input.facts.watches.get(*at);
        let lane = watch.and_then(|watch| input.lanes.iter().find(|lane| lane.watch == watch.id));
        let Some(delivered) = lane.and_then(|lane| lane.at(write.revision)) else { continue };
        to = y;
        scene.dots.push(Dot { x, y, radius: 10.5, ink: Ink::LitEdge, filled: false });
        if delivered.sent.is_none() {
            scene.texts.push(Text {
                x: x + 14.0,
                y,
                words: Words::Say(words::FILTERED),
                ink: Ink::Text,
                align: Align::Left,
                ground: Some(Ink::Lit),
            });
        }
    }
    scene.upright(Ink::LitEdge, Stroke::Thin, x, from, to);
}

/// The lines that go from the top to the bottom, and what they are called.
fn uprights(input: &Input<'_>, bottom: f64, scene: &mut Scene) {
    let Input { ref scale, facts, .. } = *input;
    let head = facts.bounds.head;
    let pill =
        |x: f64, align, ink, ground, words| Text { x, y: AXIS_TEXT, words, ink, align, ground: Some(ground) };
    if head > 0 {
        let x = scale.edge(head);
        scene.upright(Ink::Edge, Stroke::Thin, x, AXIS - 4.0, bottom);
        scene.text(Ink::Quiet, Align::Left, x + 6.0, AXIS_TEXT, Words::Count(words::HEAD, head, ""));
    }
    if let Some(floor) = floor(input) {
        let x = scale.left(floor);
        scene.hatched = x;
        scene.upright(Ink::Edge, Stroke::Bold, x, 2.0, bottom);
        let left = pills(input)[2].0 < x;
        let (align, aside) = if left { (Align::Right, -5.0) } else { (Align::Left, 5.0) };
        let words = Words::Count(words::FLOOR, floor, "");
        scene.texts.push(pill(x + aside, align, Ink::Text, Ink::Panel, words));
    }
    for (number, (revision, about)) in input.at_play.iter().enumerate() {
        let x = scale.x(*revision);
        scene.upright(Ink::LitEdge, Stroke::Dashed, x, AXIS, bottom);
        let y = AXIS + 10.0 + 18.0 * number as f64;
        let words = Words::Named(about.clone());
        let align = if x > scale.width / 2.0 { Align::Right } else { Align::Left };
        let aside = if align == Align::Right { -6.0 } else { 6.0 };
        scene.texts.push(Text { x: x + aside, y, words, ink: Ink::Text, align, ground: Some(Ink::Lit) });
    }
    if let Some(cursor) = input.cursor {
        let x = scale.x(cursor);
        scene.veiled = (cursor < head).then(|| scale.edge(cursor));
        let line = Line { from: (x, 2.0), to: (x, bottom), ink: Ink::Accent, stroke: Stroke::Bold };
        scene.under.push(line);
        let words = Words::Count("", cursor, "");
        scene.texts.push(pill(x, Align::Middle, Ink::Panel, Ink::Accent, words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::timeline::samples::{configmap, history};
    use crate::model::watch::EventType::{Added, Deleted, Modified};
    use crate::timeline::ribbon::facts::{Pin, Server, WatchLine};
    use crate::timeline::ribbon::scale::{Bounds, View};
    use protocol::trace::Delivery;

    fn watch(id: u64) -> WatchLine {
        WatchLine {
            id,
            letter: "A".into(),
            about: "configmaps".into(),
            start: 1,
            looked: 3,
            resume: 2,
            sent: 1,
            filtered: 1,
            lag: Some(1),
            counted: 3,
            open: true,
            gone: false,
        }
    }

    struct Picture {
        history: History,
        lanes: Vec<Lane>,
        facts: Facts,
        view: View,
        cursor: Option<u64>,
        lit: Option<u64>,
    }

    impl Picture {
        fn new(history: History) -> Self {
            let oldest = history.writes().front().map_or(1, |write| write.revision);
            let facts = Facts { bounds: Bounds { oldest, head: history.head() }, ..Facts::default() };
            Self { history, lanes: Vec::new(), facts, view: View::default(), cursor: None, lit: None }
        }

        fn lay(&self, width: f64, height: f64) -> (Rows, Scene) {
            let scale = self.view.scale(self.facts.bounds, width);
            let (mut rows, mut scene) = (Rows::default(), Scene::default());
            rows.place(&self.history, &self.facts, scale.seen(), height);
            let input = Input {
                history: &self.history,
                lanes: &self.lanes,
                facts: &self.facts,
                rows: &rows,
                scale,
                cursor: self.cursor,
                lit: self.lit,
                dragged: None,
                at_play: &[(2, "your version".to_owned())],
                height,
            };
            lay(&input, &mut scene);
            (rows, scene)
        }
    }

    fn said(scene: &Scene) -> Vec<String> {
        let said = scene.texts.iter().map(|text| match &text.words {
            Words::Count(before, number, after) => format!("{before}{number}{after}"),
            Words::Say(words) => (*words).to_owned(),
            Words::Named(words) => words.clone(),
        });
        said.collect()
    }

    #[test]
    fn a_generation_is_a_bar_from_creation_to_deletion_or_to_the_newest() {
        let known = history(&[(1, Added, "a"), (3, Deleted, "a"), (5, Added, "a"), (6, Modified, "b")]);
        let (_, scene) = Picture::new(known).lay(700.0, 300.0);
        let bars: Vec<(f64, f64)> =
            scene.rects[Ink::Edge as usize].iter().map(|bar| (bar.x, bar.x + bar.width)).collect();
        // Revision 1 stands from 26 to 52.
        assert_eq!(bars, [(39.0, 91.0), (143.0, 182.0), (0.0, 182.0)]);
    }

    #[test]
    fn what_is_right_of_the_cursor_is_veiled() {
        let mut picture = Picture::new(history(&[(1, Added, "a"), (2, Modified, "a"), (3, Modified, "a")]));
        assert_eq!(picture.lay(700.0, 300.0).1.veiled, None);
        picture.cursor = Some(2);
        assert_eq!(picture.lay(700.0, 300.0).1.veiled, Some(78.0));
        picture.cursor = Some(3);
        assert_eq!(picture.lay(700.0, 300.0).1.veiled, None);
    }

    #[test]
    fn what_is_left_of_the_floor_is_hatched() {
        let mut picture = Picture::new(history(&[(1, Added, "a"), (2, Modified, "a"), (3, Modified, "a")]));
        picture.facts.floor = 3;
        let (_, scene) = picture.lay(700.0, 300.0);
        assert_eq!(scene.hatched, 78.0);
        assert!(said(&scene).contains(&"floor 3".to_owned()), "{:?}", said(&scene));
        assert!(said(&scene).contains(&"your version".to_owned()));
    }

    #[test]
    fn a_write_that_is_lit_leads_to_what_the_watches_were_sent() {
        let mut picture = Picture::new(history(&[(1, Added, "a"), (2, Modified, "a")]));
        picture.facts.watches = vec![watch(0), watch(1)];
        for (id, sent) in [(0, Some(Modified)), (1, None)] {
            let mut lane = Lane::new(id);
            lane.push(Delivery { revision: 2, sent });
            picture.lanes.push(lane);
        }
        picture.lit = Some(2);
        let (rows, scene) = picture.lay(700.0, 300.0);
        let link =
            scene.over.iter().find(|line| line.ink == Ink::LitEdge && line.stroke == Stroke::Thin).unwrap();
        let (from, to) = (rows.upper_stretch.middle(0).unwrap(), rows.lower_stretch.middle(1).unwrap());
        assert_eq!((link.from, link.to), ((65.0, from), (65.0, to)));
        assert_eq!(said(&scene).iter().filter(|said| *said == words::FILTERED).count(), 1);
    }

    #[test]
    fn never_more_shapes_than_lanes_times_cells() {
        let names: Vec<String> = (0..200).map(|n| format!("object-{n:03}")).collect();
        let mut known = History::default();
        for revision in 1..=100_000_u64 {
            let change = if revision <= 200 { Added } else { Modified };
            known.push(revision, change, configmap(&names[(revision * 7919 % 200) as usize]));
        }
        let mut picture = Picture::new(known);
        for id in 0..50 {
            picture.facts.watches.push(WatchLine { looked: 100_000, resume: 99_999, ..watch(id) });
            let mut lane = Lane::new(id);
            (95_000..=100_000).for_each(|revision| {
                lane.push(Delivery { revision, sent: (revision % 3 > 0).then_some(Modified) });
            });
            picture.lanes.push(lane);
        }
        picture.facts.servers = vec![Server { revision: 100_000, ..Server::default() }];
        picture.facts.pins =
            vec![Pin { revision: 5, collection: "pods".into(), remaining: None, expired: true }];
        for step in [None, Some(0.05), Some(1.0), Some(6.0), Some(26.0)] {
            picture.view.step = step;
            let (rows, scene) = picture.lay(1000.0, 600.0);
            let lanes = 1 + rows.upper_stretch.seen + rows.lower_stretch.seen;
            assert_eq!(lanes, 23);
            // A cell has a part for each kind that is in it, and there are two kinds here at most.
            assert!(scene.shapes() < lanes * (2 * 334 + 8) + 40, "{step:?}: {}", scene.shapes());
        }
    }

    #[test]
    fn an_empty_cluster_has_a_picture_too() {
        let (_, scene) = Picture::new(History::default()).lay(0.0, 0.0);
        assert!(scene.marks.iter().all(Vec::is_empty));
    }
}
