//! How numbers are printed in a text that is made by `format`: as in American English.

use golang::strconv::{Decimal, format_fixed};

/// More digits than this are asked for by nobody.
pub(super) const MOST_DIGITS: usize = 1_000_000;

const SUPERSCRIPTS: [&str; 10] = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];

fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "∞" } else { "-∞" })
    } else {
        None
    }
}

/// So many digits after the point, and a comma before every three in front of it.
pub(super) fn fixed(value: f64, precision: usize) -> String {
    match special(value) {
        Some(text) => text.to_owned(),
        None => with_commas(&format_fixed(value, precision)),
    }
}

/// Puts a comma before every three digits in front of the point.
fn with_commas(text: &str) -> String {
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let mut made = sign.to_owned();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            made.push(',');
        }
        made.push(digit);
    }
    made.push_str(fraction);
    made
}

/// One digit, so many after the point, and a power of ten.
pub(super) fn scientific(value: f64, precision: usize) -> String {
    if let Some(text) = special(value) {
        return text.to_owned();
    }
    let mut number = Decimal::of_float(value);
    let places = precision as i64;
    let mut power = if number.is_zero() { 0 } else { number.magnitude() - 1 };
    number.round(power - places);
    if !number.is_zero() && number.magnitude() - 1 > power {
        // 9.99 became 10.0.
        power += 1;
        number.round(power - places);
    }
    number.exponent -= power;
    let mut text = number.fixed(precision);
    text.push_str("\u{202f}×\u{202f}10");
    if power < 0 {
        text.push('⁻');
    }
    let size = power.unsigned_abs();
    if size < 10 {
        text.push('⁰');
    }
    for digit in size.to_string().bytes() {
        text.push_str(SUPERSCRIPTS[usize::from(digit - b'0') % 10]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_the_digits_asked_for() {
        for (value, precision, expected) in [
            (2.75, 6, "2.750000"),
            (1.2345, 3, "1.234"),
            (1234567.5, 0, "1,234,568"),
            (-999.999, 2, "-1,000.00"),
            (0.0, 2, "0.00"),
            (-0.0, 1, "-0.0"),
            (0.05, 1, "0.1"),
            (1e21, 1, "1,000,000,000,000,000,000,000.0"),
            (f64::NAN, 2, "NaN"),
            (f64::INFINITY, 2, "∞"),
            (f64::NEG_INFINITY, 2, "-∞"),
        ] {
            assert_eq!(fixed(value, precision), expected);
        }
    }

    #[test]
    fn powers_of_ten_are_superscripts() {
        for (value, precision, expected) in [
            (1052.032911275, 6, "1.052033\u{202f}×\u{202f}10⁰³"),
            (2.75, 6, "2.750000\u{202f}×\u{202f}10⁰⁰"),
            (0.000123, 1, "1.2\u{202f}×\u{202f}10⁻⁰⁴"),
            (9.99, 1, "1.0\u{202f}×\u{202f}10⁰¹"),
            (-1e100, 0, "-1\u{202f}×\u{202f}10¹⁰⁰"),
            (0.0, 2, "0.00\u{202f}×\u{202f}10⁰⁰"),
            (f64::NAN, 2, "NaN"),
        ] {
            assert_eq!(scientific(value, precision), expected);
        }
    }
}
