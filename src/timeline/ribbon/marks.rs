//! The marks of one lane: each for itself where there is room, else as cells that count them.

use glass::lod::{self, Counts, KINDS, Pyramid};

use super::scale::Scale;
use super::scene::{Ink, Mark, Scene};

/// From this width of a revision on, each mark is drawn for itself.
pub(crate) const SINGLE: f64 = 6.0;
/// From this width on it has its letter.
const LETTERED: f64 = 20.0;
/// The least width of a cell.
const CELL: f64 = 3.0;
/// The height of a full cell.
const FULL: f64 = 18.0;

/// The inks of the kinds.
pub(crate) const KIND_INKS: [Ink; KINDS] =
    [Ink::Added, Ink::Modified, Ink::Deleted, Ink::Bookmark, Ink::Error, Ink::Filtered];
/// The number of the kind of bookmarks.
pub(crate) const BOOKMARK: u8 = 3;

/// How the marks of a lane look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// All writes: small marks, and cells that are full where every revision has a write.
    Small,
    /// Writes of an object.
    Large,
    /// Events that a watch was sent.
    Sent,
}

/// Draws the marks of a lane whose middle is `y`.
pub(crate) fn draw(line: &Pyramid, look: Look, y: f64, scale: &Scale, scene: &mut Scene) {
    if scale.step >= SINGLE {
        singly(line, look, y, scale, scene)
    } else {
        cells(line, look, y, scale, scene)
    }
}

fn singly(line: &Pyramid, look: Look, y: f64, scale: &Scale, scene: &mut Scene) {
    let most = match look {
        Look::Small => 4.0,
        Look::Large => 9.0,
        Look::Sent => 8.0,
    };
    let radius = (scale.step * 0.42).min(most);
    let (first, last) = scale.seen();
    for (revision, kind) in line.marks(first, last) {
        let Some(marks) = scene.marks.get_mut(usize::from(kind)) else { continue };
        let lettered = scale.step >= LETTERED && look != Look::Small;
        marks.push(match kind {
            // A bookmark tells of everything up to its revision, so it stands where that ends.
            BOOKMARK => Mark { x: scale.edge(revision), y, radius: radius.min(6.0), lettered: false },
            _ => Mark { x: scale.x(revision), y, radius, lettered },
        });
    }
}

fn cells(line: &Pyramid, look: Look, y: f64, scale: &Scale, scene: &mut Scene) {
    let level = lod::level(scale.step, CELL);
    let span = lod::span(level);
    let width = span as f64 * scale.step;
    let gap = if width > 4.0 { 1.0 } else { 0.0 };
    let (first, last) = scale.seen();
    let bottom = y + FULL / 2.0;
    line.buckets(level, first, last, |revision, counts| {
        let all: u32 = counts.iter().sum();
        let share = (f64::from(all) / span as f64).min(1.0);
        let height = match look {
            Look::Small => FULL * share,
            // Few among many would not be seen.
            Look::Large | Look::Sent => (FULL * share.sqrt()).max(4.0),
        };
        stack(counts, all, (scale.left(revision), bottom, width - gap, height), scene);
    });
}

/// Puts the kinds of a cell on top of each other.
fn stack(counts: &Counts, all: u32, (x, mut bottom, width, height): (f64, f64, f64, f64), scene: &mut Scene) {
    for (count, ink) in counts.iter().zip(KIND_INKS) {
        if *count > 0 {
            let part = height * f64::from(*count) / f64::from(all.max(1));
            bottom -= part;
            scene.rect(ink, x, bottom, width, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(revisions: impl Iterator<Item = u64>) -> Pyramid {
        let mut line = Pyramid::default();
        revisions.for_each(|revision| line.add(revision, 1));
        line
    }

    #[test]
    fn marks_stand_in_the_middle_of_their_revisions_and_bookmarks_at_the_end() {
        let mut line = lane([5, 7].into_iter());
        line.add(7, BOOKMARK);
        let (scale, mut scene) = (Scale { first: 5.0, step: 20.0, width: 100.0 }, Scene::default());
        draw(&line, Look::Sent, 10.0, &scale, &mut scene);
        let xs: Vec<f64> = scene.marks[1].iter().map(|mark| mark.x).collect();
        assert_eq!(xs, [10.0, 50.0]);
        assert_eq!((scene.marks[3][0].x, scene.marks[1][0].lettered), (60.0, true));
    }

    #[test]
    fn what_has_no_room_becomes_cells() {
        let line = lane((0..100_000).filter(|revision| revision % 50 != 0));
        let (scale, mut scene) = (Scale { first: 0.0, step: 0.01, width: 1000.0 }, Scene::default());
        draw(&line, Look::Small, 13.0, &scale, &mut scene);
        let cells = &scene.rects[Ink::Modified as usize];
        assert!((90..=100).contains(&cells.len()), "{}", cells.len());
        assert!(cells.iter().take(90).all(|cell| cell.height > 17.0 && cell.height < 18.0));
    }

    #[test]
    fn a_cell_is_divided_among_its_kinds() {
        let mut scene = Scene::default();
        stack(&[1, 0, 3, 0, 0, 0], 4, (0.0, 20.0, 3.0, 16.0), &mut scene);
        assert_eq!(scene.rects[Ink::Added as usize][0].y, 16.0);
        assert_eq!(
            (scene.rects[Ink::Deleted as usize][0].y, scene.rects[Ink::Deleted as usize][0].height),
            (4.0, 12.0)
        );
    }
}
