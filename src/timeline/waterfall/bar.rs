//! The bar of a request as paths: each is the text of one path, so that a bar is a few elements whatever is on it.

use crate::cluster::trace::stream::{Counts, End, Stream};
use crate::model::watch::{EventLook, EventType};
use crate::timeline::waterfall::axis::Scale;

/// Shapes are this far apart; what comes closer becomes one cell.
pub(crate) const CELL: f64 = 8.0;
/// A bar is at least this wide.
const LEAST: f64 = 4.0;
/// Half the height of the bar of a plain request, and of a stream.
const HALF: (i32, i32) = (5, 2);
/// The distance in pixels: shapes farther outside the visible part than this are not drawn.
const OUTSIDE: f64 = 12.0;

/// The data of a request from which its bar is drawn.
pub(crate) struct Input<'a> {
    /// The time that is shown.
    pub(crate) scale: Scale,
    /// The height in pixels.
    pub(crate) height: f64,
    /// When it was sent.
    pub(crate) sent_at: f64,
    /// How long until the answer, or its headers; `None` while it is under way.
    pub(crate) took: Option<f64>,
    /// The stream, if it is one.
    pub(crate) stream: Option<&'a Stream>,
    /// When the request was over that it goes on from.
    pub(crate) link: Option<f64>,
    /// When the requests above were over that one below goes on from.
    pub(crate) passes: &'a [f64],
    /// The current time.
    pub(crate) now: f64,
}

/// The paths of a bar: the text of each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bar {
    /// From sending to the answer.
    pub(crate) wait: String,
    /// The stream.
    pub(crate) stream: String,
    /// The path for the end of the stream.
    pub(crate) end: String,
    /// The paths for its events, in the order of [`EventType`].
    pub(crate) marks: [String; 5],
    /// The paths of the cells, for places with more events than fit.
    pub(crate) cells: [String; 5],
    /// The path of the lines to the request that it continues, and from the requests that others continue.
    pub(crate) links: String,
    /// How many shapes and cells there are.
    pub(crate) shapes: usize,
    /// The side of the visible time on which the whole request lies; `None` if some of it is visible.
    pub(crate) outside: Option<Side>,
}

/// The side of the visible time on which something lies that is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// The event types after which the classes of the paths of [`Bar::marks`] and [`Bar::cells`] are named.
const KINDS: [EventType; 5] =
    [EventType::Added, EventType::Modified, EventType::Deleted, EventType::Bookmark, EventType::Error];

impl Bar {
    /// The elements, with the ticks of the axis beneath them. There is nothing in it but numbers and these letters.
    pub(crate) fn markup(&self, scale: &Scale, height: f64) -> String {
        let mut grid = String::new();
        for tick in scale.ticks().0 {
            vertical(&mut grid, scale, tick as f64, 0, height as i32);
        }
        let mut out = String::new();
        element(&mut out, "grid", "", &grid);
        element(&mut out, "links", "", &self.links);
        element(&mut out, "stream", "", &self.stream);
        element(&mut out, "wait", "", &self.wait);
        for (kind, (cells, marks)) in KINDS.iter().zip(self.cells.iter().zip(&self.marks)) {
            element(&mut out, "sent ", kind.class(), cells);
            element(&mut out, "sent ", kind.class(), marks);
        }
        element(&mut out, "end", "", &self.end);
        let middle = (height / 2.0) as i32;
        let mut beyond = String::new();
        match self.outside {
            Some(Side::Before) => path(&mut beyond, 'M', 9.0, middle - 4),
            Some(Side::After) => path(&mut beyond, 'M', scale.width - 9.0, middle - 4),
            None => {}
        }
        match self.outside {
            Some(Side::Before) => beyond.push_str("l-5 4l5 4"),
            Some(Side::After) => beyond.push_str("l5 4l-5 4"),
            None => {}
        }
        element(&mut out, "beyond", "", &beyond);
        out
    }
}

fn element(out: &mut String, class: &str, more: &str, path: &str) {
    if !path.is_empty() {
        out.extend(["<path class=\"", class, more, "\" d=\"", path, "\"/>"]);
    }
}

