//! Sets of completion indexes, as `completedIndexes` of a Job has them: numbers, and ranges of them, separated by commas.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode>.

/// A set of indexes: ranges in increasing order, with gaps between them. Each has a first and a last index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Indexes(Vec<(i64, i64)>);

impl Indexes {
    /// Reads a set. What is no number is left out, and so is what is not below `completions`.
    pub(super) fn parse(text: &str, completions: i64) -> Self {
        let mut all: Vec<(i64, i64)> = Vec::new();
        for range in text.split(',').filter(|_| !text.is_empty()) {
            let mut limits = range.split('-');
            let Ok(first) = limits.next().unwrap_or_default().parse::<i64>() else { continue };
            if first >= completions {
                break;
            }
            let last = match limits.next().map(str::parse::<i64>) {
                None => first,
                Some(Ok(last)) => last.min(completions - 1),
                Some(Err(_)) => continue,
            };
            match all.last_mut() {
                Some(before) if before.1 == first.saturating_sub(1) => before.1 = last,
                _ => all.push((first, last)),
            }
        }
        Self(all)
    }

    /// Makes a set of single indexes, in whatever order.
    pub(super) fn of(indexes: Vec<i64>) -> Self {
        Self::default().union(&Self(indexes.into_iter().map(|index| (index, index)).collect()))
    }

    /// Returns all indexes of this set and of another one.
    pub(super) fn union(&self, other: &Self) -> Self {
        let mut ranges = [self.0.as_slice(), &other.0].concat();
        json_tree::sort(&mut ranges);
        let mut all: Vec<(i64, i64)> = Vec::new();
        for (first, last) in ranges {
            match all.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => all.push((first, last)),
            }
        }
        Self(all)
    }

    /// Returns the number of indexes.
    pub(super) fn count(&self) -> i64 {
        self.0.iter().fold(0, |count: i64, range| count.saturating_add(length(*range)))
    }

    /// Reports whether an index is in the set.
    pub(super) fn has(&self, index: i64) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&index))
    }

    /// Returns how many indexes this set has in common with another one.
    pub(super) fn common(&self, other: &Self) -> i64 {
        let mut count: i64 = 0;
        for (first, last) in &self.0 {
            for range in &other.0 {
                count = count.saturating_add(length((range.0.max(*first), range.1.min(*last))));
            }
        }
        count
    }

    /// Returns the first indexes below `completions` that are not in the set; so many of them at most.
    pub(super) fn missing(&self, count: usize, completions: i64) -> Vec<i64> {
        let mut missing = Vec::new();
        let mut next = 0;
        for (first, last) in self.0.iter().copied().chain([(completions, completions)]) {
            while next < first.min(completions) && missing.len() < count {
                missing.push(next);
                next += 1;
            }
            next = next.max(last.saturating_add(1));
        }
        missing
    }

    /// Writes the set.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (first, last) in &self.0 {
            if !text.is_empty() {
                text.push(',');
            }
            text.push_str(&first.to_string());
            if last > first {
                text.push(if *last == first.saturating_add(1) { ',' } else { '-' });
                text.push_str(&last.to_string());
            }
        }
        text
    }
}

/// Returns the number of indexes of a range; none, if its last one is before its first.
fn length((first, last): (i64, i64)) -> i64 {
    last.saturating_sub(first).saturating_add(1).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_and_written() {
        for (text, completions, written, count) in [
            ("", 5, "", 0),
            ("1", 5, "1", 1),
            ("0,1,2,4", 5, "0-2,4", 4),
            ("0-1,3-9", 6, "0,1,3-5", 5),
            ("2,7-8", 5, "2", 1),
            ("x,1,3-y,4", 5, "1,4", 2),
            ("9223372036854775807", i64::MAX, "", 0),
        ] {
            let indexes = Indexes::parse(text, completions);
            assert_eq!((indexes.text().as_str(), indexes.count()), (written, count), "{text}");
        }
    }

    #[test]
    fn sets_are_joined_and_compared() {
        let parse = |text| Indexes::parse(text, 100);
        let (a, b) = (parse("0-2,6,9-20"), parse("3,5-7,15-30"));
        assert_eq!(a.union(&b).text(), "0-3,5-7,9-30");
        assert_eq!((a.common(&b), b.common(&a)), (7, 7));
        assert_eq!((a.has(6), a.has(7)), (true, false));
        assert_eq!(Indexes::of(vec![4, 8, 3, 8]).text(), "3,4,8");
    }

    #[test]
    fn the_first_missing_indexes_are_found() {
        let missing = |text, count, completions| Indexes::parse(text, 100).missing(count, completions);
        assert_eq!(missing("0,2-4", 3, 10), [1, 5, 6]);
        assert_eq!(missing("0,2-4", 9, 6), [1, 5]);
        assert_eq!(missing("", 2, 1), [0]);
        assert!(missing("0-9", 2, 5).is_empty());
        assert!(missing("1", 0, 5).is_empty());
    }
}
