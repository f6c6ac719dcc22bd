//! Numbers as Go formats them with `%g`.

use golang::strconv::Digits;

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
    match float {
        _ if float.is_nan() => ".nan".to_owned(),
        _ if float.is_infinite() => if float > 0.0 { ".inf" } else { "-.inf" }.to_owned(),
        _ => Digits::of(literal).general(),
    }
}
