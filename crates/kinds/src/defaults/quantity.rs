//! Quantities of resources: how lists of them are kept.
//!
//! See <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>.

use schema::quantity::in_thousandths;

/// Returns a quantity as a `ResourceList` keeps it: rounded up to thousandths, in canonical form. One that needs no rounding
/// is written as Go writes what it has read. `None` if it stands so already, or is none.
pub(super) fn in_resource_list(text: &str) -> Option<String> {
    if is_canonical(text) {
        return None;
    }
    let kept = in_thousandths(text).ok()?;
    (kept != text).then_some(kept)
}

/// Reports whether a quantity of few digits can be seen to stand in canonical form: `1`, `250m`, `64Mi`, but not `1000m`.
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
