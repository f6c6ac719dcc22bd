//! Decimal numbers of any length, like those inside of Go's `strconv`, and those of `gopkg.in/inf.v0`.

use std::cmp::Ordering;

/// A number as its digits and the power of ten that the last of them stands for.
#[derive(Clone, Debug, Default)]
pub struct Decimal {
    /// The sign: true for a number below zero. Zero may have either.
    pub negative: bool,
    /// Without zeros at the front; none for zero.
    digits: Vec<u8>,
    /// The power of ten that the last digit stands for.
    pub exponent: i64,
}

/// The distance of two numbers, in digits, up to which both count in a sum.
const REACH: i64 = 4096;

impl Decimal {
    /// Returns the number with these decimal digits before and after the point.
    pub fn new(negative: bool, whole: &str, fraction: &str) -> Self {
        let mut digits: Vec<u8> = Vec::with_capacity(whole.len() + fraction.len());
        for digit in whole.bytes().chain(fraction.bytes()) {
            if !(digits.is_empty() && digit == b'0') {
                digits.push(digit.wrapping_sub(b'0') % 10);
            }
        }
        Self { negative, digits, exponent: -(fraction.len() as i64) }
    }

    /// Returns a whole number times a power of ten.
    pub fn whole(value: i64, exponent: i64) -> Self {
        Self { exponent, ..Self::new(value < 0, &value.unsigned_abs().to_string(), "") }
    }

