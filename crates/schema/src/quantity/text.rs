//! Quantities as text.

use std::fmt::{self, Display, Formatter};

use golang::strconv::Decimal;

use super::{BINARY, DECIMAL, Format, Quantity};

impl Display for Quantity {
    /// Writes the canonical text, as Go's `CanonicalizeBytes` does.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let number = self.amount.decimal();
        if number.is_zero() {
            return f.write_str("0");
        }
        // Small ones and fractions are written without loss.
        let whole = if self.format == Format::BinarySi {
            whole_of(&number).filter(|whole| *whole >= 1024)
        } else {
            None
        };
        let sign = if number.negative { "-" } else { "" };
        if let Some(mut whole) = whole {
            let mut suffix = "";
            for larger in BINARY {
                if whole % 1024 != 0 {
                    break;
                }
                (whole, suffix) = (whole / 1024, larger);
            }
            return write!(f, "{sign}{whole}{suffix}");
        }
        let digits = number.digits();
        let trimmed = digits.trim_end_matches('0');
        let exponent = number.exponent + (digits.len() - trimmed.len()) as i64;
        let zeros = &"00"[..exponent.rem_euclid(3) as usize];
        let exponent = exponent - zeros.len() as i64;
        write!(f, "{sign}{trimmed}{zeros}")?;
        match self.format {
            Format::DecimalExponent if exponent == 0 => Ok(()),
            Format::DecimalExponent => write!(f, "e{exponent}"),
            // Go writes none where it has none.
            _ => f.write_str(
                DECIMAL.iter().find(|(_, power)| *power == exponent).map_or("", |(suffix, _)| suffix),
            ),
        }
    }
}

/// Returns the size of a number that is whole.
fn whole_of(number: &Decimal) -> Option<u128> {
    let digits = number.digits();
    let (whole, zeros) = match usize::try_from(number.exponent) {
        Ok(zeros) => (digits.as_str(), zeros),
        Err(_) => {
            let fraction = usize::try_from(number.exponent.unsigned_abs()).ok()?;
            let (whole, fraction) = digits.split_at_checked(digits.len().checked_sub(fraction)?)?;
            fraction.bytes().all(|digit| digit == b'0').then_some((whole, 0))?
        }
    };
    let whole: u128 = whole.parse().ok()?;
    whole.checked_mul(10_u128.checked_pow(u32::try_from(zeros).ok()?)?)
}
