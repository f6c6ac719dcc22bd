//! Layers: who uses whom, put into rows of which each uses only those below it.

use std::collections::{BTreeMap, BTreeSet};

/// Puts nodes into rows, the lowest first: each node is as low as the nodes that it uses allow.
///
/// # Errors
/// The nodes of a circle, each of which uses the next.
pub(super) fn rows(nodes: &[String], uses: &[(String, String)]) -> Result<Vec<Vec<String>>, Vec<String>> {
    let mut left: BTreeMap<&str, BTreeSet<&str>> =
        nodes.iter().map(|node| (node.as_str(), BTreeSet::new())).collect();
    for (from, to) in uses.iter().filter(|(from, to)| from != to && nodes.contains(to)) {
        if let Some(needs) = left.get_mut(from.as_str()) {
            needs.insert(to);
        }
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    while !left.is_empty() {
        let row: Vec<&str> =
            left.iter().filter(|(_, needs)| needs.is_empty()).map(|(node, _)| *node).collect();
        if row.is_empty() {
            return Err(circle(&left));
        }
        for node in &row {
            left.remove(node);
        }
        left.values_mut().for_each(|needs| needs.retain(|need| !row.contains(need)));
        rows.push(row.into_iter().map(str::to_owned).collect());
    }
    Ok(rows)
}

/// Finds a circle among nodes of which each uses another one of them.
fn circle(left: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<String> {
    let mut way: Vec<&str> = left.keys().copied().take(1).collect();
    while let Some(next) = way.last().and_then(|last| left.get(last)).and_then(|needs| needs.first().copied())
    {
        if let Some(begin) = way.iter().position(|node| *node == next) {
            return way[begin..].iter().map(|node| (*node).to_owned()).collect();
        }
        way.push(next);
    }
    way.into_iter().map(str::to_owned).collect()
}

/// Draws rows, the highest first, with lines of at most so many characters.
pub(super) fn draw(rows: &[Vec<String>], width: usize) -> String {
    let mut text = String::new();
    for row in rows.iter().rev() {
        let mut line = String::new();
        for node in row {
            if !line.is_empty() && line.len() + 2 + node.len() > width {
                text.push_str(&line);
                text.push('\n');
                line = String::new();
            }
            if !line.is_empty() {
                line.push_str("  ");
            }
            line.push_str(node);
        }
        text.push_str(&line);
        text.push_str("\n\n");
    }
    text.trim_end().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uses: &str, expected: Result<&str, &str>) {
        let uses: Vec<(String, String)> = uses
            .split(' ')
            .filter_map(|pair| pair.split_once('>'))
            .map(|(from, to)| (from.to_owned(), to.to_owned()))
            .collect();
        let nodes = ["a", "b", "c", "d"].map(str::to_owned);
        let found = rows(&nodes, &uses);
        let found = found.map(|rows| rows.iter().map(|row| row.join(" ")).collect::<Vec<_>>().join("/"));
        let found = found.map_err(|circle| circle.join(" "));
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn nodes_are_as_low_as_what_they_use_allows() {
        check("", Ok("a b c d"));
        check("a>b b>c", Ok("c d/b/a"));
        check("a>b a>c a>a d>a", Ok("b c/a/d"));
    }

    #[test]
    fn circles_are_found() {
        check("a>b b>a", Err("a b"));
        check("a>b b>c c>d d>b", Err("b c d"));
    }

    #[test]
    fn the_highest_row_is_drawn_first() {
        let rows = [vec!["a".to_owned(), "b".to_owned(), "long".to_owned()], vec!["top".to_owned()]];
        assert_eq!(draw(&rows, 6), "top\n\na  b\nlong\n");
    }
}
