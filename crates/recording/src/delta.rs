//! The difference between two texts that are nearly equal, such as two versions of an object.
//!
//! A difference is a list of steps: bytes to be put down, then a part of the base to be copied. A step is the number of
//! bytes and the bytes, how far after the end of the last copied part the next one begins (negative if before), and its
//! length. All numbers are varints. The last step may have no copy.

/// The bytes that are looked up at once.
const ANCHOR: usize = 8;
/// The distance of the places of the base that can be found.
const STEP: usize = 4;
/// The shortest part that is copied.
const SHORTEST: usize = 12;

/// Makes differences; keeps its memory from one to the next.
#[derive(Debug, Default)]
pub(crate) struct Differ {
    /// The places in the base, by the hash of what is there; 0 is none, others are one too large.
    places: Vec<u32>,
}

impl Differ {
    /// Appends the difference that makes `new` of `base`.
    pub(crate) fn diff(&mut self, base: &[u8], new: &[u8], out: &mut Vec<u8>) {
        let prefix = common(base.iter().zip(new));
        let room = base.len().min(new.len()) - prefix;
        let suffix = common(base.iter().rev().zip(new.iter().rev()).take(room));
        let mut steps = Steps { out, copied: 0, waits: 0 };
        let prefix = if prefix < SHORTEST { 0 } else { prefix };
        if prefix > 0 {
            steps.copy(new, 0, 0, prefix);
        }
        let end = if suffix < SHORTEST { new.len() } else { new.len() - suffix };
        self.middle(base, new, prefix, end, &mut steps);
        if end < new.len() {
            steps.copy(new, end, base.len() - suffix, suffix);
        }
        steps.rest(new);
    }

    /// Finds the parts of `new[start..end]` that are in the base.
    fn middle(&mut self, base: &[u8], new: &[u8], start: usize, end: usize, steps: &mut Steps<'_>) {
        if end < start + 2 * SHORTEST || base.len() < ANCHOR || u32::try_from(base.len()).is_err() {
            return;
        }
        let bits = (base.len() / STEP).next_power_of_two().trailing_zeros().clamp(4, 20) + 1;
        self.places.clear();
        self.places.resize(1 << bits, 0);
        for at in (0..base.len() - ANCHOR + 1).step_by(STEP) {
            if let Some(place) = hash(base, at, bits).and_then(|hash| self.places.get_mut(hash)) {
                *place = at as u32 + 1;
            }
        }
        let mut at = start;
        while at + ANCHOR <= end {
            let known =
                hash(new, at, bits).and_then(|hash| self.places.get(hash)).copied().unwrap_or_default();
            let Some(from) = (known as usize).checked_sub(1) else {
                at += 1;
                continue;
            };
            let longer = common(base[from..].iter().zip(&new[at..end]));
            let waiting = at - steps.waits;
            let back = common(base[..from].iter().rev().zip(new[..at].iter().rev()).take(waiting));
            if longer + back < SHORTEST {
                at += 1;
                continue;
            }
            steps.copy(new, at - back, from - back, longer + back);
            at += longer;
        }
    }
}

/// The steps that have been written.
struct Steps<'a> {
    out: &'a mut Vec<u8>,
    /// The end of the last copied part of the base.
    copied: usize,
    /// The place in the new text up to which everything is written.
    waits: usize,
}

impl Steps<'_> {
    /// Writes what waits before `at`, and that `length` bytes follow which are in the base at `from`.
    fn copy(&mut self, new: &[u8], at: usize, from: usize, length: usize) {
        self.put(&new[self.waits..at]);
        let skip = from as i64 - self.copied as i64;
        put_varint(((skip << 1) ^ (skip >> 63)) as u64, self.out);
        put_varint(length as u64, self.out);
        self.copied = from + length;
        self.waits = at + length;
    }

    fn rest(&mut self, new: &[u8]) {
        if self.waits < new.len() {
            self.put(&new[self.waits..]);
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        put_varint(bytes.len() as u64, self.out);
        self.out.extend_from_slice(bytes);
    }
}

