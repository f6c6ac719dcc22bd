//! The doc comments of the repository: how they begin.

use std::fs;
use std::path::Path;

use crate::counts::Counts;
use crate::files;

/// Words that a comment does not begin with: a reader would have to turn the sentence round.
const WORDS: [&str; 3] = ["What", "Whether", "Its"];

/// Reads the comments of each file below the root, and prints those that begin so. All of them are one check.
///
/// # Errors
/// A folder or a file cannot be read.
pub(super) fn check(root: &Path) -> Result<Counts, String> {
    let mut found = 0;
    for path in files::find(root, &files::CODE, "rs")? {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        for line in wrong(&text) {
            println!("{}:{line}: the comment begins with a question", path.display());
            found += 1;
        }
    }
    Ok(if found == 0 { Counts::PASSED } else { Counts::FAILED })
}

/// Returns the numbers of the lines at which a doc comment begins with one of the words.
fn wrong(text: &str) -> impl Iterator<Item = usize> {
    let mut inside = false;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let begins = !std::mem::replace(&mut inside, comment.is_some());
        let word = comment.and_then(|comment| comment.split_whitespace().next());
        (begins && word.is_some_and(|word| WORDS.contains(&word))).then_some(number + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[usize]) {
        assert_eq!(wrong(text).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn comments_that_begin_with_a_question_are_found() {
        check("/// What it is.\nfn a() {}\n    /// Its name.", &[1, 3]);
        check("//! Whether it is there.\n\n/// Here.\n/// What follows.", &[1]);
        check("// What it is.\n/// Returns what it is.\nlet a = \"/// What\";", &[]);
    }
}
