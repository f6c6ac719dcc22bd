//! References to variables in the values of others.
//!
//! See <https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/>.

/// The most bytes of what a text becomes: a few variables that double each other are as long as one likes.
const LONGEST: usize = 1024 * 1024;

/// Replaces each `$(NAME)` by the value of a variable. One that nobody knows stays; `$$` stands for `$`.
pub(super) fn expand(text: &str, known: &[(String, String)]) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    // Behind the last closing parenthesis there is no reference.
    let mut end = text.rfind(')').map_or(0, |place| place + 1);
    while let Some(place) = rest.find('$').filter(|_| expanded.len() < LONGEST) {
        let offset = text.len() - rest.len() + place;
        if offset >= end {
            end = 0;
        }
        expanded.push_str(&rest[..place]);
        let after = &rest[place + 1..];
        if let Some(others) = after.strip_prefix('$') {
            expanded.push('$');
            rest = others;
        } else if let Some((name, others)) =
            after.strip_prefix('(').filter(|_| end > 0).and_then(|after| after.split_once(')'))
        {
            match known.iter().rfind(|(own, _)| own == name) {
                Some((_, value)) => expanded.push_str(value),
                None => expanded.extend(["$(", name, ")"]),
            }
            rest = others;
        } else {
            expanded.push('$');
            rest = after;
        }
    }
    expanded.push_str(rest);
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced() {
        let known = [("A".to_owned(), "1".to_owned()), ("B".to_owned(), "$(A)".to_owned())];
        for (text, expected) in [
            ("", ""),
            ("$(A)-$(B)", "1-$(A)"),
            ("$$(A)", "$(A)"),
            ("$$$(A)", "$1"),
            ("$(C)", "$(C)"),
            ("$(A", "$(A"),
            ("$A $", "$A $"),
            ("ü$(A)ü", "ü1ü"),
            ("$(A)$(A $$ $(A", "1$(A $ $(A"),
        ] {
            assert_eq!(expand(text, &known), expected, "{text}");
        }
        let long = [("A".to_owned(), "x".repeat(LONGEST))];
        assert!(expand(&"$(A)".repeat(100), &long).len() < 2 * LONGEST);
        assert_eq!(expand(&"$(".repeat(LONGEST), &long).len(), 2 * LONGEST);
    }
}
