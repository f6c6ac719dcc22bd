//! Quantities: what is written, and what can be computed with it.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>. Go keeps a quantity as an
//! integer with a power of ten where it can, else as a decimal number of any length, and says of the latter that it
//! is no integer, whatever it is worth. So both are kept apart here too.

use std::cmp::Ordering;

use golang::strconv::Decimal;

const WRONG_FORMAT: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_SUFFIX: &str = "unable to parse quantity's suffix";
const WRONG_NUMBER: &str = "unable to parse numeric part of quantity";

/// The digits that surely fit into an integer.
const SURE_DIGITS: i64 = 18;
const NANO: i64 = -9;

/// An amount of something.
#[derive(Clone, Debug)]
pub(super) enum Amount {
    /// An integer times a power of ten.
    Whole(i64, i64),
    /// Any other.
    Exact(Decimal),
}

/// What a suffix multiplies with.
enum Unit {
    Two(u32),
    Ten(i64),
}

fn unit(suffix: &str) -> Option<Unit> {
    const TWO: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    const TEN: [(&str, i64); 10] = [
        ("n", -9),
        ("u", -6),
        ("m", -3),
        ("", 0),
        ("k", 3),
        ("M", 6),
        ("G", 9),
        ("T", 12),
        ("P", 15),
        ("E", 18),
    ];
    if let Some(at) = TWO.iter().position(|own| *own == suffix) {
        return Some(Unit::Two(10 * (at as u32 + 1)));
    }
    if let Some((_, power)) = TEN.iter().find(|(own, _)| *own == suffix) {
        return Some(Unit::Ten(*power));
    }
    let power: i64 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    // Go keeps the lower half.
    Some(Unit::Ten(i64::from(power as i32)))
}

impl Amount {
    /// Reads a quantity.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err(WRONG_FORMAT);
        }
        let negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, rest) = cut(unsigned.trim_start_matches('0'), |c| c.is_ascii_digit());
        let (fraction, suffix) =
            rest.strip_prefix('.').map_or(("", rest), |rest| cut(rest, |c| c.is_ascii_digit()));
        let after = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
        let after = after.strip_prefix(['+', '-']).unwrap_or(after);
        if after.bytes().any(|b| !b.is_ascii_digit()) {
            return Err(WRONG_FORMAT);
        }
        let whole = if whole.is_empty() { "0" } else { whole };
        let unit = unit(suffix).ok_or(WRONG_SUFFIX)?;
        let digits = (whole.len() + fraction.len()) as i64;
        let (factor, scale, room) = match unit {
            Unit::Ten(power) => (1, power, SURE_DIGITS - digits),
            Unit::Two(power) if fraction.is_empty() => {
                (1i64 << power, 0, 15 - digits - i64::from(power) * 3 / 10 - 1)
            }
            Unit::Two(_) => (1, 0, -1),
        };
        let scale = scale - fraction.len() as i64;
        if room >= 0 && scale >= NANO {
            let value: i64 = format!("{whole}{fraction}").parse().map_err(|_| WRONG_NUMBER)?;
            if let Some(value) = value.checked_mul(factor) {
                return Ok(Self::Whole(if negative { -value } else { value }, scale));
            }
        }
        // The sign alone is no number, and neither is the point.
        if !unsigned.starts_with(|c: char| c.is_ascii_digit()) && fraction.is_empty() {
            return Err(WRONG_NUMBER);
        }
        let mut number = Decimal::new(false, whole, fraction);
        match unit {
            Unit::Ten(power) => number.exponent += power,
            Unit::Two(power) => {
                for _ in 0..power / 10 {
                    number.multiply(1024);
                }
            }
        }
        number.round_up(NANO);
        let most = Decimal::whole(i64::MAX, 0);
        if matches!(unit, Unit::Two(_)) && number.compare(&most).is_gt() {
            number = most;
        }
        number.negative = negative;
        Ok(Self::Exact(number))
    }

    /// A number of things.
    pub(super) fn count(number: i64) -> Self {
        Self::Whole(number, 0)
    }

    fn decimal(&self) -> Decimal {
        match self {
            Self::Whole(value, scale) => Decimal::whole(*value, *scale),
            Self::Exact(number) => number.clone(),
        }
    }

    /// The number of things, if it is kept as an integer and is one.
    pub(super) fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Whole(value, scale) if *scale >= 0 => scaled(*value, *scale),
            _ => None,
        }
    }

    /// The nearest float, or nearly.
    pub(super) fn as_float(&self) -> f64 {
        let (base, power) = match self {
            Self::Whole(value, scale) => (*value as f64, *scale),
            Self::Exact(number) => {
                let size = golang::strconv::parse_float(&number.digits()).unwrap_or(f64::INFINITY);
                (if number.negative { -size } else { size }, number.exponent)
            }
        };
        match power {
            0 => base,
            _ if power < -323 => base * 0.0,
            _ if power > 308 => base * f64::INFINITY,
            _ => base * golang::strconv::parse_float(&format!("1e{power}")).unwrap_or(f64::NAN),
        }
    }

    /// 1, 0 or -1.
    pub(super) fn sign(&self) -> i64 {
        match self {
            Self::Whole(value, _) => value.signum(),
            Self::Exact(number) => number.sign(),
        }
    }

    /// Which of two is more.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Whole(a, scale), Self::Whole(b, other)) if scale == other => a.cmp(b),
            _ => self.decimal().compare(&other.decimal()),
        }
    }

    /// The sum.
    pub(super) fn plus(&self, other: &Self) -> Self {
        if let (Self::Whole(a, scale), Self::Whole(b, others)) = (self, other)
            && let Some((sum, scale)) = add((*a, *scale), (*b, *others))
        {
            return Self::Whole(sum, scale);
        }
        Self::Exact(self.decimal().plus(&other.decimal()))
    }

    /// The difference.
    pub(super) fn minus(&self, other: &Self) -> Self {
        match other {
            Self::Whole(value, scale) if *value != i64::MIN => self.plus(&Self::Whole(-value, *scale)),
            _ => self.plus(&Self::Exact(other.decimal().negated())),
        }
    }
}

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.compare(other).is_eq()
    }
}

