//! Finding a command by a few of its letters.

/// How well `needle` fits `text`: the letters must occur in order; the less, the better.
pub(crate) fn score(text: &str, needle: &str) -> Option<usize> {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let needle: Vec<char> = needle.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    let (mut cost, mut from) = (0, 0);
    for (number, wanted) in needle.iter().enumerate() {
        let at = from + text[from..].iter().position(|c| c == wanted)?;
        let starts_a_word = at == 0 || !text[at - 1].is_alphanumeric();
        cost += match (at - from, number) {
            (0, _) if number > 0 => 0,
            _ if starts_a_word => 1,
            (gap, _) => 2 + gap,
        };
        from = at + 1;
    }
    Some(cost * 100 + text.len().min(99))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(score("ä", "Ä").is_some());
    }
}
