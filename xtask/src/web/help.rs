//! Kubernetes' descriptions of its types and fields, and the values that fields may have, as one text for the page's scripts. It is made
//! whenever the page is built, and is not ours to commit.
//!
//! ```text
//! # whose words these are
//! =v1.RestartPolicy,Always,OnFailure,Never
//! ```
//!
//! Those are the values that go by a name, which `crates/schema/facts/values.txt` has. The lines below them are [`descriptions::TEXT`].

use std::fs;
use std::path::Path;

const VALUES: &str = "crates/schema/facts/values.txt";

const WHOSE: &str =
    "# The descriptions are those of Kubernetes v1.36: Apache License 2.0, (c) The Kubernetes Authors.\n";

/// Returns the whole text.
///
/// # Errors
/// The values cannot be read, or this program was built without descriptions.
pub(super) fn text(root: &Path) -> Result<String, String> {
    if descriptions::of("k8s.io/api/core/v1", "Pod").about().is_empty() {
        return Err("the crate descriptions was built without the sources of k8s-openapi".to_owned());
    }
    let text =
        fs::read_to_string(root.join(VALUES)).map_err(|error| format!("{VALUES} cannot be read: {error}"))?;
    Ok([WHOSE, &values(&text), descriptions::TEXT].concat())
}

/// The lines of the values: a name and what may stand for it. Where a value has a space in it, commas are between them.
fn values(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines = lines.filter_map(|line| line.split_once(' ')).map(|(name, values)| {
        let values = if values.contains(',') { values.to_owned() } else { values.replace(' ', ",") };
        format!("={name},{values}\n")
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_values() {
        assert_eq!(
            values("# core\nv1.Protocol TCP UDP\n\nv1.KeyUsage cert sign,any\n"),
            "=v1.Protocol,TCP,UDP\n=v1.KeyUsage,cert sign,any\n"
        );
    }
}