fn cut(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
}

fn scaled(value: i64, scale: i64) -> Option<i64> {
    if value == 0 {
        return Some(0);
    }
    value.checked_mul(10i64.checked_pow(u32::try_from(scale).ok()?)?)
}

/// The sum of two integers with powers of ten, if it is one.
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

    fn of(text: &str) -> Amount {
        Amount::parse(text).expect(text)
    }

    #[test]
    fn quantities_are_read() {
        for (text, expected) in [
            ("", Some(WRONG_FORMAT)),
            ("Three", Some(WRONG_FORMAT)),
            ("1,3G", Some(WRONG_FORMAT)),
            ("200K", Some(WRONG_SUFFIX)),
            ("1.5GG", Some(WRONG_SUFFIX)),
            ("1 ", Some(WRONG_FORMAT)),
            ("1.2.3", Some(WRONG_FORMAT)),
            ("é", Some(WRONG_FORMAT)),
            ("1e", Some(WRONG_SUFFIX)),
            ("-", None),
            ("1.5Gi", None),
            ("+1", None),
            (".5", None),
            ("1.", None),
            ("1e3", None),
            ("1E-3", None),
            ("10000k", None),
            ("9999999999999999999999999999999999999G", None),
        ] {
            assert_eq!(Amount::parse(text).err(), expected, "{text}");
        }
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
        }
    }

    #[test]
    fn quantities_are_added() {
        let sum = of("50k").plus(&Amount::count(20)).minus(&of("100k")).minus(&Amount::count(-50000));
        assert_eq!(sum, of("20"));
        assert_eq!(sum.as_integer(), Some(20));
        assert_eq!(of("1.5Gi").plus(&of("0.5Gi")), of("2Gi"));
        assert_eq!(of("9223372036854775807").plus(&of("1")), of("9223372036854775808"));
        assert_eq!(Amount::count(i64::MIN).minus(&Amount::count(i64::MIN)).sign(), 0);
        assert_eq!(of("1e2000000000").plus(&of("1")), of("1e2000000000"));
        assert_eq!(of("5").minus(&of("7")).sign(), -1);
    }
}
