//! Quantities such as `500m` and `1Gi`, as Go's `resource.Quantity` reads, keeps, compares and writes them.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>. Go keeps a quantity as an
//! integer with a power of ten where it can, else as a decimal number of any length, and says of the latter that it
//! is no integer, whatever it is worth. So both are kept apart here too.

mod dump;
mod parse;
mod text;

use std::cmp::Ordering;

use golang::strconv::{Decimal, parse_float};

pub use dump::dump;
pub use parse::{canonical, in_thousandths};

/// The power of ten of a billionth, the smallest unit.
const NANO: i64 = -9;
const MILLI: i64 = -3;

/// The suffixes of [`Format::DecimalSi`] with their powers of ten.
const DECIMAL: [(&str, i64); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
/// The suffixes of [`Format::BinarySi`], each 1024 times the one before; the first 1024 times one.
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// An amount of something, and how it is written.
#[derive(Clone, Debug)]
pub struct Quantity {
    amount: Amount,
    format: Format,
}

#[derive(Clone, Debug)]
enum Amount {
    /// An integer times a power of ten.
    Whole(i64, i64),
    /// Any other.
    Exact(Decimal),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// `m`, `k`, `M`, ...
    DecimalSi,
    /// `e3`
    DecimalExponent,
    /// `Ki`, `Mi`, ...
    BinarySi,
}

impl Amount {
    fn decimal(&self) -> Decimal {
        match self {
            Self::Whole(value, scale) => Decimal::whole(*value, *scale),
            Self::Exact(number) => number.clone(),
        }
    }
}

impl Quantity {
    /// Returns a whole number in the format DecimalSI: Go's `NewQuantity`.
    pub const fn count(number: i64) -> Self {
        Self { amount: Amount::Whole(number, 0), format: Format::DecimalSi }
    }

    /// Returns the number of things, if it is kept as an integer and is one: Go's `AsInt64`.
    pub fn as_integer(&self) -> Option<i64> {
        match self.amount {
            Amount::Whole(value, scale) if scale >= 0 => scaled(value, scale),
            _ => None,
        }
    }

    /// Returns the nearest float, or nearly: Go's `AsApproximateFloat64`.
    pub fn as_float(&self) -> f64 {
        let (base, power) = match &self.amount {
            Amount::Whole(value, scale) => (*value as f64, *scale),
            Amount::Exact(number) => {
                let size = parse_float(&number.digits()).unwrap_or(f64::INFINITY);
                (if number.negative { -size } else { size }, number.exponent)
            }
        };
        match power {
            0 => base,
            _ if power < -323 => base * 0.0,
            _ if power > 308 => base * f64::INFINITY,
            _ => base * parse_float(&format!("1e{power}")).unwrap_or(f64::NAN),
        }
    }

    /// Returns the number, rounded away from zero to a whole one and clamped to an `i64`: Go's `Value`.
    pub fn value(&self) -> i64 {
        self.in_units(0)
    }

    /// Returns the number of thousandths, rounded away from zero and clamped to an `i64`, where Go's `MilliValue` overflows.
    pub fn thousandths(&self) -> i64 {
        self.in_units(MILLI)
    }

    /// Returns the number in the unit of a power of ten, rounded away from zero and clamped to an `i64`.
    fn in_units(&self, power: i64) -> i64 {
        let limit = if self.sign() < 0 { i64::MIN } else { i64::MAX };
        let mut number = match &self.amount {
            Amount::Whole(value, scale) if *scale < power => return rounded(*value, *scale, power),
            Amount::Whole(value, scale) => return scaled(*value, *scale - power).unwrap_or(limit),
            Amount::Exact(number) => number.clone(),
        };
        number.round_up(power);
        let zeros = usize::try_from(number.exponent.saturating_sub(power)).unwrap_or(usize::MAX);
        if number.is_zero() {
            return 0;
        }
        if zeros > 18 {
            return limit;
        }
        let digits = [if number.negative { "-" } else { "" }, &number.digits(), &"0".repeat(zeros)].concat();
        digits.parse().unwrap_or(limit)
    }

    /// Returns 1, 0 or -1: Go's `Sign`.
    pub fn sign(&self) -> i64 {
        match &self.amount {
            Amount::Whole(value, _) => value.signum(),
            Amount::Exact(number) => number.sign(),
        }
    }

    /// Reports whether the amount is zero.
    pub fn is_zero(&self) -> bool {
        self.sign() == 0
    }

    /// Reports whether the amount is above zero.
    pub fn is_positive(&self) -> bool {
        self.sign() > 0
    }

    /// Reports whether the number has no fraction.
    pub fn is_whole(&self) -> bool {
        match &self.amount {
            Amount::Whole(value, scale) => {
                *scale >= 0 || power_of_ten(-scale).map_or(*value == 0, |unit| value % unit == 0)
            }
            Amount::Exact(number) => {
                let mut whole = number.clone();
                whole.round_up(0);
                whole.compare(number).is_eq()
            }
        }
    }

    /// Reports whether this is a whole number of times another, both of them whole.
    pub fn is_multiple_of(&self, other: &Self) -> bool {
        let (whole, divisor) = (other.is_whole() && self.is_whole(), other.value());
        whole && divisor > 0 && self.value() % divisor == 0
    }

    /// Compares the worth of two quantities, however they are written: Go's `Cmp`.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (&self.amount, &other.amount) {
            (Amount::Whole(a, scale), Amount::Whole(b, others)) => match aligned(*a, *scale, *b, *others) {
                Some((a, b)) => a.cmp(&b),
                None => self.amount.decimal().compare(&other.amount.decimal()),
            },
            _ => self.amount.decimal().compare(&other.amount.decimal()),
        }
    }

    /// Reports whether this is more than another.
    pub fn exceeds(&self, other: &Self) -> bool {
        self.compare(other).is_gt()
    }

    /// Returns the larger of two; the first if they are equal.
    pub fn max(&self, other: &Self) -> Self {
        if other.exceeds(self) { other.clone() } else { self.clone() }
    }

    /// Returns how many times another fits into this one.
    pub fn ratio(&self, other: &Self) -> f64 {
        if let (Amount::Whole(a, scale), Amount::Whole(b, others)) = (&self.amount, &other.amount)
            && let Some((a, b)) = aligned(*a, *scale, *b, *others)
        {
            return a as f64 / b as f64;
        }
        self.as_float() / other.as_float()
    }

    /// Returns the sum, written as the first of the two that is not zero: Go's `Add`.
    pub fn plus(&self, other: &Self) -> Self {
        let format = if self.is_zero() { other.format } else { self.format };
        if let (Amount::Whole(a, scale), Amount::Whole(b, others)) = (&self.amount, &other.amount)
            && let Some((sum, scale)) = add((*a, *scale), (*b, *others))
        {
            return Self { amount: Amount::Whole(sum, scale), format };
        }
        let sum = self.amount.decimal().plus(&other.amount.decimal());
        Self { amount: Amount::Exact(sum), format }
    }

    /// Returns the difference, written as a sum is: Go's `Sub`.
    pub fn minus(&self, other: &Self) -> Self {
        let amount = match other.amount {
            Amount::Whole(value, scale) if value != i64::MIN => Amount::Whole(-value, scale),
            _ => Amount::Exact(other.amount.decimal().negated()),
        };
        self.plus(&Self { amount, format: other.format })
    }

    /// Reports whether the number is kept as an integer with a scale, and has nothing finer than thousandths.
    fn is_in_thousandths(&self) -> bool {
        matches!(&self.amount, Amount::Whole(_, scale) if *scale >= MILLI)
    }

    /// Returns the quantity, rounded away from zero to thousandths: Go's `RoundUp(Milli)`.
    pub fn rounded_to_thousandths(mut self) -> Self {
        match &mut self.amount {
            Amount::Whole(_, scale) if *scale >= MILLI => {}
            Amount::Whole(value, scale) => {
                (*value, *scale) = (rounded(*value, *scale, MILLI), MILLI);
            }
            Amount::Exact(number) => number.round_up(MILLI),
        }
        self
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.compare(other).is_eq()
    }
}

