//! Quantities out of text.

use golang::strconv::Decimal;
use json_tree::Value;

use super::{Amount, BINARY, DECIMAL, Format, NANO, Quantity};

const WRONG_FORMAT: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_SUFFIX: &str = "unable to parse quantity's suffix";
const WRONG_NUMBER: &str = "unable to parse numeric part of quantity";

/// The digits that surely fit into an integer.
const SURE_DIGITS: i64 = 18;

/// A power of ten that no float has.
const BEYOND_FLOATS: i64 = 400;

/// Returns the text of a quantity as Go writes what it has read: as it was sent where it sees it to be canonical, else in
/// canonical form.
///
/// # Errors
/// Kubernetes' words for text that is no quantity.
///
/// ```
/// use schema::quantity::canonical;
///
/// assert_eq!(canonical("+5"), Ok("+5".to_owned()));
/// assert_eq!(canonical("1024Mi"), Ok("1Gi".to_owned()));
/// ```
pub fn canonical(text: &str) -> Result<String, &'static str> {
    let (quantity, is_canonical) = read(text)?;
    Ok(if is_canonical { text.to_owned() } else { quantity.to_string() })
}

/// Returns a quantity rounded up to thousandths, as Go writes it: the text that was read, if that is canonical and was not rounded.
///
/// # Errors
/// Kubernetes' words for text that is no quantity.
pub fn in_thousandths(text: &str) -> Result<String, &'static str> {
    let (quantity, is_canonical) = read(text)?;
    let kept = is_canonical && quantity.is_in_thousandths();
    Ok(if kept { text.to_owned() } else { quantity.rounded_to_thousandths().to_string() })
}

impl Quantity {
    /// Reads a quantity, as Go's `resource.ParseQuantity` does.
    ///
    /// # Errors
    /// Kubernetes' words for text that is no quantity.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        read(text).map(|(quantity, _)| quantity)
    }

    /// Reads a quantity in JSON. `None` for what is no text, or no quantity.
    pub fn of(value: &Value) -> Option<Self> {
        Self::parse(value.as_str()?).ok()
    }
}

/// The factor that a suffix stands for.
enum Unit {
    Two(u32),
    Ten(i64, Format),
}

fn unit(suffix: &str) -> Option<Unit> {
    if let Some(at) = BINARY.iter().position(|own| *own == suffix) {
        return Some(Unit::Two(10 * (at as u32 + 1)));
    }
    if let Some((_, power)) = DECIMAL.iter().find(|(own, _)| *own == suffix) {
        return Some(Unit::Ten(*power, Format::DecimalSi));
    }
    let power: i64 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    // Go keeps the lower half.
    Some(Unit::Ten(i64::from(power as i32), Format::DecimalExponent))
}

/// Reads a quantity, and reports whether Go sees the text to be canonical.
pub(super) fn read(text: &str) -> Result<(Quantity, bool), &'static str> {
    if text.is_empty() {
        return Err(WRONG_FORMAT);
    }
    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, rest) = split_digits(unsigned.trim_start_matches('0'));
    let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), split_digits);
    let after = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let after = after.strip_prefix(['+', '-']).unwrap_or(after);
    if after.bytes().any(|b| !b.is_ascii_digit()) {
        return Err(WRONG_FORMAT);
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    let unit = unit(suffix).ok_or(WRONG_SUFFIX)?;
    if let Some(read) = read_whole(negative, whole, fraction, &unit) {
        return Ok((read.0, read.1 || text == "0"));
    }
    // The sign alone is no number, and neither is the point.
    if !unsigned.starts_with(|c: char| c.is_ascii_digit()) && fraction.is_empty() {
        return Err(WRONG_NUMBER);
    }
    let mut number = Decimal::new(false, whole, fraction);
    let mut format = match unit {
        Unit::Ten(power, format) => {
            number.exponent += power;
            format
        }
        Unit::Two(power) => {
            (0..power / 10).for_each(|_| number.multiply(1024));
            Format::BinarySi
        }
    };
    number.round_up(NANO);
    // Go counts in billionths from here on, which floats tell; beyond them it makes no difference.
    if number.exponent < BEYOND_FLOATS {
        number.rescale(NANO);
    }
    if format == Format::BinarySi {
        let most = Decimal::whole(i64::MAX, 0);
        if number.compare(&most).is_gt() {
            number = most;
        }
        // Small ones are written without loss.
        if number.compare(&Decimal::whole(1, 0)).is_lt() && !number.is_zero() {
            format = Format::DecimalSi;
        }
    }
    number.negative = negative;
    Ok((Quantity { amount: Amount::Exact(number), format }, false))
}

/// Reads a quantity that Go keeps as an integer.
fn read_whole(negative: bool, whole: &str, fraction: &str, unit: &Unit) -> Option<(Quantity, bool)> {
    let digits = (whole.len() + fraction.len()) as i64;
    let (factor, scale, room, format) = match *unit {
        Unit::Ten(power, format) => (1, power - fraction.len() as i64, SURE_DIGITS - digits, format),
        Unit::Two(power) if fraction.is_empty() => {
            (1_i64 << power, 0, 15 - digits - i64::from(power) * 3 / 10 - 1, Format::BinarySi)
        }
        Unit::Two(_) => return None,
    };
    if room < 0 || scale < NANO {
        return None;
    }
    let all = || whole.bytes().chain(fraction.bytes());
    let value = all().fold(0_i64, |value, digit| value * 10 + i64::from(digit - b'0'));
    let amount = value.checked_mul(factor)?;
    let is_canonical = match format {
        Format::BinarySi => value & 7 != 0,
        _ => scale % 3 == 0 && !(digits >= 3 && value % 1000 == 0) && !whole.starts_with('0'),
    };
    let amount = Amount::Whole(if negative { -amount } else { amount }, scale);
    Some((Quantity { amount, format }, is_canonical))
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("e-10", Some(WRONG_NUMBER)),
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
            assert_eq!(Quantity::parse(text).err(), expected, "{text}");
        }
    }
}
