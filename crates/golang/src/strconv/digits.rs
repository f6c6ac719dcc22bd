//! The digits of numbers, and the notations that Go has for them.

/// The digits of a number, without zeros around them: it is `0.DIGITS` times ten to the power of `point`. Zero has none.
pub struct Digits {
    sign: &'static str,
    digits: String,
    /// The number of digits before the point. Below zero, so many zeros stand between the point and the digits.
    pub point: i32,
}

impl Digits {
    /// Returns the shortest digits that read back as the same float. It must be finite.
    pub fn of_f64(float: f64) -> Self {
        Self::of(zmij::Buffer::new().format_finite(float))
    }

    /// Returns the shortest digits that read back as the same float of 32 bits. It must be finite.
    pub fn of_f32(float: f32) -> Self {
        Self::of(zmij::Buffer::new().format_finite(float))
    }

    /// Returns the digits of a decimal literal, which may have a fraction, and an exponent after an `e`.
    pub fn of(literal: &str) -> Self {
        let (sign, literal) = literal.strip_prefix('-').map_or(("", literal), |rest| ("-", rest));
        let (mantissa, exponent) = literal.split_once('e').unwrap_or((literal, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole, fraction].concat();
        let digits = all.trim_start_matches('0');
        let point = whole.len() as i32 - (all.len() - digits.len()) as i32;
        let point = exponent.parse::<i32>().unwrap_or(0).saturating_add(point);
        Self { sign, digits: digits.trim_end_matches('0').to_owned(), point }
    }

    /// Returns the number as Go's `%g` has it: with an exponent if that is below -4 or above 5.
    pub fn general(&self) -> String {
        if self.digits.is_empty() || (-3..=6).contains(&self.point) {
            self.plain()
        } else {
            self.scientific(3)
        }
    }

    /// Returns the number without an exponent.
    pub fn plain(&self) -> String {
        let zeros = |count: usize| "0".repeat(count);
        let Self { sign, digits, point } = self;
        let whole = usize::try_from(*point).unwrap_or(0);
        match digits.split_at_checked(whole) {
            _ if digits.is_empty() => [sign, "0"].concat(),
            Some(("", _)) => [sign, "0.", &zeros(point.unsigned_abs() as usize), digits].concat(),
            Some((before, after)) if !after.is_empty() => [sign, before, ".", after].concat(),
            _ => [sign, digits.as_str(), &zeros(whole - digits.len())].concat(),
        }
    }

    /// Returns the number with an exponent that has at least `width` characters, a sign among them: `1.5e+07` with three.
    pub fn scientific(&self, width: usize) -> String {
        let (first, rest) = self.digits.split_at(1.min(self.digits.len()));
        let point = if rest.is_empty() { "" } else { "." };
        format!("{}{first}{point}{rest}e{:+0width$}", self.sign, self.point - 1)
    }
}