    /// Returns exactly the number that a float stands for. It must be finite.
    pub fn of_float(value: f64) -> Self {
        let bits = value.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, power) = match (bits >> 52) & 0x7ff {
            0 => (fraction, -1074),
            exponent => (fraction | 1 << 52, exponent as i64 - 1075),
        };
        let mut number = Self { negative: value.is_sign_negative(), ..Self::whole(mantissa as i64, 0) };
        for _ in 0..power.unsigned_abs() {
            // Half of it is five tenths.
            number.multiply(if power < 0 { 5 } else { 2 });
        }
        number.exponent = power.min(0);
        number
    }

    /// Multiplies the number by a small one.
    pub fn multiply(&mut self, factor: u32) {
        let mut carry = 0;
        for digit in self.digits.iter_mut().rev() {
            let product = u32::from(*digit) * factor + carry;
            *digit = (product % 10) as u8;
            carry = product / 10;
        }
        while carry > 0 {
            self.digits.insert(0, (carry % 10) as u8);
            carry /= 10;
        }
    }

    /// Lowers the exponent to this one by adding zeros to the digits, so that the number stays the same. An exponent that is
    /// lower already stays.
    pub fn rescale(&mut self, exponent: i64) {
        let zeros = usize::try_from(self.exponent.saturating_sub(exponent)).unwrap_or(0);
        if !self.is_zero() {
            self.digits.resize(self.digits.len() + zeros, 0);
        }
        self.exponent = self.exponent.min(exponent);
    }

    /// Reports whether the number is zero.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Returns 1, 0 or -1.
    pub fn sign(&self) -> i64 {
        match (self.is_zero(), self.negative) {
            (true, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }

    /// Returns the number with the other sign.
    pub fn negated(mut self) -> Self {
        self.negative = !self.negative;
        self
    }

    /// Returns the exponent of the smallest power of ten above the number's size: 3 for 999, -1 for 0.05.
    pub fn magnitude(&self) -> i64 {
        self.digits.len() as i64 + self.exponent
    }

    /// Returns the digits as text; `0` for none.
    pub fn digits(&self) -> String {
        if self.is_zero() {
            return "0".to_owned();
        }
        self.digits.iter().map(|digit| char::from(b'0' + digit)).collect()
    }

    /// Drops the digits below a power of ten, and rounds as told: given the first digit that goes, whether others
    /// that are not zero go, and whether the last that stays is odd.
    fn cut(&mut self, exponent: i64, up: fn(u8, bool, bool) -> bool) {
        if self.exponent >= exponent {
            return;
        }
        let drop = exponent.saturating_sub(self.exponent);
        let dropped = match usize::try_from(drop) {
            Ok(drop) if drop <= self.digits.len() => self.digits.split_off(self.digits.len() - drop),
            // All of it is below; before its first digit there are zeros.
            _ => {
                let mut dropped = std::mem::take(&mut self.digits);
                dropped.insert(0, 0);
                dropped
            }
        };
        let odd = self.digits.last().is_some_and(|digit| digit % 2 == 1);
        let first = dropped.first().copied().unwrap_or(0);
        let others = dropped.iter().skip(1).any(|digit| *digit != 0);
        self.exponent = exponent;
        if up(first, others, odd) {
            self.increment();
        }
    }

    fn increment(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
    }

    /// Rounds away from zero, to a multiple of a power of ten.
    pub fn round_up(&mut self, exponent: i64) {
        self.cut(exponent, |first, others, _| first > 0 || others);
    }

    /// Rounds to the nearest multiple of a power of ten; to the even one, if there are two.
    pub fn round(&mut self, exponent: i64) {
        self.cut(exponent, |first, others, odd| first > 5 || (first == 5 && (others || odd)));
    }

    /// Returns the digit that stands for a power of ten.
    fn digit(&self, power: i64) -> u8 {
        let from_the_end = power.saturating_sub(self.exponent);
        usize::try_from(from_the_end)
            .ok()
            .and_then(|at| self.digits.len().checked_sub(at + 1))
            .map_or(0, |at| self.digits[at])
    }

    /// Returns the number with so many digits after the point, rounded to even.
    pub fn fixed(&self, precision: usize) -> String {
        let last = -(precision as i64);
        let mut number = self.clone();
        number.round(last);
        let mut text = String::with_capacity(precision + 8);
        if number.negative {
            text.push('-');
        }
        for power in (last..number.magnitude().max(1)).rev() {
            if power == -1 {
                text.push('.');
            }
            text.push(char::from(b'0' + number.digit(power)));
        }
        text
    }

    fn compare_sizes(&self, other: &Self) -> Ordering {
        if self.is_zero() || other.is_zero() {
            return other.is_zero().cmp(&self.is_zero());
        }
        self.magnitude().cmp(&other.magnitude()).then_with(|| {
            for at in 0..self.digits.len().max(other.digits.len()) {
                let digit = |of: &Self| of.digits.get(at).copied().unwrap_or(0);
                let order = digit(self).cmp(&digit(other));
                if order.is_ne() {
                    return order;
                }
            }
            Ordering::Equal
        })
    }

    /// Compares two numbers.
    pub fn compare(&self, other: &Self) -> Ordering {
        let (sign, others) = (self.sign(), other.sign());
        sign.cmp(&others).then_with(|| {
            let order = self.compare_sizes(other);
            if sign < 0 { order.reverse() } else { order }
        })
    }

    /// Returns the sum. What is smaller by thousands of digits does not count.
    pub fn plus(&self, other: &Self) -> Self {
        let (large, small) = if self.compare_sizes(other).is_lt() { (other, self) } else { (self, other) };
        let exponent = self.exponent.min(other.exponent);
        if small.is_zero() && (large.is_zero() || large.exponent.saturating_sub(exponent) > REACH) {
            return large.clone();
        }
        if large.magnitude().saturating_sub(exponent)
            > REACH + large.digits.len() as i64 + small.digits.len() as i64
        {
            return large.clone();
        }
        let top = large.magnitude().saturating_add(1);
        let subtract = large.negative != small.negative;
        let mut digits = Vec::new();
        let mut carry = 0i8;
        for power in exponent..top {
            let (a, b) = (large.digit(power) as i8, small.digit(power) as i8);
            let sum = if subtract { a - b - carry } else { a + b + carry };
            carry = i8::from(!(0..10).contains(&sum));
            digits.push(sum.rem_euclid(10) as u8);
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        digits.reverse();
        Self { negative: large.negative && !digits.is_empty(), digits, exponent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Decimal {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        Decimal::new(text.starts_with('-'), whole, fraction)
    }

    fn show(number: &Decimal) -> String {
        format!("{}{}e{}", if number.negative { "-" } else { "" }, number.digits(), number.exponent)
    }

    #[test]
    fn sums_and_differences_are_exact() {
        for (a, b, expected) in [
            ("1", "2", "3e0"),
            ("9.99", "0.01", "1000e-2"),
            ("5", "-7.5", "-25e-1"),
            ("-5", "5", "0e0"),
            ("0", "-7", "-7e0"),
            ("100000000000000000000000000000", "1", "100000000000000000000000000001e0"),
            ("1000", "-0.001", "999999e-3"),
        ] {
            assert_eq!(show(&of(a).plus(&of(b))), expected, "{a} {b}");
            assert_eq!(show(&of(b).plus(&of(a))), expected, "{b} {a}");
        }
        let huge = Decimal { exponent: i64::MAX / 2, ..of("3") };
        assert_eq!(huge.plus(&of("-1")).compare(&huge), Ordering::Equal);
    }

    #[test]
    fn sizes_compare_across_exponents() {
        for (a, b, expected) in [
            ("1", "1.000", Ordering::Equal),
            ("0", "-0", Ordering::Equal),
            ("-1", "0", Ordering::Less),
            ("-2", "-1", Ordering::Less),
            ("0.9", "1", Ordering::Less),
            ("10", "9.99", Ordering::Greater),
        ] {
            assert_eq!(of(a).compare(&of(b)), expected, "{a} {b}");
            assert_eq!(of(b).compare(&of(a)), expected.reverse(), "{b} {a}");
        }
    }

    #[test]
    fn numbers_are_rounded() {
        for (number, exponent, nearest, up) in [
            ("1.25", -1, "12e-1", "13e-1"),
            ("1.35", -1, "14e-1", "14e-1"),
            ("1.251", -1, "13e-1", "13e-1"),
            ("9.99", 0, "10e0", "10e0"),
            ("0.0004", -2, "0e-2", "1e-2"),
            ("0.5", 0, "0e0", "1e0"),
            ("0.51", 0, "1e0", "1e0"),
            ("0.05", 0, "0e0", "1e0"),
            ("7", -3, "7e0", "7e0"),
        ] {
            let (mut a, mut b) = (of(number), of(number));
            a.round(exponent);
            b.round_up(exponent);
            assert_eq!((show(&a).as_str(), show(&b).as_str()), (nearest, up), "{number}");
        }
    }

    #[test]
    fn floats_are_what_their_bits_say() {
        for (float, expected) in [
            (0.5, "5e-1"),
            (-1024.0, "-1024e0"),
            (0.1, "1000000000000000055511151231257827021181583404541015625e-55"),
            (1e23, "99999999999999991611392e0"),
        ] {
            let mut number = Decimal::of_float(float);
            while number.exponent < 0 && number.digits.last() == Some(&0) {
                number.digits.pop();
                number.exponent += 1;
            }
            assert_eq!(show(&number), expected);
        }
        assert!(Decimal::of_float(f64::MAX).digits().len() == 309);
        assert!(Decimal::of_float(-0.0).is_zero());
    }
}
