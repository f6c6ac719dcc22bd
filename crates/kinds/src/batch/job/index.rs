//! Indexes of the pods of a Job, written as `1,3-5`.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode>.

use field::quote;

/// Returns how many indexes are listed; they must stand in order and be below the number of completions.
pub(super) fn count(indexes: &str, completions: i64) -> Result<i64, String> {
    let mut last = None;
    let mut total = 0;
    if indexes.is_empty() {
        return Ok(total);
    }
    for part in indexes.split(',') {
        let (first, end) = interval(part, completions)?;
        if let Some(last) = last.filter(|last| *last >= first) {
            return Err(not_increasing(last, first));
        }
        total += end - first + 1;
        last = Some(end);
    }
    Ok(total)
}

/// Returns the first index that both list; what cannot be read is passed over.
pub(super) fn overlap(completed: &str, failed: &str, completions: i64) -> Option<i64> {
    let mut completed = completed.split(',').filter_map(|part| interval(part, completions).ok()).peekable();
    let mut failed = failed.split(',').filter_map(|part| interval(part, completions).ok()).peekable();
    while let (Some(a), Some(b)) = (completed.peek(), failed.peek()) {
        if a.0 <= b.1 && b.0 <= a.1 {
            return Some(a.0.max(b.0));
        }
        if a.0 <= b.0 {
            completed.next()
        } else {
            failed.next()
        };
    }
    None
}

fn interval(part: &str, completions: i64) -> Result<(i64, i64), String> {
    let limits: Vec<&str> = part.split('-').collect();
    let (first, end) = match limits.as_slice() {
        [one] => (*one, None),
        [first, end] => (*first, Some(*end)),
        _ => {
            return Err(format!(
                "the fragment {} violates the requirement that an index interval can have at most two parts separated by '-'",
                quote(part)
            ));
        }
    };
    let first = index(first, completions)?;
    let Some(end) = end else { return Ok((first, first)) };
    let end = index(end, completions)?;
    if first >= end {
        return Err(not_increasing(first, end));
    }
    Ok((first, end))
}

fn index(text: &str, completions: i64) -> Result<i64, String> {
    let Ok(index) = text.parse::<i64>() else {
        return Err(format!("cannot convert string to integer for index: {}", quote(text)));
    };
    if index >= completions { Err(format!("too large index: {}", quote(text))) } else { Ok(index) }
}

fn not_increasing(previous: i64, current: i64) -> String {
    format!("non-increasing order, previous: {previous}, current: {current}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_listed_in_order() {
        let check = |text: &str, expected: Result<i64, &str>| {
            assert_eq!(count(text, 10), expected.map_err(str::to_owned), "{text}");
        };
        check("", Ok(0));
        check("1,3-5,7", Ok(5));
        check("1,1", Err("non-increasing order, previous: 1, current: 1"));
        check("5-3", Err("non-increasing order, previous: 5, current: 3"));
        check("3-3", Err("non-increasing order, previous: 3, current: 3"));
        check("x", Err("cannot convert string to integer for index: \"x\""));
        check("1,", Err("cannot convert string to integer for index: \"\""));
        check("9-10", Err("too large index: \"10\""));
        check(
            "1-2-3",
            Err(
                "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated by '-'",
            ),
        );
    }

    #[test]
    fn overlaps_are_found() {
        let check = |completed: &str, failed: &str, expected: Option<i64>| {
            assert_eq!(overlap(completed, failed, 10), expected, "{completed} {failed}");
        };
        check("1,3-5", "2,6", None);
        check("1,3-5", "0,4-6", Some(4));
        check("x,3", "3", Some(3));
        check("", "", None);
    }
}
