//! Numbers that are integers or percentages.
//!
//! See <https://pkg.go.dev/k8s.io/apimachinery/pkg/util/intstr>.

use json_tree::Value;

use crate::error::Error;

/// Returns the number that an integer or a percentage comes to, rounded up or down.
pub(crate) fn scaled(value: Option<&Value>, total: i64, up: bool) -> Result<i64, Error> {
    match value {
        None | Some(Value::Null) => Ok(0),
        Some(Value::String(text)) => {
            let percent = text.strip_suffix('%').and_then(|number| number.parse::<i64>().ok());
            let percent = percent.ok_or_else(|| {
                let quoted = golang::strconv::quote(text);
                Error::Other(format!(
                    "invalid value for IntOrString: invalid type: string is not a percentage: {quoted}"
                ))
            })?;
            let part = percent as f64 * total as f64 / 100.0;
            Ok(if up { part.ceil() } else { part.floor() } as i64)
        }
        Some(number) => Ok(number.as_i64().unwrap_or_default()),
    }
}
