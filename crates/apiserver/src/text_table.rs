//! Tables that are text: a row is a line.

/// Returns the rows of a table.
pub(crate) fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines()
}

/// Returns the rows of a table as words.
pub(crate) fn words(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    rows(table).map(|line| line.split(' ').collect())
}
