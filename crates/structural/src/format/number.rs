//! Numbers that check themselves.

/// Ten digits, the last of which may be an `X`.
pub(super) fn is_isbn10(text: &str) -> bool {
    let text = plain(text);
    let Some((digits, last)) = text.split_at_checked(9) else { return false };
    let (Some(digits), [last]) = (values(digits), last.as_bytes()) else { return false };
    let last = match last {
        b'X' => 10,
        b'0'..=b'9' => u32::from(last - b'0'),
        _ => return false,
    };
    let sum: u32 = (1..).zip(digits).map(|(factor, digit)| factor * digit).sum();
    (sum + 10 * last).is_multiple_of(11)
}

/// Thirteen digits.
pub(super) fn is_isbn13(text: &str) -> bool {
    let Some(digits) = values(&plain(text)).filter(|digits| digits.len() == 13) else { return false };
    let sum: u32 = [1, 3].into_iter().cycle().zip(&digits[..12]).map(|(factor, digit)| factor * digit).sum();
    digits[12] == (10 - sum % 10) % 10
}

/// The number of a card of one of the known companies.
pub(super) fn is_credit_card(text: &str) -> bool {
    let text: String = text.chars().filter(char::is_ascii_digit).collect();
    let begins = |from: u32, to: u32, digits: usize| {
        text.get(..digits)
            .and_then(|text| text.parse().ok())
            .is_some_and(|number| (from..=to).contains(&number))
    };
    let known = match text.len() {
        13 => begins(4, 4, 1),
        14 => begins(300, 305, 3) || begins(36, 36, 2) || begins(38, 38, 2),
        15 => begins(34, 34, 2) || begins(37, 37, 2) || begins(2131, 2131, 4) || begins(1800, 1800, 4),
        16 => {
            begins(4, 4, 1)
                || begins(51, 55, 2)
                || begins(6011, 6011, 4)
                || begins(65, 65, 2)
                || begins(35, 35, 2)
        }
        _ => false,
    };
    let doubled = |(index, digit): (usize, u32)| match digit * 2 {
        _ if index % 2 == 0 => digit,
        twice if twice > 9 => twice - 9,
        twice => twice,
    };
    let sum: u32 = values(&text).unwrap_or_default().into_iter().rev().enumerate().map(doubled).sum();
    known && sum.is_multiple_of(10)
}

/// Without spaces and hyphens.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '-' | ' ' | '\t' | '\n' | '\r' | '\u{c}')).collect()
}

fn values(text: &str) -> Option<Vec<u32>> {
    text.chars().map(|c| c.to_digit(10)).collect()
}
