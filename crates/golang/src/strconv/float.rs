//! Floats in decimal.
//!
//! The standard library's code for them takes 10 kB of tables, which the page would have to load; floats are rare in the
//! objects of Kubernetes, so this trades speed for size.

use std::cmp::Ordering;

use super::{Decimal, Digits};

/// Digits beyond this many cannot change a float but by not being zero: 767 are the most that a tie takes.
const DIGITS: usize = 800;

/// Reads a decimal literal as the nearest float, ties to even, as Go's `strconv.ParseFloat` does: `-1.5e3`, `.5`, `inf`.
/// Returns nothing for any other text; literals in hexadecimal and underscores are not read. What is too large becomes
/// infinite.
pub fn parse_float(text: &str) -> Option<f64> {
    if text.eq_ignore_ascii_case("nan") {
        return Some(f64::NAN);
    }
    let (negative, text) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let is_infinite = ["inf", "infinity"].iter().any(|word| text.eq_ignore_ascii_case(word));
    let float = if is_infinite { f64::INFINITY } else { Literal::parse(text)?.to_float() };
    Some(if negative { -float } else { float })
}

/// Returns a float as Go's `%v` and `strconv.FormatFloat(float, 'g', -1, 64)` have it: the shortest digits that read back
/// as the same number, with an exponent of two digits or more below 1e-4 and from 1e6 on.
pub fn format_float(float: f64) -> String {
    special(float).map_or_else(|| Digits::of_f64(float).general(), str::to_owned)
}

/// Returns a float with so many digits after the point, rounded to even, as Go's `%.6f` and
/// `strconv.FormatFloat(float, 'f', precision, 64)` have it.
pub fn format_fixed(float: f64, precision: usize) -> String {
    special(float).map_or_else(|| Decimal::of_float(float).fixed(precision), str::to_owned)
}

fn special(float: f64) -> Option<&'static str> {
    match float {
        _ if float.is_nan() => Some("NaN"),
        f64::INFINITY => Some("+Inf"),
        f64::NEG_INFINITY => Some("-Inf"),
        _ => None,
    }
}

/// A number that is `digits`, read as an integer, times ten to the power of `exponent`.
struct Literal {
    /// The values of the digits, none of them a leading zero.
    digits: Vec<u8>,
    exponent: i64,
}

impl Literal {
    /// Reads a literal without a sign.
    fn parse(text: &str) -> Option<Self> {
        let (mantissa, mut exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut digits = Vec::new();
        let mut rest = false;
        for (index, byte) in whole.bytes().chain(fraction.bytes()).enumerate() {
            if !byte.is_ascii_digit() {
                return None;
            }
            exponent -= i64::from(index >= whole.len());
            if digits.len() < DIGITS {
                if byte > b'0' || !digits.is_empty() {
                    digits.push(byte - b'0');
                }
            } else {
                rest |= byte > b'0';
                exponent += 1;
            }
        }
        if rest {
            digits.push(1);
            exponent -= 1;
        }
        Some(Self { digits, exponent })
    }

    fn to_float(&self) -> f64 {
        let size = self.digits.len() as i64 + self.exponent;
        if self.digits.is_empty() || size < -330 {
            return 0.0;
        }
        if size > 310 {
            return f64::INFINITY;
        }
        let power = self.exponent.unsigned_abs();
        if self.digits.len() <= 15 && power <= 22 {
            // Both are exact, so that there is one rounding.
            let integer = self.digits.iter().fold(0.0, |number, digit| number * 10.0 + f64::from(*digit));
            let ten = (0..power).fold(1.0, |ten, _| ten * 10.0);
            return if self.exponent < 0 { integer / ten } else { integer * ten };
        }
        let (mut numerator, mut denominator) = (Big::default(), Big(vec![1]));
        for digit in &self.digits {
            numerator.multiply_add(10, u32::from(*digit));
        }
        let scaled = if self.exponent < 0 { &mut denominator } else { &mut numerator };
        for _ in 0..power {
            scaled.multiply_add(10, 0);
        }
        divide(numerator, denominator)
    }
}

/// Reads the exponent after the `e`. Beyond what an `i32` holds it makes no difference.
fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exponent = digits.parse().map_or(i64::from(i32::MAX), |exponent: i32| exponent.into());
    Some(if text.starts_with('-') { -exponent } else { exponent })
}

/// The float nearest to a quotient of positive numbers.
fn divide(mut numerator: Big, mut denominator: Big) -> f64 {
    // First to 1 <= numerator / denominator < 2, times two to the power of `exponent`.
    let mut exponent = numerator.bits() as i64 - denominator.bits() as i64;
    let scaled = if exponent < 0 { &mut numerator } else { &mut denominator };
    scaled.shift_left(exponent.unsigned_abs() as usize);
    if numerator.compare(&denominator) == Ordering::Less {
        numerator.shift_left(1);
        exponent -= 1;
    }
    // A subnormal number has fewer bits than 53.
    let precision = 53.min(53 + 1022 + exponent);
    if precision < 0 {
        return 0.0;
    }
    let mut bits = 0_u64;
    for _ in 0..precision {
        bits <<= 1;
        if numerator.compare(&denominator) != Ordering::Less {
            numerator.subtract(&denominator);
            bits |= 1;
        }
        numerator.shift_left(1);
    }
    // What is left is twice the part that does not fit: it is more than half of a bit if it exceeds the denominator.
    match numerator.compare(&denominator) {
        Ordering::Greater => bits += 1,
        Ordering::Equal => bits += bits & 1,
        Ordering::Less => {}
    }
    // The highest bit, if the number is a normal one, adds one to the exponent, as does what rounding carries.
    let biased = (exponent + 1022).max(0) as u64;
    f64::from_bits(((biased << 52) + bits).min(f64::INFINITY.to_bits()))
}