/// Lays the bar out.
pub(crate) fn bar(input: &Input<'_>) -> Bar {
    let mut bar = Bar::default();
    let Input { scale, height, sent_at, .. } = *input;
    let middle = (height / 2.0) as i32;
    let answered = sent_at + input.took.unwrap_or((input.now - sent_at).max(0.0));
    let over = input.stream.map_or(answered, |stream| stream.end.as_ref().map_or(input.now, |(at, _)| *at));
    let (left, right) = (scale.x(sent_at), scale.x(over.max(answered)));
    if right < -LEAST || left > scale.width {
        bar.outside = Some(if right < 0.0 { Side::Before } else { Side::After });
    } else {
        block(&mut bar.wait, &scale, left, scale.x(answered), middle, HALF.0);
        if let Some(stream) = input.stream {
            block(&mut bar.stream, &scale, scale.x(answered), right, middle, HALF.1);
            events(&mut bar, &scale, stream, middle);
            end(&mut bar.end, scale.width, right, middle, stream.end.as_ref().map(|(_, end)| end));
        }
    }
    for pass in input.passes {
        vertical(&mut bar.links, &scale, *pass, 0, height as i32);
    }
    if let Some(link) = input.link {
        let (from, to) = (scale.x(link), left.min(scale.width));
        if from >= -OUTSIDE && from <= scale.width && bar.outside != Some(Side::Before) {
            vertical(&mut bar.links, &scale, link, 0, middle);
            path(&mut bar.links, 'M', from, middle);
            number(&mut bar.links, " H", to.max(from) as i32);
        }
    }
    bar
}

/// The letters that stand for no more than what they do: move, and line to.
fn path(out: &mut String, letter: char, x: f64, y: i32) {
    out.push(letter);
    number(out, "", x.round() as i32);
    number(out, " ", y);
}

fn number(out: &mut String, before: &str, number: i32) {
    out.push_str(before);
    out.push_str(&number.to_string());
}

fn vertical(out: &mut String, scale: &Scale, at: f64, top: i32, bottom: i32) {
    path(out, 'M', scale.x(at), top);
    number(out, "V", bottom);
}

/// A box from `left` to `right`, cut to what is shown.
fn block(out: &mut String, scale: &Scale, left: f64, right: f64, middle: i32, half: i32) {
    let left = left.clamp(-OUTSIDE, scale.width);
    let right = right.max(left + LEAST).min(scale.width + OUTSIDE);
    path(out, 'M', left, middle - half);
    number(out, "H", right.round() as i32);
    number(out, "V", middle + half);
    number(out, "H", left.round() as i32);
    out.push('Z');
}

/// The events of a stream: a shape for one that stands alone, a cell as high as there are many for others.
fn events(bar: &mut Bar, scale: &Scale, stream: &Stream, middle: i32) {
    let mut cell: Option<(i32, f64, Counts)> = None;
    for moment in stream.moments() {
        let x = scale.x(moment.at);
        if x < -CELL || x > scale.width + CELL {
            continue;
        }
        let column = (x / CELL).floor() as i32;
        match &mut cell {
            Some((known, _, counts)) if *known == column => {
                counts.iter_mut().zip(moment.counts).for_each(|(sum, more)| *sum += more);
            }
            _ => {
                draw(bar, cell.replace((column, x, moment.counts)), middle);
            }
        }
    }
    draw(bar, cell, middle);
}

fn draw(bar: &mut Bar, cell: Option<(i32, f64, Counts)>, middle: i32) {
    let Some((column, x, counts)) = cell else { return };
    let total: u32 = counts.iter().sum();
    // An error is never lost among others.
    let most = (0..counts.len()).rev().max_by_key(|kind| counts[*kind]).unwrap_or_default();
    let error = EventType::Error as usize;
    let kind = if counts[error] > 0 { error } else { most };
    bar.shapes += 1;
    if total == 1 {
        shape(&mut bar.marks[kind], kind, x.round() as i32, middle);
        return;
    }
    // Two is 5 high, and four times as many are 2 higher.
    let half = (4 + total.ilog2() as i32).min(middle.max(5));
    let left = f64::from(column) * CELL + 0.5;
    let out = &mut bar.cells[kind];
    path(out, 'M', left, middle - half);
    number(out, "h", CELL as i32 - 1);
    number(out, "v", 2 * half);
    number(out, "h", 1 - CELL as i32);
    out.push('Z');
}

