//! The arithmetic on quantities that defaulting needs: rounding, adding, comparing.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>.

use json_tree::Value;

use crate::small_map::SmallMap;

/// A number of billionths, and how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quantity {
    nanos: i128,
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// `Ki`, `Mi`, ...
    Binary,
    /// `m`, `k`, `M`, ...
    Decimal,
    /// `e3`
    Exponent,
}

const ONE: i128 = 1_000_000_000;
const MILLI: i128 = 1_000_000;
/// So many digits fit into half of the bits.
const SHORT: usize = 18;
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL: [(i32, &str); 10] =
    [(18, "E"), (15, "P"), (12, "T"), (9, "G"), (6, "M"), (3, "k"), (0, ""), (-3, "m"), (-6, "u"), (-9, "n")];

/// How a quantity in a `ResourceList` is kept: rounded up to thousandths, in canonical form. `None` if
/// it stands so already, or is none.
pub(super) fn in_resource_list(text: &str) -> Option<String> {
    if is_canonical(text) {
        return None;
    }
    let quantity = Quantity::parse(text)?;
    let rounded = Quantity { nanos: ceil(quantity.nanos, MILLI) * MILLI, ..quantity }.to_text();
    (rounded != text).then_some(rounded)
}

/// Whether a quantity of few digits can be seen to stand in canonical form: `1`, `250m`, `64Mi`, but not `1000m`.
fn is_canonical(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, suffix) = text.split_at(digits);
    let Ok(number) = number.parse::<u32>() else { return false };
    let short = (1..=9).contains(&digits) && !text.starts_with('0');
    short
        && match suffix {
            "" | "m" | "k" | "M" | "G" => number % 1000 != 0,
            "Ki" | "Mi" | "Gi" => number % 1024 != 0,
            _ => false,
        }
}

/// A number with six digits behind the point.
pub(crate) fn millionths(number: f64) -> String {
    if !number.is_finite() {
        return if number.is_nan() { "NaN" } else { "+Inf" }.to_owned();
    }
    let rounded = (number * 1_000_000.0).round() as i128;
    format!("{}.{:06}", rounded / 1_000_000, (rounded % 1_000_000).abs())
}

/// Quantities by the names of resources.
pub(crate) type Amounts = SmallMap<String, Quantity>;

/// The quantities that a map of resources has; what is no quantity is left out.
pub(crate) fn amounts(map: Option<&Value>) -> Amounts {
    let mut amounts = Amounts::new();
    for (name, amount) in map.and_then(Value::as_object).into_iter().flatten() {
        if let Some(amount) = amount.as_str().and_then(Quantity::parse) {
            amounts.insert(name.clone(), amount);
        }
    }
    amounts
}

