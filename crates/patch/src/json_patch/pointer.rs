//! The place in a document that a path leads to.

use crate::tree::{Entries, Tree};

/// The end of a path: a name in a map, or an index in a list. What is there, if anything, is not looked at.
pub(super) enum Place<'t, 'a> {
    Member(&'t mut Entries<'a>, String),
    Item(&'t mut Vec<Tree<'a>>, String),
}

/// Follows all steps of `path` but the last. What precedes the first slash is no step.
pub(super) fn locate<'t, 'a>(root: &'t mut Tree<'a>, path: &str) -> Option<Place<'t, 'a>> {
    let (_, steps) = path.split_once('/')?;
    let (steps, last) = match steps.rsplit_once('/') {
        Some((steps, last)) => (Some(steps), last),
        None => (None, steps),
    };
    let mut here = root;
    for step in steps.into_iter().flat_map(|steps| steps.split('/')) {
        let step = unescape(step);
        here = if here.is_list() {
            let items = here.list()?;
            let index = index(&step, items.len()).ok()?;
            &mut items[index]
        } else {
            here.map()?.get_mut(step.as_str())?
        };
    }
    let last = unescape(last);
    if here.is_list() {
        here.list().map(|items| Place::Item(items, last))
    } else {
        here.map().map(|entries| Place::Member(entries, last))
    }
}

/// The index that `text` means in a list of `length` items: negative ones count from the end. If there is no such item,
/// the error says why.
pub(super) fn index(text: &str, length: usize) -> Result<usize, String> {
    let number = golang::strconv::atoi(text)?;
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let index = if number < 0 { number.checked_add(length) } else { Some(number) };
    let index = index.filter(|index| *index < length).and_then(|index| usize::try_from(index).ok());
    index.ok_or_else(|| format!("Unable to access invalid index: {number}: invalid index referenced"))
}

/// `~1` stands for a slash, `~0` for a tilde.
fn unescape(step: &str) -> String {
    let mut out = String::with_capacity(step.len());
    let mut rest = step;
    while let Some(at) = rest.find('~') {
        out.push_str(&rest[..at]);
        let (letter, length) = match rest.as_bytes().get(at + 1) {
            Some(b'0') => ('~', 2),
            Some(b'1') => ('/', 2),
            _ => ('~', 1),
        };
        out.push(letter);
        rest = &rest[at + length..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_index(text: &str, length: usize, expected: Option<usize>) {
        assert_eq!(index(text, length).ok(), expected, "{text} of {length}");
    }

    #[test]
    fn indices() {
        check_index("0", 1, Some(0));
        check_index("1", 1, None);
        check_index("-1", 3, Some(2));
        check_index("-3", 3, Some(0));
        check_index("-4", 3, None);
        check_index("00", 1, Some(0));
        check_index("+1", 2, Some(1));
        check_index("-", 2, None);
        check_index("", 2, None);
        check_index(" 1", 2, None);
        check_index("1e0", 2, None);
        check_index("9223372036854775808", 2, None);
        check_index("-9223372036854775808", 2, None);
    }

    #[track_caller]
    fn check_unescape(step: &str, expected: &str) {
        assert_eq!(unescape(step), expected);
    }

    #[test]
    fn escapes() {
        check_unescape("a", "a");
        check_unescape("a~1b", "a/b");
        check_unescape("~0", "~");
        check_unescape("~01", "~1");
        check_unescape("~2~", "~2~");
        check_unescape("é~1", "é/");
    }
}