/// A natural number of any size: its digits to the base of 2^32, the lowest first, none of them a leading zero.
#[derive(Default)]
struct Big(Vec<u32>);

impl Big {
    fn multiply_add(&mut self, by: u32, add: u32) {
        let mut carry = u64::from(add);
        for word in &mut self.0 {
            carry += u64::from(*word) * u64::from(by);
            *word = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn shift_left(&mut self, bits: usize) {
        self.multiply_add(1 << (bits % 32), 0);
        self.0.splice(0..0, std::iter::repeat_n(0, bits / 32));
    }

    /// Takes away what is not larger.
    fn subtract(&mut self, other: &Self) {
        let mut borrow = 0;
        for (index, word) in self.0.iter_mut().enumerate() {
            let taken = borrow + u64::from(other.0.get(index).copied().unwrap_or(0));
            borrow = u64::from(u64::from(*word) < taken);
            *word = (u64::from(*word) + (borrow << 32) - taken) as u32;
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    fn bits(&self) -> usize {
        self.0.last().map_or(0, |last| self.0.len() * 32 - last.leading_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str) {
        let expected = text.parse::<f64>().ok().map(f64::to_bits);
        assert_eq!(parse_float(text).map(f64::to_bits), expected, "{text}");
    }

    #[test]
    fn literals_are_read_as_the_standard_library_reads_them() {
        let texts = [
            "",
            "+",
            "-",
            ".",
            "e5",
            ".e5",
            "1e",
            "1e+",
            "0x1",
            "1_0",
            " 1",
            "--1",
            "1.2.3",
            "1e5.0",
            "é",
            "0",
            "-0",
            "+1",
            ".5",
            "5.",
            "-1.5e3",
            "1E2",
            "0.1",
            "inf",
            "-Infinity",
            "INF",
            "infinit",
            "1e22",
            "1e23",
            "123456789012345678",
            "9007199254740993",
            "9007199254740992.5",
            "9007199254740993.0000000000000000000000000000000000001",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "1e309",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "0e99999999999999999999",
            "2.2250738585072014e-308",
            "2.2250738585072011e-308",
            "5e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "4.9e-324",
            "1e-400",
            "000000000000000000000001e-3",
        ];
        texts.iter().for_each(|text| check(text));
        check(&format!("1{}e-999", "0".repeat(1000)));
        check(&format!("0.{}1e1000", "0".repeat(1000)));
        // A tie, and what is a little more, far beyond the digits that are kept.
        check("9007199254740993");
        check(&format!("9007199254740993.{}1", "0".repeat(2000)));
        assert!(parse_float("nan").is_some_and(f64::is_nan));
    }

    #[test]
    fn as_go_shows_them() {
        let floats = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (100.0, "100"),
            (123.456, "123.456"),
            (0.5, "0.5"),
            (0.000_123, "0.000123"),
            (0.000_012_3, "1.23e-05"),
            (123_456.0, "123456"),
            (999_999.5, "999999.5"),
            (1e6, "1e+06"),
            (-1.25e7, "-1.25e+07"),
            (1e100, "1e+100"),
            (5e-324, "5e-324"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "+Inf"),
            (f64::NEG_INFINITY, "-Inf"),
        ];
        for (float, expected) in floats {
            assert_eq!(format_float(float), expected);
        }
    }

    #[test]
    fn with_so_many_digits() {
        for (float, precision, expected) in [
            (1_234_567.5, 6, "1234567.500000"),
            (-0.0, 1, "-0.0"),
            (2.5, 0, "2"),
            (f64::INFINITY, 6, "+Inf"),
            (f64::NEG_INFINITY, 6, "-Inf"),
            (f64::NAN, 6, "NaN"),
        ] {
            assert_eq!(format_fixed(float, precision), expected);
        }
    }

    proptest! {
        #[test]
        fn any_float_is_read_back(bits: u64) {
            let float = f64::from_bits(bits);
            prop_assume!(!float.is_nan());
            check(&format!("{float}"));
            check(&format!("{float:e}"));
            check(&format!("{float:.25e}"));
        }

        #[test]
        fn any_literal(text in "[-+]?[0-9]{0,30}(\\.[0-9]{0,30})?([eE][-+]?[0-9]{1,3})?") {
            check(&text);
        }

        #[test]
        fn halfway_between_two_floats(odd in 1_u128 << 52..1 << 53, scale in 0..70_usize, beyond in 0..3_usize) {
            // One bit more than a float has, and that bit set.
            check(&format!("{}{}", (odd * 2 + 1) << scale, ["", ".0", ".0000001"][beyond]));
        }
    }
}