impl Quantity {
    /// Reads a quantity; `None` if it is not one, or too large to count in billionths.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let end = unsigned.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return None;
        }
        let (format, power) = format_of(suffix)?;
        let mut digits = whole.bytes().chain(fraction.bytes()).map(|digit| digit - b'0');
        let mantissa = if number.len() <= SHORT {
            i128::from(digits.fold(0_i64, |sum, digit| sum * 10 + i64::from(digit)))
        } else {
            digits.try_fold(0_i128, |sum, digit| sum.checked_mul(10)?.checked_add(i128::from(digit)))?
        };
        let scale = 10i128.checked_pow(fraction.len().try_into().ok()?)?;
        let nanos = match power {
            Power::Two(exponent) => mantissa.checked_mul(ONE)?.checked_mul(1i128 << exponent)?,
            // Nearly all of them.
            Power::Ten(0) => mantissa.checked_mul(ONE)?,
            Power::Ten(-3) => mantissa.checked_mul(MILLI)?,
            Power::Ten(exponent) if exponent >= -9 => {
                mantissa.checked_mul(10i128.checked_pow(u32::try_from(exponent + 9).ok()?)?)?
            }
            Power::Ten(exponent) => {
                let divisor = 10i128.checked_pow(u32::try_from(-9 - exponent).ok()?)?;
                ceil(mantissa, divisor)
            }
        };
        let nanos = ceil(nanos, scale);
        Some(Self { nanos: if text.starts_with('-') { -nanos } else { nanos }, format })
    }

    /// The sum, written as the first of the two that is not zero.
    pub(crate) fn plus(self, other: Self) -> Self {
        let format = if self.nanos == 0 { other.format } else { self.format };
        Self { nanos: self.nanos.saturating_add(other.nanos), format }
    }

    /// What is more in it than in another; below zero, if that is the larger.
    pub(crate) fn minus(self, other: Self) -> Self {
        self.plus(Self { nanos: -other.nanos, format: other.format })
    }

    /// A number of things.
    pub(crate) fn count(number: i64) -> Self {
        Self { nanos: i128::from(number) * ONE, format: Format::Decimal }
    }

    /// How many times another fits into it.
    pub(crate) fn ratio(self, other: Self) -> f64 {
        self.nanos as f64 / other.nanos as f64
    }

    /// Whether it is more than another.
    pub(crate) fn exceeds(self, other: Self) -> bool {
        self.nanos > other.nanos
    }

    /// Whether it is more than nothing.
    pub(crate) fn is_positive(self) -> bool {
        self.nanos > 0
    }

    /// Whether it is nothing.
    pub(crate) fn is_zero(self) -> bool {
        self.nanos == 0
    }

    /// Whether it is a number without a fraction.
    pub(crate) fn is_whole(self) -> bool {
        self.nanos % ONE == 0
    }

    /// Whether it is a whole number of times another, both of them whole.
    pub(crate) fn is_multiple_of(self, other: Self) -> bool {
        other.nanos >= ONE && self.is_whole() && (self.nanos / ONE) % ceil(other.nanos, ONE).max(1) == 0
    }

    /// The number, rounded away from zero to a whole one.
    pub(crate) fn rounded_up(self) -> i64 {
        let limit = if self.nanos < 0 { i64::MIN } else { i64::MAX };
        ceil(self.nanos, ONE).try_into().unwrap_or(limit)
    }

    /// Whether both are the same amount, however they are written.
    pub(crate) fn equals(self, other: Self) -> bool {
        self.nanos == other.nanos
    }

    /// The larger; `self` if they are equal.
    pub(crate) fn max(self, other: Self) -> Self {
        if other.nanos > self.nanos { other } else { self }
    }

    /// The canonical text.
    pub(crate) fn to_text(self) -> String {
        let Self { nanos, format } = self;
        if format == Format::Binary && nanos.abs() >= 1024 * ONE {
            let mut value = ceil(nanos, ONE);
            let mut power = 0;
            while value % 1024 == 0 && power + 1 < BINARY.len() {
                value /= 1024;
                power += 1;
            }
            return format!("{value}{}", BINARY[power]);
        }
        if nanos == 0 {
            return "0".into();
        }
        for (exponent, suffix) in DECIMAL {
            let unit = 10i128.pow((exponent + 9).unsigned_abs());
            if is_multiple(nanos, unit) {
                let value = nanos / unit;
                return if format == Format::Exponent && exponent != 0 {
                    format!("{value}e{exponent}")
                } else {
                    format!("{value}{suffix}")
                };
            }
        }
        nanos.to_string()
    }
}

enum Power {
    Two(u32),
    Ten(i32),
}

fn format_of(suffix: &str) -> Option<(Format, Power)> {
    if let Some((exponent, _)) = DECIMAL.iter().find(|(_, own)| *own == suffix) {
        return Some((Format::Decimal, Power::Ten(*exponent)));
    }
    if let Some(power) = BINARY.iter().position(|own| *own == suffix) {
        return Some((Format::Binary, Power::Two(power as u32 * 10)));
    }
    let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    Some((Format::Exponent, Power::Ten(exponent)))
}

/// Whether a number is a whole number of times another. Most fit into half of the bits, which is much quicker.
fn is_multiple(value: i128, of: i128) -> bool {
    match (i64::try_from(value), i64::try_from(of)) {
        (Ok(value), Ok(of)) => value % of == 0,
        _ => value % of == 0,
    }
}

/// Division that rounds away from zero, as Go's quantities do.
fn ceil(value: i128, divisor: i128) -> i128 {
    if divisor == 1 {
        return value;
    }
    if let (Ok(value), Ok(divisor)) = (i64::try_from(value), i64::try_from(divisor)) {
        let whole = value / divisor;
        return i128::from(if value % divisor == 0 { whole } else { whole + value.signum() });
    }
    let whole = value / divisor;
    if value % divisor == 0 { whole } else { whole + value.signum() }
}