/// Makes the new text of the base. `None`: the difference is none of this base, or the text would be longer than `most`.
pub(crate) fn patch(base: &[u8], mut steps: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut new = Vec::with_capacity(base.len().saturating_add(64).min(most));
    let mut copied = 0_usize;
    while !steps.is_empty() {
        let (bytes, rest) = steps_of(steps)?;
        add(&mut new, bytes, most)?;
        steps = rest;
        if steps.is_empty() {
            break;
        }
        let skip = take_varint(&mut steps)?;
        let skip = (skip >> 1) as i64 ^ -((skip & 1) as i64);
        let from = usize::try_from((copied as i64).checked_add(skip)?).ok()?;
        copied = from.checked_add(usize::try_from(take_varint(&mut steps)?).ok()?)?;
        add(&mut new, base.get(from..copied)?, most)?;
    }
    Some(new)
}

fn steps_of(mut steps: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = usize::try_from(take_varint(&mut steps)?).ok()?;
    steps.split_at_checked(length)
}

fn add(new: &mut Vec<u8>, bytes: &[u8], most: usize) -> Option<()> {
    if bytes.len() > most - new.len() {
        return None;
    }
    new.extend_from_slice(bytes);
    Some(())
}

fn common<'a>(pairs: impl Iterator<Item = (&'a u8, &'a u8)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}

fn hash(text: &[u8], at: usize, bits: u32) -> Option<usize> {
    let anchor = u64::from_le_bytes(*text.get(at..)?.first_chunk::<ANCHOR>()?);
    Some((anchor.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize)
}

fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn diff(base: &str, new: &str) -> Vec<u8> {
        let mut out = Vec::new();
        Differ::default().diff(base.as_bytes(), new.as_bytes(), &mut out);
        out
    }

    #[track_caller]
    fn check(base: &str, new: &str, length: usize) {
        let steps = diff(base, new);
        assert_eq!(patch(base.as_bytes(), &steps, new.len()).as_deref(), Some(new.as_bytes()));
        assert_eq!(steps.len(), length, "{steps:?}");
    }

    #[test]
    fn differences_are_short() {
        let (a, b) = ("the beginning of it all, ", ", and the end of everything");
        check("", "", 0);
        check("", "abc", 4);
        check("abc", "", 0);
        check(a, a, 3);
        check(&[a, "1", b].concat(), &[a, "2", b].concat(), 7);
        check(&[a, b].concat(), &[a, "new", b].concat(), 9);
        check(&[a, "old", b].concat(), &[a, b].concat(), 6);
        let (c, d) = ("something in the middle", "and something else there");
        check(&[a, c, d, b].concat(), &[a, "!", d, "?", c, b].concat(), 14);
    }

    #[test]
    fn no_more_is_made_than_may_be() {
        let text = "a text that is long enough to be copied";
        assert_eq!(patch(text.as_bytes(), &diff(text, text), text.len() - 1), None);
    }

    proptest! {
        #[test]
        fn the_new_text_comes_back(parts in proptest::collection::vec(("[ab]{0,20}", "[ab]{0,20}", any::<bool>()), 0..9)) {
            let base: String = parts.iter().map(|(old, _, _)| old.as_str()).collect();
            let new: String = parts.iter().map(|(old, new, same)| if *same { old } else { new }.as_str()).collect();
            let steps = diff(&base, &new);
            prop_assert_eq!(patch(base.as_bytes(), &steps, new.len()), Some(new.into_bytes()));
        }

        #[test]
        fn any_steps_are_taken_or_refused(steps: Vec<u8>) {
            if let Some(new) = patch(b"a base for it", &steps, 100) {
                prop_assert!(new.len() <= 100);
            }
        }
    }
}