/// The shape of an event type, by its number.
fn shape(out: &mut String, kind: usize, x: i32, y: i32) {
    let shape = match kind {
        0 => "m0 -5l5 9h-10z",
        1 => "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
        2 => "m-5 -3l2 -2l3 3l3 -3l2 2l-3 3l3 3l-2 2l-3 -3l-3 3l-2 -2l3 -3z",
        3 => "m0 -5l5 5l-5 5l-5 -5z",
        _ => "m-5 -5h10v10h-10z",
    };
    path(out, 'M', f64::from(x), y);
    out.push_str(shape);
}

/// The end of a stream: an arrow while it is open, a bar where it was closed, a cross where it broke.
fn end(out: &mut String, width: f64, x: f64, y: i32, end: Option<&End>) {
    if !(-OUTSIDE..=width + OUTSIDE).contains(&x) {
        return;
    }
    path(out, 'M', x, y);
    out.push_str(match end {
        None => "m1 -5l6 5l-6 5",
        Some(End::Stopped | End::Closed) => "m0 -7v14",
        Some(End::Broken(_)) => "m-4 -5l9 10m0 -10l-9 10",
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: Scale = Scale { from: 0.0, to: 1000.0, width: 100.0 };

    fn input(sent_at: f64, took: Option<f64>) -> Input<'static> {
        Input { scale: SCALE, height: 20.0, sent_at, took, stream: None, link: None, passes: &[], now: 900.0 }
    }

    #[track_caller]
    fn check(input: &Input<'_>, wait: &str, outside: Option<Side>) {
        let bar = bar(input);
        assert_eq!((bar.wait.as_str(), bar.outside), (wait, outside));
    }

    #[test]
    fn a_plain_request_is_a_block_that_can_be_seen() {
        check(&input(100.0, Some(200.0)), "M10 5H30V15H10Z", None);
        check(&input(100.0, Some(0.1)), "M10 5H14V15H10Z", None);
        check(&input(700.0, None), "M70 5H90V15H70Z", None);
        check(&input(-500.0, Some(1.0)), "", Some(Side::Before));
        check(&input(1500.0, Some(1.0)), "", Some(Side::After));
    }

    #[test]
    fn a_stream_has_its_events_and_its_end() {
        let mut stream = Stream::default();
        stream.push(200.0, EventType::Added);
        stream.push(500.0, EventType::Bookmark);
        let open = bar(&Input { stream: Some(&stream), ..input(100.0, Some(10.0)) });
        assert_eq!((open.stream.as_str(), open.end.as_str()), ("M11 8H90V12H11Z", "M90 10m1 -5l6 5l-6 5"));
        assert_eq!((open.marks[0].as_str(), open.shapes), ("M20 10m0 -5l5 9h-10z", 2));
        assert!(!open.marks[3].is_empty() && open.cells.iter().all(String::is_empty));
        stream.ended(600.0, End::Closed);
        let over = bar(&Input { stream: Some(&stream), ..input(100.0, Some(10.0)) });
        assert_eq!((over.stream.as_str(), over.end.as_str()), ("M11 8H60V12H11Z", "M60 10m0 -7v14"));
    }

    #[test]
    fn many_events_are_few_cells() {
        let mut stream = Stream::default();
        for number in 0..5000_u32 {
            let kind = if number == 2500 { EventType::Error } else { EventType::Modified };
            stream.push(f64::from(number) / 5.0, kind);
        }
        let bar = bar(&Input { stream: Some(&stream), ..input(0.0, Some(1.0)) });
        assert!(bar.shapes <= (SCALE.width / 6.0) as usize, "{}", bar.shapes);
        assert!(!bar.cells[1].is_empty() && !bar.cells[4].is_empty(), "the error is seen");
        assert!(bar.marks.iter().all(String::is_empty));
    }

    #[test]
    fn what_is_empty_makes_no_element() {
        let markup = |input: &Input<'_>| bar(input).markup(&Scale { from: 1.0, ..SCALE }, 20.0);
        let plain = "<path class=\"grid\" d=\"M100 0V20\"/><path class=\"wait\" d=\"M10 5H30V15H10Z\"/>";
        assert_eq!(markup(&input(100.0, Some(200.0))), plain);
        assert!(markup(&input(1500.0, Some(1.0))).ends_with("<path class=\"beyond\" d=\"M91 6l5 4l-5 4\"/>"));
    }

    #[test]
    fn links_lead_to_what_came_before() {
        let linked = bar(&Input { link: Some(300.0), passes: &[500.0], ..input(600.0, Some(100.0)) });
        assert_eq!(linked.links, "M50 0V20M30 0V10M30 10 H60");
    }
}
