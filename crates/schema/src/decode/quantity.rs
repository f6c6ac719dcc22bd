//! Quantities such as `500m` and `1Gi`, as Kubernetes reads and keeps them.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>.

/// More digits than this do not go through the arithmetic that keeps the text as it was sent.
const FAST_DIGITS: i64 = 18;
/// The smallest unit is 10 to the power of minus this.
const NANO: i64 = 9;

const DECIMAL: [(&str, i64); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
const BINARY: [(&str, u32); 6] = [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    DecimalSi,
    DecimalExponent,
    BinarySi,
}

/// The text of a quantity as it is kept: as it was sent if it has few digits, or else in canonical form.
///
/// # Errors
/// Kubernetes' words for text that is no quantity.
pub(super) fn canonical(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    let parts = Parts::parse(text).ok_or(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    )?;
    let (format, exponent) = interpret(parts.suffix).ok_or("unable to parse quantity's suffix")?;
    let places = parts.fraction.len() as i64;
    let fast = match format {
        Format::BinarySi => {
            parts.fraction.is_empty() && 14 - parts.whole.len() as i64 - exponent * 3 / 10 >= 0
        }
        _ => parts.whole.len().max(1) as i64 + places <= FAST_DIGITS && exponent - places >= -NANO,
    };
    if fast {
        return Ok(text.to_owned());
    }
    if !parts.has_digits {
        return Err("unable to parse numeric part of quantity");
    }
    let digits = parts.digits();
    let amount = match format {
        Format::BinarySi => Amount { digits: times_power_of_two(&digits, exponent as u32), scale: places },
        _ => Amount { digits: trim_zeros(digits), scale: places - exponent },
    };
    Ok(amount.rounded_up().text(parts.negative, format))
}

/// What a quantity consists of.
struct Parts<'a> {
    negative: bool,
    /// Whether a digit stands before the suffix.
    has_digits: bool,
    /// Without leading zeros.
    whole: &'a str,
    fraction: &'a str,
    suffix: &'a str,
}

impl<'a> Parts<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, rest) = split_digits(unsigned);
        let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), split_digits);
        let exponent = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        exponent.bytes().all(|byte| byte.is_ascii_digit()).then(|| Self {
            negative: text.starts_with('-'),
            has_digits: !whole.is_empty() || !fraction.is_empty(),
            whole: whole.trim_start_matches('0'),
            fraction,
            suffix,
        })
    }

    /// The digits on both sides of the point; a zero stands for those that are missing before it.
    fn digits(&self) -> Vec<u8> {
        let whole = if self.whole.is_empty() { "0" } else { self.whole };
        whole.bytes().chain(self.fraction.bytes()).map(|byte| byte - b'0').collect()
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// The format that a suffix belongs to, and its exponent (of 2 in [`Format::BinarySi`], else of 10).
fn interpret(suffix: &str) -> Option<(Format, i64)> {
    if let Some((_, exponent)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Some((Format::DecimalSi, *exponent));
    }
    if let Some((_, exponent)) = BINARY.iter().find(|(name, _)| *name == suffix) {
        return Some((Format::BinarySi, i64::from(*exponent)));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?.parse::<i32>().ok()?;
    Some((Format::DecimalExponent, i64::from(exponent)))
}

/// A number that is not negative: its decimal digits, times ten to the power of minus `scale`. No zero
/// leads; zero has no digits.
struct Amount {
    digits: Vec<u8>,
    scale: i64,
}

impl Amount {
    /// The next whole multiple of the smallest unit.
    fn rounded_up(mut self) -> Self {
        let excess = self.scale - NANO;
        if excess <= 0 || self.digits.is_empty() {
            return self;
        }
        let kept = usize::try_from(excess).map_or(0, |excess| self.digits.len().saturating_sub(excess));
        let inexact = self.digits.drain(kept..).any(|digit| digit != 0);
        if inexact {
            increment(&mut self.digits);
        }
        self.scale = NANO;
        self
    }

    fn text(mut self, negative: bool, format: Format) -> String {
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        let mut format = format;
        if format == Format::BinarySi {
            match self.whole() {
                Some(whole) if whole >= 1024 => {
                    let whole = whole.min(i64::MAX as u128);
                    let power = BINARY.iter().rev().find(|(_, power)| whole.trailing_zeros() >= *power);
                    let (suffix, power) = power.copied().unwrap_or(("", 0));
                    return signed(negative, &(whole >> power).to_string(), suffix);
                }
                // Small ones and fractions are written without loss.
                _ => format = Format::DecimalSi,
            }
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
            self.scale -= 1;
        }
        let mut exponent = -self.scale;
        while exponent % 3 != 0 || (format == Format::DecimalSi && exponent > 18) {
            self.digits.push(0);
            exponent -= 1;
        }
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        match format {
            Format::DecimalExponent if exponent != 0 => signed(negative, &digits, &format!("e{exponent}")),
            Format::DecimalExponent => signed(negative, &digits, ""),
            _ => {
                let suffix =
                    DECIMAL.iter().find(|(_, power)| *power == exponent).map_or("", |(name, _)| name);
                signed(negative, &digits, suffix)
            }
        }
    }

    /// The number if it is whole, or as much of it as fits.
    fn whole(&self) -> Option<u128> {
        let scale = usize::try_from(self.scale).unwrap_or(0);
        let (whole, fraction) = self.digits.split_at(self.digits.len().saturating_sub(scale));
        let value = |digits: &[u8]| {
            digits.iter().fold(0_u128, |sum, digit| sum.saturating_mul(10).saturating_add(u128::from(*digit)))
        };
        fraction.iter().all(|digit| *digit == 0).then(|| value(whole))
    }
}

fn signed(negative: bool, digits: &str, suffix: &str) -> String {
    format!("{}{digits}{suffix}", if negative { "-" } else { "" })
}

fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < 9 {
            *digit += 1;
            return;
        }
        *digit = 0;
    }
    digits.insert(0, 1);
}

fn times_power_of_two(digits: &[u8], power: u32) -> Vec<u8> {
    let mut carry = 0_u128;
    let mut product = Vec::with_capacity(digits.len() + 20);
    for digit in digits.iter().rev() {
        carry += u128::from(*digit) << power;
        product.push((carry % 10) as u8);
        carry /= 10;
    }
    while carry > 0 {
        product.push((carry % 10) as u8);
        carry /= 10;
    }
    product.reverse();
    trim_zeros(product)
}

fn trim_zeros(mut digits: Vec<u8>) -> Vec<u8> {
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    digits.drain(..zeros);
    digits
}
