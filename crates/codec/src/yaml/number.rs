//! Numbers as Go formats them with `%g`.

/// A float as `strconv.FormatFloat(float, 'g', -1, 64)` has it: the shortest digits that read back as the
/// same number, with an exponent of two digits or more below 1e-4 and from 1e6 on. What is not finite is
/// spelled as in YAML.
pub(super) fn format_f64(float: f64) -> String {
    let mut json = Vec::new();
    crate::json::write_f64(float, &mut json);
    general(float, &String::from_utf8_lossy(&json))
}

/// As [`format_f64`], rounded to 32 bits, in which sigs.k8s.io/yaml writes keys that are floats.
pub(super) fn format_f32(float: f64) -> String {
    let narrow = float as f32;
    general(f64::from(narrow), &serde_json::to_string(&narrow).unwrap_or_default())
}

/// Lays out the digits of a float, which `literal` has in some notation.
fn general(float: f64, literal: &str) -> String {
    if float.is_nan() {
        return ".nan".to_owned();
    }
    if float.is_infinite() {
        return if float > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let (sign, literal) = literal.strip_prefix('-').map_or(("", literal), |rest| ("-", rest));
    let (mantissa, exponent) = literal.split_once('e').unwrap_or((literal, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let digits = digits.trim_matches('0');
    if digits.is_empty() {
        return format!("{sign}0");
    }
    // Of the first digit.
    let exponent = exponent.parse::<i32>().unwrap_or(0) + whole.len() as i32 - leading as i32 - 1;
    if !(-4..6).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{point}{rest}e{exponent_sign}{:02}", exponent.unsigned_abs());
    }
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = (exponent + 1) as usize;
    if digits.len() <= whole {
        return format!("{sign}{digits}{}", "0".repeat(whole - digits.len()));
    }
    let (before, after) = digits.split_at(whole);
    format!("{sign}{before}.{after}")
}
