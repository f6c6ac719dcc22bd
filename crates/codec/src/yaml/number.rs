//! Numbers as Go formats them with `%g`.

use golang::strconv::Digits;

/// A float as `strconv.FormatFloat(float, 'g', -1, 64)` has it: the shortest digits that read back as the
/// same number, with an exponent of two digits or more below 1e-4 and from 1e6 on. What is not finite is
/// spelled as in YAML.
pub(super) fn format_f64(float: f64) -> String {
    special(float).map_or_else(|| Digits::of_f64(float).general(), str::to_owned)
}

/// As [`format_f64`], rounded to 32 bits, in which sigs.k8s.io/yaml writes keys that are floats.
pub(super) fn format_f32(float: f64) -> String {
    let narrow = float as f32;
    special(f64::from(narrow)).map_or_else(|| Digits::of_f32(narrow).general(), str::to_owned)
}

fn special(float: f64) -> Option<&'static str> {
    match float {
        _ if float.is_nan() => Some(".nan"),
        f64::INFINITY => Some(".inf"),
        f64::NEG_INFINITY => Some("-.inf"),
        _ => None,
    }
}
