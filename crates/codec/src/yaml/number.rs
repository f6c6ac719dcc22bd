//! Numbers as Go formats them with `%g`.

/// A float as `strconv.FormatFloat(float, 'g', -1, 64)` has it: the shortest digits that read back as the
/// same number, with an exponent of two digits or more below 1e-4 and from 1e6 on. What is not finite is
/// spelled as in YAML.
pub(super) fn format_f64(float: f64) -> String {
    general(float, &format!("{float:e}"))
}

/// As [`format_f64`], rounded to 32 bits, in which sigs.k8s.io/yaml writes keys that are floats.
pub(super) fn format_f32(float: f64) -> String {
    let narrow = float as f32;
    general(f64::from(narrow), &format!("{narrow:e}"))
}

fn general(float: f64, scientific: &str) -> String {
    if float.is_nan() {
        return ".nan".to_owned();
    }
    if float.is_infinite() {
        return if float > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
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
