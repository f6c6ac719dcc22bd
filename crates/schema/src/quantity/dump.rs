//! Quantities as Go prints their struct.

use super::{Amount, Format, Quantity, parse};

/// Returns the struct `resource.Quantity` of a text as Kubernetes prints it to make a hash of it: with the types of its fields, and
/// with the text where Go keeps it. Text that is no quantity is printed as zero.
///
/// See <https://pkg.go.dev/k8s.io/utils/dump#ForHash>.
///
/// ```
/// use schema::quantity::dump;
///
/// assert_eq!(
///     dump("100m"),
///     "{i:(resource.int64Amount){value:(int64)100 scale:(resource.Scale)-3} \
///      d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)100m Format:(resource.Format)DecimalSI}"
/// );
/// ```
pub fn dump(text: &str) -> String {
    let (quantity, is_canonical) = parse::read(text).unwrap_or_else(|_| (Quantity::count(0), false));
    let format = match quantity.format {
        Format::DecimalSi => "DecimalSI",
        Format::DecimalExponent => "DecimalExponent",
        Format::BinarySi => "BinarySI",
    };
    let (value, scale, exact) = match &quantity.amount {
        Amount::Whole(value, scale) => (*value, *scale, "<nil>".to_owned()),
        Amount::Exact(number) => {
            let limbs: Vec<String> = limbs(&number.digits()).iter().map(u64::to_string).collect();
            let (negative, limbs) = (number.negative, limbs.join(" "));
            let scale = -number.exponent;
            let unscaled = format!("{{unscaled:(big.Int){{neg:(bool){negative} abs:(big.nat)[{limbs}]}}");
            (0, 0, format!("{unscaled} scale:(inf.Scale){scale}}}"))
        }
    };
    let kept = if is_canonical { text } else { "" };
    format!(
        "{{i:(resource.int64Amount){{value:(int64){value} scale:(resource.Scale){scale}}} \
         d:(resource.infDecAmount){{Dec:(*inf.Dec){exact}}} s:(string){kept} Format:(resource.Format){format}}}"
    )
}

/// The decimal digits that surely fit into a word.
const WORD_DIGITS: usize = 19;

/// The most digits of which words are made. Go makes them of all, but it takes long, and nobody has so many.
const MOST_DIGITS: usize = 1 << 16;

/// Returns the words of a number, the lowest first, as Go's `big.Int` has them; of a number with too many digits, those of its
/// first.
fn limbs(digits: &str) -> Vec<u64> {
    let mut limbs: Vec<u64> = Vec::new();
    let digits = digits.get(..MOST_DIGITS).unwrap_or(digits);
    let (first, rest) = digits.split_at(digits.len() % WORD_DIGITS);
    for word in std::iter::once(first.as_bytes()).chain(rest.as_bytes().chunks(WORD_DIGITS)) {
        let mut carry = word.iter().fold(0, |number, digit| number * 10 + u128::from(digit - b'0'));
        for limb in &mut limbs {
            let wide = u128::from(*limb) * 10_u128.pow(WORD_DIGITS as u32) + carry;
            *limb = wide as u64;
            carry = wide >> 64;
        }
        if carry > 0 {
            limbs.push(carry as u64);
        }
    }
    limbs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(digits: &str, expected: &[u64]) {
        assert_eq!(limbs(digits), expected, "{digits}");
    }

    #[test]
    fn words_of_numbers() {
        check("0", &[]);
        check("7", &[7]);
        check("9999999999999999999", &[9_999_999_999_999_999_999]);
        check("18446744073709551615", &[u64::MAX]);
        check("18446744073709551616", &[0, 1]);
        check("340282366920938463463374607431768211455", &[u64::MAX, u64::MAX]);
        check("340282366920938463463374607431768211457", &[1, 0, 1]);
    }

    #[test]
    fn words_are_made_of_so_many_digits() {
        let many = "7".repeat(MOST_DIGITS);
        assert_eq!(limbs(&format!("{many}{many}")), limbs(&many));
        assert_ne!(limbs(&many[1..]), limbs(&many));
    }
}
