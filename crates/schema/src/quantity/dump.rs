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

/// Returns the words of a number, the lowest first, as Go's `big.Int` has them.
fn limbs(digits: &str) -> Vec<u64> {
    let mut limbs: Vec<u64> = Vec::new();
    for digit in digits.bytes().filter(u8::is_ascii_digit) {
        let mut carry = u128::from(digit - b'0');
        for limb in &mut limbs {
            let wide = u128::from(*limb) * 10 + carry;
            *limb = wide as u64;
            carry = wide >> 64;
        }
        if carry > 0 {
            limbs.push(carry as u64);
        }
    }
    limbs
}
