//! Finding a command by a few of its letters.

/// How well `needle` fits `text`: the letters must occur in order; the less, the better. Upper
/// and lower case are the same where they are ASCII, as commands are: those of Unicode are a table of 12 kB.
pub(crate) fn score(text: &str, needle: &str) -> Option<usize> {
    let text: Vec<char> = text.to_ascii_lowercase().chars().collect();
    let needle: Vec<char> = needle.to_ascii_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    let (mut cost, mut from) = (0, 0);
    for (number, wanted) in needle.iter().enumerate() {
        let at = from + text[from..].iter().position(|c| c == wanted)?;
        let starts_a_word = at == 0 || !text[at - 1].is_ascii_alphanumeric();
        cost += match (at - from, number) {
            (0, _) if number > 0 => 0,
            _ if starts_a_word => 1,
            (gap, _) => 2 + gap,
        };
        from = at + 1;
    }
    Some(cost * 100 + text.len().min(99))
}

/// The places of `costs` from the least to the greatest; the first of equals comes first. Sorting makes much machine
/// code for each type that is sorted: everything in the page is sorted by this.
pub(crate) fn order(costs: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut order: Vec<(u64, usize)> = costs.enumerate().map(|(at, cost)| (cost, at)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puts_in_order() {
        assert_eq!(order([5, 1, 5, 0].into_iter()), [3, 1, 0, 2]);
        assert!(order([].into_iter()).is_empty());
    }

    #[track_caller]
    fn check(needle: &str, better: &str, worse: &str) {
        let (better, worse) = (score(better, needle), score(worse, needle));
        assert!(better.is_some() && (worse.is_none() || better < worse), "{better:?} {worse:?}");
    }

    #[test]
    fn finds_letters_in_order() {
        check("cm", "Watch configmaps", "Help");
        check("depl", "List deployments", "Dark theme, please");
        check("stale", "Update, stale", "List persistentvolumeclaims");
        check("wc", "Watch configmaps", "Show the clock");
        check("", "a", "ab");
        assert_eq!(score("abc", "cb"), None);
        assert!(score("watch", "W").is_some());
    }
}
