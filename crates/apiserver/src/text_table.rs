//! Tables that are text: a row is a line, and `#` begins a comment.

/// Returns the rows of a table.
pub(crate) fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

/// Returns the rows of a table as words.
pub(crate) fn words(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    rows(table).map(|line| line.split(' ').collect())
}
