//! The order in which go-yaml writes the keys of a map.

use std::cmp::Ordering;

/// Brings entries into the order of their keys: letters by code point, runs of digits by the number that
/// they are, anything else before letters.
///
/// The order is Go's, and not total for every set of keys, which is why the standard library's sort is not
/// used: it may panic on such orders.
pub(super) fn sort<T>(entries: &mut Vec<(&str, T)>) {
    if entries.windows(2).all(|pair| compare(pair[0].0, pair[1].0).is_le()) {
        return;
    }
    let mut right = entries.split_off(entries.len() / 2);
    sort(entries);
    sort(&mut right);
    let mut left =
        std::mem::replace(entries, Vec::with_capacity(entries.len() + right.len())).into_iter().peekable();
    let mut right = right.into_iter().peekable();
    while let (Some((a, _)), Some((b, _))) = (left.peek(), right.peek()) {
        let next = if compare(b, a).is_lt() { right.next() } else { left.next() };
        entries.extend(next);
    }
    entries.extend(left);
    entries.extend(right);
}

fn compare(a: &str, b: &str) -> Ordering {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    let (prefix, a) = a.split_at(same);
    let b = &b[same..];
    let (Some(first_a), Some(first_b)) = (a.chars().next(), b.chars().next()) else {
        return a.len().cmp(&b.len());
    };
    match (first_a.is_alphabetic(), first_b.is_alphabetic()) {
        (true, true) => return first_a.cmp(&first_b),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // A zero counts where a number has begun before it.
    let within_number = (first_a == '0' || first_b == '0')
        && prefix.bytes().rev().take_while(u8::is_ascii_digit).any(|digit| digit != b'0');
    let (number_a, digits_a) = number(a, within_number);
    let (number_b, digits_b) = number(b, within_number);
    number_a.cmp(&number_b).then(digits_a.cmp(&digits_b)).then(first_a.cmp(&first_b))
}

/// The number that a text begins with, of as many bits as Go takes, and how many digits it has.
fn number(text: &str, within_number: bool) -> (i64, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold((i64::from(within_number), 0), |(number, count), digit| {
        (number.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')), count + 1)
    })
}