/// Returns two integers with powers of ten in the unit of the smaller power, if they are not too large for it.
fn aligned(a: i64, scale: i64, b: i64, others: i64) -> Option<(i128, i128)> {
    let least = scale.min(others);
    let wide = |value: i64, scale: i64| match value {
        0 => Some(0),
        _ => i128::from(value).checked_mul(10_i128.checked_pow(u32::try_from(scale - least).ok()?)?),
    };
    Some((wide(a, scale)?, wide(b, others)?))
}

fn scaled(value: i64, scale: i64) -> Option<i64> {
    if value == 0 {
        return Some(0);
    }
    value.checked_mul(power_of_ten(scale)?)
}

/// Returns a power of ten from one on, if an `i64` holds it.
fn power_of_ten(power: i64) -> Option<i64> {
    10_i64.checked_pow(u32::try_from(power).ok()?)
}

/// Returns an integer times the power of ten `scale` in the unit of the larger power `to`, rounded away from zero.
fn rounded(value: i64, scale: i64, to: i64) -> i64 {
    match power_of_ten(to - scale) {
        Some(unit) => value / unit + if value % unit == 0 { 0 } else { value.signum() },
        None => value.signum(),
    }
}

/// Returns the sum of two integers with powers of ten, if it is one.
fn add((a, scale): (i64, i64), (b, others): (i64, i64)) -> Option<(i64, i64)> {
    if b == 0 {
        return Some((a, scale));
    }
    if a == 0 {
        return Some((b, others));
    }
    let least = scale.min(others);
    let sum = scaled(a, scale - least)?.checked_add(scaled(b, others - least)?)?;
    Some((sum, least))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Quantity {
        Quantity::parse(text).expect(text)
    }

    #[test]
    fn integers_are_those_that_go_keeps_as_such() {
        for (text, expected) in [
            ("50k", Some(50_000)),
            ("50000000G", Some(50_000_000_000_000_000)),
            ("1Gi", Some(1 << 30)),
            ("-5", Some(-5)),
            ("0", Some(0)),
            ("1.5Gi", None),
            ("1000m", None),
            ("1.0", None),
            ("9999999999999999999999999999999999999G", None),
            ("0e999", Some(0)),
        ] {
            assert_eq!(of(text).as_integer(), expected, "{text}");
        }
    }

    #[test]
    fn thousandths_are_rounded_up() {
        for (text, expected) in [
            ("290m", 290),
            ("1.5", 1500),
            ("1n", 1),
            ("-1u", -1),
            ("2Ki", 2_048_000),
            ("0.5Mi", 524_288_000),
            ("8E", i64::MAX),
            ("-9999999999999999999999999999999999999G", i64::MIN),
            ("0.00000000000000000001", 1),
            ("0", 0),
        ] {
            assert_eq!(of(text).thousandths(), expected, "{text}");
        }
    }

    #[test]
    fn floats_are_near() {
        for (text, expected) in [
            ("1.5", 1.5),
            ("50k", 50_000.0),
            ("1.5Gi", 1_610_612_736.0),
            ("100m", 0.1),
            ("-2n", -2e-9),
            ("1e400", f64::INFINITY),
        ] {
            assert_eq!(of(text).as_float(), expected, "{text}");
        }
    }

    #[test]
    fn quantities_compare_by_their_worth() {
        for (a, b, expected) in [
            ("200M", "0.2G", Ordering::Equal),
            ("50M", "50Mi", Ordering::Less),
            ("50Mi", "50M", Ordering::Greater),
            ("1000m", "1", Ordering::Equal),
            ("1.5Gi", "1536Mi", Ordering::Equal),
            ("-1", "1", Ordering::Less),
            ("99999999999Ei", "9223372036854775807", Ordering::Equal),
            ("0.1n", "1n", Ordering::Equal),
            ("1e2000000000", "1e1999999999", Ordering::Greater),
        ] {
            assert_eq!(of(a).compare(&of(b)), expected, "{a} {b}");
            assert_eq!(of(a).exceeds(&of(b)), expected.is_gt(), "{a} {b}");
        }
    }

    #[test]
    fn quantities_are_added() {
        let sum = of("50k").plus(&Quantity::count(20)).minus(&of("100k")).minus(&Quantity::count(-50000));
        assert_eq!(sum, of("20"));
        assert_eq!(sum.as_integer(), Some(20));
        assert_eq!(of("1.5Gi").plus(&of("0.5Gi")), of("2Gi"));
        assert_eq!(of("9223372036854775807").plus(&of("1")), of("9223372036854775808"));
        assert_eq!(Quantity::count(i64::MIN).minus(&Quantity::count(i64::MIN)).sign(), 0);
        assert_eq!(of("1e2000000000").plus(&of("1")), of("1e2000000000"));
        assert_eq!(of("5").minus(&of("7")).sign(), -1);
    }

    #[test]
    fn sums_are_written_as_the_first_that_is_not_zero() {
        for (a, b, sum, larger) in [
            ("500m", "1", "1500m", "1"),
            ("0", "1Gi", "1Gi", "1Gi"),
            ("1Gi", "1G", "2073741824", "1Gi"),
            ("512Mi", "512Mi", "1Gi", "512Mi"),
            ("1e3", "1e3", "2e3", "1e3"),
            ("100Ki", "0", "100Ki", "100Ki"),
        ] {
            assert_eq!(of(a).plus(&of(b)).to_string(), sum, "{a} {b}");
            assert_eq!(of(a).max(&of(b)).to_string(), larger, "{a} {b}");
        }
    }

    #[test]
    fn numbers_of_things() {
        // rounded up, whole, how often a thousand goes into it
        for (text, value, whole, ratio) in [
            ("1500m", 2, false, 0.0015),
            ("-1500m", -2, false, -0.0015),
            ("2000m", 2, true, 0.002),
            ("1.5Ki", 1536, true, 1.536),
            ("1n", 1, false, 1e-12),
            ("0.0", 0, true, 0.0),
            ("1e30", i64::MAX, true, 1e27),
            ("-1e30", i64::MIN, true, -1e27),
            ("9223372036854775807001m", i64::MAX, false, 9.223_372_036_854_776e15),
        ] {
            let quantity = of(text);
            assert_eq!((quantity.value(), quantity.is_whole()), (value, whole), "{text}");
            assert_eq!(quantity.ratio(&of("1k")), ratio, "{text}");
        }
        for (a, b, expected) in [
            ("4Mi", "2Mi", true),
            ("3Mi", "2Mi", false),
            ("1500m", "500m", false),
            ("3", "500m", false),
            ("1", "0", false),
        ] {
            assert_eq!(of(a).is_multiple_of(&of(b)), expected, "{a} {b}");
        }
    }

    #[test]
    fn quantities_are_rounded_to_thousandths() {
        for (text, expected) in [
            ("1n", "1m"),
            ("1001u", "2m"),
            ("-0.0005", "-1m"),
            ("1.0000001k", "1000001m"),
            ("1e-9", "1e-3"),
            ("123456789123456789u", "123456789123457m"),
            ("1.5Gi", "1536Mi"),
        ] {
            assert_eq!(of(text).rounded_to_thousandths().to_string(), expected, "{text}");
        }
    }
}
