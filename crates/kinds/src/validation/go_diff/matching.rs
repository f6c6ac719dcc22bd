//! Which lines of two texts are the same, found as Python's `difflib` and its port to Go find them.
//!
//! The longest run of lines that both have comes first, then the longest ones before and after it, and so on. In a text
//! of 200 lines or more, a run does not begin with a line that is too common there. See
//! <https://docs.python.org/3/library/difflib.html#difflib.SequenceMatcher>.

use std::ops::Range;

/// From how many lines on common lines do not count.
const LONG: usize = 200;

/// Lines that are the same in both texts, or those of the old one with what they became in the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) equal: bool,
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

impl Change {
    pub(super) fn keep_first(&mut self, lines: usize) {
        self.old.end = self.old.end.min(self.old.start + lines);
        self.new.end = self.new.end.min(self.new.start + lines);
    }

    pub(super) fn keep_last(&mut self, lines: usize) {
        self.old.start = self.old.start.max(self.old.end.saturating_sub(lines));
        self.new.start = self.new.start.max(self.new.end.saturating_sub(lines));
    }
}

/// How to make `new` of `old`, from the first line to the last.
pub(super) fn changes(old: &[String], new: &[String]) -> Vec<Change> {
    let mut runs = runs(old, new);
    runs.push(Run { old: old.len(), new: new.len(), length: 0 });
    let mut changes = Vec::new();
    let (mut i, mut j) = (0, 0);
    for run in runs {
        if i < run.old || j < run.new {
            changes.push(Change { equal: false, old: i..run.old, new: j..run.new });
        }
        (i, j) = (run.old + run.length, run.new + run.length);
        if run.length > 0 {
            changes.push(Change { equal: true, old: run.old..i, new: run.new..j });
        }
    }
    changes
}

/// Lines that both texts have: where they begin, and how many there are.
#[derive(Clone, Copy)]
struct Run {
    old: usize,
    new: usize,
    length: usize,
}

/// All runs in order; those that touch are one.
fn runs(old: &[String], new: &[String]) -> Vec<Run> {
    let places = Places::of(new);
    let mut open = vec![(0..old.len(), 0..new.len())];
    let mut found: Vec<Run> = Vec::new();
    while let Some((of_old, of_new)) = open.pop() {
        let run = places.longest(old, &of_old, &of_new);
        if run.length == 0 {
            continue;
        }
        let (i, j) = (run.old + run.length, run.new + run.length);
        open.push((of_old.start..run.old, of_new.start..run.new));
        open.push((i..of_old.end, j..of_new.end));
        found.push(run);
    }
    schema::sort_by(&mut found, |a, b| a.old.cmp(&b.old));
    let mut runs: Vec<Run> = Vec::new();
    for run in found {
        match runs.last_mut() {
            Some(last) if last.old + last.length == run.old && last.new + last.length == run.new => {
                last.length += run.length;
            }
            _ => runs.push(run),
        }
    }
    runs
}

/// The places of each line in the new text.
struct Places<'a> {
    new: &'a [String],
    /// The numbers of the lines, in the order of their texts.
    sorted: Vec<usize>,
}

impl<'a> Places<'a> {
    fn of(new: &'a [String]) -> Self {
        let mut sorted: Vec<usize> = (0..new.len()).collect();
        schema::sort_by(&mut sorted, |a, b| new[*a].cmp(&new[*b]));
        Self { new, sorted }
    }

    /// The places of a line, unless it is too common.
    fn of_line(&self, line: &str) -> &[usize] {
        let from = self.sorted.partition_point(|place| self.new[*place].as_str() < line);
        let count = self.sorted[from..].partition_point(|place| self.new[*place] == line);
        let common = self.new.len() >= LONG && count > self.new.len() / 100 + 1;
        if common { &[] } else { &self.sorted[from..from + count] }
    }

    /// The longest run within these ranges: of several, the one that begins first.
    fn longest(&self, old: &[String], of_old: &Range<usize>, of_new: &Range<usize>) -> Run {
        let mut best = Run { old: of_old.start, new: of_new.start, length: 0 };
        // The runs that end with the line before: where in the new text, and how long they are.
        let mut before: Vec<(usize, usize)> = Vec::new();
        for i in of_old.clone() {
            let mut here = Vec::new();
            let places = self.of_line(&old[i]);
            let places = &places[places.partition_point(|j| *j < of_new.start)..];
            for &j in places.iter().take_while(|j| **j < of_new.end) {
                let length = match before.binary_search_by(|run| (run.0 + 1).cmp(&j)) {
                    Ok(found) => before[found].1 + 1,
                    Err(_) => 1,
                };
                here.push((j, length));
                if length > best.length {
                    best = Run { old: i + 1 - length, new: j + 1 - length, length };
                }
            }
            before = here;
        }
        while best.old > of_old.start
            && best.new > of_new.start
            && old[best.old - 1] == self.new[best.new - 1]
        {
            best = Run { old: best.old - 1, new: best.new - 1, length: best.length + 1 };
        }
        while best.old + best.length < of_old.end
            && best.new + best.length < of_new.end
            && old[best.old + best.length] == self.new[best.new + best.length]
        {
            best.length += 1;
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        let lines = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let signs = changes(&lines(old), &lines(new)).into_iter().map(|change| {
            let sign = if change.equal { '=' } else { '~' };
            format!("{sign}{}:{}", &old[change.old], &new[change.new])
        });
        assert_eq!(signs.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn the_longest_run_comes_first() {
        check("", "", "");
        check("abc", "abc", "=abc:abc");
        check("qabxcd", "abycdf", "~q: =ab:ab ~x:y =cd:cd ~:f");
        check("abcab", "ab", "=ab:ab ~cab:");
    }

    #[test]
    fn common_lines_of_a_long_text_begin_no_run() {
        let long = "a".repeat(LONG);
        check(&format!("x{long}"), &long, &format!("~x{long}:{long}"));
        check(&long, &format!("{long}y"), &format!("={long}:{long} ~:y"));
    }
}
